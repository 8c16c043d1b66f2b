"""Options of the commands that read tables of ratings, and what becomes of their reports."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from empeval.cli import options, terminal
from empeval.cli.parser import Parser

if TYPE_CHECKING:
    from empeval.report.rating_files import RatingReport

__all__ = ["add_output", "add_reading", "add_scale", "reading", "scale", "show"]

_FILES = "the report as JSON, Markdown, LaTeX, CSV and HTML, and the manifest"


def add_reading(parser: Parser, what: str, example: str) -> None:
    """The files, the columns that hold the fields, and which questions are wanted."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help=f"a table of {what}: CSV, TSV, JSONL or Parquet, plain or gzipped; - is standard input",
    )
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--columns",
        type=options.columns,
        metavar="FIELD=COLUMN,…",
        help=f"columns that hold a field under another name, e.g. {example}",
    )
    group.add_argument(
        "--questions", type=_words, metavar="LIST", help="only these questions, separated by commas"
    )


def add_scale(parser: Parser, *, wide: bool = True) -> None:
    """How a table is laid out where it may be ``wide``, and what its values mean."""
    group = parser.add_argument_group("ratings")
    if wide:
        group.add_argument(
            "--wide",
            choices=("raters", "files"),
            metavar="raters|files",
            help="one column a rater, or one file a rater (NAME=FILE) and one column a question "
            "(default: one row a rating)",
        )
    group.add_argument(
        "--measurement",
        choices=("nominal", "ordinal", "interval", "ratio"),
        metavar="nominal|ordinal|interval|ratio",
        help="what the values mean (default: ordinal for numbers, nominal for words)",
    )
    group.add_argument(
        "--categories",
        type=_words,
        metavar="LIST",
        help="the scale from low to high, e.g. 1,2,3,4,5 (default: the values seen)",
    )


def add_output(parser: Parser) -> None:
    """Uncertainty, format, folder."""
    options.add_statistics(parser)
    options.add_format(parser)
    options.add_out(parser, what=_FILES)
    options.add_quiet(parser)


def reading(args: argparse.Namespace) -> dict[str, Any]:
    """The keyword arguments that say what is read and how uncertainty is measured."""
    return {
        "columns": args.columns,
        "questions": args.questions,
        "seed": args.seed,
        "n_resamples": args.resamples,
        "level": args.level,
    }


def scale(args: argparse.Namespace) -> dict[str, Any]:
    """The keyword arguments of `add_scale`."""
    return {"wide": args.wide, "measurement": args.measurement, "categories": args.categories}


def show(report: RatingReport, args: argparse.Namespace) -> None:
    """Write the folder if one is asked for; warnings, then the report."""
    from empeval.report import rating_files

    if args.out is not None:
        rating_files.write(report, args.out)
    terminal.warnings([asdict(notice) for notice in report.warnings], quiet=args.quiet)
    terminal.result(rating_files.render(report, args.format))
    if args.out is not None:
        terminal.note(f"the report is in {args.out}", quiet=args.quiet)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]
