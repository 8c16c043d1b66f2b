"""What raters can do, on both databases: the door, items, answers, corrections, leaving."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from empeval.errors import InputError
from empeval.study.service.admin import AdminService
from empeval.study.service.rater import RaterService
from empeval.study.service.setup import create_study
from empeval.study.service.views import (
    AlreadySaved,
    Arrival,
    AskConsent,
    AskForm,
    Blocked,
    Closed,
    ComeBack,
    Entered,
    Finished,
    Full,
    GaveUp,
    ItemView,
    Kept,
    Paused,
    Refused,
    Rejected,
    Saved,
    ScreenedOut,
    ShowInstructions,
    Submission,
    TryAgain,
    Unknown,
)
from empeval.study.store.database import Store
from tests.study.conftest import SECRET, Clock, compare, make_material, make_protocol, rate

CODES = {"done": "D1", "screened_out": "S1", "problem": "P1"}
CONSENT = {"text": "You rate replies.", "statements": ["I am an adult.", "I agree."]}


class Lab:
    """A study with its two services, and raters by their links."""

    def __init__(self, store: Store, clock: Clock, n_segments: int = 4, **keys: Any) -> None:
        create_study(store, make_protocol(**keys), make_material(n_segments), clock())
        admin = AdminService.open(store, "invented", SECRET)
        self.admin = AdminService(store, admin.context, clock)
        self.raters = RaterService(store, admin.context, clock)
        self.admin.set_state("open")

    def link(self, name: str = "ann") -> str:
        """A rater who stands before the first item."""
        [(_, access)] = self.admin.invite((name,))
        self.through(access)
        return access

    def through(self, access: str) -> None:
        """Past consent, form and instructions."""
        view = self.raters.screen(access)
        if isinstance(view, AskConsent):
            self.raters.consent(access, [True] * len(view.statements))
            view = self.raters.screen(access)
        if isinstance(view, ShowInstructions):
            self.raters.begin(access)

    def item(self, access: str) -> ItemView:
        view = self.raters.screen(access)
        assert isinstance(view, ItemView), view
        return view

    def rate(self, access: str, value: int = 3) -> Any:
        """Answer the item in hand, whatever it asks."""
        view = self.item(access)
        return self.raters.submit(access, view.token, Submission(answers(view, value)))

    def exported(self) -> list[tuple[Any, ...]]:
        """Every answer as (rater, counted, reason, revision, values)."""
        study_id = self.admin.context.study_id
        return self.admin.store.read(
            lambda tx: [
                (
                    row.rater.pseudonym,
                    row.rating.counted,
                    row.rating.not_counted_reason,
                    row.rating.revision,
                    dict(row.rating.values_json),
                )
                for row in tx.rows(study_id)
            ]
        )


def answers(view: ItemView, value: int = 3) -> dict[str, object]:
    """An answer to every question: this point, or the first reply."""
    return {control.name: str(value) if control.kind == "likert" else "first" for control in view.controls}


@pytest.fixture
def lab(store: Store, clock: Clock) -> Lab:
    """A small study of ratings."""
    return Lab(store, clock)


def test_a_reload_gives_the_same_item(lab: Lab) -> None:
    """Asking again, as a reload or a second tab does, never takes a second slot."""
    access = lab.link()
    assert lab.item(access) == lab.item(access)
    assert lab.admin.status().slots["held"] == 1


def test_a_double_click_is_one_rating(lab: Lab) -> None:
    """The same answer under the same token is saved once, before and after the next item was given."""
    access = lab.link()
    view = lab.item(access)
    given = Submission(answers(view, 4))
    assert lab.raters.submit(access, view.token, given) == Saved(1)
    assert lab.raters.submit(access, view.token, given) == AlreadySaved()
    assert lab.item(access).token != view.token
    assert lab.raters.submit(access, view.token, given) == AlreadySaved()
    assert len(lab.exported()) == 1


def test_two_tabs_with_different_answers_keep_both(lab: Lab) -> None:
    """The second answer is a revision: the first one stays, and counts no longer."""
    access = lab.link()
    view = lab.item(access)
    lab.raters.submit(access, view.token, Submission({"empathy": "2"}))
    assert lab.raters.submit(access, view.token, Submission({"empathy": "5"})) == Saved(2)
    assert [(row[1], row[2], row[3], row[4]) for row in lab.exported()] == [
        (False, "revised", 1, {"empathy": 2}),
        (True, None, 2, {"empathy": 5}),
    ]


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({}, "Please answer: How much empathy?"),
        ({"empathy": ""}, "Please answer: How much empathy?"),
        ({"empathy": "6"}, "That is not one of the answers to: How much empathy?"),
        ({"empathy": ["3"]}, "Please answer: How much empathy?"),
    ],
)
def test_forged_and_missing_answers_are_rejected(lab: Lab, values: dict[str, object], problem: str) -> None:
    """Nothing that was not offered is stored; the message is for the rater."""
    access = lab.link()
    view = lab.item(access)
    result = lab.raters.submit(access, view.token, Submission(values))
    assert isinstance(result, Rejected)
    assert result.problems == {"empathy": problem}
    assert lab.exported() == []
    assert lab.item(access).token == view.token


def test_tokens_of_others_open_nothing(lab: Lab) -> None:
    """A slot's token works with its own rater's link alone, and a made-up one with none."""
    ann, bob = lab.link("ann"), lab.link("bob")
    view = lab.item(ann)
    given = Submission(answers(view))
    assert lab.raters.submit(bob, view.token, given) == Refused("not_yours")
    assert lab.raters.item(bob, view.token) == Refused("not_yours")
    assert lab.raters.back(bob, view.token) == Refused("not_yours")
    assert not lab.raters.draft(bob, view.token, {"empathy": "1"})
    assert not lab.raters.heartbeat(bob, view.token)
    assert lab.raters.submit(ann, "0" * 32, given) == Refused("not_yours")
    assert lab.raters.screen("0" * 32) == Unknown()
    assert lab.raters.enter(Arrival(token="0" * 32)) == Refused("wrong_link")
    assert lab.raters.enter(Arrival()) == Refused("no_link")
    assert lab.exported() == []


def test_a_lease_that_ran_out_still_counts_if_nobody_took_the_item(lab: Lab, clock: Clock) -> None:
    """Two hours later the answer counts."""
    access = lab.link()
    view = lab.item(access)
    clock.forward(hours=2)
    assert lab.raters.submit(access, view.token, Submission(answers(view))) == Saved(1)


def test_a_late_answer_is_kept_and_not_counted(store: Store, clock: Clock) -> None:
    """Somebody else was given the item meanwhile: both answers are there, one counts."""
    lab = Lab(
        store, clock, n_segments=1, systems=["Ombrevic=o.jsonl", "Tiskarel=t.jsonl"], ratings_per_item=1
    )
    ann, bob = lab.link("ann"), lab.link("bob")
    lost = lab.item(ann)
    lab.rate(bob)
    waiting = lab.raters.screen(bob)
    assert isinstance(waiting, ComeBack)
    assert waiting.minutes == 30
    clock.forward(minutes=31)
    lab.rate(bob, 5)
    assert lab.raters.submit(ann, lost.token, Submission({"empathy": "1"})) == Kept("late")
    assert lab.raters.submit(ann, lost.token, Submission({"empathy": "1"})) == AlreadySaved()
    assert lab.raters.submit(ann, lost.token, Submission({"empathy": "2"})) == Kept("late")
    counted = [row for row in lab.exported() if row[1]]
    assert len(counted) == 2
    assert [row[2] for row in lab.exported() if not row[1]] == ["late", "late"]
    assert isinstance(lab.raters.screen(ann), Finished)


def test_a_sign_of_life_holds_an_item_up_to_the_cap(store: Store, clock: Clock) -> None:
    """A heartbeat every ten minutes keeps the lease for the hour that the study allows, and no longer."""
    lab = Lab(store, clock, n_segments=1, ratings_per_item=1, lease_minutes=20, lease_cap_minutes=60)
    ann, bob = lab.link("ann"), lab.link("bob")
    view = lab.item(ann)
    lab.rate(bob)
    for _ in range(5):
        clock.forward(minutes=10)
        assert lab.raters.heartbeat(ann, view.token)
        assert isinstance(lab.raters.screen(bob), ComeBack)
    clock.forward(minutes=11)
    assert isinstance(lab.raters.screen(bob), ItemView)
    assert not lab.raters.heartbeat(ann, view.token)


def test_a_draft_comes_back_and_belongs_to_its_rater(lab: Lab) -> None:
    """What stood in the form is there after a reload; a forged part of it is not kept."""
    access = lab.link()
    view = lab.item(access)
    assert lab.raters.draft(access, view.token, {"empathy": "4", "other": "9"}, "warm\x00", flagged=True)
    again = lab.item(access)
    assert (dict(again.answers), again.comment, again.flagged) == ({"empathy": 4}, "warm\ufffd", True)
    lab.raters.submit(access, view.token, Submission({"empathy": "4"}, comment="so"))
    assert lab.item(access).answers == {}


def test_going_back_makes_a_revision_and_leads_forward_again(lab: Lab) -> None:
    """The item before shows the saved answer; correcting it moves nobody's place."""
    access = lab.link()
    first = lab.item(access)
    assert not first.can_go_back
    lab.rate(access, 2)
    second = lab.item(access)
    assert second.can_go_back
    before = lab.raters.back(access, second.token)
    assert isinstance(before, ItemView)
    assert (before.responses, before.answers, before.is_edit) == (first.responses, {"empathy": 2}, True)
    assert before.token not in (first.token, second.token)
    assert lab.raters.item(access, before.token) == before
    assert lab.raters.submit(access, before.token, Submission({"empathy": "5"})) == Saved(2)
    assert lab.raters.submit(access, before.token, Submission({"empathy": "5"})) == AlreadySaved()
    assert lab.item(access).token == second.token
    assert [row[4]["empathy"] for row in lab.exported() if row[1]] == [5]


def test_a_skipped_item_goes_to_others_and_counts_for_the_rater(store: Store, clock: Clock) -> None:
    """The skip is kept, the slot is open again, and this rater never gets the item again."""
    lab = Lab(store, clock, n_segments=2, ratings_per_item=1)
    ann = lab.link()
    skipped = lab.item(ann)
    assert skipped.can_skip
    assert lab.raters.skip(ann, skipped.token) == Kept("skipped")
    assert lab.raters.skip(ann, skipped.token) == AlreadySaved()
    seen = []
    while isinstance(view := lab.raters.screen(ann), ItemView):
        seen.append((view.turns, view.responses))
        lab.raters.submit(ann, view.token, Submission(answers(view)))
    assert (skipped.turns, skipped.responses) not in seen
    assert len(seen) == 3
    assert view == Finished(None, None, None, 4)
    assert lab.admin.status().slots == {"open": 1, "held": 0, "done": 3, "void": 0}
    bob = lab.link("bob")
    assert lab.item(bob).responses == skipped.responses


def test_skips_can_be_limited(store: Store, clock: Clock) -> None:
    """After the last allowed skip there is no button, and a forged skip is refused."""
    lab = Lab(store, clock, skip={"allowed": True, "max_per_rater": 1})
    access = lab.link()
    lab.raters.skip(access, lab.item(access).token)
    view = lab.item(access)
    assert not view.can_skip
    assert lab.raters.skip(access, view.token) == Refused("not_now")


def test_consent_comes_first_and_needs_every_statement(store: Store, clock: Clock) -> None:
    """Consent, form, instructions, items: in this order, and none can be jumped over."""
    lab = Lab(
        store,
        clock,
        consent=CONSENT,
        demographics=[
            {"name": "age", "prompt": "Your age?", "kind": "number", "required": True},
            {"name": "english", "prompt": "English?", "kind": "choice", "options": ["yes", "no"]},
        ],
    )
    [(_, access)] = lab.admin.invite(("ann",))
    lab.raters.begin(access)
    assert isinstance(lab.raters.screen(access), AskConsent)
    assert not lab.raters.consent(access, [True, False])
    assert not lab.raters.consent(access, [])
    assert lab.raters.consent(access, [True, True])
    lab.raters.begin(access)
    assert isinstance(lab.raters.screen(access), AskForm)
    assert set(lab.raters.answer_form(access, {"age": "old", "english": "perhaps"})) == {"age", "english"}
    assert set(lab.raters.answer_form(access, {})) == {"age"}
    assert lab.raters.answer_form(access, {"age": "41"}) == {}
    assert isinstance(lab.raters.screen(access), ShowInstructions)
    lab.raters.begin(access)
    assert isinstance(lab.raters.screen(access), ItemView)


PRACTICE = {
    "items": [
        {
            "context": ["My dog died."],
            "response": "Cool!",
            "expected": {"empathy": [1, 2]},
            "explanation": "It does not see the loss.",
        }
    ]
}


def test_practice_gives_two_tries(store: Store, clock: Clock) -> None:
    """A wrong try is told with its reason; a double click is no second try; the right answer leads on."""
    lab = Lab(store, clock, practice=PRACTICE)
    access = lab.link()
    view = lab.item(access)
    assert view.is_practice
    wrong = Submission({"empathy": "5"})
    assert lab.raters.submit(access, view.token, wrong) == TryAgain(("empathy",), "It does not see the loss.")
    assert lab.raters.submit(access, view.token, wrong) == AlreadySaved()
    again = lab.item(access)
    assert again.is_practice
    assert lab.raters.submit(access, again.token, Submission({"empathy": "1"})) == Saved(
        2, "It does not see the loss."
    )
    assert not lab.item(access).is_practice


def test_failed_practice_screens_out_with_its_own_code(store: Store, clock: Clock) -> None:
    """Two wrong tries end it, before any main item was given."""
    lab = Lab(store, clock, practice=PRACTICE, completion=CODES)
    access = lab.link()
    lab.rate(access, 5)
    lab.rate(access, 5)
    assert lab.raters.screen(access) == ScreenedOut("S1", None)
    assert lab.admin.status().slots["done"] == 0


def prolific(**keys: Any) -> dict[str, Any]:
    """The keys of a small study on Prolific."""
    return {"platform": "prolific", "consent": CONSENT, "completion": CODES, "quota": 4, **keys}


def arrival(person: str, session: str) -> Arrival:
    """Somebody whom Prolific sent."""
    return Arrival(platform_id=person, session_ref=session, study_ref="study")


def test_a_platforms_id_alone_lets_nobody_back_in(store: Store, clock: Clock) -> None:
    """The same submission resumes; another one with a known id, or a known one with another id, does not."""
    lab = Lab(store, clock, **prolific())
    entered = lab.raters.enter(arrival("p1", "s1"))
    assert isinstance(entered, Entered)
    assert lab.raters.enter(arrival("p1", "s1")) == entered
    assert lab.raters.enter(arrival("p1", "guessed")) == Refused("other_session")
    assert lab.raters.enter(arrival("p2", "s1")) == Refused("other_session")
    assert lab.raters.enter(Arrival(platform_id="p1")) == Refused("no_link")
    assert lab.raters.enter(Arrival(token=entered.token)) == entered


def test_finishing_gives_the_code_and_the_way_back(store: Store, clock: Clock) -> None:
    """The code is in no view before the last item is done; the end is the same at every reload."""
    lab = Lab(store, clock, **prolific(debrief="Thank you."))
    entered = lab.raters.enter(arrival("p1", "s1"))
    assert isinstance(entered, Entered)
    lab.through(entered.token)
    for _ in range(4):
        assert "D1" not in repr(lab.raters.screen(entered.token))
        lab.rate(entered.token)
    end = Finished("D1", "https://app.prolific.com/submissions/complete?cc=D1", "Thank you.", 4)
    assert lab.raters.screen(entered.token) == end
    assert lab.raters.screen(entered.token) == end


def test_nobody_is_admitted_who_would_run_dry(store: Store, clock: Clock) -> None:
    """Twelve places are three quotas of four: a fourth rater is told before consent, and again after it."""
    lab = Lab(store, clock, n_segments=6, **prolific(ratings_per_item=1))
    entered = [lab.raters.enter(arrival(f"p{i}", f"s{i}")) for i in range(4)]
    assert [type(result) for result in entered] == [Entered, Entered, Entered, Full]
    clock.forward(minutes=31)
    assert isinstance(lab.raters.enter(arrival("p9", "s9")), Entered)


def test_one_response_of_a_segment_for_crowds(store: Store, clock: Clock) -> None:
    """With policy one, a rater sees no dialogue twice."""
    lab = Lab(store, clock, n_segments=4, **prolific())
    entered = lab.raters.enter(arrival("p1", "s1"))
    assert isinstance(entered, Entered)
    lab.through(entered.token)
    turns = []
    for _ in range(4):
        turns.append(lab.item(entered.token).turns)
        lab.rate(entered.token)
    assert len(set(turns)) == 4


def test_paused_closed_and_soft_launch(lab: Lab) -> None:
    """A pause keeps the item in hand; a soft launch pauses by itself; a closed study stays closed."""
    access = lab.link()
    view = lab.item(access)
    lab.admin.set_state("paused")
    assert lab.raters.screen(access) == Paused()
    assert lab.raters.submit(access, view.token, Submission(answers(view))) == Saved(1)
    lab.admin.soft_launch(2)
    lab.rate(access)
    lab.rate(access)
    assert lab.admin.status().state == "paused"
    assert lab.raters.screen(access) == Paused()
    lab.admin.set_state("closed")
    assert lab.raters.screen(access) == Closed()
    with pytest.raises(InputError, match="is closed"):
        lab.admin.set_state("open")


def test_a_blocked_rater_gets_nothing_and_his_answers_count_until_the_top_up(lab: Lab) -> None:
    """Blocking opens what he holds; a top-up opens what he did, for others and never for him."""
    access = lab.link()
    lab.rate(access)
    lab.rate(access)
    held = lab.item(access)
    [line] = lab.admin.raters()
    lab.admin.block(line.rater)
    assert lab.raters.screen(access) == Blocked(None, None)
    assert lab.raters.submit(access, held.token, Submission(answers(held))) == Kept("blocked")
    assert lab.admin.status().slots["done"] == 2
    done = lab.admin.topup()
    assert (done.raters, done.n_reopened) == ((line.rater,), 2)
    assert lab.admin.status().slots["done"] == 0
    assert sorted(str(row[2]) for row in lab.exported()) == ["blocked", "excluded", "excluded"]
    lab.admin.unblock(line.rater)
    n = 0
    while isinstance(lab.raters.screen(access), ItemView):
        lab.rate(access)
        n += 1
    assert n == 5


@pytest.mark.parametrize(("policy", "done"), [("remove_ratings", 0), ("keep_ratings", 2)])
def test_withdrawing_opens_what_is_held_and_treats_answers_as_announced(
    store: Store, clock: Clock, policy: str, done: int
) -> None:
    """The policy of the study file decides whether answers still count."""
    lab = Lab(store, clock, forget=policy)
    access = lab.link()
    lab.rate(access)
    lab.rate(access)
    lab.item(access)
    lab.raters.withdraw(access)
    lab.raters.withdraw(access)
    assert isinstance(lab.raters.screen(access), GaveUp)
    assert lab.admin.status().slots["done"] == done
    assert lab.admin.status().slots["held"] == 0


def test_the_preview_stores_nothing(lab: Lab) -> None:
    """With its key every page is shown, and the database is as it was; without it, nothing is."""
    before = lab.admin.status()
    pages = lab.raters.preview(lab.admin.context.preview_key)
    assert pages is not None
    assert [type(page) for page in pages] == [ShowInstructions, ItemView, ItemView, ItemView]
    assert lab.admin.status() == before
    assert lab.raters.preview("0" * 32) is None
    assert lab.raters.preview("") is None


def test_views_name_no_system_and_checks_look_like_items(store: Store, clock: Clock) -> None:
    """Main items and checks have the same fields filled; no system, purpose or segment is named."""
    lab = Lab(
        store,
        clock,
        questions=[rate(), compare()],
        attention={
            "items": [{"context": ["Choose 2 here."], "response": "Yes.", "expected": {"empathy": 2}}],
            "per_rater": 1,
        },
        damaged={"per_rater": 1},
        duplicates={"per_rater": 1, "min_gap": 2},
    )
    access = lab.link()
    shapes = set()
    n = 0
    while isinstance(view := lab.raters.screen(access), ItemView):
        text = repr(dataclasses.asdict(view))
        for word in ("Ombrevic", "Tiskarel", "own text", "attention", "damaged", "duplicate", "s000", "d000"):
            assert word not in text
        shapes.add((len(view.responses), view.can_skip, view.is_practice, view.is_edit))
        lab.raters.submit(access, view.token, Submission(answers(view)))
        n += 1
    assert shapes == {(1, True, False, False), (2, True, False, False)}
    assert n == 12 + 3


def test_checks_get_their_verdicts(store: Store, clock: Clock) -> None:
    """Who answers 2 throughout passes the check that asks for a 2, and fails the one for straight-lining."""
    lab = Lab(
        store,
        clock,
        n_segments=6,
        attention={
            "items": [{"context": ["Choose 2 here."], "response": "Yes.", "expected": {"empathy": 2}}],
            "per_rater": 1,
        },
        duplicates={"per_rater": 1, "min_gap": 3},
    )
    access = lab.link()
    while isinstance(lab.raters.screen(access), ItemView):
        lab.rate(access, 2)
    [line] = lab.admin.raters()
    assert (line.state, line.n_answers, line.passed, line.failed) == ("finished", 12, 2, 1)
    assert line.failed_checks == ("straight_lining",)


def test_a_changed_file_is_a_new_version(store: Store, clock: Clock) -> None:
    """The same recipe finds its study again; a changed one is refused with what to write."""
    study = create_study(store, make_protocol(), make_material(), clock())
    assert create_study(store, make_protocol(), make_material(), clock()) == study
    with pytest.raises(InputError, match="version: 2"):
        create_study(store, make_protocol(instructions="Other words."), make_material(), clock())
    with pytest.raises(InputError, match="version: 2"):
        create_study(store, make_protocol(), make_material(5), clock())
    assert create_study(store, make_protocol(version=2), make_material(5), clock()) != study


@pytest.mark.parametrize("policy", ["remove_ratings", "keep_ratings"])
def test_forgetting_leaves_no_trace_of_the_person(store: Store, clock: Clock, policy: str) -> None:
    """Names, links, forms, comments, free texts and drafts are gone; what is told has counts alone."""
    lab = Lab(
        store,
        clock,
        forget=policy,
        questions=[rate(), {"kind": "text", "name": "why", "prompt": "Why?"}],
        demographics=[{"name": "town", "prompt": "Town?", "kind": "text"}],
    )
    [(_, access)] = lab.admin.invite(("Annabella Quince",))
    lab.raters.screen(access)
    lab.raters.answer_form(access, {"town": "Quarrington"})
    lab.raters.begin(access)
    view = lab.item(access)
    lab.raters.submit(
        access, view.token, Submission({"empathy": "4", "why": "zebra-why"}, comment="zebra-comment")
    )
    lab.raters.draft(access, lab.item(access).token, {}, "zebra-draft")
    [line] = lab.admin.raters()
    told = lab.admin.forget(line.rater)
    assert told.before["rating"] == 1
    assert told.before["form_answer"] == 1
    assert told.before["draft"] == 1
    assert told.after == dict.fromkeys(told.before, 0) | (
        {"claim": 2, "rating": 1} if policy == "keep_ratings" else {}
    )
    assert lab.admin.status().slots["done"] == (1 if policy == "keep_ratings" else 0)
    assert lab.raters.screen(access) == Unknown()
    everything = _dump(store)
    for trace in (line.rater, "Annabella", "Quarrington", "zebra", access):
        assert trace not in everything


def _dump(store: Store) -> str:
    """Every value of every table, as text."""
    from empeval.study.store.columns import Base

    def work(tx: Any) -> str:
        return "\n".join(
            repr(tuple(row))
            for table in Base.metadata.sorted_tables
            for row in tx.session.execute(table.select())
        )

    return store.read(work)


def test_a_corrected_check_has_one_verdict(store: Store, clock: Clock) -> None:
    """Going back to an attention check replaces its verdict, so that nobody passes and fails it."""
    attention = {
        "items": [{"context": ["Choose 2 here."], "response": "Yes.", "expected": {"empathy": 2}}],
        "per_rater": 1,
    }
    lab = Lab(store, clock, attention=attention)
    access = lab.link()
    while "Choose 2 here." not in lab.item(access).turns:
        lab.rate(access, 4)
    lab.rate(access, 5)
    before = lab.raters.back(access, lab.item(access).token)
    assert isinstance(before, ItemView)
    assert before.turns == ("Choose 2 here.",)
    lab.raters.submit(access, before.token, Submission({"empathy": "2"}))
    [line] = lab.admin.raters()
    assert (line.passed, line.failed) == (1, 0)


def test_a_link_with_placeholders_admits_nobody(store: Store, clock: Clock) -> None:
    """Prolific's link opened as it stands in the settings is not a person."""
    lab = Lab(store, clock, **prolific())
    raw = Arrival(platform_id="{{%PROLIFIC_PID%}}", session_ref="{{%SESSION_ID%}}")
    assert lab.raters.enter(raw) == Refused("no_link")
    assert lab.admin.status().raters == {}


def test_opening_ends_a_soft_launch_and_unblocking_leads_back_to_practice(store: Store, clock: Clock) -> None:
    """Open means open to the end; somebody excluded by mistake during practice is not spared it."""
    lab = Lab(store, clock, practice=PRACTICE)
    access = lab.link()
    assert lab.item(access).is_practice
    lab.admin.soft_launch(3)
    lab.admin.set_state("open")
    assert lab.admin.status().pause_after is None
    [line] = lab.admin.raters()
    lab.admin.topup((line.rater,))
    lab.admin.unblock(line.rater)
    assert lab.item(access).is_practice
