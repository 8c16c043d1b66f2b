"""``empeval preference``: what a table of pairwise judgments says, question by question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from empeval.ratings import QuestionJudgments, read_judgments
from empeval.records import Notice
from empeval.report.grids import Grid
from empeval.report.rating_files import manifest_of
from empeval.statistics.preference.analysis import PreferenceResult, preference_analysis

__all__ = ["Preference", "QuestionPreference", "preference"]


@dataclass(frozen=True, eq=False)
class QuestionPreference:
    """One question's judgments and what they say."""

    judged: QuestionJudgments
    found: PreferenceResult

    def to_dict(self) -> dict[str, Any]:
        """The question's part of the document."""
        document = self.found.to_dict()
        left_out = {"n_left_out": self.judged.n_left_out, "left_out": dict(self.judged.left_out)}
        return {"status": document.pop("status"), **left_out, **document}


@dataclass(frozen=True, eq=False)
class Preference:
    """The questions of a table of pairwise judgments, warnings, and how all of it was made."""

    questions: Mapping[str, QuestionPreference]
    warnings: tuple[Notice, ...]
    manifest: Mapping[str, Any]
    command: str = "preference"

    def to_dict(self) -> dict[str, Any]:
        """The document that ``--format json`` prints."""
        return {
            "questions": {name: question.to_dict() for name, question in self.questions.items()},
            "warnings": [{**asdict(notice), "ids": list(notice.ids)} for notice in self.warnings],
            "manifest": dict(self.manifest),
        }

    def grids(self) -> list[Grid]:
        """Pairs and ranking of each question, with sentences."""
        from empeval.report.preference_text import preference_grids

        return preference_grids(self)

    def to_csv(self) -> str:
        """One row a pair of systems and one a system, unrounded."""
        from empeval.report.preference_text import preference_csv

        return preference_csv(self)


def preference(
    files: Sequence[str | Path],
    *,
    columns: Mapping[str, str] | None = None,
    questions: Sequence[str] | None = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    progress: Callable[[str], None] = lambda _: None,
) -> Preference:
    r"""Analyse pairwise judgments: wins, ties, losses, net preference, ranking, agreement.

    Files and columns are those of `read_judgments`. Raises InputError for files that cannot be used; data
    that decide nothing give statuses instead of values.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "judgments.csv"
    >>> _ = path.write_text("item,rater,system_a,system_b,winner\ni1,ann,x,y,A\ni2,ann,y,x,tie\n")
    >>> preference([path], n_resamples=0).questions["rating"].found.pairs[0].net.value
    0.5
    """
    progress("reading")
    table = read_judgments(files, columns=columns, questions=questions)
    found = {}
    for name, judged in table.questions.items():
        progress(name)
        # each question from the same seed: what else the table holds changes nothing
        rng = np.random.default_rng(seed % 2**64)
        result = preference_analysis(judged.judgments, level=level, n_resamples=n_resamples, rng=rng)
        found[name] = QuestionPreference(judged, result)
    options = {
        "columns": dict(columns) if columns else None,
        "questions": list(questions) if questions else None,
        "seed": seed,
        "n_resamples": n_resamples,
        "level": level,
    }
    return Preference(found, table.notices, manifest_of("preference", list(files), table.sources, options))
