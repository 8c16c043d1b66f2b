"""Parquet: one column a field."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from empeval import specs
from empeval.errors import InputError
from empeval.readers._tables import BATCH, Table
from empeval.readers.base import READERS, ReadOptions, Sample, Source
from empeval.records import Records

__all__ = ["Parquet", "read_batches"]


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
        for batch, rows in read_batches(source):
            table.add(batch, rows)
        return table.records(specs.format_spec(self.name, self))


def read_batches(source: Source) -> Iterator[tuple[dict[str, list[Any]], Sequence[int]]]:
    """The values by column, and the rows they stand in, counted from 1, some thousand at a time.

    A file without rows gives one batch of empty columns. Raises InputError for a file that is not readable.
    """
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
        row = 1
        while True:
            try:
                batch = next(batches, None)
                columns = None if batch is None else batch.to_pydict()
            except damaged as error:
                raise _cannot_read(source, error) from None
            if batch is None or columns is None:
                break
            if batch.num_rows:
                yield columns, range(row, row + batch.num_rows)
                row += batch.num_rows
        if row == 1:
            yield {name: [] for name in names}, range(1, 1)


def _cannot_read(source: Source, error: BaseException) -> InputError:
    reason = (str(error).strip() or type(error).__name__).splitlines()[0]
    return InputError(f"the file is not readable as Parquet ({reason}); write it again", source=source.name)
