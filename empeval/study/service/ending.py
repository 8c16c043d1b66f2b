"""How a rater comes to an end: finished, or screened out after practice."""

from __future__ import annotations

from datetime import datetime

from empeval.study.quality import check_expected
from empeval.study.service import checking
from empeval.study.service.context import Context
from empeval.study.service.views import Finished
from empeval.study.store.people import Rater
from empeval.study.store.transaction import Transaction

__all__ = ["fails_practice", "finish", "finished_page", "screen_out", "way_back"]

_PROLIFIC = "https://app.prolific.com/submissions/complete?cc={code}"


def way_back(context: Context, code: str | None) -> str | None:
    """The address that hands a code to the platform."""
    if code is None:
        return None
    template = context.protocol.completion.url
    if template is None and context.protocol.platform == "prolific":
        template = _PROLIFIC
    return None if template is None else template.replace("{code}", code)


def finish(tx: Transaction, context: Context, rater: Rater, now: datetime) -> Finished:
    """Nothing is left for this rater: his work is judged as a whole, and he gets the code for all of it."""
    tx.void_private(rater.id)
    rater.state, rater.finished_at = "finished", now
    checking.judge_rater(tx, context, rater, now)
    return finished_page(tx, context, rater)


def finished_page(tx: Transaction, context: Context, rater: Rater) -> Finished:
    """The last page."""
    code = context.protocol.completion.done
    return Finished(code, way_back(context, code), context.protocol.debrief, tx.n_behind(rater.id))


def fails_practice(tx: Transaction, context: Context, rater: Rater) -> bool:
    """Whether more practice items than allowed stayed wrong to the last try."""
    part = context.protocol.practice
    if part is None or not part.screen_out:
        return False
    wrong = sum(
        check_expected("practice", done.rating.values_json, done.showing.gold_json["expected"]).verdict
        == "fail"
        for done in tx.answered(rater.id)
        if done.showing.purpose == "practice" and done.showing.gold_json
    )
    return wrong > part.max_failures


def screen_out(tx: Transaction, context: Context, rater: Rater, now: datetime) -> None:
    """End it for a rater whose practice did not go well, with the code for that."""
    tx.void_private(rater.id)
    rater.state, rater.finished_at = "screened_out", now
    tx.record(context.study_id, now, "service", "screen_out")
