"""A first study file for systems whose outputs are at hand."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from empeval.errors import InputError
from empeval.study.protocol.people import Platform
from empeval.study.starting_texts import QUESTIONS
from empeval.study.template import study_template

__all__ = ["start_study"]

#: As many items as studies of this kind usually have, where the protocol does not say.
_USUAL_ITEMS = 100


def start_study(
    file: str | Path,
    *,
    protocol: str | None = None,
    systems: tuple[str, ...] = (),
    corpus: str | None = None,
    platform: Platform = "lab",
) -> str:
    """The text of a study file that is to be written to ``file``; nothing is written here.

    The systems' files (NAME=FILE or FILE) are read, so that the number of items is one that can be drawn;
    their paths become relative to the file's folder. Raises InputError where they cannot be read or joined,
    or hold no contexts, UnknownName for an unknown protocol.
    """
    path = Path(file)
    given: dict[str, Any] = {"id": _slug(path.stem), "extends": protocol, "platform": platform}
    if systems:
        given |= _of_files(path.parent, protocol, systems, corpus)
    elif corpus is not None:
        given["corpus"] = _relative(corpus, path.parent)
    if protocol is not None and Path(protocol).suffix and Path(protocol).is_file():
        extended = {"extends": _relative(protocol, path.parent)}
        given["keys_set"] = {**given.get("keys_set", {}), **extended}
    return study_template(**given)


def _of_files(
    folder: Path, protocol: str | None, systems: tuple[str, ...], corpus: str | None
) -> dict[str, Any]:
    """What the files themselves say: systems' names, how many segments they share."""
    from empeval.cohort import join
    from empeval.readers import read, read_corpus, split_name
    from empeval.study.protocol.extending import protocol_keys

    tables = [(file, read([file])) for file in systems]
    test_set = None if corpus is None else read_corpus(corpus)
    cohort = join([table for _, of_file in tables for table in of_file], corpus=test_set)
    if cohort.corpus.contexts is None:
        raise InputError("the outputs hold no contexts to show to raters; give the test set (--corpus FILE)")
    listed = [(name, _relative(str(path), folder)) for name, path in map(split_name, systems)]
    found: dict[str, Any] = {"corpus": None if corpus is None else _relative(corpus, folder)}
    if all(len(of_file) == 1 for _, of_file in tables):
        found["systems"] = {
            str(of_file[0].system): path for (_, path), (_, of_file) in zip(listed, tables, strict=True)
        }
    else:
        found["systems"] = [path if name is None else f"{name}={path}" for name, path in listed]
    taken = {} if protocol is None else protocol_keys(protocol)
    wanted = taken.get("sampling", {}).get("n", _USUAL_ITEMS)
    n_items = min(wanted, len(cohort.corpus))
    found["n_items"] = n_items
    emotions = cohort.corpus.emotions
    if emotions is None or None in emotions:
        found["keys_set"] = {"sampling": {"method": "random", "n": n_items}}
    if len(cohort.systems) < 2 and protocol is None:
        found["questions"] = [question for question in QUESTIONS if question["kind"] != "pairwise"]
    return found


def _relative(path: str, folder: Path) -> str:
    """A path as it reads from the folder; an absolute one stays."""
    if Path(path).is_absolute():
        return path
    return Path(os.path.relpath(path, folder)).as_posix()


def _slug(stem: str) -> str:
    return re.sub(r"[^a-z0-9._-]+", "-", stem.lower()).strip("-._") or "study"
