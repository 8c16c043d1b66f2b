"""Tables of ratings: layouts, formats, what counts, and what is refused."""

from __future__ import annotations

import gzip
import io
import json
import math
from pathlib import Path
from typing import Any

import pytest

from empeval.errors import InputError, UnknownName
from empeval.ratings import read_ratings

NAN = math.nan
LONG = [
    {"item": "i1", "rater": "ann", "value": 4},
    {"item": "i1", "rater": "ben", "value": 5},
    {"item": "i2", "rater": "ann", "value": 3},
]


def write(path: Path, text: str) -> Path:
    """A file with this text."""
    path.write_text(text, encoding="utf-8")
    return path


def table(tmp_path: Path, text: str, name: str = "ratings.csv") -> Path:
    """A CSV file with this text."""
    return write(tmp_path / name, text)


def matrix(found: Any, question: str = "rating") -> list[list[float | None]]:
    """The matrix of a question, None where nobody rated."""
    rows = found.questions[question].ratings.matrix().tolist()
    return [[None if math.isnan(value) else value for value in row] for row in rows]


def refused(path: Path | list[Any], **asked: Any) -> str:
    """The message of the error."""
    with pytest.raises(InputError) as caught:
        read_ratings(path if isinstance(path, list) else [path], **asked)
    return str(caught.value)


@pytest.mark.parametrize(
    "form", ["csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.gz", "parquet.gz", "txt"]
)
def test_every_format_gives_the_same(tmp_path: Path, form: str) -> None:
    """CSV, TSV, JSONL and Parquet, each gzipped too; a file of another name is recognised by its content."""
    kind, _, packed = form.partition(".")
    delimiter = "\t" if kind == "tsv" else ","
    if kind == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        stream = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(LONG), stream)
        data = stream.getvalue()
    elif kind == "jsonl":
        data = "".join(json.dumps(row) + "\n" for row in LONG).encode()
    else:
        lines = [["item", "rater", "value"], *([str(cell) for cell in row.values()] for row in LONG)]
        data = "".join(delimiter.join(line) + "\n" for line in lines).encode()
    path = tmp_path / f"ratings.{form}"
    path.write_bytes(gzip.compress(data) if packed else data)
    assert [[4, 5], [3, None]] == matrix(read_ratings([path]))


def test_standard_input_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file named - is standard input."""
    text = "item,rater,value\ni1,ann,4\ni1,ben,5\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert [[4, 5]] == matrix(read_ratings(["-"]))


def test_columns_of_other_names_are_mapped(tmp_path: Path) -> None:
    """A mapped column displaces one that bears the field's name."""
    path = table(tmp_path, "task,worker,score,value\ni1,ann,4,x\ni1,ben,5,y\n")
    found = read_ratings([path], columns={"item": "task", "rater": "worker", "value": "score"})
    assert [[4, 5]] == matrix(found)


def test_systems_dialogues_and_positions(tmp_path: Path) -> None:
    """A unit is an item as one system answered it; a blank dialogue is the item; time gives order."""
    path = table(
        tmp_path,
        "item,rater,value,system,dialogue,time\ni1,ann,4,x,d,2\ni1,ann,5,y,d,1\ni2,ann,3,x,,3\n",
    )
    ratings = read_ratings([path]).questions["rating"].ratings
    assert (3, 2, 2) == (ratings.n_units, len(ratings.systems), len(ratings.dialogues))
    assert ratings.positions is not None
    assert [1, 0, 2] == ratings.positions.tolist()


def test_repeats_are_told_apart_by_their_pass(tmp_path: Path) -> None:
    """The same rater and item twice, in two passes."""
    path = table(tmp_path, "item,rater,value,pass\ni1,ann,4,1\ni1,ann,5,2\n")
    ratings = read_ratings([path]).questions["rating"].ratings
    assert (2, ("1", "2")) == (len(ratings.values), ratings.passes.names)


def test_one_column_a_rater(tmp_path: Path) -> None:
    """A blank cell is no rating, and no row that was left out."""
    path = table(tmp_path, "item,ann,ben,cid\ni1,4,5,\ni2,3,,2\n")
    found = read_ratings([path], wide="raters")
    assert [[4, 5, None], [3, None, 2]] == matrix(found)
    assert {} == found.questions["rating"].left_out


def test_one_file_a_rater(tmp_path: Path) -> None:
    """Every column of numbers is a question, named raters or stems; 3.0 equals 3; words are told of."""
    first = table(tmp_path, "conv,warm,clear,remark\ni1,3.0,5,fine\ni2,4,5,\n", "ann.csv")
    second = table(tmp_path, "conv,warm,clear,remark\ni1,3,4,\ni2,2,5,odd\n", "second.csv")
    found = read_ratings([first, f"ben={second}"], wide="files", columns={"item": "conv"})
    assert ["clear", "warm"] == list(found.questions)
    assert [[3, 3], [4, 2]] == matrix(found, "warm")
    assert ("ann", "ben") == found.questions["warm"].ratings.raters.names
    ignored = next(notice for notice in found.notices if notice.code == "ignored_columns")
    assert ("remark",) == ignored.ids


def test_questions_restrict_and_admit(tmp_path: Path) -> None:
    """A column of words is a question where it is asked for; one that is not there is named."""
    path = table(tmp_path, "item,warm,remark\ni1,3,fine\n", "ann.csv")
    found = read_ratings([path], wide="files", questions=["remark"])
    assert (["remark"], "nominal") == (list(found.questions), found.questions["remark"].measurement)
    with pytest.raises(UnknownName, match="there is no question 'wram'; did you mean 'warm'"):
        read_ratings([table(tmp_path, "item,rater,question,value\ni1,ann,warm,3\n")], questions=["wram"])


def test_an_index_of_pandas_is_no_question(tmp_path: Path) -> None:
    """A first column without a name, as a data frame writes its index."""
    path = table(tmp_path, ",item,warm\n0,i1,3\n1,i2,4\n", "ann.csv")
    assert ["warm"] == list(read_ratings([path], wide="files").questions)


def test_numbers_are_ordinal_and_words_nominal(tmp_path: Path) -> None:
    """The default measurement; the categories are those seen, which a notice says."""
    path = table(
        tmp_path, "item,rater,question,value\ni1,ann,warm,3\ni2,ann,warm,1\ni1,ann,kind,yes\ni2,ann,kind,no\n"
    )
    found = read_ratings([path])
    warm, kind = found.questions["warm"], found.questions["kind"]
    assert ("ordinal", (1.0, 3.0), (1.0, 3.0)) == (warm.measurement, warm.categories, warm.scale)
    assert ("nominal", ("no", "yes"), (0.0, 1.0)) == (kind.measurement, kind.categories, kind.scale)
    assert ["categories_seen"] == [notice.code for notice in found.notices]


def test_declared_words_have_an_order(tmp_path: Path) -> None:
    """Codes are places on the declared scale, not in the alphabet."""
    path = table(tmp_path, "item,rater,value\ni1,ann,poor\ni1,ben,good\n")
    asked = {"measurement": "ordinal", "categories": ["poor", "fair", "good"]}
    found = read_ratings([path], **asked).questions["rating"]
    assert ([[0, 2]], ("poor", "fair", "good")) == (found.ratings.matrix().tolist(), found.ratings.words)
    assert () == read_ratings([path], **asked).notices


def test_missing_values_are_counted(tmp_path: Path) -> None:
    """Blank cells and what tables write for them are no category."""
    path = table(tmp_path, "item,rater,value\ni1,ann,4\ni1,ben,\ni1,cid,NA\ni1,dan,nan\n")
    found = read_ratings([path]).questions["rating"]
    assert ([[4]], {"missing_value": 3}, 3) == (
        found.ratings.matrix().tolist(),
        found.left_out,
        found.n_left_out,
    )
    path = write(
        tmp_path / "r.jsonl", '{"item":1,"rater":"a","value":null}\n{"item":2,"rater":"a","value":3}\n'
    )
    assert {"missing_value": 1} == read_ratings([path]).questions["rating"].left_out


def test_only_what_counts_is_taken(tmp_path: Path) -> None:
    """Not counted, of another purpose, or revised later: left out by reason; their values may be anything."""
    path = table(
        tmp_path,
        "item,rater,value,purpose,counted,revision\n"
        "i1,ann,1,main,true,1\ni1,ann,2,main,true,2\n"
        "i1,ben,9,practice,true,1\ni1,cid,8,main,false,1\ni1,cid,3,,,\n",
    )
    found = read_ratings([path], categories=[1, 2, 3]).questions["rating"]
    assert [[2, 3]] == found.ratings.matrix().tolist()
    assert {"not_counted": 1, "purpose": 1, "older_revision": 1} == found.left_out


def test_a_header_without_rows_is_a_question_without_ratings(tmp_path: Path) -> None:
    """An export of a study that nobody has taken part in yet."""
    found = read_ratings([table(tmp_path, "item,rater,value\n")])
    assert (["rating"], 0) == (list(found.questions), len(found.questions["rating"].ratings.values))


def test_a_table_that_looks_transposed_is_told(tmp_path: Path) -> None:
    """More raters than items, each of whom rated nearly all."""
    path = table(tmp_path, "item,r1,r2,r3\ni1,1,2,3\ni2,1,2,2\n")
    assert "perhaps_transposed" in {n.code for n in read_ratings([path], wide="raters").notices}
    path = table(tmp_path, "item,r1,r2\ni1,1,2\ni2,1,2\ni3,3,3\n")
    assert "perhaps_transposed" not in {n.code for n in read_ratings([path], wide="raters").notices}


def test_the_order_of_rows_changes_nothing(tmp_path: Path) -> None:
    """Rows of two files, turned about."""
    lines = ["i1,ann,4", "i1,ben,5", "i2,ann,3", "i2,ben,1"]
    one = [table(tmp_path, "item,rater,value\n" + "\n".join(lines) + "\n")]
    two = [
        table(tmp_path, "item,rater,value\n" + "\n".join(part) + "\n", f"{i}.csv")
        for i, part in enumerate((lines[:1:-1], lines[1::-1]))
    ]
    assert matrix(read_ratings(one)) == matrix(read_ratings(two))


HEAD = "item,rater,value\n"


@pytest.mark.parametrize(
    ("text", "asked", "expected"),
    [
        (
            "rater,value\nann,4\n",
            {},
            "there is no column 'item': the columns are 'rater', 'value'. Name the one",
        ),
        ("item;rater;value\ni1;ann;4\n", {}, "separate cells with commas, not semicolons"),
        ("item,rater\ni1,ann\n", {}, "or say how a wide table is laid out (--wide raters, --wide files)"),
        (HEAD + "i1,ann,4\ni1, ,5\n", {}, "line 3: the rater is blank"),
        (HEAD + "i1,ann,4\n,ben,5\n", {}, "line 3: the item is blank"),
        (HEAD + "i1,ann,4\ni1,ben,good\ni2,ann,3\n", {}, "line 3: the value 'good' is a word, and on line 2"),
        (
            HEAD + "i1,ann,good\n",
            {"measurement": "interval"},
            "line 2: interval measurement asks for numbers",
        ),
        (HEAD + "i1,ann,good\n", {"measurement": "ordinal"}, "line 2: the order of words such as 'good'"),
        (HEAD + "i1,ann,-1\n", {"measurement": "ratio"}, "line 2: the value -1 is below 0"),
        (
            HEAD + "i1,ann,6\n",
            {"categories": [1, 2, 3]},
            "line 2: the value 6 is outside the declared categories",
        ),
        (HEAD + "i1,ann,x\n", {"categories": [1, 2, 3]}, "line 2: the value 'x' is not a number"),
        (
            HEAD + "i1,ann,4\ni1,ann,4\n",
            {},
            "line 3: the same item, question and rater stands on line 2 already",
        ),
        (HEAD + "i1,ann\n", {}, "line 2: 2 cells, but the header has 3"),
        ("item,rater,value,counted\ni1,ann,4,perhaps\n", {}, "line 2: 'counted' must be true or false"),
        ("item,rater,value,revision\ni1,ann,4,last\n", {}, "line 2: the revision must be a number"),
        ("item,rater,value,system\ni1,ann,4,x\ni2,ann,4,\n", {}, "line 3: the system is blank"),
        (HEAD + "i1,ann,4\n", {"categories": [1]}, "a scale has two categories or more"),
        (HEAD + "i1,ann,4\n", {"categories": [1, 1, 2]}, "the category '1' is declared twice"),
        (HEAD + "i1,ann,4\n", {"categories": [2, 1]}, "declared categories ascend"),
        (HEAD + "i1,ann,4\n", {"columns": {"item": "task"}}, "there is no column 'task' to read as 'item'"),
        ("item,a\ni1,x\n", {"wide": "files"}, "there is no column of numbers to be a question"),
        ("a,b\ni1,x\n", {"wide": "raters"}, "there is no column 'item'"),
        ("item,system\ni1,x\n", {"wide": "raters"}, "there is no column for any rater"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, asked: dict[str, Any], expected: str) -> None:
    """One message: the file, the line, what is wrong and what to do."""
    path = table(tmp_path, text)
    message = refused(path, **asked)
    assert expected in message
    if "line " in expected:
        assert message.startswith(f"{path}, line ")


def test_a_row_of_parquet_is_named_by_its_number(tmp_path: Path) -> None:
    """It has no lines."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "r.parquet"
    pq.write_table(pa.Table.from_pylist([*LONG, {"item": "i3", "rater": None, "value": 1}]), path)
    assert f"{path}: row 4: the rater is blank" in refused(path)


def test_pairwise_judgments_are_told_where_to_go(tmp_path: Path) -> None:
    """The other command reads them."""
    message = refused(table(tmp_path, "item,rater,system_a,system_b,winner\ni1,r,x,y,A\n"))
    assert message.endswith("pairwise judgments are for `empeval preference`")


def test_times_are_sorted_as_numbers(tmp_path: Path) -> None:
    """Nine comes before ten."""
    path = table(tmp_path, "item,rater,value,time\ni1,ann,4,10\ni2,ann,5,9\n")
    positions = read_ratings([path]).questions["rating"].ratings.positions
    assert positions is not None
    assert [1, 0] == positions.tolist()


def test_doubles_in_two_files_name_both(tmp_path: Path) -> None:
    """The line of each file."""
    one, two = (
        table(tmp_path, HEAD + "i1,ann,4\n", "one.csv"),
        table(tmp_path, HEAD + "i1,ann,5\n", "two.csv"),
    )
    assert f"{two}, line 2: the same item, question and rater stands on {one}, line 2 already" in refused(
        [one, two]
    )


def test_two_files_of_one_rater_are_refused(tmp_path: Path) -> None:
    """Files of one stem need names."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    files = [table(tmp_path / folder, "item,warm\ni1,3\n", "ann.csv") for folder in ("a", "b")]
    assert "two files name a rater 'ann'" in refused(files, wide="files")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("[1]", "must be a number or a word, not a list"),
        ("1e999", "must be finite"),
        ('{"a": 1}', "an object"),
    ],
)
def test_values_of_json_are_checked(tmp_path: Path, value: str, expected: str) -> None:
    """Lists, objects and infinities are no ratings."""
    path = write(tmp_path / "r.jsonl", f'{{"item": "i1", "rater": "ann", "value": {value}}}\n')
    assert expected in refused(path)


def test_names_of_fields_and_layouts_are_checked(tmp_path: Path) -> None:
    """A field, a measurement and a layout that do not exist are named with those that do."""
    path = table(tmp_path, HEAD + "i1,ann,4\n")
    for asked in ({"columns": {"itemm": "item"}}, {"measurement": "ordinary"}, {"wide": "rater"}):
        with pytest.raises(UnknownName, match=r"did you mean '(item|ordinal|raters)'"):
            read_ratings([path], **asked)
    assert "no file is given" in refused([])
