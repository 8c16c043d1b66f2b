"""Keep the documentation true: write its generated parts, and run its examples.

    python tools/docs.py            write what stands in ``<!-- generated: NAME --> … <!-- end -->``
    python tools/docs.py --check    change nothing; exit 1 where a part is stale or an example fails

An example is a block marked ```python: with ``>>>`` it runs as a doctest, without as a script. Blocks of one
page share their names and run in a folder that holds the bundled example's files.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import doctest
import functools
import inspect
import io
import json
import re
import shutil
import sys
import tempfile
import typing
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from empeval.report.leaderboard import Leaderboard

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "protocols/README.md",
    ROOT / "results/published/README.md",
]
PUBLISHED = ROOT / "results/published"
PICTURE = ROOT / "docs/leaderboard.svg"
SCHEMA = ROOT / "docs/protocol.schema.json"

#: the part of the demo's leaderboard that the picture and the quickstart show
SHOWN = "bleu,distinct(n=2),emotion_accuracy,perplexity"
WIDTH = 108

#: one cell of a reproduction, as its JSON has it
Cell: TypeAlias = dict[str, Any]

_PART = re.compile(r"(<!-- generated: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def main(arguments: Sequence[str]) -> int:
    """Write the generated parts, or check them and the examples; 1 where something is wrong."""
    from empeval.protocols import write_json_schema

    check = list(arguments) == ["--check"]
    renewed = {page: renew(page.read_text(encoding="utf-8")) for page in PAGES}
    renewed[PICTURE] = picture()
    complaints = []
    for path, text in renewed.items():
        if not path.exists() or text != path.read_text(encoding="utf-8"):
            if check:
                complaints.append(f"{path.relative_to(ROOT)} is stale: run `make docs`")
            else:
                path.write_text(text, encoding="utf-8")
    if not check:
        write_json_schema(SCHEMA)  # its own test says when it is stale
    else:
        # afterwards, since an example may register something of its own
        complaints += [failure for page in PAGES if (failure := run_examples(page))]
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return int(bool(complaints))


def renew(text: str) -> str:
    """A page with every generated part written anew."""
    return _PART.sub(lambda part: f"{part[1]}\n{PARTS[part[2]]().strip()}\n\n{part[3]}", text)


def examples(page: Path) -> Iterator[tuple[int, str]]:
    """The Python blocks of a page, each with the line it starts on."""
    text = page.read_text(encoding="utf-8")
    for block in _PYTHON.finditer(text):
        yield text.count("\n", 0, block.start(1)) + 1, block[1]


def run_examples(page: Path) -> str:
    """Run the Python blocks of a page; gives what failed, or nothing."""
    failures = io.StringIO()
    names: dict[str, object] = {"__name__": "__main__"}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        shutil.copytree(ROOT / "empeval/example", folder, dirs_exist_ok=True)
        for line, code in examples(page):
            if ">>>" in code:
                test = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), line - 1)
                runner.run(test, out=failures.write, clear_globs=False)
                names = test.globs
            else:
                script = compile("\n" * (line - 1) + code, str(page), "exec", dont_inherit=True)
                try:
                    with contextlib.redirect_stdout(io.StringIO()):
                        exec(script, names)
                except Exception as error:  # noqa: BLE001  # whatever an example raises is its failure
                    failures.write(f"{page}, line {line}: {type(error).__name__}: {error}\n")
    return failures.getvalue()


@functools.cache
def leaderboard() -> Leaderboard:
    """Some columns of what `empeval demo` prints."""
    from empeval import example, join, read, read_corpus, score
    from empeval.report.leaderboard import Leaderboard

    cohort = join(read(example.system_files()), corpus=read_corpus(example.corpus_file()))
    return Leaderboard.from_document(score(cohort, metrics=SHOWN).to_dict())


def picture() -> str:
    """The leaderboard as a terminal shows it, as SVG with no outside resource."""
    from rich._export_format import CONSOLE_SVG_FORMAT
    from rich.console import Console
    from rich.text import Text

    console = Console(width=WIDTH, record=True, file=io.StringIO())
    table = leaderboard().to_text(width=WIDTH, color=True)
    console.print(Text.from_ansi(table), no_wrap=True, overflow="ellipsis", crop=True)
    fonts = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
    outside = r"@font-face \{\{.*?\}\}\s*|<!--.*?-->\s*"
    template = re.sub(outside, "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    template = template.replace("Fira Code, monospace", fonts)
    title = "empeval demo, four of its columns"
    return console.export_svg(title=title, code_format=template, unique_id="leaderboard")


def table() -> str:
    """The head of the same table as text."""
    head = leaderboard().to_text(width=WIDTH).partition("\n[1] ")[0]
    return f"```text\n{head.strip()}\n```"


def metrics() -> str:
    """Every metric: a table, then what each one is."""
    from empeval.metrics import METRICS

    better = {True: "higher", False: "lower", None: "neither"}
    rows, sections = [], []
    for name, cls in METRICS.items():
        needs = ", ".join(f"`{need}`" for need in cls.needs) or "–"
        required = any(field.default is dataclasses.MISSING for field in dataclasses.fields(cls))
        interval = "–" if required else cls().resampling
        rows.append((f"[`{name}`](#{name})", _summary(cls), needs, better[cls.higher_is_better], interval))
        sections += [f"### {name}", _description(cls)]
        if options := _options(cls):
            sections.append(f"Fields, the default first: {options}.")
    return "\n\n".join([_table(("metric", "the number", "needs", "better", "interval"), rows), *sections])


def tokenizers() -> str:
    """Every tokenizer, one line each."""
    from empeval.tokenizers import TOKENIZERS

    rows = [(f"`{name}`", _summary(cls)) for name, cls in TOKENIZERS.items()]
    return _table(("`tokenize=`", "tokens"), rows)


def readers() -> str:
    """Every reader, one line each."""
    from empeval.readers import READERS

    rows = [(f"`{name}`", cls.description, " ".join(cls.suffixes)) for name, cls in READERS.items()]
    return _table(("`--reader`", "reads", "file names"), rows)


def formats() -> str:
    """Every leaderboard format, one line each."""
    from empeval.report.formats import FORMATS

    rows = [(f"`{name}`", _summary(cls), _options(cls) or "–") for name, cls in FORMATS.items()]
    return _table(("`--format`", "for", "fields, from Python"), rows)


def protocols() -> str:
    """Every shipped protocol, one line each."""
    from empeval.protocols import protocol_table

    return protocol_table()


def study_keys() -> str:
    """Every key of a study file, part by part."""
    from empeval.study.protocol.words import SECTIONS, keys

    parts: list[str] = []
    rows: list[tuple[str, str, str]] = []
    for key in keys():
        if key.path in SECTIONS:
            parts += [_table(("key", "meaning", "default"), rows)] if rows else []
            parts.append(f"**{SECTIONS[key.path]}**")
            rows = []
        default = "required" if key.required else "" if key.default in (None, {}, ()) else _yaml(key.default)
        rows.append((f"`{key.path}`", key.words, default))
    return "\n\n".join([*parts, _table(("key", "meaning", "default"), rows)])


def _yaml(value: object) -> str:
    if isinstance(value, dict):
        return ""  # the keys below it have theirs
    return f"`{json.dumps(value)}`".replace('"', "")


def export_tables() -> str:
    """Every table of an export, with its columns."""
    from empeval.study.exporting.tables import TABLES

    parts = []
    for table in TABLES.values():
        columns = [[f"`{column.name}`", column.meaning] for column in table.columns]
        parts.append(f"`{table.name}`: {table.purpose}.\n\n{_table(['column', 'holds'], columns)}")
    return "\n\n".join(parts)


def study_questions() -> str:
    """Every kind of question, one line each."""
    from empeval.study.questions import QUESTIONS, Question

    shared = set(Question.model_fields)
    rows = [
        (f"`{name}`", _summary(cls), ", ".join(f"`{key}`" for key in cls.model_fields if key not in shared))
        for name, cls in QUESTIONS.items()
    ]
    return _table(("`kind`", "asks for", "keys of its own"), rows)


def verdicts(protocol: str) -> str:
    """A committed reproduction in short: a row a number, or a row a long table whose verdicts agree."""
    from empeval.report.reproduction_text import VERDICTS

    path = PUBLISHED / protocol / "reproduction.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    tables: dict[str, dict[tuple[str, str, str], list[Cell]]] = {}
    for cell in document["cells"]:
        if cell["published"] is not None and cell["system"] in document["systems"]:
            number = (cell["paper_system"], cell["metric"], cell["published_text"])
            mark = " *(secondary source)*" if cell["source_kind"] == "secondary" else ""
            tables.setdefault(cell["table"] + mark, {}).setdefault(number, []).append(cell)
    rows: list[tuple[str, ...]] = []
    for title, numbers in tables.items():
        found = [cell["verdict"] for cells in numbers.values() for cell in cells]
        n = _n(next(iter(numbers.values()))[0])
        if len(numbers) > 5 and len({verdict.partition("_")[0] for verdict in found}) == 1:
            counts = (f"{found.count(verdict)} {VERDICTS[verdict]}" for verdict in dict.fromkeys(found))
            rows.append((title, "", f"{len(numbers)} numbers", "", "", n, ", ".join(counts)))
        else:
            rows += [(title, *key, _recomputed(cells), n, _verdict(cells)) for key, cells in numbers.items()]
    head = ("published in", "system", "metric", "published", "from the outputs", "n", "verdict")
    return _table(head, rows)


def _recomputed(cells: Sequence[Cell]) -> str:
    """The values of all decodes, each with its name where they differ."""
    values = {c["system"].partition(":")[2]: c["recomputed"] for c in cells if c["recomputed"] is not None}
    decimals = max(2, len(cells[0]["published_text"].partition(".")[2]))
    texts = {stream: f"{value:.{decimals}f}" for stream, value in values.items()}
    if len(set(texts.values())) < 2:
        return next(iter(texts.values()), "–")
    return ", ".join(f"{stream} {text}" for stream, text in texts.items())


def _n(cell: Cell) -> str:
    """The segments behind the number: as published and here, where the two differ."""
    counts = dict.fromkeys(n for n in (cell["n_published"], cell["n_recomputed"]) if n)
    return " / ".join(f"{n:,}" for n in counts)


def _verdict(cells: Sequence[Cell]) -> str:
    """Each verdict with the decodes and differences that it is about."""
    from empeval.report.reproduction_text import VERDICTS

    about: dict[str, dict[str, str]] = {}
    for cell in cells:
        difference = f"{cell['difference']:+.2f}" if cell["verdict"] == "differs" else ""
        about.setdefault(cell["verdict"], {})[cell["system"].partition(":")[2]] = difference
    texts = []
    for verdict, differences in about.items():
        details = dict.fromkeys(differences.values())
        if len(about) > 1 or len(details) > 1:  # which decode it is about matters
            details = dict.fromkeys(f"{stream} {text}".strip() for stream, text in differences.items())
        shown = ", ".join(filter(None, details))
        texts.append(VERDICTS[verdict] + (f" ({shown})" if shown else ""))
    return "; ".join(texts)


def commands() -> str:
    """Every command: what it does, and its arguments and options."""
    from empeval.cli import build_parser

    sections = []
    for name, command in _subcommands(build_parser()).items():
        arguments = [_argument(action) for action in command._actions if not action.option_strings]
        usage = " ".join([f"empeval {name}", *arguments, "[options]"])
        sections += [f"## empeval {name}", command.description or "", f"    {usage}"]
        for group in command._action_groups:
            rows = [
                (_argument(action, code=True), _help(action))
                for action in group._group_actions
                if action.help != argparse.SUPPRESS and "--help" not in action.option_strings
            ]
            if rows:
                sections.append(_table(((group.title or "").capitalize(), ""), rows))
        if command.epilog:
            sections.append(command.epilog)
    return "\n\n".join(sections)


PARTS: dict[str, Callable[[], str]] = {
    "commands": commands,
    "export-tables": export_tables,
    "formats": formats,
    "metrics": metrics,
    "protocols": protocols,
    "readers": readers,
    "study-keys": study_keys,
    "study-questions": study_questions,
    "table": table,
    "tokenizers": tokenizers,
    "verdicts-empdg": functools.partial(verdicts, "empdg"),
    "verdicts-mime": functools.partial(verdicts, "mime"),
}


def _subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The commands by name, those of a group by both words."""
    (action,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    found: dict[str, argparse.ArgumentParser] = {}
    for name, command in action.choices.items():
        if any(isinstance(own, argparse._SubParsersAction) for own in command._actions):
            found.update({f"{name} {word}": own for word, own in _subcommands(command).items()})
        else:
            found[name] = command
    return found


def _argument(action: argparse.Action, *, code: bool = False) -> str:
    """An argument as it is typed; argparse's own text differs between Python versions."""
    value = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if action.choices is not None and action.metavar is None:
        value = "|".join(map(str, action.choices))
    if action.nargs in ("+", "*"):
        value += "…"
    if action.nargs in ("?", "*"):
        value = f"[{value}]"
    words = [", ".join(action.option_strings), "" if action.nargs == 0 else value]
    text = " ".join(word for word in words if word)
    return f"`{text}`" if code else text


def _help(action: argparse.Action) -> str:
    return (action.help or "") % {**vars(action), "prog": "empeval"}


def _summary(thing: object) -> str:
    """The first paragraph of the docstring, on one line."""
    return re.sub(r"\s+", " ", _description(thing).partition("\n\n")[0])


def _description(thing: object) -> str:
    """The docstring without its examples."""
    paragraphs = (inspect.getdoc(thing) or "").replace("``", "`").split("\n\n")
    return "\n\n".join(p for p in paragraphs if not p.lstrip().startswith(">>>"))


def _options(cls: type[Any]) -> str:
    """The fields of a dataclass as they are typed in its text form, the default first."""
    hints = typing.get_type_hints(cls)
    parts = []
    for field in dataclasses.fields(cls):
        hint = hints[field.name]
        choices = typing.get_args(hint) if typing.get_origin(hint) is typing.Literal else ()
        default = () if field.default in (dataclasses.MISSING, None) else (field.default,)
        values = dict.fromkeys(map(str, (*default, *choices)))
        parts.append(f"`{field.name}={' '.join(values) or '…'}`")
    return ", ".join(parts)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    cells = ([re.sub(r"\s+", " ", cell).replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
