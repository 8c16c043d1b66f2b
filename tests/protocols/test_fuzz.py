"""Shipped files, spoilt at random: what comes of it is a protocol or one message that names the file."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from empeval.errors import ProtocolError
from empeval.protocols import Protocol, load, names
from empeval.protocols.yaml_text import parse_yaml
from empeval.shipped import protocols_folder

#: Values that stand where they should not.
STRAY = [
    "[]",
    "{}",
    "null",
    "true",
    "-1",
    "1e9",
    "[[x]]",
    "{a: {b: c}}",
    "*nothing",
    "!!int x",
    "&x y",
    "x: y",
    "'",
    "- a",
]

N_MUTATIONS = 75


def spoil(text: str, rng: random.Random) -> bytes:
    """One to three random edits: lines, values and single bytes."""
    lines = text.split("\n")
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(lines))
        line = lines[at]
        key, colon, value = line.partition(": ")
        match rng.randrange(10):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, line)
            case 2:
                lines[at] = key + colon + rng.choice(STRAY)
            case 3:
                lines[at] = "  " * rng.randint(1, 2) + line
            case 4:
                lines[at] = line.replace("  ", "\t", 1)
            case 5:
                other = rng.randrange(len(lines))
                lines[at], lines[other] = lines[other], line
            case 6:
                lines[at] = (
                    key[: rng.randrange(len(key) + 1)]
                    + rng.choice("abz_-?[]{}:,&*!|>'\"%@`#")
                    + colon
                    + value
                )
            case 7:
                lines[at] = key + colon + value[::-1]
            case 8:
                lines[at:] = lines[at : rng.randint(at, len(lines))]
            case _:
                raw = bytearray("\n".join(lines), "utf-8")
                raw[rng.randrange(len(raw))] = rng.randrange(256)
                return bytes(raw)
        lines = lines or [""]
    return "\n".join(lines).encode()


def complaint_about(path: Path) -> str:
    """What loading a file complains about, or nothing; any other error is a failure of the test."""
    try:
        assert isinstance(load(path), Protocol)
    except ProtocolError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", names())
def test_a_spoilt_file_gives_a_protocol_or_one_message(name: str, tmp_path: Path) -> None:
    """75 spoilt copies of each shipped file, the same ones every time."""
    text = (protocols_folder() / f"{name}.yaml").read_text(encoding="utf-8")
    rng = random.Random(f"protocol {name}")
    path = tmp_path / "spoilt.yaml"
    complaints = []
    for _ in range(N_MUTATIONS):
        path.write_bytes(spoil(text, rng))
        complaints.append(complaint_about(path))
    refused = list(filter(None, complaints))
    assert len(refused) > N_MUTATIONS // 4
    for complaint in refused:
        assert complaint.startswith((f"{path}: ", f"{path}, ", "base.yaml, ")), complaint
        assert "\n" not in complaint


def spoil_tree(tree: Any, rng: random.Random) -> None:
    """Replace, remove or add one value, at a random place."""
    nodes = [tree]
    for node in nodes:
        children = node.values() if isinstance(node, dict) else node
        nodes += [child for child in children if isinstance(child, dict | list) and child]
    node = rng.choice(nodes)
    key = rng.choice(list(node) if isinstance(node, dict) else range(len(node)))
    stray = rng.choice(["", "x", "bleu", 0, -1, 2.5, True, None, [], {}, ["x"], {"x": "y"}, [[1]], "9" * 99])
    match rng.randrange(4):
        case 0:
            del node[key]
        case 1 if isinstance(node, dict):
            node[rng.choice(["x", "metric", "mark", "", "n"])] = stray
        case _:
            node[key] = stray


@pytest.mark.parametrize("name", names())
def test_a_wrong_value_anywhere_gives_a_protocol_or_one_message(name: str, tmp_path: Path) -> None:
    """75 copies of each shipped file that are good YAML and hold a wrong value somewhere."""
    raw = (protocols_folder() / f"{name}.yaml").read_bytes()
    rng = random.Random(f"tree {name}")
    path = tmp_path / "spoilt.yaml"
    refused = []
    for _ in range(N_MUTATIONS):
        tree = json.loads(json.dumps(parse_yaml(raw, name)))
        spoil_tree(tree, rng)
        path.write_text(json.dumps(tree), encoding="utf-8")  # JSON is YAML
        if complaint := complaint_about(path):
            refused.append(complaint)
    assert len(refused) > N_MUTATIONS // 4
    for complaint in refused:
        assert complaint.startswith(f"{path}, "), complaint
        assert "\n" not in complaint
