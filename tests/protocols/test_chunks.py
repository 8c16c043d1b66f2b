"""EmpatheticDialogues' P@1,100, against a plain re-statement of its retrieval validation."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.cli import main
from empeval.errors import InputError
from empeval.protocols.chunks import chunked_candidates, n_in_chunks
from empeval.report.reproduce import reproduce

SIZES = (250, 300, 301)
#: candidate scores of a segment whose gold response scores best
RIGHT = [1.0, *[0.0] * 99]


def vectors(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Contexts, and responses that resemble them enough for some to be found again."""
    rng = np.random.default_rng(n)
    contexts = rng.normal(size=(n, 16))
    return contexts, contexts + rng.normal(scale=1.5, size=(n, 16))


def precision(contexts: np.ndarray, responses: np.ndarray, k: int = 1) -> float:
    """Per cent of contexts whose own response is among the k best of its chunk, one dot product at a time.

    The loop of the authors' validation: chunks of 100 in order, the last one thrown away whatever its size.
    """
    chunks = [range(start, min(start + 100, len(contexts))) for start in range(0, len(contexts), 100)]
    found = []
    for chunk in chunks[:-1]:
        for i in chunk:
            scores = {j: sum(a * b for a, b in zip(contexts[i], responses[j], strict=True)) for j in chunk}
            best = sorted(scores, key=lambda j: -scores[j])
            found.append(i in best[:k])
    return 100 * sum(found) / len(found)


def write(path: Path, n: int, last: object = None) -> Path:
    """A system with candidate scores for the chunks that are left, and ``last`` for those after them."""
    columns: list[object] = list(chunked_candidates(*vectors(n))) if n > 100 else []
    columns += [last] * (n - len(columns))
    records = (
        {"id": str(i), "reference": "oh no !", "hypothesis": "oh no .", "candidate_scores": scores}
        for i, scores in enumerate(columns)
    )
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.mark.parametrize("n", SIZES)
def test_candidates_are_those_of_the_chunk(n: int) -> None:
    """The gold response first, then the other 99 of its chunk in order."""
    contexts, responses = vectors(n)
    columns = chunked_candidates(contexts, responses)
    assert (n - 1) // 100 * 100 == len(columns) == n_in_chunks(n)
    start = 100 * (len(columns) // 100 - 1)
    others = [j for j in range(start, start + 100) if j != start + 7]
    expected = [contexts[start + 7] @ responses[j] for j in (start + 7, *others)]
    assert expected == pytest.approx(columns[start + 7], abs=1e-12)


@pytest.mark.parametrize("n", SIZES)
def test_score_gives_the_authors_number(n: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`empeval score --protocol empatheticdialogues` on a file with candidate scores."""
    path = write(tmp_path / "ours.jsonl", n)
    assert 0 == main(
        ["score", str(path), "--protocol", "empatheticdialogues", "--resamples", "0", "--format", "json"]
    )
    scores = {score["metric"]: score for score in json.loads(capsys.readouterr().out)["scores"]}
    assert ["perplexity(average=token)", "avg_bleu(tokenize=ed)", "hits"] == list(scores)
    expected = precision(*vectors(n))
    assert 5 < expected < 95
    assert expected == pytest.approx(scores["hits"]["value"], abs=1e-9)
    assert ((n - 1) // 100 * 100, n) == (
        scores["hits"]["n_segments"],
        scores["avg_bleu(tokenize=ed)"]["n_segments"],
    )


@pytest.mark.parametrize("n", SIZES)
def test_reproduce_gives_the_authors_number(n: int, tmp_path: Path) -> None:
    """The same through the other command; there is nothing published of this system."""
    found = reproduce("empatheticdialogues", [str(write(tmp_path / "ours.jsonl", n))])
    (cell,) = (c for c in found.cells if (c.system, c.metric) == ("ours", "P@1,100"))
    assert precision(*vectors(n)) == pytest.approx(cell.recomputed, abs=1e-9)
    assert ((n - 1) // 100 * 100, None) == (cell.n_recomputed, cell.verdict)
    assert {"not_checkable"} == {c.verdict for c in found.cells if c.system != "ours"}


def test_other_ranks_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """P@3,100 by a protocol of one's own that says `chunk: 100`."""
    protocol = tmp_path / "ours.yaml"
    protocol.write_text(
        "id: ours\ndata: {dataset: d}\nmetrics: [{label: P, metric: hits(k=3), chunk: 100}]\n"
    )
    path = write(tmp_path / "ours.jsonl", 250)
    assert 0 == main(["score", str(path), "--protocol", str(protocol), "--format", "json"])
    (score,) = json.loads(capsys.readouterr().out)["scores"]
    assert ("hits(k=3)", 200) == (score["metric"], score["n_segments"])
    assert precision(*vectors(250), k=3) == pytest.approx(score["value"], abs=1e-9)


def test_a_last_chunk_that_is_full_is_left_out_too(tmp_path: Path) -> None:
    """All 300 segments have candidate scores, and the last 100, which are all right, count for nothing."""
    path = write(tmp_path / "ours.jsonl", 300, last=RIGHT)
    found = reproduce("empatheticdialogues", [str(path)])
    (cell,) = (c for c in found.cells if (c.system, c.metric) == ("ours", "P@1,100"))
    assert precision(*vectors(300)) == pytest.approx(cell.recomputed, abs=1e-9)


def test_a_run_with_chunks_is_written_and_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The segments that are left out have no row behind the score; the run repeats from its manifest."""
    write(tmp_path / "ours.jsonl", 250)
    monkeypatch.chdir(tmp_path)
    words = ["ours.jsonl", "--protocol", "empatheticdialogues", "--resamples", "20", "--out", "run"]
    assert 0 == main(["score", *words])
    table = pq.read_table(tmp_path / "run/segments.parquet")
    hits = table["hits:hits"].to_pylist()
    assert (250, 50, [None] * 50) == (len(hits), hits.count(None), hits[200:])
    assert precision(*vectors(250)) == pytest.approx(100 * sum(hits[:200]) / 200)
    monkeypatch.chdir("/")
    assert 0 == main(["verify", str(tmp_path / "run")])
    capsys.readouterr()


def test_one_chunk_is_no_chunk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With 100 segments nothing is left: scoring says so, reproducing leaves the one number out."""
    path = write(tmp_path / "ours.jsonl", 100, last=RIGHT)
    assert 2 == main(["score", str(path), "--protocol", "empatheticdialogues"])
    message = "ours.jsonl: 100 segments are no more than one chunk of 100, and the last is left out\n"
    assert capsys.readouterr().err.endswith(message)
    cells = {c.metric: c for c in reproduce("empatheticdialogues", [str(path)]).cells if c.system == "ours"}
    assert (None, 0) == (cells["P@1,100"].recomputed, cells["P@1,100"].n_recomputed)
    assert cells["AVG BLEU"].recomputed is not None


def test_without_candidate_scores_there_is_nothing_to_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Few segments are no fault where P@1,100 is undefined anyway."""
    path = tmp_path / "ours.jsonl"
    path.write_text('{"id": "1", "reference": "oh no !", "hypothesis": "oh no ."}\n')
    assert 0 == main(["score", str(path), "--protocol", "empatheticdialogues", "--format", "json"])
    (hits,) = (s for s in json.loads(capsys.readouterr().out)["scores"] if s["metric"] == "hits")
    assert "missing_field: there are no candidate_scores" == hits["reason"]


@pytest.mark.parametrize(
    ("contexts", "responses", "message"),
    [
        (np.ones((5, 2)), np.ones((4, 2)), r"contexts have shape \(5, 2\) and responses \(4, 2\)"),
        (np.ones(5), np.ones(5), "both must be"),
        (np.ones((100, 2)), np.ones((100, 2)), "100 segments are no more than one chunk"),
        (np.ones((0, 2)), np.ones((0, 2)), "0 segments are no more than one"),
    ],
)
def test_vectors_that_cannot_be_cut_are_refused(
    contexts: np.ndarray, responses: np.ndarray, message: str
) -> None:
    """The message names the shapes, or how few there are."""
    with pytest.raises(InputError, match=message):
        chunked_candidates(contexts, responses)


@given(st.integers(0, 1000), st.integers(1, 120))
def test_what_is_left_are_all_chunks_but_the_last(n: int, size: int) -> None:
    """However many segments and whatever the size."""
    chunks = [range(n)[start : start + size] for start in range(0, n, size)]
    assert sum(map(len, chunks[:-1])) == n_in_chunks(n, size)
