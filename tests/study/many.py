"""Work for several processes: raters who rate, click twice, go away, or are killed."""

from __future__ import annotations

import os
import random
import signal
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from empeval.study.service.rater import RaterService
from empeval.study.service.views import ComeBack, Finished, ItemView, Submission
from empeval.study.store import open_store

SECRET = b"a secret for tests only, 32 bytes"


def work(address: str, links: list[str], seed: int, *, dies: float = 0.0, jumps: bool = False) -> int:
    """Rate in a random order of raters until nobody gets anything more; every answer is handed in twice."""
    rng = random.Random(seed)
    offset = timedelta()

    def clock() -> datetime:
        return datetime.now(UTC) + offset

    service = RaterService.open(open_store(address, upgrade=False), "invented", SECRET, clock=clock)
    going = list(links)
    n = 0
    while going:
        access = rng.choice(going)
        view = service.screen(access)
        if isinstance(view, ItemView):
            if rng.random() < dies:
                os.kill(os.getpid(), signal.SIGKILL)  # between claim and submit
            if jumps and rng.random() < 0.05:
                offset += timedelta(minutes=rng.choice([-20, 31, 45]))
            values = {c.name: _answer(c, rng) for c in view.controls}
            service.submit(access, view.token, Submission(values))
            service.submit(access, view.token, Submission(values))
            n += 1
        elif isinstance(view, ComeBack):
            offset += timedelta(minutes=view.minutes)
        elif isinstance(view, Finished):
            going.remove(access)
        else:
            service.consent(access, [])
            service.begin(access)
    return n


def _answer(control: object, rng: random.Random) -> str:
    return rng.choice([choice.value for choice in control.choices])  # type: ignore[attr-defined]


if __name__ == "__main__":
    address, file, seed, dies, jumps = sys.argv[1:6]
    tokens = Path(file).read_text(encoding="ascii").split()
    work(address, tokens, int(seed), dies=float(dies), jumps=jumps == "jumps")
