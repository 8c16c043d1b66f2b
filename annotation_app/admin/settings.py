"""What the process is told by its environment: the study, and the hash of the password."""

from __future__ import annotations

import os
import threading

from annotation_app.settings import Settings
from empeval.errors import InputError
from empeval.study.admin_access import HASH_VARIABLE, Door
from empeval.study.service.admin import AdminService
from empeval.study.store import open_store

__all__ = ["check", "door", "service", "use"]


class _Shared:
    lock = threading.Lock()
    service: AdminService | None = None
    door: Door | None = None


def check() -> None:
    """Open what the page needs; InputError names the variable that is missing."""
    door()
    service()


def door() -> Door:
    """The door of this process, which counts wrong tries of all sessions together."""
    with _Shared.lock:
        if _Shared.door is None:
            hashed = os.environ.get(HASH_VARIABLE, "")
            if not hashed:
                raise InputError(
                    f"the environment variable {HASH_VARIABLE} is missing; "
                    "start the page with: empeval study admin"
                )
            _Shared.door = Door(hashed)
        return _Shared.door


def service() -> AdminService:
    """The service of this process, opened once."""
    with _Shared.lock:
        if _Shared.service is None:
            told = Settings.from_environment()
            store = open_store(told.address)
            _Shared.service = AdminService.open(store, told.study, told.secret, version=told.version)
        return _Shared.service


def use(given: AdminService, door: Door) -> None:
    """Let all sessions of this process share what is given."""
    with _Shared.lock:
        _Shared.service, _Shared.door = given, door
