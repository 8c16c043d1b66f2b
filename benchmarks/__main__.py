"""Run every benchmark, print the table, write docs/benchmarks.md: ``python -m benchmarks [--quick]``."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import growth

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
HEADER = (
    "| work | segments | peer | ours | peer's | ratio | mark | held |\n|---|---:|---|---:|---:|---:|---|---|"
)


def work(task: str, kind: str, n_segments: int) -> dict[str, Any]:
    """Run one task in its own process."""
    return run("benchmarks.work", task, kind, str(n_segments))


def run(module: str, *words: str) -> dict[str, Any]:
    """What a module prints as JSON in its last line."""
    command = [sys.executable, "-m", module, *words]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def race(name: str, kind: str, n_segments: int, repeats: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Ours and the peer's in turn; the fastest run of each."""
    ours, peer = [], []
    for _ in range(repeats):
        ours.append(work(f"ours_{name}", kind, n_segments))
        peer.append(work(f"peer_{name}", kind, n_segments))
    return min(ours, key=lambda r: r["seconds"]), min(peer, key=lambda r: r["seconds"])


def row(what: str, n: int, peer: str, a: str, b: str, ratio: str, mark: str, held: bool) -> str:
    """One line of the table."""
    return f"| {what} | {n:,} | {peer} | {a} | {b} | {ratio} | {mark} | {'yes' if held else '**no**'} |"


def furthest(a: dict[str, Any], b: dict[str, Any]) -> float:
    """The largest difference between values that both found."""
    return max(abs(a[key] - b[key]) for key in a.keys() & b.keys())


def bleu_rows(sizes: dict[int, tuple[float, int]]) -> Iterator[str]:
    """Corpus BLEU of seven systems."""
    for n, (mark, repeats) in sizes.items():
        ours, peer = race("bleu", "synthetic", n, repeats)
        ratio = peer["seconds"] / ours["seconds"]
        gap = furthest(ours["found"], peer["found"])
        yield row(
            "corpus BLEU, 7 systems",
            n,
            "sacreBLEU",
            f"{ours['seconds']:.2f} s",
            f"{peer['seconds']:.2f} s",
            f"{ratio:.1f}×",
            f"≥ {mark:g}×, equal to 1e-12 (largest difference {gap:.0e})",
            ratio >= mark and gap <= 1e-12,
        )


def paired_rows(sizes: dict[int, tuple[float, int]]) -> Iterator[str]:
    """Bootstrap and permutation of seven systems against the first, 1000 resamples each."""
    for n, (mark, repeats) in sizes.items():
        ours, peer = race("tests", "synthetic", n, repeats)
        ratio = peer["seconds"] / ours["seconds"]
        memory = peer["peak_mb"] / ours["peak_mb"]
        lean = memory >= 8 or n < 100_000
        yield row(
            "BLEU, paired bootstrap and permutation, 7 systems against one, 1000 resamples",
            n,
            "sacreBLEU PairedTest",
            f"{ours['seconds']:.2f} s, {ours['peak_mb']:,.0f} MB",
            f"{peer['seconds']:.2f} s, {peer['peak_mb']:,.0f} MB",
            f"{ratio:.1f}×, memory 1/{memory:.1f}",
            f"≥ {mark:g}×" + (", memory ≤ 1/8" if n >= 100_000 else ""),
            ratio >= mark and lean,
        )


def leaderboard_rows(repeats: int) -> Iterator[str]:
    """The whole leaderboard on outputs of published size."""
    ours, peer = race("leaderboard", "published", 5255, repeats)
    ratio = peer["seconds"] / ours["seconds"]
    gap = furthest(ours["found"], peer["found"])
    yield row(
        f"full leaderboard, 7 systems ({ours['source']})",
        5255,
        "sacreBLEU paired tests + an nltk Distinct script resampled in a loop",
        f"{ours['seconds']:.2f} s",
        f"{peer['seconds']:.2f} s",
        f"{ratio:.1f}×",
        f"≥ 20×, ≤ 3 s, equal to 1e-9 (largest difference {gap:.0e})",
        ratio >= 20 and ours["seconds"] <= 3 and gap <= 1e-9,
    )


def bertscore_rows(repeats: int) -> Iterator[str]:
    """BERTScore of four systems: cold in both number formats, and again from the cache."""
    sides = ("fp32", "peer", "bf16", "again")
    runs: dict[str, list[dict[str, Any]]] = {side: [] for side in sides}
    for _ in range(repeats):
        for side in sides:
            runs[side].append(run("benchmarks.bertscore", side, "2500"))
    best = {side: min(found, key=lambda r: r["seconds"]) for side, found in runs.items()}
    peer = best["peer"]
    for side, what, mark in (
        ("fp32", "cold, fp32", 3),
        ("bf16", "cold, bf16", 6),
        ("again", "second run, from the cache", 100),
    ):
        ours = best[side]
        ratio, gap = peer["seconds"] / ours["seconds"], furthest(ours["found"], peer["found"])
        exact = f", equal to 1e-6 (largest difference {gap:.0e})"
        close = f" (largest difference {gap:.0e})"
        yield row(
            f"BERTScore, 4 systems ({ours['source']}), all-MiniLM-L6-v2, {what}",
            2500,
            "bert-score, one call a system (values: its batch size 1)",
            f"{ours['seconds']:.2f} s",
            f"{peer['seconds']:.2f} s",
            f"{ratio:.1f}×",
            f"≥ {mark}×" + (close if side == "bf16" else exact),
            ratio >= mark and (side == "bf16" or gap <= 1e-6),
        )


def alpha_rows(repeats: int) -> Iterator[str]:
    """Krippendorff's alpha with its interval, ten raters."""
    sides: dict[str, list[dict[str, Any]]] = {"ours": [], "peer": []}
    for _ in range(repeats):
        for side, runs in sides.items():
            runs.append(run("benchmarks.agreement", side, "100000"))
    ours, peer = (min(runs, key=lambda r: r["seconds"]) for runs in sides.values())
    ratio = peer["seconds"] / ours["seconds"]
    gap = furthest(ours["found"], peer["found"])
    yield row(
        "ordinal alpha with an interval from 1000 resamples, 10 raters",
        100_000,
        "krippendorff in a loop (time of 8 rounds, extrapolated)",
        f"{ours['seconds']:.2f} s",
        f"{peer['seconds']:.1f} s",
        f"{ratio:.0f}×",
        f"≥ 300×, equal to 1e-9 (largest difference {gap:.0e})",
        ratio >= 300 and gap <= 1e-9,
    )


def preference_rows(repeats: int) -> Iterator[str]:
    """Bradley–Terry on 1000 resamples of 100,000 comparisons among ten systems."""
    runs: dict[str, list[dict[str, Any]]] = {"ours": [], "peer": []}
    for _ in range(repeats):
        for side, found in runs.items():
            found.append(run("benchmarks.preferences", side, "100000"))
    ours, peer = (min(found, key=lambda r: r["seconds"]) for found in runs.values())
    ratio, gap = peer["seconds"] / ours["seconds"], furthest(ours["found"], peer["found"])
    yield row(
        "Bradley–Terry, 1000 bootstrap fits, 10 systems",
        100_000,
        "choix, dense, in a loop",
        f"{1000 * ours['seconds']:.0f} ms",
        f"{1000 * peer['seconds']:.0f} ms",
        f"{ratio:.1f}×",
        f"≥ 10×, equal to 1e-6 (largest difference {gap:.0e})",
        ratio >= 10 and gap <= 1e-6,
    )


def mixed_rows() -> Iterator[str]:
    """A linear mixed model with crossed items and raters."""
    ours, peer = run("benchmarks.mixed", "ours"), run("benchmarks.mixed", "peer")
    ratio, gap = peer["seconds"] / ours["seconds"], furthest(ours["found"], peer["found"])
    yield row(
        "crossed mixed model, 12k ratings",
        12_000,
        "statsmodels MixedLM",
        f"{ours['seconds'] * 1000:.0f} ms, {ours['peak_mb']:,.0f} MB",
        f"{peer['seconds']:.1f} s, {peer['peak_mb']:,.0f} MB",
        f"{ratio:,.0f}×",
        f"≥ 1,000×, equal to 1e-3 (largest difference {gap:.0e})",
        ratio >= 1000 and gap <= 1e-3,
    )


def growth_rows(sizes: tuple[int, ...]) -> Iterator[str]:
    """Time and memory of the command from 10^4 segments on."""
    start, runs = growth.measure(sizes)
    for run in runs:
        held = run.n_segments < 1_000_000 or run.peak_mb < 2048
        seconds, peak = f"{run.seconds:.1f} s", f"{run.peak_mb:,.0f} MB"
        mark = "< 2 GB" if run.n_segments >= 1_000_000 else "–"
        yield row(
            "`empeval score`, 2 systems", run.n_segments, "–", f"{seconds}, {peak}", "–", "–", mark, held
        )
    for what, label in (("seconds", "time"), ("peak_mb", "memory")):
        found = growth.slope(start, runs, what)
        text = f"log-log slope of {label} {found:.2f}"
        yield row("growth", sizes[-1], "–", text, "–", "–", "0.9–1.1", 0.9 <= found <= 1.1)


def main(arguments: list[str]) -> None:
    """Print the rows as they come, and write the page unless the run is a quick one."""
    quick = "--quick" in arguments
    print(HEADER, flush=True)
    lines = []
    steps = [
        bleu_rows({10_000: (6, 1)} if quick else {10_000: (6, 2), 100_000: (5, 1)}),
        paired_rows({10_000: (15, 1)} if quick else {10_000: (15, 1), 100_000: (50, 1)}),
        leaderboard_rows(1),
        bertscore_rows(1 if quick else 2),
        alpha_rows(1 if quick else 3),
        preference_rows(3),
        mixed_rows(),
        growth_rows((10_000, 100_000) if quick else growth.SIZES),
    ]
    for step in steps:
        for line in step:
            lines.append(line)
            print(line, flush=True)
    if not quick:
        PAGE.write_text(_page(lines), encoding="utf-8", newline="\n")


def _page(lines: list[str]) -> str:
    python = platform.python_version()
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors, Python {python}"
    return "\n".join(
        [
            "# Benchmarks",
            "",
            "Written by `make bench`. Each row runs both sides in turn, each in a process of its own;",
            "ratios carry over to other machines, absolute times do not. The clock runs from texts in",
            f"memory to numbers found. This run: {machine}.",
            "",
            HEADER,
            *lines,
            "",
        ]
    )


if __name__ == "__main__":
    main(sys.argv[1:])
