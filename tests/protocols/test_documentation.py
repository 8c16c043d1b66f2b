"""What is generated from the model and the files is current, and the page's example is a protocol."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from empeval.protocols import json_schema, load, names, protocol_table, write_json_schema

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def page() -> str:
    """docs/protocols.md."""
    return (DOCS / "protocols.md").read_text(encoding="utf-8")


def test_the_json_schema_is_current(tmp_path: Path) -> None:
    """docs/protocol.schema.json is what the model gives today."""
    write_json_schema(tmp_path / "schema.json")
    expected = (tmp_path / "schema.json").read_text(encoding="utf-8")
    current = (DOCS / "protocol.schema.json").read_text(encoding="utf-8")
    assert expected == current, "empeval.protocols.write_json_schema('docs/protocol.schema.json') renews it"


def test_the_json_schema_refuses_unknown_keys_everywhere() -> None:
    """Each object with properties is closed, so that an editor marks a typing error as the toolkit does."""
    schema = json_schema()
    objects = [schema, *(part for part in schema["$defs"].values() if "properties" in part)]
    assert len(objects) > 20
    assert [] == [part["title"] for part in objects if part["additionalProperties"] is not False]


def test_the_table_of_protocols_is_current(page: str) -> None:
    """The part between the markers is what the files give today."""
    part = re.search(r"<!-- generated: protocols -->\n(.*?)<!-- end -->", page, re.DOTALL)
    assert part is not None
    assert protocol_table().strip() == part[1].strip()


def test_the_table_has_a_row_for_each_protocol() -> None:
    """In the order of the names."""
    rows = protocol_table().splitlines()[2:]
    assert [f"| `{name}` |" for name in names()] == [
        row[: len(f"| `{name}` |")] for name, row in zip(names(), rows, strict=True)
    ]


def test_the_example_of_the_page_is_a_protocol(page: str, tmp_path: Path) -> None:
    """It loads, with a metric, a study of both kinds, and a published number."""
    (example,) = re.findall(r"```yaml\n(id: .*?)```", page, re.DOTALL)
    path = tmp_path / "example.yaml"
    path.write_text(example, encoding="utf-8")
    protocol = load(path)
    assert protocol.human is not None
    assert protocol.human.ratings
    assert protocol.human.preferences
    assert protocol.metrics
    assert protocol.cells()


def test_the_page_explains_every_block(page: str) -> None:
    """Each key of a protocol is mentioned as code."""
    properties = json_schema()["properties"]
    assert [] == [key for key in properties if f"`{key}`" not in page]


def test_the_page_explains_every_key_of_a_metric(page: str) -> None:
    """Each key of a column is mentioned as code."""
    properties = json_schema()["$defs"]["MetricColumn"]["properties"]
    assert [] == [key for key in properties if f"`{key}`" not in page]
