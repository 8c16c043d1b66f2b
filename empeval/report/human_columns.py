"""A study's report as columns of a leaderboard: what people said, beside what metrics say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from empeval.errors import InputError
from empeval.report.runs import read_json
from empeval.statistics.multiplicity import tiers

__all__ = ["REPORT", "is_study", "load_study"]

#: The file of a study's report in its folder.
REPORT = "report.json"

#: As many digits of a digest as other fingerprints have.
_DIGITS = 16

_KEYS = ("study", "version", "simulated", "n_items", "n_dialogues", "questions", "preference", "manifest")


def is_study(folder: str | Path) -> bool:
    """Whether a folder holds what `empeval study report --out` wrote."""
    return (Path(folder) / REPORT).is_file()


def load_study(folder: str | Path) -> dict[str, Any]:
    """The score document of a study's report: one metric a question, with its interval, tests and tiers.

    A question on a scale gives the systems' means of item means, one about pairs their strengths. Columns of
    a study that simulated raters worked in say so. Raises InputError for a file that is no such report.
    """
    path = Path(folder) / REPORT
    report = read_json(path)
    lacking = [key for key in _KEYS if key not in report]
    if lacking:
        raise InputError(f"this is no report of a study: it lacks {', '.join(lacking)}", source=str(path))
    try:
        return _document(report)
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"this is no report of a study: {error} is missing", source=str(path)) from None


def _document(report: Mapping[str, Any]) -> dict[str, Any]:
    options = report["manifest"]["options"]
    signature = (
        f"people|study:{report['study']}|version:{report['version']}"
        f"|sha256:{report['manifest']['config_sha256'][:_DIGITS]}|items:{report['n_items']}"
    )
    mark = "SIMULATED " if report["simulated"] else ""
    columns = [
        *(_rated(mark + name, one, signature, name) for name, one in report["questions"].items()),
        *(
            _compared(mark + name, one, f"{signature}|seed:{options['seed']}", name)
            for name, one in (report["preference"] or {}).items()
        ),
    ]
    scores = [score for column in columns for score in column["scores"]]
    n = report["n_items"]
    return {
        "corpus": {
            "name": report["study"],
            "n_segments": n,
            "n_dialogues": report["n_dialogues"],
            "fingerprint": report["manifest"]["config_sha256"][:_DIGITS],
        },
        "cohort": {"rule": "study", "n_segments": n, "n_dialogues": report["n_dialogues"], "dropped": {}},
        "systems": list(dict.fromkeys(score["system"] for score in scores)),
        "scores": [score | {"n_segments": n, "n_empty": 0, "higher_is_better": True} for score in scores],
        "comparisons": [test for column in columns for test in column["comparisons"]],
        "tiers": {column["metric"]: column["tiers"] for column in columns if column["tiers"]},
        "warnings": report.get("warnings", []),
    }


def _rated(metric: str, one: Mapping[str, Any], signature: str, question: str) -> dict[str, Any]:
    scores = [
        {
            "system": row["system"],
            "metric": metric,
            "value": row["mean"],
            "interval": row["interval"],
            "reason": None if row["mean"] is not None else row["status"],
            "signature": f"{signature}|question:{question}|mean of item means",
        }
        for row in one["systems"]
    ]
    tests = [
        {
            "metric": metric,
            "system_a": pair["system_a"],
            "system_b": pair["system_b"],
            "difference": pair["difference"],
            "interval": pair["interval"],
            "p_value": pair["p_value"],
            "p_adjusted": pair["p_adjusted"],
            "correction": pair["correction"],
            "method": pair["method"] or None,
            "minimum_detectable_difference": pair["minimum_detectable_difference"],
        }
        for pair in one["pairs"]
    ]
    return {"metric": metric, "scores": scores, "comparisons": tests, "tiers": _tiers(scores, tests)}


def _compared(metric: str, one: Mapping[str, Any], signature: str, question: str) -> dict[str, Any]:
    scores = [
        {
            "system": row["system"],
            "metric": f"{metric} (strength)",
            "value": row["strength"],
            "interval": row["interval"],
            "reason": None if row["strength"] is not None else one["status"],
            "signature": f"{signature}|question:{question}|strength of a paired-comparison model",
        }
        for row in one["ranking"]
    ]
    tests = [
        {
            "metric": f"{metric} (strength)",
            "system_a": pair["system_a"],
            "system_b": pair["system_b"],
            "difference": pair["net"],
            "interval": pair["interval"],
            "p_value": pair["p_value"],
            "p_adjusted": pair["p_adjusted"],
            "correction": "holm",
            "method": pair["method"] or None,
            "minimum_detectable_difference": None,
        }
        for pair in one["pairs"]
    ]
    name = f"{metric} (strength)"
    return {"metric": name, "scores": scores, "comparisons": tests, "tiers": _tiers(scores, tests)}


def _tiers(scores: Sequence[Mapping[str, Any]], tests: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Systems best first, cut where every one above is better than every one below."""
    valued = sorted((s for s in scores if s["value"] is not None), key=lambda s: (-s["value"], s["system"]))
    better = set()
    for test in tests:
        level = (test["interval"] or {}).get("level", 0.95)
        if test["p_adjusted"] is not None and test["p_adjusted"] < 1 - level and test["difference"]:
            pair = (test["system_a"], test["system_b"])
            better.add(pair if test["difference"] > 0 else pair[::-1])
    return tiers([score["system"] for score in valued], better)
