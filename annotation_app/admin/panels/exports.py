"""The tables to download, and what was done to the study."""

from __future__ import annotations

import io
import tempfile
import zipfile
from pathlib import Path

import pandas as pd
import streamlit as st

from empeval.study.exporting import export_study
from empeval.study.service.admin import AdminService

__all__ = ["draw"]


def draw(admin: AdminService) -> None:
    """A button that makes the export, a link to it, and the audit."""
    layout = st.selectbox("Format", ["csv", "jsonl", "parquet"])
    if st.button("Make the export"):
        st.download_button("Download", _zip(admin, layout), file_name="export.zip", mime="application/zip")
    st.text("What was done to the study:")
    lines = [
        {"at (UTC)": at.isoformat(timespec="seconds"), "by": actor, "what": action, "details": str(detail)}
        for at, actor, action, detail in admin.audit()
    ]
    st.dataframe(pd.DataFrame(lines), hide_index=True)


def _zip(admin: AdminService, layout: str) -> bytes:
    made = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        export_study(admin, folder, layout=layout)
        for path in sorted(Path(folder).iterdir()):
            packed.write(path, path.name)
    return made.getvalue()
