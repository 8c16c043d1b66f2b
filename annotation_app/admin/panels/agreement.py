"""Agreement on what counts so far, behind a button: looking early must not decide when a study ends."""

from __future__ import annotations

import streamlit as st

from annotation_app.admin import table
from empeval.study.service import oversight
from empeval.study.service.admin import AdminService
from empeval.study.service.oversight import AgreementSoFar

__all__ = ["draw"]


def draw(admin: AdminService) -> None:
    """Alpha of each question with its interval, and each rater beside the others."""
    st.text("Looking at results while a study runs must not decide when it ends: fix that before.")
    if not st.button("Compute"):
        return
    found = oversight.agreement_so_far(admin)
    table.draw([_alpha(one) for one in found])
    beside = {one.question: one.raters for one in found if one.raters}
    if beside:
        st.text("Correlation of each rater with the mean of the others, on units that both rated:")
        table.draw(_by_rater(beside))
    same = {one.question: one.same for one in found if one.same}
    if same:
        st.text("Share of the others' answers that each rater's equal:")
        table.draw(_by_rater(same))


def _alpha(one: AgreementSoFar) -> dict[str, object]:
    value, interval = one.alpha.value, one.alpha.interval
    return {
        "question": one.question,
        "ratings": one.n_ratings,
        "Krippendorff's alpha": "–" if value is None else f"{value:.3f}",
        "interval": "–" if interval is None else f"[{interval.low:.3f}, {interval.high:.3f}]",
        "status": one.alpha.status,
    }


def _by_rater(values: dict[str, dict[str, float | None]]) -> list[dict[str, object]]:
    """One row a rater, one column a question."""
    rows: dict[str, dict[str, object]] = {}
    for question, of_raters in values.items():
        for rater, value in of_raters.items():
            shown = "–" if value is None else f"{value:.2f}"
            rows.setdefault(rater, {"rater \\ question": rater})[question] = shown
    return [rows[rater] for rater in sorted(rows)]
