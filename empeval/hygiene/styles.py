"""Texts written in two styles, which metrics then tell apart before they tell systems apart."""

from __future__ import annotations

from collections.abc import Sequence

from empeval.hygiene.streams import Stream, Streams
from empeval.records import Notice

__all__ = ["mixed_case", "mixed_tokenisation"]

_ENOUGH = 5  # occurrences below which a style is not judged


def mixed_tokenisation(streams: Streams) -> list[Notice]:
    """Says which texts are tokenised, where all are or only some, and which preset to choose.

    Texts count as tokenised if 80 % of their full stops and commas follow a blank, as untokenised if at most
    20 % do. Other marks are not counted, because French sets a blank before them.
    """
    shares = {stream: _spaced_share(stream) for stream in streams.all}
    tokenised = [stream for stream, share in shares.items() if share is not None and share >= 0.8]
    plain = [stream for stream, share in shares.items() if share is not None and share <= 0.2]
    n = len(streams.corpus)
    if tokenised and plain:
        splits = any(_count(stream, (" n't", " 's", " 'm")) for stream in tokenised)
        preset = "nltk" if splits else "13a"
        return [
            Notice(
                "tokenised_beside_untokenised",
                f"{_are(tokenised)} tokenised ('no .'), {_are(plain)} not ('no.'), so that the same words "
                f"count as different; choose tokenize={preset} where a metric has it: it splits both alike",
                n,
            )
        ]
    if tokenised and len(tokenised) == len(shares):
        return [
            Notice(
                "tokenised",
                "all texts are tokenised ('no .'); tokenize=whitespace takes their tokens as they are, "
                "tokenize=13a may split them further",
                n,
            )
        ]
    return []


def mixed_case(streams: Streams) -> list[Notice]:
    """Says that some texts are all in lower case and others are not."""
    shares = {stream: _lower_share(stream) for stream in streams.all}
    lower = [stream for stream, share in shares.items() if share is not None and share >= 0.99]
    cased = [stream for stream, share in shares.items() if share is not None and share <= 0.5]
    if not (lower and cased):
        return []
    return [
        Notice(
            "lower_case_beside_cased",
            f"{_are(lower)} in lower case, {_are(cased)} not, so that 'Oh' and 'oh' count as different; "
            "choose lowercase=True where a metric has it, or write all files in lower case",
            len(streams.corpus),
        )
    ]


def _spaced_share(stream: Stream) -> float | None:
    marks = _count(stream, (".", ",")) - 2 * _count(stream, ("...",))
    return _count(stream, (" .", " ,")) / marks if marks >= _ENOUGH else None


def _lower_share(stream: Stream) -> float | None:
    cased = lower = 0
    for text in stream.distinct:
        if text.islower():
            lower += 1
        elif text.lower() != text:
            cased += 1
    return lower / (lower + cased) if lower + cased >= _ENOUGH else None


def _count(stream: Stream, pieces: Sequence[str]) -> int:
    joined = ("\n".join(batch) for batch in stream.batches())
    return sum(text.count(piece) for text in joined for piece in pieces)


def _are(streams: Sequence[Stream]) -> str:
    names = ", ".join(stream.label for stream in streams)
    return f"{names} {'is' if len(streams) == 1 and streams[0].system is not None else 'are'}"
