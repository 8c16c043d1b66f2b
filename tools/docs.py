"""Keep the documentation true: write its generated parts, and run its examples.

    python tools/docs.py            write every part between ``<!-- generated: NAME -->`` and ``<!-- end -->`` anew
    python tools/docs.py --check    change nothing; exit 1 where a part is stale or an example fails

An example is a block marked ```python: with ``>>>`` it runs as a doctest, without as a script. Blocks of one
file share their names and a folder that holds the bundled example's files.
"""

from __future__ import annotations

import contextlib
import dataclasses
import doctest
import inspect
import io
import os
import re
import shutil
import sys
import tempfile
import typing
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "protocols/README.md"]

_PART = re.compile(r"(<!-- generated: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def _summary(thing: object) -> str:
    return re.sub(r"\s+", " ", (inspect.getdoc(thing) or "").partition("\n\n")[0])


def _description(thing: object) -> str:
    """The docstring without its examples."""
    paragraphs = (inspect.getdoc(thing) or "").split("\n\n")
    kept = "\n\n".join(p for p in paragraphs if not p.lstrip().startswith(">>>"))
    return kept.replace("``", "`")


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _fields(cls: type) -> str:
    """The fields of a metric as the command line takes them, the default first."""
    hints = typing.get_type_hints(cls)
    parts = []
    for field in dataclasses.fields(cls):
        choices = typing.get_args(hints[field.name]) if typing.get_origin(hints[field.name]) is typing.Literal else ()
        default = [] if field.default is dataclasses.MISSING or field.default is None else [field.default]
        others = [c for c in choices if c not in default]
        parts.append(f"`{field.name}={' '.join(str(value) for value in (*default, *others))}`")
    return ", ".join(parts)


def metrics() -> str:
    """Every metric: a table, then what each one is."""
    from empeval.metrics import METRICS

    direction = {True: "higher", False: "lower", None: "neither"}
    rows, sections = [], []
    for name, cls in METRICS.items():
        needs = ", ".join(cls.needs) or "hypotheses only"
        rows.append((f"[`{name}`](#{name})", _summary(cls), needs, direction[cls.higher_is_better]))
        fields = _fields(cls)
        sections += [f"### {name}", *([f"Fields, the default first: {fields}"] if fields else []), _description(cls)]
    return "\n\n".join([_table(("metric", "the number", "needs", "better"), rows), *sections])


def tokenizers() -> str:
    """Every tokenizer, one line each."""
    from empeval.tokenizers import TOKENIZERS

    rows = [(f"`{name}`", _summary(cls)) for name, cls in TOKENIZERS.items()]
    return _table(("`tokenize=`", "how a text becomes tokens"), rows)


PARTS: dict[str, Callable[[], str]] = {
    "metrics": metrics,
    "tokenizers": tokenizers,
}


def renewed(text: str) -> str:
    """A page with every generated part written anew."""
    return _PART.sub(lambda m: f"{m[1]}\n{PARTS[m[2]]().strip()}\n\n{m[3]}", text)


def examples(page: Path) -> Iterator[tuple[int, str]]:
    """The Python blocks of a page, each with the line it starts on."""
    text = page.read_text(encoding="utf-8")
    for block in _PYTHON.finditer(text):
        yield text.count("\n", 0, block.start(1)) + 1, block[1]


def run_examples(page: Path) -> str:
    """Run the Python blocks of a page; what failed, or nothing."""
    failures = io.StringIO()
    names: dict[str, object] = {"__name__": page.stem}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        shutil.copytree(ROOT / "empeval/example", folder, dirs_exist_ok=True)
        for line, code in examples(page):
            if ">>>" in code:
                test = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), line - 1)
                runner.run(test, out=failures.write, clear_globs=False)
                names = test.globs
            else:
                try:
                    exec(compile("\n" * (line - 1) + code, str(page), "exec"), names)
                except Exception as error:  # noqa: BLE001  # whatever an example raises is its failure
                    failures.write(f"{page}, line {line}: {type(error).__name__}: {error}\n")
    return failures.getvalue()


def main(arguments: list[str]) -> int:
    """Write the generated parts, or check them and the examples."""
    os.environ["COLUMNS"] = "100"
    check = arguments == ["--check"]
    bad = 0
    for page in PAGES:
        old = page.read_text(encoding="utf-8")
        new = renewed(old)
        if new != old:
            if check:
                print(f"{page.relative_to(ROOT)} is stale: run `make docs`", file=sys.stderr)
                bad += 1
            else:
                page.write_text(new, encoding="utf-8")
        if check and (failure := run_examples(page)):
            print(failure, file=sys.stderr)
            bad += 1
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
