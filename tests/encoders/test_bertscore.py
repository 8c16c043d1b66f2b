"""The metric: texts out of the ordinary, what is counted, fields, signature, the contract of all metrics."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError, UnknownName
from empeval.metrics import METRICS
from empeval.scoring import score
from empeval.testing import METRIC_CHECKS, sample


def values(model, hypotheses, references, fields="") -> list[float]:
    """The segments' values."""
    metric = METRICS.create(f'bertscore(model="{model}",layer=2{fields})')
    corpus = Corpus.build(references=references)
    stats = metric.segment_stats(corpus, SystemOutputs.build("a", hypotheses))
    return metric.aggregate(stats.values).tolist()


def notices(model, hypotheses, references, fields="") -> dict[str, tuple[int, tuple[str, ...]]]:
    """Code → how many segments, and which."""
    corpus = Corpus.build(references=references)
    text = f'bertscore(model="{model}",layer=2{fields})'
    found = score(corpus, SystemOutputs.build("a", hypotheses), text, n_resamples=0).warnings
    return {notice.code: (notice.n, notice.ids) for notice in found if notice.code.startswith("bertscore")}


@pytest.mark.parametrize("part", ["f1", "precision", "recall"])
@pytest.mark.parametrize("model", ["tiny_bert", "tiny_roberta"])
def test_a_text_scores_1_against_itself(model, part, request) -> None:
    """Whatever the text: words, punctuation, emoji, a single letter, half of a surrogate pair."""
    model = request.getfixturevalue(model)
    texts = ["oh no , i am sorry", "?!...,,", "😀😀 🎉", "a", "\ud800 no", "ω\u0301 ﷺ"]
    np.testing.assert_allclose(values(model, texts, texts, f",part={part}"), 1.0, atol=1e-6)


@pytest.mark.parametrize("model", ["tiny_bert", "tiny_roberta"])
def test_an_empty_text_scores_0_and_is_counted(model, request) -> None:
    """Empty, blank and invisible hypotheses, and an empty reference, have the raw score 0."""
    model = request.getfixturevalue(model)
    hypotheses, references = ["", " \t\n", "oh no", "great"], ["oh no", "great", "", "great"]
    found = values(model, hypotheses, references)
    assert found[:3] == [0.0, 0.0, 0.0]
    assert found[3] == pytest.approx(1.0)
    told = notices(model, hypotheses, references)
    assert told["bertscore_empty"] == (2, ("1", "2"))
    assert told["bertscore_empty_reference"] == (1, ("3",))


def test_rescaling_an_empty_text_starts_from_0(tiny_bert, tmp_path) -> None:
    """(0 - 0.5) / (1 - 0.5) is -1, and 1 stays 1."""
    file = tmp_path / "b.tsv"
    file.write_text("LAYER,P,R,F\n0,0,0,0\n1,0,0,0\n2,0.5,0.5,0.5\n")
    found = values(tiny_bert, ["", "wow"], ["wow", "wow"], f',rescale=True,baseline="{file}"')
    assert found == pytest.approx([-1.0, 1.0])


@pytest.mark.parametrize(("model", "limit"), [("tiny_bert", 22), ("tiny_roberta", 36)])
def test_a_long_text_is_cut_at_the_limit_and_counted(model, limit, request) -> None:
    """2,000 words score what as many as fit score; the limits leave room for two special tokens."""
    model = request.getfixturevalue(model)
    long, fitting = "no " * 2000, "no " * limit
    assert values(model, [long], ["oh no"]) == pytest.approx(values(model, [fitting], ["oh no"]), abs=1e-6)
    assert notices(model, [long, "no"], ["oh no", "no"])["bertscore_cut"] == (1, ("1",))
    assert "bertscore_cut" not in notices(model, [fitting], ["oh no"])


def test_of_several_references_the_best_counts(tiny_bert) -> None:
    """Each of precision, recall and F1 is the largest over the references."""
    hypothesis, references = "oh no , i am sorry", ("that is great !", "oh no", "my dog died .")
    for part in ("f1", "precision", "recall"):
        alone = [values(tiny_bert, [hypothesis], [text], f",part={part}")[0] for text in references]
        together = values(tiny_bert, [hypothesis], [references], f",part={part}")[0]
        assert together == pytest.approx(max(alone), abs=1e-6)


def test_words_of_every_reference_weigh_nothing_by_idf(tiny_bert) -> None:
    """With idf a word that all references have does not count; a text of such words alone is counted."""
    references = ["i won", "i died"]
    precision = values(tiny_bert, ["i won", "won"], references, ",part=precision,idf=True")
    assert precision[0] == pytest.approx(1.0)
    told = notices(tiny_bert, ["i", "i died"], references, ",idf=True")
    assert told["bertscore_weightless"] == (1, ("1",))


def test_opposite_signs_have_no_harmonic_mean(tiny_bert) -> None:
    """F1 lies in -1…1 for any precision and recall, and is 0 where their signs differ."""
    from empeval.encoders import PairScore

    metric = METRICS.create(f'bertscore(model="{tiny_bert}")')
    assert metric._value(PairScore(0.2, -0.1999, 0)) == 0.0
    assert metric._value(PairScore(0.0, 0.5, 0)) == 0.0
    assert metric._value(PairScore(-0.5, -0.5, 0)) == -0.5
    assert metric._value(PairScore(0.5, 1.0, 0)) == pytest.approx(2 / 3)


def test_the_signature_holds_what_the_number_depends_on(tiny_bert, tmp_path) -> None:
    """Model bytes, layer, number format and the idf table; not where the folder lies."""
    import shutil

    elsewhere = tmp_path / "copy"
    shutil.copytree(tiny_bert, elsewhere)
    corpus = Corpus.build(references=["oh no", "great"], ids=["a", "b"])
    systems = SystemOutputs.build("s", {"a": "no", "b": "wow"})

    def signature(model, fields="", references=None):
        changed = Corpus.build(references=references, ids=["a", "b"]) if references else corpus
        text = f'bertscore(model="{model}"{fields})'
        return dict(
            part.split(":", 1)
            for part in score(changed, systems, text, n_resamples=0).scores[0].signature.split("|")[1:]
        )

    here = signature(tiny_bert)
    assert here["layer"] == "2"
    assert len(here["model"]) == 16
    assert {"torch", "transformers", "tokenizers"} <= set(here)
    assert here == signature(elsewhere)
    config = elsewhere / "config.json"
    config.write_text(config.read_text().replace('"hidden_dropout_prob": 0.1', '"hidden_dropout_prob": 0.2'))
    assert here["model"] != signature(elsewhere)["model"]
    table = signature(tiny_bert, ",idf=True")["idf_table"]
    assert table == signature(tiny_bert, ",idf=True", ["great", "oh no"])["idf_table"]
    assert table != signature(tiny_bert, ",idf=True", ["great", "oh no !"])["idf_table"]


def test_a_layer_by_default_is_told(tiny_bert) -> None:
    """Where bert-score recommends none, the last layer is taken, and a notice says so."""
    corpus = Corpus.build(references=["oh no"])
    found = score(corpus, SystemOutputs.build("a", ["no"]), f'bertscore(model="{tiny_bert}")', n_resamples=0)
    message = next(notice.message for notice in found.warnings if notice.code == "bertscore_layer")
    assert "recommends no layer" in message
    assert "(2)" in message


@pytest.mark.parametrize(
    ("fields", "error", "says"),
    [
        ("", InputError, "needs the field 'model'"),
        ('model=""', InputError, "model is empty"),
        ("model=m,baseline=b.tsv", InputError, "baseline belongs to rescale=True"),
        ("model=m,layers=3", UnknownName, "did you mean 'layer'"),
        ("model=m,dtype=fp16", InputError, "expected one of fp32, bf16"),
        ("model=m,layer=last", InputError, "expected a whole number"),
    ],
)
def test_fields_that_make_no_sense(fields, error, says) -> None:
    """The message says what is wrong before anything is loaded."""
    with pytest.raises(error, match=says):
        METRICS.create(f"bertscore({fields})")


def test_a_layer_that_is_not_there(tiny_bert) -> None:
    """The message says how many there are."""
    for layer in (3, -1):
        metric = METRICS.create(f'bertscore(model="{tiny_bert}",layer={layer})')
        with pytest.raises(InputError, match=f"there is no layer {layer}: the model has 2"):
            metric.signature_fields()


def test_layer_0_is_the_embeddings(tiny_bert) -> None:
    """No layer at all is a layer too: a text still scores 1 against itself."""
    metric = METRICS.create(f'bertscore(model="{tiny_bert}",layer=0)')
    corpus = Corpus.build(references=["oh no", "great"])
    rows = metric.segment_stats(corpus, SystemOutputs.build("a", ["oh no", "wow"]))
    found = metric.aggregate(rows.values)
    assert found[0] == pytest.approx(1.0)
    assert found[1] < 1.0


FIELDS = ("", ",part=recall", ",idf=True", ",rescale=True,baseline={file}", ",dtype=bf16,layer=1")


@pytest.fixture(scope="module")
def made(tiny_bert, tmp_path_factory):
    """Metrics that differ in every field."""
    file = tmp_path_factory.mktemp("baseline") / "b.tsv"
    file.write_text("LAYER,P,R,F\n2,0.3,0.3,0.3\n")
    return {
        fields: METRICS.create(f"bertscore(model={tiny_bert}{fields.format(file=file)})") for fields in FIELDS
    }


@pytest.fixture(scope="module")
def data():
    """One corpus for all checks, so that pairs are computed once."""
    return sample()


@pytest.mark.parametrize("check", METRIC_CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("fields", FIELDS)
def test_the_contract(check, fields, made, data) -> None:
    """What every metric promises."""
    check(made[fields], *data)


@pytest.fixture
def damaged(tiny_bert, tmp_path):
    """A copy of the model, to be damaged."""
    folder = tmp_path / "damaged"
    shutil.copytree(tiny_bert, folder)
    return folder


def edited(file, **changes) -> None:
    """Change entries of a JSON file."""
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def refused(model) -> str:
    """The message of the InputError, which names the folder."""
    with pytest.raises(InputError) as caught:
        values(model, ["oh no " * 30, "great"], ["oh no", "wow"])
    assert str(caught.value).startswith(f"{model}")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_weights_that_are_no_numbers(damaged) -> None:
    """NaN in a weight is told, rather than an undefined score with some other reason."""
    from safetensors.torch import load_file, save_file

    weights = load_file(damaged / "model.safetensors")
    name = next(name for name in weights if name.endswith("word_embeddings.weight"))
    weights[name][:] = float("nan")
    save_file(weights, damaged / "model.safetensors", {"format": "pt"})
    assert "no finite numbers: its weights are damaged" in refused(damaged)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"max_position_embeddings": 2}, "which leaves none for its words"),
        ({"max_position_embeddings": 40}, "weights have other sizes than its configuration says"),
        ({"hidden_size": 16}, "weights have other sizes than its configuration says"),
        ({"hidden_act": "foo"}, "foo"),
        ({"model_type": "nothing"}, "nothing"),
    ],
)
def test_a_configuration_of_something_else(damaged, changes, says) -> None:
    """The message names what does not fit."""
    edited(damaged / "config.json", **changes)
    assert says in refused(damaged)


def test_fewer_layers_than_the_configuration_says(damaged) -> None:
    """Layers that the weights lack are not made up."""
    edited(damaged / "config.json", num_hidden_layers=4)
    metric = METRICS.create(f'bertscore(model="{damaged}",layer=3)')
    with pytest.raises(InputError, match="the weights lack"):
        metric.segment_stats(Corpus.build(references=["a"]), SystemOutputs.build("s", ["b"]))


@pytest.mark.parametrize(
    ("told", "says"),
    [("x", "the tokenizer fails"), *((n, "which leaves none for its words") for n in (-3, 0, 2))],
)
def test_a_limit_that_leaves_no_word(damaged, told, says) -> None:
    """A tokenizer's limit is a number that leaves room for words."""
    edited(damaged / "tokenizer_config.json", model_max_length=told)
    assert says in refused(damaged)


def test_a_tokenizer_of_nothing(damaged) -> None:
    """An empty file in the place of a tokenizer is told with its folder."""
    (damaged / "tokenizer.json").write_text("{}")
    refused(damaged)
