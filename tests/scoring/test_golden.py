"""Published outputs: the values that the original repositories' own code, sacreBLEU and NLTK gave."""

from __future__ import annotations

import json

import pytest

from empeval.cohort import join
from empeval.readers import read
from empeval.scoring import score

#: text form: (key of the golden values, tolerance). NLTK counts one n-gram for a response that is too short
#: to have any; fairseq compares hashes of n-grams, some of which collide.
FORMS = {
    "bleu": ("sacrebleu_13a", 1e-9),
    "bleu(lowercase=True)": ("sacrebleu_13a_lc", 1e-9),
    "bleu(tokenize=none)": ("sacrebleu_none", 1e-9),
    "bleu(tokenize=none,smooth=floor)": ("sacrebleu_none_floor", 1e-9),
    "bleu(order=1,tokenize=none)": ("nltk_corpus_bleu1", 2e-3),
    "bleu(order=2,tokenize=none)": ("nltk_corpus_bleu2", 2e-3),
    "bleu(order=3,tokenize=none)": ("nltk_corpus_bleu3", 2e-3),
    "avg_bleu(tokenize=whitespace)": ("nltk_avg_bleu1to4", 2e-3),
    "avg_bleu(tokenize=ed)": ("ed_fairseq/avg_bleu", 6e-3),
    "bleu(order=1,tokenize=ed)": ("ed_fairseq/bleu1", 6e-3),
    "bleu(tokenize=ed)": ("ed_fairseq/bleu4", 6e-3),
    "bleu(smooth=none,tokenize=none)": ("empdg_mi_bleu", 1e-9),
    "ngram_precision(tokenize=none)": ("empdg_mi_bleu1", 1e-9),
    "ngram_precision(n=2,tokenize=none)": ("empdg_mi_bleu2", 1e-9),
    "ngram_precision(n=3,tokenize=none)": ("empdg_mi_bleu3", 1e-9),
    "ngram_precision(n=4,tokenize=none)": ("empdg_mi_bleu4", 1e-9),
    "bleu(average=segment,smooth=none,tokenize=none)": ("empdg_ma_bleu", 1e-9),
    "ngram_precision(n=1,average=segment,tokenize=none)": ("empdg_ma_bleu1", 1e-9),
    "ngram_precision(n=2,average=segment,tokenize=none)": ("empdg_ma_bleu2", 1e-9),
    "ngram_precision(n=3,average=segment,tokenize=none)": ("empdg_ma_bleu3", 1e-9),
    "ngram_precision(n=4,average=segment,tokenize=none)": ("empdg_ma_bleu4", 1e-9),
    "bleu(order=1,smooth=none,tokenize=none)": ("kemp_bleu1", 1e-9),
    "bleu(order=2,smooth=none,tokenize=none)": ("kemp_bleu2", 1e-9),
    "bleu(smooth=none,tokenize=whitespace)": ("kemp_bleu4", 1e-9),
    "distinct(n=1)": ("dist1_micro_split", 1e-9),
    "distinct(n=2)": ("dist2_micro_split", 1e-9),
    "distinct(n=3)": ("dist3_micro_split", 1e-9),
    "distinct(n=1,key=concat)": ("empdg_mi_dist1", 1e-9),
    "distinct(n=2,key=concat)": ("empdg_mi_dist2", 1e-9),
    "distinct(n=1,average=macro)": ("dist1_macro_split_tuple", 1e-9),
    "distinct(n=2,average=macro)": ("dist2_macro_split_tuple", 1e-9),
    "distinct(n=1,average=macro,key=concat)": ("empdg_ma_dist1", 1e-9),
    "distinct(n=2,average=macro,key=concat)": ("empdg_ma_dist2", 1e-9),
    "distinct(n=1,tokenize=nltk)": ("cem_dist1", 1e-9),
    "distinct(n=2,tokenize=nltk)": ("cem_dist2", 1e-9),
    "distinct(n=1,adjust=ead,vocabulary=30522)": ("ead1_V30522", 1e-9),
    "distinct(n=2,adjust=ead,vocabulary=30522)": ("ead2_V30522", 1e-9),
    "length": ("avg_len_split", 1e-9),
    "length(tokenize=nltk)": ("avg_len_word_tokenize", 1e-9),
}
FILES = {
    "mime/output": "mime/output.txt",
    "empdg/Transformer": "empdg/Transformer.txt",
    "empdg/EmoPrepend": "empdg/EmoPrepend.txt",
    "empdg/EmpDG": "empdg/EmpDG.txt",
}


def golden_value(values, key):
    """A value by its key, or by the keys of nested tables."""
    for part in key.split("/"):
        values = values[part]
    return values


@pytest.mark.parametrize(("parser", "kind"), [("standard", "clean"), ("authors", "strip_bug")])
@pytest.mark.parametrize("file", FILES)
def test_published_outputs(shared, file, parser, kind) -> None:
    """The text as it stands, and as the authors' scripts cut it."""
    golden = json.loads((shared / "golden/automatic.json").read_text(encoding="utf-8"))["files"][file]
    cohort = join(read([shared / "data/outputs" / FILES[file]], parser=parser))
    # the damage changes few texts, so a few metrics suffice to see it
    forms = FORMS if kind == "clean" else ["bleu(tokenize=none)", "distinct(n=1)", "distinct(n=2)", "length"]
    scores = score(cohort, metrics=list(forms), n_resamples=0)
    assert golden["n"] == scores.corpus["n_segments"]
    wrong = {}
    for system in scores.systems:
        values = golden["streams"][system.rpartition(":")[2] if ":" in system else "Pred"][kind]
        for form in forms:
            key, tolerance = FORMS[form]
            expected, found = golden_value(values, key), scores.value(system, form)
            if abs(found - expected) > tolerance:
                wrong[system, form] = (found, expected)
        assert {values["empty_responses"]} == {s.n_empty for s in scores.scores if s.system == system}
    assert {} == wrong


def test_published_outputs_have_intervals_that_hold_them(shared) -> None:
    """Three decodes of one model: intervals, tests and tiers of everything that the log allows."""
    cohort = join(read([shared / "data/outputs/mime/output.txt"]))
    scores = score(cohort, n_resamples=100)
    assert 2542 == scores.corpus["n_dialogues"]
    for entry in scores.scores:
        assert entry.interval.low <= entry.value <= entry.interval.high
    # the systems share their emotion predictions, so nothing tells them apart there
    assert {1.0} == {c.p_value for c in scores.comparisons if c.metric == "emotion_accuracy"}
    assert 3 == len(scores.tiers["distinct(n=1)"])
    assert {"jackknife"} == {s.interval.method for s in scores.scores if s.metric.startswith("distinct")}
