"""What `validate` says of a study file: its faults, or its plan in numbers and its warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from empeval.errors import ProtocolError
from empeval.records import Notice
from empeval.report.grids import Grid, as_text
from empeval.study.cautions import study_warnings
from empeval.study.material import Material, check_material
from empeval.study.planning import WORDS_PER_MINUTE, Plan, plan_study
from empeval.study.protocol import StudyProtocol, check_study, files_of

__all__ = ["StudyCheck", "check_file", "fault_message", "plan_text"]


@dataclass(frozen=True)
class StudyCheck:
    """A study file that was looked at; without faults there are study, material and plan."""

    file: str
    faults: tuple[ProtocolError, ...]
    study: StudyProtocol | None = None
    material: Material | None = None
    plan: Plan | None = None
    warnings: tuple[Notice, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, with keys that stay."""
        plan = None
        if self.plan is not None and self.study is not None and self.material is not None:
            plan = {
                "systems": list(self.material.systems),
                "questions": [question.name for question in self.study.questions],
                "platform": self.study.platform,
                "ratings_per_item": self.study.ratings_per_item,
                **asdict(self.plan),
            }
        return {
            "study": None if self.study is None else self.study.id,
            "version": None if self.study is None else self.study.version,
            "faults": [
                {"file": fault.source, "key": fault.key, "message": _sentence(fault)} for fault in self.faults
            ],
            "plan": plan,
            "warnings": [{**asdict(warning), "ids": list(warning.ids)} for warning in self.warnings],
        }


def check_file(file: str | Path) -> StudyCheck:
    """Read a study file and everything that it names; what is wrong is told, not raised."""
    path = Path(file)
    study, faults = check_study(path)
    if study is None:
        files = files_of(path)
        more = [] if files is None else check_material(files, path.parent, str(path))[1]
        return StudyCheck(str(path), (*faults, *more))
    material, faults = check_material(study, path.parent, str(path))
    if material is None:
        return StudyCheck(str(path), tuple(faults), study)
    plan = plan_study(study, material)
    return StudyCheck(str(path), (), study, material, plan, tuple(study_warnings(study, material, plan)))


def fault_message(faults: Sequence[ProtocolError], file: str) -> str:
    """One message with every fault, the file and the key path of each."""
    if len(faults) == 1:
        return str(faults[0])
    return f"{file}: {len(faults)} faults:\n" + "\n".join(f"  {fault}" for fault in faults)


def _sentence(fault: ProtocolError) -> str:
    place = ", ".join(part for part in (fault.source, fault.key) if part)
    return str(fault).removeprefix(f"{place}: ")


def plan_text(found: StudyCheck) -> str:
    """The plan for a terminal."""
    study, material, plan = found.study, found.material, found.plan
    assert study is not None, "a file with faults has no plan"
    assert material is not None
    assert plan is not None
    asked = ", ".join(f"{question.name} ({question.kind})" for question in study.questions)
    rows = [
        ("systems", f"{plan.n_systems}: {', '.join(material.systems)}"),
        ("items", f"{plan.n_segments:,} ({study.sampling.method})"),
        ("questions", asked),
        ("showings", f"{plan.n_showings:,} ({_shown(study, plan)})"),
        ("slots", f"{plan.n_slots:,} ({study.ratings_per_item} for each showing)"),
        ("one rater", f"{plan.n_main:,} items at most, and {plan.n_checks} checks or practice items"),
        ("raters needed", f"{plan.raters_needed:,} ({study.platform})"),
        ("minutes", f"about {plan.minutes:.0f} for one rater, {plan.minutes_per_item:.1f} for an item"),
        ("cost", _cost(plan)),
    ]
    notes = [
        f"Minutes are an estimate: {WORDS_PER_MINUTE} words a minute, and a few seconds for each answer.",
        *(["The platform's fee is an assumption; look it up."] if plan.fee else []),
    ]
    return as_text([Grid(f"Study {study.id}, version {study.version}", ("", ""), rows, 2, notes)])


def _shown(study: StudyProtocol, plan: Plan) -> str:
    single = f"{plan.n_systems} single responses" if plan.n_systems > 1 else "1 response"
    pairs = f"{plan.n_pairs} {'pair' if plan.n_pairs == 1 else 'pairs'} of responses"
    of_each = {"rating": single, "pair": pairs}
    return f"{' and '.join(of_each[kind] for kind in study.kinds)} an item"


def _cost(plan: Plan) -> str:
    if plan.cost is None or plan.pay is None:
        return "not known: pay is not stated"
    hourly = "" if plan.pay_per_hour is None else f"; {plan.pay_per_hour:.2f} an hour"
    if plan.fee:
        paid = f"{plan.pay:,.2f} of pay and {plan.fee_share:.0%} fee"
        return f"{plan.cost:,.2f} {plan.currency} ({paid}{hourly})"
    return f"{plan.cost:,.2f} {plan.currency} ({plan.raters_needed} raters{hourly})"
