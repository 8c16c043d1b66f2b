"""What every use case needs to know of its study."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empeval.errors import InputError
from empeval.study.ids import hidden
from empeval.study.protocol import StudyProtocol, study_from
from empeval.study.store.database import Store
from empeval.study.store.people import Rater

__all__ = ["Context", "load_context"]


@dataclass(frozen=True)
class Context:
    """A study, its recipe, and the secret that keyed hashes and links are made with."""

    study_id: str
    protocol: StudyProtocol
    secret: bytes
    app_version: str

    @property
    def preview_key(self) -> str:
        """What the researcher's preview link carries."""
        return hidden(self.secret, "preview", self.study_id)[:32]

    def generator(self, rater: Rater) -> np.random.Generator:
        """The rater's own random numbers: the same at every call."""
        return np.random.default_rng([self.protocol.seed, rater.seed])


def load_context(store: Store, slug: str, secret: bytes, version: int | None = None) -> Context:
    """The context of a study that a database holds: this version of it, else its latest."""
    from empeval.version import __version__

    found = store.read(lambda tx: tx.study_named(slug, version))
    if found is None:
        raise InputError(f"the database holds no study {slug!r}; start it with: empeval study serve FILE")
    return Context(found.id, study_from(found.config_json, source=slug), secret, __version__)
