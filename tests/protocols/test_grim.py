"""Which printed numbers so many answers can give, by hand and on MIME's table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.errors import InputError
from empeval.protocols import grim, grim_shares, load

#: MIME against three systems in percent of 128 majority votes: win, lose, tie (Majumder et al., 2020).
MIME = {
    "Multi-TR": ("42.25", "24.60", "33.15"),
    "MoEL": ("38.82", "28.32", "32.86"),
    "MIME w/o stochasticity": ("39.84", "23.43", "36.73"),
}


@pytest.mark.parametrize(
    ("row", "expected"),
    [(MIME["Multi-TR"], None), (MIME["MoEL"], None), (MIME["MIME w/o stochasticity"], (51, 30, 47))],
)
def test_of_mime_s_three_comparisons_only_the_last_can_be_128_votes(
    row: tuple[str, ...], expected: tuple[int, ...] | None
) -> None:
    """Only 51, 30 and 47 of 128 give a printed row; the other two fit no counts."""
    assert expected == grim_shares(row, 128)


@pytest.mark.parametrize("system", ["Multi-TR", "MoEL"])
def test_the_single_votes_of_three_raters_do_not_give_them_either(system: str) -> None:
    """384 votes are no way out for the two rows that fail at 128."""
    assert grim_shares(MIME[system], 128, raters=3) is None


def test_the_shipped_protocol_says_the_same() -> None:
    """The check of the shipped table agrees with the check of the numbers above."""
    (table,) = [table for table in load("mime").published if table.part == "preferences"]
    assert dict(zip(MIME, (False, False, True), strict=True)) == table.grim_rows()


@pytest.mark.parametrize(
    ("value", "n", "kind", "expected"),
    [
        # 19 people cannot have a mean of 3.47: 65/19 = 3.421…, 66/19 = 3.473… (rounds to 3.47)
        ("3.47", 19, "mean", True),
        ("3.45", 19, "mean", False),
        # the worked example of Brown and Heathers (2017): a mean of 5.19 of 28 whole numbers is impossible
        ("5.19", 28, "mean", False),
        ("5.18", 28, "mean", True),
        ("50", 3, "percentage", False),
        ("33", 3, "percentage", True),
        ("67", 3, "percentage", True),
        ("66", 3, "percentage", True),  # cut off
        ("68", 3, "percentage", False),
        ("0.00", 7, "percentage", True),
        ("100.00", 7, "percentage", True),
        ("101", 100, "percentage", False),
        ("-1.50", 2, "mean", True),
    ],
)
def test_single_numbers(value: str, n: int, kind: str, expected: bool) -> None:
    """Worked out by hand, and the example of the paper."""
    assert expected == grim(value, n, kind)  # type: ignore[arg-type]


def test_raters_multiply_the_answers() -> None:
    """Two raters on 10 items give steps of 5 %, one gives steps of 10 %."""
    assert (False, True) == (grim("45", 10), grim("45", 10, raters=2))


def test_both_conventions_of_rounding_a_half_pass() -> None:
    """1/8 = 12.5 % may be printed as 12 (half to even, or cut off) and as 13 (half up)."""
    assert grim("12", 8)
    assert grim("13", 8)


def test_shares_that_are_all_rounded_need_no_remainder() -> None:
    """1/3, 1/3 and 1/3 are printed as 33.3 each and do not add up to 100."""
    assert (1, 1, 1) == grim_shares(["33.3", "33.3", "33.3"], 3)


def test_shares_whose_counts_do_not_add_up_fail() -> None:
    """Each of 50 and 25 is possible with 4 answers, both together leave one unaccounted for."""
    assert grim_shares(["50", "25"], 4) is None


@given(st.integers(1, 400), st.data(), st.integers(0, 3))
def test_what_was_computed_and_rounded_always_passes(n: int, data: st.DataObject, decimals: int) -> None:
    """A percentage that k of n answers gave passes at any number of decimals."""
    k = data.draw(st.integers(0, n))
    assert grim(f"{100 * k / n:.{decimals}f}", n)


@given(st.integers(1, 300), st.data(), st.integers(0, 3))
def test_rows_that_were_computed_and_rounded_always_pass(n: int, data: st.DataObject, decimals: int) -> None:
    """Win, lose and tie of n answers pass together."""
    win = data.draw(st.integers(0, n))
    lose = data.draw(st.integers(0, n - win))
    row = [f"{100 * k / n:.{decimals}f}" for k in (win, lose, n - win - lose)]
    assert grim_shares(row, n) is not None


@pytest.mark.parametrize("text", ["", "n/a", "1e3", "4,5", "٣", "--1", "1.2.3", "9" * 50, "."])
def test_what_is_no_printed_number_is_an_error(text: str) -> None:
    """The message shows what was found."""
    with pytest.raises(InputError, match="expected a printed number"):
        grim(text, 100)


@pytest.mark.parametrize(("n", "raters"), [(0, 1), (10, 0), (10**7, 1)])
def test_counts_out_of_range_are_an_error(n: int, raters: int) -> None:
    """No answers at all, or more than any study has."""
    with pytest.raises(InputError, match="expected from 1 to 1,000,000 answers"):
        grim("50", n, raters=raters)
