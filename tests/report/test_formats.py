"""How each format prints: whole outputs for a small table, and readers of each format as authorities."""

from __future__ import annotations

import csv
import html.parser
import io
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from empeval.errors import UnknownName
from empeval.report.formats import FORMATS, render
from empeval.report.formats._tex import escape as tex
from empeval.report.leaderboard import Leaderboard, leaderboard

NASTY = 'a_b & 50% {x} \\ ~ ^ # $ <é> 😊 日本 | "q" `c` *d* [e]'


def score(system: str, metric: str, value: float | None, **changes: Any) -> dict[str, Any]:
    """One entry of a score document; the metrics are of no real name, so that two decimals are printed."""
    return {
        "system": system,
        "metric": metric,
        "value": value,
        "interval": None,
        "n_segments": 1200,
        "n_empty": 0,
        "reason": None,
        "signature": f"{metric}|tok:13a|n:1200",
        "higher_is_better": {"fluency": True, "surprise": False}.get(metric),
        **changes,
    }


def interval(low: float, high: float) -> dict[str, Any]:
    """An interval of the document."""
    return {"low": low, "high": high, "level": 0.95, "method": "bootstrap"}


def document(scores: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    """A score document around these scores."""
    return {
        "corpus": {"name": "tiny_set", "n_segments": 1210, "n_dialogues": 310, "fingerprint": "00ff"},
        "cohort": {"rule": "intersection", "n_segments": 1200, "n_dialogues": 300, "dropped": {}},
        "systems": list(dict.fromkeys(entry["system"] for entry in scores)),
        "scores": scores,
        "comparisons": [],
        "tiers": {},
        "claims": [],
        "groups": None,
        "warnings": [],
        **changes,
    }


SMALL = document(
    [
        score("old_1", "fluency", 2.5, interval=interval(2.25, 2.75)),
        score("old_1", "surprise", 30.0),
        score("old_1", "size", -0.001),
        score("new", "fluency", 13.25, interval=interval(12.5, 14.0)),
        score("new", "surprise", None, reason="missing_field: no nll"),
        score("new", "size", -9.5),
        score("same", "fluency", 13.25, interval=interval(12.5, 14.0), n_empty=2),
        score("same", "surprise", 20.125),
        score("same", "size", 8.0),
    ],
    cohort={
        "rule": "intersection",
        "n_segments": 1200,
        "n_dialogues": 300,
        "dropped": {"old_1": 10, "new": 0},
    },
    comparisons=[
        {
            "metric": "fluency",
            "correction": "holm",
            "method": "paired permutation",
            "interval": interval(0, 1),
        }
    ],
    tiers={"fluency": [["new", "same"], ["old_1"]], "surprise": [["same", "old_1"]]},
    claims=[
        {
            "system": "new",
            "source": "new.txt",
            "name": "PPL",
            "claimed": 37.5,
            "text": "37.5",
            "metric": "x",
            "recomputed": 37.46,
            "status": "confirmed",
        },
        {
            "system": "new",
            "source": "new.txt",
            "name": "Acc",
            "claimed": 0.3,
            "text": "30%",
            "metric": None,
            "recomputed": None,
            "status": "not_checkable",
        },
    ],
    warnings=[{"code": "empty_response", "message": "2 responses of 'same' are empty", "n": 2, "ids": ["7"]}],
)


def group(name: str, n: int, values: dict[str, float], tiers: list[list[str]]) -> dict[str, Any]:
    """One group of a breakdown by fluency."""
    scores = [
        score(s, "fluency", v, n_segments=n, signature=f"fluency|tok:13a|n:{n}") for s, v in values.items()
    ]
    return {"group": name, "n_segments": n, "n_dialogues": n, "scores": scores, "tiers": {"fluency": tiers}}


GROUPED = document(
    [score("old_1", "fluency", 2.5), score("new", "fluency", 3.5)],
    groups={
        "by": "emotion",
        "correction": "holm",
        "groups": [
            group("sad", 700, {"old_1": 2.0, "new": 3.0}, [["new"], ["old_1"]]),
            group("proud", 500, {"old_1": 4.0, "new": 3.75}, [["new", "old_1"]]),
        ],
    },
)

TEXT = """\
tiny_set: 1,200 segments in 300 dialogues
System  fluency ↑ [1]            surprise ↓ [2]  size [3]
─────────────────────────────────────────────────────────
old_1    2.50  b [2.25, 2.75]    30.00  a         0.00
new     13.25* a [12.50, 14.00]      – [4]       -9.50
same    13.25* a [12.50, 14.00]  20.12* a         8.00

What the files state about themselves
System  claim  as printed  recomputed  status
────────────────────────────────────────────────────
new     PPL    37.5        37.5        confirmed
new     Acc    30%         –           not checkable

[1] fluency; 1,200 segments in 300 dialogues; 95% interval by bootstrap
    fluency|tok:13a|n:1200
[2] surprise; 1,200 segments in 300 dialogues; no interval; not separable: no
    two systems differ significantly
    surprise|tok:13a|n:1200
[3] size; 1,200 segments in 300 dialogues; no interval
    size|tok:13a|n:1200
[4] no value: missing_field: no nll

corpus tiny_set (00ff), cohort intersection: 1,200 segments in 300 dialogues;
  left out: old_1 10.
Brackets hold confidence intervals.
The best value of a column is marked *; values that print alike are equally
  best.
A tier (a is the best) ends where each of its systems is better than every
  system below, at p < 0.05, Holm over the pairs of a metric (paired
  permutation). Systems that share a letter are not separated as groups; pairs
  among them that differ are named with their column.
Warning (empty_response): 2 responses of 'same' are empty
"""

MARKDOWN_TABLE = r"""
**tiny\_set: 1,200 segments in 300 dialogues**

| System | fluency ↑<sup>1</sup> | surprise ↓<sup>2</sup> | size<sup>3</sup> |
| :--- | ---: | ---: | ---: |
| old\_1 | 2.50 b [2.25, 2.75] | 30.00 a | 0.00 |
| new | **13.25** a [12.50, 14.00] | –<sup>4</sup> | -9.50 |
| same | **13.25** a [12.50, 14.00] | **20.12** a | 8.00 |
""".lstrip()

LATEX_TABLE = r"""
\begin{table}[htbp]
\centering\small
\caption{tiny\_set: 1,200 segments in 300 dialogues}
\begin{tabular}{lr@{}lr@{}lr@{}l}
\toprule
System & \multicolumn{2}{c}{\shortstack{fluency $\uparrow$\textsuperscript{1}}} & \multicolumn{2}{c}{\shortstack{surprise $\downarrow$\textsuperscript{2}}} & \multicolumn{2}{c}{\shortstack{size\textsuperscript{3}}} \\
\midrule
old\_1 & 2.50 & \textsuperscript{b}~{\scriptsize [2.25, 2.75]} & 30.00 & \textsuperscript{a} & 0.00 &  \\
new & \textbf{13.25} & \textsuperscript{a}~{\scriptsize [12.50, 14.00]} & -- & \textsuperscript{4} & $-$9.50 &  \\
same & \textbf{13.25} & \textsuperscript{a}~{\scriptsize [12.50, 14.00]} & \textbf{20.12} & \textsuperscript{a} & 8.00 &  \\
\bottomrule
\end{tabular}
\par\smallskip
\begin{minipage}{\linewidth}
\footnotesize\raggedright
\textsuperscript{1}\,fluency; 1,200 segments in 300 dialogues; 95\% interval by bootstrap: \texttt{fluency\textbar\allowbreak{}tok:13a\textbar\allowbreak{}n:1200}\par
""".lstrip()  # noqa: E501  # lines as they are printed

CSV = """\
system,metric,value,low,high,level,method,tier,best,n_segments,n_empty,reason,signature,group
old_1,fluency,2.5,,,,,,false,1200,0,,fluency|tok:13a|n:1200,
new,fluency,3.5,,,,,,true,1200,0,,fluency|tok:13a|n:1200,
old_1,fluency,2.0,,,,,b,false,700,0,,fluency|tok:13a|n:700,sad
new,fluency,3.0,,,,,a,true,700,0,,fluency|tok:13a|n:700,sad
old_1,fluency,4.0,,,,,a,true,500,0,,fluency|tok:13a|n:500,proud
new,fluency,3.75,,,,,a,false,500,0,,fluency|tok:13a|n:500,proud
"""


def test_text_whole() -> None:
    """A terminal of 80 characters shows the table, the claims and every note."""
    assert TEXT == leaderboard(SMALL).to_text()


def test_markdown_table() -> None:
    """Best values in bold, marks as superscripts, names escaped."""
    assert leaderboard(SMALL).to_markdown().startswith(MARKDOWN_TABLE)


def test_latex_table() -> None:
    """A float in the style of booktabs with its notes inside."""
    text = leaderboard(SMALL).to_latex()
    head, _, body = text.partition("\n\n")
    assert r"% Needs \usepackage{booktabs}. In a two-column paper, write table* for table." == head
    assert body.startswith(LATEX_TABLE)


def test_csv_whole() -> None:
    """One line a score, the groups after the whole."""
    assert CSV == leaderboard(GROUPED).to_csv()


def test_json_is_the_document() -> None:
    """Keys stay in their order, and text is not escaped to ASCII."""
    made = document([score(NASTY, "fluency", 1.0)])
    text = leaderboard(made).to_json()
    assert made == json.loads(text)
    assert list(made) == list(json.loads(text))
    assert "😊 日本" in text
    assert text.endswith("}\n")


def test_json_of_several_runs_names_them() -> None:
    """Each run's document is whole."""
    board = Leaderboard.from_documents([("one", SMALL), ("two", GROUPED)])
    assert {"runs": {"one": SMALL, "two": GROUPED}} == json.loads(board.to_json())


def test_a_breakdown_is_a_table_of_groups_and_systems() -> None:
    """Each line says how many segments it rests on."""
    text = leaderboard(GROUPED).to_text()
    table = """\
By emotion
emotion  n    System  fluency ↑
───────────────────────────────
sad      700  old_1   2.00  b
sad      700  new     3.00* a
proud    500  old_1   4.00* a
proud    500  new     3.75  a
"""
    assert table in text
    note = (
        "By emotion: Holm within each group; best values and tiers are those of the group; signatures are "
        "those of the columns above, but for n. fluency: a single tier in 1 of 2 groups."
    )
    assert note in " ".join(text.split())


@pytest.mark.parametrize("format", ["text", "markdown", "latex", "html"])
def test_columns_of_one_metric_are_told_apart(format: str) -> None:
    """A note says which part of the signatures differs."""
    other = document([score("late", "fluency", 9.0, signature="fluency|tok:intl|n:1200")])
    text = Leaderboard.from_documents([("one", SMALL), ("two", other)]).render(format)
    assert "Columns 1 and 2 (fluency) are not comparable: tok is 13a and intl." in " ".join(text.split())


def test_empty_responses_are_counted_once() -> None:
    """By the warning where there is one, else by a note."""
    note = "Empty responses, scored as they are: same 2."
    assert note not in leaderboard(SMALL).to_text()
    assert note in leaderboard({**SMALL, "warnings": []}).to_text()


def test_runs_that_were_not_tested_together_say_so() -> None:
    """No letters, and the reason for it."""
    other = document([score("late", "fluency", 9.0)], tiers={"fluency": [["late"]]})
    text = Leaderboard.from_documents([("one", SMALL), ("two", other)]).to_text(width=200)
    assert "[1] fluency; 1,200 segments in 300 dialogues; 95% interval by bootstrap; no tiers, " in text
    assert "one: corpus tiny_set (00ff), cohort intersection" in text
    assert "Warning (empty_response): one: 2 responses of 'same' are empty" in text


MANY = document(
    [
        score(s, f"metric_number_{i}", 10.0 + i, interval=interval(9, 11))
        for s in ("old", "新系统")
        for i in range(9)
    ]
)


@pytest.mark.parametrize("width", [40, 60, 80, 120, 400])
def test_text_stays_within_the_width_and_loses_nothing(width: int) -> None:
    """Where the metrics need more, the table comes in parts, each with the systems' names."""
    text = leaderboard(MANY).to_text(width=width)
    from rich.cells import cell_len

    tables, _, _ = text.partition("[1] metric_number_0;")
    assert width >= max(cell_len(line) for line in tables.splitlines())
    assert all(f"metric_number_{i}" in tables for i in range(9))
    assert 2 * 9 == len(re.findall(r"1\d\.00 \[9\.00, 11\.00\]", tables))
    assert tables.count("新系统") == max(1, tables.count("(part "))


def test_text_too_narrow_for_one_column_is_wider_rather_than_cut() -> None:
    """A long name is folded, a number never is."""
    made = document(
        [score("an_uncommonly_long_name_of_a_system", "fluency", 1234567.0, interval=interval(1, 2))]
    )
    tables = leaderboard(made).to_text(width=10).partition("[1] fluency;")[0]
    assert "1234567.00 [1.00, 2.00]" in tables
    assert "an_uncommonly_long_name_of_a_system" == "".join(
        re.findall(r"^[a-z_]+", tables.split("─\n")[1], re.M)
    )


def test_text_in_colour_differs_in_escape_sequences_only() -> None:
    """Without colour nothing is lost: the star stays."""
    board = leaderboard(SMALL)
    coloured = board.to_text(color=True)
    assert "\x1b[1;32m13.25* a" in coloured
    bare = re.sub(r"\x1b\[[\d;]*m", "", coloured)
    assert board.to_text() == "\n".join(line.rstrip() for line in bare.split("\n"))


def test_text_ignores_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bytes in every terminal."""
    expected = leaderboard(SMALL).to_text(color=True)
    for key, value in {"TERM": "dumb", "COLUMNS": "20", "NO_COLOR": "1", "FORCE_COLOR": "1"}.items():
        monkeypatch.setenv(key, value)
    assert expected == leaderboard(SMALL).to_text(color=True)


def test_control_characters_never_reach_a_terminal() -> None:
    """A name cannot move the cursor, break a line or turn the text around."""
    text = leaderboard(document([score("a\n\x1b[31mb\u202ec\udce9", "fluency", 1.0)])).to_text()
    assert "a\\n\\x1b[31mb\\u202ec\\udce9  1.00" in text


def test_csv_reads_back_exactly() -> None:
    """Values are unrounded and names unaltered, whatever they hold (authority: the csv module)."""
    names = [NASTY, 'say "hi", then\r\nleave', "=1+1", "lone\rreturn"]
    made = document([score(name, "fluency", 0.1 + 0.2, reason=None) for name in names])
    rows = list(csv.DictReader(io.StringIO(leaderboard(made).to_csv(), newline="")))
    assert names == [row["system"] for row in rows]
    assert [0.1 + 0.2] * 4 == [float(row["value"]) for row in rows]


class _Cells(html.parser.HTMLParser):
    """The texts of all cells, and every tag with its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data


def parsed(text: str) -> _Cells:
    """An HTML page, parsed."""
    page = _Cells()
    page.feed(text)
    return page


def test_html_shows_names_literally() -> None:
    """Nothing in a name becomes markup (authority: the parser of the standard library)."""
    names = [NASTY, "<script>alert(1)</script>", '" onload="x', "a&lt;b"]
    page = parsed(leaderboard(document([score(name, "fluency", 1.0) for name in names])).to_html())
    assert set(names) <= set(page.cells)
    assert "script" not in {tag for tag, _ in page.tags}
    assert not [attrs for _, attrs in page.tags if "onload" in attrs]


def test_html_needs_nothing_from_outside() -> None:
    """No address, no import, no script."""
    text = leaderboard(SMALL).to_html()
    assert not re.search(r"https?:|//|@import|url\(|<script|<link|<img", text)


def test_html_is_accessible() -> None:
    """Language, encoding, captions, scopes, and notes that the marks lead to."""
    text = leaderboard(SMALL).to_html()
    page = parsed(text)
    tags = [tag for tag, _ in page.tags]
    assert {"lang": "en"} == dict(page.tags)["html"]
    assert '<meta charset="utf-8">' in text
    assert 'name="viewport"' in text
    assert tags.count("table") == tags.count("caption") == 2
    assert all(attrs.get("scope") in ("row", "col") for tag, attrs in page.tags if tag == "th")
    targets = {attrs["id"] for _, attrs in page.tags if "id" in attrs}
    assert {f"note-{i}" for i in range(1, 5)} == targets
    assert targets == {str(attrs["href"]).removeprefix("#") for tag, attrs in page.tags if tag == "a"}
    assert "color-scheme: light dark" in text


def test_markdown_shows_names_literally() -> None:
    """A table cell renders as the name (authority: markdown-it, CommonMark with GitHub's tables)."""
    from markdown_it import MarkdownIt

    names = [
        NASTY,
        "a|b",
        "a\\|b",
        "ends in \\",
        "<b>x</b>",
        "&amp;",
        "**x**",
        "~~x~~",
        "[x](y)",
        "`|`",
        "__x__",
    ]
    board = leaderboard(document([score(name, "fluency", 1.0) for name in names]))
    page = parsed(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(board.to_markdown()))
    cells = [cell.strip() for cell in page.cells]
    assert names == [cell for cell in cells if cell in names]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b & 50%", r"a\_b \& 50\%"),
        ("{x} \\ ~ ^ # $", r"\{x\} \textbackslash{} \textasciitilde{} \textasciicircum{} \# \$"),
        ('<"|`>', r"\textless{}\texttt{\symbol{34}}\textbar{}\`{}\textgreater{}"),
        ("[a]*", "{[}a{]}{*}"),
        (
            "é ï ő ç ǰ ế Å ß ł",
            r"\'{e} \"{\i} \H{o} \c{c} \v{\j} \'{\^{e}} \r{A} \ss{} \l{}",
        ),
        ("e\u0301", r"\'{e}"),
        ("↑ ↓ → – λ ≤", r"$\uparrow$ $\downarrow$ $\rightarrow$ -- $\lambda$ $\leq$"),
        ("😊日", "{[}U+1F60A{]}{[}U+65E5{]}"),
        ("a--b''c,,d", "a-{}-b'{}'c,{},d"),
        ("a\nb\tc", r"a\textbackslash{}nb\textbackslash{}tc"),
    ],
)
def test_latex_escapes(text: str, expected: str) -> None:
    """Every character is set as it reads, or by its code point."""
    assert expected == tex(text)


def test_long_latex_tables_are_divided() -> None:
    """No table is longer than a page or wider than a line."""
    systems = [f"system {i}" for i in range(50)]
    made = document([score(s, f"m{j}", 1.0, interval=interval(0, 2)) for s in systems for j in range(6)])
    text = leaderboard(made).to_latex()
    assert 4 == text.count(r"\begin{table}") == text.count(r"\end{table}")
    assert "(part 4 of 4)" in text
    assert r"\begin{flushleft}" in text


def test_latex_compiles(tmp_path: Path) -> None:
    """Every printable ASCII character, accents, symbols and what has no glyph (authority: pdfLaTeX)."""
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed (Debian: texlive-latex-base, texlive-latex-recommended)")
    names = [
        NASTY,
        "[starts",
        "* starts",
        "".join(map(chr, range(32, 127))),
        "¡¿§©±·×ßæÆøØœŒłŁı",
        "éïőçǰếÅ ẖ ạ",
    ]
    names += ["αβγδεκλμµπρστ", "–—‘’“”…←↑→↓−≈≠≤≥∞\u00a0", "ą Ω\u0301 \u0000 \u200d \udce9"]
    scores = [
        score(name, m, 1.0, interval=interval(-1, 2)) for name in names for m in ("fluency", "m(a=b,c=_)")
    ]
    made = document(
        scores,
        corpus={"name": NASTY, "n_segments": 1, "n_dialogues": 1, "fingerprint": "0"},
        tiers={"fluency": [names]},
        warnings=[{"code": "a_b", "message": NASTY, "n": 1, "ids": []}],
    )
    for packages in ("{booktabs}", "[T1]{fontenc}\n\\usepackage{booktabs}"):
        source = f"\\documentclass{{article}}\n\\usepackage{packages}\n\\begin{{document}}\n"
        source += leaderboard(made).to_latex() + leaderboard(GROUPED).to_latex() + "\\end{document}\n"
        (tmp_path / "paper.tex").write_text(source, encoding="ascii")
        done = subprocess.run(
            ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "paper.tex"],
            cwd=tmp_path,
            capture_output=True,
            check=False,
            timeout=120,
        )
        log = done.stdout.decode("utf-8", "replace")
        assert 0 == done.returncode, log[-3000:]
        assert "Missing character" not in log


def test_options_are_part_of_a_formats_name() -> None:
    """A format is created from its text form, and an unknown one is told."""
    board = leaderboard(SMALL)
    assert board.to_text(width=50) == render(board, "text(width=50)")
    with pytest.raises(UnknownName, match="there is no format 'markdwn'; did you mean 'markdown'"):
        board.render("markdwn")


def test_suffixes() -> None:
    """Files of a run folder are named by these."""
    assert {
        "csv": ".csv",
        "html": ".html",
        "json": ".json",
        "latex": ".tex",
        "markdown": ".md",
        "text": ".txt",
    } == {name: made.suffix for name, made in FORMATS.items()}


def test_pairs_that_differ_within_a_tier_are_named() -> None:
    """A single tier does not say that no two systems differ where some do."""
    scores = [score(name, "fluency", value) for name, value in (("x", 9.0), ("y", 5.0), ("z", 1.0))]
    tests = [
        {
            "metric": "fluency",
            "system_a": a,
            "system_b": b,
            "p_adjusted": p,
            "interval": None,
            "method": "m",
            "correction": "holm",
        }
        for a, b, p in (("x", "y", 0.3), ("z", "x", 0.01), ("y", "z", 0.2))
    ]
    made = document(scores, comparisons=tests, tiers={"fluency": [["x", "y", "z"]]})
    text = leaderboard(made).to_text()
    assert "within a tier, x beats z" in " ".join(text.split())
    assert "not separable" not in text
