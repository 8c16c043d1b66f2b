"""Time and memory of the whole command as the test set grows: two systems, start-up subtracted."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks import data

SIZES = (10_000, 100_000, 1_000_000)


@dataclass(frozen=True)
class Run:
    """One run of the command: segments, seconds and peak megabytes, start-up included."""

    n_segments: int
    seconds: float
    peak_mb: float


def measure(sizes: tuple[int, ...] = SIZES) -> tuple[Run, list[Run]]:
    """A run on ten segments, which stands for start-up, and one for each size."""
    with tempfile.TemporaryDirectory() as folder:
        runs = []
        for n in (10, *sizes):
            files = _write(Path(folder), n)
            runs.append(_run(n, files))
            for file in files:
                file.unlink()
    return runs[0], runs[1:]


def slope(start: Run, runs: list[Run], what: str) -> float:
    """The least-squares slope of log(cost) on log(segments), the cost of start-up subtracted."""
    base = getattr(start, what)
    xs = [math.log(run.n_segments) for run in runs]
    ys = [math.log(max(getattr(run, what) - base, 1e-9)) for run in runs]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    above = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    return above / sum((x - mean_x) ** 2 for x in xs)


def _write(folder: Path, n: int) -> list[Path]:
    """A corpus and two systems as JSONL, three segments a dialogue on average."""
    draw = random.Random(n)
    pool = data.synthetic(min(n, 20_000), 2)
    corpus, first, second = (folder / f"{name}.jsonl" for name in ("corpus", "one", "two"))
    names = list(pool.systems)
    size = len(pool.references)
    with corpus.open("w") as c, first.open("w") as a, second.open("w") as b:
        for i in range(n):
            at = i % size
            # a changing word, one of 10^5, keeps the texts of a large set from being repeats
            extra = f" w{draw.randrange(100_000)}" if i >= size else ""
            record = {"id": str(i), "dialogue_id": str(i // 3), "reference": pool.references[at] + extra}
            c.write(json.dumps(record) + "\n")
            for file, name in ((a, names[0]), (b, names[1])):
                file.write(json.dumps({"id": str(i), "hypothesis": pool.systems[name][at] + extra}) + "\n")
    return [corpus, first, second]


def _run(n: int, files: list[Path]) -> Run:
    corpus, first, second = files
    command = [sys.executable, "-m", "empeval", "score", str(first), str(second), "--corpus", str(corpus)]
    command += [
        "--metrics",
        "bleu,avg_bleu,distinct(n=1),distinct(n=2),length",
        "--format",
        "json",
        "--quiet",
    ]
    with Path(os.devnull).open("wb") as nowhere:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
    if status:
        raise RuntimeError(f"the command failed on {n} segments")
    return Run(n, seconds, usage.ru_maxrss / 1024)
