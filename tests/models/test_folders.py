"""Finding a model: by folder, package or hub name; what is missing is named."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from empeval.errors import InputError
from empeval.models import find, using


@pytest.fixture
def whole(tmp_path) -> Path:
    """A folder that has everything a model needs, as far as finding it goes."""
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "bert"}))
    (folder / "model.safetensors").write_bytes(b"weights")
    (folder / "tokenizer.json").write_text("{}")
    return folder


def test_a_folder(whole) -> None:
    """A whole folder is found under its path, relative or not, and from the folder of resources first."""
    assert find(str(whole)).path == whole
    assert find(f"{whole}/").config == {"model_type": "bert"}
    with using(base=whole.parent):
        assert find("model").path == whole


@pytest.mark.parametrize(
    ("gone", "says"),
    [
        (["config.json"], "it lacks config.json"),
        (["model.safetensors"], "it lacks the weights (model.safetensors or pytorch_model.bin)"),
        (["tokenizer.json"], "it lacks the tokenizer (tokenizer.json, vocab.txt, vocab.json or the like)"),
        (["config.json", "tokenizer.json"], "it lacks config.json, the tokenizer"),
    ],
)
def test_a_folder_that_lacks_something(whole, gone, says) -> None:
    """The message names the folder and everything that is missing."""
    for name in gone:
        (whole / name).unlink()
    with pytest.raises(InputError) as caught:
        find(str(whole))
    assert str(caught.value).startswith(f"{whole}: this is not a whole model: ")
    assert says in str(caught.value)


def test_an_index_names_the_parts(whole) -> None:
    """Weights in several files are all looked for."""
    (whole / "model.safetensors").unlink()
    index = whole / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": "part-1.safetensors", "b": "part-2.safetensors"}}))
    (whole / "part-1.safetensors").write_bytes(b"")
    with pytest.raises(InputError, match=r"it lacks part-2\.safetensors"):
        find(str(whole))
    (whole / "part-2.safetensors").write_bytes(b"")
    assert find(str(whole)).path == whole
    index.write_text("{}")
    with pytest.raises(InputError, match="has no weight_map"):
        find(str(whole))


@pytest.mark.parametrize(("content", "says"), [("{", "this is no JSON"), ("[]", "expected a JSON object")])
def test_a_configuration_that_is_none(whole, content, says) -> None:
    """The message names the file."""
    (whole / "config.json").write_text(content)
    with pytest.raises(InputError, match=says) as caught:
        _ = find(str(whole)).config
    assert str(caught.value).startswith(f"{whole}/config.json: ")


def test_the_fingerprint_is_of_what_fixes_a_number(whole, tmp_path) -> None:
    """Configuration, weights and vocabulary change it; a README and the place do not."""
    first = find(str(whole)).fingerprint
    copy = tmp_path / "copy"
    shutil.copytree(whole, copy)
    (copy / "README.md").write_text("about")
    assert find(str(copy)).fingerprint == first
    for name, content in (
        ("model.safetensors", b"Weights"),
        ("tokenizer.json", b"{ }"),
        ("merges.txt", b"a b"),
    ):
        before = find(str(copy)).fingerprint
        (copy / name).write_bytes(content)
        assert find(str(copy)).fingerprint != before


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("./nowhere", "there is no folder ./nowhere"),
        ("/no/such/folder", "there is no folder /no/such/folder"),
        ("a/b/c", "there is no folder a/b/c"),
        ("package:no_such_package", "no package no_such_package is installed"),
        ("package:..", "'..' is no name of a Python package"),
        ("package:json", "it lacks config.json"),
    ],
)
def test_names_that_lead_nowhere(name, says) -> None:
    """No network is asked for what can only be a path or a package."""
    with pytest.raises(InputError) as caught:
        find(name)
    assert says in str(caught.value)


def test_a_file_is_no_folder(whole) -> None:
    """The message says which folder is meant."""
    with pytest.raises(InputError, match="is a file; give the folder"):
        find(str(whole / "config.json"))


def test_a_hub_name_offline(tmp_path) -> None:
    """Without the network the message says how to work from a folder, by option or by variable."""
    code = """
import sys
from empeval.errors import InputError
from empeval.models import find, using
with using(offline=sys.argv[1] == "option"):
    try:
        find("someone/some-model")
    except InputError as error:
        print(error)
"""
    for way, variable in (("option", "0"), ("variable", "1")):
        environment = {**os.environ, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": variable}
        done = subprocess.run(
            [sys.executable, "-c", code, way], capture_output=True, text=True, env=environment, check=True
        )
        assert "the network may not be used" in done.stdout
        assert "hf download someone/some-model --local-dir some-model" in done.stdout


def test_a_hub_name_in_the_cache_of_the_hub(whole, tmp_path) -> None:
    """A model that was downloaded once is found under its name without the network."""
    revision = "0123456789abcdef0123456789abcdef01234567"
    home = tmp_path / "hub" / "models--someone--some-model"
    shutil.copytree(whole, home / "snapshots" / revision)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(revision)
    code = "from empeval.models import find; print(find('someone/some-model').path)"
    environment = {**os.environ, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    assert Path(done.stdout.strip()) == home / "snapshots" / revision
