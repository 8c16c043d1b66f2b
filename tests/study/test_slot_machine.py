"""The life of slots under any order of claims, answers, skips, waits, blocks and withdrawals."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule

from empeval.study.service.admin import AdminService
from empeval.study.service.rater import RaterService
from empeval.study.service.setup import create_study
from empeval.study.service.views import AlreadySaved, ItemView, Kept, Refused, Saved, Submission
from empeval.study.store import open_store
from tests.study.conftest import SECRET, Clock, make_material, make_protocol, rate

N_RATINGS = 2


class SlotLife(RuleBasedStateMachine):
    """Three raters, two segments, two systems, two ratings of each; what holds at every moment is below."""

    items = Bundle("items")

    @initialize()
    def open_study(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.store = open_store(self.folder / "s.db")
        self.clock = Clock()
        protocol = make_protocol(questions=[rate()], ratings_per_item=N_RATINGS, lease_minutes=10)
        create_study(self.store, protocol, make_material(2), self.clock())
        admin = AdminService.open(self.store, "invented", SECRET)
        self.admin = AdminService(self.store, admin.context, self.clock)
        self.service = RaterService(self.store, admin.context, self.clock)
        self.admin.set_state("open")
        self.links = [token for _, token in self.admin.invite(("a", "b", "c"))]
        for link in self.links:
            self.service.screen(link)
            self.service.begin(link)
        self.given: list[tuple[str, str, int]] = []

    @rule(target=items, who=st.integers(0, 2))
    def look(self, who: int) -> object:
        """Look at the page: an item, or an end."""
        view = self.service.screen(self.links[who])
        return (who, view.token) if isinstance(view, ItemView) else multiple()

    @rule(item=items, value=st.integers(1, 5), who=st.integers(0, 2))
    def hand_in(self, item: tuple[int, str], value: int, who: int) -> None:
        """Hand in any item at any time, also as somebody else."""
        owner, token = item
        result = self.service.submit(self.links[who], token, Submission({"empathy": str(value)}))
        if who != owner:
            assert result == Refused("not_yours")
            return
        assert isinstance(result, Saved | AlreadySaved | Kept)
        again = self.service.submit(self.links[who], token, Submission({"empathy": str(value)}))
        assert again == AlreadySaved()
        if not isinstance(result, AlreadySaved):
            self.given.append((self.links[owner], token, value))

    @rule(target=items, item=items)
    def go_back(self, item: tuple[int, str]) -> object:
        """Open the item before for correction."""
        view = self.service.back(self.links[item[0]], item[1])
        return (item[0], view.token) if isinstance(view, ItemView) else multiple()

    @rule(item=items)
    def pass_over(self, item: tuple[int, str]) -> None:
        """Skip an item, at a time when that may no longer be possible."""
        assert isinstance(self.service.skip(self.links[item[0]], item[1]), Kept | AlreadySaved | Refused)

    @rule(item=items)
    def live(self, item: tuple[int, str]) -> None:
        """A sign of life."""
        self.service.heartbeat(self.links[item[0]], item[1])

    @rule(minutes=st.sampled_from([1, 9, 11, 300, -5]))
    def wait(self, minutes: int) -> None:
        """Time passes, or a clock is set back."""
        self.clock.forward(minutes=minutes)

    @rule(who=st.integers(0, 2))
    def block(self, who: int) -> None:
        """Stop a rater, or let him go on."""
        line = self.admin.raters()[who]
        (self.admin.unblock if line.state == "blocked" else self.admin.block)(line.rater)

    @rule()
    def top_up(self) -> None:
        """Exclude who is blocked."""
        self.admin.topup()

    @rule(who=st.integers(0, 2))
    def withdraw(self, who: int) -> None:
        """A rater stops taking part."""
        self.service.withdraw(self.links[who])

    @invariant()
    def nothing_is_lost_doubled_or_too_much(self) -> None:
        """Every answer is a row; a showing has N counted at most, one a rater; a done slot has one."""
        if not hasattr(self, "given"):
            return
        study = self.admin.context.study_id
        rows = self.store.read(lambda tx: list(tx.rows(study)))
        kept = Counter((row.rating.token, row.rating.values_json.get("empathy")) for row in rows)
        for _, token, value in self.given:
            assert kept[token, value] >= 1
        counted = [row for row in rows if row.rating.counted]
        per_showing = Counter(row.showing.id for row in counted)
        assert all(n <= N_RATINGS for n in per_showing.values())
        per_rater = Counter((row.showing.id, row.rater.id) for row in counted)
        assert all(n == 1 for n in per_rater.values())
        assert self.admin.status().slots["done"] == len(counted)
        assert sum(self.admin.status().slots.values()) == 4 * N_RATINGS

    def teardown(self) -> None:
        """Leave no file."""
        if hasattr(self, "store"):
            self.store.close()
            shutil.rmtree(self.folder)


SlotLife.TestCase.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
test_slots = SlotLife.TestCase
