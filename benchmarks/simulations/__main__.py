"""Run the studies, print their tables, write docs/simulations.md; exit status 1 where a bound is broken.

``python -m benchmarks.simulations [names]``: with names only those studies, whose sections are replaced.
"""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.simulations.rows import Row

#: The modules of this package that are studies, in the order of the page.
STUDIES = ("alpha", "type_one")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "simulations.md"
HEAD = """# Simulations

Written by `python -m benchmarks.simulations`. Seeds are fixed. A rate from 2,000 simulated studies is known
to about ± 0.01, one from 10,000 to about ± 0.004. Rows without bounds are reported only.
"""


def section(module: Any, rows: list[Row]) -> str:
    """One study as a section of the page."""
    lines = [f"## {module.NAME}", "", module.__doc__.strip(), ""]
    lines += ["| design | what | measured | bounds | held |", "|---|---|---:|---|---|"]
    for row in rows:
        lines.append(f"| {row.design} | {row.what} | {row.measured:.3f} | {_bounds(row)} | {_held(row)} |")
    return "\n".join(lines) + "\n"


def _bounds(row: Row) -> str:
    if row.low is None:
        return "–" if row.high is None else f"≤ {row.high:g}"
    return f"≥ {row.low:g}" if row.high is None else f"{row.low:g} to {row.high:g}"


def _held(row: Row) -> str:
    if row.low is None and row.high is None:
        return "–"
    return "yes" if row.ok else "**no**"


def sections_of(page: str) -> dict[str, str]:
    """The sections that a page has, by their titles."""
    found = {}
    for part in page.split("\n## ")[1:]:
        found[part.partition("\n")[0]] = f"## {part.rstrip()}\n"
    return found


def main(names: list[str]) -> int:
    """Run the named studies, or all."""
    for name in names:
        if name not in STUDIES:
            print(f"there is no study {name!r}; there are: {', '.join(STUDIES)}", file=sys.stderr)
            return 2
    page = sections_of(PAGE.read_text(encoding="utf-8")) if PAGE.is_file() else {}
    held = True
    modules = [importlib.import_module(f"benchmarks.simulations.{name}") for name in STUDIES]
    for name, module in zip(STUDIES, modules, strict=True):
        if names and name not in names:
            continue
        start = time.perf_counter()
        rows = module.run()
        held = held and all(row.ok for row in rows)
        page[module.NAME] = section(module, rows)
        print(page[module.NAME], flush=True)
        print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    parts = [HEAD, *(page[module.NAME] for module in modules if module.NAME in page)]
    PAGE.write_text("\n".join(parts), encoding="utf-8", newline="\n")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
