"""One piece of work in a process of its own: prints seconds, peak memory and the numbers found, as JSON.

``python -m benchmarks.work TASK DATA [N]``. The clock starts with the texts in memory and the libraries
imported, and stops when the numbers are there; peak memory is that of the whole process.
"""

from __future__ import annotations

import json
import logging
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks import data

N_RESAMPLES = 1000
BASELINE = "system-0"


def ours_bleu(outputs: data.Outputs) -> Any:
    """Corpus BLEU of each system."""
    from empeval.corpus import Corpus, SystemOutputs
    from empeval.metrics.bleu import Bleu

    metric = Bleu()
    corpus = Corpus.build(references=outputs.references)
    found = {}
    for name, texts in outputs.systems.items():
        stats = metric.segment_stats(corpus, SystemOutputs.build(name, texts))
        found[name] = float(metric.aggregate(stats.totals()))
    return found


def peer_bleu(outputs: data.Outputs) -> Any:
    """The same by sacreBLEU."""
    from sacrebleu.metrics import BLEU

    # the references are cached, as its documentation advises for several systems
    metric = BLEU(references=[outputs.references])
    return {name: metric.corpus_score(texts, None).score for name, texts in outputs.systems.items()}


def ours_paired(outputs: data.Outputs, metrics: str = "bleu") -> Any:
    """Scores, intervals and the tests of all pairs."""
    from empeval.corpus import Corpus, SystemOutputs
    from empeval.scoring import score

    corpus = Corpus.build(references=outputs.references)
    systems = [SystemOutputs.build(name, texts) for name, texts in outputs.systems.items()]
    scores = score(corpus, systems, metrics, n_resamples=N_RESAMPLES)
    return {f"{s.system} {s.metric}": s.value for s in scores.scores} | {
        "comparisons": len(scores.comparisons)
    }


def ours_tests(outputs: data.Outputs) -> Any:
    """What sacreBLEU's paired tests give: scores, bootstrap and permutation against the first system."""
    import numpy as np

    from empeval.corpus import Corpus, SystemOutputs
    from empeval.metrics.bleu import Bleu
    from empeval.statistics.resampling import Resampler, percentile_interval, permutation_p_value
    from empeval.statistics.weights import hashed_keys

    metric = Bleu()
    corpus = Corpus.build(references=outputs.references)
    systems = [SystemOutputs.build(name, texts) for name, texts in outputs.systems.items()]
    stats = [metric.segment_stats(corpus, system) for system in systems]
    scores = [float(metric.aggregate(s.totals())) for s in stats]
    resampler = Resampler(hashed_keys(corpus.ids))
    drawn = [metric.aggregate(t) for t in resampler.bootstrap_totals(stats, N_RESAMPLES)]
    found: dict[str, Any] = {f"{s.system} bleu": value for s, value in zip(systems, scores, strict=True)}
    pairs = [(0, i) for i in range(1, len(systems))]
    swapped = next(resampler.swapped_totals([stats], pairs, N_RESAMPLES))
    for (a, b), (first, second) in zip(pairs, swapped, strict=True):
        null = np.asarray(metric.aggregate(first) - metric.aggregate(second))
        p_value = permutation_p_value(scores[a] - scores[b], null, exact=False)
        interval = percentile_interval(scores[a] - scores[b], drawn[a] - drawn[b], 0.95)
        found[f"{systems[b].system} test"] = [p_value, interval and [interval.low, interval.high]]
    return found


def peer_paired(outputs: data.Outputs) -> Any:
    """sacreBLEU's paired bootstrap and approximate randomization against the first system."""
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import PairedTest

    named = list(outputs.systems.items())
    found: dict[str, Any] = {}
    for kind in ("bs", "ar"):
        test = PairedTest(
            named,
            {"BLEU": BLEU(references=[outputs.references])},
            references=None,
            test_type=kind,
            n_samples=N_RESAMPLES,
        )
        _, results = test()
        for name, result in zip(outputs.systems, results["BLEU"], strict=True):
            found[f"{name} bleu"] = result.score
    return found


# on texts that are tokenised already, as published ones are, nltk's words are those between blanks
LEADERBOARD = "bleu,avg_bleu,distinct(n=1),distinct(n=2),length"


def ours_leaderboard(outputs: data.Outputs) -> Any:
    """The whole leaderboard."""
    return ours_paired(outputs, LEADERBOARD)


def peer_leaderboard(outputs: data.Outputs) -> Any:
    """sacreBLEU's paired tests, then Distinct as the usual script has it, resampled in a loop."""
    import numpy as np

    found = peer_paired(outputs)
    tokenised = {name: _words(texts) for name, texts in outputs.systems.items()}
    rng = np.random.default_rng(12345)
    n = len(outputs.references)
    for name, responses in tokenised.items():
        for order in (1, 2):
            found[f"{name} distinct(n={order})"] = _distinct(responses, order)
        found[f"{name} length"] = sum(map(len, responses)) / n
    for _ in range(N_RESAMPLES):
        chosen = rng.integers(0, n, n)
        for responses in tokenised.values():
            sample = [responses[i] for i in chosen]
            for order in (1, 2):
                _distinct(sample, order)
    return found


def _words(texts: list[str]) -> list[list[str]]:
    from nltk.tokenize import NLTKWordTokenizer

    tokenizer = NLTKWordTokenizer()
    return [tokenizer.tokenize(text) for text in texts]


def _distinct(responses: list[list[str]], order: int) -> float:
    seen, total = set(), 0
    for words in responses:
        grams = list(zip(*(words[k:] for k in range(order)), strict=False))
        seen.update(grams)
        total += len(grams)
    return 100 * len(seen) / total


TASKS: dict[str, Callable[[data.Outputs], Any]] = {
    "ours_bleu": ours_bleu,
    "peer_bleu": peer_bleu,
    "ours_tests": ours_tests,
    "peer_tests": peer_paired,
    "peer_paired": peer_paired,
    "ours_leaderboard": ours_leaderboard,
    "peer_leaderboard": peer_leaderboard,
}


def main(task: str, kind: str, n_segments: int) -> None:
    """Run one task and print what it took."""
    logging.disable(logging.WARNING)
    outputs = data.published() if kind == "published" else data.synthetic(n_segments, 7)
    # both libraries are imported before the clock starts, on a corpus of two segments
    small = data.Outputs(
        outputs.source,
        outputs.references[:2],
        {name: texts[:2] for name, texts in outputs.systems.items()},
    )
    if task.startswith("ours"):
        TASKS[task](small)
    elif "tests" in task or "leaderboard" in task:
        import sacrebleu.significance
    else:
        import sacrebleu.metrics  # noqa: F401
    start = time.perf_counter()
    found = TASKS[task](outputs)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak_mb": peak, "found": found, "source": outputs.source}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0)
