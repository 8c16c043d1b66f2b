"""Column types that mean the same in SQLite and in PostgreSQL, and the tables' common base."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, DateTime, MetaData, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeDecorator, TypeEngine

__all__ = ["Base", "Json", "Moment", "one_of"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Moment(TypeDecorator[datetime]):
    """An aware moment in UTC: ``timestamptz`` in PostgreSQL, whole microseconds since 1970 in SQLite."""

    impl = BigInteger
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        kind: TypeEngine[Any] = DateTime(timezone=True) if dialect.name == "postgresql" else BigInteger()
        return dialect.type_descriptor(kind)

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        assert value.tzinfo is not None, "a moment without a time zone"
        return value if dialect.name == "postgresql" else (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None or isinstance(value, datetime):
            return None if value is None else value.astimezone(UTC)
        return _EPOCH + int(value) * _MICROSECOND


class Json(TypeDecorator[Any]):
    """Any JSON value, as text with sorted keys: the same bytes in both databases."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(value)


class Base(DeclarativeBase):
    """The base of all tables; constraints get names by one rule, so that migrations can find them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


def one_of(column: str, *values: str) -> CheckConstraint:
    """The constraint that a column holds one of a few words."""
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)
