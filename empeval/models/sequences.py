"""References with their contexts as the sequences of tokens that a language model reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from empeval.errors import InputError

__all__ = ["Encoded", "Kind", "Separator", "SequenceEncoder"]

Kind = Literal["causal", "seq2seq"]
Separator = Literal["auto", "eos", "newline", "space", "two_spaces"]

_TEXTS: dict[str, str] = {"newline": "\n", "space": " ", "two_spaces": "  "}


@dataclass(frozen=True, order=True)
class Encoded:
    """One reference under one context; equal ones are computed once.

    ``source`` is what an encoder reads, empty for a causal model. Of ``labels``, those from ``first`` to
    before ``last`` are predicted; what stands before them is given. ``context_cut`` and ``reference_cut`` say
    that the model's limit left something out.
    """

    source: tuple[int, ...]
    labels: tuple[int, ...]
    first: int
    last: int
    context_cut: bool = False
    reference_cut: bool = False

    @property
    def n_tokens(self) -> int:
        """How many tokens are predicted."""
        return max(0, self.last - self.first)

    @property
    def size(self) -> int:
        """How many tokens the model reads."""
        return len(self.source) + len(self.labels)


class SequenceEncoder:
    """Turns contexts and references into sequences for one tokenizer and kind of model.

    ``limit`` is the most tokens that the model reads, ``target_limit`` the most that its decoder does, and
    ``end`` the token that ends a text (None where there is none). Raises InputError for a separator that the
    tokenizer does not have.
    """

    def __init__(
        self,
        tokenizer: Any,
        kind: Kind,
        separator: Separator,
        *,
        limit: int,
        target_limit: int,
        end: int | None,
        model_type: str = "",
    ) -> None:
        assert separator in get_args(Separator)
        self._tokenizer, self._kind = tokenizer, kind
        self._limit, self._target_limit, self._end = limit, target_limit, end
        self.separator = _resolved(separator, kind, model_type, end)
        if self.separator == "eos" and end is None:
            raise InputError(
                "separator=eos: the tokenizer has no token that ends a text; take newline or space"
            )
        self._known: dict[str, tuple[int, ...]] = {}
        self._around = self._special("text")
        self._around_target = self._special("text_target") if kind == "seq2seq" else self._around

    def encode(self, context: Sequence[str], reference: str) -> Encoded:
        """The sequence of one segment.

        Blank turns are left out. A context that is too long loses its oldest tokens; a reference that is too
        long by itself loses its last ones.
        """
        turns = [turn for turn in context if turn.strip()]
        if self._kind == "causal":
            return self._causal(turns, self._ids(reference))
        return self._seq2seq(turns, self._ids(reference, "text_target"))

    def _causal(self, turns: Sequence[str], reference: tuple[int, ...]) -> Encoded:
        head = self._around[0]
        given = self._joined(turns, closed=True)
        target = reference + self._end_of(reference)
        room = max(0, self._limit - len(head) - len(target))
        kept = given[max(0, len(given) - room) :]
        bos = self._tokenizer.bos_token_id
        if not head and not kept and bos is not None:
            head = (bos,)
        fitting = target[: max(0, self._limit - len(head))]
        before = head + kept
        return Encoded(
            (),
            before + fitting,
            # a token that nothing stands before has no probability
            max(1, len(before)),
            len(before) + len(fitting),
            context_cut=len(kept) < len(given),
            reference_cut=len(fitting) < len(target),
        )

    def _seq2seq(self, turns: Sequence[str], reference: tuple[int, ...]) -> Encoded:
        head, tail = self._around
        given = self._joined(turns, closed=False)
        room = max(0, self._limit - len(head) - len(tail))
        kept = given[max(0, len(given) - room) :]
        source = head + kept + tail or self._nothing()
        head, tail = self._around_target
        if not tail or (self._end is not None and self._end not in tail):
            tail = self._end_of(reference) + tail
        room = max(0, self._target_limit - len(head) - len(tail))
        fitting = reference[:room]
        whole = len(fitting) == len(reference)
        ends = bool(reference) and whole and tail[:1] == (self._end,)
        return Encoded(
            source,
            head + fitting + (tail if whole else ()),
            len(head),
            len(head) + len(fitting) + ends,
            context_cut=len(kept) < len(given),
            reference_cut=not whole,
        )

    def _joined(self, turns: Sequence[str], *, closed: bool) -> tuple[int, ...]:
        """The tokens of a context, the turns separated; ``closed``: the last one too."""
        if not turns:
            return ()
        if self.separator != "eos":
            between = _TEXTS[self.separator]
            return self._ids(between.join(turns) + (between if closed else ""))
        assert self._end is not None
        found = [token for turn in turns for token in (*self._ids(turn), self._end)]
        return tuple(found if closed else found[:-1])

    def _end_of(self, reference: tuple[int, ...]) -> tuple[int, ...]:
        """The end of a text; of no tokens there is none either, or nothing would have a probability."""
        return (self._end,) if self._end is not None and reference else ()

    def _nothing(self) -> tuple[int, ...]:
        """What stands for an empty context where the tokenizer itself adds no special tokens."""
        found = (self._end, self._tokenizer.bos_token_id, self._tokenizer.pad_token_id)
        return next(((token,) for token in found if token is not None), ())

    def _ids(self, text: str, kind: str = "text") -> tuple[int, ...]:
        """The tokens of a text alone."""
        key = f"{kind}:{text}"
        if key not in self._known:
            # half of a surrogate pair is no character, and tokenizers refuse it
            whole = text.encode("utf-8", "replace").decode()
            made = self._tokenizer(**{kind: whole}, add_special_tokens=False, verbose=False)
            self._known[key] = tuple(made["input_ids"])
        return self._known[key]

    def _special(self, kind: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The special tokens that the tokenizer puts before and after a text."""
        full = tuple(self._tokenizer(**{kind: "a"}, verbose=False)["input_ids"])
        plain = self._ids("a", kind)
        for at in range(len(full) - len(plain) + 1):
            if full[at : at + len(plain)] == plain:
                return full[:at], full[at + len(plain) :]
        return (), ()


def _resolved(separator: Separator, kind: Kind, model_type: str, end: int | None) -> Separator:
    """What ``auto`` means for a model."""
    if separator != "auto":
        return separator
    if kind == "causal":
        return "eos" if end is not None else "newline"
    return "two_spaces" if model_type.startswith("blenderbot") else "newline"
