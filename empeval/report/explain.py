"""Every common variant of a metric on the same outputs: what the choice of a variant changes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from empeval.cohort import Cohort
from empeval.errors import UnknownName
from empeval.metrics.base import METRICS, Metric, parse_metrics
from empeval.scoring import score

__all__ = ["FAMILIES", "Agreement", "Explanation", "Variant", "explain"]

#: What is called by one name in papers, the toolkit's own choice first.
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "bleu": (
        "bleu",
        "bleu(tokenize=none)",
        "bleu(tokenize=none,smooth=none)",
        "bleu(tokenize=none,lowercase=True,smooth=none)",
        "bleu(tokenize=nltk)",
        "bleu(order=1)",
        "bleu(order=1,tokenize=none,smooth=none)",
        "bleu(order=2)",
        "bleu(order=2,tokenize=none,smooth=none)",
        "bleu(order=3)",
        "avg_bleu",
        "avg_bleu(tokenize=whitespace)",
        "avg_bleu(tokenize=ed)",
        "bleu(effective_order=True,average=segment)",
        "bleu(tokenize=none,smooth=none,average=segment)",
        "ngram_precision(tokenize=none,average=segment)",
        "ngram_precision(n=2,tokenize=none,average=segment)",
        "ngram_precision(n=3,tokenize=none,average=segment)",
        "ngram_precision(n=4,tokenize=none,average=segment)",
    ),
    "distinct": (
        "distinct(n=1)",
        "distinct(n=1,tokenize=nltk)",
        "distinct(n=1,average=macro)",
        "distinct(n=1,adjust=ead,vocabulary=30522)",
        "distinct(n=2)",
        "distinct(n=2,tokenize=nltk)",
        "distinct(n=2,key=concat)",
        "distinct(n=2,average=macro)",
        "distinct(n=2,average=macro,key=concat)",
        "distinct(n=2,adjust=ead,vocabulary=30522)",
        "unique",
    ),
    "accuracy": (
        "emotion_accuracy",
        "emotion_accuracy(k=2)",
        "emotion_accuracy(k=3)",
        "emotion_accuracy(k=5)",
        "emotion_f1",
        "emotion_f1(average=weighted)",
        "intent_accuracy",
    ),
}
_ALIASES = {
    "avg_bleu": "bleu",
    "ngram_precision": "bleu",
    "unique": "distinct",
    "emotion_accuracy": "accuracy",
    "emotion_f1": "accuracy",
    "intent_accuracy": "accuracy",
}


@dataclass(frozen=True)
class Variant:
    """One variant: each system's value and rank (1 = best, the mean rank for ties), and who used it.

    ``best`` are the systems of the best value; ``best_changes`` says that none of them is best under the
    first variant of the list that has values.
    """

    metric: str
    values: Mapping[str, float | None]
    ranks: Mapping[str, float | None]
    reasons: Mapping[str, str]
    best: tuple[str, ...]
    best_changes: bool
    used_by: tuple[str, ...]


@dataclass(frozen=True)
class Agreement:
    """Kendall's tau-b between the rankings of two variants, None with a status where it is undefined."""

    variant_a: str
    variant_b: str
    tau: float | None
    n: int
    status: str


@dataclass(frozen=True)
class Explanation:
    """The variants of one family on one cohort."""

    metric: str
    systems: tuple[str, ...]
    n_segments: int
    dropped: Mapping[str, int]
    variants: tuple[Variant, ...]
    agreement: tuple[Agreement, ...]

    def to_dict(self) -> dict[str, Any]:
        """The document that ``--format json`` prints."""
        document = asdict(self)
        document["systems"] = list(self.systems)
        for variant in document["variants"]:
            variant["best"], variant["used_by"] = list(variant["best"]), list(variant["used_by"])
        document["variants"] = list(document["variants"])
        document["agreement"] = list(document["agreement"])
        return document


def explain(name: str, cohort: Cohort) -> Explanation:
    """Compute every variant of ``bleu``, ``distinct`` or ``accuracy`` on a cohort.

    ``name`` may also be a metric's text form; that variant then comes first. Raises UnknownName where nothing
    has variants under that name.

    >>> from empeval.cohort import join
    >>> from empeval.example import corpus_file, system_files
    >>> from empeval.readers import read, read_corpus
    >>> found = explain("distinct", join(read(system_files()), corpus=read_corpus(corpus_file())))
    >>> found.variants[0].best
    ('Halvenor',)
    """
    family, texts = _variants(name)
    scores = score(cohort, metrics=texts, n_resamples=0)
    used_by = _papers()
    variants: list[Variant] = []
    reference: tuple[str, ...] | None = None
    for text in texts:
        metric = parse_metrics(text)[0]
        found = [entry for entry in scores.scores if entry.metric == text]
        values = {entry.system: entry.value for entry in found}
        ranks = rank(values, higher_is_better=metric.higher_is_better is not False)
        lowest = min((r for r in ranks.values() if r is not None), default=None)
        best = tuple(system for system, r in ranks.items() if r is not None and r == lowest)
        if reference is None and best:
            reference = best
        variants.append(
            Variant(
                metric=text,
                values=values,
                ranks=ranks,
                reasons={entry.system: entry.reason for entry in found if entry.reason},
                best=best,
                best_changes=bool(best) and not set(best) & set(reference or ()),
                used_by=tuple(used_by.get(metric.spec, ())),
            )
        )
    return Explanation(
        metric=family,
        systems=scores.systems,
        n_segments=int(scores.cohort["n_segments"]),
        dropped=cohort.dropped,
        variants=tuple(variants),
        agreement=tuple(_agreement(a, b) for a, b in itertools.combinations(variants, 2)),
    )


def _variants(name: str) -> tuple[str, list[str]]:
    plain = name.partition("(")[0].strip()
    family = _ALIASES.get(plain, plain)
    if family not in FAMILIES:
        if plain in METRICS:
            known = sorted({*FAMILIES, *_ALIASES})
            raise UnknownName("metric with common variants named", plain, known)
        raise UnknownName("metric with common variants named", plain, [*FAMILIES, *_ALIASES])
    texts = list(FAMILIES[family])
    if plain in METRICS:
        asked = parse_metrics(name)[0].spec
        canonical = [parse_metrics(text)[0].spec for text in texts]
        # the variant asked for leads; a bare family name, such as bleu, leads its list already
        if asked in canonical:
            texts.insert(0, texts.pop(canonical.index(asked)))
        elif name.strip() != family:
            texts.insert(0, name.strip())
    return family, texts


def _papers() -> dict[str, list[str]]:
    """Canonical metric text → the protocols whose authors computed it so."""
    from empeval.protocols import load, names

    found: dict[str, list[str]] = {}
    for protocol_name in names():
        protocol = load(protocol_name)
        for column in protocol.metrics:
            if column.as_coded is not None:
                users = found.setdefault(_spec(column.as_coded), [])
                if protocol.id not in users:
                    users.append(protocol.id)
    return found


def _spec(text: str) -> str:
    metric: Metric = parse_metrics(text)[0]
    return metric.spec


def rank(values: Mapping[str, float | None], *, higher_is_better: bool) -> dict[str, float | None]:
    """Ranks, 1 = best; equal values share the mean of their ranks; an undefined value has none.

    >>> rank({"a": 3.0, "b": 1.0, "c": 3.0, "d": None}, higher_is_better=True)
    {'a': 1.5, 'b': 3.0, 'c': 1.5, 'd': None}
    """
    defined = [v for v in values.values() if v is not None]

    def place(value: float) -> float:
        better = sum((v > value) if higher_is_better else (v < value) for v in defined)
        return better + (1 + defined.count(value)) / 2

    return {system: None if v is None else place(v) for system, v in values.items()}


def kendall_tau_b(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Kendall's tau-b of two rankings, None where either is constant (Kendall, 1945).

    >>> kendall_tau_b([1, 2, 3, 4], [1, 2, 4, 3])
    0.6666666666666666
    """
    pairs = list(itertools.combinations(range(len(x)), 2))
    signs = [(_sign(x[i] - x[j]), _sign(y[i] - y[j])) for i, j in pairs]
    n_x, n_y = sum(a != 0 for a, _ in signs), sum(b != 0 for _, b in signs)
    if not n_x or not n_y:
        return None
    return sum(a * b for a, b in signs) / math.sqrt(n_x * n_y)


def _sign(difference: float) -> int:
    return (difference > 0) - (difference < 0)


def _agreement(a: Variant, b: Variant) -> Agreement:
    shared = [(r, s) for system, r in a.ranks.items() if r is not None and (s := b.ranks[system]) is not None]
    if len(shared) < 2:
        return Agreement(a.metric, b.metric, None, len(shared), "too_few_systems")
    tau = kendall_tau_b([r for r, _ in shared], [s for _, s in shared])
    return Agreement(a.metric, b.metric, tau, len(shared), "ok" if tau is not None else "no_variation")
