"""The script that Streamlit runs for the researcher, at every step."""

from annotation_app.admin import page

page.draw()
