"""Variants of one metric side by side: values, ranks, and how far they agree."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from empeval import example, join, read, read_corpus
from empeval.cohort import Cohort
from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import UnknownName
from empeval.metrics.base import parse_metrics
from empeval.protocols import load, names
from empeval.report.explain import FAMILIES, explain, kendall_tau_b, rank
from empeval.report.explanation_text import explanation_csv, explanation_grids
from empeval.scoring import score

SCORES = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=8)


def cohort(**systems: list[str]) -> Cohort:
    """Two segments with these answers."""
    corpus = Corpus.build(references=["so sorry to hear that .", "well done my friend !"])
    outputs = tuple(SystemOutputs.build(name, texts) for name, texts in systems.items())
    return Cohort(corpus, outputs, "intersection", dict.fromkeys(systems, 0), ())


@pytest.fixture(scope="module")
def bundled() -> Cohort:
    """The example that comes with the toolkit."""
    return join(read(example.system_files()), corpus=read_corpus(example.corpus_file()))


@pytest.mark.parametrize("family", FAMILIES)
def test_values_are_those_of_score(family: str, bundled: Cohort) -> None:
    """Every variant and system as `score` gives it, with the reason where there is none."""
    found = explain(family, bundled)
    texts = [variant.metric for variant in found.variants]
    scores = score(bundled, metrics=texts, n_resamples=0)
    assert list(FAMILIES[family]) == texts
    for variant in found.variants:
        assert {s: scores.value(s, variant.metric) for s in scores.systems} == variant.values
        assert set(variant.reasons) == {s for s, value in variant.values.items() if value is None}


def test_another_variant_another_winner() -> None:
    """Long and varied against short and repeated: types over tokens, and shares of each response."""
    systems = {
        "long": ["i am so sorry to hear that i am so sorry", "well that is so good i am so glad"],
        "short": ["oh no", "oh no"],
    }
    found = {variant.metric: variant for variant in explain("distinct", cohort(**systems)).variants}
    # long has 11 types of 20 tokens, short 2 of 4
    assert (55.0, 50.0) == tuple(found["distinct(n=1)"].values.values())
    assert (("long",), False) == (found["distinct(n=1)"].best, found["distinct(n=1)"].best_changes)
    # the mean over responses is (7/11 + 8/9) / 2 for long, 1 for short
    macro = found["distinct(n=1,average=macro)"]
    assert (pytest.approx(100 * (7 / 11 + 8 / 9) / 2), 100.0) == tuple(macro.values.values())
    assert (("short",), True) == (macro.best, macro.best_changes)
    assert {"long": 2.0, "short": 1.0} == macro.ranks


def test_who_used_which(bundled: Cohort) -> None:
    """EmpDG's joined keys, CEM's tokens, and what only the toolkit prefers."""
    used = {variant.metric: variant.used_by for variant in explain("distinct", bundled).variants}
    assert {"empdg", "kemp", "seek"} == set(used["distinct(n=2,key=concat)"])
    assert {"cem", "iamm"} == set(used["distinct(n=2,tokenize=nltk)"])
    assert () == used["distinct(n=2,adjust=ead,vocabulary=30522)"]


@pytest.mark.parametrize("name", names())
def test_no_paper_s_own_variant_is_missing(name: str) -> None:
    """What a protocol computes of these families is one of their variants."""
    listed = {parse_metrics(text)[0].spec for texts in FAMILIES.values() for text in texts}
    kinds = {text.partition("(")[0] for texts in FAMILIES.values() for text in texts}
    used = [parse_metrics(column.as_coded)[0].spec for column in load(name).metrics if column.as_coded]
    assert set() == {text for text in used if text.partition("(")[0] in kinds} - listed


@pytest.mark.parametrize(
    ("asked", "family", "first"),
    [
        ("bleu", "bleu", "bleu"),
        ("avg_bleu", "bleu", "avg_bleu"),
        ("bleu(tokenize=nltk)", "bleu", "bleu(tokenize=nltk)"),
        ("bleu(tokenize=char)", "bleu", "bleu(tokenize=char)"),
        ("distinct", "distinct", "distinct(n=1)"),
        ("distinct(n=3)", "distinct", "distinct(n=3)"),
        ("emotion_f1", "accuracy", "emotion_f1"),
    ],
)
def test_the_variant_asked_for_leads(asked: str, family: str, first: str, bundled: Cohort) -> None:
    """Others are compared with it; one that is not common joins the list."""
    found = explain(asked, bundled)
    assert (family, first) == (found.metric, found.variants[0].metric)
    assert set(FAMILIES[family]) <= {variant.metric for variant in found.variants}
    assert len(found.variants) == len({variant.metric for variant in found.variants})


@pytest.mark.parametrize("name", ["blue", "length", "rouge", ""])
def test_other_metrics_have_no_common_variants(name: str, bundled: Cohort) -> None:
    """The message lists those that have."""
    with pytest.raises(UnknownName, match=r"with common variants named .* Known: .*bleu.*distinct"):
        explain(name, bundled)


def test_undefined_variants_have_neither_rank_nor_tau() -> None:
    """No emotions here at all."""
    found = explain("accuracy", cohort(a=["oh no", "wow"], b=["oh", "no"]))
    for variant in found.variants:
        assert ({"a": None, "b": None}, (), False) == (variant.ranks, variant.best, variant.best_changes)
        assert {"a", "b"} == set(variant.reasons)
    assert {(None, 0, "too_few_systems")} == {(a.tau, a.n, a.status) for a in found.agreement}


def test_equal_systems_leave_tau_undefined() -> None:
    """Without any variation there is no ranking to agree with."""
    found = explain("distinct", cohort(a=["oh no", "wow"], b=["oh no", "wow"]))
    assert {(None, 2, "no_variation")} == {(a.tau, a.n, a.status) for a in found.agreement}
    assert {("a", "b")} == {variant.best for variant in found.variants}
    assert {1.5} == {r for variant in found.variants for r in variant.ranks.values()}


def test_tau_stands_between_every_two_variants(bundled: Cohort) -> None:
    """It is Kendall's tau-b of the values, as SciPy computes it."""
    found = explain("bleu", bundled)
    values = {variant.metric: list(variant.values.values()) for variant in found.variants}
    n = len(found.variants)
    assert n * (n - 1) // 2 == len(found.agreement)
    for pair in found.agreement:
        expected = stats.kendalltau(values[pair.variant_a], values[pair.variant_b]).statistic
        assert expected == pytest.approx(pair.tau)


@given(SCORES, st.data())
def test_tau_is_scipy_s(x: list[float], data: st.DataObject) -> None:
    """With ties, and undefined exactly where SciPy has no number."""
    y = data.draw(st.lists(st.integers(0, 5).map(float), min_size=len(x), max_size=len(x)))
    found = kendall_tau_b(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert found is None
    else:
        assert stats.kendalltau(x, y).statistic == pytest.approx(found)


@given(SCORES, st.booleans())
def test_ranks_are_scipy_s(scores: list[float], higher: bool) -> None:
    """Mean ranks for ties; the order is reversed where less is better."""
    values = {str(i): value for i, value in enumerate(scores)}
    expected = stats.rankdata([-s if higher else s for s in scores])
    assert list(expected) == list(rank(values, higher_is_better=higher).values())


class TestTexts:
    """What is printed."""

    def test_the_grid(self) -> None:
        """Values with ranks, an arrow where another system comes first, and who used it."""
        found = explain("distinct", cohort(long=["a b c a", "d e f d"], short=["oh no", "oh no"]))
        values, agreement = explanation_grids(found)
        rows = {row[0]: row[1:] for row in values.rows}
        assert "distinct on 2 segments" == values.caption
        assert ("75.00 (1)", "50.00 (2)", "long", "empdg, kemp, mime, seek") == rows["distinct(n=1)"]
        assert "short ←" == rows["distinct(n=1,average=macro)"][2]
        assert len(agreement.header) == len(agreement.rows) + 1

    def test_why_something_is_missing(self) -> None:
        """One line for all variants and systems that lack the same."""
        values, *others = explanation_grids(explain("accuracy", cohort(a=["oh", "no"], b=["ah", "so"])))
        assert [] == others
        assert "emotion_f1(average=weighted) of a, b: missing_field: there is no emotion." in values.notes[1]
        assert any(note.startswith("intent_accuracy of a, b: missing_field") for note in values.notes)

    def test_segments_that_are_left_out(self) -> None:
        """Counted for each system."""
        smaller = cohort(a=["oh", "no"], b=["ah", "so"])
        smaller.dropped["a"] = 7
        assert (
            "a: 7 of its segments are left out, others lack them."
            in explanation_grids(explain("distinct", smaller))[0].notes
        )

    def test_one_system_has_no_ranking(self) -> None:
        """A table of values is left."""
        assert 1 == len(explanation_grids(explain("bleu", cohort(a=["oh", "no"]))))

    def test_csv_and_json_hold_everything(self, bundled: Cohort) -> None:
        """A row for each variant and system; JSON with the agreement too."""
        found = explain("bleu", bundled)
        rows = list(csv.DictReader(io.StringIO(explanation_csv(found))))
        assert len(found.variants) * len(found.systems) == len(rows)
        assert all(float(row["value"]) == found.variants[0].values[row["system"]] for row in rows[:4])
        assert {"true", "false"} == {row["best"] for row in rows}
        document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        keys = ["metric", "systems", "n_segments", "dropped", "variants", "agreement"]
        assert keys == list(document)
        assert 101 == document["n_segments"]
