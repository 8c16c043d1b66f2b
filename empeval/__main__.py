"""``python -m empeval`` is the command ``empeval``."""

from __future__ import annotations

import sys

from empeval.cli import main

if __name__ == "__main__":
    sys.exit(main())
