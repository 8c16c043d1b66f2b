"""What the views of raters say: how far they are, and what stands in a form."""

from __future__ import annotations

from empeval.study.service.admin import AdminService
from empeval.study.service.rater import RaterService
from empeval.study.service.setup import create_study
from empeval.study.service.views import ItemView, ShowInstructions, Submission, TryAgain
from empeval.study.store.database import Store
from tests.study.conftest import SECRET, make_material, make_protocol

LOST = {"context": ["I lost my keys."], "response": "Good for you!", "expected": {"empathy": 1}}


def opened(store: Store, **keys: object) -> tuple[RaterService, str]:
    """A study, and a rater who stands before the first item."""
    create_study(store, make_protocol(**keys), make_material(3))
    admin = AdminService.open(store, "invented", SECRET)
    admin.set_state("open")
    [(_, access)] = admin.invite(("ann",))
    service = RaterService.open(store, "invented", SECRET)
    service.screen(access)
    service.begin(access)
    return service, access


def test_progress_counts_the_item_in_hand(store: Store) -> None:
    """Of three dialogues with two replies each, a rater sees 0 of 6 at first and 5 of 6 at last."""
    service, access = opened(store)
    seen = []
    while isinstance(view := service.screen(access), ItemView):
        seen.append((view.progress.done, view.progress.total))
        service.submit(access, view.token, Submission({"empathy": 3}))
    assert [(done, 6) for done in range(6)] == seen


def test_another_try_at_practice_begins_with_an_empty_form(store: Store) -> None:
    """What was answered wrongly is not offered again, since nothing is ever chosen beforehand."""
    service, access = opened(store, practice={"items": [LOST]})
    view = service.screen(access)
    assert isinstance(view, ItemView)
    assert view.is_practice
    assert isinstance(service.submit(access, view.token, Submission({"empathy": 5}, comment="x")), TryAgain)
    again = service.screen(access)
    assert isinstance(again, ItemView)
    assert again.token != view.token
    assert ({}, "") == (dict(again.answers), again.comment)


def test_instructions_are_at_hand_at_any_time(store: Store) -> None:
    """They are asked for without a rater, and tell nothing about one."""
    service, _ = opened(store)
    shown = service.instructions()
    assert isinstance(shown, ShowInstructions)
    assert "Read the dialogue, then rate the reply." == shown.text
