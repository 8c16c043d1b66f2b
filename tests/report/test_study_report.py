"""The report of a study: what was found, what was not, and how it went; nothing is made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from empeval.report.rating_files import render
from empeval.report.study_report import StudyReport, study_report
from empeval.study.service.admin import AdminService
from empeval.study.service.rater import RaterService
from empeval.study.service.setup import create_study
from empeval.study.simulate import simulate
from empeval.study.store import open_store
from tests.study.conftest import SECRET, compare, make_material, make_protocol, rate


def studied(folder: Path, raters: dict[str, int], quality: Any, n: int = 12, **keys: Any) -> AdminService:
    """A study that these raters have worked in; ``quality`` says how good a text is to them."""
    store = open_store(folder / "study.db")
    create_study(store, make_protocol(**keys), make_material(n, ("Ombrevic", "Tiskarel")))
    admin = AdminService.open(store, "invented", SECRET)
    admin.set_state("open")
    if raters:
        simulate(admin, RaterService(store, admin.context), raters, quality=quality)
    return admin


def reported(admin: AdminService) -> StudyReport:
    """The report, with few resamples."""
    return study_report(admin, n_resamples=200)


def better_first(text: str) -> float:
    """The first system's texts are far better."""
    return 0.8 if text.startswith("Reply 0") else 0.3


def alike(_text: str) -> float:
    """No text is better than another."""
    return 0.5


BOTH = {"questions": [rate(), compare()]}


def test_a_real_difference_is_found_in_ratings_and_in_choices(tmp_path: Path) -> None:
    """Three careful raters who prefer the first system: letters apart, p below 0.05, most comparisons won."""
    found = reported(studied(tmp_path, {"careful": 3}, better_first, **BOTH))
    question = found.questions["empathy"]
    assert [one.system for one in question.analysis.systems] == ["Ombrevic", "Tiskarel"]
    assert [one.letters for one in question.analysis.systems] == ["a", "b"]
    [pair] = question.analysis.pairs
    assert pair.p_adjusted is not None
    assert pair.p_adjusted < 0.05
    assert pair.difference.value is not None
    assert pair.difference.value > 1
    assert found.preference is not None
    [compared] = found.to_dict()["preference"]["overall"]["pairs"]
    assert compared["wins"] > 30 > compared["losses"]


def test_equal_systems_are_not_told_apart(tmp_path: Path) -> None:
    """With texts alike, both systems share a letter, and no sentence says equal or trend."""
    found = reported(studied(tmp_path, {"careful": 3}, alike, **BOTH))
    assert {one.letters for one in found.questions["empathy"].analysis.systems} == {"a"}
    text = render(found, "text")
    assert "equal" not in text.replace("both equally", "")
    assert "trend" not in text


def test_position_bias_wins_nothing(tmp_path: Path) -> None:
    """Raters who favour the first side: sides are balanced, so no system gains; the bias is named."""
    found = reported(studied(tmp_path, {"position_biased": 3}, alike, questions=[compare()]))
    document = found.to_dict()["preference"]["overall"]
    [pair] = document["pairs"]
    assert pair["wins"] + pair["losses"] > 0
    assert abs(pair["net"]) < 0.3
    assert pair["p_adjusted"] is None or pair["p_adjusted"] > 0.05
    assert "position" in json.dumps(document)


def test_simulated_raters_are_told_in_every_table(tmp_path: Path) -> None:
    """Captions, warnings and the document say SIMULATED."""
    found = reported(studied(tmp_path, {"careful": 2}, alike, n=4, **BOTH))
    assert all(grid.caption.startswith("SIMULATED: ") for grid in found.grids())
    assert found.to_dict()["simulated"] is True
    assert found.warnings[0].code == "simulated"


def test_exclusions_are_shown_both_ways(tmp_path: Path) -> None:
    """The straight-lining rater is excluded: his answers are in the second table, and counted by reason."""
    admin = studied(tmp_path, {"careful": 2, "straight_lining": 1}, better_first, questions=[rate()])
    assert reported(admin).questions["empathy"].with_excluded is None
    [bad] = [line.rater for line in admin.raters() if "straight_lining" in line.failed_checks]
    admin.topup((bad,))
    found = reported(admin)
    question = found.questions["empathy"]
    assert found.not_counted == {"excluded": 24}
    assert question.with_excluded is not None
    assert [sum(one.n_ratings for one in a.systems) for a in (question.analysis, question.with_excluded)] == [
        48,
        72,
    ]


@pytest.mark.parametrize("format", ["text", "markdown", "latex", "csv", "html", "json"])
@pytest.mark.parametrize("case", ["nobody", "one rater", "one system", "unfinished"])
def test_what_is_missing_is_said(tmp_path: Path, case: str, format: str) -> None:
    """Every format of a study without answers, with one rater, with one system, and of an unfinished one."""
    if case == "one system":
        store = open_store(tmp_path / "study.db")
        create_study(store, make_protocol(systems=["Ombrevic=o.jsonl"]), make_material(4, ("Ombrevic",)))
        admin = AdminService.open(store, "invented", SECRET)
        admin.set_state("open")
        simulate(admin, RaterService(store, admin.context), {"careful": 2})
    else:
        raters = {"nobody": {}, "one rater": {"careful": 1}, "unfinished": {"careful": 2}}[case]
        admin = studied(tmp_path, raters, alike, n=3, **BOTH)
    found = reported(admin)
    assert "nan" not in render(found, format).lower().split()
    codes = {notice.code for notice in found.warnings}
    assert {"nobody": "no_answers", "one rater": "one_rater", "unfinished": "unfinished"}.get(
        case, "unfinished"
    ) in codes
    if case == "nobody":
        assert (found.questions, found.agreement, found.preference, found.seconds) == ({}, None, None, None)
