"""From labelled files to a classifier of emotions, with a report on conversations that were held out."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from empeval.classifiers import storage
from empeval.classifiers.evaluation import HeldOut, evaluate
from empeval.classifiers.splitting import Example, Split, split
from empeval.classifiers.tfidf import fit, require_scikit_learn
from empeval.errors import InputError
from empeval.joining.dialogues import conversation_keys, first_segments
from empeval.metrics._fields import same_label
from empeval.readers import read_corpus
from empeval.records import Notice, Records

__all__ = ["Training", "train"]

#: Accuracy on fewer texts than this says little: its 95 % interval is some 20 points wide.
_FEW = 100
_SHOWN = 10


@dataclass(frozen=True)
class Training:
    """A classifier that was trained and written, and how often it was right on what was held out."""

    folder: str
    fingerprint: str
    data: str
    seed: int
    share: float
    n_texts: int
    n_conversations: int
    n_held_out_conversations: int
    labels: tuple[str, ...]
    held_out: HeldOut
    warnings: tuple[Notice, ...]

    def to_dict(self) -> dict[str, Any]:
        """The document that ``empeval train-emotion --format json`` prints."""
        return asdict(self)


def train(
    files: Sequence[str | Path],
    folder: str | Path,
    *,
    reader: str | None = None,
    columns: Mapping[str, str] | None = None,
    seed: int = 0,
    held_out: float = 0.1,
    progress: Callable[[str], None] | None = None,
) -> Training:
    """Train a classifier of emotions on labelled files and write it into a folder.

    The texts are the contexts, their turns joined, each once a conversation; of the EmpatheticDialogues
    release the situations too. A share of the conversations of each emotion is held out, and the report is
    about those; the classifier that is written is the one reported on. The order of files and records
    changes nothing.

    Raises InputError for files that cannot be read or hold too little, and for a folder that holds anything
    but a classifier; MissingExtra where scikit-learn is not installed.
    """
    if not 0 < held_out < 1:
        raise InputError(f"the share that is held out is between 0 and 1, such as 0.1, not {held_out}")
    say = progress or (lambda _: None)
    require_scikit_learn()
    storage.check_target(folder)
    tables = []
    for file in files:
        say(f"reading {file}")
        tables.append(read_corpus(file, reader=reader, columns=columns))
    examples = {example for table in tables for example in _examples(table)}
    parts = split(_enough(examples), held_out, seed)
    if not parts.held_out:
        raise InputError("no emotion has two conversations, so that none can be held out; give more data")
    counts = Counter(example.label for example in parts.train)
    say(f"fitting {len(parts.train):,} texts of {len(counts)} emotions")
    made = fit([example.text for example in parts.train], [example.label for example in parts.train])
    say(f"classifying {len(parts.held_out):,} held-out texts")
    scores = made.scores([example.text for example in parts.held_out])
    report = evaluate(scores, made.labels, [example.label for example in parts.held_out], counts)
    about = {"seed": seed, "share": held_out, **_about(examples, parts)}
    say("writing")
    written = storage.write(replace(made, held_out=report), folder, {"training": about})
    return Training(
        folder=str(folder),
        fingerprint=written.fingerprint,
        labels=written.labels,
        held_out=report,
        warnings=tuple(dict.fromkeys([*_notices_of(tables), *_notices(parts, counts)])),
        **about,
    )


def _examples(table: Records) -> list[Example]:
    """The labelled texts of a table; InputError where it has no texts or no emotions."""
    for name, what in (("context", "texts"), ("emotion", "emotions")):
        if name not in table.columns:
            raise InputError(
                f"there is no field {name!r}; name the column that holds the {what} with "
                f"--columns {name}=NAME; the columns are {', '.join(map(repr, table.columns))}",
                source=table.source,
            )
    situations: Sequence[str | None] = [None] * len(table)
    if table.reader.partition("(")[0] == "empatheticdialogues":
        situations = table.columns["prompt"]
    rows = zip(
        _conversations(table), table.columns["context"], table.columns["emotion"], situations, strict=True
    )
    return [
        Example(text.strip(), same_label(emotion), conversation)
        for conversation, context, emotion, situation in rows
        if emotion is not None and emotion.strip()
        for text in ("\n".join(context), situation or "")
        if text.strip()
    ]


def _conversations(table: Records) -> list[str]:
    """The conversation of each record: as given, else by what is said, where equal beginnings are one."""
    nothing: list[Any] = [None] * len(table)
    given = table.columns.get("dialogue_id", nothing)
    contexts, references = table.columns["context"], table.columns.get("references", nothing)
    keys = conversation_keys(first_segments(contexts, references), contexts, references)
    return [
        key.partition("#")[0] if name is None else f"dialogue {name}"
        for name, key in zip(given, keys, strict=True)
    ]


def _about(examples: set[Example], parts: Split) -> dict[str, Any]:
    """What a classifier's folder tells of its data."""
    return {
        "data": _fingerprint(examples),
        "n_texts": len(examples),
        "n_conversations": len({example.conversation for example in examples}),
        "n_held_out_conversations": len({example.conversation for example in parts.held_out}),
    }


def _notices_of(tables: Sequence[Records]) -> list[Notice]:
    return [notice for table in tables for notice in (*table.notices, *_left_out(table))]


def _left_out(table: Records) -> list[Notice]:
    rows = zip(table.columns["emotion"], table.columns["context"], strict=True)
    lacking = [
        i
        for i, (emotion, context) in enumerate(rows)
        if not (emotion or "").strip() or not any(text.strip() for text in context)
    ]
    if not lacking:
        return []
    ids = table.columns.get("id") or [f"line {line}" for line in table.lines]
    what = f"{len(lacking)} of {len(table)} records have no emotion or no text, and are left out"
    return [
        Notice(
            "not_labelled",
            f"{table.source}: {what}",
            len(lacking),
            tuple(ids[i] for i in lacking[:_SHOWN]),
        )
    ]


def _enough(examples: set[Example]) -> list[Example]:
    labels = {example.label for example in examples}
    if not labels:
        raise InputError("no record has both an emotion and a text; there is nothing to learn from")
    if len(labels) == 1:
        raise InputError(
            f"all {len(examples)} texts have the emotion {labels.pop()!r}; a classifier needs at least two"
        )
    return list(examples)


def _notices(parts: Split, counts: Mapping[str, int]) -> list[Notice]:
    """What a reader of the report should know about the split."""
    found = []
    if len(parts.held_out) < _FEW:
        what = f"the report rests on {len(parts.held_out)} held-out texts only; another seed may give another"
        found.append(Notice("few_held_out", what, len(parts.held_out)))
    if parts.lone:
        names = ", ".join(map(repr, parts.lone))
        what = f"one conversation alone has the emotion {names}: it is trained on, and not reported on"
        found.append(Notice("lone_emotion", what, len(parts.lone)))
    strange = sorted({example.label for example in parts.held_out} - counts.keys())
    if strange:
        names = ", ".join(map(repr, strange))
        what = f"the emotion {names} was held out and not trained on, so that it is never recognised"
        found.append(Notice("untrained_emotion", what, len(strange)))
    known = {example.text for example in parts.train}
    n_known = sum(example.text in known for example in parts.held_out)
    if n_known:
        what = f"{n_known} of {len(parts.held_out)} held-out texts were also said in conversations trained on"
        found.append(Notice("known_text", what, n_known))
    return found


def _fingerprint(examples: set[Example]) -> str:
    """16 hexadecimal digits that any text, emotion or conversation changes, but not the order."""
    whole = hashlib.sha256()
    for example in sorted(examples):
        whole.update(repr((example.text, example.label, example.conversation)).encode("utf-8"))
    return whole.hexdigest()[:16]
