"""What can be told of raters while they work: time, straight-lining, damaged responses among the others."""

from __future__ import annotations

from dataclasses import dataclass

from empeval.study.quality import QcVerdict
from empeval.study.service.admin import AdminService
from empeval.study.service.checking import overall
from empeval.study.store.transaction import Transaction

__all__ = ["QualitySoFar", "quality_so_far"]


@dataclass(frozen=True)
class QualitySoFar:
    """One rater's verdicts over all his answers until now; nothing of it is stored."""

    rater: str
    kind: str
    state: str
    n_answers: int
    verdicts: tuple[QcVerdict, ...]


def quality_so_far(admin: AdminService) -> list[QualitySoFar]:
    """The verdicts that are stored when a rater finishes, as they would be now, in the order of arrival.

    Too few answers are unknown. Like those that are stored, they are notes: exclude by rules that were fixed
    before.
    """

    def work(tx: Transaction) -> list[QualitySoFar]:
        found = []
        for rater in tx.raters(admin.context.study_id):
            behind = tx.answered(rater.id)
            n = sum(not done.rating.skipped and done.showing.purpose == "main" for done in behind)
            verdicts = tuple(overall(tx, admin.context, behind))
            found.append(QualitySoFar(rater.pseudonym, rater.kind, rater.state, n, verdicts))
        return found

    return admin.store.read(work)
