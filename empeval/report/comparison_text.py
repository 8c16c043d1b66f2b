"""A comparison of two systems as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from empeval.metrics.base import parse_metrics
from empeval.report.compare import SegmentGap, SystemComparison
from empeval.report.formats._printed import DASH, number, visible
from empeval.report.ngram_use import NgramUse
from empeval.scoring import Comparison

__all__ = ["comparison_text"]

_WIDTH = 100


def comparison_text(found: SystemComparison) -> str:
    """Tests, then segments, then n-grams; ends in a line break."""
    return "\n\n".join(_sections(found)) + "\n"


def _sections(found: SystemComparison) -> Iterator[str]:
    a, b = map(visible, found.systems)
    cohort = found.scores.cohort
    yield f"{a} (A) against {b} (B): {cohort['n_segments']:,} segments in {cohort['n_dialogues']:,} dialogues"
    yield _tests(found)
    yield _wrapped(
        f"By {visible(found.segment_metric)}, A is higher on {found.n_a_higher:,} segments, B on "
        f"{found.n_b_higher:,}; on {found.n_equal:,} they are equal."
    )
    decimals = parse_metrics(found.segment_metric)[0].decimals
    for side, system, gaps in (("A", a, found.a_higher), ("B", b, found.b_higher)):
        if gaps:
            yield f"Segments on which {system} ({side}) is higher by most"
            yield from (_gap(gap, decimals) for gap in gaps)
    for side, system, uses in (("A", a, found.a_more), ("B", b, found.b_more)):
        if uses:
            yield f"n-grams that {system} ({side}) uses more\n{_ngrams(uses)}"
    yield _wrapped(
        "z: log-odds ratio with an informative Dirichlet prior over its standard error; beyond ±1.96 it is "
        "noteworthy, without a correction for looking at many."
    )


def _tests(found: SystemComparison) -> str:
    """One line a metric: both scores, the difference A − B with its interval, and the test."""
    tests = found.scores.comparisons
    levels = [test.interval.level for test in tests if test.interval]
    interval = f"{100 * levels[0]:g}% interval" if levels else ""
    lines = [["metric", "A", "B", "A − B", interval, "p"]]
    reasons = []
    values = {(score.system, score.metric): score.value for score in found.scores.scores}
    for test in tests:
        decimals = parse_metrics(test.metric)[0].decimals
        shown = [
            DASH if value is None else number(value, decimals)
            for value in (values[found.systems[0], test.metric], values[found.systems[1], test.metric])
        ]
        lines.append([visible(test.metric), *shown, *_difference(test, decimals)])
        if test.reason:
            reasons.append(_wrapped(f"{visible(test.metric)}: {test.reason}"))
    methods = dict.fromkeys(test.method for test in tests if test.method)
    legend = f"p: {', '.join(methods)}, one pair, so without a correction." if methods else ""
    n = sum(test.p_value is not None for test in tests)
    if n > 1:
        legend += f" {n} metrics were tested: say beforehand which one decides, or multiply its p by {n}."
    return "\n".join([_aligned(lines, left=1), *reasons, *([legend] if legend else [])])


def _difference(test: Comparison, decimals: int) -> tuple[str, str, str]:
    if test.difference is None:
        return DASH, "", DASH
    interval = ""
    if test.interval is not None:
        low, high = number(test.interval.low, decimals), number(test.interval.high, decimals)
        interval = f"[{low}, {high}]"
    p = DASH if test.p_value is None else f"{test.p_value:.4f}"
    return number(test.difference, decimals), interval, p


def _gap(gap: SegmentGap, decimals: int) -> str:
    texts = [("context", text) for text in gap.context[-1:]]
    texts += [("reference", text) for text in gap.references]
    texts += [("A", gap.hypothesis_a), ("B", gap.hypothesis_b)]
    values = f"{number(gap.value_a, decimals)} against {number(gap.value_b, decimals)}"
    return "\n".join(
        [
            f"  {visible(gap.id)}: {values}",
            *(_wrapped(f"    {name:<9}  {visible(text)}", indent=15) for name, text in texts),
        ]
    )


def _ngrams(uses: Sequence[NgramUse]) -> str:
    lines = [("", "n-gram", "A", "B", "z")]
    lines += [("", visible(use.ngram), f"{use.n_a:,}", f"{use.n_b:,}", f"{use.z:+.2f}") for use in uses]
    return _aligned(lines, left=2)


def _aligned(lines: Sequence[Sequence[str]], left: int) -> str:
    """Columns with two blanks between them; the first ``left`` stand at the left, the others at the right."""
    from rich.cells import cell_len

    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]

    def padded(i: int, text: str) -> str:
        blanks = " " * (widths[i] - cell_len(text))
        return text + blanks if i < left else blanks + text

    return "\n".join("  ".join(padded(i, text) for i, text in enumerate(line)).rstrip() for line in lines)


def _wrapped(text: str, indent: int = 0) -> str:
    return textwrap.fill(
        text,
        width=_WIDTH,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    )
