"""An export back into a database: the same study, raters, answers and verdicts, with links that are new."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.exc import IntegrityError

from empeval.errors import InputError
from empeval.study.exporting.layout import read_table
from empeval.study.exporting.tables import TABLES
from empeval.study.ids import new_id, new_token, sha256
from empeval.study.questions import Answer, Question
from empeval.study.service.admin import AdminService
from empeval.study.service.context import Context
from empeval.study.service.entering import FORM
from empeval.study.store.models import Showing, Slot
from empeval.study.store.people import Rater, Rating
from empeval.study.store.transaction import Transaction

__all__ = ["Imported", "import_study"]


@dataclass(frozen=True)
class Imported:
    """How many raters and answers were taken in."""

    n_raters: int
    n_answers: int


def import_study(admin: AdminService, folder: str | Path) -> Imported:
    """Take an export with all revisions into a study that nobody has worked in.

    The study must be the one that the export is from: same file, same outputs. Raises InputError where
    it is not, where it holds raters already, and for files that are no export.
    """
    place = Path(folder)
    tables = {name: read_table(place, table) for name, table in TABLES.items()}

    def work(tx: Transaction) -> Imported:
        if tx.n_raters(admin.context.study_id):
            raise InputError(
                "the study holds raters already; an export is imported into one that nobody has entered"
            )
        return _Importer(tx, admin.context, tables, str(place)).run()

    try:
        return admin.store.write(work)
    except IntegrityError as error:
        raise InputError(
            f"the tables do not fit together, or have been changed: {error.orig}", source=str(place)
        ) from None


class _Importer:
    def __init__(
        self, tx: Transaction, context: Context, tables: Mapping[str, list[dict[str, Any]]], source: str
    ) -> None:
        self.tx, self.context, self.tables, self.source = tx, context, tables, source
        self.raters: dict[str, Rater] = {}
        self.private: dict[tuple[Any, ...], Slot] = {}
        self.ratings: dict[int, str] = {}
        self.places = {
            (place.item, place.kind, place.low, place.high, place.purpose, place.replicate): place.showing
            for place in tx.places(context.study_id)
        }
        self.main = {(slot.showing_id, slot.rep): slot for slot in tx.main_slots(context.study_id)}

    def run(self) -> Imported:
        for row in self.tables["raters"]:
            self._rater(row)
        values = self._values()
        for row in self.tables["answers"]:
            self._answer(row, values.get(row["answer"], {}))
        for row in self.tables["forms"]:
            rater = self._known(row, "forms")
            self.tx.put_form(rater.id, FORM, {row["question"]: row["value"] or ""}, row["time"])
        for row in self.tables["checks"]:
            about = self.ratings.get(row["answer"]) if row["answer"] is not None else None
            self.tx.add_check(
                self._known(row, "checks").id,
                about,
                row["check"],
                row["verdict"],
                row["detail"] or "",
                row["time"],
            )
        return Imported(len(self.raters), len(self.ratings))

    def _known(self, row: dict[str, Any], table: str) -> Rater:
        if row["rater"] not in self.raters:
            raise InputError(f"{table}: there is no rater {row['rater']!r}", source=self.source)
        return self.raters[row["rater"]]

    def _rater(self, row: dict[str, Any]) -> None:
        nonce = new_token()
        rater = Rater(
            id=new_id(),
            study_id=self.context.study_id,
            pseudonym=row["rater"],
            platform=row["platform"],
            platform_id_hmac=new_token(),
            access_nonce=nonce,
            access_token_sha256=sha256(nonce),
            kind=row["rater_kind"],
            state=row["state"],
            block_reason=row["block_reason"],
            seed=row["seed"],
            consent_version=row["consent_version"],
            consented_at=row["consented_at"],
            finished_at=row["finished_at"],
        )
        self.tx.add_named(rater)
        self.raters[rater.pseudonym] = rater

    def _values(self) -> dict[int, dict[str, tuple[Answer, str | None]]]:
        """By answer, the value of each question, and the system or word that a choice means."""
        questions = {question.name: question for question in self.context.protocol.questions}
        found: dict[int, dict[str, tuple[Answer, str | None]]] = {}
        for table, column in (("ratings", "value"), ("texts", "text")):
            for row in self.tables[table]:
                question = self._question(questions, row)
                value = question.parse(row[column])
                found.setdefault(row["answer"], {})[question.name] = (value, None)
        for row in self.tables["preferences"]:
            chosen = row["winner"]
            question = self._question(questions, row)
            stored = chosen if question.kind == "pairwise" else question.parse(chosen)
            found.setdefault(row["answer"], {})[question.name] = (stored, chosen)
        return found

    def _question(self, questions: Mapping[str, Question], row: dict[str, Any]) -> Question:
        if row["question"] not in questions:
            raise InputError(f"the study has no question {row['question']!r}", source=self.source)
        return questions[row["question"]]

    def _answer(self, row: dict[str, Any], values: Mapping[str, tuple[Answer, str | None]]) -> None:
        rater = self.raters.get(row["rater"])
        if rater is None:
            raise InputError(f"answer {row['answer']}: there is no such rater", source=self.source)
        slot = self._slot(row, rater)
        sides = {row["system_a"]: "low", row["system_b"]: "high"}
        pairwise = {q.name for q in self.context.protocol.questions if q.kind == "pairwise"}
        winners = {
            name: sides.get(str(system), str(system)) if name in pairwise else None
            for name, (_, system) in values.items()
        }
        shown = {slot.first: "first", "high" if slot.first == "low" else "low": "second"}
        stored = {
            name: shown.get(str(winners[name]), str(value)) if winners[name] else value
            for name, (value, _) in values.items()
        }
        claim = self.tx.issue_past(slot, rater.id, row["attempt"], row["revision"], row["served_at"])
        if row["counted"]:
            slot.state, slot.rater_id, slot.token = "done", rater.id, claim.token
        slot.attempt = max(slot.attempt, row["attempt"])
        rating = Rating(
            id=new_id(),
            slot_id=slot.id,
            revision=row["revision"],
            token=claim.token,
            rater_id=rater.id,
            values_json=stored,
            comment=row["comment"],
            flags_json=["flagged"] if row["flagged"] else [],
            skipped=row["skipped"],
            counted=row["counted"],
            not_counted_reason=row["not_counted_reason"],
            served_at=row["served_at"],
            first_input_at=row["first_input_at"],
            submitted_at=row["time"],
            active_ms=row["active_ms"],
            app_version=row["app_version"],
        )
        self.tx.flush()
        self.tx.add_rating(rating, winners)
        self.ratings[row["answer"]] = rating.id

    def _slot(self, row: dict[str, Any], rater: Rater) -> Slot:
        kind, low, high = row["kind"], row["system_a"], row["system_b"]
        is_private = row["position"] is not None
        if row["purpose"] == "duplicate":
            found = self.places.get((row["item"], kind, low, high, "main", 0))
        else:
            replicate = row["replicate"] or 0
            found = self.places.get((row["item"], kind, low, high, row["purpose"], replicate))
        if found is None:
            raise InputError(
                f"answer {row['answer']}: the study shows no such item ({row['item']}); is the export of "
                "this study, and of this version of it?",
                source=self.source,
            )
        if not is_private:
            slot = self.main.get((found.id, row["rep"]))
            if slot is None:
                raise InputError(f"answer {row['answer']}: there is no such place", source=self.source)
            return slot
        key = rater.id, row["position"], row["rep"]
        if key not in self.private:
            showing = self._repeat(found, row["replicate"]) if row["purpose"] == "duplicate" else found
            first = "high" if kind == "pair" and row["first_shown"] == high else "low"
            self.private[key] = self.tx.add_private(rater, showing.id, row["position"], first, row["rep"])
            self.private[key].state = "void"
            self.tx.flush()
        return self.private[key]

    def _repeat(self, showing: Showing, replicate: int) -> Showing:
        again = self.tx.add_repeat(showing)
        again.replicate = replicate
        return again
