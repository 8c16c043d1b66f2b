"""The script that Streamlit runs for every rater, at every step: what it draws is decided by the database."""

from annotation_app import page

page.draw()
