"""From a study file to a study that is ready to be worked in: database, rows, secret."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from empeval.errors import InputError
from empeval.study.material import Material, load_material
from empeval.study.protocol import StudyProtocol, load_study
from empeval.study.secret import load_secret
from empeval.study.store import database_address, open_store

if TYPE_CHECKING:
    from empeval.study.service.admin import AdminService
    from empeval.study.service.rater import RaterService
    from empeval.study.store.database import Store

__all__ = ["Prepared", "find", "prepare"]


@dataclass(frozen=True)
class Prepared:
    """A study file whose study is in its database; ``material`` where the outputs were read for it.

    Used as a context manager, it closes the database at the end.
    """

    file: Path
    protocol: StudyProtocol
    address: str
    secret: bytes
    store: Store
    material: Material | None = None

    def __enter__(self) -> Prepared:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    def admin(self) -> AdminService:
        """What the researcher can do."""
        from empeval.study.service.admin import AdminService

        return AdminService.open(self.store, self.protocol.id, self.secret, version=self.protocol.version)

    def raters(self) -> RaterService:
        """What raters can do."""
        from empeval.study.service.rater import RaterService

        return RaterService.open(self.store, self.protocol.id, self.secret, version=self.protocol.version)


def prepare(file: str | Path) -> Prepared:
    """Read a study file, draw its items, and make its rows where the database does not hold them yet.

    Raises ProtocolError and InputError for what is wrong with the file, the outputs or the database.
    """
    from empeval.study.service.setup import create_study

    path = Path(file)
    protocol = load_study(path)
    material = load_material(protocol, path.parent)
    prepared = _opened(path, protocol)
    create_study(prepared.store, protocol, material)
    return replace(prepared, material=material)


def find(file: str | Path) -> Prepared:
    """A study that was started before; InputError where the database does not hold it."""
    path = Path(file)
    protocol = load_study(path)
    address = database_address(protocol.database, path.parent, path.stem)
    if "://" not in address and not Path(address).is_file():
        raise InputError(
            f"there is no database yet ({address}); `empeval study serve {path}` starts the study",
            source=str(path),
        )
    return _opened(path, protocol)


def _opened(path: Path, protocol: StudyProtocol) -> Prepared:
    address = database_address(protocol.database, path.parent, path.stem)
    secret = load_secret(path.with_suffix(".secret"))
    return Prepared(path, protocol, address, secret, open_store(address))
