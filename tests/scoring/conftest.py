"""Data that several of these tests score."""

from __future__ import annotations

import pytest

from empeval.corpus import Corpus, SystemOutputs
from empeval.testing import sample


@pytest.fixture
def data() -> tuple[Corpus, tuple[SystemOutputs, ...]]:
    """A corpus of 22 dialogues and the systems good, fair and poor."""
    return sample()
