"""What a study has gathered, as tables in files, and such files back into a database."""

from empeval.study.exporting.exports import export_study
from empeval.study.exporting.imports import import_study

__all__ = ["export_study", "import_study"]
