"""The small classifier: TF-IDF of words and pairs of words, and multinomial logistic regression."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from empeval.classifiers.base import Array, Classifier
from empeval.classifiers.evaluation import HeldOut
from empeval.classifiers.features import Features
from empeval.errors import InputError, MissingExtra

__all__ = ["SETTINGS", "TfidfClassifier", "fit", "require_scikit_learn"]

#: How strongly large coefficients are allowed, as scikit-learn's C; found on contexts of 32 emotions.
_C = 5.0
#: A smaller tolerance changes the accuracy by less than chance does, and doubles the time.
_TOLERANCE, _MOST_STEPS = 5e-4, 500
_BLOCK = 4096

#: What the files of a classifier say about how it was made.
SETTINGS = {"features": "tfidf", "ngrams": [1, 2], "C": _C, "tolerance": _TOLERANCE, "max_iter": _MOST_STEPS}


@dataclass(frozen=True, eq=False)
class TfidfClassifier(Classifier):
    """P(label | text) = softmax(coefficients · features + intercepts).

    ``coefficients`` have the shape (n_labels, n_features), ``intercepts`` (n_labels,). Needs no scikit-learn.
    A text without any known word has the probabilities of the intercepts.
    """

    labels: tuple[str, ...]
    features: Features
    coefficients: Array
    intercepts: Array
    fingerprint: str = ""
    held_out: HeldOut | None = None

    def scores(self, texts: Sequence[str]) -> Array:
        if not texts:
            return np.zeros((0, len(self.labels)))
        blocks = (texts[start : start + _BLOCK] for start in range(0, len(texts), _BLOCK))
        return np.concatenate([self._block(block) for block in blocks])

    def _block(self, texts: Sequence[str]) -> Array:
        logits = self.features.matrix(texts) @ self.coefficients.T + self.intercepts
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        found: Array = odds / odds.sum(axis=1, keepdims=True)
        return found


def require_scikit_learn() -> None:
    """Raise MissingExtra where scikit-learn, which only fitting needs, is not installed."""
    if importlib.util.find_spec("sklearn") is None:
        raise MissingExtra("scikit-learn", "classifier")


def fit(texts: Sequence[str], labels: Sequence[str]) -> TfidfClassifier:
    """Fit the small classifier to texts and their labels, by scikit-learn's LogisticRegression.

    The loss is the cross-entropy plus half the squared coefficients over C (Pedregosa et al., 2011). The same
    texts in the same order give the same bits. Raises InputError where there are not two labels, or no word
    stands in two texts; MissingExtra where scikit-learn is not installed.
    """
    require_scikit_learn()
    from sklearn.exceptions import ConvergenceWarning  # type: ignore[import-untyped,unused-ignore]
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped,unused-ignore]

    if len(set(labels)) < 2:
        raise InputError("a classifier needs texts of at least two emotions")
    features = Features.of(texts)
    if not len(features.weights):
        raise InputError("no word stands in two of the texts, so nothing can be learnt; give more texts")
    model = LogisticRegression(C=_C, tol=_TOLERANCE, max_iter=_MOST_STEPS)
    with warnings.catch_warnings():
        # a fit that was stopped is one more regularised; its held-out report says what it is worth
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)  # that there are many labels
        model.fit(features.matrix(texts), list(labels))
    coefficients, intercepts = np.asarray(model.coef_), np.asarray(model.intercept_)
    if len(model.classes_) == 2:  # scikit-learn keeps the second of two labels only
        coefficients = np.concatenate([np.zeros_like(coefficients), coefficients])
        intercepts = np.concatenate([np.zeros_like(intercepts), intercepts])
    known = tuple(str(label) for label in model.classes_)
    return TfidfClassifier(known, features, coefficients, intercepts)
