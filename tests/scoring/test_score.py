"""From data to scores: what is computed, on what, and what is said where nothing can be."""

from __future__ import annotations

import dataclasses
import json
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.cohort import Cohort
from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import AlignmentError, InputError, UnknownName
from empeval.metrics.bleu import Bleu
from empeval.metrics.length import Length
from empeval.records import Claim
from empeval.scoring import default_metrics, score
from empeval.testing import sample

EVERYTHING = (
    "bleu,avg_bleu,chrf,rouge,ngram_precision,distinct,distinct(n=2,average=macro),emotion_accuracy,"
    "emotion_f1,intent_accuracy,perplexity,hits,length,unique,generic"
)


def numbers(scores):
    """Every value, interval and p-value, by what it belongs to."""
    found = {(s.system, s.metric): (s.value, s.interval) for s in scores.scores}
    tests = {(frozenset((c.system_a, c.system_b)), c.metric): c.p_value for c in scores.comparisons}
    return found, tests


def test_scores_come_system_by_system_each_in_the_order_asked_for(data) -> None:
    """And repeat the text of the metric as it was written."""
    corpus, systems = data
    found = score(corpus, systems[::-1], "length,bleu(order=4),bleu", n_resamples=0)
    texts = ["length", "bleu(order=4)", "bleu"]
    assert ("poor", "fair", "good") == found.systems
    expected = [(system, text) for system in found.systems for text in texts]
    assert expected == [(s.system, s.metric) for s in found.scores]
    assert found.value("good", "bleu") == found.value("good", "bleu(order=4)")


def test_metrics_may_be_texts_values_or_both(data) -> None:
    """Also several in one text; a metric asked for twice is scored once."""
    corpus, systems = data
    given = [Bleu(order=2), "length", "bleu(order=2)", "distinct(n=2,key=concat),unique"]
    found = score(corpus, systems[0], given, n_resamples=0)
    expected = ["bleu(order=2)", "length", "distinct(n=2,key=concat)", "unique"]
    assert expected == [s.metric for s in found.scores]


@pytest.mark.parametrize("nothing", ["", " , ", [], [""]])
def test_no_metric_at_all(data, nothing) -> None:
    """An empty list is a mistake, not a wish for the defaults."""
    with pytest.raises(InputError, match="no metric is named"):
        score(data[0], data[1], nothing)


def test_default_metrics_follow_the_data(data) -> None:
    """All of them where all columns are there, and only what texts allow where there are texts alone."""
    corpus, systems = data
    expected = [
        *("bleu", "avg_bleu", "distinct(n=1)", "distinct(n=2)", "emotion_accuracy", "intent_accuracy"),
        *("perplexity", "hits(candidates=100)", "length", "unique", "generic"),
    ]
    assert expected == [s.metric for s in score(corpus, systems[0], n_resamples=0).scores]
    bare, texts = Corpus.build(contexts=["hi", "oh"]), SystemOutputs.build("s", ["hello", "no"])
    expected = ["distinct(n=1)", "distinct(n=2)", "length", "unique", "generic"]
    assert expected == [s.metric for s in score(bare, texts, n_resamples=0).scores]


def test_hits_are_a_default_only_where_the_numbers_of_candidates_agree() -> None:
    """hits@k of 2 and of 3 candidates is no number that means anything."""
    corpus = Corpus.build(contexts=["hi", "oh"])
    same, mixed = (
        SystemOutputs.build("s", ["a", "b"], candidate_scores=scores)
        for scores in ([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1]])
    )
    assert "hits(candidates=3)" in default_metrics(corpus, [same])
    assert not any("hits" in str(text) for text in default_metrics(corpus, [mixed]))


def test_a_missing_column_is_a_reason_not_a_zero(data) -> None:
    """The system that has it keeps its score, and the one that has not is in no comparison."""
    corpus, (good, fair, poor) = data
    mute = dataclasses.replace(fair, predicted_emotions=None)
    found = score(corpus, [good, mute, poor], "emotion_accuracy,length", n_resamples=50)
    (lacking,) = [s for s in found.scores if s.value is None]
    assert ("fair", "emotion_accuracy") == (lacking.system, lacking.metric)
    assert "missing_field: there is no predicted_emotion" == lacking.reason
    assert lacking.interval is None
    pairs = {(c.metric, c.system_a, c.system_b) for c in found.comparisons}
    assert ("emotion_accuracy", "good", "poor") in pairs
    assert not {pair for pair in pairs if pair[0] == "emotion_accuracy" and "fair" in pair}
    assert ["good", "poor"] == [system for tier in found.tiers["emotion_accuracy"] for system in tier]


def test_references_that_are_missing_here_and_there() -> None:
    """A metric that needs them says how many are missing; Distinct does not care."""
    corpus = Corpus.build(references=[["oh"], []])
    found = score(corpus, SystemOutputs.build("s", ["oh", "no"]), "bleu,distinct", n_resamples=0)
    assert "missing_field: 1 of 2 segments have no references" == found.scores[0].reason
    assert 100.0 == found.value("s", "distinct")


def test_a_system_that_says_nothing() -> None:
    """It scores 0 where it is compared with references, and is undefined where there is nothing to count."""
    corpus = Corpus.build(references=["oh no", "great", "wow"])
    silent = SystemOutputs.build("silent", ["", " ", "\n"])
    found = score(corpus, silent, "bleu,rouge,chrf,length,distinct,unique,ngram_precision", n_resamples=50)
    assert [0.0, 0.0, 0.0, 0.0, None, None, None] == [s.value for s in found.scores]
    assert ["no_ngrams", "no_responses", "no_ngrams"] == [
        str(s.reason).partition(":")[0] for s in found.scores if s.value is None
    ]
    assert {3} == {s.n_empty for s in found.scores}


def test_one_dialogue_has_values_and_nothing_else() -> None:
    """Nothing says how they would vary."""
    corpus = Corpus.build(references=["oh no", "great"], dialogue_ids=["d", "d"])
    systems = [SystemOutputs.build(name, [text, "great"]) for name, text in (("a", "oh no"), ("b", "hm"))]
    found = score(corpus, systems, "bleu,distinct,length", n_resamples=100)
    assert all(s.value is not None and s.interval is None for s in found.scores)
    for c in found.comparisons:
        assert (None, None, None, None) == (c.interval, c.p_value, c.p_adjusted, c.method)
        assert str(c.reason).startswith("too_few_dialogues: ")
    assert {} == found.tiers


def test_without_resampling_there_are_values_and_differences_only(data) -> None:
    """`n_resamples=0` makes neither intervals nor tests, and says so."""
    corpus, systems = data
    found = score(corpus, systems, "bleu,distinct", n_resamples=0)
    assert all(s.value is not None and s.interval is None for s in found.scores)
    for c in found.comparisons:
        assert c.difference == found.value(c.system_a, c.metric) - found.value(c.system_b, c.metric)
        assert (None, None) == (c.p_value, c.minimum_detectable_difference)
        assert str(c.reason).startswith("no_resampling: ")
    assert {} == found.tiers


def test_identical_systems_have_p_one_and_one_tier(data) -> None:
    """On every metric; sacreBLEU 2.6 calls them different at p = 1 / (B + 1)."""
    corpus, (good, *_) = data
    systems = [dataclasses.replace(good, system=name) for name in ("a", "b", "c")]
    found = score(corpus, systems, EVERYTHING, n_resamples=100)
    assert {(0.0, 1.0, 1.0)} == {(c.difference, c.p_value, c.p_adjusted) for c in found.comparisons}
    assert 14 == len(found.tiers), "all of them but length, which has no direction"
    assert {"a b c"} == {" ".join(*tiers) for tiers in found.tiers.values()}


def test_tiers_put_the_lowest_first_where_lower_is_better() -> None:
    """Perplexity and the share of stock phrases: the best system is the one with the smallest number."""
    n = 60
    corpus = Corpus.build(contexts=["hi"] * n)
    systems = [
        SystemOutputs.build(name, texts, nlls=[nll] * n, n_tokens=[10] * n)
        for name, texts, nll in (
            ("middle", ["i see"] * 30 + [f"text {i}" for i in range(30)], 20.0),
            ("worst", ["i see"] * n, 30.0),
            ("best", [f"text {i}" for i in range(n)], 10.0),
        )
    ]
    found = score(corpus, systems, "perplexity,generic(k=1)", n_resamples=200)
    expected = [["best"], ["middle"], ["worst"]]
    assert {"perplexity": expected, "generic(k=1)": expected} == found.tiers


def test_the_human_row(data) -> None:
    """The first references as one more system: scored on its own texts, never against itself."""
    corpus, systems = data
    found = score(corpus, systems, "bleu,distinct,emotion_accuracy,length", n_resamples=50, human=True)
    assert ("good", "fair", "poor", "human") == found.systems
    first = [len(texts[0].split()) for texts in corpus.references]
    assert np.mean(first) == found.value("human", "length")
    reasons = {s.metric: s.reason for s in found.scores if s.system == "human"}
    assert str(reasons["bleu"]).startswith("is_reference: ")
    assert str(reasons["emotion_accuracy"]).startswith("missing_field: ")
    assert {"distinct", "length"} == {c.metric for c in found.comparisons if c.system_b == "human"}


def test_the_human_row_needs_references_and_its_name() -> None:
    """Both are told in words."""
    corpus, system = Corpus.build(references=[["oh"], []]), SystemOutputs.build("human", ["a", "b"])
    with pytest.raises(InputError, match="at least one reference for every segment"):
        score(corpus, system, "length", human=True)
    with pytest.raises(InputError, match="'human'"):
        score(Corpus.build(references=["oh", "no"]), system, "length", human=True)


def test_by_emotion_is_scoring_each_emotion_alone() -> None:
    """Values, intervals, tests and tiers of a group are those of a corpus that holds nothing else."""
    corpus, systems = sample(60)
    found = score(corpus, systems, EVERYTHING, n_resamples=100, by="emotion").groups
    assert found is not None
    assert ["joyful", "proud", "sad"] == [group.group for group in found.groups]
    assert len(corpus) == sum(group.n_segments for group in found.groups)
    for group in found.groups:
        rows = [i for i, emotion in enumerate(corpus.emotions) if emotion == group.group]
        alone = score(corpus.take(rows), [s.take(rows) for s in systems], EVERYTHING, n_resamples=100)
        assert (len(rows), alone.corpus["n_dialogues"]) == (group.n_segments, group.n_dialogues)
        assert numbers(alone) == numbers(group)
        assert [s.n_empty for s in alone.scores] == [s.n_empty for s in group.scores]
        assert dict(alone.tiers) == dict(group.tiers)
        whole = {s.signature for s in alone.scores}
        assert not whole & {s.signature for s in group.scores}


def test_segments_without_an_emotion_are_in_no_group() -> None:
    """They count for the whole only."""
    corpus = Corpus.build(references=["a", "b", "c"], emotions=["sad", None, "sad"])
    found = score(corpus, SystemOutputs.build("s", ["a", "", ""]), "length", n_resamples=0, by="emotion")
    assert [("sad", 2, 1)] == [(g.group, g.n_segments, g.scores[0].n_empty) for g in found.groups.groups]
    assert 2 == found.scores[0].n_empty


def test_breakdowns_that_cannot_be_made(data) -> None:
    """By anything but emotion, or without emotions."""
    corpus, systems = data
    with pytest.raises(InputError, match="by emotion, not by 'speaker'"):
        score(corpus, systems, "length", by="speaker", n_resamples=0)
    with pytest.raises(InputError, match="needs the field 'emotion'"):
        score(dataclasses.replace(corpus, emotions=None), systems, "length", by="emotion", n_resamples=0)


@settings(max_examples=6)
@given(st.randoms(use_true_random=False), st.integers(0, 5))
def test_no_order_changes_a_bit(random_, seed) -> None:
    """Not of the segments, not of a system's file, not of the systems."""
    corpus, systems = sample(18)
    order = random_.sample(range(len(corpus)), len(corpus))
    file_order = random_.sample(range(len(corpus)), len(corpus))
    shuffled = [s.take(file_order) for s in random_.sample(systems, len(systems))]
    there = score(corpus, systems, EVERYTHING, n_resamples=50, seed=seed)
    back = score(corpus.take(order), shuffled, EVERYTHING, n_resamples=50, seed=seed)
    assert numbers(there) == numbers(back)
    assert there.tiers == back.tiers
    assert there.corpus["fingerprint"] == back.corpus["fingerprint"]


def test_another_seed_is_another_set_of_resamples(data) -> None:
    """Intervals move a little, values not at all."""
    corpus, systems = data
    one, two = (score(corpus, systems[0], "bleu", seed=seed).scores[0] for seed in (0, 1))
    assert one.value == two.value
    assert one.interval != two.interval
    assert abs(one.interval.low - two.interval.low) < (one.interval.high - one.interval.low) / 3


def test_names_are_guessed(data) -> None:
    """A misspelt metric or field names the nearest one and all that there are."""
    corpus, systems = data
    with pytest.raises(UnknownName, match=r"no metric 'blue'; did you mean 'bleu'.* unique"):
        score(corpus, systems, "blue")
    with pytest.raises(UnknownName, match=r"'tokenizer'; did you mean 'tokenize'"):
        score(corpus, systems, "bleu(tokenizer=none)")
    with pytest.raises(InputError, match="13a, none, whitespace"):
        score(corpus, systems, "bleu(tokenize=moses)")


def test_systems_must_be_there_and_have_names_of_their_own(data) -> None:
    """No system, two of one name, and systems beside a cohort that has some."""
    corpus, (good, *_) = data
    with pytest.raises(InputError, match="no system to score"):
        score(corpus, [], "length")
    with pytest.raises(InputError, match="two systems are named 'good'"):
        score(corpus, [good, good], "length")
    cohort = Cohort(corpus, (good,), "strict", {"good": 0}, ())
    assert 1 == len(score(cohort, metrics="length", n_resamples=0).scores)
    with pytest.raises(InputError, match="a cohort brings its systems"):
        score(cohort, [good], "length")


def test_a_gap_names_the_system_and_the_first_segment(data) -> None:
    """Nothing is filled in."""
    corpus, (good, *_) = data
    with pytest.raises(AlignmentError, match=r"'good' has no output for 3 of 43 segments.*'s40'"):
        score(corpus, good.take(range(40)), "length")


def test_transposed_references_are_recognised() -> None:
    """Two lists of three texts for three responses: sacreBLEU's shape, which would be cut to two segments."""
    system = SystemOutputs.build("s", ["a", "b", "c"])
    streams = [["a", "b", "c"], ["x", "y", "z"]]
    with pytest.raises(AlignmentError, match=r"transposed.*give 3 lists of 2"):
        score(Corpus.build(references=streams), system, "bleu")
    with pytest.raises(AlignmentError, match=r"transposed.*give 3 lists of 2"):
        Corpus.build(references=streams, contexts=["1", "2", "3"])
    found = score(Corpus.build(references=list(zip(*streams, strict=True))), system, "bleu(order=1)")
    assert 100.0 == found.value("s", "bleu(order=1)")


def test_bare_lists_of_unequal_length_are_refused() -> None:
    """Both counts are named; outputs with ids of their own may go beyond the corpus, and that is counted."""
    corpus = Corpus.build(references=["a", "b"])
    with pytest.raises(AlignmentError, match="'s' has 3 outputs, but the corpus has 2 segments"):
        score(corpus, SystemOutputs.build("s", ["a", "b", "c"]), "length")
    with pytest.raises(AlignmentError, match="'s' has no output for 1 of 2"):
        score(corpus, SystemOutputs.build("s", ["a"]), "length")
    named = Corpus.build(references=["a", "b"], ids=["x", "y"])
    found = score(named, SystemOutputs.build("s", {"y": "1", "z": "2", "x": "3"}), "length", n_resamples=0)
    assert {"s": 1} == found.cohort["dropped"]


def test_a_notice_is_given_once(data) -> None:
    """However many metrics or systems have the same to say."""
    corpus, systems = data
    found = score(corpus, systems, "distinct(n=1),distinct(n=2)", n_resamples=0)
    assert 1 == [notice.code for notice in found.warnings].count("distinct_depends_on_n")
    assert 3 == [notice.code for notice in found.warnings].count("empty_response")


def test_progress_is_told(data) -> None:
    """Each system under each metric, then the two slow steps."""
    said: list[str] = []
    score(data[0], data[1][:1], "bleu,length", n_resamples=10, progress=said.append)
    assert ["bleu: good", "length: good", "intervals", "paired tests"] == said


def test_claims_are_checked_on_all_records_of_the_file(data) -> None:
    """A claim is about the whole file, whatever the other systems lack."""
    corpus, (good, fair, _) = data
    whole = dataclasses.replace(good, claims=(Claim("Length", 0.0, "0.00", "length"),))
    rows = list(range(10))
    cohort = Cohort(
        corpus.take(rows),
        (whole.take(rows), fair.take(rows)),
        "intersection",
        {},
        (),
        {"good": (corpus, whole)},
    )
    (check,) = score(cohort, metrics="length", n_resamples=0).claims
    assert np.mean([len(text.split()) for text in good.hypotheses]) == check.recomputed
    assert "differs" == check.status


def test_the_document_is_json_without_nan() -> None:
    """With everything that may be undefined in it, and the keys that scripts rely on."""
    corpus, (good, fair, _) = sample(60)
    silent = SystemOutputs.build("silent", dict.fromkeys(corpus.ids, ""))
    found = score(corpus, [good, fair, silent], EVERYTHING, n_resamples=50, by="emotion", human=True)
    text = json.dumps(found.to_dict(), allow_nan=False)
    document = json.loads(text)
    assert {"name", "n_segments", "n_dialogues", "fingerprint"} <= set(document["corpus"])
    assert {"rule", "n_segments", "dropped"} <= set(document["cohort"])
    keys = {
        *("system", "metric", "value", "interval", "n_segments", "n_empty", "reason", "signature"),
        "higher_is_better",
    }
    assert {frozenset(keys)} == {frozenset(entry) for entry in document["scores"]}
    keys = {
        *("metric", "system_a", "system_b", "difference", "interval", "p_value", "p_adjusted", "correction"),
        *("method", "minimum_detectable_difference"),
    }
    assert all(keys <= set(entry) for entry in document["comparisons"])
    assert all((entry["value"] is None) == (entry["reason"] is not None) for entry in document["scores"])
    intervals = [entry["interval"] for entry in document["scores"] if entry["interval"]]
    assert all({"low", "high", "level", "method"} == set(interval) for interval in intervals)
    assert all({"code", "message", "n", "ids"} == set(entry) for entry in document["warnings"])
    assert "NaN" not in text


def test_a_frame_has_one_row_a_score(data) -> None:
    """With the ends of the interval in columns of their own."""
    corpus, systems = data
    found = score(corpus, systems, "bleu,length", n_resamples=20)
    frame = found.to_frame()
    assert 6 == len(frame)
    assert ["system", "metric", "value", "low", "high", "level", "method"] == list(frame.columns[:7])
    assert [s.interval.low for s in found.scores] == frame["low"].tolist()


def test_a_score_that_was_not_asked_for(data) -> None:
    """Looking it up is an error, not None, which means undefined."""
    found = score(data[0], data[1], "length", n_resamples=0)
    assert found.value("good", "length") == found.scores[0].value
    with pytest.raises(LookupError, match="'bleu' for 'good'"):
        found.value("good", "bleu")


def test_rows_that_metrics_share_are_resampled_once_with_the_same_result(data) -> None:
    """BLEU-1 to BLEU-4 and AVG BLEU have one table of counts; alone or together they have one interval."""
    corpus, systems = data
    texts = ["bleu", "bleu(order=2)", "avg_bleu", "bleu(average=segment)"]
    together = numbers(score(corpus, systems, texts, n_resamples=1200))
    for text in texts:
        alone = numbers(score(corpus, systems, [text], n_resamples=1200))
        for part, whole in zip(alone, together, strict=True):
            assert part == {key: value for key, value in whole.items() if key[1] == text}


def test_length_is_a_plain_mean() -> None:
    """The smallest example: 4 words in 2 responses."""
    corpus, system = Corpus.build(references=["a", "b"]), SystemOutputs.build("s", ["one two three", "four"])
    assert 2.0 == score(corpus, system, [Length()]).value("s", "length")


def test_random_systems_are_seldom_told_apart() -> None:
    """Forty pairs of systems that draw the same words: Holm's family-wise error is about 5 %."""
    wrong = 0
    for seed in range(40):
        draw = random.Random(seed)
        texts = [[draw.choice("abcdefgh") for _ in range(60)] for _ in range(4)]
        corpus = Corpus.build(references=[" ".join(draw.choices("abcdefgh", k=3)) for _ in range(60)])
        systems = [SystemOutputs.build(str(i), said) for i, said in enumerate(texts)]
        found = score(corpus, systems, "ngram_precision", n_resamples=100, seed=seed)
        wrong += any(c.p_adjusted < 0.05 for c in found.comparisons)
    assert wrong <= 7


@pytest.mark.parametrize(("n_dialogues", "needed"), [(5, 6), (6, None)])
def test_too_few_dialogues_are_told(n_dialogues, needed) -> None:
    """Five dialogues have 32 swaps, so p is at least 2/32: no difference could be detected."""
    corpus = Corpus.build(references=["oh no what happened"] * n_dialogues)
    systems = [
        SystemOutputs.build("good", ["oh no what happened"] * n_dialogues),
        SystemOutputs.build("poor", [f"{'oh ' * i}well" for i in range(n_dialogues)]),
    ]
    found = score(corpus, systems, "length", level=0.95)
    told = [notice.message for notice in found.warnings if notice.code == "too_few_dialogues"]
    (comparison,) = found.comparisons
    assert comparison.p_value is not None
    assert (needed is not None) == bool(told) == (comparison.minimum_detectable_difference is None)
    assert all(f"{needed} are needed" in message for message in told)
