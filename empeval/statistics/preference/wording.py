"""Preferences in sentences: one text for a methods section and one for the results.

What was not found is never called absent: two systems are told apart or not, and the study could have seen a
difference of so much.
"""

from __future__ import annotations

from collections.abc import Sequence

from empeval.statistics.preference.pairs import PairPreference
from empeval.statistics.preference.position import PositionEffect
from empeval.statistics.preference.ranking import Ranking
from empeval.statistics.sentences import counted, p_text

__all__ = ["describe_methods", "describe_pair", "describe_position", "describe_ranking"]

_WHY = {
    "disconnected": "these groups were never compared with each other",
    "no_judgments": "there are no judgments",
    "only_ties": "all judgments are ties",
    "separated": "no system of a later group ever beat one of an earlier group",
    "too_few_systems": "there is only one system",
}


def describe_methods(pairs: Sequence[PairPreference], ranking: Ranking, level: float) -> str:
    """How the numbers were found."""
    judged = [pair for pair in pairs if pair.n]
    n, n_neither = sum(pair.n for pair in judged), sum(pair.n_neither for pair in pairs)
    if not judged:
        return "There were no judgments that chose a system or a tie."
    methods = sorted({pair.method for pair in judged if pair.method})
    text = (
        f"{counted(n, 'judgment')} of {counted(len(judged), 'pair')} of systems were coded by system, "
        "whichever side a response was shown on. The net preference is wins minus losses over all judgments, "
        f"ties included; intervals at {_percent(level)} and p-values: {'; '.join(methods)}."
    )
    if n_neither:
        text += f' {n_neither} judgments that found neither response good were left out ("neither").'
    if len(judged) > 1:
        text += f" Holm's correction covers the {len(judged)} pairs."
    if ranking.status == "ok":
        text += f" Strengths: {ranking.model}, {ranking.method}; no penalty."
        if ranking.n_undefined:
            text += f" {ranking.n_undefined} resamples had no finite strengths and were left out."
    return text


def describe_pair(pair: PairPreference, level: float, *, corrected: bool) -> str:
    """What was found for one pair, the system that won more often first.

    A difference is called one where the adjusted p-value is at most 1 − level; ``corrected`` says that it
    was adjusted for other pairs.
    """
    if not pair.n:
        why = "only “neither” answers" if pair.n_neither else "no judgments"
        return f"{pair.system_a} and {pair.system_b}: {why}."
    turned = pair.losses > pair.wins
    first, second = (pair.system_b, pair.system_a) if turned else (pair.system_a, pair.system_b)
    wins, losses = (pair.losses, pair.wins) if turned else (pair.wins, pair.losses)
    shares = (
        f"{first} was preferred in {_percent(wins / pair.n)}, {second} in {_percent(losses / pair.n)}, "
        f"tie in {_percent(pair.ties / pair.n)} of {counted(pair.n, 'judgment')} "
        f"({counted(pair.n_items, 'item')}, {counted(pair.n_raters, 'rater')})"
    )
    found = f"net preference for {first} {_net(pair, turned=turned, corrected=corrected)}"
    if pair.p_adjusted is not None and pair.p_adjusted <= 1.0 - level + 1e-12:
        return f"{shares}; {found}."
    reach = ""
    if pair.minimum_detectable is not None and pair.minimum_detectable <= 1.0:
        reach = f"; the study could detect {100 * pair.minimum_detectable:.0f} points with 80 % power"
    return f"We cannot distinguish {first} from {second}: {shares}; {found}{reach}."


def _net(pair: PairPreference, *, turned: bool, corrected: bool) -> str:
    assert pair.net.value is not None
    sign = -1.0 if turned else 1.0
    inside = []
    if pair.net.interval is not None:
        low, high = sorted([sign * pair.net.interval.low, sign * pair.net.interval.high])
        inside.append(f"{_percent(pair.net.interval.level)} CI {_points(low)} to {_points(high)}")
    if pair.p_adjusted is not None:
        inside.append(f"{'Holm-adjusted p' if corrected else 'p'} {p_text(pair.p_adjusted)}")
    if pair.net.note:
        inside.append(pair.net.note)
    return f"{_points(sign * pair.net.value)} points" + (f" ({'; '.join(inside)})" if inside else "")


def describe_position(found: PositionEffect) -> str:
    """How often the response shown first won, or nothing where the order is not known."""
    if found.share.value is None:
        return ""
    share = f"{_percent(found.share.value)} of the {found.n} judgments"
    tested = "" if found.p_value is None else f" (p {p_text(found.p_value)})"
    return f"The response shown first won {share} with a choice and a known order{tested}."


def describe_ranking(ranking: Ranking) -> str:
    """The ranking with the ranks that the data leave open, or why there is none."""
    if ranking.status != "ok":
        groups = "; ".join(", ".join(group) for group in ranking.groups)
        why = _WHY.get(ranking.status, ranking.status)
        return f"No ranking by strengths: {why}" + (f" ({groups})." if len(ranking.groups) > 1 else ".")
    places = []
    for row in ranking.systems:
        if row.rank_low is None:
            places.append(row.system)
        elif row.rank_low == row.rank_high:
            places.append(f"{row.system} (rank {row.rank_low})")
        else:
            places.append(f"{row.system} (rank {row.rank_low} to {row.rank_high})")
    return f"Ranking by {ranking.model} strengths: {', '.join(places)}."


def _points(value: float) -> str:
    rounded = round(100 * value)
    return f"{rounded:+d}".replace("-", "−") if rounded else "0"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
