"""Finding protocols, joining them with what they extend, and what the model offers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from empeval.errors import ProtocolError, UnknownName
from empeval.protocols import Cell, load, names

Write = Callable[..., Path]


def test_names_are_the_protocols_and_not_what_they_extend() -> None:
    """Sorted, without base.yaml, which is none by itself."""
    expected = ["cem", "empatheticdialogues", "empdg", "iamm", "kemp", "mime", "moel", "seek"]
    assert expected == names()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mime", "mime"),
        ("MIME", "mime"),
        ("2010.01454", "mime"),
        ("ED", "empatheticdialogues"),
        ("cem2021", "cem"),
    ],
)
def test_names_and_aliases_lead_to_the_shipped_protocol(name: str, expected: str) -> None:
    """Whatever their case."""
    assert expected == load(name).id


def test_an_unknown_name_suggests_the_nearest() -> None:
    """The known names are listed."""
    with pytest.raises(UnknownName, match=r"there is no protocol 'mimi'; did you mean 'mime'\? Known: cem, "):
        load("mimi")


def test_base_alone_is_no_protocol() -> None:
    """It has no name of its own."""
    with pytest.raises(UnknownName, match="there is no protocol 'base'"):
        load("base")


def test_a_file_of_one_s_own_works_from_any_folder(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a Path, as text with a suffix, as text without one, and relative to the working directory."""
    path = write()
    plain = write(name="plain")
    monkeypatch.chdir(path.parent)
    for way in (path, str(path), "ours.yaml", Path("ours.yaml"), "plain", str(plain)):
        assert "ours" == load(way).id


def test_a_shipped_name_wins_over_a_file_of_that_name(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file needs its suffix or its folder where the name is taken."""
    path = write(name="mime")
    monkeypatch.chdir(path.parent)
    assert "mime" == load("mime").id
    assert "ours" == load("./mime").id


def test_extends_merges_mappings_and_replaces_everything_else(write: Write) -> None:
    """Keys of nested mappings are joined, a list takes the place of the other list, null removes."""
    write(
        "id: parent\naliases: [old]\ndata: {dataset: A, split: test, n_items: 5}\nhuman: null\n"
        "metrics: [{label: BLEU, metric: bleu}, {label: Length, metric: length}]\nnotes: [one]\n",
        "parent.yaml",
    )
    child = write(
        "id: child\nextends: parent.yaml\ndata: {dataset: B, split: null}\n"
        "metrics: [{label: C, metric: chrf}]\n"
    )
    protocol = load(child)
    assert ("child", (), "parent.yaml") == (protocol.id, protocol.aliases, protocol.extends)
    assert ("B", None, 5) == (protocol.data.dataset, protocol.data.split, protocol.data.n_items)
    assert ["C"] == [column.label for column in protocol.metrics]
    assert ("one",) == protocol.notes


def test_extends_finds_shipped_files_from_anywhere(write: Write) -> None:
    """A file beside the protocol wins, and a protocol may extend the shipped one of its own name."""
    protocol = load(write("id: again\nextends: mime.yaml\ndata: {n_items: 100}\n", "mime.yaml"))
    assert ("again", 100, "BLEU") == (protocol.id, protocol.data.n_items, protocol.metrics[0].label)
    write("id: base\ndata: {dataset: mine}\n", "base.yaml")
    assert (
        "mine"
        == load(write("id: a\nextends: base.yaml\nmetrics: [{label: L, metric: length}]\n")).data.dataset
    )


def test_extends_reaches_over_several_files_and_folders(write: Write, tmp_path: Path) -> None:
    """Each is looked up relative to the file that names it."""
    (tmp_path / "sub").mkdir()
    write("id: a\nextends: sub/b.yaml\nmetrics: [{label: L, metric: length}]\n", "a.yaml")
    write("extends: ../c.yaml\ndata: {split: dev}\n", "sub/b.yaml")
    write("data: {dataset: C, split: test}\n", "c.yaml")
    protocol = load(tmp_path / "a.yaml")
    assert ("C", "dev") == (protocol.data.dataset, protocol.data.split)


@pytest.mark.parametrize(
    ("files", "at"), [({"a.yaml": "a.yaml"}, "a"), ({"a.yaml": "b.yaml", "b.yaml": "a.yaml"}, "b")]
)
def test_files_that_extend_each_other_are_one_error(
    files: dict[str, str], at: str, write: Write, tmp_path: Path
) -> None:
    """The message tells the way round."""
    for name, parent in files.items():
        write(f"id: x\nextends: {parent}\n", name)
    with pytest.raises(ProtocolError, match=r"in a circle: .*a\.yaml → ") as caught:
        load(tmp_path / "a.yaml")
    assert str(caught.value).startswith(f"{tmp_path}/{at}.yaml, extends: ")


def test_an_error_names_the_file_it_stands_in(write: Write, tmp_path: Path) -> None:
    """What is wrong in the extended file is not the fault of the one that extends it."""
    write("data: {dataset: A, n_items: many}\n", "parent.yaml")
    child = write("id: child\nextends: parent.yaml\nmetrics: [{label: L, metric: length}]\n")
    with pytest.raises(ProtocolError) as caught:
        load(child)
    assert f"{tmp_path}/parent.yaml, data.n_items: expected a whole number, found 'many'" == str(caught.value)
    assert ("data.n_items", f"{tmp_path}/parent.yaml") == (caught.value.key, caught.value.source)


def test_a_protocol_is_frozen(write: Write) -> None:
    """A protocol is a value."""
    protocol = load(write())
    with pytest.raises(ValueError, match="frozen"):
        protocol.id = "other"


def test_cells_are_the_numbers_as_printed(write: Write) -> None:
    """Trailing zeros count, blanks are left out, and a row may be about one decode."""
    cells = load(write()).cells()
    mark = {"source": "Table 1", "source_kind": "paper", "verified": True}
    assert Cell("Results", "automatic", "Ours", "BLEU", "12.30", n=200, **mark) == cells[0]
    assert Cell("Results", "automatic", "Ours", "BLEU", "13.0", n=200, stream="Beam", **mark) == cells[1]
    assert (2, 12.3, 1) == (cells[0].decimals, cells[0].number, cells[1].decimals)
    assert (
        Cell("A/B", "preferences", "Ours", "win", "50.0", n=40, against="Theirs", aspect="Overall", **mark)
        == cells[3]
    )
    assert ("3.50", "0.10", "up", 3) == (
        cells[-1].value,
        cells[-1].plus_minus,
        cells[-1].group,
        cells[-1].raters,
    )


def test_columns_know_both_ways_of_computing_them(write: Write) -> None:
    """The authors' form where there is another, and the standard one."""
    bleu, distinct, accuracy = load(write()).metrics
    assert ("bleu", "bleu", "higher") == (bleu.as_coded, bleu.as_standard, bleu.better)
    assert ("distinct(n=2,key=concat)", "distinct(n=2)") == (distinct.as_coded, distinct.as_standard)
    assert ("header", "Accuracy", 100.0) == (accuracy.source, accuracy.claim, accuracy.claim_scale)


@pytest.mark.parametrize(
    ("protocol", "read_as", "expected"),
    [
        ("mime", "output:Beam", ("MIME", "Beam")),
        ("moel", "generation_result:trs+multitask", ("Multi-TR", None)),
        ("empdg", "EmoPrepend", ("EmoPrepend-1", None)),
        ("empdg", "my_system", ("my_system", None)),
        ("empdg", "my_system:Greedy", ("my_system", "Greedy")),
    ],
)
def test_systems_are_found_under_their_printed_names(
    protocol: str, read_as: str, expected: tuple[str, str | None]
) -> None:
    """What a reader calls a system, as the tables have it."""
    assert expected == load(protocol).printed_name(read_as)
