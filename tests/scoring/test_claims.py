"""Numbers that a log states about itself, beside what its own text gives."""

from __future__ import annotations

import math

import pytest

from empeval.corpus import Corpus, SystemOutputs
from empeval.records import Claim
from empeval.scoring.claims import check_claims


def checked(*claims: Claim, hypotheses=("a b c", "d e"), **columns) -> list[tuple[str, float | None]]:
    """Status and recomputed value of each claim of a system."""
    corpus = Corpus.build(references=["a b c", "x"], emotions=["sad", "proud"])
    built = SystemOutputs.build("s", list(hypotheses), **columns)
    outputs = SystemOutputs(
        built.system, built.ids, built.hypotheses, built.predicted_emotions, claims=claims, source="s.txt"
    )
    return [(check.status, check.recomputed) for check in check_claims(corpus, outputs)]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("66.67", "confirmed"),
        ("66.7", "confirmed"),
        ("67", "confirmed"),
        ("66.666667", "confirmed"),
        ("6.667e1", "confirmed"),
        ("6.7E+1", "confirmed"),
        ("66.66", "differs"),
        ("66.6", "differs"),
        ("66", "differs"),
        ("6.666e1", "differs"),
    ],
)
def test_a_claim_is_compared_at_its_printed_decimals(text, status) -> None:
    """Emotion accuracy of two in three, 66.666…: what rounds to the text confirms it, nothing else."""
    corpus = Corpus.build(references=["a", "b", "c"], emotions=["sad", "proud", "sad"])
    outputs = SystemOutputs(
        "s",
        corpus.ids,
        ("", "", ""),
        predicted_emotions=(("sad",), ("proud",), ("proud",)),
        claims=(Claim("Accuracy", float(text), text, "emotion_accuracy"),),
    )
    (check,) = check_claims(corpus, outputs)
    assert 200 / 3 == pytest.approx(check.recomputed)
    assert status == check.status


def test_a_claim_on_another_scale() -> None:
    """An accuracy of 0.50 is 50 % over 100."""
    claim = Claim("Accuracy", 0.5, "0.50", "emotion_accuracy", divisor=100)
    assert [("confirmed", 0.5)] == checked(claim, predicted_emotions=["sad", "joyful"])


def test_what_lies_half_way_may_have_been_rounded_either_way() -> None:
    """A mean length of 2.5 confirms both 2 and 3."""
    for text in ("2", "3", "2.5"):
        assert [("confirmed", 2.5)] == checked(Claim("Length", float(text), text, "length"))


def test_what_the_data_lack_cannot_be_checked() -> None:
    """A missing column, an undefined value, or a claim that no text can give."""
    accuracy = Claim("Accuracy", 0.5, "0.50", "emotion_accuracy", divisor=100)
    assert [("not_checkable", None)] == checked(accuracy)
    assert [("not_checkable", None)] == checked(Claim("Dist", 1.0, "1.0", "distinct"), hypotheses=("", ""))
    assert [("not_checkable", None)] == checked(Claim("Human", 3.2, "3.2"))


@pytest.mark.parametrize(
    ("loss", "perplexity", "status"),
    [
        ("3.6253", "37.5363", "consistent"),  # exp(3.6253) = 37.5360
        ("3.6253", "37.54", "consistent"),
        ("3.63", "37.5363", "consistent"),
        ("3.6253", "37.6", "differs"),
        ("3.6253", "36.5363", "differs"),
        ("1000.0", "1.0", "differs"),
    ],
)
def test_a_loss_and_a_perplexity_that_belong_together(loss, perplexity, status) -> None:
    """exp(loss), as far as the decimals fix it, reaches the perplexity; each is judged by the other."""
    claims = (
        Claim("Loss", float(loss), loss, log_of="PPL"),
        Claim("PPL", float(perplexity), perplexity),
    )
    assert [(status, None)] * 2 == checked(*claims)
    assert [(status, None)] * 2 == checked(*claims[::-1])


def test_a_loss_alone() -> None:
    """There is nothing to compare it with."""
    assert [("not_checkable", None)] == checked(Claim("Loss", 3.6, "3.6", log_of="PPL"))


def test_a_check_says_what_it_is_about() -> None:
    """System, file, name and the text as it was printed."""
    corpus = Corpus.build(references=["a b c"])
    outputs = SystemOutputs(
        "s", corpus.ids, ("a b c",), claims=(Claim("L", 3.0, "3.00", "length"),), source="log.txt"
    )
    (check,) = check_claims(corpus, outputs)
    assert ("s", "log.txt", "L", 3.0, "3.00", "length", 3.0, "confirmed") == (
        *(check.system, check.source, check.name, check.claimed, check.text),
        *(check.metric, check.recomputed, check.status),
    )
    assert not math.isnan(check.claimed)
