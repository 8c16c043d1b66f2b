"""Shipped files, spoilt at random: what comes of it is a protocol or one message that names the file."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from empeval.errors import ProtocolError
from empeval.protocols import Protocol, load, names
from empeval.shipped import protocols_folder

#: Values that stand where they should not.
STRAY = [
    "[]",
    "{}",
    "null",
    "true",
    "-1",
    "1e9",
    "''",
    "[[x]]",
    "{a: {b: c}}",
    "*nothing",
    "!!int x",
    "\ud7ff",
    "&x y",
    "x: y",
    "'",
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


@pytest.mark.parametrize("name", names())
def test_a_spoilt_file_gives_a_protocol_or_one_message(name: str, tmp_path: Path) -> None:
    """75 spoilt copies of each shipped file, the same ones every time."""
    text = (protocols_folder() / f"{name}.yaml").read_text(encoding="utf-8")
    rng = random.Random(f"protocol {name}")
    path = tmp_path / "spoilt.yaml"
    refused = 0
    for _ in range(N_MUTATIONS):
        path.write_bytes(spoil(text, rng))
        try:
            assert isinstance(load(path), Protocol)
        except ProtocolError as error:
            refused += 1
            assert str(error).startswith((f"{path}: ", f"{path}, ", "base.yaml, ")), str(error)
            assert "\n" not in str(error)
    assert refused > N_MUTATIONS // 4
