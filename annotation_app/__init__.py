"""The raters' pages, as a Streamlit app: draw and call, nothing else."""
