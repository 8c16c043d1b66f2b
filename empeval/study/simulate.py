"""Simulated raters: they come by the door that people come by, and all they do is marked as theirs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from empeval.errors import UnknownName
from empeval.study.questions import Control
from empeval.study.service.views import (
    AskConsent,
    AskForm,
    ComeBack,
    Finished,
    FormView,
    Full,
    ItemView,
    ShowInstructions,
    Submission,
)

if TYPE_CHECKING:
    from empeval.study.service.admin import AdminService
    from empeval.study.service.rater import RaterService

__all__ = [
    "PERSONAS",
    "Careful",
    "Noisy",
    "Persona",
    "PositionBiased",
    "Simulated",
    "StraightLining",
    "check_personas",
    "simulate",
]

#: How good a text is, from 0 to 1; the rater has no other way to tell systems apart than by what he reads.
Quality = Callable[[str], float]


class Persona(Protocol):
    """A way of answering: one value for one question about an item."""

    def answer(self, control: Control, qualities: Sequence[float], rng: np.random.Generator) -> str:
        """The value that is handed in."""

    def seconds(self, n_words: int, rng: np.random.Generator) -> float:
        """How long the item takes."""


def _on_scale(control: Control, quality: float) -> str:
    values = [choice.value for choice in control.choices]
    return values[int(np.clip(round(quality * (len(values) - 1)), 0, len(values) - 1))]


def _between(control: Control, lead: float, margin: float) -> str:
    """The side that leads; a tie within the margin, where there is such an answer."""
    values = {choice.value for choice in control.choices}
    if "tie" in values and abs(lead) < margin:
        return "tie"
    return "first" if lead > 0 else "second"


def _any(control: Control, rng: np.random.Generator) -> str:
    if not control.choices:
        return "A remark."
    return control.choices[int(rng.integers(len(control.choices)))].value


@dataclass(frozen=True)
class _Judging:
    """Reads, and answers what it thinks of the text, with noise of this standard deviation."""

    noise: float

    def answer(self, control: Control, qualities: Sequence[float], rng: np.random.Generator) -> str:
        if control.kind == "likert":
            return _on_scale(control, qualities[0] + self.noise * rng.standard_normal())
        if control.kind == "pairwise":
            lead = qualities[0] - qualities[1] + self.noise * rng.standard_normal()
            return _between(control, lead, margin=0.1)
        return _any(control, rng)

    def seconds(self, n_words: int, rng: np.random.Generator) -> float:
        return 4 + n_words / 4 * float(rng.lognormal(0, 0.3))


@dataclass(frozen=True)
class Careful(_Judging):
    """A careful rater."""

    noise: float = 0.12


@dataclass(frozen=True)
class Noisy(_Judging):
    """A rater who hardly knows."""

    noise: float = 0.45


@dataclass(frozen=True)
class StraightLining(_Judging):
    """A rater who gives the same answer to everything, and does not read."""

    noise: float = 0.0

    def answer(self, control: Control, qualities: Sequence[float], rng: np.random.Generator) -> str:
        if control.kind == "likert":
            return _on_scale(control, 0.75)
        return control.choices[0].value if control.choices else "ok"

    def seconds(self, n_words: int, rng: np.random.Generator) -> float:
        return 1.5 + 0.5 * float(rng.random())


@dataclass(frozen=True)
class PositionBiased(_Judging):
    """A rater who favours what is shown first."""

    noise: float = 0.12
    bias: float = 0.35

    def answer(self, control: Control, qualities: Sequence[float], rng: np.random.Generator) -> str:
        if control.kind == "pairwise":
            lead = qualities[0] - qualities[1] + self.bias + self.noise * rng.standard_normal()
            return _between(control, lead, margin=0.1)
        return super().answer(control, qualities, rng)


PERSONAS: Mapping[str, Persona] = {
    "careful": Careful(),
    "noisy": Noisy(),
    "straight_lining": StraightLining(),
    "position_biased": PositionBiased(),
}


def text_quality(text: str) -> float:
    """A quality that the text alone decides: questions and feeling words help, and so does a text's own luck.

    Invented, for trying out a study; it says nothing about any system.

    >>> text_quality("I am so sorry. How are you now?") > text_quality("ok")
    True
    """
    words = text.lower().split()
    luck = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    base = 0.25 + 0.25 * int.from_bytes(luck, "big") / 2**32
    warm = sum(word.strip(".,!?") in _WARM for word in words)
    return float(min(1.0, base + 0.1 * min(warm, 3) + 0.1 * ("?" in text) + 0.1 * (len(words) > 5)))


_WARM = frozenset(
    {
        "sorry",
        "glad",
        "feel",
        "hard",
        "proud",
        "understand",
        "hope",
        "happy",
        "sad",
        "tough",
        "wonderful",
        "hear",
    }
)


@dataclass(frozen=True)
class Simulated:
    """What came of it: raters by persona, answers handed in, and how many raters came to the end."""

    raters: Mapping[str, int]
    n_answers: int
    n_finished: int


def check_personas(names: Iterable[str]) -> None:
    """Raise UnknownName for a persona that there is not."""
    for name in names:
        if name not in PERSONAS:
            raise UnknownName("persona", name, PERSONAS)


def simulate(
    admin: AdminService,
    service: RaterService,
    raters: Mapping[str, int],
    *,
    seed: int = 0,
    quality: Quality = text_quality,
    progress: Callable[[int], None] | None = None,
) -> Simulated:
    """Let simulated raters of these personas work through a study, one item each in turn, to the end.

    The study must be open; whoever is told to wait waits for the others. ``progress`` is told the
    number of answers so far. Raises UnknownName for a persona that there is not.
    """
    check_personas(raters)
    names = [name for name, n in raters.items() for _ in range(n)]
    at_work = [
        _Worker(admin.add_simulated(f"{name} {i}"), PERSONAS[name], np.random.default_rng([seed, i]))
        for i, name in enumerate(names)
    ]
    n_answers = n_finished = 0
    while at_work:
        staying, outcomes = [], set()
        for worker in at_work:
            outcome = worker.step(service, quality)
            n_answers += outcome == "answered"
            n_finished += outcome == "finished"
            outcomes.add(outcome)
            if outcome in ("answered", "moved", "waiting"):
                staying.append(worker)
        if progress is not None:
            progress(n_answers)
        at_work = staying if outcomes - {"waiting"} else []
    return Simulated(dict(raters), n_answers, n_finished)


@dataclass
class _Worker:
    access: str
    persona: Persona
    rng: np.random.Generator

    def step(self, service: RaterService, quality: Quality) -> str:
        """One page: ``answered``, ``moved`` on, ``finished``, or ``stopped`` for whatever other reason."""
        view = service.screen(self.access)
        if isinstance(view, AskConsent):
            service.consent(self.access, [True] * len(view.statements))
        elif isinstance(view, AskForm):
            service.answer_form(self.access, {field.name: self._field(field) for field in view.fields})
        elif isinstance(view, ShowInstructions):
            service.begin(self.access)
        elif isinstance(view, ItemView):
            self._item(service, view, quality)
            return "answered"
        elif isinstance(view, Finished):
            return "finished"
        else:
            return "waiting" if isinstance(view, ComeBack | Full) else "stopped"
        return "moved"

    def _field(self, field: FormView) -> str:
        if field.kind == "choice":
            return field.options[int(self.rng.integers(len(field.options)))]
        return "33" if field.kind == "number" else "simulated"

    def _item(self, service: RaterService, view: ItemView, quality: Quality) -> None:
        qualities = [quality(text) for text in view.responses]
        n_words = sum(len(text.split()) for text in (*view.turns, *view.responses))
        seconds = self.persona.seconds(n_words, self.rng)
        values = {
            control.name: self.persona.answer(control, qualities, self.rng)
            for control in view.controls
            if control.required or control.choices
        }
        service.submit(
            self.access,
            view.token,
            Submission(values, first_input_ms=int(400 * seconds), active_ms=int(1000 * seconds)),
        )
