"""How often a response expresses the emotion of the situation, as a classifier sees it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from empeval.classifiers import Classifier, load
from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics._fields import MAX_IDS, given, missing_field, percentage, same_label
from empeval.metrics._polarity import polarity
from empeval.metrics.base import METRICS, Metric
from empeval.records import Notice
from empeval.statistics.segments import Array, SegmentStats

__all__ = ["ResponseEmotionAccuracy"]

_SHOWN = 5


@METRICS.register("response_emotion_accuracy")
@dataclass(frozen=True)
class ResponseEmotionAccuracy(Metric):
    """Share of responses in which a classifier recognises the gold emotion of the situation.

    100 · hits / segments, in 0–100; with ``match=polarity`` a hit is an emotion of the same polarity, after
    the grouping of the 32 emotions of EmpatheticDialogues by Majumder et al. (2020). ``classifier`` is a
    folder that `empeval train-emotion` wrote, or one of transformers with a head for sequence classification;
    its most probable label counts. Labels are compared without regard to case. A response that is empty, or
    has no token for the classifier, is no hit, and is counted. Undefined where a segment lacks its gold
    emotion, where the classifier can answer none of the gold emotions, and for ``match=polarity`` where a
    label is none of the 32. Beside the score stand, as a notice, what always answering the commonest emotion
    and what the human references reach, and how often the classifier is right.
    """

    name: ClassVar[str] = "response_emotion_accuracy"
    higher_is_better: ClassVar[bool | None] = True
    needs: ClassVar[tuple[str, ...]] = ("emotions",)
    text_quality: ClassVar[bool] = True
    paths: ClassVar[tuple[str, ...]] = ("classifier",)

    classifier: str
    match: Literal["emotion", "polarity"] = "emotion"

    def signature_fields(self) -> dict[str, str]:
        return {**super().signature_fields(), "classifier": load(self.classifier).fingerprint}

    def versions(self) -> dict[str, str]:
        return load(self.classifier).versions()

    def problem(self, corpus: Corpus, outputs: SystemOutputs) -> str | None:
        emotions = given(corpus.emotions)
        gap = missing_field(emotions, corpus.ids, "emotion")
        if gap:
            return gap
        labels = load(self.classifier).labels
        if self.match == "polarity":
            return _without_polarity(emotions, "gold emotion") or _without_polarity(
                labels, "label of the classifier"
            )
        gold = sorted(set(map(same_label, map(given, emotions))))
        if not set(gold) & set(map(same_label, labels)):
            return (
                f"foreign_labels: the classifier can answer none of the gold emotions ({_listed(gold)}); "
                f"its labels are {_listed(labels)}"
            )
        return None

    def prepare(self, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
        texts = [text for outputs in systems for text in outputs.hypotheses]
        if systems:
            self._recognised(corpus, [*texts, *_human(corpus).values()])

    def segment_stats(self, corpus: Corpus, outputs: SystemOutputs) -> SegmentStats:
        found = self._recognised(corpus, outputs.hypotheses)
        gold = [self._class(given(label)) for label in given(corpus.emotions)]
        hits = [one == found[text] for one, text in zip(gold, outputs.hypotheses, strict=True)]
        return SegmentStats(np.stack([hits, np.ones(len(hits))], axis=1).astype(np.int32), ("hits", "n"))

    def aggregate(self, totals: Array) -> Array:
        return percentage(totals)

    def notices(self, corpus: Corpus, outputs: SystemOutputs) -> list[Notice]:
        classifier = load(self.classifier)
        found = self._recognised(corpus, outputs.hypotheses)
        long = _memo(corpus, classifier).cut
        whose, spec = f"responses of {outputs.system!r}", self.spec
        silent = [i for i, text in enumerate(outputs.hypotheses) if found[text] is None]
        cut = [i for i, text in enumerate(outputs.hypotheses) if text in long]
        made = [
            _about(
                corpus, "response_emotion_empty", silent, f"{whose} are empty: they count as no match", spec
            ),
            _about(
                corpus, "response_emotion_cut", cut, f"{whose} are cut at the limit of the classifier", spec
            ),
            self._unanswerable(corpus, classifier),
            self._ceilings(corpus, classifier),
        ]
        return [notice for notice in made if notice is not None]

    def _class(self, label: str) -> str | None:
        return same_label(label) if self.match == "emotion" else polarity(label)

    def _recognised(self, corpus: Corpus, texts: Sequence[str]) -> dict[str, str | None]:
        """What the classifier answers for each text, None for one without a token; each is read once."""
        classifier = load(self.classifier)
        memo = _memo(corpus, classifier)
        fresh = [text for text in dict.fromkeys(texts) if text.strip() and text not in memo.best]
        if fresh:
            scores = classifier.scores(fresh)
            known = [not np.isnan(row[0]) for row in scores]
            best = np.nan_to_num(scores, nan=-1.0).argmax(axis=1).tolist()
            for text, number, read in zip(fresh, best, known, strict=True):
                memo.best[text] = number if read else None
            memo.cut.update(text for text, cut in zip(fresh, classifier.cut(fresh), strict=True) if cut)
        classes = [self._class(label) for label in classifier.labels]
        return {text: None if (at := memo.best.get(text)) is None else classes[at] for text in texts}

    def _unanswerable(self, corpus: Corpus, classifier: Classifier) -> Notice | None:
        """The segments whose gold emotion the classifier does not know, so that no response can match."""
        known = set(map(self._class, classifier.labels))
        gold = [self._class(given(label)) for label in given(corpus.emotions)]
        rows = [i for i, label in enumerate(gold) if label not in known]
        labels = _listed(sorted({str(gold[i]) for i in rows}))
        what = f"segments have a gold emotion that the classifier cannot answer ({labels})"
        return _about(corpus, "response_emotion_unknown", rows, f"{what}: they count as no match", self.spec)

    def _ceilings(self, corpus: Corpus, classifier: Classifier) -> Notice:
        """What the number should be seen against; the same for every system."""
        gold = [self._class(given(label)) for label in given(corpus.emotions)]
        counts = Counter(map(str, gold))
        common = min(counts, key=lambda label: (-counts[label], label))
        told = [f"always answering {common!r} would reach {100 * counts[common] / len(gold):.2f}"]
        human = _human(corpus)
        if human:
            found = self._recognised(corpus, list(human.values()))
            hits = sum(gold[i] == found[text] for i, text in human.items())
            some = f" (on the {len(human)} segments that have one)" if len(human) < len(gold) else ""
            told.append(f"the human references reach {100 * hits / len(human):.2f}{some}")
        if classifier.held_out is not None:
            report = classifier.held_out
            told.append(
                f"the classifier itself names the emotion of {report.accuracy:.2f} % of its "
                f"{report.n_held_out:,} held-out texts"
            )
        return Notice("response_emotion_ceilings", f"{self.spec}: {'; '.join(told)}", len(corpus))


class _Memo:
    """What a classifier said of the texts on a corpus: the number of the best label, and which it cut."""

    def __init__(self) -> None:
        self.best: dict[str, int | None] = {}
        self.cut: set[str] = set()


def _memo(corpus: Corpus, classifier: Classifier) -> _Memo:
    return corpus.derived(("emotions recognised", classifier.fingerprint), _Memo)


def _human(corpus: Corpus) -> dict[int, str]:
    """The first reference of each segment that has one, by row."""
    return {i: texts[0] for i, texts in enumerate(corpus.references or ()) if texts}


def _without_polarity(labels: Sequence[str | None], what: str) -> str | None:
    odd = [label for label in map(given, labels) if polarity(label) is None]
    if not odd:
        return None
    names = _listed(sorted(set(map(same_label, odd))))
    return (
        f"no_polarity: the polarity of the {what} {names} is not known; it is stated for the 32 emotions of "
        "EmpatheticDialogues"
    )


def _about(corpus: Corpus, code: str, rows: Sequence[int], what: str, spec: str) -> Notice | None:
    if not rows:
        return None
    ids = tuple(corpus.ids[i] for i in rows[:MAX_IDS])
    return Notice(code, f"{spec}: {len(rows)} of {len(corpus)} {what}", len(rows), ids)


def _listed(labels: Sequence[str]) -> str:
    """Some of the labels, and that there are more."""
    shown = ", ".join(map(repr, labels[:_SHOWN]))
    return shown if len(labels) <= _SHOWN else f"{shown} and {len(labels) - _SHOWN} more"
