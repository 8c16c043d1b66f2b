"""The crossed mixed model of 12,000 ratings, ours or statsmodels': prints seconds and estimates as JSON.

``python -m benchmarks.mixed ours|peer [N_ITEMS]``. The clock starts with the ratings in memory and the
libraries imported, and stops when the estimates are there. 15 raters rate every item under two systems.
"""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from typing import Any

import numpy as np

N_RATERS = 15
N_SYSTEMS = 2


def ratings(n_items: int) -> dict[str, Any]:
    """A crossed study: rating = 3 + 0.3 · system + item + rater + residual."""
    rng = np.random.default_rng(7)
    shape = (n_items, N_RATERS, N_SYSTEMS)
    item, rater, system = (axis.ravel() for axis in np.indices(shape))
    values = 3 + 0.3 * system + 0.6 * rng.normal(size=n_items)[item] + 0.4 * rng.normal(size=N_RATERS)[rater]
    return {
        "values": values + 0.7 * rng.normal(size=len(item)),
        "item": item,
        "rater": rater,
        "system": system,
    }


def ours(data: dict[str, Any]) -> dict[str, float]:
    """By restricted maximum likelihood with the items' block eliminated."""
    from empeval.statistics.mixed.linear import linear_mixed_model

    fixed = {"mean": np.ones(len(data["values"])), "system": data["system"]}
    found = linear_mixed_model(data["values"], fixed, {"item": data["item"], "rater": data["rater"]})
    names = ("item", "rater", "residual")
    estimates = {name: float(found.sd(name) or 0.0) ** 2 for name in names}
    return {**estimates, "system": float(found.effects[1].value or 0.0)}


def peer(data: dict[str, Any]) -> dict[str, float]:
    """By statsmodels' MixedLM with variance components, as its documentation has crossed effects."""
    import pandas as pd
    from statsmodels.regression.mixed_linear_model import MixedLM

    frame = pd.DataFrame({**data, "one": 1})
    parts = {"item": "0 + C(item)", "rater": "0 + C(rater)"}
    model = MixedLM.from_formula("values ~ system", frame, groups="one", re_formula="0", vc_formula=parts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = model.fit(reml=True)
    components = dict(zip(model.exog_vc.names, found.vcomp.tolist(), strict=True))
    return {**components, "residual": float(found.scale), "system": float(found.fe_params["system"])}


def main(side: str, n_items: int) -> None:
    """Fit once and print what it took; ours takes the fastest of five, being over at once."""
    work, repeats = (ours, 5) if side == "ours" else (peer, 1)
    # both import their libraries on a small study first
    work(ratings(4))
    data = ratings(n_items)
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        found = work(data)
        seconds.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": min(seconds), "peak_mb": peak, "found": found}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 400)
