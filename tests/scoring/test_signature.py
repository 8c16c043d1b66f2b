"""What fixes a number, as text."""

from __future__ import annotations

from importlib import metadata

import pytest

from empeval import __version__
from empeval.errors import IncomparableScores
from empeval.metrics import METRICS
from empeval.scoring import Signature


def signature(text: str, **changes) -> Signature:
    """The signature of a metric on some cohort."""
    cohort = {"n_segments": 5255, "rule": "intersection", "fingerprint": "0f", **changes}
    return Signature.of(METRICS.create(text), **cohort)


def test_every_field_and_the_cohort() -> None:
    """Defaults included, the name first."""
    expected = (
        "bleu|tokenize:13a|lowercase:False|order:2|smooth:exp|effective_order:False|average:corpus"
        f"|segments:5255|cohort:intersection|corpus:0f|empeval:{__version__}"
    )
    assert expected == str(signature("bleu(order=2)"))


def test_versions_of_the_libraries_that_decide() -> None:
    """NLTK's tokens may change with NLTK, so its version is part of the number."""
    assert f"|nltk:{metadata.version('nltk')}" in str(signature("distinct(tokenize=nltk)"))
    assert f"|sacrebleu:{metadata.version('sacrebleu')}" in str(signature("bleu(tokenize=char)"))
    assert "nltk" not in str(signature("distinct"))


def test_a_value_cannot_forge_a_part() -> None:
    """The separator is escaped, and so is the sign that escapes it."""
    forged = Signature((("metric", "x"), ("path", "a|corpus:1%7C")))
    assert "x|path:a%7Ccorpus:1%257C" == str(forged)


def test_scores_that_may_share_a_column() -> None:
    """Equal signatures pass; otherwise the first part that differs is named with both values."""
    signature("bleu").require_equal(signature("bleu(order=4)"))
    with pytest.raises(IncomparableScores, match=r"tokenize is '13a' in .* and 'none' in "):
        signature("bleu").require_equal(signature("bleu(tokenize=none,order=2)"))
    with pytest.raises(IncomparableScores, match=r"corpus is '0f' .* 'ff'"):
        signature("bleu").require_equal(signature("bleu", fingerprint="ff"))
    with pytest.raises(IncomparableScores, match=r"metric is 'bleu' .* 'length'"):
        signature("bleu").require_equal(signature("length"))


def test_a_part_of_the_cohort_has_a_signature_of_its_own() -> None:
    """The group and its number of segments are in it."""
    found = signature("length").within("emotion", "sad", 160)
    assert str(found).startswith("length|tokenize:whitespace|emotion:sad|segments:160|cohort:intersection")
    with pytest.raises(IncomparableScores):
        found.require_equal(signature("length"))
