from __future__ import annotations

import csv
import io
import json
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from empeval.errors import InputError, UnknownName
from empeval.readers import _tables, read, read_corpus

TABLES = ("jsonl", "csv", "tsv", "parquet")


def jsonl(*records: object) -> str:
    """Records as lines of JSON."""
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("batch", [1, 2048])
def test_every_kind_of_table_gives_the_same_columns(name, batch, examples, write, monkeypatch):
    """Types are those of the manual, and a column of no known name is kept."""
    for module in ("jsonl", "delimited", "parquet"):
        monkeypatch.setattr(f"empeval.readers.{module}.BATCH", batch)
    (table,) = read([write("a.x", examples[name])])
    first = ("my cat is back !",)
    expected = {
        "id": ["a", "b"],
        "dialogue_id": ["d1", "d1"],
        "context": [first, (*first, "what a relief .", "she was gone for a week , it was awful")],
        "references": [("what a relief .", "so glad ."), ("poor thing .",)],
        "emotion": ["joyful", "sad"],
        "hypothesis": ["that is great news !", ""],
        "predicted_emotion": [("joyful", "content"), ("sad",)],
        "nll": [12.5, 3.0],
        "n_tokens": [4, 2],
        "note": ["x", "y"],
    }
    assert expected == table.columns
    assert "a" == table.system
    assert ([1, 2] if name in ("jsonl", "parquet") else [2, 3]) == list(table.lines)
    assert not table.positional


# What CSV and Parquet can hold: any text without NUL and without halves of surrogate pairs.
TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=12)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(TEXT, st.lists(TEXT, min_size=1, max_size=3)), min_size=1, max_size=4))
def test_texts_survive_every_kind_of_table(write, rows):
    """Line separators, quotes, commas, tabs and carriage returns included."""
    records = [{"id": str(i), "hypothesis": h, "context": c} for i, (h, c) in enumerate(rows)]
    files = [write("a.jsonl", jsonl(*records)), write("b.jsonl", jsonl(*records).replace("\n", "\r\n"))]
    for delimiter in ",\t":
        sheet = io.StringIO()
        writer = csv.writer(sheet, delimiter=delimiter)
        writer.writerow(records[0])
        writer.writerows([r["id"], r["hypothesis"], json.dumps(r["context"])] for r in records)
        files.append(write("c.csv" if delimiter == "," else "d.tsv", sheet.getvalue()))
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(records), sink)
    files.append(write("e.parquet", sink.getvalue()))
    for table in read(files):
        assert [h for h, _ in rows] == table.columns["hypothesis"]
        assert [tuple(c) for _, c in rows] == table.columns["context"]


class TestFields:
    """What the fields of a record may hold."""

    def column(self, write, name, *values, **others):
        records = [{"id": str(i), "hypothesis": "oh", name: v, **others} for i, v in enumerate(values)]
        return read([write("a.jsonl", jsonl(*records))])[0].columns

    @pytest.mark.parametrize(
        ("name", "values", "expected"),
        [
            ("id", ["x", 7, 10**30], ["x", "7", str(10**30)]),
            ("dialogue_id", ["x", 7, None, ""], ["x", "7", None, None]),
            ("context", ["hi", [], ["a", ""]], [("hi",), (), ("a", "")]),
            ("references", ["hi", ["a", "b"], ""], [("hi",), ("a", "b"), ("",)]),
            ("emotion", ["sad", None, ""], ["sad", None, None]),
            (
                "predicted_emotion",
                ["sad", ["a", "b"], None, "", []],
                [("sad",), ("a", "b"), None, None, None],
            ),
            ("response_intent", ["ask", None], ["ask", None]),
            ("predicted_intent", ["ask", None], ["ask", None]),
            ("nll", [1, 2.5, 0, None], [1.0, 2.5, 0.0, None]),
            ("n_tokens", [1, 3.0, None], [1, 3, None]),
            ("candidate_scores", [[1, -2.5], None, [1e400]], [(1.0, -2.5), None, (math.inf,)]),
            ("anything", [1, None, {"deep": [1]}], [1, None, {"deep": [1]}]),
            ("hypothesis", ["", " oh ", "\u2028"], ["", " oh ", "\u2028"]),
        ],
    )
    def test_values_become_the_types_of_columns(self, write, name, values, expected):
        """Missing labels and numbers are None, never an empty text or a zero."""
        assert expected == self.column(write, name, *values)[name]

    @pytest.mark.parametrize(
        ("name", "value", "message"),
        [
            ("id", 1.5, "must be text, not the number 1.5"),
            ("id", True, "must be text, not true"),
            ("id", "", "is empty"),
            ("dialogue_id", ["d"], "must be text, not a list"),
            ("context", 3, "must be text or a list of texts, not the number 3"),
            ("context", ["a", None], "the list holds null"),
            ("context", [{"role": "user"}], "the list holds an object"),
            ("references", [], "is an empty list"),
            ("references", [["a"]], "the list holds a list"),
            ("emotion", 5, "must be text, not the number 5"),
            ("hypothesis", None, 'is null; an empty response is written ""'),
            ("hypothesis", ["oh"], "must be text, not a list"),
            ("hypothesis", 3, "must be text, not the number 3"),
            ("predicted_emotion", [1], "the list holds the number 1"),
            ("predicted_emotion", {"sad": 0.5}, "not an object"),
            ("predicted_intent", False, "must be text, not false"),
            ("nll", -0.1, "0 or above"),
            ("nll", math.nan, "not the number nan"),
            ("nll", math.inf, "not the number inf"),
            ("nll", 10**400, "of many digits"),
            ("nll", "3", "not the text '3'"),
            ("nll", True, "not true"),
            ("n_tokens", 0, "1 or above"),
            ("n_tokens", 2.5, "whole number"),
            ("n_tokens", math.nan, "whole number"),
            ("candidate_scores", [], "is an empty list"),
            ("candidate_scores", [1, math.nan], "the list holds the number nan"),
            ("candidate_scores", [1, None], "the list holds null"),
            ("candidate_scores", 1, "must be a list of numbers"),
            ("token_logprobs", [0.5], "0 or below, not 0.5"),
            ("token_logprobs", [None, -1], "the list holds null"),
            ("token_logprobs", [-math.inf], "finite"),
            ("token_logprobs", [], "is an empty list"),
        ],
    )
    def test_a_wrong_value_names_its_place(self, write, name, value, message):
        """File, line, id, field and what was found, in one message."""
        path = write("a.jsonl", jsonl({"id": "ok", "hypothesis": "oh", name: value, "nll_": 1}))
        good = {"id": "first", "hypothesis": "oh"}
        if name not in ("id", "hypothesis"):
            good[name] = {"nll": 1, "n_tokens": 1}.get(name)
        if name in ("context", "references"):
            good[name] = "hi"
        path.write_text(jsonl(good) + path.read_text())
        with pytest.raises(InputError, match="line 2") as caught:
            read([path])
        text = str(caught.value)
        assert f"the field {name!r} " in text
        assert message in text
        assert (str(path), 2) == (caught.value.source, caught.value.line)
        if name != "id":
            assert "ok" == caught.value.segment_id

    def test_token_logprobs_become_a_sum_and_a_count(self, write):
        """Total negative log-likelihood, rounded once."""
        columns = self.column(write, "token_logprobs", [-0.1] * 10, [0.0], None)
        assert [1.0, 0.0, None] == columns["nll"]
        assert "0.0" == str(columns["nll"][1])
        assert [10, 1, None] == columns["n_tokens"]
        assert "token_logprobs" not in columns

    def test_a_single_reference_is_a_tuple_of_one(self, write):
        """`reference` and `references` are the same column."""
        assert [("a",), ("b", "c")] == self.column(write, "reference", "a", ["b", "c"])["references"]

    @pytest.mark.parametrize(
        "pair", [("reference", "references"), ("token_logprobs", "nll"), ("token_logprobs", "n_tokens")]
    )
    def test_two_fields_that_say_the_same_are_refused(self, write, pair):
        """Which one counts would be a guess."""
        path = write("a.jsonl", jsonl({"hypothesis": "a", **dict.fromkeys(pair, "x")}))
        with pytest.raises(InputError, match="which say the same"):
            read([path])


class TestPresence:
    """Which fields a record must have."""

    @pytest.mark.parametrize("name", ["id", "context", "references", "hypothesis"])
    @pytest.mark.parametrize("position", [0, 1, 2])
    @pytest.mark.parametrize("batch", [1, 2, 100])
    def test_a_field_of_all_but_one_record_is_missing(self, write, monkeypatch, name, position, batch):
        """These belong to every record or to none; the line without is named, in whatever batch it falls."""
        monkeypatch.setattr("empeval.readers.jsonl.BATCH", batch)
        records = [{"id": str(i), "hypothesis": "a", "context": "b", "references": "c"} for i in range(3)]
        del records[position][name]
        with pytest.raises(InputError, match=f"line {position + 1}: the field '{name}' is missing or null"):
            read([write("a.jsonl", jsonl(*records))])

    def test_null_counts_as_missing(self, write):
        """A column of nulls alone is no column."""
        rows = [{"hypothesis": "a", "context": None, "nll": None} for _ in range(2)]
        assert {"hypothesis"} == set(read([write("a.jsonl", jsonl(*rows))])[0].columns)
        rows[0]["context"] = "b"
        with pytest.raises(InputError, match="line 2: the field 'context' is missing or null"):
            read([write("a.jsonl", jsonl(*rows))])

    @pytest.mark.parametrize("batch", [1, 100])
    def test_other_fields_may_come_and_go(self, write, monkeypatch, batch):
        """A record without one has None there."""
        monkeypatch.setattr("empeval.readers.jsonl.BATCH", batch)
        rows = [{"hypothesis": "a"}, {"hypothesis": "a", "nll": 1, "x": 2}, {"hypothesis": "a", "y": 3}]
        columns = read([write("a.jsonl", jsonl(*rows))])[0].columns
        assert ([None, 1.0, None], [None, 2, None], [None, None, 3]) == (
            columns["nll"],
            columns["x"],
            columns["y"],
        )

    def test_a_table_without_hypotheses_is_no_system(self, write):
        """The message lists the columns there are."""
        path = write("a.jsonl", jsonl({"id": "1", "response": "a"}))
        with pytest.raises(InputError, match="'hypothesis' is missing; the columns are 'id', 'response'"):
            read([path])
        with pytest.raises(InputError, match="none of the columns is a field of a corpus"):
            read_corpus(write("b.jsonl", jsonl({"response": "a"})))

    def test_the_corpus_ignores_hypotheses(self, write):
        """Even such as would be an error."""
        table = read_corpus(write("a.jsonl", jsonl({"id": "1", "reference": "a", "hypothesis": None})))
        assert ({"id", "references"}, None) == (set(table.columns), table.system)

    def test_an_id_twice_names_both_lines(self, write):
        """Within one system; another system has the same ids."""
        rows = [{"id": i, "hypothesis": "a"} for i in (1, 2, 3, "2")]
        with pytest.raises(
            InputError, match="line 4, id '2': this id of system 'a' stands on line 2 already"
        ):
            read([write("a.jsonl", jsonl(*rows))])
        with pytest.raises(InputError, match="stands on line 2 already"):
            read_corpus(write("b.csv", "id,reference\n1,a\n1,b\n"))


class TestSystemsInOneFile:
    """A `system` column."""

    ROWS = (
        {"system": "B", "id": "1", "hypothesis": "b1", "emotion": "sad"},
        {"system": "A", "id": "1", "hypothesis": "a1", "emotion": "sad"},
        {"system": "B", "id": "2", "hypothesis": "b2", "emotion": None},
    )

    def test_each_becomes_records_of_its_own(self, write):
        """In order of appearance, with the lines they stand on."""
        b, a = read([write("x.jsonl", jsonl(*self.ROWS))])
        assert ("B", ["b1", "b2"], ["sad", None], [1, 3]) == (
            b.system,
            b.columns["hypothesis"],
            b.columns["emotion"],
            list(b.lines),
        )
        assert ("A", ["a1"], [2]) == (a.system, a.columns["hypothesis"], list(a.lines))
        assert "system" not in a.columns

    def test_a_given_name_replaces_one_and_extends_many(self, write):
        """So that two files with the same systems can be compared."""
        many, one = write("x.jsonl", jsonl(*self.ROWS)), write("y.jsonl", jsonl(self.ROWS[1]))
        assert ["A"] == [table.system for table in read([one])]
        assert ["n"] == [table.system for table in read([f"n={one}"])]
        assert ["n:B", "n:A"] == [table.system for table in read([f"n={many}"])]

    def test_every_record_names_its_system(self, write):
        """Else it would belong to nobody."""
        rows = [*self.ROWS, {"id": "9", "hypothesis": "c"}]
        with pytest.raises(InputError, match="line 4: the field 'system' is missing"):
            read([write("x.jsonl", jsonl(*rows))])

    def test_a_corpus_holds_each_segment_once(self, write):
        """Which system's rows to take would be a guess."""
        with pytest.raises(InputError, match="holds 2 systems"):
            read_corpus(write("x.jsonl", jsonl(*self.ROWS)))


class TestMapping:
    """Columns under other names."""

    def test_columns_take_the_names_of_fields(self, write):
        """A mapped column displaces one that bears the field's name, and one column may serve twice."""
        path = write("a.csv", "item,text,hypothesis\n1,oh,raw\n2,no,raw\n")
        mapping = {"id": "item", "dialogue_id": "item", "hypothesis": "text"}
        (table,) = read([path], columns=mapping)
        assert {"id": ["1", "2"], "dialogue_id": ["1", "2"], "hypothesis": ["oh", "no"]} == table.columns
        assert mapping == table.options["columns"]

    def test_a_column_that_is_not_there_is_named(self, write):
        """With those that are."""
        with pytest.raises(
            InputError, match=r"no column 'answer' to read as 'hypothesis'; the columns are 'id', 'response'"
        ):
            read([write("a.csv", "id,response\n1,oh\n")], columns={"hypothesis": "answer"})

    def test_a_field_that_does_not_exist_is_named(self, write):
        """With the nearest one."""
        with pytest.raises(UnknownName, match="did you mean 'hypothesis'"):
            read([write("a.csv", "id,response\n1,oh\n")], columns={"hypotheses": "response"})
        with pytest.raises(UnknownName):
            read([write("a.txt", "oh\n")], columns={"hypotheses": "response"})

    def test_messages_speak_of_the_columns_that_the_file_has(self, write):
        """The user knows no other name."""
        path = write("a.jsonl", jsonl({"item": "k", "answer": 3}))
        with pytest.raises(InputError, match=r"line 1, id 'k': the field 'answer' must be text"):
            read([path], columns={"hypothesis": "answer", "id": "item"})


class TestJsonLines:
    """What a line of JSONL may be."""

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ('{"hypothesis": "a"', "not valid JSON: Expecting"),
            ('{"hypothesis": "a"} {"hypothesis": "b"}', "more than one JSON value"),
            ('{"hypothesis": "a"},', "more than one JSON value"),
            ('["a"]', "is a list, not an object"),
            ('"a"', "is the text 'a', not an object"),
            ("null", "is null, not an object"),
            ("{'hypothesis': 'a'}", "not valid JSON"),
            ('{"hypothesis": "a\tb"}', "not valid JSON: Invalid control character"),
            ('{"x": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
            ('{"x": ' + "9" * 5000 + "}", "too many digits"),
            (r'{"hypothesis": "\ud83d"}', "half of a surrogate pair"),
            (r'{"x": {"\uDE00": 1}}', "half of a surrogate pair"),
            ("\u00a0x", "not valid JSON"),
        ],
    )
    def test_a_line_that_is_no_object_is_named(self, write, line, message):
        """By its number, with what it is."""
        with pytest.raises(InputError, match="line 3: this line ") as caught:
            read([write("a.jsonl", jsonl({"hypothesis": "ok"}) + "\n" + line + "\n")])
        assert message in str(caught.value)

    def test_escaped_characters_are_read(self, write):
        """A whole surrogate pair is one character; a NUL that is escaped is text."""
        path = write("a.jsonl", r'{"hypothesis": "\ud83d\ude00 \u0000 \u2028"}')
        assert ["\U0001f600 \0 \u2028"] == read([path])[0].columns["hypothesis"]

    def test_blank_lines_are_skipped_and_counted(self, write):
        """The lines of records are those of the file."""
        path = write("a.jsonl", '\ufeff{"hypothesis": "a"}\r\n\r\n  \n {"hypothesis": "b"} ')
        (table,) = read([path])
        assert (["a", "b"], [1, 4], ()) == (table.columns["hypothesis"], list(table.lines), table.notices)

    def test_values_that_became_names_are_refused(self, write):
        """A thousand different fields would fill the memory with gaps."""
        rows = [
            {"hypothesis": "a", f"x{i}": 1, **({"y": 1} if i else {})} for i in range(_tables.MAX_COLUMNS)
        ]
        with pytest.raises(InputError, match="more than 1000 different fields"):
            read([write("a.jsonl", jsonl(*rows))])

    def test_a_file_of_blank_lines_holds_no_records(self, write):
        """It is not empty, and says nothing."""
        with pytest.raises(InputError, match="holds no records"):
            read([write("a.jsonl", "\n\n")], reader="jsonl")


class TestDelimited:
    """What CSV and TSV may hold."""

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("id,hypothesis\n1,oh,no\n", "line 2: 3 cells, but the header has 2"),
            ('id,hypothesis\n1,"a\nb"\n2\n', "line 4: 1 cells"),
            ('id,hypothesis\n1,"oh\n2,no\n', "line 2: this row cannot be read"),
            ('id,hypothesis\n1,"oh" no\n', "line 2: this row cannot be read"),
            ("id,hypothesis\n1,a\rb\n", "line 2: this row cannot be read"),
            ('id,hypothesis\n1,"' + "x" * 200_000 + "\n", "line 2: this row cannot be read"),
            ("id,hypothesis,id\n1,oh,2\n", "two columns are named 'id'"),
            ("id,hypothesis\n", "holds no records"),
            ("id,hypothesis,nll\n1,oh,much\n", "'nll' must be a finite number, 0 or above"),
            ("id,hypothesis,nll\n1,oh,nan\n", "not the number nan"),
            ("id,hypothesis,candidate_scores\n1,oh,0.5 0.3\n", "must be a list of numbers"),
            ("id,hypothesis,candidate_scores\n1,oh," + "[" * 5000 + "\n", "must be a list of numbers"),
        ],
    )
    def test_a_row_that_does_not_fit_is_named(self, write, content, message):
        """By the line it starts on."""
        with pytest.raises(InputError, match=message):
            read([write("a.csv", content)])

    def test_cells_are_parsed_as_their_fields_ask(self, write):
        """Lists as JSON or as Python prints them; text that merely has brackets is text."""
        path = write(
            "a.csv",
            "id,hypothesis,context,predicted_emotion,nll,n_tokens,candidate_scores,emotion\n"
            '007,,"[\'it is late\', ""i can\'t sleep""]",sad,1.5,3,"[1, 0.5]",\n'
            '8," oh ","[""a"", ""b""]","[""sad"", ""afraid""]",,,,sad\n'
            '"9",null,[sighs],,2,1,,\n',
        )
        (table,) = read([path])
        assert {
            "id": ["007", "8", "9"],
            "hypothesis": ["", " oh ", "null"],
            "context": [("it is late", "i can't sleep"), ("a", "b"), ("[sighs]",)],
            "predicted_emotion": [("sad",), ("sad", "afraid"), None],
            "nll": [1.5, None, 2.0],
            "n_tokens": [3, None, 1],
            "candidate_scores": [(1.0, 0.5), None, None],
            "emotion": [None, "sad", None],
        } == table.columns

    def test_blank_lines_and_an_index_without_a_name(self, write):
        """As pandas writes it; lines are those that rows start on."""
        path = write("a.csv", '\ufeff,id, hypothesis \r\n0,1,"a\r\nb"\r\n\r\n1,2,c')
        (table,) = read([path])
        assert {"column_1": ["0", "1"], "id": ["1", "2"], "hypothesis": ["a\r\nb", "c"]} == table.columns
        assert [2, 5] == list(table.lines)
        assert ["maybe_truncated"] == [notice.code for notice in table.notices]


class TestParquet:
    """What Parquet may hold."""

    def write_table(self, write, rows, name="a.parquet", pack=lambda content: content):
        sink = io.BytesIO()
        pq.write_table(rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(rows), sink)
        return write(name, pack(sink.getvalue()))

    def test_it_may_be_compressed_from_outside(self, write):
        """As any other table."""
        import gzip

        path = self.write_table(write, [{"hypothesis": "a"}], "a.parquet.gz", gzip.compress)
        assert (["a"], "a") == (read([path])[0].columns["hypothesis"], read([path])[0].system)

    def test_rows_are_named_instead_of_lines(self, write):
        """A column format has no lines."""
        path = self.write_table(write, [{"id": "x", "hypothesis": "a"}, {"id": "y", "hypothesis": None}])
        with pytest.raises(InputError, match="id 'y': row 2: the field 'hypothesis' is null"):
            read([path])
        with pytest.raises(InputError, match="row 2: this id of system 'a' stands on row 1 already"):
            read([self.write_table(write, [{"id": 1, "hypothesis": "a"}] * 2)])

    def test_columns_of_every_arrow_type_are_kept(self, write):
        """Dictionaries, large texts and nested values come as Python values."""
        rows = pa.table(
            {
                "id": pa.array([1, 2], pa.int16()),
                "hypothesis": pa.array(["a", "b"]).dictionary_encode(),
                "references": pa.array([["x"], ["y", "z"]], pa.large_list(pa.large_string())),
                "where": pa.array([{"page": 1}, None]),
            }
        )
        assert {
            "id": ["1", "2"],
            "hypothesis": ["a", "b"],
            "references": [("x",), ("y", "z")],
            "where": [{"page": 1}, None],
        } == read([self.write_table(write, rows)])[0].columns

    @pytest.mark.parametrize("damage", [b"PAR1", b"PAR1 and not more", b"PAR1" + bytes(400) + b"PAR1"])
    def test_a_damaged_file_is_named(self, write, damage):
        """In one message, without the library's trace."""
        with pytest.raises(InputError, match=r"a\.parquet: the file is not readable as Parquet"):
            read([write("a.parquet", damage)])
        with pytest.raises(InputError, match="read it with the reader 'parquet'"):
            read([write("a.parquet", damage)], reader="jsonl")

    def test_no_rows_and_doubled_columns(self, write):
        """Neither is a table of records."""
        empty = pa.table({"hypothesis": pa.array([], pa.string())})
        with pytest.raises(InputError, match="holds no records"):
            read([self.write_table(write, empty)])
        doubled = pa.table([pa.array(["a"]), pa.array(["b"])], names=["hypothesis", "hypothesis"])
        with pytest.raises(InputError, match="two columns are named 'hypothesis'"):
            read([self.write_table(write, doubled)])


class TestBareLines:
    """Bare text."""

    def test_every_line_is_a_response(self, write):
        """A blank line is an empty one, and the last newline begins no further one."""
        for content in ("oh no .\n\n  \nfine\u2028then\n", "oh no .\r\n\r\n  \r\nfine\u2028then"):
            (table,) = read([write("a.txt", content)])
            assert ["oh no .", "", "  ", "fine\u2028then"] == table.columns["hypothesis"]
            assert (True, [1, 2, 3, 4], "lines") == (table.positional, list(table.lines), table.reader)

    def test_lines_of_a_corpus_are_references(self, write):
        """One reference a segment."""
        table = read_corpus(write("refs.txt", "a\nb\n"))
        assert ({"references": [("a",), ("b",)]}, True, None) == (
            table.columns,
            table.positional,
            table.system,
        )
