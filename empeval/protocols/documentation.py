"""What the documentation says about protocols, made from the model and from the files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from empeval.protocols.loading import load, names
from empeval.protocols.model import Protocol

__all__ = ["json_schema", "protocol_table", "write_json_schema"]


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a whole protocol, with what it extends merged in.

    >>> json_schema()["title"]
    'Protocol'
    """
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Protocol.model_json_schema()}


def write_json_schema(path: str | Path) -> None:
    """Write the JSON Schema to a file, such as docs/protocol.schema.json."""
    text = json.dumps(json_schema(), indent=2, ensure_ascii=False, sort_keys=True)
    Path(path).write_text(f"{text}\n", encoding="utf-8")


def protocol_table() -> str:
    """The shipped protocols as a Markdown table: paper, automatic metrics, human part, published numbers.

    Of the published numbers it says how many were checked against a primary source, how many are quoted from
    a secondary one, and how many come from memory.
    """
    head = ("protocol", "paper", "its table", "human part", "published numbers")
    rows = [(f"`{name}`", *_row(load(name))) for name in names()]
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def _row(protocol: Protocol) -> tuple[str, str, str, str]:
    paper = protocol.paper
    cited = f"{paper.authors} ({paper.year}), {paper.venue}" if paper else "–"
    metrics = ", ".join(column.label for column in protocol.table_metrics) or "–"
    return cited, metrics, _human(protocol), _numbers(protocol)


def _human(protocol: Protocol) -> str:
    human = protocol.human
    if human is None:
        return "not known"
    parts = [f"{human.items.n} items" if human.items.n else "items not stated"]
    if human.ratings:
        parts.append("ratings: " + ", ".join(d.label for d in human.ratings.dimensions))
    if human.preferences:
        parts.append("A/B: " + ", ".join(a.label for a in human.preferences.aspects))
    if human.mark is not None and not human.mark.verified:
        parts.append(f"*not verified ({human.mark.source_kind})*")
    return "; ".join(parts)


def _numbers(protocol: Protocol) -> str:
    cells = protocol.cells()
    counts = {
        "checked": sum(cell.verified for cell in cells),
        "secondary": sum(cell.source_kind == "secondary" for cell in cells),
        "from memory": sum(cell.source_kind == "memory" for cell in cells),
    }
    return ", ".join(f"{n} {what}" for what, n in counts.items() if n) or "none"
