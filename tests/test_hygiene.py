from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.cohort import join
from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import AlignmentError
from empeval.hygiene import inspect
from empeval.readers import read
from empeval.records import Notice

PLAIN = [
    "Oh no, I am sorry.",
    "That is great, well done!",
    "I don't know, to be honest.",
    "Well, it happens.",
    "Yes, it does.",
    "So sad, really.",
]
SPACED = [
    "oh no , i am sorry .",
    "that is great , well done !",
    "i do n't know , to be honest .",
    "well , it happens .",
    "yes , it does .",
    "so sad , really .",
]


def notices(
    *responses: Sequence[str],
    references: Sequence[str | Sequence[str]] | None = None,
    contexts: Sequence[str | Sequence[str]] | None = None,
) -> list[Notice]:
    """The notices for systems a, b, … with these responses."""
    ids = [str(n) for n in range(1, len(responses[0]) + 1)]
    corpus = Corpus.build(ids=ids, references=references, contexts=contexts)
    systems = [
        SystemOutputs.build(name, texts, ids=ids) for name, texts in zip("abcdef", responses, strict=False)
    ]
    return inspect(corpus, systems)


def codes(*responses: Sequence[str], **corpus: Any) -> list[str]:
    """The codes of those notices."""
    return [notice.code for notice in notices(*responses, **corpus)]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("empty_response", ""),
        ("blank_response", " "),
        ("blank_response", "\t\n"),
        ("blank_response", "\u00a0"),
        ("control_characters", "oh\x00no"),
        ("control_characters", "oh no\x1b[0m"),
        ("control_characters", "oh\x7f"),
        ("control_characters", "oh\x92no"),
        ("zero_width", "he\u200bllo"),
        ("zero_width", "\ufeffoh no"),
        ("zero_width", "oh\u200dno"),
        ("zero_width", "oh \u200cno"),
        ("zero_width", "em\u00adpathy"),
        ("zero_width", "\u200eoh no"),
        ("zero_width", "\u200foh no"),
        ("zero_width", "oh\u2060no"),
        ("mojibake", "I\u00e2\u20ac\u2122m so sorry"),
        ("mojibake", "I\u00e2\u0080\u0099m so sorry"),
        ("mojibake", "caf\u00c3\u00a9"),
        ("mojibake", "\u00c3\u2030t\u00e9"),
        ("mojibake", "it costs 5\u00c2\u00a3"),
        ("mojibake", "so happy \u00f0\u0178\u02dc\u0160"),
        ("mojibake", "oh \ufffd no"),
        ("mojibake", "half an emoji \ud83d"),
        ("mojibake", "привет".encode().decode("latin-1")),
        ("mojibake", "γεια σου".encode().decode("latin-1")),
        ("mojibake", "我很难过".encode().decode("latin-1")),
        ("special_tokens", "i am sorry <eos>"),
        ("special_tokens", "i am sorry </s>"),
        ("special_tokens", "i am sorry <pad> <pad>"),
        ("special_tokens", "an <UNK> day"),
        ("special_tokens", "[CLS] i see [SEP]"),
        ("special_tokens", "i see<|endoftext|>"),
        ("special_tokens", "<|im_start|>assistant"),
        ("special_tokens", "i see EOS EOS"),
        ("special_tokens", "oh UNK is nice"),
        ("special_tokens", "well_comma_ i see"),
        ("special_tokens", "i see __eou__"),
        ("special_tokens", "▁i ▁see"),
        ("special_tokens", "iĠsee"),
        ("special_tokens", "play ##ing games"),
        ("special_tokens", "[INST] be kind [/INST]"),
        ("markup", "you &amp; me"),
        ("markup", "it&#39;s fine"),
        ("markup", "oh no<br/>really"),
        ("label_prefix", "Listener: oh no"),
        ("label_prefix", "pred:oh no"),
        ("not_nfc", "cafe\u0301"),
    ],
)
def test_faults_of_a_single_text(code: str, text: str) -> None:
    """A faulty response is counted once and named by its id, and none other is."""
    found = notices(["all is well", text, "so it is"])
    assert [(code, 1, ("2",))] == [(notice.code, notice.n, notice.ids) for notice in found]
    assert found[0].message.startswith("1 response of 'a' ")


@pytest.mark.parametrize(
    "text",
    [
        "i <3 you",
        "[laughs] oh no",
        "[name] is my friend",
        "a < b and b > c",
        "<name> is my friend",
        "line one\nline two\tand three",
        "family 👨\u200d👩\u200d👧\u200d👦",
        "a scientist 👩🏽\u200d🔬, a heart ❤\ufe0f, a flag 🏴\u200d☠\ufe0f",
        "England 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "می\u200cخواهم بروم",
        "क्\u200dष और क्\u200cष",
        "ฉัน\u200bเสียใจ",
        "ច្រើន\u200b\u200bណាស់",
        "שלום\u200f!",
        "\u09ac\u09dc",
        "café, naïve, Zoë, Ångström",
        "NÃO, IRMÃ… MAÇÃ”",
        "ÂGE, Â, «ÉTÉ»",
        "„Spaß“ und Gruß…",
        "là… « voilà »",
        "Đ”ng, lâu…",
        "Größe ½ × ¼ – 20 °C",
        "I love my Canon EOS",
        "my EOS takes good photos",
        "SOS!",
        "AT&T and R&B; fish & chips",
        "snake_case_name and __init__",
        "## A heading",
        "C# is hard, C## is harder",
        "Ġorġ jgħix Malta",
        "▁▂▃",
        "So: what happened?",
        "My teacher: a kind man",
        "It is 10:30 now",
        "i 'm fine",
        "我很难过。",
        "Я понимаю.",
        "한국어",
    ],
)
def test_ordinary_texts_are_no_faults(text: str) -> None:
    """Emoticons, stage directions, emoji, and the spelling of other languages are left alone."""
    assert [] == codes(["all is well", text, "so it is"])


class TestManyTexts:
    """How faults are counted, worded and ordered."""

    def test_counts_and_ids(self) -> None:
        """Every faulty text counts; twenty segments are named."""
        (notice,) = notices([""] * 30 + ["fine"])
        assert ("empty_response", 30, tuple(str(n) for n in range(1, 21))) == (
            notice.code,
            notice.n,
            notice.ids,
        )
        assert "30 responses of 'a' are empty; they are scored as they are" == notice.message

    def test_references_are_checked_too(self) -> None:
        """A fault of the references is told from a fault of a system, and its segments are named once."""
        found = notices(["fine", "well"], references=[["", "x <eos>", "y <eos>"], "no"])
        assert [("empty_reference", 1, ("1",)), ("special_tokens", 2, ("1",))] == [
            (notice.code, notice.n, notice.ids) for notice in found
        ]
        assert "2 references of the corpus hold special tokens" in found[1].message

    def test_order_is_stable(self) -> None:
        """Check by check, the references first, then the systems as given."""
        found = notices(["", "x <s>"], ["y <s>", ""], references=["<s> z", "w"])
        assert [
            "1 response of 'a' is empty",
            "1 response of 'b' is empty",
            "1 reference of the corpus holds special tokens",
            "1 response of 'a' holds special tokens",
            "1 response of 'b' holds special tokens",
        ] == [notice.message.partition(";")[0] for notice in found]

    def test_systems_must_answer_every_segment(self) -> None:
        """A gap is an error here as everywhere."""
        with pytest.raises(AlignmentError, match="has no output for 1 of 2 segments"):
            inspect(Corpus.build(references=["x", "y"]), [SystemOutputs.build("a", {"1": "hm"})])

    @given(st.lists(st.text(max_size=20), min_size=1, max_size=8), st.randoms())
    def test_order_of_segments_does_not_matter(self, texts: list[str], random: Any) -> None:
        """The same texts in another order give the same counts."""
        shuffled = list(texts)
        random.shuffle(shuffled)
        assert [(n.code, n.n) for n in notices(texts)] == [(n.code, n.n) for n in notices(shuffled)]


class TestStyles:
    """Texts in two styles differ before their words do."""

    def test_tokenised_beside_untokenised(self) -> None:
        """Both sides are named, and the preset that makes them comparable."""
        found = notices([text.lower() for text in PLAIN], SPACED, references=SPACED)
        (notice,) = found
        assert "tokenised_beside_untokenised" == notice.code
        assert notice.message.startswith("the references, 'b' are tokenised ('no .'), 'a' is not ('no.')")
        assert "choose tokenize=nltk" in notice.message

    def test_the_preset_without_contractions(self) -> None:
        """Where contractions are whole, 13a is enough."""
        spaced = [text.replace("do n't", "don't") for text in SPACED]
        (notice,) = notices([text.lower() for text in PLAIN], spaced)
        assert "choose tokenize=13a" in notice.message

    def test_all_tokenised(self) -> None:
        """Where all texts are tokenised one notice says so."""
        (notice,) = notices(SPACED, SPACED[::-1], references=SPACED)
        assert ("tokenised", 6) == (notice.code, notice.n)
        assert "tokenize=whitespace" in notice.message

    def test_lower_case_beside_cased(self) -> None:
        """Case is a style of its own."""
        (notice,) = notices([text.lower() for text in PLAIN], references=PLAIN)
        assert "lower_case_beside_cased" == notice.code
        assert notice.message.startswith("'a' is in lower case, the references are not")

    @pytest.mark.parametrize(
        ("responses", "references"),
        [
            (PLAIN, PLAIN[::-1]),
            (["Oui, bien sûr ! Et toi ?"] * 5 + ["Non, merci. Et vous ?"], PLAIN),
            (["well...", "oh..."] * 3, [text.lower() for text in PLAIN]),
            (["oh no", "i see"] * 3, [text.lower() for text in PLAIN]),
            (["oh no .", "I see", "No"] * 2, PLAIN),
            (["我很难过。"] * 5 + ["好"], PLAIN),
        ],
    )
    def test_one_style_is_no_fault(self, responses: list[str], references: list[str]) -> None:
        """Neither French spacing nor ellipses, nor too few marks to tell, are another style."""
        assert [] == codes(responses, references=references)


class TestRepeats:
    """Texts that stand where another was expected."""

    contexts = (["I lost my old dog today!", "oh no"], ["thank you so much", "bye"])

    def test_copied_from_context(self) -> None:
        """A response that repeats a turn in other form is found; a short one may be chance."""
        found = notices(
            ["i lost my old dog today .", "Thank you so much!"], ["hm", "bye"], contexts=self.contexts
        )
        assert [("copied_from_context", 1, ("1",))] == [(n.code, n.n, n.ids) for n in found]
        assert "1 response of 'a' only repeats a turn of the context" == found[0].message

    def test_all_responses_equal(self) -> None:
        """One answer to everything is worth a look, one answer to one segment is not."""
        assert ["all_responses_equal"] == codes(["i see"] * 3)
        assert [] == codes(["i see"])

    def test_identical_systems(self) -> None:
        """Every group of systems with the same responses is named once."""
        found = notices(["x", "y"], ["z", "y"], ["x", "y"], ["z", "y"], ["x", "y"], ["y", "x"])
        assert ["'a' and 'c' and 'e'", "'b' and 'd'"] == [n.message.partition(" gave")[0] for n in found]
        assert [("identical_systems", 2)] * 2 == [(n.code, n.n) for n in found]

    def test_the_same_segment_twice(self) -> None:
        """Context and references together make a segment; the same reference elsewhere is ordinary."""
        found = notices(list("pqrs"), contexts=["x", "x", "x", "y"], references=["a", "a", "b", "a"])
        assert [("duplicate_references", 1, ("2",))] == [(n.code, n.n, n.ids) for n in found]
        assert [] == codes(list("pqrs"), references=["a"] * 4)

    def test_the_same_reference_twice(self) -> None:
        """Within a segment references are alternatives, and should differ."""
        (notice,) = notices(["p", "q"], references=[["a", "b", "a"], ["a", "b"]])
        assert ("duplicate_references", 1, ("1",)) == (notice.code, notice.n, notice.ids)
        assert "1 segment holds the same reference twice" == notice.message


def test_published_outputs_are_clean(shared: Path) -> None:
    """MIME's and EmpDG's outputs are tokenised; one response in 16,278 repeats its context."""
    outputs = shared / "data" / "outputs"
    empdg = [outputs / "empdg" / f"{name}.txt" for name in ("Transformer", "EmoPrepend", "EmpDG")]
    cohort = join(read([outputs / "mime" / "output.txt", *empdg]))
    found = inspect(cohort.corpus, cohort.systems)
    assert [("tokenised", 2713), ("copied_from_context", 1)] == [(n.code, n.n) for n in found]
