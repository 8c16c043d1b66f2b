"""Everything that may be asked of the database within one transaction."""

from __future__ import annotations

from empeval.study.store.answers import AnswerQueries
from empeval.study.store.building import BuildQueries
from empeval.study.store.overview import OverviewQueries
from empeval.study.store.raters import RaterQueries
from empeval.study.store.removal import RemovalQueries
from empeval.study.store.slots import SlotQueries

__all__ = ["Transaction"]


class Transaction(RaterQueries, SlotQueries, AnswerQueries, BuildQueries, OverviewQueries, RemovalQueries):
    """One transaction; rows that it returns are written back when it ends."""
