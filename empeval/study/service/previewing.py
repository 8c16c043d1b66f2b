"""What raters will see, for the researcher: from the same parts, and nothing is stored."""

from __future__ import annotations

import hmac

from empeval.study.service import showing
from empeval.study.service.context import Context
from empeval.study.service.views import ItemView, Progress, Screen
from empeval.study.store.transaction import Transaction

__all__ = ["N_ITEMS", "preview"]

#: How many items of each kind a preview shows.
N_ITEMS = 3


def preview(tx: Transaction, context: Context, key: object) -> tuple[Screen, ...] | None:
    """The pages of a study and its first items; None for a key that is not the right one."""
    if not isinstance(key, str) or not hmac.compare_digest(key.encode(), context.preview_key.encode()):
        return None
    pages: list[Screen] = []
    if context.protocol.consent is not None:
        pages.append(showing.consent_page(context))
    if context.protocol.demographics:
        pages.append(showing.form_page(context))
    pages.append(showing.instructions_page(context))
    shown = [
        tx.shown(made.id)
        for purpose in ("practice", "main")
        for kind in context.protocol.kinds
        for made in tx.some_showings(context.study_id, purpose, kind, N_ITEMS)
    ]
    for i, one in enumerate(shown):
        kind = one.showing.kind
        pages.append(
            ItemView(
                token=f"preview-{i}",
                turns=tuple(one.segment.turns_json),
                responses=(one.low.text,) if kind == "rating" else (one.low.text, one.high.text),
                situation=one.segment.situation if context.protocol.presentation.situation else None,
                emotion=one.segment.emotion if context.protocol.presentation.emotion else None,
                controls=tuple(
                    question.control()
                    for question in context.protocol.asked_about("rating" if kind == "rating" else "pair")
                ),
                answers={},
                comment="",
                flagged=False,
                progress=Progress(i, len(shown)),
                can_skip=False,
                can_go_back=False,
                is_practice=one.showing.purpose == "practice",
            )
        )
    return tuple(pages)
