"""The committed tables of published outputs: what they say, and that they can be remade."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from empeval import join, read, score
from empeval.report.runs import load_manifest
from empeval.report.verify import verify

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "results/published"
NAMES = ("mime", "empdg", "leaderboard")


def document(name: str) -> dict[str, Any]:
    """A committed reproduction, or the leaderboard's scores."""
    file = "scores.json" if name == "leaderboard" else "reproduction.json"
    found: dict[str, Any] = json.loads((FOLDER / name / file).read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_tables_can_be_remade(name: str, shared: Path) -> None:
    """Every number and every file, from the outputs that the manifest names."""
    found = verify(FOLDER / name)
    assert ((), (), ()) == (found.differences, found.changed_inputs, found.changed_files)
    assert 500 < found.n_values


@pytest.mark.parametrize("name", NAMES)
def test_paths_are_those_of_no_machine(name: str) -> None:
    """Relative to the root of the repository; nothing in any file says where that lay."""
    manifest = load_manifest(FOLDER / name)
    assert "../../.." == manifest["working_directory"]
    assert [] == [entry["path"] for entry in manifest["inputs"] if Path(entry["path"]).is_absolute()]
    for path in (FOLDER / name).iterdir():
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"[\s\"'(=](/[a-z]+){2,}|[A-Z]:\\", text), path
        assert str(ROOT.parent) not in text


def test_there_are_no_texts(shared: Path) -> None:
    """No response, reference or turn of four words or more stands in any file."""
    written = " ".join(path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.*"))
    texts: set[str] = set()
    for file in (shared / "data/outputs").glob("*/*.txt"):
        for table in read([file]):
            columns = table.columns
            texts |= {*columns["hypothesis"], *(text for texts in columns["references"] for text in texts)}
            texts |= {turn for turns in columns["context"] for turn in turns}
    assert 10_000 < len(texts)
    assert [] == [text for text in texts if len(text.split()) > 3 and text in written]


def test_every_folder_is_explained() -> None:
    """The page names each folder and the command that made it, as the manifest has it and as make runs it."""
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert set(NAMES) == {path.name for path in FOLDER.iterdir() if path.is_dir()}
    for name in NAMES:
        command = [
            re.sub(r".*/(\w+/\w+\.txt)$", r"\1", word) for word in load_manifest(FOLDER / name)["command"]
        ]
        assert f"| `{' '.join(command)}` |" in page
        assert f"--out results/published/{name}\n" in makefile
        assert f"empeval verify results/published/{name}\n" in page


def test_mime() -> None:
    """Its header's BLEU and accuracy are reproduced; its paper's BLEU is not."""
    cells = {
        (c["system"], c["metric"], c["published_text"], c["table"]): c for c in document("mime")["cells"]
    }
    header = "Header of the log, BLEU of each decode"
    for decode, bleu, difference in (
        ("Greedy", "2.76", -0.22),
        ("Beam", "3.13", 0.15),
        ("Topk", "1.76", -1.22),
    ):
        assert "reproduced" == cells[f"output:{decode}", "BLEU", bleu, header]["verdict"]
        paper = cells[f"output:{decode}", "BLEU", "2.98", "BLEU"]
        assert ("differs", difference) == (paper["verdict"], round(paper["difference"], 2))
        accuracy = cells[f"output:{decode}", "Accuracy", "0.3488", "Header of the log"]
        assert "reproduced" == accuracy["verdict"]
        assert 1833 / 5255 == pytest.approx(accuracy["recomputed"], abs=1e-12)


def test_mime_s_comparisons() -> None:
    """One of three A/B rows can be votes on 128 items."""
    rows = [row for row in document("mime")["grim"] if row["table"] == "A/B"]
    assert 3 == len(rows)
    assert [("MIME w/o stochasticity", 128)] == [(row["row"], row["n"]) for row in rows if row["passes"]]


def test_empdg_s_script() -> None:
    """Its numbers are reproduced on today's files, some only with its parser (joined keys in Distinct-2)."""
    script = [
        c for c in document("empdg")["cells"] if c["n_published"] == 2713 and c["recomputed"] is not None
    ]
    assert 24 == len(script)
    assert {"reproduced", "reproduced_authors_parser"} == {c["verdict"] for c in script}
    ours = {c["metric"]: c for c in script if c["system"] == "EmpDG"}
    assert ["1.81", "6.96"] == [ours[metric]["published_text"] for metric in ("Dist-1", "Dist-2")]
    assert ("distinct(n=2,key=concat)", "reproduced_authors_parser") == (
        ours["Dist-2"]["form"],
        ours["Dist-2"]["verdict"],
    )
    # golden/automatic.json, empdg/EmpDG, strip_bug
    expected = {
        "Dist-1": 1.8148935495129612,
        "Dist-2": 6.9573670323566175,
        "Avg. length": 11.617029119056395,
        "BLEU (macro)": 1.1759710075388021,
        "Precision-1 (printed as BLEU-1)": 24.54043240790323,
        "Precision-2 (printed as BLEU-2)": 5.330719422662331,
        "Precision-3 (printed as BLEU-3)": 2.117583907300212,
        "Precision-4 (printed as BLEU-4)": 1.163157897449491,
    }
    assert expected == pytest.approx(
        {name: c["recomputed_authors_parser"] for name, c in ours.items()}, abs=1e-9
    )


def test_empdg_s_paper() -> None:
    """The quoted Distinct differs, and belongs to another number of segments."""
    cells = document("empdg")["cells"]
    paper = {c["metric"]: c for c in cells if c["source"] == "Yang et al. (2024), IAMM"}
    assert {"Dist-1": ("0.46", "differs", 1.35), "Dist-2": ("2.02", "differs", 4.94)} == {
        name: (paper[name]["published_text"], paper[name]["verdict"], round(paper[name]["difference"], 2))
        for name in ("Dist-1", "Dist-2")
    }
    assert {(5255, 2713)} == {(c["n_published"], c["n_recomputed"]) for c in paper.values()}


def test_the_page_on_variants(shared: Path) -> None:
    """What it says of published outputs: other variants put other systems first."""
    first = {
        "bleu": "output:Beam",
        "bleu(order=1)": "output:Greedy",
        "bleu(order=2)": "output:Greedy",
        "ngram_precision(tokenize=none,average=segment)": "EmpDG",
        "distinct(n=1)": "EmpDG",
        "distinct(n=1,average=macro)": "output:Topk",
    }
    cohort = join(read(sorted((shared / "data/outputs").glob("*/*.txt"))))
    scores = score(cohort, metrics=list(first), n_resamples=0)
    assert first == {
        metric: max(scores.systems, key=lambda system: scores.value(system, metric) or 0) for metric in first
    }


def test_the_leaderboard() -> None:
    """All six systems on what they share, with intervals and without the file of segments."""
    scores = document("leaderboard")
    assert ["output:Topk", "output:Beam", "output:Greedy", "Transformer", "EmoPrepend", "EmpDG"] == scores[
        "systems"
    ]
    assert 2713 == scores["cohort"]["n_segments"]
    assert [] == [s for s in scores["scores"] if s["value"] is not None and s["interval"] is None]
    assert not (FOLDER / "leaderboard/segments.parquet").exists()
    assert scores["manifest"]["options"]["segments"] is False
