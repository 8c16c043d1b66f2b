from __future__ import annotations

import json

import pytest

from empeval.errors import InputError
from empeval.readers import READERS, read, read_corpus

LOGS = ("empdg", "empdg_old", "kemp", "mime", "moel", "cem", "seek")
SEPARATED = ("mime", "moel", "cem", "seek")


def reader_of(log: str) -> str:
    """The name of the reader of an example."""
    return log.removesuffix("_old")


def codes(table):
    """The codes of its notices."""
    return [notice.code for notice in table.notices]


class TestGrammars:
    """Each log as its system printed it."""

    def test_empdg(self, examples, write):
        """The text after a prefix is whole: no letter of the prefix is taken from it."""
        (table,) = read([write("EmpDG.txt", examples["empdg"])])
        assert {
            "emotion": ["proud", "lonely"],
            "context": [("i baked my first bread",), ("nobody called", "oh no", "it's been a quiet year")],
            "emotion_context": [("baked",), ()],
            "hypothesis": ["exactly what i hoped for", "i am sorry"],
            "references": [("feel proud !",), ("that is hard .",)],
        } == table.columns
        assert ("EmpDG", "empdg", [1, 6]) == (table.system, table.reader, list(table.lines))

    def test_empdg_of_older_commits(self, examples, write):
        """A line ``0`` before each record, no emotion words, ``Greedy:`` for ``Pred:``."""
        (table,) = read([write("MoEL.txt", examples["empdg_old"])])
        assert ["ready to eat", "i am sorry"] == table.columns["hypothesis"]
        assert ("MoEL", [1, 6]) == (table.system, list(table.lines))
        assert {"emotion", "context", "references", "hypothesis"} == set(table.columns)

    def test_empdg_with_feedback(self, examples, write):
        """The user's next turn, as tokens."""
        log = examples["empdg"].replace(b"Pred:", b"Feedback:['thank', 'you']\nPred:")
        assert [("thank", "you")] * 2 == read([write("a.txt", log)])[0].columns["feedback"]

    def test_kemp(self, examples, write):
        """Concepts are no Python literal and stay text; an empty response is one."""
        (table,) = read([write("KEMP.txt", examples["kemp"])])
        assert ["it smells good", ""] == table.columns["hypothesis"]
        assert "[defaultdict(<class 'list'>, {'bread': [['loaf', 0.5]]})]" == table.columns["concept"][0]

    def test_mime(self, examples, write):
        """Three decodes, which share the objects of all other columns."""
        tables = read([write("output.txt.gz", examples["mime"])])
        assert ["output:Topk", "output:Beam", "output:Greedy"] == [table.system for table in tables]
        assert [["oh wow !", "oh no ."], ["well done !", ""], ["good for you .", "i am sorry ."]] == [
            table.columns["hypothesis"] for table in tables
        ]
        first = tables[0].columns
        assert [("proud",), ("sad",)] == first["predicted_emotion"]
        assert [0.4019, -0.2] == first["vader_score"]
        assert [("Remarkable !",), ("i would have come .",)] == first["references"]
        assert [4, 11] == list(tables[0].lines)
        for table in tables[1:]:
            assert all(table.columns[name] is first[name] for name in first if name != "hypothesis")

    def test_turns_that_a_context_repeats_are_one_object(self, examples, write):
        """A record mostly continues the one before; its turns need no memory of their own."""
        shorter, longer = read([write("output.txt", examples["mime"])])[0].columns["context"]
        assert shorter[0] is longer[0]

    def test_moel(self, examples, write):
        """Four systems; a name that begins another name is no prefix of it."""
        tables = read([write("generation_result.txt", examples["moel"])])
        assert {
            "generation_result:trs": ["nice .", "why ?"],
            "generation_result:trs+multitask": ["great .", "oh no ."],
            "generation_result:MOE": ["well done !", "i am sorry ."],
            "generation_result:MOE+oracle": ["lovely !", "that is sad ."],
        } == {table.system: table.columns["hypothesis"] for table in tables}

    def test_cem(self, examples, write):
        """Ranked emotions; inferences become columns under their own names."""
        beam, greedy = read([write("results.txt", examples["cem"])])
        assert (["well done", "i am sorry"], ["great work", "eager to help"]) == (
            beam.columns["hypothesis"],
            greedy.columns["hypothesis"],
        )
        assert ("sad", "lonely", "devastated") == greedy.columns["predicted_emotion"][1]
        assert ["[['to', 'eat']]", "[['none']]"] == greedy.columns["x_intent"]
        assert ["proud", "lonely"] == greedy.columns["emotion"]

    def test_cem_without_what_some_models_omit(self, examples, write):
        """No header, no beam, no emotions, no inferences."""
        omitted = (b"EVAL", b"3.6", b"Beam:", b"Pred Emo", b"x_")
        lines = [line for line in examples["cem"].splitlines(keepends=True) if not line.startswith(omitted)]
        (table,) = read([write("results.txt", b"".join(lines))])
        assert ("results", "cem", ()) == (table.system, table.reader, table.claims)

    def test_seek(self, examples, write):
        """Labels of utterances are not the emotion of the situation."""
        (table,) = read([write("results.txt", examples["seek"])])
        assert ["great work friend", "that is hard"] == table.columns["hypothesis"]
        assert ("lonely", "sympathizing") == table.columns["utterance_labels"][1]
        assert "emotion" not in table.columns

    @pytest.mark.parametrize("log", LOGS)
    def test_line_ends_and_byte_order_mark_change_nothing(self, log, examples, write):
        """Nor does compression; a log in one piece gives no notice."""
        plain = read([write("a.txt", examples[log])])
        marked = read([write("a.txt", b"\xef\xbb\xbf" + examples[log].replace(b"\n", b"\r\n"))])
        assert [table.columns for table in plain] == [table.columns for table in marked]
        assert [()] * len(plain) == [table.notices for table in plain]

    @pytest.mark.parametrize("log", LOGS)
    def test_unicode_separators_stay_inside_a_field(self, log, examples, write):
        """U+2028 and U+0085 end no line of a log."""
        odd = examples[log].replace(b"oh no", "oh\u2028no\u0085".encode())
        plain, changed = read([write("a.txt", examples[log])]), read([write("a.txt", odd)])
        assert [len(table) for table in plain] == [len(table) for table in changed]

    @pytest.mark.parametrize("log", LOGS)
    def test_a_log_survives_the_way_through_a_table(self, log, examples, write):
        """Log → JSONL → the same columns."""
        for table in read([write("a.txt", examples[log])]):
            names = list(table.columns)
            rows = [dict(zip(names, row, strict=True)) for row in zip(*table.columns.values(), strict=True)]
            (again,) = read([write("b.jsonl", "".join(json.dumps(row) + "\n" for row in rows))])
            for name in names:
                kept = again.columns[name]
                assert table.columns[name] == [tuple(v) if isinstance(v, list) else v for v in kept]

    @pytest.mark.parametrize("log", LOGS)
    def test_a_log_serves_as_a_corpus(self, log, examples, write):
        """One table whatever the decodes."""
        path = write("a.txt", examples[log])
        table, systems = read_corpus(path), read([path])
        assert systems[0].columns["references"] == table.columns["references"]
        assert (None, ()) == (table.system, table.claims)


class TestDamage:
    """A log that was cut or damaged is an error, never a shorter or shifted test set."""

    @pytest.mark.parametrize("log", LOGS)
    def test_a_missing_line_is_an_error_that_names_the_line(self, log, examples, write):
        """Whichever of a record's lines it is, the separator of the last record included."""
        lines = examples[log].decode().splitlines(keepends=True)
        first = read([write("a.txt", examples[log])], reader=reader_of(log))[0].lines[0] - 1
        for i in range(first, len(lines)):
            if lines[i].startswith(("x_", "Pred Emotions", "Emotion_context", "0")) and i < len(lines) // 2:
                continue  # optional lines: the first record settles that there are none, the second has them
            path = write("a.txt", "".join(lines[:i] + lines[i + 1 :]))
            with pytest.raises(InputError, match=r"expected .* here, found|in the middle of the record"):
                read([path], reader=reader_of(log))

    @pytest.mark.parametrize("log", ["empdg", "empdg_old", "cem", "seek"])
    def test_an_optional_line_stands_in_all_records_or_in_none(self, log, examples, write):
        """The first record settles it."""
        lines = examples[log].decode().splitlines(keepends=True)
        optional = [
            i for i, line in enumerate(lines) if line.startswith(("x_", "Emotion_c", "Pred Emo", "0"))
        ]
        for i in optional:
            with pytest.raises(InputError, match="is cut or damaged"):
                read([write("a.txt", "".join(lines[:i] + lines[i + 1 :]))], reader=reader_of(log))

    @pytest.mark.parametrize("log", LOGS)
    def test_a_foreign_line_is_an_error(self, log, examples, write):
        """Wherever it stands, with its number."""
        lines = examples[log].decode().splitlines(keepends=True)
        for i in range(len(lines) + 1):
            if i and lines[i - 1].startswith(("###", "EVAL", "test", "Loss", "3.")):
                continue  # a header has its own messages
            with pytest.raises(InputError, match=rf"line {i + 1}: expected .* found 'traceback'"):
                read(
                    [write("a.txt", "".join([*lines[:i], "traceback\n", *lines[i:]]))], reader=reader_of(log)
                )

    @pytest.mark.parametrize("log", LOGS)
    def test_two_lines_in_the_wrong_order_are_an_error(self, log, examples, write):
        """Fields have an order, and a decode that swaps places with a reference is not one."""
        lines = examples[log].decode().splitlines(keepends=True)
        last = len(lines) - 1 - (log in SEPARATED and log != "moel")
        lines[last], lines[last - 1] = lines[last - 1], lines[last]
        with pytest.raises(InputError, match="expected"):
            read([write("a.txt", "".join(lines))], reader=reader_of(log))

    @pytest.mark.parametrize("log", LOGS)
    def test_every_cut_is_seen_or_suspected(self, log, examples, write):
        """A prefix of a log is an error, or fewer records, with a notice unless it ends with a line."""
        content = examples[log]
        whole = len(read([write("a.txt", content)])[0])
        for end in range(len(content) // 2, len(content)):
            try:
                tables = read([write("a.txt", content[:end])], reader=reader_of(log))
            except InputError:
                continue
            assert len(tables[0]) <= whole
            assert content[end - 1 : end] == b"\n" or codes(tables[0]) == ["maybe_truncated"]

    def test_the_message_says_where_and_what(self, examples, write):
        """The line, what was expected, what stands there, and where the record began."""
        log = examples["empdg"].replace(b"Pred:i am sorry", b"Prad:i am sorry")
        with pytest.raises(InputError) as caught:
            read([write("a.txt", log)])
        assert str(caught.value).endswith(
            "a.txt, line 9: expected 'Pred:' here, found 'Prad:i am sorry  '; "
            "the record that starts on line 6 is cut or damaged"
        )
        log = examples["mime"].replace(b"-" * 70 + b"\nemotion", b"emotion")
        with pytest.raises(
            InputError, match="line 10: expected a line of dashes here, found 'emotion:lonely"
        ):
            read([write("a.txt", log)])

    @pytest.mark.parametrize(
        ("log", "old", "new", "message"),
        [
            ("empdg", "['i baked my first bread']", "['i baked my first bread'", "context must be a list"),
            ("empdg", "['i baked my first bread']", "['i baked' 'my first bread']", "context must be a list"),
            ("empdg", "['i baked my first bread']", "['i baked', 3]", r"found \"\['i baked', 3\]\""),
            ("empdg", "['i baked my first bread']", r"['\ud800']", "context must be a list"),
            ("empdg", "['i baked my first bread']", r"['\N{oops}']", "context must be a list"),
            ("empdg", "['i baked my first bread']", r"['\d']", "context must be a list"),
            ("empdg", "['i baked my first bread']", "[" * 9000 + "]" * 9000, "context must be a list"),
            ("empdg", "['i baked my first bread']", "__import__('os')", "context must be a list"),
            ("empdg", "emotion:proud", "emotion:", "emotion must be a label, found a blank line"),
            ("cem", "sad, lonely, devastated", "sad, , devastated", "predicted emotion must be"),
            ("mime", "vader-score: -0.2", "vader-score: much", "vader score must be a number, found 'much'"),
            ("mime", "\tvader-score: -0.2", "", "expected emotion, vader-score and predicted_emotion"),
            ("moel", "trs+multitask: oh", "trs: oh", r"expected 'trs\+multitask:' here"),
        ],
    )
    def test_a_field_that_cannot_be_read_is_named(self, log, old, new, message, examples, write):
        """With its line and what was found."""
        path = write("a.txt", examples[log].decode().replace(old, new))
        with pytest.raises(InputError, match=message) as caught:
            read([path], reader=log)
        assert caught.value.line is not None

    def test_contexts_are_read_as_python_prints_them(self, examples, write):
        """Quotes of both kinds, escapes, and an empty list."""
        turns = ['it\'s "both"', "tab\t\\ newline\n caf\u00e9 \x7f", "", "\U0001f600 \u200b"]
        log = examples["empdg"].decode().replace("['i baked my first bread']", repr(turns))
        log = log.replace(repr(["nobody called", "oh no", "it's been a quiet year"]), "[ ]")
        assert [tuple(turns), ()] == read([write("a.txt", log)])[0].columns["context"]

    def test_blank_lines_between_records_say_nothing(self, examples, write):
        """Nor do they at the end; inside a record one is foreign."""
        log = examples["empdg"].decode()
        (table,) = read([write("a.txt", "\n" + log.replace("emotion:lonely", "\n\nemotion:lonely") + "\n")])
        assert [2, 9] == list(table.lines)
        with pytest.raises(InputError, match="line 9: expected 'Pred:' here, found a blank line"):
            read([write("a.txt", log.replace("Pred:i am", "\nPred:i am"))])

    def test_a_log_without_records(self, examples, write):
        """A header alone is none."""
        with pytest.raises(InputError, match="holds no records"):
            read([write("a.txt", "".join(examples["mime"].decode().splitlines(True)[:3]))], reader="mime")


class TestClaims:
    """What a header says about its own log."""

    def test_mime(self, examples, write):
        """A BLEU belongs to its decode; the others to all."""
        claims = {table.system: table.claims for table in read([write("o.txt", examples["mime"])])}
        assert ["Loss", "PPL", "Accuracy", "Bleu_g"] == [claim.name for claim in claims["o:Greedy"]]
        assert ["Bleu_b"] == [claim.name for claim in claims["o:Beam"][3:]]
        loss, ppl, accuracy, bleu = claims["o:Topk"]
        assert (3.6, "3.6000", None, "PPL") == (loss.value, loss.text, loss.metric, loss.log_of)
        assert (36.5982, None, None) == (ppl.value, ppl.metric, ppl.log_of)
        assert ("emotion_accuracy", 100.0) == (accuracy.metric, accuracy.divisor)
        assert (1.3, "bleu(tokenize=none,lowercase=True,smooth=none)", 1.0) == (
            bleu.value,
            bleu.metric,
            bleu.divisor,
        )

    def test_cem(self, examples, write):
        """The header names three numbers and prints four."""
        claims = read([write("r.txt", examples["cem"])])[1].claims
        assert [("Loss", 3.6), ("PPL", 36.5982), ("BCE", 2.1), ("Accuracy", 0.5)] == [
            (claim.name, claim.value) for claim in claims
        ]
        assert ("PPL", "emotion_accuracy") == (claims[0].log_of, claims[3].metric)

    def test_seek(self, examples, write):
        """Fractions under their own names; the loss is not the logarithm of the perplexity."""
        claims = {claim.name: claim for claim in read([write("r.txt", examples["seek"])])[0].claims}
        assert ["Loss", "PPL", "dia_acc", "utt_acc", "trg_acc", "mi_dist1", "mi_dist2", "avg_len"] == list(
            claims
        )
        assert ("distinct(n=1)", 100, 0.75) == (
            claims["mi_dist1"].metric,
            claims["mi_dist1"].divisor,
            claims["mi_dist1"].value,
        )
        assert "distinct(n=2,key=concat)" == claims["mi_dist2"].metric
        assert ("length", 1.0) == (claims["avg_len"].metric, claims["avg_len"].divisor)
        assert claims["Loss"].log_of is None

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("\t1.30\n", "\n", "line 3: the header names 6 numbers .* and here are 5"),
            ("\t1.30\n", "\tgood\n", "line 3: expected a number in the header, found 'good'"),
            (
                "test\t3.6000\t36.5982\t0.5000\t2.10\t3.20\t1.30\n",
                "",
                "line 2: expected a header of two lines",
            ),
        ],
    )
    def test_a_damaged_header_is_an_error(self, examples, write, old, new, message):
        """It names the line."""
        with pytest.raises(InputError, match=message):
            read([write("o.txt", examples["mime"].decode().replace(old, new, 1))])

    @pytest.mark.parametrize("log", ["cem", "seek"])
    def test_a_header_of_an_unknown_version_claims_nothing_checkable(self, log, examples, write):
        """Its numbers are shown without a meaning, and the log is read all the same."""
        content = examples[log].decode().replace("36.5982", "36.5982\t7", 1)
        claims = read([write("r.txt", content)])[0].claims
        assert ["number 1", "number 2", "number 3"] == [claim.name for claim in claims[:3]]
        assert {None} == {claim.metric for claim in claims}

    def test_a_number_that_is_none_is_no_claim(self, examples, write):
        """A loss that diverged cannot be checked; a number of no known name can be shown."""
        log = examples["mime"].decode().replace("36.5982", "nan").replace("Bleu_t", "Chrf")
        claims = read([write("o.txt", log)])[0].claims
        assert [("Loss", None), ("Accuracy", "emotion_accuracy"), ("Chrf", None)] == [
            (claim.name, claim.metric) for claim in claims
        ]


class TestAuthorsParser:
    """`parser="authors"`: what ``line.strip("Pred:")`` leaves."""

    def test_letters_of_the_prefix_go_at_the_start(self, examples, write):
        """The newline shields the end of a line, as it does in the authors' scripts."""
        (table,) = read([write("a.txt", examples["empdg"])], parser="authors")
        assert ["xactly what i hoped for", "i am sorry"] == table.columns["hypothesis"]
        assert [("l proud !",), ("that is hard .",)] == table.columns["references"]
        (notice,) = table.notices
        assert ("authors_parser", 1) == (notice.code, notice.n)
        assert "1 responses and 1 references of 2 are damaged" in notice.message
        assert {"parser": "authors"} == table.options

    @pytest.mark.parametrize("log", LOGS)
    def test_it_is_the_authors_expression(self, log, examples, write):
        """Line by line, for every grammar."""
        path = write("a.txt", examples[log])
        for standard, authors in zip(read([path]), read([path], parser="authors"), strict=True):
            prefix = f"{standard.system.partition(':')[2]}:"
            if prefix == ":":
                prefix = "Pred:" if b"Pred:" in examples[log] else "Greedy:"
            lines = [line + "\n" for line in examples[log].decode().split("\n") if line.startswith(prefix)]
            assert [line.strip(prefix).strip() for line in lines] == authors.columns["hypothesis"]
            n_changed = sum(
                a != b
                for a, b in zip(standard.columns["hypothesis"], authors.columns["hypothesis"], strict=True)
            )
            assert [n_changed] == [notice.n for notice in authors.notices]

    def test_tables_have_no_such_damage(self, examples, write):
        """The option speaks of logs."""
        path = write("a.jsonl", examples["jsonl"])
        assert read([path])[0].columns == read([path], parser="authors")[0].columns


def test_all_logs_are_tested():
    """A reader of logs that joins the registry joins these tests."""
    logs = {name for name, reader in READERS.items() if hasattr(reader, "grammar")}
    assert logs == {reader_of(log) for log in LOGS}
