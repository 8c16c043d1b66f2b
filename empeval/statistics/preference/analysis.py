"""All that judgments of pairs say about one question, in one result."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from empeval.statistics.design import Judgments
from empeval.statistics.preference.agreement import PreferenceAgreement, preference_agreement
from empeval.statistics.preference.pairs import PairPreference, compare_pairs
from empeval.statistics.preference.position import PositionEffect, position_effect
from empeval.statistics.preference.ranking import Ranking, rank_systems
from empeval.statistics.preference.wording import (
    describe_methods,
    describe_pair,
    describe_position,
    describe_ranking,
)
from empeval.statistics.results import Estimate, Status

__all__ = ["PreferenceResult", "preference_analysis"]


@dataclass(frozen=True)
class PreferenceResult:
    """Pairs, ranking, position effect and agreement of one question, with sentences about them.

    ``status`` is the ranking's: ``ok``, ``no_judgments``, ``too_few_systems``, ``only_ties``, ``separated``
    or ``disconnected``; each pair has its own in ``net``. "Neither" answers are counted in ``n_neither`` and
    left out of everything else.
    """

    systems: tuple[str, ...]
    n_judgments: int
    n_neither: int
    n_items: int
    n_dialogues: int
    n_raters: int
    pairs: tuple[PairPreference, ...]
    ranking: Ranking
    position: PositionEffect
    agreement: tuple[PreferenceAgreement, ...]
    status: Status
    methods: str
    results: str

    def to_dict(self) -> dict[str, Any]:
        """One question of the document that ``empeval preference --format json`` prints."""
        return {
            "status": self.status,
            "n_judgments": self.n_judgments,
            "n_neither": self.n_neither,
            "n_items": self.n_items,
            "n_dialogues": self.n_dialogues,
            "n_raters": self.n_raters,
            "pairs": [_pair(pair, self.ranking) for pair in self.pairs],
            "ranking": [
                {
                    "system": row.system,
                    **_estimate(row.strength, "strength"),
                    "rank_low": row.rank_low,
                    "rank_high": row.rank_high,
                }
                for row in self.ranking.systems
            ],
            "model": {
                "name": self.ranking.model,
                "nu": self.ranking.nu.value,
                "groups": [list(group) for group in self.ranking.groups],
                "method": self.ranking.method,
                "n_undefined": self.ranking.n_undefined,
            },
            "position": _position(self.position),
            "agreement": [
                {"name": row.name, **_estimate(row.estimate), "level": row.level, "note": row.estimate.note}
                for row in self.agreement
            ],
            "methods": self.methods,
            "results": self.results,
        }


def preference_analysis(
    judgments: Judgments,
    *,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
) -> PreferenceResult:
    """Analyse the judgments of one question: `compare_pairs`, `rank_systems`, `position_effect`, agreement.

    >>> winners = ["a", "a", "tie", "b", "a", "a"]
    >>> judged = Judgments.of(["a"] * 6, ["b"] * 6, winners, items=[1, 1, 2, 2, 3, 3], raters=["r", "s"] * 3)
    >>> preference_analysis(judged, n_resamples=0).pairs[0].net.value
    0.5
    """
    rng = np.random.default_rng(0) if rng is None else rng
    used = judgments.subset(np.isfinite(judgments.outcomes))
    pairs = compare_pairs(judgments, level=level)
    ranking = rank_systems(judgments, level=level, n_resamples=n_resamples, rng=rng)
    position = position_effect(judgments, level=level)
    agreement = preference_agreement(judgments, level=level, n_resamples=n_resamples, rng=rng)
    sentences = [
        *(describe_pair(pair, level, corrected=sum(p.n > 0 for p in pairs) > 1) for pair in pairs),
        describe_ranking(ranking),
        describe_position(position),
    ]
    return PreferenceResult(
        systems=judgments.systems,
        n_judgments=len(used.outcomes),
        n_neither=len(judgments.outcomes) - len(used.outcomes),
        n_items=len(used.items),
        n_dialogues=len(used.dialogues),
        n_raters=len(used.raters),
        pairs=pairs,
        ranking=ranking,
        position=position,
        agreement=agreement,
        status=ranking.status,
        methods=describe_methods(pairs, ranking, level),
        results=" ".join(sentence for sentence in sentences if sentence),
    )


def _estimate(found: Estimate, name: str = "value") -> dict[str, Any]:
    interval = None if found.interval is None else asdict(found.interval)
    return {
        name: found.value,
        "interval": interval,
        "status": found.status,
        "interval_status": found.interval_status,
    }


def _position(found: PositionEffect) -> dict[str, Any]:
    return {"n": found.n, **_estimate(found.share, "share_first_shown_wins"), "p_value": found.p_value}


def _pair(pair: PairPreference, ranking: Ranking) -> dict[str, Any]:
    fitted = ranking.chances(pair.system_a, pair.system_b)
    return {
        "system_a": pair.system_a,
        "system_b": pair.system_b,
        "wins": pair.wins,
        "ties": pair.ties,
        "losses": pair.losses,
        "neither": pair.n_neither,
        **_estimate(pair.net, "net"),
        "p_value": pair.p_value,
        "p_adjusted": pair.p_adjusted,
        "correction": "holm",
        "method": pair.method,
        "note": pair.net.note,
        "n_items": pair.n_items,
        "n_dialogues": pair.n_dialogues,
        "n_raters": pair.n_raters,
        "win_rate": pair.win_rate.value,
        "half_win_rate": pair.half_win_rate.value,
        "fitted": None if fitted is None else dict(zip(("win", "tie", "loss"), fitted, strict=True)),
        "sign_flip_p": pair.sign_flip_p,
        "majority_p": pair.majority_p,
        "trinomial_p": pair.trinomial_p,
        "net_without_position": _estimate(pair.net_without_position),
        "position": _position(pair.position),
        "minimum_detectable_difference": pair.minimum_detectable,
    }
