"""``empeval demo``: everything on the bundled example, without network."""

from __future__ import annotations

import argparse

from empeval.cli import options, score
from empeval.cli.parser import Commands

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "demo",
        help="score the bundled example, without network",
        description="Score the bundled example, invented systems on an invented test set, without network.",
    )
    options.add_models(parser)
    options.add_format(parser)
    options.add_out(parser, default="results/demo")
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Score the example as ``empeval score`` would."""
    from empeval import example
    from empeval.report.pipeline import Options

    files = tuple(str(path) for path in example.system_files())
    score.score_and_print(Options(files, corpus=str(example.corpus_file())), args)
    return 0
