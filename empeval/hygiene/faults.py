"""Faults that one text shows by itself."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from empeval.hygiene.characters import has_control, has_mojibake, has_zero_width, is_not_nfc
from empeval.hygiene.streams import Stream, Streams
from empeval.hygiene.tokens import (
    LABEL_SIGNS,
    MARKUP_SIGNS,
    SPECIAL_SIGNS,
    has_label,
    has_markup,
    has_special_token,
)
from empeval.records import Notice

__all__ = ["FAULTS", "Fault", "faulty_texts"]


@dataclass(frozen=True)
class Fault:
    """A fault of a single text: its code, its predicate for one text and for many, and what follows from it.

    ``among`` are the distinct texts of a stream that can show the fault at all.
    """

    code: str
    one: str
    many: str
    shows: Callable[[str], bool]
    advice: str = ""
    among: Callable[[Stream], Iterable[str]] = attrgetter("distinct")


def _having(signs: Sequence[str]) -> Callable[[Stream], Iterable[str]]:
    return lambda stream: stream.having(signs)


FAULTS = (
    Fault(
        "empty_response",
        "is empty",
        "are empty",
        operator.not_,
        "they are scored as they are",
        lambda stream: [""] * ("" in stream.distinct),
    ),
    Fault(
        "blank_response",
        "holds nothing but white space",
        "hold nothing but white space",
        str.isspace,
        "they are scored as they are",
    ),
    Fault(
        "control_characters",
        "holds control characters",
        "hold control characters",
        has_control,
        "they count as parts of words",
        attrgetter("unprintable"),
    ),
    Fault(
        "zero_width",
        "holds invisible characters",
        "hold invisible characters",
        has_zero_width,
        "words that look alike count as different",
        attrgetter("unprintable"),
    ),
    Fault(
        "mojibake",
        "was decoded wrongly",
        "were decoded wrongly",
        has_mojibake,
        "write and read the file as UTF-8",
        attrgetter("non_ascii"),
    ),
    Fault(
        "not_nfc",
        "is not in Unicode normalisation form C",
        "are not in Unicode normalisation form C",
        is_not_nfc,
        "words that look alike count as different",
        attrgetter("non_ascii"),
    ),
    Fault(
        "special_tokens",
        "holds special tokens",
        "hold special tokens",
        has_special_token,
        "they count as words; take them out when decoding",
        _having(SPECIAL_SIGNS),
    ),
    Fault("markup", "holds HTML", "hold HTML", has_markup, "it counts as words", _having(MARKUP_SIGNS)),
    Fault(
        "label_prefix",
        "begins with a label",
        "begin with a label",
        has_label,
        "a speaker's or a field's name before the text counts as a word",
        _having(LABEL_SIGNS),
    ),
)

#: The same fault has another name where a reference shows it.
_OF_REFERENCES = {"empty_response": "empty_reference", "blank_response": "blank_reference"}


def faulty_texts(streams: Streams) -> list[Notice]:
    """The notices of every fault, fault by fault, the references before the systems."""
    notices = []
    for fault in FAULTS:
        for stream in streams.all:
            faulty = {text for text in fault.among(stream) if fault.shows(text)}
            code = fault.code if stream.system is not None else _OF_REFERENCES.get(fault.code, fault.code)
            notices += stream.notice(code, faulty, (fault.one, fault.many), fault.advice)
    return notices
