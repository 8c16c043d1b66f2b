"""Study files: a human study as one YAML file, checked to the last key."""

from empeval.study.protocol.controls import ShownItem
from empeval.study.protocol.loading import check_study, files_of, load_study, study_from
from empeval.study.protocol.model import Kind, StudyParts, StudyProtocol

__all__ = [
    "Kind",
    "ShownItem",
    "StudyParts",
    "StudyProtocol",
    "check_study",
    "files_of",
    "load_study",
    "study_from",
]
