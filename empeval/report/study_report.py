"""``empeval study report``: what a study found, question by question, and how it went."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from empeval import __version__
from empeval.ratings import read_ratings
from empeval.records import Notice
from empeval.report.agreement import Agreement, agreement
from empeval.report.grids import Grid
from empeval.report.pipeline import versions
from empeval.report.preference import Preference, preference
from empeval.report.rating_text import estimate_fields
from empeval.statistics.comparisons import RatingAnalysis, compare_ratings
from empeval.statistics.mixed.ratings import RatingModel, rating_model
from empeval.statistics.resampling import Interval
from empeval.study.exporting.layout import written
from empeval.study.exporting.tables import TABLES, gather

if TYPE_CHECKING:
    from empeval.study.service.admin import AdminService, RaterLine, Status
    from empeval.study.service.oversight import PayPerHour

__all__ = ["QuestionReport", "StudyReport", "study_report"]


@dataclass(frozen=True, eq=False)
class QuestionReport:
    """One question on a scale: the analysis of the design, the mixed model beside it, and with the excluded.

    ``with_excluded`` is None where nobody was excluded.
    """

    name: str
    analysis: RatingAnalysis
    model: RatingModel
    with_excluded: RatingAnalysis | None


@dataclass(frozen=True, eq=False)
class StudyReport:
    """A study's results and how it went.

    ``n_items`` and ``n_dialogues`` count what has answers that count; ``seconds`` are the quartiles of the
    time on a main item.
    """

    status: Status
    n_items: int
    n_dialogues: int
    questions: Mapping[str, QuestionReport]
    agreement: Agreement | None
    preference: Preference | None
    raters: Sequence[RaterLine]
    not_counted: Mapping[str, int]
    seconds: tuple[float, float, float] | None
    dates: tuple[datetime, datetime] | None
    pay: PayPerHour | None
    warnings: tuple[Notice, ...]
    manifest: Mapping[str, Any]
    command: str = "report"

    @property
    def is_simulated(self) -> bool:
        """Whether simulated raters took part, which every table then says."""
        return self.status.n_simulated > 0

    def to_dict(self) -> dict[str, Any]:
        """The document that ``--format json`` prints."""
        pay = None if self.pay is None else asdict(self.pay)
        return {
            "study": self.status.study,
            "version": self.status.version,
            "simulated": self.is_simulated,
            "state": self.status.state,
            "slots": self.status.slots,
            "n_items": self.n_items,
            "n_dialogues": self.n_dialogues,
            "n_holes": len(self.status.holes),
            "sides": self.status.sides,
            "questions": {name: _question(one) for name, one in self.questions.items()},
            "preference": None if self.preference is None else self.preference.to_dict()["questions"],
            "agreement": None if self.agreement is None else self.agreement.to_dict()["questions"],
            "raters": {"by_state": self.status.raters, "people": [asdict(line) for line in self.raters]},
            "not_counted": dict(self.not_counted),
            "seconds_per_item": None
            if self.seconds is None
            else dict(zip(("quartile_1", "median", "quartile_3"), self.seconds, strict=True)),
            "dates": None if self.dates is None else [day.date().isoformat() for day in self.dates],
            "pay_per_hour": pay,
            "warnings": [{**asdict(notice), "ids": list(notice.ids)} for notice in self.warnings],
            "manifest": dict(self.manifest),
        }

    def grids(self) -> list[Grid]:
        """How it went, then each question with means, pairs and sentences, then agreement and raters."""
        from empeval.report.study_report_text import report_grids

        return report_grids(self)

    def to_csv(self) -> str:
        """One row a system or a pair of systems and question, unrounded."""
        from empeval.report.study_report_text import report_csv

        return report_csv(self)


def study_report(
    admin: AdminService,
    *,
    level: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    progress: Callable[[str], None] = lambda _: None,
) -> StudyReport:
    """Analyse a study as its design asks: what counts, checks apart, answers by their last revision.

    Parts that there are no data for are None, or have a status; nothing is made up.
    """
    from empeval.study.service.oversight import pay_per_hour

    context = admin.context
    progress("reading")
    rows = admin.store.read(lambda tx: gather(tx, context, all_revisions=True))
    settings: dict[str, Any] = {"level": level, "n_resamples": n_resamples, "seed": seed}
    scales = {q.name: q for q in context.protocol.questions if q.kind == "likert" and q.about == "response"}
    with tempfile.TemporaryDirectory() as made:
        ratings, judgments = (_written(Path(made), name, rows) for name in ("ratings", "preferences"))
        questions = _questions(Path(made), ratings, rows, list(scales), level, seed, progress)
        scale = _common_scale(list(scales.values()))
        rated = agreement([ratings], categories=scale, progress=progress, **settings) if ratings else None
        compared = preference([judgments], progress=progress, **settings) if judgments else None
    main = [row for row in rows["answers"] if row["purpose"] == "main"]
    counted = [row for row in main if row["counted"]]
    times = [row["active_ms"] / 1000 for row in counted if row["active_ms"] is not None]
    return StudyReport(
        status := admin.status(),
        len({row["item"] for row in counted}),
        len({row["dialogue"] for row in counted}),
        questions,
        rated,
        compared,
        admin.raters(),
        _reasons(main),
        None if not times else tuple(float(q) for q in np.quantile(times, [0.25, 0.5, 0.75])),  # type: ignore[arg-type]
        (min(r["time"] for r in counted), max(r["time"] for r in counted)) if counted else None,
        pay_per_hour(admin),
        _warnings(status, counted),
        {
            "empeval": __version__,
            "study": status.study,
            "version": status.version,
            "config_sha256": admin.store.read(lambda tx: tx.study(context.study_id).config_sha256),
            "options": settings,
            "versions": versions(),
        },
    )


def _common_scale(questions: Sequence[Any]) -> list[str] | None:
    """The points that all questions on a scale share; None where they differ, or others are asked."""
    found = {tuple(question.points) for question in questions}
    return [str(point) for point in found.pop()] if len(found) == 1 else None


def _written(folder: Path, name: str, rows: Mapping[str, list[dict[str, Any]]]) -> Path | None:
    """A table as a file, where it holds anything that counts."""
    if not any(row["counted"] and row["purpose"] == "main" for row in rows[name]):
        return None
    path = folder / f"{name}.parquet"
    path.write_bytes(written(TABLES[name], rows[name], "parquet"))
    return path


def _questions(
    folder: Path,
    ratings: Path | None,
    rows: Mapping[str, list[dict[str, Any]]],
    scales: list[str],
    level: float,
    seed: int,
    progress: Callable[[str], None],
) -> dict[str, QuestionReport]:
    asked = [
        name for name in scales if any(row["question"] == name and row["counted"] for row in rows["ratings"])
    ]
    if ratings is None or not asked:
        return {}
    table = read_ratings([ratings], questions=asked)
    everybody = None
    if any(row["not_counted_reason"] == "excluded" for row in rows["ratings"]):
        restored = [
            row | {"counted": True} if row["not_counted_reason"] == "excluded" else row
            for row in rows["ratings"]
        ]
        (folder / "all").mkdir()
        path = _written(folder / "all", "ratings", {"ratings": restored})
        everybody = None if path is None else read_ratings([path], questions=asked)
    found = {}
    for name in asked:
        progress(name)
        options: dict[str, Any] = {"question": name, "level": level}
        found[name] = QuestionReport(
            name,
            compare_ratings(table.questions[name].ratings, rng=np.random.default_rng(seed), **options),
            rating_model(table.questions[name].ratings, level=level),
            None
            if everybody is None
            else compare_ratings(
                everybody.questions[name].ratings, rng=np.random.default_rng(seed), **options
            ),
        )
    return found


def _reasons(main: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How many answers to main items do not count, by reason."""
    found: dict[str, int] = {}
    for row in main:
        if not row["counted"]:
            found[row["not_counted_reason"]] = found.get(row["not_counted_reason"], 0) + 1
    return dict(sorted(found.items()))


def _warnings(status: Status, counted: Sequence[Mapping[str, Any]]) -> tuple[Notice, ...]:
    found = []
    if status.n_simulated:
        message = "SIMULATED: simulated raters took part; these are no findings about any system"
        found.append(Notice("simulated", message, status.n_simulated, ()))
    if not counted:
        found.append(Notice("no_answers", "nobody has answered yet", 0, ()))
    elif status.holes:
        n = len(status.holes)
        message = f"the study is not finished: {n} showings lack answers"
        found.append(Notice("unfinished", message, n, tuple(hole.item for hole in status.holes[:10])))
    raters = {row["rater"] for row in counted}
    if len(raters) == 1:
        found.append(Notice("one_rater", "one rater alone: nothing tells how others would answer", 1, ()))
    return tuple(found)


def _interval(found: Interval | None) -> dict[str, Any] | None:
    return None if found is None else asdict(found)


def _question(one: QuestionReport) -> dict[str, Any]:
    return {
        **_analysis(one.analysis),
        "sensitivity": {
            "model": "rating ~ system + (1|item) + (1|rater) + (1|rater:system) + (1|item:system)",
            "status": one.model.status,
            "note": one.model.note,
            "pairs": [
                {
                    "system_a": pair.system_a,
                    "system_b": pair.system_b,
                    "difference": pair.effect.value,
                    "p_value": pair.effect.p_value,
                    "p_adjusted": pair.p_adjusted,
                }
                for pair in one.model.differences
            ],
        },
        "with_excluded": None if one.with_excluded is None else _analysis(one.with_excluded),
    }


def _analysis(found: RatingAnalysis) -> dict[str, Any]:
    return {
        "status": found.status,
        "systems": [
            {
                "system": one.system,
                "mean": one.mean.value,
                "interval": _interval(one.mean.interval),
                "status": one.mean.status,
                "n_ratings": one.n_ratings,
                "letters": one.letters,
            }
            for one in found.systems
        ],
        "pairs": [
            {
                "system_a": pair.system_a,
                "system_b": pair.system_b,
                "difference": pair.difference.value,
                "interval": _interval(pair.difference.interval),
                "status": pair.difference.status,
                "p_value": pair.difference.p_value,
                "p_adjusted": pair.p_adjusted,
                "correction": pair.correction,
                "method": pair.difference.method,
                "d_z": estimate_fields(pair.effect),
                "superiority": estimate_fields(pair.superiority),
                "minimum_detectable_difference": pair.detectable,
                "results": pair.results,
            }
            for pair in found.pairs
        ],
        "methods": found.methods,
    }
