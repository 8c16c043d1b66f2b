"""Which n-grams one system uses more than another."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from empeval.tokenizers import get_tokenizer

__all__ = ["PRIOR", "NgramUse", "ngram_use"]

#: The prior weighs as much as this many n-grams of text.
PRIOR = 500.0

Ngram = tuple[str, ...]


@dataclass(frozen=True)
class NgramUse:
    """How often two systems use an n-gram; ``z`` is positive where the first uses it more."""

    ngram: str
    n_a: int
    n_b: int
    log_odds: float
    z: float


def ngram_use(
    texts_a: Sequence[str],
    texts_b: Sequence[str],
    *,
    tokenize: str = "13a",
    orders: Iterable[int] = (1, 2, 3),
    prior: float = PRIOR,
) -> list[NgramUse]:
    """N-grams of two sets of texts, those that the first uses most above the second coming first.

    Log-odds ratio with an informative Dirichlet prior: with y occurrences among n n-grams of one order, and
    the prior count α = ``prior`` · (share of the n-gram in both sets together),

        δ = log (y_a + α) / (n_a + prior − y_a − α) − log (y_b + α) / (n_b + prior − y_b − α),
        z = δ / √(1 / (y_a + α) + 1 / (y_b + α)).

    Rare n-grams are thereby drawn to 0; |z| > 1.96 is noteworthy, without a correction for looking at many.
    Source: Monroe, Colaresi and Quinn (2008), "Fightin' Words".

    >>> uses = ngram_use(["so sorry"] * 9, ["so glad"] * 9, orders=[1])
    >>> [(use.ngram, use.n_a, use.n_b, round(use.z, 2)) for use in uses]
    [('sorry', 9, 0, 0.75), ('so', 9, 9, 0.0), ('glad', 0, 9, -0.75)]
    """
    found: list[NgramUse] = []
    tokens_a, tokens_b = _tokens(texts_a, tokenize), _tokens(texts_b, tokenize)
    for order in orders:
        found += _log_odds(Counter(_ngrams(tokens_a, order)), Counter(_ngrams(tokens_b, order)), prior)
    return sorted(found, key=lambda use: (-use.z, use.ngram))


def _tokens(texts: Sequence[str], tokenize: str) -> list[list[str]]:
    tokenizer = get_tokenizer(tokenize)
    return [tokenizer.tokens(tokenizer.clean(text)) for text in texts]


def _ngrams(texts: Iterable[Sequence[str]], order: int) -> Iterator[Ngram]:
    for tokens in texts:
        yield from zip(*(tokens[start:] for start in range(order)), strict=False)


def _log_odds(a: Counter[Ngram], b: Counter[Ngram], prior: float) -> Iterator[NgramUse]:
    n_a, n_b = a.total(), b.total()
    both = a + b
    if len(both) < 2:  # the odds of the only n-gram there is are infinite
        return
    for ngram, n in both.items():
        alpha = prior * n / (n_a + n_b)
        y_a, y_b = a[ngram] + alpha, b[ngram] + alpha
        log_odds = math.log(y_a / (n_a + prior - y_a)) - math.log(y_b / (n_b + prior - y_b))
        z = log_odds / math.sqrt(1 / y_a + 1 / y_b)
        yield NgramUse(" ".join(ngram), a[ngram], b[ngram], log_odds, z)
