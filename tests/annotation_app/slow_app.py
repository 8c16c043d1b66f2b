"""The app with a service that takes a quarter of a second for everything."""

from __future__ import annotations

import functools
import time
from typing import Any

from annotation_app import settings
from annotation_app.serving import main

SECONDS = 0.25


class Slow:
    """A service whose calls are delayed before and after."""

    def __init__(self, service: Any) -> None:
        self._service = service

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._service, name)
        if name not in ("screen", "submit", "draft"):
            return found

        @functools.wraps(found)
        def delayed(*arguments: Any) -> Any:
            time.sleep(SECONDS / 2)
            result = found(*arguments)
            time.sleep(SECONDS / 2)
            return result

        return delayed


if __name__ == "__main__":
    settings.use(Slow(settings.service()))  # type: ignore[arg-type]
    main()
