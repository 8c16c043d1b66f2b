"""Every golden case of the statistics within its tolerance, through the public functions.

golden/statistics.json holds textbook examples recomputed with R and Python libraries, and what other
libraries wrongly give for some of them. Each case is mapped to what computes it; one without an entry fails.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from empeval import statistics as s
from empeval.statistics.resampling import Resampler

Case = Mapping[str, Any]
Found = Any

#: Cases that are optional, and not computed.
OPTIONAL = {
    "dawid_skene_anesthesia": "Dawid and Skene's model",
    "rao_kupper_pudding": "Rao and Kupper's model",
}


@functools.cache
def cases(path: Path) -> dict[str, Case]:
    """The cases by their names."""
    return {case["id"]: case for case in json.loads(path.read_text(encoding="utf-8"))["cases"]}


def ratings(case: Case) -> s.Ratings:
    """The case's ratings, whichever way its table lies."""
    given = case["input"]
    if "ratings_raters_x_units" in given:
        return s.Ratings.from_matrix(
            [list(column) for column in zip(*given["ratings_raters_x_units"], strict=True)]
        )
    for name in ("ratings_units_x_raters", "ratings_units_x_raters_misused"):
        if name in given:
            rows = given[name]
            turned = [list(column) for column in zip(*rows, strict=True)]
            return s.Ratings.from_matrix(turned if name.endswith("misused") else rows)
    for name in ("counts_items_x_categories", "value_counts"):
        if name in given:
            counts = [[int(n) for n in row] for row in given[name]]
            return s.ratings_from_counts(counts, given.get("domain"))
    if "table" in given:
        pairs = [
            [i + 1, j + 1]
            for i, row in enumerate(given["table"])
            for j, n in enumerate(row)
            for _ in range(n)
        ]
        return s.Ratings.from_matrix(pairs)
    return s.Ratings.from_matrix([list(pair) for pair in zip(given["rater1"], given["rater2"], strict=True)])


def alpha(case: Case) -> Found:
    """Alpha at one level, or at each that the case names."""
    domain = case["input"].get("domain")
    if case["id"] == "alpha_ratio_vs_index":
        return {"correct": s.krippendorff_alpha(ratings(case), "ratio", categories=domain, n_resamples=0)}
    if "level" in case["params"]:
        return s.krippendorff_alpha(ratings(case), case["params"]["level"], categories=domain, n_resamples=0)
    return {
        level: s.krippendorff_alpha(ratings(case), level, categories=domain, n_resamples=0)
        for level in case["expected"]
    }


def alpha_interval(case: Case) -> Found:
    """The percentile interval of alpha over resampled units."""
    from empeval.statistics.agreement.alpha import prepared

    units, evaluate = prepared(ratings(case), case["params"]["level"])
    drawn = units.bootstrap(evaluate, case["params"]["n_resamples"], np.random.default_rng(1))
    return np.quantile(drawn[np.isfinite(drawn)], [0.025, 0.975]).tolist()


def fleiss(case: Case) -> Found:
    """Kappa with z and by category where the case has them."""
    kappa = s.fleiss_kappa(ratings(case), n_resamples=0)
    if not isinstance(case["expected"], dict):
        return kappa
    each = s.fleiss_kappa_by_category(ratings(case), n_resamples=0)
    return {"kappa": kappa, "z": s.fleiss_z_test(ratings(case)).z, "per_category": list(each.values())}


def with_weights(case: Case) -> Found:
    """Gwet's, Fleiss' and Brennan and Prediger's coefficients under weights."""
    weights, table = case["params"]["weights"], ratings(case)
    found = {
        "coef": lambda: s.gwet_ac2(table, weights, n_resamples=0),
        "fleiss": lambda: s.fleiss_kappa(table, weights, n_resamples=0),
        "bp": lambda: s.brennan_prediger(table, weights, n_resamples=0),
        "pa": lambda: _weighted_agreement(table, weights),
    }
    return {name: found[name]() for name in case["expected"]}


def _weighted_agreement(table: s.Ratings, weights: Any) -> float:
    """p_a from two coefficients that share it: bp = (p_a − e) / (1 − e), e the mean weight."""
    from empeval.statistics.agreement.chance import category_weights
    from empeval.statistics.agreement.counts import coded

    chance = float(category_weights(coded(table).values, weights).mean())
    value = s.brennan_prediger(table, weights, n_resamples=0).value
    assert value is not None
    return value * (1 - chance) + chance


def two_raters(case: Case) -> Found:
    """The coefficients of two raters' table."""
    table = ratings(case)
    found = {
        "po": s.percent_agreement(table, n_resamples=0),
        "kappa": s.cohen_kappa(table, n_resamples=0),
        "scott_pi": s.scott_pi(table, n_resamples=0),
        "ac1": s.gwet_ac1(table, n_resamples=0),
        "bp": s.brennan_prediger(table, n_resamples=0),
    }
    return {name: found[name] for name in case["expected"]}


def cohen(case: Case) -> Found:
    """Kappa under each of the weights that the case names."""
    labels = case["input"]["labels"]
    named = {"with_scale_values": "quadratic"}
    return {
        name: s.cohen_kappa(ratings(case), named.get(name, name), categories=labels, n_resamples=0)  # type: ignore[arg-type]
        for name in case["expected"]
    }


def intraclass(case: Case) -> Found:
    """ICC by the names of the file, or all six."""
    found = {
        form.upper().replace("_", "").replace("K", "k"): value for form, value in s.icc(ratings(case)).items()
    }
    found = {
        name[:-1] if name.endswith("1") and len(name) == 5 else name: value for name, value in found.items()
    }
    if case["expected"] is None:
        assert {estimate.status for estimate in found.values()} == {"no_variation"}
        return found["ICC1"]
    for name, ends in case.get("also_expected", {}).get("ci95", {}).items():
        interval = found[name].interval
        assert interval is not None
        assert [interval.low, interval.high] == pytest.approx(ends, abs=1e-6)
    return {name: found[name] for name in case["expected"]}


def kendall(case: Case) -> Found:
    """W with its test."""
    found = s.kendall_w(ratings(case), n_resamples=0)
    return {"W": found.w, "chi2": found.chi2, "p": found.p_value}


def sign(case: Case) -> Found:
    """The sign test with its exact interval."""
    wins, losses = case["input"]["wins"], case["input"]["losses"]
    return {"p": s.sign_test(wins, losses), "clopper_pearson": _ends(s.clopper_pearson(wins, wins + losses))}


def _ends(estimate: s.Estimate) -> list[float]:
    assert estimate.interval is not None
    return [estimate.interval.low, estimate.interval.high]


def summary(case: Case) -> Found:
    """Wins, ties and losses."""
    given = case["input"]
    found = s.preference_summary(given["wins"], given["ties"], given["losses"])
    names = {
        "win_rate_excl_ties": lambda: found.win_rate,
        "tie_as_half_win_rate": lambda: found.half_win_rate,
        "half_win_rate": lambda: found.half_win_rate,
        "net_win_rate": lambda: found.net,
        "net_se": lambda: found.net_error,
        "sign_test_p": lambda: s.sign_test(given["wins"], given["losses"]),
        "sign_test_drop_p": lambda: s.sign_test(given["wins"], given["losses"]),
        "trinomial_p": lambda: s.trinomial_test(given["wins"], given["ties"], given["losses"]),
    }
    return {name: names[name]() for name in case["expected"]}


def clustered(case: Case) -> Found:
    """A share of judgments with items as clusters, and without."""
    y, item = np.array(case["input"]["y"], dtype=float), np.array(case["input"]["item"])
    found = s.one_way_clustered_mean(y, item)
    naive = s.one_way_clustered_mean(y, np.arange(len(y)))
    return {"p": found.value, "se_cluster": found.standard_error, "se_naive": naive.standard_error}


def mcnemar(case: Case) -> Found:
    """All forms of the test."""
    (_, b), (c, _) = case["input"]["table"]
    found = s.mcnemar_test(b, c)
    names = {
        "chi2": found.chi2,
        "p": found.p_chi2,
        "chi2_cc": found.chi2_corrected,
        "p_cc": found.p_chi2_corrected,
        "p_exact": found.exact,
        "p_mid": found.mid_p,
    }
    return {name: names[name] for name in case["expected"]}


def strengths(case: Case) -> Found:
    """Bradley and Terry's model, relative to the first."""
    found = s.bradley_terry(np.array(case["input"]["wins"], dtype=float), ties=_ties(case))
    if case["expected"] is None:
        assert found.status == "separated"
        return None
    relative = found.relative_to(0)
    assert relative is not None
    name = "beta_vs_Biometrika" if "beta_vs_Biometrika" in case["expected"] else "beta"
    result = {name: list(relative[0])}
    if "se" in case["expected"]:
        result["se"] = list(relative[1][1:])
    return result


def _ties(case: Case) -> Any:
    ties = case["input"].get("ties")
    return None if ties is None else np.array(ties, dtype=float)


def davidson(case: Case) -> Found:
    """Davidson's model."""
    found = s.davidson(np.array(case["input"]["wins"], dtype=float), _ties(case))
    relative = found.relative_to(0)
    assert relative is not None
    beta = np.array(relative[0])
    assert relative[0] == pytest.approx(case["also_expected"]["beta"], abs=1e-6)
    assert relative[1][1:] == pytest.approx(case["also_expected"]["se_beta"], abs=1e-6)
    return {
        "pi": (np.exp(beta) / np.exp(beta).sum()).tolist(),
        "nu": found.nu,
        "loglik": found.log_likelihood,
    }


def wilcoxon(case: Case) -> Found:
    """The signed-rank test in all its forms."""
    d = np.array(case["input"]["d"], dtype=float)
    drop = s.wilcoxon_signed_rank(d, zeros="drop")
    names: dict[str, Callable[[], Any]] = {
        "V": lambda: drop.statistic,
        "p": lambda: drop.p_value,
        "n_nonzero": lambda: drop.n_nonzero,
        "p_exact_drop_zeros": lambda: drop.p_value,
        "p_exact_pratt": lambda: s.wilcoxon_signed_rank(d).p_value,
        "p_normal_drop": lambda: s.wilcoxon_signed_rank(d, zeros="drop", method="normal").p_value,
        "p_normal_drop_cc": lambda: (
            s.wilcoxon_signed_rank(d, zeros="drop", method="normal", correct=True).p_value
        ),
        "p_normal_pratt": lambda: s.wilcoxon_signed_rank(d, method="normal").p_value,
    }
    return {name: names[name]() for name in case["expected"]}


def bootstrap(case: Case) -> Found:
    """All 4^4 resamples of four differences."""
    d = np.array(case["input"]["d"])
    stats = s.SegmentStats(np.stack([d, np.ones_like(d)], axis=1), ("sum", "n"))
    totals = Resampler(np.arange(4, dtype=np.uint64)).bootstrap_totals([stats], 1000)[0]
    means = totals[:, 0] / totals[:, 1]
    return {"p_le_0": float((means <= 0).mean()), "se": float(means.std()), "mean": float(means.mean())}


def randomisation(case: Case) -> Found:
    """All 2^5 swaps of a ratio of sums."""
    given = case["input"]
    a, b = (
        s.SegmentStats(np.stack([given[f"num_{side}"], given[f"den_{side}"]], axis=1), ("num", "den"))
        for side in "ab"
    )
    found = s.paired_permutation_test(a, b, lambda t: t[..., 0] / t[..., 1])
    assert found.method == "exact permutation"
    return {"diff": found.difference, "p": found.p_value}


def identical(_: Case) -> Found:
    """Ten segments, the same on both sides, by permutation and by signs."""
    stats = s.SegmentStats(np.stack([np.arange(10) % 3, np.ones(10, dtype=int)], axis=1), ("hits", "n"))
    tested = s.paired_permutation_test(stats, stats, lambda t: t[..., 0] / t[..., 1], n_resamples=300)
    flipped = s.sign_flip_test(np.zeros(10))
    assert flipped is not None
    assert flipped.p_value == tested.p_value
    return {"p": tested.p_value}


def friedman(case: Case) -> Found:
    """Friedman's test with Nemenyi's difference."""
    scores = np.array(case["input"]["scores"])
    found = s.friedman_test(scores, higher_is_better=case["input"]["higher_is_better"])
    return {
        "avg_ranks": list(found.mean_ranks),
        "chi2_F": found.chi2,
        "F_F": found.f,
        "CD_05": s.nemenyi_critical_difference(scores.shape[1], len(scores)),
        "chi2_tie_corrected": found.chi2_ties,
    }


def families(case: Case) -> Found:
    """Corrections of one family."""
    p = case["input"]["p"]
    found: dict[str, Any] = {name: s.adjust(p, name) for name in ("holm", "bh", "bonferroni", "by", "hommel")}  # type: ignore[arg-type]
    found["n_reject"] = {
        name: sum(value <= 0.05 for value in found[name]) for name in case["expected"]["n_reject"]
    }
    return found


def effects(case: Case) -> Found:
    """Cohen's d in its forms."""
    x, y = (np.array(case["input"][name]) for name in "xy")
    d_z = s.cohen_d_z(x - y)
    assert _ends(d_z) == pytest.approx(case["also_expected"]["d_z_ci95"], abs=1e-6)
    assert d_z.value is not None
    return {
        "d_pooled": s.cohen_d_av(x, y),
        "d_z": d_z,
        "g_exact": s.hedges_g_av(x, y),
        "t": d_z.value * len(x) ** 0.5,
    }


def letters(case: Case) -> Found:
    """Letters by their rule: shared if and only if not significantly different."""
    pairs = {tuple(name.split("-")): p for name, p in case["input"]["pairs_p"].items()}
    names = sorted(case["expected"])
    found = s.compact_letters(names, {(a, b) for (a, b), p in pairs.items() if p <= case["input"]["alpha"]})
    for (a, b), p in pairs.items():
        assert bool(set(found[a]) & set(found[b])) == (p > case["input"]["alpha"])
    assert sorted(map(len, found.values())) == sorted(map(len, case["expected"].values()))
    return case["expected"]


def clusters(case: Case) -> Found:
    """The clusters and ranges of WMT."""
    order, better = case["input"]["order"], {tuple(pair) for pair in case["input"]["significantly_better"]}
    ranges = s.rank_ranges(order, better)  # type: ignore[arg-type]
    return {
        "clusters": s.tiers(order, better),  # type: ignore[arg-type]
        "rank_ranges": {name: list(ends) for name, ends in ranges.items()},
    }


def penicillin(case: Case) -> Found:
    """Crossed random intercepts."""
    given = case["input"]
    y = given["diameter"]
    groups = {"plate": given["plate"], "sample": given["sample"]}
    found = s.linear_mixed_model(y, {"intercept": np.ones(len(y))}, groups)
    names = {
        "sd_plate": lambda: found.sd("plate"),
        "sd_sample": lambda: found.sd("sample"),
        "sd_resid": lambda: found.sd("residual"),
        "sd_residual": lambda: found.sd("residual"),
        "intercept": lambda: found.effects[0].value,
        "mean": lambda: found.effects[0].value,
        "se_intercept": lambda: found.effects[0].standard_error,
        "reml_loglik": lambda: found.log_likelihood,
        "loglik": lambda: found.log_likelihood,
        "loglik_REML": lambda: found.log_likelihood,
        "REML_deviance": lambda: -2 * found.log_likelihood,
        "reml_criterion": lambda: -2 * found.log_likelihood,
    }
    return {name: names[name]() for name in case["expected"]}


def wine(case: Case) -> Found:
    """A cumulative-link mixed model."""
    given = case["input"]
    fixed = {"temp": given["temp_warm"], "contact": given["contact_yes"]}
    found = s.cumulative_link_mixed_model(
        given["rating"], fixed, given["judge"], n_nodes=case["params"].get("nAGQ", 1)
    )
    temp, contact = found.effects
    return {
        "temp": temp.value,
        "contact": contact.value,
        "sd_judge": found.sd,
        "loglik": found.log_likelihood,
    }


def sign_power(case: Case) -> Found:
    """Exact power of the sign test."""
    given = case["input"]
    found = s.sign_test_power(given["n"], given["p1"], alpha=given["alpha"])
    return {"power": found.power, "size": found.size}


def t_power(case: Case) -> Found:
    """Power of the paired t-test."""
    given = case["input"]
    d, level = given["d"], given["alpha"]
    return {
        "n": s.paired_t_sample_size(d, power=given["power"], alpha=level),
        "power_n20": s.paired_t_power(d, 20, alpha=level),
        "power_n34": s.paired_t_power(d, 34, alpha=level),
    }


def simulated_power(case: Case) -> Found:
    """Simulated studies whose only variance is that of differences between items."""
    given = case["input"]
    # one rater; the difference of an item's two systems has a standard deviation of 1
    parts = s.Components(residual=0.5**0.5)
    found = s.simulate_power(
        parts,
        n_items=given["n"],
        n_raters=1,
        effect=given["d"],
        n_simulations=given["n_sim"],
        rng=np.random.default_rng(3),
    )
    return {"power": found.power}


def loo(case: Case) -> Found:
    """Each rater against the mean of the others."""
    return {"pearson": [report.leave_one_out for report in s.rater_reports(ratings(case))]}


def correlations(case: Case) -> Found:
    """Three coefficients of two columns."""
    x, y = (np.array(case["input"][name], dtype=float) for name in "xy")
    found = {"pearson": s.pearson(x, y), "spearman": s.spearman(x, y), "kendall_b": s.kendall_tau_b(x, y)}
    assert {estimate.status for estimate in found.values()} == {"no_variation"}
    return found


def williams(case: Case) -> Found:
    """Two dependent correlations."""
    given = case["input"]
    found = s.williams_test(given["r12"], given["r13"], given["r23"], given["n"])
    return {"t": found.t, "p_two_sided": found.p_value}


def _columns(case: Case, *names: str) -> list[np.ndarray]:
    return [np.array(case["input"][name], dtype=float) for name in names]


def accuracy_with_ties(case: Case) -> Found:
    """acc_eq and the τ that belongs to it."""
    value = s.accuracy_with_ties(*_columns(case, "human", "metric")).value
    assert value is not None
    return {"acc_eq": value, "tau_23": 2 * value - 1}


def ac1(case: Case) -> Found:
    """AC1 with the categories seen and with those declared."""
    table = ratings(case)
    declared = s.gwet_ac1(table, categories=[1, 2, 3, 4, 5], n_resamples=0)
    return {"observed_categories": s.gwet_ac1(table, n_resamples=0), "declared_1_to_5": declared}


def everyone(case: Case) -> Found:
    """Percent agreement of all raters, in percent as the file has it."""
    exact, near = (
        s.percent_agreement_all(ratings(case), tolerance, n_resamples=0).value for tolerance in (0, 1)
    )
    assert exact is not None
    assert near is not None
    return {"exact": 100 * exact, "within_1": 100 * near}


def shares(case: Case) -> Found:
    """Intervals of a share."""
    x, n = case["input"]["x"], case["input"]["n"]
    return {"wilson": _ends(s.wilson(x, n)), "clopper_pearson": _ends(s.clopper_pearson(x, n))}


def cliff(case: Case) -> Found:
    """Cliff's delta and A12."""
    x, y = _columns(case, "x", "y")
    return {"delta": s.cliffs_delta(x, y), "A12": s.probability_of_superiority(x, y)}


COMPUTE: Mapping[str, Callable[[Case], Found]] = {
    "krippendorff_alpha": alpha,
    "krippendorff_alpha_bootstrap": alpha_interval,
    "gwet_ac1": ac1,
    "fleiss_kappa": fleiss,
    "brennan_prediger": lambda case: s.brennan_prediger(ratings(case), n_resamples=0),
    "gwet_ac": with_weights,
    "fleiss_kappa_missing": with_weights,
    "conger_kappa": lambda case: s.conger_kappa(ratings(case), n_resamples=0),
    "percent_agreement": lambda case: s.percent_agreement(ratings(case), n_resamples=0),
    "percent_agreement_all": everyone,
    "two_rater_coefficients": two_raters,
    "cohen_kappa": cohen,
    "mean_pairwise_cohen_kappa": lambda case: s.cohen_kappa(ratings(case), n_resamples=0),
    "icc": intraclass,
    "kendall_w": kendall,
    "annotator_loo_correlation": loo,
    "sign_test_exact": sign,
    "proportion_ci": shares,
    "ab_summary": summary,
    "cluster_robust_proportion": clustered,
    "mcnemar": mcnemar,
    "bradley_terry": strengths,
    "bradley_terry_half_ties": strengths,
    "bradley_terry_davidson": davidson,
    "wilcoxon_signed_rank": wilcoxon,
    "paired_bootstrap": bootstrap,
    "approximate_randomisation": randomisation,
    "corpus_paired_test": identical,
    "friedman_nemenyi": friedman,
    "multiple_testing": families,
    "cliffs_delta_a12": cliff,
    "cohen_d": effects,
    "correlations": correlations,
    "williams_test": williams,
    "pairwise_accuracy": lambda case: s.pairwise_accuracy(*_columns(case, "human", "metric")),
    "pairwise_accuracy_with_ties": accuracy_with_ties,
    "soft_pairwise_accuracy": lambda case: s.soft_pairwise_accuracy(
        *_columns(case, "human_p_upper", "metric_p_upper")
    ),
    "compact_letter_display": letters,
    "significance_clusters": clusters,
    "lmm_crossed_random_intercepts": penicillin,
    "clmm_random_intercept": wine,
    "power_sign_test_exact": sign_power,
    "power_paired_t": t_power,
    "power_simulation": simulated_power,
}


def test_every_golden_case(shared: Path) -> None:
    """78 cases: expected values within their tolerances, and never what other libraries wrongly give."""
    wrong: list[str] = []
    computed = 0
    for name, case in cases(shared / "golden" / "statistics.json").items():
        if name in OPTIONAL:
            assert "OPTIONAL" in case["note"]
            continue
        found = plain(COMPUTE[case["statistic"]](case))
        computed += 1
        wrong += [f"{name}{place}: {there!r}, expected {due!r}" for place, due, there in unequal(case, found)]
        for faulty in leaves(case.get("must_not_equal", {})):
            wrong += [
                f"{name}: gives {faulty}"
                for value in leaves(found)
                if value == pytest.approx(faulty, abs=1e-6)
            ]
    assert wrong == []
    assert computed == 76


def plain(found: Any) -> Any:
    """Estimates as their values."""
    if isinstance(found, s.Estimate):
        return found.value
    if isinstance(found, dict):
        return {name: plain(value) for name, value in found.items()}
    return [plain(value) for value in found] if isinstance(found, list) else found


def unequal(case: Case, found: Any) -> Iterator[tuple[str, Any, Any]]:
    """Places where a value lies beyond the case's tolerance."""
    absolute, relative = case.get("tol_abs", 0.0), case.get("tol_rel", 0.0)

    def walk(place: str, due: Any, there: Any) -> Iterator[tuple[str, Any, Any]]:
        if isinstance(due, dict):
            for name in due:
                yield from walk(f"{place}.{name}", due[name], there[name])
        elif isinstance(due, Sequence) and not isinstance(due, str):
            assert len(due) == len(there)
            for i, (one, other) in enumerate(zip(due, there, strict=True)):
                yield from walk(f"{place}[{i}]", one, other)
        elif isinstance(due, int | float) and not isinstance(due, bool):
            # rounding of the file's own last digit
            if there is None or there != pytest.approx(
                due, abs=max(absolute, 1e-12), rel=max(relative, 1e-15)
            ):
                yield place, due, there
        elif due != there:
            yield place, due, there

    yield from walk("", case["expected"], found)


def leaves(values: Any) -> Iterator[float]:
    """All numbers of a nest of values."""
    if isinstance(values, dict):
        values = list(values.values())
    if isinstance(values, list | tuple):
        for value in values:
            yield from leaves(value)
    elif isinstance(values, int | float):
        yield float(values)
