"""``empeval metrics``, ``readers`` and ``protocols``: what there is, and everything about one of them."""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import json
import math
import typing
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from empeval.cli import options, terminal
from empeval.cli.parser import Commands
from empeval.records import FIELDS

if TYPE_CHECKING:
    from empeval.metrics.base import Metric
    from empeval.protocols import Protocol
    from empeval.readers.base import Reader
    from empeval.registry import Registry

__all__ = ["describe_metric", "describe_protocol", "describe_reader", "register"]

_DIRECTION = {True: "higher is better", False: "lower is better", None: "neither direction is better"}


def register(commands: Commands) -> None:
    """Add the three commands."""
    for kind, run in (("metric", _run_metrics), ("reader", _run_readers), ("protocol", _run_protocols)):
        parser = commands.add_parser(
            f"{kind}s",
            help=f"the {kind}s there are; with a name, everything about that one",
            description=f"List the {kind}s, one line each, or say everything about one of them.",
        )
        parser.add_argument("name", nargs="?", metavar="NAME", help=f"a {kind}")
        options.add_format(parser, ("text", "json"))
        parser.set_defaults(run=run)


def describe_metric(metric: type[Metric]) -> dict[str, Any]:
    """Name, text, fields and declarations of a metric, as ``--format json`` prints them.

    ``needs`` are fields of the files, whose columns bear plural names inside.
    """
    # the ways of resampling can depend on the fields; what is shown is that of the defaults
    made = metric() if not _required(metric) else None
    return {
        "name": metric.name,
        "summary": _summary(metric),
        "fields": _fields(metric),
        "needs": [need if need in FIELDS else need.removesuffix("s") for need in metric.needs],
        "direction": _DIRECTION[metric.higher_is_better],
        "bounds": [bound if bound is not None and math.isfinite(bound) else None for bound in metric.bounds],
        "resampling": made.resampling if made else None,
        "description": _prose(metric),
    }


def describe_reader(reader: type[Reader]) -> dict[str, Any]:
    """Name, text and fields of a reader, as ``--format json`` prints them."""
    return {
        "name": reader.name,
        "summary": reader.description,
        "fields": _fields(reader),
        "suffixes": list(reader.suffixes),
        "description": _prose(reader),
    }


def _run_metrics(args: argparse.Namespace) -> int:
    from empeval.metrics.base import METRICS

    return _run(args, METRICS, describe_metric)


def _run_readers(args: argparse.Namespace) -> int:
    from empeval.readers import READERS

    return _run(args, READERS, describe_reader)


def describe_protocol(protocol: Protocol) -> dict[str, Any]:
    """What a protocol evaluates and measures, as ``--format json`` prints it; a name alone tells little."""
    paper = protocol.paper
    return {
        "name": protocol.id,
        "summary": f"{paper.authors} ({paper.year}), {paper.title}" if paper else protocol.data.dataset,
        "aliases": list(protocol.aliases),
        "metrics": [
            {
                "label": column.label,
                "authors": column.as_coded,
                "standard": column.as_standard,
                "in_table": column.in_table,
                "definition": column.definition,
            }
            for column in protocol.metrics
        ],
        "human": protocol.human is not None,
        "n_published": len(protocol.cells()),
    }


def _run_protocols(args: argparse.Namespace) -> int:
    from empeval.protocols import load, names

    if args.format == "json":
        found: Any = (
            load(args.name).model_dump(mode="json")
            if args.name
            else [describe_protocol(load(name)) for name in names()]
        )
        terminal.result(json.dumps(found, indent=2, ensure_ascii=False))
    elif args.name:
        terminal.result(_protocol_text(load(args.name)))
    else:
        listed = [describe_protocol(load(name)) for name in names()]
        width = max(len(entry["name"]) for entry in listed)
        terminal.result("\n".join(f"{entry['name']:<{width}}  {entry['summary']}" for entry in listed))
    return 0


def _protocol_text(protocol: Protocol) -> str:
    from empeval.report.grids import Grid, as_text

    found = describe_protocol(protocol)
    rows = [
        (
            column["label"],
            column["authors"] or "(header only)",
            column["standard"] or "–",
            "yes" if column["in_table"] else "–",
        )
        for column in found["metrics"]
    ]
    notes = [
        f"aliases: {', '.join(found['aliases']) or 'none'}",
        f"human part: {'yes' if found['human'] else 'not known'}",
        f"published numbers: {found['n_published']}",
        *protocol.notes,
    ]
    header = ("metric", "as the authors coded it", "the standard way", "in the paper's table")
    return as_text([Grid(f"{found['name']}: {found['summary']}", header, rows, 3, notes)])


def _run(args: argparse.Namespace, registry: Registry[Any], describe: Callable[[Any], dict[str, Any]]) -> int:
    found: Any = (
        describe(registry[args.name]) if args.name else [describe(thing) for _, thing in registry.items()]
    )
    if args.format == "json":
        terminal.result(json.dumps(found, indent=2, ensure_ascii=False))
    elif args.name:
        terminal.result(_everything(found))
    else:
        width = max(len(entry["name"]) for entry in found)
        terminal.result("\n".join(f"{entry['name']:<{width}}  {entry['summary']}" for entry in found))
    return 0


def _everything(entry: Mapping[str, Any]) -> str:
    head = "" if entry["description"].startswith(entry["summary"]) else f": {entry['summary']}"
    lines = [entry["name"] + head, "", *entry["description"].splitlines(), ""]
    if entry["fields"]:
        lines.append("fields:")
        width = max(len(field["name"]) for field in entry["fields"])
        lines += [f"  {field['name']:<{width}}  {_field_text(field)}" for field in entry["fields"]]
    for key in ("needs", "direction", "bounds", "resampling", "suffixes"):
        if entry.get(key):
            lines.append(f"{key}: {_bounds(entry[key]) if key == 'bounds' else _words(entry[key])}")
    return "\n".join(lines)


def _field_text(field: Mapping[str, Any]) -> str:
    default = "required" if field["required"] else f"default {field['default']}"
    choices = f"; one of {_words(field['choices'])}" if field["choices"] else f"; {field['type']}"
    return default + choices


def _words(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _bounds(bounds: list[float | None]) -> str:
    if bounds == [None, None]:
        return "none that is known"
    low, high = ("∞" if bound is None else f"{bound:g}" for bound in bounds)
    return f"{low} to {high}"


def _summary(cls: type) -> str:
    return _prose(cls).partition("\n")[0]


def _prose(cls: type) -> str:
    """The docstring without its examples, which are for programmers."""
    return (inspect.getdoc(cls) or "").partition("\n>>> ")[0].strip()


def _required(cls: type) -> list[str]:
    return [field["name"] for field in _fields(cls) if field["required"]]


def _fields(cls: Any) -> list[dict[str, Any]]:
    """The fields of a dataclass, with defaults and what each may hold."""
    hints = typing.get_type_hints(cls)
    found = []
    for field in dataclasses.fields(cls):
        hint = hints[field.name]
        required = field.default is dataclasses.MISSING
        found.append(
            {
                "name": field.name,
                "default": None if required else field.default,
                "required": required,
                "choices": list(get_args(hint)) if get_origin(hint) is Literal else None,
                "type": _type_name(hint),
            }
        )
    return found


def _type_name(hint: Any) -> str:
    names = {bool: "True or False", int: "a whole number", float: "a number", str: "text"}
    inner = [arg for arg in get_args(hint) if arg is not type(None)] or [hint]
    return " or ".join(names.get(arg, "text") for arg in inner)
