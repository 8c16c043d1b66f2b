"""The tables to download, and what was done to the study."""

from __future__ import annotations

import io
import tempfile
import zipfile
from pathlib import Path

import streamlit as st

from annotation_app.admin import table
from empeval.study.exporting import export_study
from empeval.study.service.admin import AdminService

__all__ = ["draw"]


def draw(admin: AdminService) -> None:
    """A button that makes the export, a link to it, and the audit."""
    layout = st.selectbox("Format", ["csv", "jsonl", "parquet"])
    excel = st.checkbox("For Excel (a byte-order mark before CSV)")
    if st.button("Make the export"):
        st.download_button(
            "Download",
            _zip(admin, layout, excel=excel),
            file_name=f"{admin.context.protocol.id}-export.zip",
            mime="application/zip",
            on_click="ignore",  # another run would take the button away, and the file with it
        )
    st.text("What was done to the study, the latest first:")
    table.draw(
        [
            {
                "at (UTC)": at.isoformat(timespec="seconds"),
                "by": actor,
                "what": action,
                "details": str(detail),
            }
            for at, actor, action, detail in reversed(admin.audit())
        ]
    )


def _zip(admin: AdminService, layout: str, *, excel: bool) -> bytes:
    made = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        export_study(admin, folder, layout=layout, excel=excel)
        for path in sorted(Path(folder).iterdir()):
            packed.write(path, path.name)
    return made.getvalue()
