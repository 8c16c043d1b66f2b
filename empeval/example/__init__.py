"""A small invented test set and the outputs of four invented systems, to try everything at once."""

from __future__ import annotations

from importlib.resources import files as package_files
from pathlib import Path

__all__ = ["corpus_file", "files", "system_files"]


def corpus_file() -> Path:
    """The file with the contexts and references; its fields are those that README.md beside it lists.

    >>> corpus_file().name
    'corpus.jsonl'
    """
    return _folder() / "corpus.jsonl"


def system_files() -> list[Path]:
    """One file of outputs a system, in the order of their names, which says nothing about quality.

    >>> [path.name for path in system_files()]
    ['Halvenor.jsonl', 'Kuzzibor.jsonl', 'Ombrevic.tsv', 'Tiskarel.csv']
    """
    names = ("Halvenor.jsonl", "Kuzzibor.jsonl", "Ombrevic.tsv", "Tiskarel.csv")
    return [_folder() / name for name in names]


def files() -> list[Path]:
    """All files of the example: the corpus, then the systems.

    >>> files() == [corpus_file(), *system_files()]
    True
    """
    return [corpus_file(), *system_files()]


def _folder() -> Path:
    return Path(str(package_files(__name__)))
