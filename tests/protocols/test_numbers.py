"""The forms as coded by the authors give, on published outputs, the numbers that their programs gave."""

from __future__ import annotations

from pathlib import Path

import pytest

from empeval.cohort import join
from empeval.metrics import METRICS
from empeval.protocols import Cell, Protocol, load
from empeval.readers import read


def recompute(protocol: Protocol, cell: Cell, path: Path) -> str:
    """The value of a published cell on a log read as the authors read it, printed as in the cell."""
    assert protocol.outputs is not None
    assert protocol.decoding is not None
    logs = read([path], parser=protocol.outputs.parser)
    tables = {protocol.printed_name(str(log.system)): log for log in logs}
    stream = cell.stream or (protocol.decoding.stream if len(tables) > 1 else None)
    cohort = join([tables[cell.system, stream]])
    column = protocol.metric(cell.column)
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
    assert [c.value for c in cells] == [recompute(protocol, c, path) for c in cells]
    assert 8 == len(cells)


def test_the_header_of_mime_s_log(shared: Path) -> None:
    """BLEU of the three decodes, and the accuracy of the emotion as a fraction."""
    protocol = load("mime")
    cells = [c for c in protocol.cells() if c.source_kind == "code" and c.column != "PPL"]
    path = shared / "data/outputs/mime/output.txt"
    assert ["2.76", "3.13", "1.76", "0.3488"] == [recompute(protocol, c, path) for c in cells]
    assert [c.value for c in cells] == [recompute(protocol, c, path) for c in cells]
