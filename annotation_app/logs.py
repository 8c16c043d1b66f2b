"""What goes to the log: kinds and places of faults. Messages of exceptions may hold what people wrote."""

from __future__ import annotations

import logging
from typing import Any, Final

__all__ = ["OPTIONS", "keep_messages_out"]

#: Settings of Streamlit that belong to it: with rich, exceptions are printed past all logging.
OPTIONS: Final[dict[str, Any]] = {"logger.enableRich": False}


def keep_messages_out() -> None:
    """Drop Streamlit's own record of an exception, which has its message; `faults.report` logs the rest."""
    logging.getLogger("streamlit.error_util").addFilter(_has_no_exception)


def _has_no_exception(record: logging.LogRecord) -> bool:
    return record.exc_info is None
