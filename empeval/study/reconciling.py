"""A crowd platform's list of submissions against the database: who is to be paid, and what does not fit."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from empeval.errors import InputError
from empeval.study.ids import hidden
from empeval.study.preparing import Prepared

__all__ = ["FINDINGS", "Finding", "reconcile"]

#: What may be found, and what to do about it.
FINDINGS: Mapping[str, str] = {
    "approve": "finished here: approve the submission",
    "paid": "finished here, and approved there",
    "pay": "finished here, but returned, timed out or rejected there: pay by hand",
    "screened_out": "screened out here: pay as the platform does for that",
    "stopped": "withdrew or was blocked here: decide by the study's rules",
    "unfinished": "handed in there, not finished here: ask before deciding",
    "at_work": "still at work",
    "gone": "left without finishing, there and here",
    "unknown": "not known here",
    "missing": "known here, not in the list",
}

_PERSON = ("participant id", "participant_id", "prolific_pid")
_STATUS = ("status",)
_ENDED = ("RETURNED", "TIMED-OUT", "TIMED OUT", "REJECTED")


@dataclass(frozen=True)
class Finding:
    """One submission: the platform's id of the person (None: only the database knows), what was found."""

    person: str | None
    rater: str | None
    platform_status: str | None
    state: str | None
    finding: str


def reconcile(study: Prepared, file: str | Path) -> list[Finding]:
    """Every submission of Prolific's CSV, then every rater who is not in it.

    Raises InputError for a file that is no such list, with its line.
    """
    path = Path(file)
    rows = _rows(path)
    context = study.admin().context
    raters = study.store.read(
        lambda tx: [rater for rater in tx.raters(context.study_id) if rater.platform == "prolific"]
    )
    known = {rater.platform_id_hmac: rater for rater in raters}
    found, seen = [], set()
    for person, status in rows:
        key = hidden(context.secret, "platform", "prolific", person)
        rater = known.get(key)
        seen.add(key)
        state = None if rater is None else rater.state
        found.append(
            Finding(
                person, None if rater is None else rater.pseudonym, status, state, _finding(state, status)
            )
        )
    found += [
        Finding(None, rater.pseudonym, None, rater.state, "missing")
        for key, rater in known.items()
        if key not in seen
    ]
    return found


def _finding(state: str | None, status: str) -> str:
    ended, approved = status in _ENDED, status == "APPROVED"
    if state is None:
        return "gone" if ended else "unknown"
    if state == "finished":
        return "paid" if approved else "pay" if ended else "approve"
    if state == "screened_out":
        return "screened_out"
    if state in ("withdrawn", "blocked"):
        return "stopped"
    if ended:
        return "gone"
    return "at_work" if status in ("ACTIVE", "RESERVED") else "unfinished"


def _rows(path: Path) -> list[tuple[str, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            names = {name.strip().lower(): name for name in reader.fieldnames or ()}
            person = next((names[name] for name in _PERSON if name in names), None)
            status = next((names[name] for name in _STATUS if name in names), None)
            if person is None or status is None:
                raise InputError(
                    "expected Prolific's list of submissions, with the columns 'Participant id' and 'Status'",
                    source=str(path),
                )
            rows = []
            for line, row in enumerate(reader, start=2):
                if not (row[person] or "").strip():
                    raise InputError("the participant's id is missing", source=str(path), line=line)
                rows.append((row[person].strip(), (row[status] or "").strip().upper()))
            return rows
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"the list cannot be read: {error}", source=str(path)) from None
