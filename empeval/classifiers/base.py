"""What a classifier of emotions is, whichever kind it is of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from empeval.classifiers.evaluation import HeldOut

__all__ = ["Array", "Classifier"]

Array = NDArray[np.float64]


class Classifier(ABC):
    """Recognises one of some emotions in a text; `load` makes one from a folder.

    ``labels`` are the emotions in the order of its scores, ``fingerprint`` 16 hexadecimal digits that change
    with anything in the folder that could change a score, ``held_out`` what the folder says about how often
    it was right on texts that it was not trained on, None where it says nothing.
    """

    labels: tuple[str, ...]
    fingerprint: str
    held_out: HeldOut | None

    @abstractmethod
    def scores(self, texts: Sequence[str]) -> Array:
        """The probability of each label, shape (n_texts, n_labels); NaN for a text without any token.

        The row of a text does not depend on the other texts, within 1e-6.
        """

    def cut(self, texts: Sequence[str]) -> list[bool]:
        """Which of the texts are longer than what the classifier can read, so that their end is left out."""
        return [False] * len(texts)

    def versions(self) -> dict[str, str]:
        """Versions of the libraries whose change could change a score."""
        return {}
