"""``--protocol`` and ``empeval protocols``: each paper's own table, on logs in its own grammar."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from empeval.protocols import load, names
from empeval.readers import read_corpus

Run = Callable[..., Any]

EMOTIONS = ("sad", "proud", "afraid", "joyful", "lonely", "grateful")
INTENTS = ("questioning", "acknowledging", "agreeing", "sympathizing", "neutral")
WORDS = (
    *("i", "you", "cannot", "really", "see", "how", "that", "felt", "so", "good", "bad", "when"),
    *("it", "was", "over", "again", "today", "with", "them", "all"),
)
N = 120


@dataclass(frozen=True)
class Record:
    """One invented segment with what a system printed about it."""

    context: tuple[str, ...]
    reference: str
    emotion: str
    labels: tuple[str, ...]
    predicted: tuple[str, ...]
    greedy: str
    beam: str


def invented(n: int = N, seed: int = 0) -> list[Record]:
    """Sentences without sense, each context other than all before."""
    rng = random.Random(seed)

    def sentence(end: str) -> str:
        return " ".join([*rng.choices(WORDS, k=rng.randint(3, 8)), end])

    records = []
    for i in range(n):
        emotion = rng.choice(EMOTIONS)
        turns = (f"day {i} began", *(sentence(".") for _ in range(2 * rng.randint(0, 1))))
        labels = (*(rng.choice((emotion, *INTENTS)) for _ in turns), rng.choice(INTENTS))
        predicted = tuple(rng.sample(EMOTIONS, 3))
        records.append(Record(turns, sentence("!"), emotion, labels, predicted, sentence("."), sentence(".")))
    return records


def cem_log(records: Sequence[Record], header: Sequence[str]) -> str:
    """As CEM's program prints it: three names, four numbers; Beam and Greedy."""
    lines = ["EVAL\tLoss\tPPL\tAccuracy", "\t".join(header)]
    for record in records:
        lines += [
            f"Emotion: {record.emotion}",
            f"Pred Emotions: {', '.join(record.predicted)}",
            f"x_intent:{[['to', 'rest']]}",
            f"x_need:{[[]]}",
            f"Context:{list(record.context)}",
            f"Beam:{record.beam}",
            f"Greedy:{record.greedy}",
            f"Ref:{record.reference}",
            "-" * 63,
        ]
    return "".join(line + "\n" for line in lines)


def seek_log(records: Sequence[Record], header: Sequence[str]) -> str:
    """As SEEK's program prints it: two names, eight numbers and a tab; a label for each utterance."""
    lines = ["Loss\tAccuracy", "".join(f"{number}\t" for number in header)]
    for record in records:
        lines += [
            f"Emotion: {list(record.labels)}",
            f"Pred Emotions: {', '.join(record.predicted)}",
            f"x_react:{[['calm']]}",
            f"Context:{list(record.context)}",
            f"Greedy:{record.greedy}",
            f"Ref:{record.reference}",
            "-" * 63,
        ]
    return "".join(line + "\n" for line in lines)


def seek_labels(path: Path, records: Sequence[Record]) -> None:
    """The label file of the same segments."""
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["", "dialogue_id", "turns", "text", "emotion", "dialogue_emotion"])
        row = 0
        for i, record in enumerate(records):
            texts = zip((*record.context, record.reference), record.labels, strict=True)
            for turn, (text, label) in enumerate(texts, 1):
                table.writerow([row, 900 + i, turn, text, label, record.emotion])
                row += 1


def accuracy(records: Sequence[Record]) -> float:
    """The share of first predictions that are right."""
    return sum(record.predicted[0] == record.emotion for record in records) / len(records)


def distinct(texts: Sequence[str], n: int, *, glue: str = " ", cut: bool = False) -> float:
    """Distinct n-grams over all n-grams; ``cut`` cuts ``cannot`` in two, as NLTK's tokeniser does."""
    grams = []
    for text in texts:
        tokens = (text.replace("cannot", "can not") if cut else text).split()
        grams += [glue.join(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
    return len(set(grams)) / len(grams)


RECORDS = invented()
GREEDY = [record.greedy for record in RECORDS]
CEM_HEADER = ["3.6000", "36.5982", "2.1000", f"{accuracy(RECORDS):.4f}"]
SEEK_HEADER = [
    "3.9000",
    "36.5982",
    "0.4000",
    "0.3000",
    "0.2000",
    f"{distinct(GREEDY, 1):.4f}",
    f"{distinct(GREEDY, 2, glue=''):.4f}",
    f"{sum(len(text.split()) for text in GREEDY) / N:.4f}",
]


@pytest.fixture
def logs(folder: Path) -> Path:
    """Both logs and SEEK's label file in the working directory, under names that no paper has."""
    (folder / "cem_like.txt").write_text(cem_log(RECORDS, CEM_HEADER))
    (folder / "seek_like.txt").write_text(seek_log(RECORDS, SEEK_HEADER))
    seek_labels(folder / "labels.csv", RECORDS)
    return folder


def document(run: Run, *words: str) -> dict[str, Any]:
    """What a command prints as JSON."""
    status, out, err = run(*words, "--format", "json", "--quiet")
    assert (0, "") == (status, err)
    found: dict[str, Any] = json.loads(out)
    return found


def values(scores: dict[str, Any], system: str) -> dict[str, float | None]:
    """Metric → value of one system."""
    return {s["metric"]: s["value"] for s in scores["scores"] if s["system"] == system}


class TestCem:
    """CEM's table, and its header."""

    def test_its_table_as_it_computed_it(self, run: Run, logs: Path) -> None:
        """Distinct on NLTK's tokens; perplexity cannot be had from text."""
        found = document(run, "score", "cem_like.txt", "--protocol", "cem", "--resamples", "0")
        assert ["cem_like:Beam", "cem_like:Greedy"] == found["systems"]
        greedy = values(found, "cem_like:Greedy")
        assert [
            "perplexity",
            "distinct(n=1,tokenize=nltk)",
            "distinct(n=2,tokenize=nltk)",
            "emotion_accuracy",
        ] == list(greedy)
        assert [
            None,
            pytest.approx(100 * distinct(GREEDY, 1, cut=True)),
            pytest.approx(100 * distinct(GREEDY, 2, cut=True)),
            pytest.approx(100 * accuracy(RECORDS)),
        ] == list(greedy.values())
        # or else the tokeniser would not matter here
        assert distinct(GREEDY, 2, cut=True) != distinct(GREEDY, 2)

    def test_its_header_is_checked(self, run: Run, logs: Path) -> None:
        """The loss agrees with the perplexity, the accuracy is recomputed, the emotion loss stands alone."""
        claims = document(run, "score", "cem_like.txt", "--protocol", "cem", "--resamples", "0")["claims"]
        greedy = {c["name"]: c["status"] for c in claims if c["system"] == "cem_like:Greedy"}
        expected = {
            "Loss": "consistent",
            "PPL": "consistent",
            "BCE": "not_checkable",
            "Accuracy": "confirmed",
        }
        assert expected == greedy

    def test_its_header_is_shown(self, run: Run, logs: Path) -> None:
        """In the table that people read too, with what was found."""
        _, out, _ = run("score", "cem_like.txt", "--protocol", "cem", "--resamples", "0")
        assert CEM_HEADER[3] in out
        assert CEM_HEADER[1] in out

    def test_a_wrong_header_is_found_out(self, run: Run, folder: Path) -> None:
        """An accuracy that the predictions do not give, a perplexity that is not that of the loss."""
        (folder / "cem_like.txt").write_text(cem_log(RECORDS, ["3.6000", "39.0000", "2.1000", "0.9999"]))
        claims = document(run, "score", "cem_like.txt", "--protocol", "cem", "--resamples", "0")["claims"]
        found = {c["name"]: c["status"] for c in claims if c["system"] == "cem_like:Greedy"}
        assert ("differs", "differs") == (found["Accuracy"], found["PPL"])

    def test_published_rows_are_not_checkable(self, run: Run, logs: Path) -> None:
        """The outputs are not public; our file has its own rows, without a published number."""
        found = document(run, "reproduce", "cem", "cem_like.txt")
        rows = [c for c in found["cells"] if c["published"] is not None]
        assert [("CEM", 39.11), ("CEM", 36.11), ("CEM", 0.66), ("CEM", 2.99)] == [
            (c["system"], c["published"]) for c in rows if c["source_kind"] == "secondary"
        ]
        assert {("secondary", "not_checkable"), ("memory", "unverified_source")} == {
            (c["source_kind"], c["verdict"]) for c in rows
        }
        ours = {c["metric"]: c for c in found["cells"] if c["system"] == "cem_like:Greedy"}
        assert ["PPL", "Dist-1", "Dist-2", "Acc"] == list(ours)
        assert {None} == {c["verdict"] for c in ours.values()}
        damaged = [f"Greedy:{text}\n".strip("Greedy:").strip() for text in GREEDY]  # noqa: B005  # so they do
        assert pytest.approx(100 * distinct(damaged, 2, cut=True)) == ours["Dist-2"]["recomputed"]
        changed = sum(one != other for one, other in zip(GREEDY, damaged, strict=True))
        assert 0 < changed == found["parser"]["changed"]["cem_like:Greedy"]
        assert pytest.approx(100 * distinct(GREEDY, 2)) == ours["Dist-2"]["standard"]
        assert ("36.5982", CEM_HEADER[3]) == (ours["PPL"]["claimed"], ours["Acc"]["claimed"])

    def test_a_file_of_that_name_with_other_segments_is_not_theirs(self, run: Run, logs: Path) -> None:
        """The name that CEM's program gives to its log; 120 segments are not the paper's 5,255."""
        found = document(run, "reproduce", "cem", "results=cem_like.txt")
        rows = [c for c in found["cells"] if c["source_kind"] == "secondary"]
        assert {"results:Beam", "results:Greedy"} == {c["system"] for c in rows}
        assert {"not_checkable"} == {c["verdict"] for c in rows}
        dist = next(c for c in rows if c["metric"] == "Dist-1")
        assert (5255, 120, None) == (dist["n_published"], dist["n_recomputed"], dist["difference"])
        assert "not public, and this file holds another number of segments" in dist["note"]
        perplexity = next(c for c in rows if c["metric"] == "PPL")
        assert "only the file's header has it, 36.5982: another number" == perplexity["note"]

    def test_a_whole_run_of_one_s_own_is_compared(self, run: Run, folder: Path) -> None:
        """As many segments as the paper has: the verdict is about another run, and says so."""
        few = invented(60, seed=1)
        # 2,055 of 5,255 are 39.11 %
        records = [
            Record(
                (f"day {i} began",),
                few[i % 60].reference,
                "sad",
                (),
                ("sad" if i < 2055 else "proud", "joyful", "lonely"),
                few[i % 60].greedy,
                few[i % 60].beam,
            )
            for i in range(5255)
        ]
        (folder / "results.txt").write_text(cem_log(records, ["3.6", "36.5982", "2.1", "0.3911"]))
        cells = document(run, "reproduce", "cem", "results.txt")["cells"]
        greedy = {
            c["metric"]: c
            for c in cells
            if (c["system"], c["source_kind"]) == ("results:Greedy", "secondary")
        }
        assert {"PPL": "not_checkable", "Dist-1": "differs", "Dist-2": "differs", "Acc": "reproduced"} == {
            metric: c["verdict"] for metric, c in greedy.items()
        }
        assert "the outputs behind it are not public; this file is another run" == greedy["Acc"]["note"]

    def test_any_file_can_be_reproduced_on(self, run: Run, folder: Path) -> None:
        """A table of one's own, its references in a corpus; the header has nothing to say."""
        found = document(run, "reproduce", "cem", "warm.jsonl", "--corpus", "corpus.jsonl")
        ours = {c["metric"]: c for c in found["cells"] if c["system"] == "warm"}
        assert {None} == {c["published"] for c in ours.values()} == {c["claimed"] for c in ours.values()}
        assert ours["Dist-1"]["recomputed"] == pytest.approx(ours["Dist-1"]["standard"])
        assert {"not_checkable": 4, "unverified_source": 20} == {
            verdict: sum(c["verdict"] == verdict for c in found["cells"])
            for verdict in ("not_checkable", "unverified_source")
        }


class TestSeek:
    """SEEK's table, its header, and its labels."""

    def test_its_table_as_it_computed_it(self, run: Run, logs: Path) -> None:
        """Distinct with joined keys; without the labels of the dialogues there is no accuracy."""
        found = document(run, "score", "seek_like.txt", "--protocol", "seek", "--resamples", "0")
        expected = {
            "emotion_accuracy": None,
            "perplexity": None,
            "distinct(n=1)": pytest.approx(100 * distinct(GREEDY, 1)),
            "distinct(n=2,key=concat)": pytest.approx(100 * distinct(GREEDY, 2, glue="")),
        }
        assert expected == values(found, "seek_like")

    def test_its_label_file_gives_the_emotions(self, run: Run, logs: Path) -> None:
        """As the corpus: the accuracy of the dialogue's emotion is that of the first prediction."""
        words = ("--protocol", "seek", "--corpus", "labels.csv", "--resamples", "0")
        found = document(run, "score", "seek_like.txt", *words)
        assert N == found["cohort"]["n_segments"]
        assert pytest.approx(100 * accuracy(RECORDS)) == values(found, "seek_like")["emotion_accuracy"]

    def test_its_header_is_checked(self, run: Run, logs: Path) -> None:
        """What the text gives is confirmed; the three accuracies need labels that the log does not hold."""
        claims = document(run, "score", "seek_like.txt", "--protocol", "seek", "--resamples", "0")["claims"]
        assert {
            "Loss": "not_checkable",  # it adds other losses to that of the words
            "PPL": "not_checkable",
            "dia_acc": "not_checkable",
            "utt_acc": "not_checkable",
            "trg_acc": "not_checkable",
            "mi_dist1": "confirmed",
            "mi_dist2": "confirmed",
            "avg_len": "confirmed",
        } == {c["name"]: c["status"] for c in claims}

    def test_published_rows_are_not_checkable(self, run: Run, logs: Path) -> None:
        """Whether the file bears our name or that of SEEK's own log."""
        for file in ("seek_like.txt", "results=seek_like.txt"):
            found = document(run, "reproduce", "seek", file)
            rows = [c for c in found["cells"] if c["published"] is not None]
            assert [41.85, 37.09, 0.73, 3.23] == [c["published"] for c in rows]
            assert {"not_checkable"} == {c["verdict"] for c in rows}
        length = next(c for c in found["cells"] if c["metric"] == "Avg. length")
        assert f"{length['recomputed']:.4f}" == length["claimed"] == SEEK_HEADER[7]

    def test_its_three_accuracies(self, run: Run, logs: Path) -> None:
        """Dialogue and response with the label file; no file holds what was predicted of each utterance."""
        records = [
            {
                "id": str(900 + i),
                "hypothesis": record.greedy,
                "predicted_emotion": list(record.predicted),
                "predicted_intent": INTENTS[i % len(INTENTS)],
            }
            for i, record in enumerate(RECORDS)
        ]
        (logs / "ours.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
        found = document(run, "reproduce", "seek", "ours.jsonl", "--corpus", "labels.csv")
        ours = {c["metric"]: c["recomputed"] for c in found["cells"] if c["system"] == "ours"}
        right = sum(record.labels[-1] == INTENTS[i % len(INTENTS)] for i, record in enumerate(RECORDS))
        assert pytest.approx(100 * accuracy(RECORDS)) == ours["Acc"]
        assert pytest.approx(100 * right / N) == ours["Acc (response)"]
        assert ours["Acc (utterances)"] is None

    def test_a_constant_answer_on_the_published_labels(self, run: Run, folder: Path, shared: Path) -> None:
        """Always to predict `questioning` is right in 1,502 of 5,255 responses: 28.58 %."""
        labels = shared / "data/corpus/seek_test.csv"
        constant = (
            {"id": segment_id, "hypothesis": "why ?", "predicted_intent": "questioning"}
            for segment_id in read_corpus(labels).columns["id"]
        )
        (folder / "constant.jsonl").write_text("".join(json.dumps(record) + "\n" for record in constant))
        words = ("--corpus", str(labels), "--metrics", "intent_accuracy", "--resamples", "0")
        found = document(run, "score", "constant.jsonl", *words)
        assert pytest.approx(100 * 1502 / 5255, abs=1e-12) == found["scores"][0]["value"]
        assert "28.58" == f"{found['scores'][0]['value']:.2f}"
        assert {"empty_labels": 5, "dialogue_emotions_differ": 1} == {
            w["code"]: w["n"]
            for w in found["warnings"]
            if w["code"] in ("empty_labels", "dialogue_emotions_differ")
        }


@pytest.mark.parametrize("name", names())
def test_every_protocol_scores_any_file(name: str, run: Run, folder: Path) -> None:
    """The columns of its table as its authors coded them, defined or with a reason."""
    words = ("--corpus", "corpus.jsonl", "--protocol", name, "--resamples", "0")
    found = document(run, "score", "warm.jsonl", *words)
    expected = [column.as_coded for column in load(name).table_metrics if column.as_coded]
    assert expected == [score["metric"] for score in found["scores"]]
    assert all(score["reason"] for score in found["scores"] if score["value"] is None)
    assert name == found["manifest"]["options"]["protocol"]


def test_metrics_and_a_protocol_are_one_too_many(run: Run) -> None:
    """One of the two says what is computed."""
    status, out, err = run("score", "warm.jsonl", "--metrics", "bleu", "--protocol", "mime")
    assert (2, "") == (status, out)
    assert "--metrics and --protocol both name the metrics; give one of them" in err


class TestListing:
    """What protocols there are."""

    def test_one_line_each(self, run: Run) -> None:
        """Name, authors, year, title."""
        status, out, err = run("protocols")
        assert (0, "") == (status, err)
        assert names() == [line.split()[0] for line in out.splitlines()]
        assert "mime" in out
        assert "Majumder et al. (2020), MIME: MIMicking Emotions" in out

    @pytest.mark.parametrize("name", ["mime", "2010.01454", "MIME"])
    def test_everything_about_one(self, name: str, run: Run) -> None:
        """By its name or an alias: each metric as coded and as it compares."""
        status, out, _ = run("protocols", name)
        assert 0 == status
        assert out.startswith("mime: Majumder et al. (2020)")
        assert "bleu(tokenize=none,lowercase=True,smooth=none)" in out
        assert "human part: yes" in out

    def test_json(self, run: Run) -> None:
        """The list in short, one of them whole."""
        listed = json.loads(run("protocols", "--format", "json").out)
        assert names() == [entry["name"] for entry in listed]
        whole = json.loads(run("protocols", "seek", "--format", "json").out)
        assert 41 == len(whole["label_sets"]["seek41"]["labels"])
        assert whole["human"]["items"]["n"] == 128

    def test_an_unknown_one(self, run: Run) -> None:
        """The nearest name is told."""
        status, out, err = run("protocols", "mine")
        assert (2, "") == (status, out)
        assert "there is no protocol 'mine'; did you mean 'mime'?" in err


GOOD = "id: ours\ndata: {dataset: d}\nmetrics:\n  - {label: B, metric: bleu, decimals: 2}\n"
#: what is replaced, by what, and the message after the file's name
WRONG = {
    "unknown key": ("decimals", "decimels", "metrics[0].decimels: unknown key; did you mean 'decimals'?"),
    "unknown metric": ("metric: bleu", "metric: blue", "metrics[0].metric: there is no metric 'blue'"),
    "missing field": ("dataset: d", "", "data.dataset: this key is missing"),
    "wrong type": (
        "decimals: 2",
        "decimals: two",
        "metrics[0].decimals: expected a whole number, found 'two'",
    ),
    "cycle": (
        "id: ours",
        "id: ours\nextends: other.yaml",
        "extends: the files extend each other in a circle",
    ),
    "not YAML": ("id: ours", "id: [ours", "line"),
}


@pytest.mark.parametrize("command", ["score", "reproduce", "protocols"])
@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_file_gives_one_message(kind: str, command: str, run: Run, folder: Path) -> None:
    """File and key path, status 2, nothing on standard output, no traceback."""
    old, new, expected = WRONG[kind]
    (folder / "ours.yaml").write_text(GOOD.replace(old, new, 1))
    (folder / "other.yaml").write_text("id: other\nextends: ours.yaml\n")
    words = {
        "score": ("score", "warm.jsonl", "--corpus", "corpus.jsonl", "--protocol", "ours.yaml"),
        "reproduce": ("reproduce", "ours.yaml", "warm.jsonl"),
        "protocols": ("protocols", "ours.yaml"),
    }[command]
    status, out, err = run(*words)
    assert (2, "", 1) == (status, out, err.count("\n"))
    # in a circle the message names the file that closes it
    source = "other.yaml" if kind == "cycle" else "ours.yaml"
    assert err.startswith(f"empeval: error: {source}, {expected}")


def test_a_protocol_of_one_s_own(run: Run, folder: Path) -> None:
    """A file works as a name does, in a run that can be repeated from anywhere too."""
    (folder / "ours.yaml").write_text(GOOD)
    words = ("score", "warm.jsonl", "--corpus", "corpus.jsonl", "--protocol", "ours.yaml", "--resamples", "9")
    assert ["bleu"] == [s["metric"] for s in document(run, *words, "--out", "runs/one")["scores"]]
    moved = folder.rename(folder.with_name("moved with its protocol"))
    assert 0 == run("verify", str(moved / "runs/one")).status


def test_a_protocol_without_metrics_scores_nothing(run: Run, folder: Path) -> None:
    """A human study alone, or numbers that only headers have."""
    human = (
        "id: ours\ndata: {dataset: d}\nhuman: {items: {n: 10}, ratings: {raters_per_item: 3, dimensions: "
        "[{key: e, label: E, question: How?, scale: {low: 1, high: 5}}]}}\n"
    )
    (folder / "ours.yaml").write_text(human)
    for words in (
        ("score", "warm.jsonl", "--protocol", "ours.yaml"),
        ("reproduce", "ours.yaml", "warm.jsonl"),
    ):
        status, out, err = run(*words)
        assert (2, "", 1) == (status, out, err.count("\n"))
        assert "the protocol 'ours' has no" in err
