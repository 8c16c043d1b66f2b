"""chrF against sacreBLEU."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics import METRICS
from empeval.metrics.chrf import Chrf
from empeval.statistics.segments import SegmentStats

untimed = settings(deadline=None)  # libraries load on first use
TEXTS = st.one_of(
    st.text(alphabet=st.sampled_from("aab .\u00a0😊"), max_size=12),
    st.lists(st.sampled_from(["oh", "no", "that's", "great", "!", "sorry"]), max_size=6).map(" ".join),
)


def stats_of(hypotheses: list[str], references: list[list[str]]) -> SegmentStats:
    """Rows of our chrF."""
    return Chrf().segment_stats(Corpus.build(references=references), SystemOutputs.build("a", hypotheses))


def ours(hypotheses: list[str], references: list[list[str]]) -> float:
    """Our corpus chrF."""
    return float(Chrf().aggregate(stats_of(hypotheses, references).totals()))


def sacrebleu(hypotheses: list[str], references: list[list[str]]) -> float:
    """sacreBLEU's corpus chrF; its reference streams are padded with None where a segment has fewer."""
    most = max(map(len, references))
    streams = [[refs[k] if k < len(refs) else None for refs in references] for k in range(most)]
    # the public method would refuse a stream that begins with None
    chrf = CHRF()
    return float(chrf._aggregate_and_compute(chrf._extract_corpus_statistics(hypotheses, streams)).score)


@given(st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=8))
@untimed
def test_equal_to_sacrebleu(segments: list[tuple[str, list[str]]]) -> None:
    """Empty texts, texts shorter than six characters, and any numbers of references."""
    hypotheses, references = [h for h, _ in segments], [r for _, r in segments]
    assert pytest.approx(sacrebleu(hypotheses, references), abs=1e-9) == ours(hypotheses, references)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6))
@untimed
def test_rows_aggregate_one_by_one_and_together(segments: list[tuple[str, str]]) -> None:
    """Many totals at once give what each gives alone: sacreBLEU's sentence scores."""
    rows = stats_of([h for h, _ in segments], [[r] for _, r in segments]).values
    expected = [CHRF().sentence_score(h, [r]).score for h, r in segments]
    assert pytest.approx(expected, abs=1e-9) == Chrf().aggregate(rows).tolist()
    assert Chrf().aggregate(rows).tolist() == [float(Chrf().aggregate(row)) for row in rows]


def test_identity_empty_and_nothing_in_common() -> None:
    """100 for the reference itself, 0 for silence, for nothing in common, and for an empty reference."""
    assert 100.0 == ours(["oh no !"], [["oh no !"]])
    assert [0.0, 0.0, 0.0, 0.0] == [
        ours([h], [[r]]) for h, r in (("", "oh"), ("oh", "xy"), ("oh", ""), ("", ""))
    ]


def test_the_best_reference_counts() -> None:
    """Of several references the one with the best segment score gives the statistics."""
    assert 100.0 == ours(["oh no !"], [["great", "oh no !", "that is sad"]])


def test_an_emptied_response_may_raise_it() -> None:
    """Why chrF makes no promise there: without a response far worse than the rest, precision rises."""
    references = [["that is great !"], ["oh"]]
    assert not Chrf.text_quality
    assert sacrebleu(["that is great !", "i do not know what"], references) < sacrebleu(
        ["that is great !", ""], references
    )


def test_signature_states_the_constants() -> None:
    """The signature holds what sacreBLEU's does, since another constant is another number."""
    expected = {"case": "mixed", "eff": "yes", "nc": "6", "nw": "0", "space": "no", "beta": "2"}
    assert expected == METRICS.create("chrf").signature_fields()


def test_shards_and_order() -> None:
    """Rows are integers per segment, so shards and order cannot change the score."""
    hypotheses, references = ["oh no", "", "great !"], [["oh no !"], ["sad"], ["that is great", "wow"]]
    whole = stats_of(hypotheses, references)
    shards = [stats_of([h], [r]) for h, r in zip(hypotheses, references, strict=True)]
    assert whole.values.tolist() == shards[0].concat(shards[1:]).values.tolist()
    assert ours(hypotheses, references) == ours(hypotheses[::-1], references[::-1])
    assert np.issubdtype(whole.values.dtype, np.integer)


def test_published_outputs(shared: Path) -> None:
    """EmpDG's published Transformer outputs, with the value from sacreBLEU 2.6."""
    golden = json.loads((shared / "golden/automatic.json").read_text(encoding="utf-8"))
    lines = (shared / "data/outputs/empdg/Transformer.txt").read_text(encoding="utf-8").split("\n")
    hypotheses = [line.removeprefix("Pred:").strip() for line in lines if line.startswith("Pred:")]
    references = [[line.removeprefix("Ref:").strip()] for line in lines if line.startswith("Ref:")]
    expected = golden["files"]["empdg/Transformer"]["streams"]["Pred"]["clean"]["sacrebleu_chrf"]
    assert pytest.approx(expected, abs=1e-9) == ours(hypotheses, references)
