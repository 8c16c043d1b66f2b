"""Parquet: one column a field."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from empeval import specs
from empeval.errors import InputError
from empeval.readers._tables import BATCH, Table
from empeval.readers.base import READERS, ReadOptions, Sample, Source
from empeval.records import Records

__all__ = ["Parquet"]


@READERS.register("parquet")
@dataclass(frozen=True)
class Parquet:
    """Reads Parquet; records are named by their row, counted from 1."""

    name: ClassVar[str] = "parquet"
    description: ClassVar[str] = "Parquet with the field names as columns; lists as list columns"
    suffixes: ClassVar[tuple[str, ...]] = (".parquet", ".pq")

    def recognises(self, sample: Sample) -> float:
        """Certain by the first four bytes."""
        return float(sample.head.startswith(b"PAR1"))

    def read(self, source: Source, options: ReadOptions) -> list[Records]:
        """Read batches of rows into columns."""
        table = Table(source, options, unit="row")
        row = 1
        for batch, n_rows in _batches(source):
            table.add(batch, range(row, row + n_rows))
            row += n_rows
        return table.records(specs.format_spec(self.name, self))


def _batches(source: Source) -> Iterator[tuple[dict[str, list[Any]], int]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    damaged = (pa.ArrowException, OSError, ValueError, LookupError, TypeError, ArithmeticError, MemoryError)
    with source.open() as stream:
        try:
            # the index stands at the end, and going back in a gzip stream unpacks all of it again
            file = pq.ParquetFile(io.BytesIO(stream.read()) if source.packed else stream)
            names = file.schema_arrow.names
            doubled = next((name for name in names if names.count(name) > 1), None)
            batches = file.iter_batches(batch_size=BATCH)
        except damaged as error:
            raise _cannot_read(source, error) from None
        if doubled is not None:
            raise InputError(f"two columns are named {doubled!r}", source=source.name)
        while True:
            try:
                batch = next(batches, None)
                columns = None if batch is None else batch.to_pydict()
            except damaged as error:
                raise _cannot_read(source, error) from None
            if batch is None or columns is None:
                return
            if batch.num_rows:
                yield columns, batch.num_rows


def _cannot_read(source: Source, error: BaseException) -> InputError:
    reason = (str(error).strip() or type(error).__name__).splitlines()[0]
    return InputError(f"the file is not readable as Parquet ({reason}); write it again", source=source.name)
