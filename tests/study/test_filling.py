"""Studies fill to the last slot: three experts who rate everything, and a crowd that rates a share."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from empeval.study.planning import Counts, plan_study
from empeval.study.protocol import StudyProtocol
from empeval.study.service.admin import AdminService
from empeval.study.service.rater import RaterService
from empeval.study.service.setup import create_study
from empeval.study.simulate import simulate
from empeval.study.store import open_store
from tests.study.conftest import SECRET, Clock, compare, make_material, make_protocol, rate

FOUR = ("Halvenor", "Kuzzibor", "Ombrevic", "Tiskarel")
SYSTEMS = [f"{name}=x.jsonl" for name in FOUR]
CONSENT = {"text": "You rate replies.", "statements": ["I agree."]}
CODES = {"done": "D", "screened_out": "S", "problem": "P"}


def filled(path: Path, protocol: StudyProtocol, n_segments: int, n_raters: int) -> AdminService:
    """The study after so many careful raters, one item each in turn."""
    store = open_store(path)
    clock = Clock()
    create_study(store, protocol, make_material(n_segments, FOUR), clock())
    admin = AdminService.open(store, "invented", SECRET)
    admin.set_state("open")
    admin = AdminService(store, admin.context, clock)
    simulate(admin, RaterService(store, admin.context, clock), {"careful": n_raters})
    return admin


def test_three_experts_rate_everything(tmp_path: Path) -> None:
    """4 systems × 100 segments × 3 ratings: 1,200 places, all filled, 400 by each of the three."""
    protocol = make_protocol(systems=SYSTEMS, questions=[rate()])
    admin = filled(tmp_path / "s.db", protocol, 100, 3)
    assert admin.status().slots == {"open": 0, "held": 0, "done": 1200, "void": 0}
    assert admin.status().holes == []
    assert [line.n_answers for line in admin.raters()] == [400, 400, 400]


@pytest.mark.parametrize("policy", ["one", 2])
def test_forty_of_a_crowd_fill_every_place(tmp_path: Path, policy: str | int) -> None:
    """4 systems × 50 segments × 3 ratings by 40 people with a quota of 15: 600 places, all filled."""
    protocol = make_protocol(
        systems=SYSTEMS,
        questions=[rate()],
        platform="prolific",
        consent=CONSENT,
        completion=CODES,
        quota=15,
        responses_per_segment_per_rater=policy,
    )
    assert plan_study(protocol, Counts(50, 4)).raters_needed == 40
    admin = filled(tmp_path / "s.db", protocol, 50, 40)
    assert admin.status().slots == {"open": 0, "held": 0, "done": 600, "void": 0}
    assert {line.n_answers for line in admin.raters()} == {15}


def test_pairs_are_balanced_for_each_pair_and_nearly_for_each_rater(tmp_path: Path) -> None:
    """Over all, |AB − BA| ≤ 1; a rater sees neither side first in more than six of ten."""
    protocol = make_protocol(systems=SYSTEMS, questions=[compare()])
    admin = filled(tmp_path / "s.db", protocol, 15, 3)
    sides = admin.status().sides
    assert sum(sides.values()) == 15 * 6 * 3
    assert abs(sides["ab"] - sides["ba"]) <= 1
    rows = admin.store.read(lambda tx: list(tx.rows(admin.context.study_id)))
    of_pair = Counter((row.low.name, row.high.name, row.slot.first) for row in rows)
    of_rater = Counter((row.rater.pseudonym, row.slot.first) for row in rows)
    for low, high, first in of_pair:
        other = "high" if first == "low" else "low"
        assert abs(of_pair[low, high, first] - of_pair[low, high, other]) <= 1
    for n in of_rater.values():
        assert 0.4 * 90 <= n <= 0.6 * 90
