"""Bradley–Terry and Davidson against published fits, another library and each other."""

from __future__ import annotations

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.statistics.preference.bradley_terry import bradley_terry
from empeval.statistics.preference.davidson import davidson

#: Stigler (1994): citations among Biometrika, Comm. Statist., JASA and JRSS-B; row cited by column.
CITATIONS = np.array([[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]])
#: Davidson (1970): six chocolate puddings.
PUDDING_WINS = np.array(
    [
        [0, 19, 16, 18, 13, 18],
        [22, 0, 19, 23, 16, 22],
        [19, 19, 0, 19, 16, 13],
        [23, 19, 20, 0, 17, 14],
        [19, 20, 15, 14, 0, 11],
        [21, 20, 18, 19, 21, 0],
    ]
)
PUDDING_TIES = np.array(
    [
        [0, 16, 12, 13, 18, 12],
        [16, 0, 10, 9, 12, 12],
        [12, 10, 0, 15, 17, 10],
        [13, 9, 15, 0, 16, 18],
        [18, 12, 17, 16, 0, 12],
        [12, 12, 10, 18, 12, 0],
    ]
)
TABLES = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.integers(0, 6), min_size=2 * n * n, max_size=2 * n * n).map(
        lambda cells: np.array(cells).reshape(2, n, n)
    )
)


def tables(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Wins, and symmetric ties, with empty diagonals."""
    off = 1 - np.eye(cells.shape[1], dtype=int)
    return cells[0] * off, np.triu(cells[1], 1) + np.triu(cells[1], 1).T


def test_bradley_terry_on_the_citations_of_stigler() -> None:
    """Strengths and errors of R's BradleyTerry2 (BTm); crowd-kit's early stop gives −0.287 and 0.101."""
    found = bradley_terry(CITATIONS)
    values, errors = found.relative_to(0)
    assert [0, -2.949072496844, -0.479569769752, 0.2689540558195] == pytest.approx(values, abs=2e-6)
    assert [0.1025453353699, 0.06058872923963, 0.07082996510571] == pytest.approx(errors[1:], abs=2e-6)
    assert "ok" == found.status
    assert abs(values[2] - -0.287) > 0.1


def test_bradley_terry_wins_as_often_as_expected() -> None:
    """At the maximum each system's expected wins equal its wins (the score equations)."""
    found = bradley_terry(CITATIONS)
    for i in range(4):
        expected = sum(
            found.win_probability(i, j)[0] * (CITATIONS[i, j] + CITATIONS[j, i]) for j in range(4) if j != i
        )
        assert CITATIONS[i].sum() == pytest.approx(expected, rel=1e-9)


def test_davidson_on_the_puddings() -> None:
    """Davidson (1970), in more digits and with errors by R's Poisson log-linear model."""
    found = davidson(PUDDING_WINS, PUDDING_TIES)
    shares = np.exp(found.strengths) / np.exp(found.strengths).sum()
    expected = [0.1388033751807, 0.173001499983, 0.1617474340368]
    expected += [0.1653729577629, 0.1586853945747, 0.2023893384619]
    assert expected == pytest.approx(shares.tolist(), abs=1e-6)
    assert 0.7468229876543 == pytest.approx(found.nu, abs=1e-6)
    assert -809.709510090288 == pytest.approx(found.log_likelihood, abs=1e-6)
    assert 0.08249869172098 == pytest.approx(found.log_nu_error, abs=1e-6)
    values, errors = found.relative_to(0)
    expected = [0.2202419002413, 0.1529777048542, 0.1751449085898, 0.1338652269911, 0.3771348958016]
    assert expected == pytest.approx(values[1:], abs=1e-6)
    expected = [0.1872169816218, 0.1935183581249, 0.1882110872345, 0.1927045607904, 0.1924062336359]
    assert expected == pytest.approx(errors[1:], abs=1e-6)


def test_ties_as_half_wins_pull_strengths_together() -> None:
    """evalica's bradley_terry(tie_weight=0.5) on the puddings; Davidson's .377 shrinks to .274."""
    values, _ = bradley_terry(PUDDING_WINS, ties=PUDDING_TIES).relative_to(0)
    assert [0, 0.16031, 0.11134, 0.12748, 0.09743, 0.27449] == pytest.approx(values, abs=1e-4)


def test_separation_is_said_and_by_whom() -> None:
    """System 0 never lost: no finite strengths, where choix's opt_pairwise silently gives ±10.7."""
    found = bradley_terry(np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]]))
    assert ("separated", None, ((0,), (1,), (2,))) == (found.status, found.strengths, found.groups)
    assert None is found.relative_to(0)
    assert None is found.standard_errors
    assert None is found.win_probability(0, 1)
    silent = choix.opt_pairwise(3, [(0, 1), (0, 2), (1, 2)])
    assert np.abs(silent).max() > 5


def test_groups_of_separated_systems_come_best_first() -> None:
    """Two that beat each other stand above two that never beat them."""
    wins = np.array([[0, 2, 0, 0], [3, 0, 0, 0], [4, 4, 0, 1], [4, 4, 2, 0]])
    assert ((2, 3), (0, 1)) == bradley_terry(wins).groups


def test_disconnection_is_said_and_by_whom() -> None:
    """Two pairs that were never compared with each other, although each pair alone has finite strengths."""
    wins = np.zeros((4, 4))
    wins[0, 2] = wins[2, 0] = wins[1, 3] = wins[3, 1] = 2
    found = bradley_terry(wins)
    assert ("disconnected", None, ((0, 2), (1, 3))) == (found.status, found.strengths, found.groups)
    assert "disconnected" == davidson(wins, np.zeros((4, 4))).status


def test_fits_without_data() -> None:
    """No systems to compare, no comparisons, only ties: a status each."""
    zero = np.zeros((3, 3))
    assert "too_few_systems" == bradley_terry(np.zeros((1, 1))).status
    assert "too_few_systems" == bradley_terry(np.zeros((0, 0))).status
    assert "no_judgments" == bradley_terry(zero).status
    assert "no_judgments" == davidson(zero, zero).status
    assert "only_ties" == davidson(zero, 1 - np.eye(3)).status
    assert (0.0, 0.0, 0.0) == bradley_terry(zero, ties=1 - np.eye(3)).strengths


def test_davidson_without_ties_is_bradley_terry() -> None:
    """ν is 0 and strengths and errors are the same."""
    found, plain = davidson(CITATIONS, np.zeros((4, 4))), bradley_terry(CITATIONS)
    assert 0.0 == found.nu
    assert None is found.log_nu_error
    assert plain.strengths == pytest.approx(found.strengths, abs=1e-9)
    assert plain.standard_errors == pytest.approx(found.standard_errors, abs=1e-9)


def test_davidson_of_two_systems_by_hand() -> None:
    """With two systems the fit is saturated: β difference = log(W/L), ν = T/√(W·L)."""
    found = davidson(np.array([[0, 30], [15, 0]]), np.array([[0, 55], [55, 0]]))
    values, errors = found.relative_to(1)
    assert np.log(2) == pytest.approx(values[0], abs=1e-9)
    assert np.sqrt(1 / 30 + 1 / 15) == pytest.approx(errors[0], abs=1e-9)
    assert 55 / np.sqrt(450) == pytest.approx(found.nu, abs=1e-9)


def test_davidson_is_separated_where_ties_alone_answer_wins() -> None:
    """Five wins, three ties and no loss: P(loss) → 0 raises the likelihood for ever."""
    found = davidson(np.array([[0, 5], [0, 0]]), np.array([[0, 3], [3, 0]]))
    assert ("separated", ((0, 1),)) == (found.status, found.groups)
    assert "ok" == bradley_terry(np.array([[0, 5], [0, 0]]), ties=np.array([[0, 3], [3, 0]])).status


@settings(max_examples=50, deadline=None)
@given(TABLES)
def test_bradley_terry_equals_choix(cells) -> None:
    """Wherever strengths are finite, choix finds the same; elsewhere there is a status."""
    wins, _ = tables(cells)
    found = bradley_terry(wins)
    if found.status == "ok":
        other = choix.ilsr_pairwise_dense(wins.astype(float), tol=1e-10, max_iter=10_000)
        assert other.tolist() == pytest.approx(found.strengths, abs=1e-6)
        assert 0 == pytest.approx(sum(found.strengths), abs=1e-12)
    else:
        assert found.status in {"separated", "disconnected", "no_judgments"}
        assert None is found.strengths


@settings(max_examples=50, deadline=None)
@given(TABLES, st.randoms(use_true_random=False))
def test_relabelled_systems_permute_the_fit(cells, random) -> None:
    """Strengths, errors and status follow the systems, not their numbers."""
    wins, ties = tables(cells)
    order = list(range(len(wins)))
    random.shuffle(order)
    at = np.ix_(order, order)
    for found, moved in (
        (bradley_terry(wins, ties=ties), bradley_terry(wins[at], ties=ties[at])),
        (davidson(wins, ties), davidson(wins[at], ties[at])),
    ):
        assert found.status == moved.status
        assert (found.nu or 0.0) == pytest.approx(moved.nu or 0.0, rel=1e-6)
        if found.strengths is not None:
            expected = [found.strengths[i] for i in order]
            assert expected == pytest.approx(moved.strengths, abs=1e-7)
            expected = [found.standard_errors[i] for i in order]
            assert expected == pytest.approx(moved.standard_errors, rel=1e-5)


@settings(max_examples=50, deadline=None)
@given(TABLES)
def test_davidson_is_finite_exactly_where_the_likelihood_has_a_maximum(cells) -> None:
    """SciPy's linear programming finds no direction in which no observed outcome loses likelihood."""
    from scipy.optimize import linprog

    wins, ties = tables(np.minimum(cells, 1) * (cells > 3))
    n = len(wins)
    rows = []
    for i in range(n):
        for j in range(n):
            apart = np.zeros(n + 1)
            apart[[i, j]] = -1, 1
            if wins[i, j]:
                rows += [apart, apart / 2 + np.eye(n + 1)[n]]
            if ties[i, j]:
                rows += [apart / 2 - np.eye(n + 1)[n]]
    if not ties.any() or not wins.any():
        return
    bounds = [(0, 0)] + [(-1, 1)] * n
    spread = 0.0
    for k in range(1, n + 1):
        for sign in (-1, 1):
            goal = sign * np.eye(n + 1)[k]
            spread = max(spread, -linprog(goal, np.array(rows), np.zeros(len(rows)), bounds=bounds).fun)
    assert (spread < 1e-9) == (davidson(wins, ties).status == "ok")
