from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.cohort import Cohort, join
from empeval.errors import AlignmentError, InputError
from empeval.joining.keys import normalised
from empeval.readers import read, read_corpus
from empeval.records import Claim, Notice, Records


def table(system: str | None, **columns: Sequence[Any]) -> Records:
    """Records of one system from columns; contexts and references may be given as plain texts."""
    made: dict[str, list[Any]] = {}
    for name, column in columns.items():
        as_texts = name in ("context", "references")
        made[name] = [(value,) if as_texts and isinstance(value, str) else value for value in column]
    n = len(next(iter(made.values())))
    return Records(f"{system or 'test'}.jsonl", "jsonl", system, made, range(1, n + 1))


def lines(system: str | None, **columns: Sequence[Any]) -> Records:
    """Bare lines of text, which carry nothing but their position."""
    return replace(table(system, **columns), positional=True)


def permuted(records: Records, order: Sequence[int]) -> Records:
    """The records at these rows, in this order."""
    columns = {name: [column[row] for row in order] for name, column in records.columns.items()}
    return replace(records, columns=columns, lines=[records.lines[row] for row in order])


def answers(cohort: Cohort) -> dict[str, list[tuple[str, str]]]:
    """For each system its responses by the id of their segment."""
    return {
        outputs.system: list(zip(outputs.ids, outputs.hypotheses, strict=True)) for outputs in cohort.systems
    }


class TestNormalisation:
    """Texts that differ in case, spacing and punctuation only have one normal form."""

    @pytest.mark.parametrize(
        ("a", "b"),
        [
            ("I 'm so SORRY !", "i'm so sorry"),
            ("* just * kidding", "*just* kidding"),
            ("it\u2019s", "it's"),
            ("cafe\u0301", "CAFÉ"),
            ("Straße", "STRASSE"),
            ("ﬁne", "fine"),
            ("oh\u00a0no\u200b", "oh no"),
            ("so sad ❤\ufe0f", "so sad"),
        ],
    )
    def test_form_is_ignored(self, a: str, b: str) -> None:
        """Case, blanks, punctuation, compatibility forms and symbols do not matter."""
        assert normalised(a) == normalised(b)

    @pytest.mark.parametrize(("a", "b"), [("oh no", "oh not"), ("किताब", "कतब"), ("2", "3"), ("жар", "шар")])
    def test_words_are_not_ignored(self, a: str, b: str) -> None:
        """Letters, digits and the vowel signs of Indic scripts do matter."""
        assert normalised(a) != normalised(b)

    @given(st.text(max_size=30))
    def test_normalising_twice_changes_nothing(self, text: str) -> None:
        """A normal form is its own normal form."""
        assert normalised(normalised(text)) == normalised(text)


class TestJoinByIdentifier:
    """Where both sides have ids, ids decide."""

    def test_order_of_rows_does_not_matter(self) -> None:
        """A table in another order is brought into that of the base."""
        a = table("a", id=["1", "2"], references=["oh", "no"], hypothesis=["a1", "a2"])
        b = table("b", id=["2", "1"], hypothesis=["b2", "b1"])
        cohort = join([b, a])
        assert {"b": [("1", "b1"), ("2", "b2")], "a": [("1", "a1"), ("2", "a2")]} == answers(cohort)
        assert [("oh",), ("no",)] == list(cohort.corpus.references or ())

    def test_nothing_is_copied_where_tables_agree(self) -> None:
        """Columns are handed on as they are if no row is dropped or moved."""
        a = table("a", id=["1", "2"], references=["oh", "no"], hypothesis=["a1", "a2"])
        b = table("b", id=["1", "2"], hypothesis=["b1", "b2"])
        cohort = join([a, b])
        assert a.columns["references"] is cohort.corpus.references
        assert b.columns["hypothesis"] is cohort.systems[1].hypotheses
        assert cohort.corpus.ids is cohort.systems[1].ids

    def test_other_references_under_one_id_are_an_error(self) -> None:
        """The error names the id and shows both texts where they part."""
        a = table(
            "a",
            id=["x", "y"],
            references=["oh", "that is very sad indeed , my dear friend"],
            hypothesis=["", ""],
        )
        b = table(
            "b",
            id=["y", "x"],
            references=["that is very sad indeed , my dear sister", "oh"],
            hypothesis=["", ""],
        )
        with pytest.raises(
            AlignmentError, match=r"id 'y': the references of system 'a' and of system 'b'"
        ) as caught:
            join([a, b])
        assert "b.jsonl, line 1" in str(caught.value)
        assert "…s sad indeed , my dear friend" not in str(caught.value)
        assert "my dear friend' and " in str(caught.value)
        assert "my dear sister'" in str(caught.value)

    def test_other_contexts_under_one_id_are_an_error(self) -> None:
        """Contexts are compared like references."""
        a = table("a", id=["1"], context=["i lost my dog"], hypothesis=[""])
        b = table("b", id=["1"], context=["i lost my job"], hypothesis=[""])
        with pytest.raises(AlignmentError, match=r"id '1': the contexts"):
            join([a, b])

    def test_texts_that_differ_in_form_are_those_of_the_base(self) -> None:
        """The texts of the system whose name sorts first are used, and a notice says so."""
        a = table(
            "a", id=["1", "2"], context=["Hi, there!", "x"], references=["It's ok.", "y"], hypothesis=["", ""]
        )
        b = table(
            "b",
            id=["1", "2"],
            context=["hi , there !", "x"],
            references=["it 's ok .", "y"],
            hypothesis=["", ""],
        )
        for tables in ([a, b], [b, a]):
            cohort = join(tables)
            assert ("It's ok.",) == cohort.corpus[0].references
            (notice,) = cohort.notices
            assert ("texts_differ_in_form", 1, ("1",)) == (notice.code, notice.n, notice.ids)
            assert "1 segment of 'b' and of system 'a' differ" in notice.message

    def test_where_a_turn_ends_is_form(self) -> None:
        """A context as one text equals the same context as a list of turns."""
        a = table("a", id=["1"], context=[("oh no .", "what ?")], references=["y"], hypothesis=[""])
        b = table("b", id=["1"], context=["oh no . what ?"], references=["y"], hypothesis=[""])
        assert ["texts_differ_in_form"] == [notice.code for notice in join([a, b]).notices]

    def test_gold_emotions_that_differ_are_noticed(self) -> None:
        """The base's emotions are used; case alone is no difference, and a missing one neither."""
        a = table(
            "a", id=["1", "2", "3"], references=["x"] * 3, emotion=["sad", "Proud", None], hypothesis=[""] * 3
        )
        b = table("b", id=["1", "2", "3"], emotion=["angry", "proud", "sad"], hypothesis=[""] * 3)
        cohort = join([b, a])
        assert ["sad", "Proud", None] == list(cohort.corpus.emotions or ())
        assert [("emotions_differ", 1, ("1",))] == [(n.code, n.n, n.ids) for n in cohort.notices]

    def test_a_repeated_id_is_an_error(self) -> None:
        """The error names file, id and both lines."""
        good = table("a", id=["1", "2"], references=["x", "y"], hypothesis=["", ""])
        bad = table("b", id=["1", "1"], references=["x", "y"], hypothesis=["", ""])
        for tables in ([bad], [good, bad]):
            with pytest.raises(
                AlignmentError, match=r"b\.jsonl, line 2, id '1': this id stands twice, first on line 1"
            ):
                join(tables)


class TestJoinByTexts:
    """Without ids the pair of context and references decides."""

    def test_exact_pairs_come_before_normalised_ones(self) -> None:
        """A pair that fits one segment exactly is not spent on another that it fits in form only."""
        a = table("a", context=["hi", "Hi !"], references=["yes", "yes"], hypothesis=["a1", "a2"])
        b = table("b", context=["Hi !", "HI"], references=["yes", "yes"], hypothesis=["exact", "form"])
        assert [("1", "form"), ("2", "exact")] == answers(join([a, b]))["b"]

    def test_equal_pairs_are_matched_in_order(self) -> None:
        """The first with the first, whatever stands between."""
        a = table("a", context=["ok", "x", "ok"], references=["ok", "y", "ok"], hypothesis=["1", "2", "3"])
        b = table("b", context=["ok", "ok", "x"], references=["ok", "ok", "y"], hypothesis=["1", "3", "2"])
        assert [("1", "1"), ("2", "2"), ("3", "3")] == answers(join([a, b]))["b"]

    def test_pairs_without_letters_are_not_matched_by_form(self) -> None:
        """Two different emoticons have no words to be equal in."""
        a = table("a", context=["!", "x"], references=[":)", "y"], hypothesis=["1", "2"])
        b = table("b", context=["?", "x"], references=[":(", "y"], hypothesis=["1", "2"])
        assert {"a": 1, "b": 1} == join([a, b]).dropped

    def test_ids_of_the_base_are_record_numbers(self) -> None:
        """A base without ids numbers its own records, from 1."""
        a = table("a", context=["p", "q", "r"], references=["x", "y", "z"], hypothesis=["", "", ""])
        b = table("b", context=["r", "q"], references=["z", "y"], hypothesis=["", ""])
        assert ["2", "3"] == list(join([a, b]).corpus.ids)

    def test_tables_with_ids_lend_their_texts(self) -> None:
        """A table without ids joins a base without texts through a third one."""
        corpus = table(None, id=["1", "2", "3"], dialogue_id=["d", "d", "e"])
        b = table(
            "b",
            id=["3", "2"],
            context=["r", "q"],
            references=["z", "y"],
            emotion=["sad", "joy"],
            hypothesis=["b3", "b2"],
        )
        a = table("a", context=["Q", "p", "R"], references=["Y", "x", "Z"], hypothesis=["a2", "a1", "a3"])
        cohort = join([a, b], corpus=corpus)
        assert {"a": [("2", "a2"), ("3", "a3")], "b": [("2", "b2"), ("3", "b3")]} == answers(cohort)
        assert [("q",), ("r",)] == list(cohort.corpus.contexts or ())
        assert ["joy", "sad"] == list(cohort.corpus.emotions or ())
        assert ["d", "e"] == list(cohort.corpus.dialogue_ids)
        form = next(notice for notice in cohort.notices if notice.code == "texts_differ_in_form")
        assert "2 segments of 'a' and of system 'b'" in form.message

    def test_a_table_without_any_key_says_what_it_needs(self) -> None:
        """The error names the columns that would join it, and those that it has."""
        a = table("a", id=["1"], references=["x"], hypothesis=[""])
        b = table("b", references=["x"], hypothesis=[""])
        with pytest.raises(
            InputError, match="column id, or both the columns context and references; 'b' has references"
        ):
            join([a, b])

    def test_a_single_system_needs_no_key(self) -> None:
        """References and responses in one table need nothing to join by."""
        cohort = join([table("a", references=["x", "y"], hypothesis=["1", "2"])])
        assert {"a": [("1", "1"), ("2", "2")]} == answers(cohort)


class TestJoinByPosition:
    """Bare lines of text are joined by position, and only where that is safe."""

    def test_lines_beside_lines(self) -> None:
        """Two systems' bare lines of equal number."""
        cohort = join([lines("a", hypothesis=["1", "2"]), lines("b", hypothesis=["3", ""])])
        assert {"a": [("1", "1"), ("2", "2")], "b": [("1", "3"), ("2", "")]} == answers(cohort)
        assert cohort.corpus.references is None
        assert ["1", "2"] == list(cohort.corpus.dialogue_ids)

    def test_lines_beside_a_corpus(self) -> None:
        """The corpus names the segments, also where it is a table with ids."""
        corpus = table(None, id=["x", "y"], references=["oh", "no"])
        assert [("x", "1"), ("y", "2")] == answers(join([lines("a", hypothesis=["1", "2"])], corpus=corpus))[
            "a"
        ]

    def test_another_number_of_lines_is_an_error(self) -> None:
        """Both counts are named, never cut to the shorter."""
        corpus = table(None, id=["x", "y"], references=["oh", "no"])
        with pytest.raises(
            InputError, match=r"a\.jsonl: 'a' has 3 lines, but the corpus 'test\.jsonl' has 2"
        ):
            join([lines("a", hypothesis=["1", "2", "3"])], corpus=corpus)

    def test_lines_beside_a_systems_table_are_an_error(self) -> None:
        """The order of another system's table says nothing about the lines, equal number or not."""
        other = table("b", id=["x", "y"], references=["oh", "no"], hypothesis=["", ""])
        with pytest.raises(InputError, match=r"2 bare lines of 'a'.*'b' \(2 records\).*--corpus"):
            join([lines("a", hypothesis=["1", "2"]), other])


class TestCohort:
    """The cohort is what all systems share, and says what that leaves out."""

    a = table("a", id=["1", "2", "3"], references=["x", "y", "z"], hypothesis=["", "", ""])
    b = table("b", id=["4", "3", "2"], references=["w", "z", "y"], hypothesis=["", "", ""])

    def test_intersection_counts_what_each_system_loses(self) -> None:
        """Dropped segments are counted per system and noticed with their ids."""
        cohort = join([self.b, self.a])
        assert ["2", "3"] == list(cohort.corpus.ids)
        assert {"b": 1, "a": 1} == cohort.dropped
        assert [
            Notice(
                "cohort_reduced",
                "2 segments are scored, shared by both systems; left out: 1 of 'b', 1 of 'a'",
                2,
                ("1", "4"),
            )
        ] == list(cohort.notices)

    def test_a_corpus_may_hold_more_than_the_systems(self) -> None:
        """Segments of the corpus that a system lacks are noticed, though no system loses any."""
        corpus = table(None, id=["1", "2", "3", "4"], references=["x", "y", "z", "w"])
        cohort = join([self.a], corpus=corpus)
        assert {"a": 0} == cohort.dropped
        assert "left out: 1 of the corpus 'test.jsonl'" in cohort.notices[0].message

    def test_strict_refuses_a_gap_of_a_system(self) -> None:
        """The error names the system, how many segments it lacks, and the first."""
        short = replace(permuted(self.a, [2, 0]), system="s")
        message = "system 's' lacks 1 of the 3 segments of system 'a', the first is id '2'"
        with pytest.raises(AlignmentError, match=message):
            join([short, self.a], rule="strict")

    def test_strict_refuses_a_gap_of_the_base(self) -> None:
        """The base may be the one that lacks something."""
        short = replace(permuted(self.a, [2, 0]), system="A")
        message = "system 'A' lacks 1 of the 3 segments of system 'a', the first is id '2'"
        with pytest.raises(AlignmentError, match=message):
            join([self.a, short], rule="strict")

    def test_strict_accepts_equal_sets(self) -> None:
        """Order is no gap."""
        assert {"a": 0, "c": 0} == join(
            [self.a, replace(permuted(self.a, [2, 0, 1]), system="c")], rule="strict"
        ).dropped

    def test_nothing_in_common_names_two_systems(self) -> None:
        """The error names the pair and what they were joined by."""
        other = table("b", id=["7"], references=["x"], hypothesis=[""])
        with pytest.raises(
            AlignmentError, match=r"system 'b' shares no segment with system 'a' \(joined by id\)"
        ):
            join([self.a, other])

    def test_foreign_ids_beside_the_same_texts(self) -> None:
        """Where texts could join the tables the error says how."""
        texts = {"context": ["p"], "references": ["x"], "hypothesis": [""]}
        with pytest.raises(
            AlignmentError, match="leave the id column out of one, so that context and references"
        ):
            join([table("a", id=["1"], **texts), table("b", id=["7"], **texts)])

    def test_nothing_in_common_between_two_parts(self) -> None:
        """Two systems that each share segments with the base may share none with one another."""
        b, c = (replace(permuted(self.a, rows), system=name) for name, rows in (("b", [0]), ("c", [2])))
        with pytest.raises(AlignmentError, match="systems 'c' and 'b' share no segment of system 'a'"):
            join([c, b, self.a])

    def test_systems_keep_their_order_and_their_columns(self) -> None:
        """Predictions, extras, claims and sources arrive where metrics look for them."""
        a = table(
            "z",
            id=["1", "2"],
            references=["x", "y"],
            response_intent=["asking", None],
            hypothesis=["1", "2"],
            predicted_emotion=[("sad", "joy"), None],
            predicted_intent=["asking", "wishing"],
            nll=[1.5, None],
            n_tokens=[3, None],
            candidate_scores=[(1.0, 0.5), None],
            note=["p", "q"],
        )
        a = replace(a, claims=(Claim("PPL", 37.5, "37.5"),), notices=(Notice("damaged_rows", "one row", 1),))
        b = table("b", id=["2"], hypothesis=["3"])
        cohort = join([a, b])
        z = cohort.systems[0]
        assert ["z", "b"] == [outputs.system for outputs in cohort.systems]
        assert (None,) == z.predicted_emotions
        assert (("wishing",), (None,), (None,), (None,)) == (
            z.predicted_intents,
            z.nlls,
            z.n_tokens,
            z.candidate_scores,
        )
        assert {"note": ("q",)} == dict(z.extra) == dict(cohort.corpus.extra)
        assert ("PPL", "z.jsonl") == (z.claims[0].name, z.source)
        assert (None,) == cohort.corpus.response_intents
        assert ["damaged_rows", "cohort_reduced"] == [notice.code for notice in cohort.notices]

    def test_a_table_without_responses_is_the_corpus(self) -> None:
        """A corpus may stand among the files; two of them may not."""
        corpus = table(None, id=["3", "2"], references=["z", "y"])
        assert ["3", "2"] == list(join([self.a, corpus]).corpus.ids)
        with pytest.raises(InputError, match="only one file can be the corpus"):
            join([self.a, corpus], corpus=corpus)

    def test_a_corpus_alone_is_an_error(self) -> None:
        """Something must be scored."""
        with pytest.raises(InputError, match="no system to score"):
            join([], corpus=self.a)
        with pytest.raises(InputError, match=r"test\.jsonl: there is no system to score"):
            join([table(None, references=["x"])])

    def test_an_empty_table_is_an_error(self) -> None:
        """A file without records is named."""
        with pytest.raises(InputError, match=r"b\.jsonl: there are no records"):
            join([self.a, table("b", id=[], hypothesis=[])])

    def test_two_systems_of_one_name_are_an_error(self) -> None:
        """Both files are named, and how to tell them apart."""
        with pytest.raises(InputError, match=r"2 systems are named 'a' .*NAME=FILE"):
            join([self.a, self.a])


class TestDialogues:
    """Dialogues are the unit of resampling; their names must not depend on where anything stands."""

    contexts: tuple[tuple[str, ...], ...] = (
        ("a",),
        ("a", "b", "c"),
        ("p",),
        ("p", "q", "r"),
        ("a", "b", "c", "d", "e"),
    )
    references = (("b",), ("d",), ("q",), ("s",), ("f",))

    def test_given_names_are_kept(self) -> None:
        """A segment without one is a dialogue of its own, whatever others are called."""
        a = table(
            "a",
            id=["1", "2", "3"],
            dialogue_id=["2", None, "2"],
            references=["x", "y", "z"],
            hypothesis=[""] * 3,
        )
        assert ["2", "segment 2", "2"] == list(join([a]).corpus.dialogue_ids)

    def test_conversations_are_found_and_named_by_their_first_id(self) -> None:
        """A record continues another if that one's context and reference begin its context."""
        a = table(
            "a", id=list("vwxyz"), context=self.contexts, references=self.references, hypothesis=[""] * 5
        )
        assert list("vvxxv") == list(join([a]).corpus.dialogue_ids)

    def test_conversations_without_ids_are_named_by_what_they_say(self) -> None:
        """The name depends on the first segment's words, not on its form or its row."""
        a = table("a", context=self.contexts, references=self.references, hypothesis=[""] * 5)
        spaced = [tuple(f"{turn.upper()} !" for turn in context) for context in self.contexts]
        b = table(
            "b",
            context=spaced,
            references=[(f"{r.upper()} !",) for (r,) in self.references],
            hypothesis=[""] * 5,
        )
        names = join([a]).corpus.dialogue_ids
        assert [0, 0, 2, 2, 0] == [list(names).index(name) for name in names]
        assert list(names) == list(join([b]).corpus.dialogue_ids)
        assert all(len(name) == 16 for name in names)

    def test_conversations_that_begin_alike_are_told_apart(self) -> None:
        """Equal beginnings are numbered; each continuation belongs to the one before it."""
        contexts = [("hi",), ("hi", "yo", "x"), ("hi",), ("hi", "yo", "z")]
        references = [("yo",), ("1",), ("yo",), ("2",)]
        names = join(
            [table("a", context=contexts, references=references, hypothesis=[""] * 4)]
        ).corpus.dialogue_ids
        assert [names[0], names[0], f"{names[0]}#2", f"{names[0]}#2"] == list(names)

    def test_dialogues_survive_the_cut(self) -> None:
        """Detection precedes the cut: a dialogue keeps its name when its first segment is dropped."""
        a = table(
            "a", id=list("vwxyz"), context=self.contexts, references=self.references, hypothesis=[""] * 5
        )
        b = table("b", id=list("zy"), hypothesis=["", ""])
        assert ("x", "v") == tuple(join([a, b]).corpus.dialogue_ids)


@st.composite
def conversations(draw: st.DrawFn) -> Records:
    """A test set of some conversations without repeated texts."""
    lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    contexts, references = [], []
    for number, length in enumerate(lengths):
        turns = [f"{number} says {turn} ." for turn in range(2 * length)]
        for end in range(1, 2 * length, 2):
            contexts.append(tuple(turns[:end]))
            references.append((turns[end],))
    n = len(contexts)
    ids = draw(st.permutations([f"s{row}" for row in range(n)]))
    return table(None, id=ids, context=contexts, references=references)


@st.composite
def systems(draw: st.DrawFn) -> tuple[list[Records], list[list[int]]]:
    """Three systems on parts of one test set, and another order for the rows of each."""
    corpus = draw(conversations())
    n = len(corpus)
    shared = draw(st.integers(0, n - 1))
    tables, orders = [], []
    for name in "abc":
        rows = [row for row in range(n) if row == shared or draw(st.booleans())]
        part = permuted(corpus, rows)
        hypotheses = [f"{name} on {corpus.columns['id'][row]}" for row in rows]
        tables.append(replace(part, system=name, columns={**part.columns, "hypothesis": hypotheses}))
        orders.append(draw(st.permutations(range(len(rows)))))
    return tables, orders


def without_ids(records: Records) -> Records:
    """The same records, which only their texts can join."""
    return replace(records, columns={k: v for k, v in records.columns.items() if k != "id"})


class TestOrder:
    """Nothing depends on the order of files or rows."""

    @given(systems())
    def test_order_of_rows_with_ids(self, made: tuple[list[Records], list[list[int]]]) -> None:
        """Any order of any table's rows gives the same responses and the same dialogues by id."""
        tables, orders = made
        shuffled = [permuted(records, order) for records, order in zip(tables, orders, strict=True)]
        plain, other = join(tables), join(shuffled)
        assert {k: set(v) for k, v in answers(plain).items()} == {
            k: set(v) for k, v in answers(other).items()
        }
        names = [dict(zip(c.corpus.ids, c.corpus.dialogue_ids, strict=True)) for c in (plain, other)]
        assert names[0] == names[1]
        assert plain.corpus.fingerprint == other.corpus.fingerprint
        assert plain.dropped == other.dropped

    @given(systems())
    def test_order_of_rows_without_ids(self, made: tuple[list[Records], list[list[int]]]) -> None:
        """The same holds for texts in place of ids."""

        def rows(cohort: Cohort) -> set[tuple[Any, ...]]:
            corpus = cohort.corpus
            texts = [outputs.hypotheses for outputs in cohort.systems]
            return set(
                zip(corpus.contexts or (), corpus.references or (), corpus.dialogue_ids, *texts, strict=True)
            )

        tables, orders = [without_ids(records) for records in made[0]], made[1]
        shuffled = [permuted(records, order) for records, order in zip(tables, orders, strict=True)]
        assert rows(join(tables)) == rows(join(shuffled))

    @given(systems(), st.permutations(range(3)), st.booleans())
    def test_order_of_files(
        self, made: tuple[list[Records], list[list[int]]], order: list[int], has_ids: bool
    ) -> None:
        """The order of files is that of the systems and of nothing else."""
        tables = made[0] if has_ids else [without_ids(records) for records in made[0]]
        plain, other = join(tables), join([tables[i] for i in order])
        assert list(plain.corpus) == list(other.corpus)
        assert answers(plain) == answers(other)
        assert ["abc"[i] for i in order] == [outputs.system for outputs in other.systems]


@pytest.fixture(scope="module")
def tables(shared: Path) -> list[Records]:
    """Three decodes of MIME on 5,255 segments, and three systems of EmpDG's on 2,713."""
    outputs = shared / "data" / "outputs"
    empdg = [outputs / "empdg" / f"{name}.txt" for name in ("Transformer", "EmoPrepend", "EmpDG")]
    return read([outputs / "mime" / "output.txt", *empdg])


class TestPublishedOutputs:
    """Logs of MIME (Majumder et al., 2020) and EmpDG (Li et al., 2020) as their authors published them."""

    def test_six_systems_share_the_segments_of_the_smaller_set(self, tables: list[Records]) -> None:
        """EmpDG's 2,713 segments are among MIME's 5,255."""
        cohort = join(tables)
        assert 2713 == len(cohort.corpus)
        assert 2533 == len(set(cohort.corpus.dialogue_ids))
        assert [2542, 2542, 2542, 0, 0, 0] == [cohort.dropped[records.system or ""] for records in tables]
        assert ["cohort_reduced"] == [notice.code for notice in cohort.notices]

    @pytest.mark.parametrize(
        ("part", "n_segments", "n_dialogues"), [(slice(3), 5255, 2542), (slice(3, 6), 2713, 2533)]
    )
    def test_dialogues(self, tables: list[Records], part: slice, n_segments: int, n_dialogues: int) -> None:
        """Turns of one conversation are found again, in any order of rows."""
        cohort = join(tables[part])
        assert n_segments == len(cohort.corpus)
        assert n_dialogues == len(set(cohort.corpus.dialogue_ids))
        backwards = join([permuted(records, range(len(records))[::-1]) for records in tables[part]])
        assert list(cohort.corpus.dialogue_ids) == list(backwards.corpus.dialogue_ids)[::-1]

    def test_dialogue_names_do_not_depend_on_the_base(self, tables: list[Records]) -> None:
        """Either log gives the shared segments the same names."""
        by_empdg = join(tables).corpus
        by_mime = join([replace(records, system=f"{i}") for i, records in enumerate(tables)]).corpus
        assert ["EmoPrepend", "output"] == [by_empdg.name, by_mime.name]
        assert list(by_empdg.dialogue_ids) == list(by_mime.dialogue_ids)

    def test_a_log_can_be_the_corpus(self, tables: list[Records], shared: Path) -> None:
        """Its order and texts are used, its responses are not."""
        corpus = read_corpus(shared / "data" / "outputs" / "mime" / "output.txt")
        cohort = join(tables[3:], corpus=corpus)
        assert 2713 == len(cohort.corpus)
        assert ["Transformer", "EmoPrepend", "EmpDG"] == [outputs.system for outputs in cohort.systems]
