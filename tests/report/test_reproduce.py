"""A verdict for every published number: on small logs, and what the committed tables say of the real ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.errors import InputError, ProtocolError
from empeval.protocols import Cell, load
from empeval.report.recomputed import _prints_as
from empeval.report.reproduce import ReproducedCell, Reproduction, reproduce
from empeval.report.reproduction_text import reproduction_grids

#: Mean lengths are easy to compute by hand: Greedy 2.25, Beam 3.25.
LOG = "".join(
    f"emotion:{emotion}\tvader-score: 0.1\tpredicted_emotion: {predicted}\n"
    f"Context:['turn {i}']\nBeam: {beam} \nGreedy:{greedy} \nRef:ready to go home\n{'-' * 70}\n"
    for i, (emotion, predicted, beam, greedy) in enumerate(
        [
            ("sad", "sad", "oh no , why", "yes sir"),
            ("proud", "sad", "so good", "ready"),
            ("sad", "sad", "oh", "oh dear , dear"),
            ("afraid", "sad", "that is so very scary !", "oh no"),
        ]
    )
)
HEADER = "EVAL\tPPL\tAccuracy\ntest\t36.5000\t0.5000\n"

OWN = """\
id: ours
extends: base.yaml
decoding: {{stream: Greedy, other_streams: [Beam]}}
outputs:
  reader: mime
  public: {public}
  systems: {{run7: Ours}}
  authors_parser: {{damages: {damages}, prefixes: {prefixes}}}
metrics:
  - {{label: Length, metric: length, decimals: 2}}
  - {{label: Share, metric: length, divisor: 10, decimals: 3, standard: length(tokenize=nltk)}}
  - {{label: Dist, metric: distinct(n=1), authors: "distinct(n=1,key=concat)"}}
  - {{label: Acc, metric: emotion_accuracy, claim: Accuracy, claim_scale: 100}}
  - {{label: PPL, metric: perplexity, source: header, claim: PPL}}
  - {{label: Top-3, metric: emotion_accuracy(k=3)}}
published:
{published}
"""
TABLE = """\
  - title: {title}
    part: automatic
    mark: {{source_kind: {kind}, verified: {verified}, source: {title}}}
    columns: [{columns}]
    {n}
    rows:
      {row}: [{values}]
"""

Write = Callable[..., tuple[str, str]]


def table(columns: str, values: str, *, row: str = "Ours", kind: str = "paper", n: int | None = None) -> str:
    """A published table of one row."""
    return TABLE.format(
        title=f"Table of {row} {kind}".replace(":", " "),
        kind=kind,
        verified=str(kind not in ("memory", "secondary")).lower(),
        columns=columns,
        n=f"n: {n}" if n else "",
        row=row,
        values=values,
    )


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes protocol and log, and gives both paths."""

    def _write(
        *tables: str,
        log: str = HEADER + LOG,
        name: str = "run7.txt",
        public: bool = True,
        damages: bool = False,
    ) -> tuple[str, str]:
        text = OWN.format(
            public=str(public).lower(),
            damages=str(damages).lower(),
            prefixes='["Greedy:"]' if damages else "[]",
            published="".join(tables) or table("Length", '"1"', row="Nobody"),
        )
        (tmp_path / "ours.yaml").write_text(text)
        (tmp_path / name).write_text(log)
        return str(tmp_path / "ours.yaml"), str(tmp_path / name)

    return _write


def cells(found: Reproduction, system: str = "run7:Greedy") -> dict[str, ReproducedCell]:
    """Metric → cell of one system."""
    return {cell.metric: cell for cell in found.cells if cell.system == system}


class TestVerdicts:
    """Each of the five, and what stands beside it."""

    def test_equal_at_the_printed_decimals(self, write: Write) -> None:
        """2.25 is 2.3 with one decimal; a divisor leads to the printed scale."""
        protocol, log = write(table("Length, Share", '"2.3", "0.225"'))
        found = cells(reproduce(protocol, [log]))
        assert ("reproduced", 2.25, "2.3") == (
            found["Length"].verdict,
            found["Length"].recomputed,
            found["Length"].published_text,
        )
        assert ("reproduced", pytest.approx(0.225)) == (found["Share"].verdict, found["Share"].recomputed)
        assert pytest.approx(0.225) == found["Share"].standard

    def test_more_decimals_are_harder(self, write: Write) -> None:
        """The same value is not 2.30; the difference has a sign."""
        protocol, log = write(table("Length", '"2.30"'))
        cell = cells(reproduce(protocol, [log]))["Length"]
        assert ("differs", pytest.approx(-0.05)) == (cell.verdict, cell.difference)

    def test_a_standard_error_is_no_part_of_the_number(self, write: Write) -> None:
        """2.25±0.10 is 2.25."""
        protocol, log = write(table("Length", '"2.25±0.10"'))
        cell = cells(reproduce(protocol, [log]))["Length"]
        assert ("reproduced", "2.25") == (cell.verdict, cell.published_text)

    def test_the_authors_parser(self, write: Write) -> None:
        """Two of four responses lose letters: `yes sir` is still two words, `ready` becomes `ady`."""
        tables = table("Dist", '"100"'), table("Acc", '"50"')
        damaged = LOG.replace("Greedy:oh no", "Greedy:ady")
        protocol, log = write(*tables, log=damaged, damages=True)
        found = reproduce(protocol, [log])
        # 7 of the 8 words yes sir ready oh dear , dear ady are distinct; read their way, ready is ady too
        assert 87.5 == cells(found)["Dist"].standard
        cell = cells(found)["Dist"]
        assert ("differs", 75.0, 75.0) == (cell.verdict, cell.recomputed, cell.recomputed_authors_parser)
        assert {"damages": True, "changed": {"run7:Beam": 0, "run7:Greedy": 2}} == found.parser
        assert ["authors_parser"] * 2 == [n.code for n in found.warnings if n.code == "authors_parser"]

    @pytest.mark.parametrize(
        ("printed", "verdict", "recomputed"),
        [
            ("75.0", "reproduced_authors_parser", 75.0),
            ("87.5", "reproduced", 87.5),
            ("80.0", "differs", 75.0),
        ],
    )
    def test_the_authors_parser_only_where_it_matters(
        self, printed: str, verdict: str, recomputed: float, write: Write
    ) -> None:
        """A number that the undamaged text gives is simply reproduced."""
        damaged = LOG.replace("Greedy:oh no", "Greedy:ady")
        protocol, log = write(table("Dist", f'"{printed}"'), log=damaged, damages=True)
        cell = cells(reproduce(protocol, [log]))["Dist"]
        assert (verdict, recomputed) == (cell.verdict, cell.recomputed)
        assert pytest.approx(recomputed - float(printed)) == cell.difference

    def test_what_outputs_do_not_hold(self, write: Write) -> None:
        """Perplexity is in the header only; the log lists one emotion, not three."""
        protocol, log = write(table("PPL, Top-3", '"36.50", "90.0"'))
        found = cells(reproduce(protocol, [log]))
        assert {"not_checkable"} == {found[name].verdict for name in ("PPL", "Top-3")}
        assert "only the file's header has it, 36.5000: the same number" == found["PPL"].note
        assert "the outputs do not hold what this number is computed from" == found["Top-3"].note
        assert (None, None, "36.5000") == (
            found["PPL"].recomputed,
            found["PPL"].difference,
            found["PPL"].claimed,
        )

    def test_another_number_in_the_header(self, write: Write) -> None:
        """It is said, and is no verdict."""
        protocol, log = write(table("PPL", '"36.49"'))
        assert cells(reproduce(protocol, [log]))["PPL"].note == (
            "only the file's header has it, 36.5000: another number"
        )

    def test_systems_without_outputs(self, write: Write) -> None:
        """Their rows are there, unchecked."""
        protocol, log = write(table("Length", '"9.99"', row="Theirs"))
        found = reproduce(protocol, [log])
        (cell,) = (c for c in found.cells if c.system == "Theirs")
        assert ("not_checkable", 9.99, None) == (cell.verdict, cell.published, cell.recomputed)
        assert "no file holds outputs of this system" == cell.note

    def test_from_memory_there_is_no_verdict(self, write: Write) -> None:
        """Even where the number agrees, and for systems without outputs."""
        tables = table("Length", '"2.25"', kind="memory"), table("Length", '"9.99"', row="B", kind="memory")
        protocol, log = write(*tables)
        found = reproduce(protocol, [log])
        assert {"unverified_source": 3} == found.counts()
        cell = cells(found)["Length"]
        assert (2.25, None) == (cell.recomputed, cell.difference)

    def test_a_secondary_source_is_marked(self, write: Write) -> None:
        """It gets a verdict."""
        protocol, log = write(table("Length", '"2.25"', kind="secondary"))
        found = reproduce(protocol, [log])
        cell = cells(found)["Length"]
        assert ("reproduced", "secondary", False) == (cell.verdict, cell.source_kind, cell.verified)
        assert any("(secondary source)" in row[2] for row in reproduction_grids(found)[0].rows)

    def test_both_numbers_of_segments(self, write: Write) -> None:
        """Where they differ, the table shows both."""
        protocol, log = write(table("Length", '"2.25"', n=5255))
        found = reproduce(protocol, [log])
        assert (5255, 4) == (cells(found)["Length"].n_published, cells(found)["Length"].n_recomputed)
        assert "5,255 / 4" in [row[7] for row in reproduction_grids(found)[0].rows]

    def test_columns_without_a_published_number(self, write: Write) -> None:
        """They are computed all the same."""
        protocol, log = write()
        found = cells(reproduce(protocol, [log]))
        assert ["Length", "Share", "Dist", "Acc", "PPL", "Top-3"] == list(found)
        assert {None} == {cell.verdict for cell in found.values()}
        assert (2.25, 50.0, "0.5000") == (
            found["Length"].recomputed,
            found["Acc"].recomputed,
            found["Acc"].claimed,
        )


class TestSystems:
    """Whose numbers are compared with which."""

    def test_a_row_for_each_decode(self, write: Write) -> None:
        """A row of one decode is about that one, a row without about all."""
        tables = table("Length", '"3.25"', row="Ours:Beam"), table("Length", '"2.25"')
        protocol, log = write(*tables)
        found = reproduce(protocol, [log])
        assert ("run7:Beam", "run7:Greedy") == found.systems
        pairs = [(c.system, c.published, c.verdict) for c in found.cells if c.metric == "Length"]
        assert [
            ("run7:Beam", 3.25, "reproduced"),
            ("run7:Beam", 2.25, "differs"),
            ("run7:Greedy", 2.25, "reproduced"),
        ] == pairs

    def test_the_name_in_the_table_works_too(self, write: Write) -> None:
        """NAME=FILE under the paper's name."""
        protocol, log = write(table("Length", '"2.25"'), name="other.txt")
        found = reproduce(protocol, [f"Ours={log}"])
        assert "reproduced" == cells(found, "Ours:Greedy")["Length"].verdict
        assert "Ours" == cells(found, "Ours:Greedy")["Length"].paper_system

    @pytest.mark.parametrize(("n", "verdict"), [(4, "differs"), (5255, "not_checkable"), (None, "differs")])
    def test_outputs_that_are_not_public(self, n: int | None, verdict: str, write: Write) -> None:
        """With as many segments it is another run, and compared; with others it cannot be the same."""
        protocol, log = write(table("Length", '"9.99"', n=n), public=False)
        cell = cells(reproduce(protocol, [log]))["Length"]
        assert (verdict, 2.25) == (cell.verdict, cell.recomputed)
        assert "not public" in str(cell.note)
        assert (cell.difference is None) == (verdict == "not_checkable")

    def test_several_files(self, write: Write, tmp_path: Path) -> None:
        """In the order given; warnings of all of them."""
        protocol, log = write(table("Length", '"2.25"'), log=LOG.rstrip())
        (tmp_path / "b.jsonl").write_text('{"id": "1", "hypothesis": "oh no !"}\n')
        found = reproduce(protocol, [str(tmp_path / "b.jsonl"), log])
        assert ("b", "run7:Beam", "run7:Greedy") == found.systems
        assert 3.0 == cells(found, "b")["Length"].recomputed
        assert "maybe_truncated" in [notice.code for notice in found.warnings]
        assert [("b.jsonl", "jsonl"), ("run7.txt", "mime")] == [
            (Path(entry["path"]).name, entry["reader"]) for entry in found.manifest["inputs"]
        ]

    def test_a_corpus_with_what_files_lack(self, write: Write, tmp_path: Path) -> None:
        """Gold emotions come from it; the damage of the authors' parser stays with the responses."""
        protocol, _ = write(damages=True)
        corpus = tmp_path / "corpus.jsonl"
        corpus.write_text('{"id": "1", "emotion": "sad"}\n{"id": "2", "emotion": "proud"}\n')
        ours = tmp_path / "ours.jsonl"
        ours.write_text(
            '{"id": "2", "hypothesis": "wow", "predicted_emotion": "proud"}\n'
            '{"id": "1", "hypothesis": "oh", "predicted_emotion": "proud"}\n'
        )
        found = reproduce(protocol, [str(ours)], corpus=str(corpus))
        assert 50.0 == cells(found, "ours")["Acc"].recomputed
        assert str(corpus) in found.manifest["command"]

    def test_damage_joins_the_corpus_by_undamaged_texts(self, write: Write, tmp_path: Path) -> None:
        """References that the authors' parser damages would join no corpus; all four segments are there."""
        protocol, log = write(table("Dist", '"80.0"'), damages=True)
        found = reproduce(protocol, [log], corpus=log)
        assert 4 == cells(found)["Dist"].n_recomputed
        assert 2 == found.parser["changed"]["run7:Greedy"]
        assert cells(found)["Dist"].recomputed == cells(reproduce(protocol, [log]))["Dist"].recomputed


class TestGrim:
    """Human tables, whoever's outputs are given."""

    def test_mime_s_comparisons(self, write: Write) -> None:
        """One of the three rows can be votes on 128 items: 51, 30 and 47 of them."""
        _, log = write()
        found = reproduce("mime", [log])
        rows = {row.row: row for row in found.grim if row.table == "A/B"}
        assert {"Multi-TR": False, "MoEL": False, "MIME w/o stochasticity": True} == {
            name: row.passes for name, row in rows.items()
        }
        assert {128} == {row.n for row in rows.values()}
        assert {"win": "39.84", "lose": "23.43", "tie": "36.73"} == rows["MIME w/o stochasticity"].values

    def test_ratings_of_three_raters_exclude_little(self, write: Write) -> None:
        """384 answers give every mean with two decimals, so all nine rows pass."""
        _, log = write()
        assert {True} == {row.passes for row in reproduce("mime", [log]).grim if row.table != "A/B"}

    def test_only_where_the_protocol_asks(self, write: Write, tmp_path: Path) -> None:
        """`checks: {grim: false}` leaves the table out."""
        protocol, log = write()
        text = Path(protocol).read_text() + "checks: {grim: false}\n"
        Path(protocol).write_text(text)
        assert () == reproduce(protocol, [log]).grim
        assert 1 == len(reproduction_grids(reproduce(protocol, [log])))


class TestDocument:
    """What is printed as JSON."""

    def test_its_keys(self, write: Write) -> None:
        """The documented ones, cell by cell, as JSON can hold them."""
        protocol, log = write(table("Length", '"2.30"'))
        document = json.loads(json.dumps(reproduce(protocol, [log]).to_dict(), allow_nan=False))
        assert ["protocol", "title", "systems", "cells", "grim", "parser", "warnings", "manifest"] == list(
            document
        )
        keys = "system metric published source source_kind n_published recomputed standard difference verdict"
        assert set(keys.split()) <= set(document["cells"][0])
        assert "ours" == document["protocol"]

    def test_its_manifest_repeats_it(self, write: Write) -> None:
        """The options are arguments of the same function."""
        protocol, log = write(table("Length", '"2.30"'))
        found = reproduce(protocol, [f"x={log}"], reader="mime")
        assert found == reproduce(**found.manifest["options"])
        assert ["empeval", "reproduce", protocol, f"x={log}", "--reader", "mime"] == found.manifest["command"]

    def test_a_loaded_protocol(self, write: Write) -> None:
        """In place of its name."""
        _, log = write()
        assert reproduce("seek", [log]) == reproduce(load("seek"), [log])


def test_what_cannot_be_reproduced(write: Write, tmp_path: Path) -> None:
    """A missing file, a wrong protocol: the usual errors."""
    protocol, log = write()
    with pytest.raises(InputError, match="there is no such file"):
        reproduce(protocol, [str(tmp_path / "none.txt")])
    Path(protocol).write_text("id: ours\nmetrik: []\n")
    with pytest.raises(ProtocolError, match="metrik: unknown key"):
        reproduce(protocol, [log])


@given(st.decimals(0, 100, places=4, allow_nan=False), st.integers(0, 4))
def test_a_value_prints_as_itself(value: object, decimals: int) -> None:
    """Rounded to any number of decimals, it is the number that it prints."""
    number = float(str(value))
    printed = Cell("T", "automatic", "S", "M", f"{number:.{decimals}f}", "T", "paper", True)
    assert _prints_as(number, printed)
    assert not _prints_as(number + 1.01 * 10.0**-decimals, printed)
