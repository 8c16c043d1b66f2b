"""The forms as coded by the authors give the numbers that their own programs gave on their published outputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from empeval.cohort import join
from empeval.metrics import METRICS
from empeval.protocols import Cell, load
from empeval.readers import read


def recompute(cell: Cell, protocol: str, path: Path) -> str:
    """The value of a published cell on a log read by the authors' parser, printed as in the cell."""
    protocol_ = load(protocol)
    tables = {protocol_.printed_name(str(table.system)): table for table in read([path], parser="authors")}
    stream = cell.stream or (protocol_.decoding.stream if len(tables) > 1 and protocol_.decoding else None)
    cohort = join([tables[cell.system, stream]])
    column = protocol_.metric(cell.column)
    assert column.as_coded is not None
    metric = METRICS.create(column.as_coded)
    score = metric.aggregate(metric.segment_stats(cohort.corpus, cohort.systems[0]).totals())
    return f"{float(score) / column.divisor:.{cell.decimals}f}"


@pytest.mark.parametrize("system", ["Transformer", "EmoPrepend", "EmpDG"])
def test_empdg_s_script(system: str, shared: Path) -> None:
    """All eight numbers that result_analysis.py prints of a system, its parser's damage included."""
    protocol = load("empdg")
    printed = protocol.printed_name(system)[0]
    cells = [
        c for c in protocol.cells() if c.source_kind == "recomputed" and c.n == 2713 and c.system == printed
    ]
    path = shared / f"data/outputs/empdg/{system}.txt"
    assert [c.value for c in cells] == [recompute(c, "empdg", path) for c in cells]
    assert 8 == len(cells)


def test_the_header_of_mime_s_log(shared: Path) -> None:
    """BLEU of the three decodes, and the accuracy of the emotion as a fraction."""
    cells = [c for c in load("mime").cells() if c.source_kind == "code" and c.column != "PPL"]
    path = shared / "data/outputs/mime/output.txt"
    assert ["2.76", "3.13", "1.76", "0.3488"] == [recompute(c, "mime", path) for c in cells]
    assert [c.value for c in cells] == [recompute(c, "mime", path) for c in cells]
