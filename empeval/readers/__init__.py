"""Files in: tables, logs of published systems, the EmpatheticDialogues release, bare text.

A format is one file in this folder, which enters its reader into `READERS`. Which one reads a file is
decided by the file's content, or by the user.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from empeval.errors import InputError, UnknownName
from empeval.readers.base import READERS, Parser, Reader, ReadOptions, Sample, Source
from empeval.readers.fields import FIELDS
from empeval.records import Records

__all__ = [
    "READERS",
    "ReadOptions",
    "Reader",
    "Sample",
    "Source",
    "read",
    "read_corpus",
    "recognise",
    "split_name",
]

#: A reader whose share of fitting lines is at least this reads the file …
_LIKELY = 0.5
#: … and a file in which so many lines fit some reader is no bare text.
_SUSPICIOUS = 0.1
_BARE = "lines"


def read(
    files: Sequence[str | Path],
    *,
    reader: str | None = None,
    columns: Mapping[str, str] | None = None,
    parser: Parser = "standard",
) -> list[Records]:
    """Read systems' responses, in the order of the files.

    A file is a path, ``NAME=FILE``, or ``-`` for standard input; an existing path that holds ``=`` is a
    path. ``reader`` is the text form of a reader (by default the content decides), ``columns`` maps fields
    of tables to the columns that hold them, ``parser="authors"`` reads logs as the authors' scripts do,
    damage included. Raises InputError for a file that cannot be used and for two systems of one name,
    UnknownName for a reader or field that does not exist.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "echo.jsonl"
    >>> _ = path.write_text('{"id": "1", "hypothesis": "oh no ."}')
    >>> [(table.system, table.columns["hypothesis"]) for table in read([path])]
    [('echo', ['oh no .'])]
    """
    if isinstance(files, str | Path):
        files = [files]
    if not files:
        raise InputError("no file is given")
    tables = [
        table
        for file in files
        for table in _read_one(file, reader=reader, columns=columns, parser=parser, corpus=False)
    ]
    sources: dict[str | None, str] = {}
    for table in tables:
        if table.system in sources:
            raise InputError(
                f"two files name a system {table.system!r}: {sources[table.system]} and {table.source}; "
                "name one yourself with NAME=FILE"
            )
        sources[table.system] = table.source
    return tables


def read_corpus(
    file: str | Path,
    *,
    reader: str | None = None,
    columns: Mapping[str, str] | None = None,
    parser: Parser = "standard",
) -> Records:
    r"""Read a test set from the same formats; responses are ignored, and lines of bare text are references.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "test.csv"
    >>> _ = path.write_text("id,reference,emotion\n1,that is sad,sad\n")
    >>> read_corpus(path).columns["references"]
    [('that is sad',)]
    """
    (table,) = _read_one(file, reader=reader, columns=columns, parser=parser, corpus=True)
    return table


def recognise(source: Source, columns: Mapping[str, str] | None = None) -> str:
    """The name of the reader whose format a file's beginning fits best; its suffix only breaks ties.

    Raises InputError where it fits none, or fits one so badly that the file must be damaged.
    """
    sample = source.sample(frozenset((columns or {}).values()))
    scores = {name: cls().recognises(sample) for name, cls in READERS.items()}
    ranked = sorted(scores, key=lambda name: (-scores[name], sample.suffix not in READERS[name].suffixes))
    best = ranked[0]
    if scores[best] >= _LIKELY:
        return best
    by_suffix = [name for name in ranked if sample.suffix and sample.suffix in READERS[name].suffixes]
    if by_suffix:
        return by_suffix[0]
    if best != _BARE and scores[best] >= _SUSPICIOUS:
        raise InputError(
            f"this looks like a damaged file for the reader {best!r}: {scores[best]:.0%} of its lines fit. "
            "Mend it, or name a reader with --reader (lines reads bare text)",
            source=source.name,
        )
    if not scores[_BARE]:
        raise InputError(
            "the format is not recognised: it is not bare text, and no reader knows it. A table needs a "
            "header of known fields (map them with --columns hypothesis=NAME); or name a reader (--reader)",
            source=source.name,
        )
    return _BARE


def _read_one(
    file: str | Path,
    *,
    reader: str | None,
    columns: Mapping[str, str] | None,
    parser: Parser,
    corpus: bool,
) -> list[Records]:
    if parser not in ("standard", "authors"):
        raise InputError(f"parser must be 'standard' or 'authors', not {parser!r}")
    for target in columns or ():
        if target not in FIELDS:
            raise UnknownName("field", target, FIELDS)
    name, path = split_name(file)
    with Source(path) as source:
        text = reader if reader is not None else recognise(source, columns)
        made: Reader = READERS.create(text)
        options = ReadOptions(
            system=name or source.stem,
            named=name is not None,
            columns=dict(columns or {}),
            parser=parser,
            corpus=corpus,
        )
        return made.read(source, options)


def split_name(file: str | Path) -> tuple[str | None, str | Path]:
    """The NAME and the FILE of ``NAME=FILE``; an existing path wins."""
    if not str(file):
        raise InputError("the name of a file is empty")
    name, equals, path = str(file).partition("=")
    try:
        is_path = not equals or Path(file).exists()
    except OSError:  # too long for a path, or in a folder that may not be searched
        is_path = False
    if is_path:
        return None, file
    if not name or not path:
        raise InputError(f"{str(file)!r} is neither a file nor NAME=FILE")
    return name, path
