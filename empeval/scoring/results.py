"""What scoring gives back: plain values that print, compare and turn into a document or a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from empeval.records import Notice
from empeval.scoring.claims import ClaimCheck
from empeval.statistics.resampling import Interval

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Breakdown", "Comparison", "Group", "Score", "Scores"]


@dataclass(frozen=True)
class Score:
    """One system's value of one metric; ``value`` is None where undefined, and ``reason`` says why."""

    system: str
    metric: str
    value: float | None
    interval: Interval | None
    n_segments: int
    n_empty: int
    reason: str | None
    signature: str
    higher_is_better: bool | None


@dataclass(frozen=True)
class Comparison:
    """Two systems on one metric: difference a − b, its interval, and the paired test."""

    metric: str
    system_a: str
    system_b: str
    difference: float | None
    interval: Interval | None
    p_value: float | None
    p_adjusted: float | None
    correction: str
    method: str | None
    minimum_detectable_difference: float | None
    reason: str | None = None


@dataclass(frozen=True)
class Group:
    """The scores of one part of the cohort, such as one emotion."""

    group: str
    n_segments: int
    n_dialogues: int
    scores: tuple[Score, ...]
    comparisons: tuple[Comparison, ...]
    tiers: Mapping[str, list[list[str]]]


@dataclass(frozen=True)
class Breakdown:
    """The cohort cut by a column; p-values are corrected within each group."""

    by: str
    groups: tuple[Group, ...]
    correction: str = "holm"


@dataclass(frozen=True)
class Scores:
    """All scores of all systems on one cohort, with what is needed to believe them."""

    corpus: Mapping[str, Any]
    cohort: Mapping[str, Any]
    systems: tuple[str, ...]
    scores: tuple[Score, ...]
    comparisons: tuple[Comparison, ...]
    tiers: Mapping[str, list[list[str]]]
    claims: tuple[ClaimCheck, ...] = ()
    groups: Breakdown | None = None
    warnings: tuple[Notice, ...] = ()
    manifest: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The document that ``--format json`` prints."""
        document = asdict(self)
        for warning in document["warnings"]:
            warning["ids"] = list(warning["ids"])
        listed: dict[str, Any] = _listed(document)
        return listed

    def to_frame(self) -> pd.DataFrame:
        """One row a score: system, metric, value, low, high and the rest of `Score`."""
        import pandas as pd

        rows = []
        for score in self.scores:
            row = asdict(score)
            interval = row.pop("interval") or {"low": None, "high": None, "level": None, "method": None}
            at = list(row).index("value") + 1
            items = list(row.items())
            rows.append(dict(items[:at] + list(interval.items()) + items[at:]))
        return pd.DataFrame(rows)

    def joined(self, others: Sequence[Scores], metrics: Sequence[str]) -> Scores:
        """These scores with those of other metrics of the same systems, in the order of ``metrics``."""
        parts = [self, *others]
        place = {text: i for i, text in enumerate(metrics)}
        order = {system: i for i, system in enumerate(self.systems)}
        scores = sorted(
            (entry for part in parts for entry in part.scores),
            key=lambda entry: (order[entry.system], place[entry.metric]),
        )
        comparisons = sorted(
            (entry for part in parts for entry in part.comparisons), key=lambda entry: place[entry.metric]
        )
        tiers = {text: part.tiers[text] for text in metrics for part in parts if text in part.tiers}
        # what was said of all segments need not be said of some of them again
        said = {notice.code for notice in self.warnings}
        added = (notice for part in others for notice in part.warnings if notice.code not in said)
        return replace(
            self,
            scores=tuple(scores),
            comparisons=tuple(comparisons),
            tiers=tiers,
            warnings=(*self.warnings, *dict.fromkeys(added)),
        )

    def value(self, system: str, metric: str) -> float | None:
        """The value of one system and metric text; LookupError where it was not asked for."""
        for score in self.scores:
            if (score.system, score.metric) == (system, metric):
                return score.value
        raise LookupError(f"no score of {metric!r} for {system!r} here")


def _listed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _listed(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return [_listed(entry) for entry in value]
    return value
