"""What fixes a number: two scores may share a column exactly if their signatures are equal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from empeval.errors import IncomparableScores
from empeval.metrics.base import Metric
from empeval.version import __version__

__all__ = ["Signature"]


@dataclass(frozen=True)
class Signature:
    """The metric with every field, the cohort it was computed on, and the versions that matter.

    Its text is what tables print: ``key:value`` parts joined by ``|``, the metric's name first.

    >>> from empeval.metrics.length import Length
    >>> str(Signature.of(Length(), n_segments=3, rule="intersection", fingerprint="0f"))  # doctest: +ELLIPSIS
    'length|tokenize:whitespace|segments:3|cohort:intersection|corpus:0f|empeval:...'
    """

    parts: tuple[tuple[str, str], ...]

    @classmethod
    def of(
        cls,
        metric: Metric,
        *,
        n_segments: int,
        rule: str,
        fingerprint: str,
        corpus_fields: Mapping[str, str] | None = None,
    ) -> Signature:
        """The signature of a metric on a cohort, known before anything is scored.

        ``corpus_fields`` are those of `Metric.corpus_fields`.
        """
        fields: Mapping[str, str] = {**metric.signature_fields(), **(corpus_fields or {})}
        cohort = {"segments": str(n_segments), "cohort": rule, "corpus": fingerprint}
        versions = {"empeval": __version__, **metric.versions()}
        return cls((("metric", metric.name), *fields.items(), *cohort.items(), *versions.items()))

    def within(self, by: str, group: str, n_segments: int) -> Signature:
        """The signature of the same score on one part of the cohort, such as one emotion."""
        parts = [(key, str(n_segments) if key == "segments" else value) for key, value in self.parts]
        at = [key for key, _ in parts].index("segments")
        return Signature((*parts[:at], (by, group), *parts[at:]))

    def __str__(self) -> str:
        name, *rest = self.parts
        # the separators are escaped so that a path or a tokenizer name cannot forge a part
        shown = (f"{key}:{value.replace('%', '%25').replace('|', '%7C')}" for key, value in rest)
        return "|".join([name[1], *shown])

    def require_equal(self, other: Signature) -> None:
        """Raise IncomparableScores naming the first part that differs."""
        mine, theirs = dict(self.parts), dict(other.parts)
        for key in [*mine, *theirs]:
            if mine.get(key) != theirs.get(key):
                raise IncomparableScores(
                    f"these scores may not share a column: {key} is {mine.get(key)!r} in {self} "
                    f"and {theirs.get(key)!r} in {other}"
                )
