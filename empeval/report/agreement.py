"""``empeval agreement``: how far raters agree, question by question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from empeval.ratings import Measurement, read_ratings
from empeval.ratings.design import Wide
from empeval.records import Notice
from empeval.report.agreement_differences import Difference, differences
from empeval.report.coefficients import MOST_LISTED, MOST_VALUES, Settings, is_categorical
from empeval.report.grids import Grid
from empeval.report.question_agreement import QuestionAgreement, measure
from empeval.report.rating_files import manifest_of

__all__ = ["Agreement", "agreement"]


@dataclass(frozen=True, eq=False)
class Agreement:
    """The questions of a table of ratings, warnings, and how all of it was made."""

    questions: Mapping[str, QuestionAgreement]
    differences: tuple[Difference, ...]
    warnings: tuple[Notice, ...]
    manifest: Mapping[str, Any]
    command: str = "agreement"

    def to_dict(self) -> dict[str, Any]:
        """The document that ``--format json`` prints."""
        return {
            "questions": {name: question.to_dict() for name, question in self.questions.items()},
            "differences": [difference.to_dict() for difference in self.differences],
            "warnings": [{**asdict(notice), "ids": list(notice.ids)} for notice in self.warnings],
            "manifest": dict(self.manifest),
        }

    def grids(self) -> list[Grid]:
        """Coefficients, pairs and raters of each question, with sentences."""
        from empeval.report.agreement_text import agreement_grids

        return agreement_grids(self)

    def to_csv(self) -> str:
        """One row a coefficient, unrounded."""
        from empeval.report.agreement_text import agreement_csv

        return agreement_csv(self)


def agreement(
    files: Sequence[str | Path],
    *,
    columns: Mapping[str, str] | None = None,
    wide: Wide | None = None,
    questions: Sequence[str] | None = None,
    measurement: Measurement | None = None,
    categories: Sequence[str | float] | None = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    progress: Callable[[str], None] = lambda _: None,
) -> Agreement:
    r"""Measure the agreement of raters on every question of a table of ratings.

    Files, columns and scale are those of `read_ratings`. Raises InputError for files that cannot be used;
    data that say nothing give statuses instead of values.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "ratings.csv"
    >>> _ = path.write_text("item,ann,ben\ni1,1,1\ni2,2,2\ni3,3,3\ni4,1,2\n")
    >>> found = agreement([path], wide="raters", n_resamples=0).questions["rating"]
    >>> round(found.coefficient("krippendorff_alpha").value, 3)
    0.79
    """
    progress("reading")
    reading: dict[str, Any] = {
        "columns": columns,
        "wide": wide,
        "questions": questions,
        "measurement": measurement,
        "categories": categories,
    }
    table = read_ratings(files, **reading)
    settings = Settings(level, n_resamples, seed)
    found = {}
    for name, question in table.questions.items():
        progress(name)
        found[name] = measure(question, settings)
    options = {
        **{name: value or None for name, value in reading.items()},
        "categories": [str(category) for category in categories] if categories else None,
        "seed": seed,
        "n_resamples": n_resamples,
        "level": level,
    }
    return Agreement(
        found,
        differences(list(table.questions.values()), settings),
        (*table.notices, *_notices(found)),
        manifest_of("agreement", files, table.sources, options),
    )


def _notices(questions: Mapping[str, QuestionAgreement]) -> tuple[Notice, ...]:
    found = []
    crowds = tuple(name for name, of in questions.items() if len(of.rated.ratings.raters) > MOST_LISTED)
    if crowds:
        message = f"more than {MOST_LISTED} raters: pairs of raters are not listed, their means are"
        found.append(Notice("pairs_not_listed", message, len(crowds), crowds))
    many = tuple(name for name, of in questions.items() if not is_categorical(of.rated))
    if many:
        message = (
            f"more than {MOST_VALUES} different values: coefficients that count categories are left out; "
            "declare the scale with --categories if there is one"
        )
        found.append(Notice("many_values", message, len(many), many))
    return tuple(found)
