"""A small protocol of one's own, to be spoilt in many ways."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

#: Complete, without extending anything; every block that wrong files touch is there.
OWN = """\
id: ours
data: {dataset: our dialogues, n_items: 200, emotion_labels: four}
label_sets:
  four: {labels: [sad, proud, angry, hopeful], groups: {up: [proud, hopeful], down: [sad, angry]}}
decoding: {stream: Greedy, other_streams: [Beam]}
outputs: {reader: mime, systems: {run7: Ours}}
metrics:
  - {label: BLEU, metric: bleu, decimals: 1}
  - {label: Dist-2, metric: distinct(n=2), authors: "distinct(n=2,key=concat)"}
  - {label: Acc, metric: emotion_accuracy, source: header, claim: Accuracy, claim_scale: 100}
human:
  items: {n: 40, sampling: stratified, by: emotion, per_stratum: 10, label_set: four}
  ratings:
    raters_per_item: 3
    dimensions:
      - key: empathy
        label: Empathy
        question: Does the reply show understanding?
        scale: {low: 1, high: 5, anchors: {1: no, 5: fully}}
  preferences:
    aspects: [{key: overall, label: Overall, question: Which one?}]
    aggregation: majority
    tie_rule: tie
    test: {name: sign test, marks: [{alpha: 0.05, symbol: "*"}]}
published:
  - title: Results
    part: automatic
    mark: &mark {source_kind: paper, verified: true, source: Table 1}
    n: 200
    columns: [BLEU, Acc]
    rows:
      Ours: ["12.30", null]
      Ours:Beam: ["13.0", "40.0"]
  - title: A/B
    part: preferences
    mark: *mark
    n: 40
    system: Ours
    aspect: Overall
    columns: [win, lose, tie]
    rows:
      Theirs: ["50.0", "25.0", "25.0"]
  - title: Ratings
    part: ratings
    mark: *mark
    n: 20
    raters: 3
    group: up
    columns: [Empathy]
    rows:
      Ours: ["3.50±0.10"]
"""


@pytest.fixture
def own() -> str:
    """The text of the protocol."""
    return OWN


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a protocol, the one above unless another text is given, and give its path."""

    def _write(text: str | bytes = OWN, name: str = "ours.yaml") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return _write
