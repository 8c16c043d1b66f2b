"""Start-up stays light: heavy libraries load where they are used, not where the command line starts."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "bert_score",
    "nltk",
    "numpy",
    "pandas",
    "pyarrow",
    "pydantic",
    "rich",
    "rouge_score",
    "sacrebleu",
    "scipy",
    "sklearn",
    "torch",
    "transformers",
    "yaml",
}

LIST_MODULES = "import sys; sys.stderr.write('loaded: ' + ' '.join(sorted(sys.modules)))"

HELP = f"""
from empeval.cli import main
try:
    main(["--help"])
except SystemExit as stop:
    assert not stop.code
{LIST_MODULES}
"""


def heavy_modules_after(code: str) -> set[str]:
    """Which heavy libraries a fresh interpreter holds once it has run the code."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = run.stderr.rpartition("loaded: ")[2].split()
    return HEAVY & {name.partition(".")[0] for name in modules}


@pytest.mark.parametrize(
    "code",
    [f"import empeval\n{LIST_MODULES}", f"import empeval.cli\n{LIST_MODULES}", HELP],
    ids=["import empeval", "import empeval.cli", "empeval --help"],
)
def test_start_up_imports_no_heavy_library(code: str) -> None:
    """Importing the package and asking for help load none of the heavy libraries."""
    assert set() == heavy_modules_after(code)


def test_the_check_sees_a_heavy_library() -> None:
    """The check itself notices numpy when it is there."""
    assert {"numpy"} == heavy_modules_after(f"import numpy\n{LIST_MODULES}")
