"""``empeval demo``: everything on the bundled example, without network."""

from __future__ import annotations

import argparse
import shutil
import sys
from dataclasses import replace
from pathlib import Path

from empeval.cli import options, score, terminal
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
    """Score the example as ``empeval score`` would, and with BERTScore where a model is at hand."""
    from empeval import example
    from empeval.report.demo_study import write_demo_study
    from empeval.report.pipeline import Options, read_cohort
    from empeval.scoring.score import default_metrics

    files = tuple(str(path) for path in example.system_files())
    asked = Options(files, corpus=str(example.corpus_file()))
    cohort, _ = read_cohort(asked)
    metrics = default_metrics(cohort.corpus, cohort.systems)
    bertscore = example.bertscore()
    if bertscore is None:
        terminal.note("BERTScore is left out; it needs: pip install 'empeval[demo]'", quiet=args.quiet)
    else:
        metrics.append(bertscore)
    score.score_and_print(replace(asked, metrics=",".join(metrics)), args)
    study = write_demo_study(args.out)
    terminal.note("people can judge the same systems; this opens a study for them:", quiet=args.quiet)
    for line in (
        f"study simulate {study}  (invented raters, to try it out)",
        f"study serve {study}",
        f"study admin {study}",
    ):
        terminal.note(f"  {_program()} {line}", quiet=args.quiet)
    return 0


def _program() -> str:
    """How this program is called here: by its name, where a shell finds it, else by its path."""
    path = Path(sys.argv[0])
    if path.name != "empeval" or shutil.which("empeval") is not None:
        return "empeval"
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_absolute() and path.is_relative_to(here) else path)
