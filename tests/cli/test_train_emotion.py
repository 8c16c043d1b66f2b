"""``empeval train-emotion``: what it reads, holds out, writes and prints, and what it refuses."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from empeval.classifiers import load
from empeval.report.training import train

Run = Callable[..., Any]

#: words of each emotion, and words that any of them may hold
OWN = {"sad": "cry tears lost", "proud": "won medal prize", "afraid": "dark noise steps"}
SHARED = [
    "and",
    "then",
    "i",
    "was",
    "there",
    "with",
    "them",
    "again",
    "today",
    "it",
    "was",
    "all",
    "so",
    "much",
]


def sentence(emotion: str, i: int) -> str:
    """An invented sentence of an emotion, the i-th."""
    own = OWN[emotion].split()
    return " ".join([*SHARED[i % 7 : i % 7 + 4], own[i % 3], own[(i + 1) % 3], f"n{i}"])


def records(n: int = 60) -> list[dict[str, Any]]:
    """Two segments in each of n conversations, the second of which repeats the first utterance."""
    found = []
    for i in range(n):
        emotion = tuple(OWN)[i % 3]
        first, second = sentence(emotion, i), sentence(emotion, i + 1000)
        shared = {"dialogue_id": f"d{i}", "emotion": emotion}
        found += [
            {"id": f"{i}a", "context": [first], "reference": f"oh {i}", **shared},
            {"id": f"{i}b", "context": [first, f"oh {i}", second], "reference": "i see", **shared},
        ]
    return found


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write records as JSONL."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def document(run: Run, *words: str) -> dict[str, Any]:
    """The JSON that training on these words prints."""
    status, out, err = run("train-emotion", *words, "--format", "json")
    assert 0 == status, err
    found: dict[str, Any] = json.loads(out)
    return found


@pytest.fixture
def train_file(folder: Path) -> Path:
    """train.jsonl in the working folder."""
    return write_lines(folder / "train.jsonl", records())


def test_the_report_as_text(run: Run, train_file: Path) -> None:
    """Shares, every emotion, confusions; where the classifier is stands on both streams."""
    status, out, err = run("train-emotion", "train.jsonl", "--out", "made")
    assert 0 == status
    lines = out.splitlines()
    assert "A classifier of 3 emotions on 12 held-out texts" == lines[0]
    assert ["accuracy", "100.00"] == lines[2].split()
    # no top-3 and top-5 among three labels
    assert [["among", "the", str(k), "most", "probable", "–"] for k in (3, 5)] == [
        line.split() for line in lines[3:5]
    ]
    assert ["always", "'afraid'", "33.33"] == lines[6].split()
    assert "Held out: 6 of 60 conversations, 0.1 of each emotion's and at least one (seed 0)." in lines
    assert ["afraid", "36", "4", "100.00", "100.00", "100.00"] in [line.split() for line in lines]
    assert "There are none." == lines[-1]
    assert "the classifier is in made" in err
    assert "[few_held_out]" in err


def test_quiet(run: Run, train_file: Path) -> None:
    """With --quiet standard error stays empty."""
    assert (0, "") == run("train-emotion", "train.jsonl", "--out", "made", "--quiet")[::2]


def test_the_report_as_json(run: Run, train_file: Path) -> None:
    """The same numbers, the confusion matrix whole; the folder tells them too."""
    found = document(run, "train.jsonl", "--out", "made")
    report = found["held_out"]
    assert ("made", 0, 0.1) == (found["folder"], found["seed"], found["share"])
    assert (108, 12, 120, 60, 6) == (
        report["n_train"],
        report["n_held_out"],
        found["n_texts"],
        found["n_conversations"],
        found["n_held_out_conversations"],
    )
    assert ["afraid", "proud", "sad"] == found["labels"] == [entry["label"] for entry in report["labels"]]
    assert [[4, 0, 0], [0, 4, 0], [0, 0, 4]] == report["confusion"]
    classifier = load("made")
    assert classifier.held_out is not None
    assert report == json.loads(json.dumps(classifier.held_out.to_dict()))
    assert found["fingerprint"] == classifier.fingerprint


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_same_input_and_seed_give_the_same_bytes(run: Run, folder: Path, train_file: Path) -> None:
    """However files and records are ordered or cut; another seed holds out others."""
    rows = records()
    write_lines(folder / "one.jsonl", rows[61:][::-1])
    write_lines(folder / "other.jsonl", rows[:61])
    first = document(run, "train.jsonl", "--out", "a")
    second = document(run, "one.jsonl", "other.jsonl", "train.jsonl", "--out", "b")
    assert contents(folder / "a") == contents(folder / "b")
    assert {**first, "folder": ""} == {**second, "folder": ""}
    assert first["fingerprint"] != document(run, "train.jsonl", "--out", "c", "--seed", "1")["fingerprint"]


def test_conversations_are_not_divided(folder: Path) -> None:
    """Without dialogue ids too: a context that continues another belongs to it, wherever it stands."""
    rows = [{k: v for k, v in row.items() if k != "dialogue_id"} for row in records()]
    found = train([write_lines(folder / "bare.jsonl", rows[::2] + rows[1::2])], folder / "made")
    assert (60, 6, 12) == (found.n_conversations, found.n_held_out_conversations, found.held_out.n_held_out)


def test_equal_texts_are_one_conversation(folder: Path) -> None:
    """A table of single texts holds some twice; the two are never on both sides."""
    rows = [{"context": sentence(tuple(OWN)[i % 3], i), "emotion": tuple(OWN)[i % 3]} for i in range(30)]
    found = train([write_lines(folder / "twice.jsonl", rows * 2)], folder / "made", held_out=0.5)
    assert (30, 30) == (found.n_texts, found.n_conversations)
    assert "known_text" not in [notice.code for notice in found.warnings]


def test_tables_of_all_kinds(run: Run, folder: Path) -> None:
    """CSV, TSV and Parquet, packed or not, with other column names, give one classifier."""
    import pyarrow as pa
    from pyarrow import parquet

    rows = [(sentence(tuple(OWN)[i % 3], i), tuple(OWN)[i % 3]) for i in range(60)]
    for name, sep in (("t.csv", ","), ("t.tsv", "\t")):
        lines = [sep.join(row) for row in (("utterance", "label"), *rows)]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "t.csv.gz").write_bytes(gzip.compress((folder / "t.csv").read_bytes()))
    columns = dict(zip(("utterance", "label"), map(list, zip(*rows, strict=True)), strict=True))
    parquet.write_table(pa.table(columns), folder / "t.parquet")
    mapped = ("--columns", "context=utterance,emotion=label")
    prints = {
        document(run, name, *mapped, "--out", f"made-{name}")["fingerprint"]
        for name in ("t.csv", "t.tsv", "t.csv.gz", "t.parquet")
    }
    assert 1 == len(prints)


def test_the_empatheticdialogues_release(run: Run, folder: Path) -> None:
    """Of each conversation the contexts and the situation are texts; commas are read as commas."""
    lines = ["conv_id,utterance_idx,context,prompt,speaker_idx,utterance,selfeval,tags"]
    for i in range(30):
        emotion = tuple(OWN)[i % 3]
        start = f"hit:{i}_conv:{i}"
        turns = (sentence(emotion, i), "Oh_comma_ well.", sentence(emotion, i + 50), "I see.")
        for position, text in enumerate(turns, 1):
            situation = sentence(emotion, i + 100)
            lines.append(f"{start},{position},{emotion},{situation},{position % 2},{text},5|5|5_5|5|5,")
    (folder / "train.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = document(run, "train.csv", "--out", "made")
    assert (90, 30, 3) == (found["n_texts"], found["n_conversations"], found["n_held_out_conversations"])
    vocabulary = json.loads((folder / "made" / "classifier.json").read_text(encoding="utf-8"))["vocabulary"]
    assert "medal" in vocabulary
    assert ", well" in vocabulary


def test_what_is_left_out_or_rare_is_told(run: Run, folder: Path) -> None:
    """Records without emotion or text, an emotion of one conversation, texts on both sides."""
    rows = [{**row, "context": ["we cry", *row["context"]][-1:]} for row in records(24)]
    rows += [
        {"id": "x", "context": ["  "], "reference": "oh", "dialogue_id": "x", "emotion": "sad"},
        {"id": "y", "context": ["hm"], "reference": "oh", "dialogue_id": "y", "emotion": None},
        {"id": "z", "context": ["why me"], "reference": "oh", "dialogue_id": "z", "emotion": "Angry "},
    ]
    rows += [
        {"id": f"s{i}", "context": ["thank you"], "reference": "oh", "dialogue_id": f"s{i}", "emotion": "sad"}
        for i in range(20)
    ]
    write_lines(folder / "odd.jsonl", rows)
    found = document(run, "odd.jsonl", "--out", "made", "--held-out", "0.3")
    notices = {notice["code"]: notice for notice in found["warnings"]}
    assert (2, ["x", "y"]) == (notices["not_labelled"]["n"], notices["not_labelled"]["ids"])
    assert "one conversation alone has the emotion 'angry'" in notices["lone_emotion"]["message"]
    assert 0 < notices["known_text"]["n"]
    (angry,) = [entry for entry in found["held_out"]["labels"] if entry["label"] == "angry"]
    assert (1, 0, None) == (angry["n_train"], angry["n_held_out"], angry["recall"])


def test_an_emotion_that_only_a_held_out_conversation_has(folder: Path) -> None:
    """It is never recognised, counts as wrong, and is told."""
    rows = [{**row, "emotion": f"z {row['id']}" if row["id"].endswith("b") else "sad"} for row in records(8)]
    rows += [
        {**row, "id": f"p{row['id']}", "dialogue_id": f"p{row['id']}", "emotion": "proud"}
        for row in records(8)
    ]
    found = train([write_lines(folder / "mixed.jsonl", rows)], folder / "made", held_out=0.2)
    (notice,) = [notice for notice in found.warnings if notice.code == "untrained_emotion"]
    lost = [label for label in found.held_out.labels if label.n_held_out and not label.n_train]
    assert notice.n == len(lost) > 0
    assert [0.0] * notice.n == [label.recall for label in lost]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [{"context": "a b", "emotion": "sad"}, {"context": "a c", "emotion": "Sad"}],
            "all 2 texts have the emotion 'sad'; a classifier needs at least two",
        ),
        (
            [{"context": "a b", "emotion": "sad"}, {"context": "a c", "emotion": "proud"}],
            "no emotion has two conversations",
        ),
        (
            [{"context": f"w{i}", "emotion": "sad" if i % 2 else "proud"} for i in range(8)],
            "no word stands in two of the texts",
        ),
        ([{"context": "", "emotion": "sad"}], "no record has both an emotion and a text"),
        ([{"context": "a"}], "there is no field 'emotion'; name the column that holds the emotions"),
        (
            [{"text": "a", "emotion": "sad"}],
            "--columns context=NAME; the columns are 'text', 'emotion'",
        ),
    ],
)
def test_too_little_is_an_error(rows: list[dict[str, Any]], message: str, run: Run, folder: Path) -> None:
    """One message, status 2, and nothing is written."""
    write_lines(folder / "few.jsonl", rows)
    status, out, err = run("train-emotion", "few.jsonl", "--out", "made")
    assert (2, "") == (status, out)
    assert message in err
    assert 1 == err.count("\n")
    assert not (folder / "made").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "--out"),
        (("--out", ""), "the name of the folder is empty"),
        (("--out", "made", "--held-out", "0"), "'0' does not lie between 0 and 1"),
        (("--out", "made", "--held-out", "nan"), "'nan' does not lie between 0 and 1"),
        (("--out", "made", "--seed", "x"), "'x' is not a whole number"),
        (("--out", "made", "--format", "csv"), "value of --format 'csv'"),
        (("--out", "thesis"), "thesis: this folder holds other things than a classifier of empeval"),
        (("--out", "train.jsonl"), "train.jsonl: this is a file"),
        (("nowhere.csv", "--out", "made"), "nowhere.csv: there is no such file"),
    ],
)
def test_wrong_command_lines(
    words: tuple[str, ...], message: str, run: Run, folder: Path, train_file: Path
) -> None:
    """One message, status 2."""
    (folder / "thesis").mkdir()
    (folder / "thesis" / "chapter.tex").touch()
    status, out, err = run("train-emotion", "train.jsonl", *words)
    assert (2, "") == (status, out)
    assert message in err
    assert 1 == err.count("\n")


def test_without_scikit_learn(run: Run, train_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line with the command that installs it."""
    monkeypatch.setitem(sys.modules, "sklearn", None)
    status, _, err = run("train-emotion", "train.jsonl", "--out", "made")
    assert (2, "empeval: error: 'scikit-learn' is not installed; install it with: ") == (status, err[:66])
    assert "pip install 'empeval[classifier]'\n" == err[66:]


def test_progress_is_told(folder: Path, train_file: Path) -> None:
    """What is being done, in the order in which it is."""
    said: list[str] = []
    train([train_file], folder / "made", progress=said.append)
    assert [
        f"reading {train_file}",
        "fitting 108 texts of 3 emotions",
        "classifying 12 held-out texts",
        "writing",
    ] == said


def test_a_run_with_a_classifier_can_be_verified(
    run: Run, folder: Path, train_file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: Any
) -> None:
    """Scored with a relative path, it is repeated from another folder."""
    assert 0 == run("train-emotion", "train.jsonl", "--out", "made").status
    files = ("warm.jsonl", "mute.jsonl", "--corpus", "corpus.jsonl")
    metrics = "response_emotion_accuracy(classifier=made,match=polarity)"
    assert 0 == run("score", *files, "--metrics", metrics, "--resamples", "20", "--out", "run").status
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert 0 == run("verify", str(folder / "run")).status
