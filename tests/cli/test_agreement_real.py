"""``empeval agreement`` on the ratings of three experts (Kumar et al., 2025), against published values."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
NAMES = {"qwk": "cohen_kappa_quadratic", "linear": "cohen_kappa_linear", "unweighted": "cohen_kappa"}


@pytest.fixture
def golden(shared: Path) -> dict[str, Any]:
    """What every number of these ratings must be."""
    return json.loads((shared / "golden" / "agreement_real.json").read_text())["values"]


@pytest.fixture
def document(shared: Path, run: Run) -> dict[str, Any]:
    """What the command says of the three files."""
    folder = shared / "data" / "ratings" / "kumar2025"
    files = [f"e{i}={folder / f'expert{i}_ratings.csv'}" for i in (1, 2, 3)]
    layout = ["--wide", "files", "--columns", "item=conv_id", "--categories", "1,2,3,4,5"]
    status, out, err = run("agreement", *files, *layout, "--format", "json")
    assert (0, "") == (status, err)
    return json.loads(out)


def test_pairs_of_raters(document: dict[str, Any], golden: dict[str, Any]) -> None:
    """Nine published kappas at their two decimals, and the other coefficients of each pair."""
    n_published = 0
    for question in ("empathy", "relevance", "fluency"):
        of_question = document["questions"][question]
        for pair in ("expert1-expert2", "expert1-expert3", "expert2-expert3"):
            a, b = pair.replace("expert", "e").split("-")
            found = {
                entry["name"]: entry
                for entry in of_question["pairs"]
                if (a, b) == (entry["rater_a"], entry["rater_b"])
            }
            for name in ("qwk", "linear", "unweighted", "spearman", "pearson"):
                entry = found[NAMES.get(name, name)]
                assert golden[question][pair][name] == pytest.approx(entry["value"], abs=1e-9)
                assert (golden["n_common_experts"], "ok") == (entry["n"], entry["status"])
                assert entry["interval"]["low"] <= entry["value"] <= entry["interval"]["high"]
            n_published += golden[question][pair]["published_qwk_2dp"] == format(
                found["cohen_kappa_quadratic"]["value"], ".2f"
            )
    assert 9 == n_published


def test_coefficients_of_all_raters(document: dict[str, Any], golden: dict[str, Any]) -> None:
    """Alpha at three levels, Fleiss' kappa, exact agreement."""
    for question in ("empathy", "relevance", "fluency"):
        found = {entry["name"]: entry for entry in document["questions"][question]["statistics"]}
        expected = golden[question]
        for name, ours in (
            ("krippendorff_ordinal", "krippendorff_alpha"),
            ("krippendorff_nominal", "krippendorff_alpha_nominal"),
            ("krippendorff_interval", "krippendorff_alpha_interval"),
            ("fleiss_kappa", "fleiss_kappa"),
            ("raw_pairwise_agreement", "percent_agreement"),
        ):
            assert expected[name] == pytest.approx(found[ours]["value"], abs=1e-9)
        assert "ordinal" == found["krippendorff_alpha"]["level"]


def test_means(document: dict[str, Any], golden: dict[str, Any]) -> None:
    """Of all ratings and of each rater; the pooled standard deviation."""
    for question in ("empathy", "relevance", "fluency"):
        found, expected = document["questions"][question], golden[question]
        assert expected["mean"] == pytest.approx(found["mean"], abs=1e-9)
        assert expected["sd_pooled_ddof1"] == pytest.approx(found["sd"], abs=1e-9)
        assert expected["means_per_rater"] == pytest.approx([rater["mean"] for rater in found["raters"]])
        assert (50, 50, 3, 150, 0) == tuple(
            found[name] for name in ("n_items", "n_units", "n_raters", "n_ratings", "n_left_out")
        )
