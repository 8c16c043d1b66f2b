"""What the process is told by its environment, and the one service that all its sessions share."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass

from empeval.errors import InputError
from empeval.study.secret import SECRET_VARIABLE
from empeval.study.service.rater import RaterService
from empeval.study.serving import STUDY_VARIABLE, VERSION_VARIABLE
from empeval.study.store import ADDRESS_VARIABLE, open_store

__all__ = ["Settings", "service", "use"]


@dataclass(frozen=True)
class Settings:
    """Which study of which database, and the secret of its links; ``version`` None is the latest."""

    address: str
    study: str
    secret: bytes
    version: int | None = None

    @classmethod
    def from_environment(cls) -> Settings:
        """Read the variables; InputError names the one that is missing or wrong, and never its value."""
        found = {
            name: os.environ.get(name, "") for name in (ADDRESS_VARIABLE, STUDY_VARIABLE, SECRET_VARIABLE)
        }
        for name, value in found.items():
            if not value:
                raise InputError(
                    f"the environment variable {name} is missing; start the app with: empeval study serve"
                )
        try:
            secret = bytes.fromhex(found[SECRET_VARIABLE])
        except ValueError:
            raise InputError(f"{SECRET_VARIABLE} is not a hexadecimal number") from None
        version = os.environ.get(VERSION_VARIABLE, "")
        if version and not version.isdecimal():
            raise InputError(f"{VERSION_VARIABLE} is not a whole number")
        return cls(found[ADDRESS_VARIABLE], found[STUDY_VARIABLE], secret, int(version) if version else None)


class _Shared:
    lock = threading.Lock()
    service: RaterService | None = None


def service() -> RaterService:
    """The service of this process, opened once."""
    with _Shared.lock:
        if _Shared.service is None:
            told = Settings.from_environment()
            store = open_store(told.address, upgrade=False)
            if not store.readiness().is_ready:
                raise InputError("the database does not hold the tables of this version of empeval")
            _Shared.service = RaterService.open(store, told.study, told.secret, version=told.version)
        return _Shared.service


def use(given: RaterService) -> None:
    """Let all sessions of this process share the service that is given."""
    with _Shared.lock:
        _Shared.service = given
