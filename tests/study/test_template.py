"""Study files to begin with: every key, valid as they are, and valid with every comment taken away."""

from __future__ import annotations

import re
from typing import Any

import pytest

from empeval import protocols
from empeval.errors import InputError, UnknownName
from empeval.protocols.yaml_text import parse_yaml
from empeval.study.protocol import StudyProtocol, check_study, study_from
from empeval.study.protocol.model import StudyParts
from empeval.study.protocol.words import KEYS, keys
from empeval.study.template import study_template

PLATFORMS = pytest.mark.parametrize("platform", ["lab", "prolific", "open"])


def read(text: str) -> StudyProtocol:
    """The study of a text that extends nothing."""
    return study_from(parse_yaml(text.encode(), "study.yaml"), "study.yaml")


def uncommented(text: str) -> str:
    """With every key set."""
    return re.sub("(?m)^# ", "", text)


def test_every_key_has_its_words() -> None:
    """Neither a key without a line, nor a line without a key."""
    assert [key.path for key in keys()] == list(KEYS)


@PLATFORMS
def test_every_key_of_a_study_file_is_there(platform: Any) -> None:
    """Once, set or as a comment, in the order of the model."""
    text = study_template(platform=platform)
    assert list(StudyParts.model_fields) == re.findall(r"(?m)^(?:# )?([a-z_]+):", text)


@PLATFORMS
def test_a_new_file_is_valid_with_and_without_its_comments(platform: Any) -> None:
    """As it is, and with every key taken in."""
    text = study_template(platform=platform, n_items=5)
    assert (platform, 5) == (read(text).platform, read(text).sampling.n)
    every = read(uncommented(text))
    for part in ("practice", "attention", "gold", "duplicates", "damaged", "consent", "pay", "debrief"):
        assert getattr(every, part)


def test_the_default_questions() -> None:
    """Three scales from 1 to 5 and a preference that may be a tie."""
    study = read(study_template())
    assert ["empathy", "relevance", "fluency", "overall"] == [question.name for question in study.questions]
    assert ("rating", "pair") == study.kinds


def test_what_is_given_is_set() -> None:
    """Systems by name or in a list, questions, counts, and any other key."""
    question = {"kind": "text", "name": "why", "prompt": "Why?"}
    text = study_template(
        id="demo",
        title="T",
        systems=("a.jsonl", "b.csv"),
        corpus="c.jsonl",
        questions=[question],
        ratings_per_item=2,
        keys_set={"database": "demo.db", "seed": 5},
    )
    study = read(text)
    assert ("demo", "T", ("a.jsonl", "b.csv"), "c.jsonl") == (
        study.id,
        study.title,
        study.systems,
        study.corpus,
    )
    assert (2, "demo.db", 5) == (study.ratings_per_item, study.database, study.seed)
    assert ["why"] == [one.name for one in study.questions]
    with pytest.raises(InputError, match="no key 'sed'"):
        study_template(keys_set={"sed": 1})


@pytest.mark.parametrize("name", protocols.names())
@PLATFORMS
def test_every_protocol_can_be_begun_from(name: str, platform: Any, tmp_path: Any) -> None:
    """What it gives is taken over, and what is set beside it fits its questions."""
    if protocols.load(name).human is None:
        with pytest.raises(InputError, match="no human part"):
            study_template(extends=name)
        return
    path = tmp_path / "study.yaml"
    path.write_text(study_template(extends=name, platform=platform, n_items=5), encoding="utf-8")
    study, faults = check_study(path)
    assert [] == faults
    assert study is not None
    assert 5 == study.sampling.n


def test_an_unknown_protocol_suggests_the_nearest() -> None:
    """As everywhere."""
    with pytest.raises(UnknownName, match="did you mean 'mime'"):
        study_template(extends="mimi")
