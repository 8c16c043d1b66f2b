"""Invented files of every format, of any length, and what a run of the command must look like."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import random
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from empeval.cli import main

Record = dict[str, Any]
#: Changes the rows of a table in place before they are written.
Spoil = Callable[[list[Record]], object]
Build = Callable[..., bytes]

OPENERS = (
    "my neighbour plays the trumpet at night",
    "i found my grandmother 's ring under the stairs",
    "the train left without me this morning",
    "our garden gate was open again",
    "i passed the driving test on the fourth try",
    "it 's so quiet since the twins moved out , isn't it ?",
)
REPLIES = (
    "oh no , what happened then ?",
    "that is wonderful !",
    "i am sorry to hear that .",
    "how did you feel ?",
    "i would have cried — really .",
    "good for you . did you tell anyone ?",
    "",
)
EMOTIONS = ("annoyed", "joyful", "lonely", "proud", "sad")

#: Columns of a table that need not be there.
OPTIONAL = (
    "id",
    "dialogue_id",
    "context",
    "references",
    "emotion",
    "predicted_emotion",
    "response_intent",
    "predicted_intent",
    "nll",
    "n_tokens",
    "candidate_scores",
    "note",
)


def records(rng: random.Random, n: int) -> list[Record]:
    """Invented segments in conversations of one or two listener turns, with all fields of a table."""
    made: list[Record] = []
    for i in range(n):
        context = [f"{rng.choice(OPENERS)} . {i}"]
        emotion = rng.choice(EMOTIONS)
        if made and len(made[-1]["context"]) == 1 and rng.random() < 0.3:
            before = made[-1]
            context = [*before["context"], *before["references"], f"it is about number {i} , you know"]
            emotion = before["emotion"]
        nll = round(rng.uniform(1, 60), 3)
        made.append(
            {
                "id": f"s{i}",
                "dialogue_id": f"d{i if len(context) == 1 else i - 1}",
                "context": context,
                "references": [f"{rng.choice(REPLIES[:-1])} ({i})"],
                "emotion": emotion,
                "hypothesis": rng.choice(REPLIES),
                "predicted_emotion": rng.sample(EMOTIONS, 3),
                "response_intent": rng.choice(("questioning", "consoling")),
                "predicted_intent": rng.choice(("questioning", "consoling")),
                "nll": nll,
                "n_tokens": rng.randint(1, 20),
                "candidate_scores": [round(rng.uniform(-5, 5), 2) for _ in range(4)],
                "note": rng.choice(("kept", "")),
            }
        )
    return made


def table(write: Callable[[list[Record]], bytes]) -> Build:
    """A builder of tables with some of the columns."""

    def build(rng: random.Random, n: int, spoil: Spoil | None = None) -> bytes:
        kept = {"hypothesis", *(name for name in OPTIONAL if rng.random() < 0.7)}
        rows = [{k: v for k, v in record.items() if k in kept} for record in records(rng, n)]
        if spoil is not None:
            spoil(rows)
        return write(rows)

    return build


def as_jsonl(rows: list[Record]) -> bytes:
    """One object a line, surrogates as escapes."""
    return "".join(json.dumps(row, default=str) + "\n" for row in rows).encode()


def as_delimited(delimiter: str) -> Callable[[list[Record]], bytes]:
    """A header and one row a record; lists as JSON."""

    def write(rows: list[Record]) -> bytes:
        text = io.StringIO()
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(rows[0])
        for row in rows:
            writer.writerow([json.dumps(v) if isinstance(v, list) else v for v in row.values()])
        return text.getvalue().encode("utf-8", "surrogatepass")

    return write


def as_parquet(rows: list[Record]) -> bytes:
    """One column a field; a column of several types becomes one of the last value alone, if that can be."""
    columns: dict[str, pa.Array] = {}
    for name in dict.fromkeys(key for row in rows for key in row):
        values = [row.get(name) for row in rows]
        for attempt in (values, [values[-1]] * len(values), list(map(ascii, values))):
            try:
                columns[name] = pa.array(attempt)
                pq.write_table(pa.table({name: columns[name]}), io.BytesIO())
            except (pa.ArrowException, OverflowError, UnicodeEncodeError):
                continue
            break
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


def empatheticdialogues(rng: random.Random, n: int, spoil: Spoil | None = None) -> bytes:
    """The release of a corpus: one utterance a line."""
    lines = ["conv_id,utterance_idx,context,prompt,speaker_idx,utterance,selfeval,tags"]
    for record in records(rng, n):
        prompt = record["context"][0].replace(",", "_comma_")
        for turn, text in enumerate((*record["context"], *record["references"]), 1):
            utterance = text.replace(",", "_comma_")
            lines.append(
                f"{record['dialogue_id']}:{record['id']},{turn},{record['emotion']},{prompt},{turn % 2},"
                f"{utterance},5|5|5_4|4|4,"
            )
    return "\n".join([*lines, ""]).encode()


def log(header: str, template: str) -> Build:
    """A builder of logs from the lines of a record."""

    def build(rng: random.Random, n: int, spoil: Spoil | None = None) -> bytes:
        parts = (
            template.format(
                emotion=record["emotion"],
                context=record["context"],
                a=record["hypothesis"],
                b=rng.choice(REPLIES),
                c=rng.choice(REPLIES),
                reference=record["references"][0],
                predicted=record["predicted_emotion"][0],
                ranked=", ".join(record["predicted_emotion"]),
                score=round(rng.uniform(-1, 1), 4),
            )
            for record in records(rng, n)
        )
        return "".join([header, *parts]).encode()

    return build


#: Format → what builds a file of it.
BUILDERS: dict[str, Build] = {
    "jsonl": table(as_jsonl),
    "csv": table(as_delimited(",")),
    "tsv": table(as_delimited("\t")),
    "parquet": table(as_parquet),
    "lines": log("", "{a}\n"),
    "empatheticdialogues": empatheticdialogues,
    "empdg": log(
        "", "emotion:{emotion} \nContext:{context} \nEmotion_context:[] \nPred:{a}  \nRef:{reference} \n"
    ),
    "empdg-zero": log("", "0\nemotion:{emotion} \nContext:{context} \nGreedy:{a}  \nRef:{reference} \n"),
    "kemp": log(
        "",
        "Emotion:{emotion}\nContext:{context}\n"
        "Concept:[defaultdict(<class 'list'>, {{'ring': [['gold', 0.5]]}})]\nPred:{a}\nRef:{reference}\n",
    ),
    "mime": log(
        "### COMMENT: a score > 0 counts as positive ### \n"
        "EVAL\tLoss\tPPL\tAccuracy\tBleu_g\tBleu_b\tBleu_t\n"
        "test\t3.6000\t36.5982\t0.5000\t2.10\t3.20\t1.30\n",
        "emotion:{emotion}\tvader-score: {score}\tpredicted_emotion: {predicted}\nContext:{context}\n"
        "Topk:{a} \nBeam: {b} \nGreedy:{c} \nRef:{reference}\n" + "-" * 70 + "\n",
    ),
    "moel": log(
        "",
        "Emotion: {emotion}\nContext: {context}\ntrs: {a}\ntrs+multitask: {b}\nMOE: {c} \nMOE+oracle: {a}\n"
        "ref: {reference}\n\n",
    ),
    "cem": log(
        "EVAL\tLoss\tPPL\tAccuracy\n3.6000\t36.5982\t2.1000\t0.5000\n",
        "Emotion: {emotion}\nPred Emotions: {ranked}\nx_intent:[['to', 'ask']]\nContext:{context}\n"
        "Beam:{a}\nGreedy:{b}\nRef:{reference}\n" + "-" * 63 + "\n",
    ),
    "seek": log(
        "Loss\tAccuracy\n3.9000\t36.5982\t0.4000\t0.3000\t0.2000\t0.7500\t0.8333\t3.0000\t\n",
        "Emotion: ['{emotion}', 'questioning']\nPred Emotions: {ranked}\nx_react:[[]]\nContext:{context}\n"
        "Greedy:{a}\nRef:{reference}\n" + "-" * 63 + "\n",
    ),
}


@pytest.fixture(scope="session")
def builders() -> Mapping[str, Build]:
    """Format → a function of a generator of random numbers and a number of records."""
    return BUILDERS


class Result(NamedTuple):
    """What a command left behind."""

    status: int
    out: str
    err: str


def run_here(*words: str) -> Result:
    """The command in process, on streams that encode as real ones do."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(words)
    for stream in (out, err):
        stream.flush()
    return Result(status, out.buffer.getvalue().decode(), err.buffer.getvalue().decode())


def run_as_a_process(*words: str | bytes, **options: Any) -> Result:
    """The command as a user runs it."""
    done = subprocess.run(
        [sys.executable, "-m", "empeval", *words], capture_output=True, check=False, timeout=300, **options
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture(scope="session")
def run() -> Callable[..., Result]:
    """Runs a command in process."""
    return run_here


@pytest.fixture(scope="session")
def process() -> Callable[..., Result]:
    """Runs a command in a process of its own; takes the options of `subprocess.run`."""
    return run_as_a_process
