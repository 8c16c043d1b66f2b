"""Sixty people at once, each on a websocket as their browsers would be."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

N_RATERS = 60
SECONDS = 20.0
#: Between two answers of one person; four times faster than people are.
THINKING = (4.0, 10.0)
#: For the slowest machine that runs this, with other work on it.
P95_SECONDS = 3.0

QUESTIONS = [
    {"kind": "likert", "name": name, "prompt": f"How {name}?", "scale": {"low": 1, "high": 5}}
    for name in ("warm", "relevant", "fluent")
]


@dataclass
class Browser:
    """As much of a browser as rating takes: it runs the script, reads the item, hands in answers."""

    url: str
    access: str
    rng: random.Random
    component: str = ""
    item: dict[str, Any] = field(default_factory=dict)
    sent: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    async def rate(self, until: float) -> None:
        """Rate items until the time is over."""
        from websockets.asyncio.client import connect

        await asyncio.sleep(self.rng.uniform(0, THINKING[0]))
        async with connect(
            f"{self.url.replace('http', 'ws')}/_stcore/stream", max_size=None, open_timeout=30
        ) as socket:
            await self._run(socket, None)
            while not self.sent or time.monotonic() + THINKING[0] < until:
                await asyncio.sleep(self.rng.uniform(*THINKING))
                token = self.item["token"]
                answers = {control["name"]: str(self.rng.randint(1, 5)) for control in self.item["controls"]}
                begun = time.monotonic()
                value = {"token": token, "answers": answers, "n": token[:8], "active_ms": 5000}
                await self._run(socket, {"event": "submit", "value": value})
                self.waits.append(time.monotonic() - begun)
                self.sent.append((token, answers))
                assert self.item["token"] != token

    async def _run(self, socket: Any, trigger: dict[str, Any] | None) -> None:
        from streamlit.proto.BackMsg_pb2 import BackMsg
        from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

        message = BackMsg()
        message.rerun_script.query_string = f"t={self.access}"
        if trigger is not None:
            state = message.rerun_script.widget_states.widgets.add()
            state.id = f"$$STREAMLIT_INTERNAL_KEY_{self.component}__events"
            state.json_trigger_value = json.dumps([trigger])
        await socket.send(message.SerializeToString())
        while True:
            told = ForwardMsg.FromString(await asyncio.wait_for(socket.recv(), 60))
            shown = told.delta.new_element.bidi_component
            if shown.component_name == "rating_form":
                self.component, self.item = shown.id, json.loads(shown.json)
            if told.WhichOneof("type") == "script_finished":
                return


def test_sixty_raters_lose_nothing_and_wait_little(
    serve: Any, record_property: Callable[[str, object], None]
) -> None:
    """Every answer that was handed in is there, once, as it was given; and the next item comes soon."""
    pytest.importorskip("websockets")
    from empeval.study.service.rater import RaterService

    study = serve(n=20, consent=None, demographics=[], content_notes=[], examples=[], questions=QUESTIONS)
    service = RaterService.open(study.admin.store, "invented", bytes(range(32)))
    invited = study.admin.invite(tuple(f"rater {i}" for i in range(N_RATERS)))
    for _, access in invited:
        service.screen(access)
        service.begin(access)
    browsers = [Browser(study.url, access, random.Random(i)) for i, (_, access) in enumerate(invited)]

    async def all_of_them() -> None:
        until = time.monotonic() + SECONDS
        await asyncio.gather(*(browser.rate(until) for browser in browsers))

    # In a thread of its own: Playwright's loop may be running in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(all_of_them())).result()
    for browser in browsers:
        assert browser.sent
        kept = [one["values"] for one in study.ratings(f"?t={browser.access}")]
        assert [{name: int(value) for name, value in answers.items()} for _, answers in browser.sent] == kept
    waits = sorted(wait for browser in browsers for wait in browser.waits)
    p95 = waits[int(0.95 * len(waits))]
    record_property("answers, median and 95 % of waits", f"{len(waits)}, {waits[len(waits) // 2]}, {p95}")
    assert len(waits) >= N_RATERS
    assert p95 < P95_SECONDS
