"""A study file to begin with: every key there is, each with a line that says what it is."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from empeval.errors import InputError
from empeval.study.protocol.extending import protocol_keys
from empeval.study.protocol.model import StudyParts
from empeval.study.protocol.people import Platform
from empeval.study.protocol.words import SECTIONS, Key, keys
from empeval.study.starting_texts import (
    CONSENT,
    FILL_IN,
    INSTRUCTIONS,
    QUESTIONS,
    SYSTEMS,
    TITLE,
    samples,
)

__all__ = ["study_template"]

_WIDTH = 100

_HEAD = """\
A human study for empeval. `## ` explains, `# ` is a key that is not set: take both signs away to set it.
`empeval study validate FILE` says what is wrong, how large the study is, and what it costs."""


class _Dumper(yaml.SafeDumper):
    """YAML in which long texts keep their lines."""


_Dumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    ),
)


def study_template(
    *,
    id: str = "study",
    title: str = TITLE,
    extends: str | None = None,
    systems: Mapping[str, str] | Sequence[str] = SYSTEMS,
    corpus: str | None = None,
    questions: Sequence[Mapping[str, Any]] | None = None,
    n_items: int | None = None,
    ratings_per_item: int | None = None,
    platform: Platform = "lab",
    keys_set: Mapping[str, Any] | None = None,
) -> str:
    r"""The text of a study file in which what is given is set, and every other key is a comment.

    Questions are those of the protocol that ``extends`` names, else empathy, relevance and fluency from 1 to
    5 and an overall preference. ``n_items`` are drawn as the protocol says, else at random; without it as
    the protocol says, or all are taken. ``keys_set`` sets any other key. Crowds get a quota, two attention
    checks and a consent whose gaps say what to fill in. Raises UnknownName for a protocol that there is not,
    InputError for one without a human part.

    >>> text = study_template(id="pilot", systems={"A": "a.jsonl", "B": "b.jsonl"}, n_items=50)
    >>> print("\n".join(line for line in text.splitlines() if line.startswith(("id:", "# version:"))))
    id: pilot
    # version: 1
    """
    taken_over = {} if extends is None else protocol_keys(extends)
    asked = list(questions or taken_over.get("questions") or QUESTIONS)
    sampling = None if n_items is None else {"method": "random", "n": n_items}
    if sampling and (strata := taken_over.get("sampling", {})).get("method") == "stratified":
        sampling = {**strata, "n": n_items}
    chosen: dict[str, Any] = {
        "id": id,
        "title": title,
        "extends": extends,
        "systems": _plain(systems),
        "corpus": corpus,
        "sampling": sampling,
        "questions": _plain(asked) if questions is not None or extends is None else None,
        "ratings_per_item": ratings_per_item,
        "instructions": INSTRUCTIONS,
        "platform": platform,
        **(_for_crowds(asked, platform) if platform != "lab" else {}),
        **_plain(keys_set or {}),
    }
    chosen = {key: value for key, value in chosen.items() if value is not None}
    for unknown in set(chosen) - set(StudyParts.model_fields):
        raise InputError(f"a study file has no key {unknown!r}")
    return _rendered(chosen, samples(asked))


def _for_crowds(asked: Sequence[Mapping[str, Any]], platform: Platform) -> dict[str, Any]:
    """What a crowd needs and a lab does not."""
    given: dict[str, Any] = {"quota": 20, "consent": CONSENT}
    if (attention := samples(asked).get("attention")) is not None:
        given["attention"] = attention
    if platform == "prolific":
        given["completion"] = {
            code: f"{FILL_IN} {i}" for i, code in enumerate(("done", "screened_out", "problem"), start=1)
        }
    return given


def _rendered(chosen: Mapping[str, Any], examples: Mapping[str, Any]) -> str:
    every = list(keys())
    lines = [f"## {line}" for line in _HEAD.splitlines()]
    for key in every:
        if "." in key.path:
            continue
        if key.path in SECTIONS:
            lines += ["", f"## ---- {SECTIONS[key.path]} " + "-" * (80 - len(SECTIONS[key.path]))]
        below = [one for one in every if one.path.startswith(f"{key.path}.")]
        lines += ["", *_explained(key, below)]
        if key.path in chosen:
            lines += _yaml(key.path, chosen[key.path])
        else:
            default = examples.get(key.path, key.default)
            lines += [f"# {line}" for line in _yaml(key.path, default)]
    return "\n".join(lines) + "\n"


def _explained(key: Key, below: Sequence[Key]) -> list[str]:
    told = textwrap.wrap(key.words, _WIDTH, break_long_words=False)
    for one in below:
        name = one.path.rpartition(".")[2]
        default = "" if one.default is None else f" (default: {_short(one.default)})"
        told += textwrap.wrap(f"  {name}: {one.words}{default}", _WIDTH, subsequent_indent="    ")
    return [f"## {line}" for line in told]


def _short(value: Any) -> str:
    return _yaml("a", value)[0].removeprefix("a: ")


def _yaml(key: str, value: Any) -> list[str]:
    nested = isinstance(value, Mapping | list | tuple)
    text = yaml.dump(
        {key: _plain(value)},
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None if nested else False,
        width=_WIDTH,
    )
    return str(text).splitlines()


def _plain(value: Any) -> Any:
    """Values that YAML has words for."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value
