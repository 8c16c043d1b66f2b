"""``empeval agreement``: what it prints, what it refuses, and what it says of data that decide nothing."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import krippendorff
import pytest

Run = Callable[..., Any]

HEAD = "item,rater,value\n"
#: Four units, three raters, one gap.
ROWS = [
    ("i1", (1, 1, 2)),
    ("i2", (2, 2, 2)),
    ("i3", (3, 3, 3)),
    ("i4", (4, 3, None)),
    ("i5", (5, 4, 5)),
]


@pytest.fixture
def ratings(folder: Path) -> Path:
    """ratings.csv in long format."""
    lines = [
        f"{item},{rater},{value}"
        for item, values in ROWS
        for rater, value in zip(("ann", "ben", "cid"), values, strict=True)
        if value is not None
    ]
    path = folder / "ratings.csv"
    path.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def statistics(document: dict[str, Any], question: str = "rating") -> dict[str, dict[str, Any]]:
    """The coefficients of a question by their names."""
    return {entry["name"]: entry for entry in document["questions"][question]["statistics"]}


def as_json(run: Run, *words: str) -> dict[str, Any]:
    """The document of a command that succeeds."""
    status, out, _ = run("agreement", *words, "--format", "json")
    assert 0 == status
    return json.loads(out)


def test_the_document_has_its_stable_keys(run: Run, ratings: Path) -> None:
    """Counts, coefficients, pairs, raters, sentences; alpha is that of the library of its author."""
    document = as_json(run, "ratings.csv", "--categories", "1,2,3,4,5")
    assert ["questions", "differences", "warnings", "manifest"] == list(document)
    question = document["questions"]["rating"]
    assert (5, 5, 3, 14, 0) == tuple(
        question[name] for name in ("n_items", "n_units", "n_raters", "n_ratings", "n_left_out")
    )
    found = statistics(document)
    assert {"name", "value", "interval", "status", "level", "note"} == set(found["krippendorff_alpha"])
    matrix = [
        [float("nan") if v is None else v for v in of] for of in zip(*(r for _, r in ROWS), strict=True)
    ]
    for level, name in (("ordinal", ""), ("nominal", "_nominal"), ("interval", "_interval")):
        expected = krippendorff.alpha(matrix, level_of_measurement=level)
        assert expected == pytest.approx(found[f"krippendorff_alpha{name}"]["value"], abs=1e-9)
    assert {"rater_a", "rater_b", "n", "name", "value", "interval", "status"} == set(question["pairs"][0])
    assert ["ann", "ben", "cid"] == [rater["rater"] for rater in question["raters"]]
    assert "Krippendorff's alpha (ordinal measurement)" in question["methods"]
    assert question["results"].startswith("Krippendorff's alpha (ordinal) was 0.")
    assert [] == document["warnings"]


def test_every_coefficient_of_the_contract_has_its_name(run: Run, ratings: Path) -> None:
    """Numbers have all of them."""
    expected = {
        *("krippendorff_alpha", "fleiss_kappa", "cohen_kappa", "cohen_kappa_linear", "cohen_kappa_quadratic"),
        *("scott_pi", "brennan_prediger", "conger_kappa", "gwet_ac1", "gwet_ac2", "percent_agreement"),
        *("percent_agreement_within_1", "icc_1_1", "icc_2_1", "icc_3_1", "icc_1_k", "icc_2_k", "icc_3_k"),
        "kendall_w",
    }
    assert expected <= set(statistics(as_json(run, "ratings.csv")))


def test_nominal_data_have_no_weighted_coefficients(run: Run, folder: Path) -> None:
    """Words, and numbers that are declared to be names."""
    (folder / "r.csv").write_text(HEAD + "i1,a,yes\ni1,b,no\ni2,a,yes\ni2,b,yes\n")
    for file, asked in (("r.csv", ()), ("n.csv", ("--measurement", "nominal"))):
        (folder / "n.csv").write_text(HEAD + "i1,a,1\ni1,b,2\ni2,a,1\ni2,b,1\n")
        found = statistics(as_json(run, file, *asked))
        assert not [
            name for name in found if name.startswith(("icc", "kendall")) or name.endswith("quadratic")
        ]
        assert {"nominal"} == {entry["level"] for entry in found.values()}


def test_words_in_a_declared_order(run: Run, folder: Path) -> None:
    """Ordinal alpha of poor, fair and good is that of 1, 2 and 3."""
    (folder / "w.csv").write_text(HEAD + "i1,a,poor\ni1,b,fair\ni2,a,good\ni2,b,good\ni3,a,fair\ni3,b,fair\n")
    found = statistics(as_json(run, "w.csv", "--measurement", "ordinal", "--categories", "poor,fair,good"))
    expected = krippendorff.alpha([[1, 3, 2], [2, 3, 2]], level_of_measurement="ordinal")
    assert expected == pytest.approx(found["krippendorff_alpha"]["value"], abs=1e-9)
    assert "icc_1_1" not in found


@pytest.mark.parametrize("format", ["text", "markdown", "latex", "csv", "html", "json"])
def test_every_format(run: Run, ratings: Path, format: str) -> None:
    """Each ends in one line break; a seed gives the same bytes again."""
    status, out, err = run("agreement", "ratings.csv", "--categories", "1,2,3,4,5", "--format", format)
    assert (0, "") == (status, err)
    assert out.endswith("\n")
    assert not out.endswith("\n\n")
    assert "krippendorff" in out.replace("\\_", "_")
    assert out == run("agreement", "ratings.csv", "--categories", "1,2,3,4,5", "--format", format).out


def test_csv_has_what_json_has(run: Run, ratings: Path) -> None:
    """Unrounded."""
    rows = csv.DictReader(io.StringIO(run("agreement", "ratings.csv", "--format", "csv").out))
    values = {row["name"]: float(row["value"]) for row in rows if not row["rater_a"] and row["value"]}
    document = statistics(as_json(run, "ratings.csv"))
    assert values == {name: entry["value"] for name, entry in document.items() if entry["value"] is not None}


def test_layouts_give_the_same_numbers(run: Run, ratings: Path, folder: Path) -> None:
    """Long, one column a rater, one file a rater."""
    wide = "item,ann,ben,cid\n" + "".join(
        f"{item},{','.join('' if v is None else str(v) for v in values)}\n" for item, values in ROWS
    )
    (folder / "wide.csv").write_text(wide)
    for i, rater in enumerate(("ann", "ben", "cid")):
        lines = [f"{item},{float(values[i])}\n" for item, values in ROWS if values[i] is not None]
        (folder / f"{rater}.csv").write_text("item,rating\n" + "".join(lines))
    expected = as_json(run, "ratings.csv")["questions"]
    assert expected == as_json(run, "wide.csv", "--wide", "raters")["questions"]
    assert expected == as_json(run, "ann.csv", "ben.csv", "cid.csv", "--wide", "files")["questions"]


def test_the_folder_holds_everything(run: Run, ratings: Path, folder: Path) -> None:
    """The document, a table in every format, and a manifest with the command that remakes it."""
    status, _, err = run(
        "agreement", "ratings.csv", "--categories", "1,2,3,4,5", "--out", "found", "--seed", "7"
    )
    assert (0, True) == (status, "the report is in found" in err)
    names = {path.name for path in (folder / "found").iterdir()}
    assert {"agreement.json", "agreement.md", "agreement.tex", "agreement.csv", "agreement.html"} < names
    manifest = json.loads((folder / "found" / "manifest.json").read_text())
    assert ["agreement", "ratings.csv"] == manifest["command"][1:3]
    assert "1,2,3,4,5" in manifest["command"]
    assert 64 == len(manifest["inputs"][0]["sha256"])
    before = (folder / "found" / "agreement.json").read_bytes()
    assert 0 == run(*manifest["command"][1:], "--out", "found").status
    assert before == (folder / "found" / "agreement.json").read_bytes()


def test_a_folder_is_verified(run: Run, ratings: Path, folder: Path) -> None:
    """Every number anew from the files; one that was changed is named, and a file that was."""
    assert 0 == run("agreement", "ratings.csv", "--categories", "1,2,3,4,5", "--out", "found").status
    assert 0 == run("verify", "found").status
    path = folder / "found" / "agreement.json"
    path.write_text(path.read_text().replace('"n_ratings": 14', '"n_ratings": 15'))
    status, out, _ = run("verify", "found")
    assert 1 == status
    assert "questions.rating.n_ratings" in out
    ratings.write_text(ratings.read_text().replace("i5,cid,5", "i5,cid,4"))
    assert "krippendorff_alpha].value" in run("verify", "found").out


def test_notes_go_to_standard_error(run: Run, ratings: Path) -> None:
    """The scale that was not declared; nothing with --quiet."""
    assert "[categories_seen]" in run("agreement", "ratings.csv").err
    assert "" == run("agreement", "ratings.csv", "--quiet").err


def test_two_questions_are_compared(run: Run, folder: Path) -> None:
    """Alpha on the first minus alpha on the second; one with gaps of its own too."""
    lines = [f"i{i},{r},q{q},{(i * (r + q) + r) % 4}" for i in range(8) for r in (1, 2) for q in (1, 2)]
    (folder / "two.csv").write_text("item,rater,question,value\n" + "\n".join(lines[:-1]) + "\n")
    document = as_json(run, "two.csv")
    (difference,) = document["differences"]
    alphas = [statistics(document, name)["krippendorff_alpha"]["value"] for name in ("q1", "q2")]
    assert alphas[0] - alphas[1] == pytest.approx(difference["value"])
    assert difference["interval"]["low"] <= difference["value"] <= difference["interval"]["high"]


def test_repeats_give_self_consistency(run: Run, folder: Path) -> None:
    """Two passes of one rater: the share of values given again."""
    text = "item,rater,value,pass\ni1,a,1,1\ni1,a,1,2\ni2,a,2,1\ni2,a,3,2\ni1,b,1,1\ni2,b,3,1\n"
    (folder / "passes.csv").write_text(text)
    question = as_json(run, "passes.csv")["questions"]["rating"]
    assert (2, 0.5) == (question["self_consistency"]["n"], question["self_consistency"]["exact"]["value"])


def test_a_crowd_lists_no_pairs(run: Run, folder: Path) -> None:
    """More than twenty raters: means over pairs remain."""
    lines = [f"i{i},r{(3 * i + j) % 24},{1 + (i + j % 2) % 4}" for i in range(40) for j in range(6)]
    (folder / "crowd.csv").write_text(HEAD + "\n".join(lines) + "\n")
    document = as_json(run, "crowd.csv")
    assert [] == document["questions"]["rating"]["pairs"]
    assert "pairs_not_listed" in {warning["code"] for warning in document["warnings"]}
    assert "ok" == statistics(document)["cohen_kappa"]["status"]


def test_continuous_values_are_no_categories(run: Run, folder: Path) -> None:
    """Coefficients that count categories are left out; alpha and correlations remain."""
    lines = [f"i{i},r{r},{(i * 37 % 101) / 10 + r / 7:.3f}" for i in range(60) for r in (1, 2)]
    (folder / "slider.csv").write_text(HEAD + "\n".join(lines) + "\n")
    document = as_json(run, "slider.csv", "--measurement", "interval")
    found = statistics(document)
    assert "fleiss_kappa" not in found
    assert "ok" == found["krippendorff_alpha"]["status"]
    assert "many_values" in {warning["code"] for warning in document["warnings"]}


DEGENERATE = {
    "one rater": ("i1,a,1\ni2,a,2\ni3,a,3\n", {"no_pairable_units", "too_few_raters"}),
    "one item": ("i1,a,1\ni1,b,2\n", {"too_few_units"}),
    "all equal": ("i1,a,3\ni1,b,3\ni2,a,3\ni2,b,3\n", {"no_variation"}),
    "all missing": ("i1,a,\ni1,b,\n", {"no_judgments"}),
    "one rating": ("i1,a,1\n", {"no_pairable_units", "too_few_raters"}),
    "nobody shares a unit": ("i1,a,1\ni2,b,2\ni3,c,3\n", {"no_pairable_units"}),
    "variation in single ratings only": ("i1,a,1\ni1,b,1\ni2,a,5\n", {"no_variation"}),
    "no rows": ("", {"no_judgments"}),
}


@pytest.mark.parametrize("measurement", ["nominal", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize("name", DEGENERATE)
def test_data_that_decide_nothing_give_a_status(run: Run, folder: Path, name: str, measurement: str) -> None:
    """Exit status 0, null and why; never 0, 1 or NaN in place of a value; every format prints it."""
    text, statuses = DEGENERATE[name]
    (folder / "r.csv").write_text(HEAD + text)
    document = as_json(run, "r.csv", "--measurement", measurement)
    alpha = statistics(document)["krippendorff_alpha"]
    if name != "one item":
        assert (None, None) == (alpha["value"], alpha["interval"])
        assert alpha["status"] in statuses
    assert alpha["interval"] is None
    for entry in statistics(document).values():
        assert (entry["value"] is None) == (entry["status"] != "ok")
    for form in ("text", "markdown", "latex", "csv", "html"):
        assert 0 == run("agreement", "r.csv", "--measurement", measurement, "--format", form).status


def test_perfect_agreement_of_one_category_is_undefined_beside_its_share(run: Run, folder: Path) -> None:
    """Alpha is 0/0, and percent agreement 1."""
    (folder / "r.csv").write_text(HEAD + DEGENERATE["all equal"][0])
    found = statistics(as_json(run, "r.csv", "--categories", "1,2,3,4,5"))
    assert (None, "no_variation") == (
        found["krippendorff_alpha"]["value"],
        found["krippendorff_alpha"]["status"],
    )
    assert (1.0, "ok") == (found["percent_agreement"]["value"], found["percent_agreement"]["status"])


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("item,rater,value\ni1,a,1\ni1,,2\n", (), "r.csv, line 3: the rater is blank"),
        (
            "item,rater,value\ni1,a,1\ni1,a,1\n",
            (),
            "r.csv, line 3: the same item, question and rater stands on",
        ),
        ("item,rater,value\ni1,a,9\n", ("--categories", "1,2"), "r.csv, line 2: the value 9 is outside"),
        ("item,rater,value\ni1,a,x\ni1,b,2\n", (), "r.csv, line 2: the value 'x' is a word, and on line 3"),
        ("task,rater,value\ni1,a,1\n", (), "r.csv: there is no column 'item'"),
        (
            "item,rater,value\ni1,a,1\n",
            ("--columns", "item=task"),
            "r.csv: there is no column 'task' to read as",
        ),
        ("item,rater,value\ni1,a,1\n", ("--questions", "warm"), "there is no question 'warm'"),
        ("item,rater,value\ni1,a,1\n", ("--wide", "rows"), "there is no value of --wide 'rows'"),
        ("item,rater,value\ni1,a,1\n", ("--measurement", "ordnal"), "did you mean 'ordinal'"),
        ("", (), "r.csv: the file is empty"),
    ],
)
def test_what_is_wrong_is_one_message(
    run: Run, folder: Path, text: str, words: tuple[str, ...], expected: str
) -> None:
    """Status 2, nothing on standard output, file and line."""
    (folder / "r.csv").write_text(text)
    status, out, err = run("agreement", "r.csv", *words)
    assert (2, "", 1) == (status, out, err.count("\n"))
    assert expected in err


def test_a_file_that_is_not_there(run: Run, folder: Path) -> None:
    """Status 2 as well, and for a folder that holds other things before anything is read."""
    assert (2, "") == run("agreement", "none.csv")[:2]
    (folder / "other").mkdir()
    (folder / "other" / "notes.txt").write_text("mine")
    assert "holds other things" in run("agreement", "none.csv", "--out", "other").err
