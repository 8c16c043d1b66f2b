"""Many processes and raters at once, on both databases: nothing lost, doubled, or out of balance."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

from sqlalchemy import func, select

from empeval.study.service.admin import AdminService
from empeval.study.service.setup import create_study
from empeval.study.store import open_store
from empeval.study.store.database import Store
from empeval.study.store.models import Showing, Slot
from empeval.study.store.people import Rating
from tests.study.conftest import SECRET, compare, make_material, make_protocol, rate

WORKER = Path(__file__).with_name("many.py")


def opened(store: Store, n_segments: int, **keys: object) -> AdminService:
    """An open study of so many segments."""
    create_study(store, make_protocol(**keys), make_material(n_segments))
    admin = AdminService.open(store, "invented", SECRET)
    admin.set_state("open")
    return admin


def run(address: str, links: Path, n: int, *, dies: float = 0.0, jumps: bool = False) -> list[int]:
    """Exit codes of so many processes that work at once with the same raters' links."""
    command = [sys.executable, str(WORKER), address, str(links)]
    options = [str(dies), "jumps" if jumps else "no"]
    started = [subprocess.Popen([*command, str(seed), *options]) for seed in range(n)]
    return [process.wait(timeout=240) for process in started]


def write_links(admin: AdminService, n: int, file: Path) -> None:
    """The links of so many raters, one a line."""
    links = admin.invite(tuple(f"rater {i}" for i in range(n)))
    file.write_text("\n".join(token for _, token in links), encoding="ascii")


def counted_per_showing(store: Store) -> Counter[int]:
    """How many main showings have how many counted answers."""
    query = (
        select(Showing.id, func.count(Rating.id))
        .select_from(Showing)
        .join(Slot, Slot.showing_id == Showing.id)
        .outerjoin(Rating, (Rating.slot_id == Slot.id) & Rating.counted)
        .where(Showing.purpose == "main")
        .group_by(Showing.id)
    )
    return store.read(lambda tx: Counter(n for _, n in tx.session.execute(query)))


def test_eight_processes_sixty_raters_and_six_hundred_slots(address: str, tmp_path: Path) -> None:
    """Each submit is sent twice by raters who sit in all eight processes: 600 count, three a showing."""
    store = open_store(address)
    admin = opened(store, 200, questions=[compare()], quota=10)
    write_links(admin, 60, tmp_path / "links")
    assert run(address, tmp_path / "links", 8) == [0] * 8
    status = admin.status()
    assert status.slots == {"open": 0, "held": 0, "done": 600, "void": 0}
    assert counted_per_showing(store) == {3: 200}
    assert status.sides == {"ab": 300, "ba": 300}
    store.close()


def test_killed_workers_and_jumping_clocks_lose_nothing(address: str, tmp_path: Path) -> None:
    """Processes die between claim and submit, leases run out, clocks jump; others still fill every place."""
    store = open_store(address)
    admin = opened(store, 30, questions=[rate()], lease_minutes=30, lease_cap_minutes=60)
    write_links(admin, 5, tmp_path / "links")
    codes = run(address, tmp_path / "links", 4, dies=0.03, jumps=True)
    assert set(codes) <= {0, -9}
    assert -9 in codes, "no process died: the test tests nothing"
    run(address, tmp_path / "links", 2)
    assert counted_per_showing(store) == {3: 60}
    kept = store.read(
        lambda tx: tx.session.execute(
            select(Rating.counted, Rating.not_counted_reason, func.count()).group_by(
                Rating.counted, Rating.not_counted_reason
            )
        ).all()
    )
    assert {reason for counted, reason, _ in kept if not counted} <= {"late", "revised"}
    assert [n for counted, _, n in kept if counted] == [180]
    store.close()
