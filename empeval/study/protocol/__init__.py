"""Study files: a human study as one YAML file, checked to the last key."""

from empeval.study.protocol.controls import ShownItem
from empeval.study.protocol.loading import check_study, load_study, study_from
from empeval.study.protocol.model import Kind, StudyProtocol

__all__ = ["Kind", "ShownItem", "StudyProtocol", "check_study", "load_study", "study_from"]
