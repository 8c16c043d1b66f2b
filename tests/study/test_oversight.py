"""What a researcher sees of a running study, on both databases: pay, agreement, quality, the limit."""

from __future__ import annotations

from typing import Any

import pytest

from empeval.study.service.admin import AdminService
from empeval.study.service.launching import lift_limit
from empeval.study.service.oversight import agreement_so_far, matrix, pay_per_hour
from empeval.study.service.oversight_raters import quality_so_far
from empeval.study.service.rater import RaterService
from empeval.study.service.setup import create_study
from empeval.study.service.views import Finished, ItemView, ShowInstructions, Submission
from empeval.study.store.database import Store
from tests.study.conftest import SECRET, Clock, compare, make_material, make_protocol, rate


class Study:
    """An open study whose clock stands still, and raters who answer as they are told."""

    def __init__(self, store: Store, clock: Clock, n_segments: int = 4, **keys: Any) -> None:
        create_study(store, make_protocol(**keys), make_material(n_segments))
        self.clock = clock
        opened = AdminService.open(store, "invented", SECRET)
        self.admin = AdminService(store, opened.context, clock)
        self.raters = RaterService(store, opened.context, clock)
        self.admin.set_state("open")

    def work(self, name: str, value: Any, *, most: int = 1000, seconds: float = 90.0) -> None:
        """Answer items with what ``value`` makes of their texts, so many seconds each."""
        [(_, access)] = self.admin.invite((name,))
        done = 0
        while done < most:
            view = self.raters.screen(access)
            if isinstance(view, ShowInstructions):
                self.raters.begin(access)
                continue
            if isinstance(view, Finished):
                return
            assert isinstance(view, ItemView)
            self.clock.forward(seconds=seconds)
            given = {control.name: value(view) for control in view.controls}
            self.raters.submit(access, view.token, Submission(given))
            done += 1


def test_pay_per_hour_is_by_the_time_from_the_first_item_to_the_last(store: Store, clock: Clock) -> None:
    """Eight items of 90 seconds are a fifth of an hour: 9 pounds for it are 45 an hour, 180 s each 22.50."""
    pay = {"amount": 9, "currency": "GBP", "minimum_per_hour": 30}
    study = Study(store, clock, pay=pay)
    found = pay_per_hour(study.admin)
    assert found is not None
    assert (0, None, ()) == (found.n_raters, found.median, found.below)
    study.work("ann", lambda _: "3")
    study.clock.forward(hours=5)
    study.work("bob", lambda _: "3", seconds=180.0)
    study.work("cy", lambda _: "3", most=3)
    found = pay_per_hour(study.admin)
    assert found is not None
    slow = study.admin.raters()[1].rater
    assert (2, pytest.approx((45 + 22.5) / 2), (slow,)) == (found.n_raters, found.median, found.below)


def test_pay_that_is_not_stated_is_none(store: Store, clock: Clock) -> None:
    """A study file without pay has no pay per hour."""
    assert pay_per_hour(Study(store, clock).admin) is None


def test_choices_agree_by_response_whatever_side_it_was_on(store: Store, clock: Clock) -> None:
    """Three raters who always take the first system's reply agree wholly with one another."""
    study = Study(store, clock, n_segments=6, questions=[compare()])

    def first_system(view: ItemView) -> str:
        return "first" if view.responses[0].startswith("Reply 0") else "second"

    for name in ("ann", "bob", "cy"):
        study.work(name, first_system)
    [found] = agreement_so_far(study.admin)
    assert (18, "overall", {}) == (found.n_ratings, found.question, found.raters)
    assert {1.0} == set(found.same.values())
    assert 3 == len(found.same)


def test_agreement_of_a_study_without_answers_is_undefined(store: Store, clock: Clock) -> None:
    """No number, and a status that says why."""
    [found] = agreement_so_far(Study(store, clock).admin)
    assert (0, None, {}, {}) == (found.n_ratings, found.alpha.value, found.raters, found.same)
    assert "ok" != found.alpha.status


def test_quality_is_told_before_a_rater_finishes(store: Store, clock: Clock) -> None:
    """Nine answers alike fail, five answers are too few to tell; nothing of it is stored."""
    study = Study(store, clock, n_segments=6, questions=[rate()])
    study.work("ann", lambda _: "3", most=9)
    study.work("bob", lambda _: "3", most=5)
    told = [{one.check: one.verdict for one in rater.verdicts} for rater in quality_so_far(study.admin)]
    assert ["fail", "unknown"] == [one["straight_lining"] for one in told]
    assert [9, 5] == [rater.n_answers for rater in quality_so_far(study.admin)]
    assert [0, 0] == [line.passed + line.failed + line.unknown for line in study.admin.raters()]


def test_the_limit_of_a_soft_launch_can_be_lifted(store: Store, clock: Clock) -> None:
    """The study goes on beyond it; lifting it again changes nothing and is not recorded."""
    study = Study(store, clock)
    study.admin.soft_launch(2)
    study.work("ann", lambda _: "3", most=1)
    lift_limit(study.admin)
    lift_limit(study.admin)
    study.work("ann", lambda _: "3", most=3)
    status = study.admin.status()
    assert ("open", None, 4) == (status.state, status.pause_after, status.slots["done"])
    assert 1 == [action for _, _, action, _ in study.admin.audit()].count("lift_limit")
    assert 4 == sum(cell.n_done for cell in matrix(study.admin))
