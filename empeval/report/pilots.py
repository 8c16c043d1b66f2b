"""Components of variance for a planned study: as stated, or from the file of a pilot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from empeval.errors import InputError, UnknownName
from empeval.statistics.power.components import Components, PreferenceComponents
from empeval.statistics.power.pilot import components_from, preference_components_from
from empeval.statistics.results import Status

__all__ = ["Design", "Pilot", "read_pilot", "stated"]

#: Everyone answers to everything; many raters with a share of the items each; two responses side by side.
Design = Literal["crossed", "crowd", "pairwise"]


@dataclass(frozen=True)
class Pilot:
    """Where components come from: a file with a question, and what it could not tell; or as stated."""

    source: str | None
    components: Components | PreferenceComponents | None
    n_answers: int = 0
    status: Status = "ok"
    note: str = ""

    def to_dict(self) -> dict[str, Any] | None:
        """The components by name."""
        return None if self.components is None else asdict(self.components)


def stated(
    design: Design,
    components: Mapping[str, float],
    *,
    scale: tuple[int, int] | None = None,
    mean: float | None = None,
) -> Pilot:
    """Components as stated by name; raises UnknownName, and InputError for numbers that cannot be.

    >>> stated("pairwise", {"item": 0.5, "ties": 0.2}).components
    PreferenceComponents(item=0.5, rater=0.0, ties=0.2)
    """
    kind = PreferenceComponents if design == "pairwise" else Components
    for name, value in components.items():
        if name not in kind.names():
            raise UnknownName("component", name, kind.names())
        if not 0 <= value < float("inf"):
            raise InputError(f"{name}={value:g}: a standard deviation is 0 or more")
    if design == "pairwise":
        if components.get("ties", 0.0) >= 1:
            raise InputError(f"ties={components['ties']:g}: the share of ties lies between 0 and 1")
        if scale is not None:
            raise InputError("judgments of two responses have no scale")
        return Pilot(None, PreferenceComponents(**components))
    if "residual" not in components:
        raise InputError("the standard deviation of the residual is needed: residual=0.8, for instance")
    return Pilot(None, Components(**components, scale=scale, mean=mean))


def read_pilot(
    file: str, design: Design, *, question: str | None = None, columns: Mapping[str, str] | None = None
) -> Pilot:
    """Components from a table of ratings, or for ``pairwise`` of judgments, of one question.

    Raises InputError where the file cannot be used or holds several questions and none is named.
    """
    from empeval.ratings import read_judgments, read_ratings

    asked = None if question is None else [question]
    if design == "pairwise":
        judged = read_judgments([file], columns=columns or {}, questions=asked)
        chosen = _only(list(judged.questions), file)
        preference = preference_components_from(judged.questions[chosen].judgments)
        return Pilot(file, preference.components, preference.n_judgments, preference.status, preference.note)
    rated = read_ratings([file], columns=columns or {}, questions=asked)
    found = components_from(rated.questions[_only(list(rated.questions), file)].ratings)
    return Pilot(file, found.components, found.n_ratings, found.status, found.note)


def _only(questions: list[str], file: str) -> str:
    if len(questions) == 1:
        return questions[0]
    names = ", ".join(map(repr, questions))
    raise InputError(f"the pilot has several questions ({names}); name one with --question", source=file)
