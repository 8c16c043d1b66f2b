"""The human part of a protocol: which items, what is asked, of how many raters, how it is counted."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from empeval.protocols.blocks import Block, Count, Marked, Slug, Text, wrong

__all__ = [
    "Agreement",
    "AlphaMark",
    "Aspect",
    "Dimension",
    "HumanPart",
    "Items",
    "Option",
    "Preferences",
    "Presentation",
    "Ratings",
    "Scale",
    "SignificanceTest",
]

Option = Literal["win", "lose", "tie", "neither"]

AgreementStatistic = Literal[
    "krippendorff_alpha",
    "fleiss_kappa",
    "cohen_kappa",
    "cohen_kappa_linear",
    "cohen_kappa_quadratic",
    "scott_pi",
    "brennan_prediger",
    "conger_kappa",
    "gwet_ac1",
    "gwet_ac2",
    "percent_agreement",
    "percent_agreement_within_1",
    "icc_1_1",
    "icc_1_k",
    "icc_2_1",
    "icc_2_k",
    "icc_3_1",
    "icc_3_k",
    "kendall_w",
]

_Alpha = Annotated[float, Field(gt=0, lt=1)]


class Items(Marked):
    """Which segments are judged: ``n`` in all, or ``per_stratum`` for each label of ``label_set``."""

    n: Count | None = None
    sampling: Literal["random", "stratified", "all"] | None = None
    by: Text | None = None
    per_stratum: Count | None = None
    label_set: Slug | None = None
    same_for_all_systems: bool | None = None

    @model_validator(mode="after")
    def _strata_have_a_size(self) -> Items:
        if self.sampling == "stratified" and (self.by is None or self.per_stratum is None):
            missing = "by" if self.by is None else "per_stratum"
            raise wrong("this key is missing: strata of what, and how many items of each", missing)
        if self.sampling != "stratified" and self.per_stratum is not None:
            raise wrong("only stratified sampling has strata", "per_stratum")
        return self


class Scale(Block):
    """A scale of whole numbers from ``low`` to ``high``; ``anchors`` are the words beside some of them."""

    low: int
    high: int
    anchors: dict[int, Text] = Field(default_factory=dict)
    measurement: Literal["ordinal", "interval"] = "ordinal"

    @model_validator(mode="after")
    def _anchors_lie_on_the_scale(self) -> Scale:
        if not 0 < self.high - self.low <= 100:
            raise wrong("a scale needs low < high, at most 100 apart", "high")
        for point in self.anchors:
            if not self.low <= point <= self.high:
                raise wrong(f"expected a point from {self.low} to {self.high}", "anchors", point)
        return self


class Dimension(Block):
    """One question about a reply, named ``key`` in files and ``label`` in tables."""

    key: Slug
    label: Text
    question: Text
    definition: Text | None = None
    scale: Scale


class Aspect(Block):
    """One question of a comparison of two responses."""

    key: Slug
    label: Text
    question: Text
    definition: Text | None = None


class Agreement(Block):
    """A statistic of agreement, and what the paper says it came to."""

    statistic: AgreementStatistic
    reported: Text | None = None


class AlphaMark(Block):
    """The symbol that a table puts at p < ``alpha``."""

    alpha: _Alpha
    symbol: Text


class SignificanceTest(Block):
    """The test behind the marks of a human table."""

    name: Text | None = None
    marks: tuple[AlphaMark, ...] = ()
    note: Text | None = None


class _Task(Marked):
    """What ratings and preferences have in common; ``raters`` says in words who they are."""

    raters_per_item: Count | None = None
    raters: Text | None = None
    agreement: tuple[Agreement, ...] = ()
    test: SignificanceTest | None = None


class Ratings(_Task):
    """Each response is rated alone, on each dimension; a system gets at least ``n_ratings`` ratings."""

    dimensions: Annotated[tuple[Dimension, ...], Field(min_length=1)]
    aggregation: Literal["mean"] = "mean"
    report: Literal["mean", "mean_and_sem"] | None = None
    n_ratings: Count | None = None

    @model_validator(mode="after")
    def _dimensions_differ(self) -> Ratings:
        _refuse_doubles(self.dimensions, "dimensions")
        return self


class Preferences(_Task):
    """Two responses to one context are compared (A/B), aspect by aspect.

    ``majority`` counts each item once, as most of its raters answered, and ``tie_rule`` says what happens if
    no answer has a majority; ``mean_of_votes`` counts every answer.
    """

    aspects: Annotated[tuple[Aspect, ...], Field(min_length=1)]
    options: tuple[Option, ...] = ("win", "lose", "tie")
    option_texts: dict[Literal["first", "second", "tie", "neither"], Text] = Field(default_factory=dict)
    aggregation: Literal["majority", "mean_of_votes"] | None = None
    tie_rule: Literal["fourth_rater", "tie", "left_out"] | None = None

    @model_validator(mode="after")
    def _options_are_consistent(self) -> Preferences:
        _refuse_doubles(self.aspects, "aspects")
        if len(set(self.options)) < len(self.options) or not {"win", "lose"} <= set(self.options):
            raise wrong("expected win and lose, perhaps tie and neither, each once", "options")
        for shown in self.option_texts:
            if shown in ("tie", "neither") and shown not in self.options:
                raise wrong("this is not one of the options", "option_texts", shown)
        if self.tie_rule is not None and self.aggregation != "majority":
            raise wrong("a tie rule belongs to aggregation: majority", "tie_rule")
        return self


class Presentation(Marked):
    """What raters see beside a reply, and whether systems are hidden and their order is random."""

    context: Text | None = None
    situation: bool | None = None
    emotion: bool | None = None
    order_randomised: bool | None = None
    blind: bool | None = None


class HumanPart(Marked):
    """Ratings, preferences, or both, on the same items."""

    items: Items
    presentation: Presentation | None = None
    ratings: Ratings | None = None
    preferences: Preferences | None = None

    @model_validator(mode="after")
    def _asks_something(self) -> HumanPart:
        if self.ratings is None and self.preferences is None:
            raise wrong("this key is missing: a human part has ratings, preferences or both", "ratings")
        return self


def _refuse_doubles(questions: tuple[Dimension, ...] | tuple[Aspect, ...], where: str) -> None:
    for field in ("key", "label"):
        names = [getattr(question, field) for question in questions]
        for i, name in enumerate(names):
            if name in names[:i]:
                raise wrong(f"{name!r} is there twice", where, i, field)
