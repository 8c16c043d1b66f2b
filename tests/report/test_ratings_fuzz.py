"""Any table of ratings or judgments gives a report, and any damaged file one error."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.errors import EmpevalError
from empeval.ratings import read_ratings
from empeval.report.agreement import agreement
from empeval.report.preference import preference
from empeval.report.rating_files import render

MATRICES = st.integers(1, 4).flatmap(
    lambda n: st.lists(
        st.lists(st.integers(1, 3) | st.none(), min_size=n, max_size=n), min_size=1, max_size=7
    )
)
MEASUREMENTS = st.sampled_from(["nominal", "ordinal", "interval", "ratio"])
JUDGMENTS = st.dictionaries(
    st.tuples(st.integers(0, 3), st.sampled_from("ab"), st.sampled_from(["xy", "yx", "xz", "zw"])),
    st.sampled_from(["A", "B", "tie", "neither", ""]),
    max_size=10,
)


def written(text: str) -> Path:
    """A new file with this text."""
    path = Path(tempfile.mkdtemp()) / "table.csv"
    path.write_text(text, encoding="utf-8")
    return path


def rows_of(matrix: list[list[int | None]]) -> list[str]:
    """Rows in long format; None is a row without a value."""
    return [
        f"i{i},r{j},{'' if value is None else value}"
        for i, values in enumerate(matrix)
        for j, value in enumerate(values)
    ]


def without_manifest(document: dict[str, Any]) -> dict[str, Any]:
    """What does not depend on the file's name, rounded as sums in another order ask for."""
    kept = {key: value for key, value in document.items() if key != "manifest"}
    return json.loads(json.dumps(kept), parse_float=lambda text: round(float(text), 9) + 0.0)


@settings(max_examples=50)
@given(MATRICES, MEASUREMENTS, st.randoms(use_true_random=False))
def test_any_ratings_give_a_report(matrix, measurement, random) -> None:
    """No value is NaN, null has a status, an interval holds its estimate; the order of rows is nothing."""
    rows = rows_of(matrix)
    asked: dict[str, Any] = {"measurement": measurement, "n_resamples": 20}
    found = agreement([written("item,rater,value\n" + "\n".join(rows) + "\n")], **asked)
    document = found.to_dict()
    json.dumps(document, allow_nan=False)
    for question in document["questions"].values():
        for entry in [*question["statistics"], *question["pairs"]]:
            assert (entry["value"] is None) == (entry["status"] != "ok")
            if entry["interval"] is not None:
                slack = 1e-9
                assert entry["interval"]["low"] - slack <= entry["value"] <= entry["interval"]["high"] + slack
    for form in ("text", "markdown", "latex", "csv", "html"):
        assert render(found, form)
    random.shuffle(rows)
    again = agreement([written("item,rater,value\n" + "\n".join(rows) + "\n")], **asked).to_dict()
    assert without_manifest(document) == without_manifest(again)


@settings(max_examples=50)
@given(JUDGMENTS)
def test_any_judgments_give_a_report(judged) -> None:
    """Unless a rater judged one pair twice, sides turned about, which is an error."""
    rows = [
        f"i{item},{rater},{pair[0]},{pair[1]},{winner}\n" for (item, rater, pair), winner in judged.items()
    ]
    try:
        found = preference([written("item,rater,system_a,system_b,winner\n" + "".join(rows))], n_resamples=20)
    except EmpevalError as error:
        assert "stands on line" in str(error)  # noqa: PT017  # any other message is a fault
        return
    json.dumps(found.to_dict(), allow_nan=False)
    for form in ("text", "markdown", "latex", "csv", "html"):
        assert render(found, form)


@settings(max_examples=50)
@given(st.text(alphabet='ab1,\n"\t{}[]: \r', max_size=40), st.sampled_from([None, "raters", "files"]))
def test_a_damaged_file_is_one_error(text, wide) -> None:
    """Read, or refused with a message; nothing else."""
    for head in ("", "item,rater,value\n"):
        try:
            read_ratings([written(head + text)], wide=wide)
        except EmpevalError as error:
            assert str(error)  # noqa: PT017  # it may also be read
