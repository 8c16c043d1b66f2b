from __future__ import annotations

import pytest

from empeval.errors import InputError, UnknownName
from empeval.readers import READERS, Sample, Source, read, read_corpus, recognise

NAMES = READERS.names()
#: hold no responses
CORPORA = ("empatheticdialogues", "seek_labels")


@pytest.mark.parametrize("name", NAMES)
def test_every_reader_describes_itself(name):
    """One line, and the name it is registered under."""
    reader = READERS[name]
    assert name == reader.name
    assert reader.description
    assert "\n" not in reader.description


@pytest.mark.parametrize("name", NAMES)
def test_every_reader_is_recognised_by_content(name, examples, write):
    """Whatever the suffix says."""
    for suffix in ("", ".txt", ".log", ".csv"):
        if name == "lines" and suffix == ".csv":
            continue
        path = write(f"file{suffix}", examples[name])
        with Source(path) as source:
            assert name == recognise(source)


@pytest.mark.parametrize("name", NAMES)
def test_every_score_is_a_share(name, examples, write):
    """No reader claims more than all of a file, nor trips over one that is not its own."""
    for content in (*examples.values(), b"\n", b"{", b"\xff\xfe\0", b"---------------\n0\n"):
        with Source(write("file", content)) as source:
            assert 0.0 <= READERS[name]().recognises(source.sample()) <= 1.0


@pytest.mark.parametrize("name", NAMES)
def test_every_reader_reads_its_example(name, examples, write):
    """All columns have one entry a record, lines rise, and the text form of the reader is recorded."""
    path = write("file", examples[name])
    tables = [read_corpus(path)] if name in CORPORA else [*read([path]), read_corpus(path)]
    for table in tables:
        assert {len(table)} == {len(column) for column in table.columns.values()}
        assert sorted(set(table.lines)) == list(table.lines)
        assert (str(path), name) == (table.source, table.reader)
    assert tables[-1].system is None
    assert "hypothesis" not in tables[-1].columns


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("lines", "parquet", "empatheticdialogues")])
def test_one_damaged_line_does_not_change_the_reader(name, examples, write):
    """Else the log would be scored as bare text."""
    lines = examples[name].splitlines(keepends=True)
    for i in range(1, len(lines)):
        with Source(write("file", b"".join([*lines[:i], b"oops\n", *lines[i + 1 :]]))) as source:
            assert name == recognise(source)


def test_a_suffix_breaks_ties_only(write):
    """A one-column table can be either kind."""
    for suffix, name in ((".csv", "csv"), (".tsv", "tsv"), ("", "csv")):
        with Source(write(f"a{suffix}", "hypothesis\noh\n")) as source:
            assert name == recognise(source)


def test_a_table_without_known_fields_is_no_bare_text(write):
    """Its suffix, its tabs or the user's mapping tell what it is."""
    with pytest.raises(InputError, match=r"'hypothesis' is missing; the columns are 'response', 'x'"):
        read([write("a.csv", "response,x\noh,1\nno,2\n")])
    with pytest.raises(InputError, match="the format is not recognised"):
        read([write("a.txt", "response\tx\noh\t1\nno\t2\n")])
    (table,) = read([write("b.txt", "response\tx\noh\t1\nno\t2\n")], columns={"hypothesis": "response"})
    assert ("tsv", ["oh", "no"]) == (table.reader, table.columns["hypothesis"])


@pytest.mark.parametrize(
    "content",
    [
        '{"id": "a",\n "hypothesis": "oh"}\n',
        '[{"id": "a", "hypothesis": "oh"}]\n',
        "[\n" + '  {"id": "a", "hypothesis": "oh"}\n' * 3 + "]\n",
        "{id: a}\n" * 3,
        "{'id': 'a'}\n",
        'oh no .\n{"id": "a", "hypothesis": "oh"}\n' + "fine .\n" * 3,
        "oh no .\nRef:well\n" + "fine .\n" * 3,
    ],
)
def test_damaged_json_or_logs_are_no_bare_text(write, content):
    """They are an error, whatever the file is called."""
    for name in ("a.jsonl", "a.txt", "a"):
        with pytest.raises(InputError):
            read([write(name, content)])


def test_text_that_merely_looks_odd_is_bare_text(write):
    """A response may begin with a bracket, or with a word that a log begins with."""
    texts = ["[laughs] oh no", "Ref: see above", *["fine , thanks"] * 20]
    (table,) = read([write("a.txt", "\n".join(texts))])
    assert ("lines", texts) == (table.reader, table.columns["hypothesis"])


def test_a_reader_can_be_named(write):
    """Its text form may carry options; an unknown name lists the known ones."""
    path = write("a.txt", '{"id": "a"}\nemotion:sad\n')
    (table,) = read([path], reader="lines")
    assert ['{"id": "a"}', "emotion:sad"] == table.columns["hypothesis"]
    with pytest.raises(UnknownName, match="did you mean 'jsonl'"):
        read([path], reader="json")
    with pytest.raises(InputError, match="takes no fields"):
        read([path], reader="lines(x=1)")


def test_the_sample_ends_at_a_whole_line(write):
    """A line that the sample cuts is left out, unless it is the only one."""
    with Source(write("a", b"x" * 40_000 + b"\n" + b"y" * 40_000)) as source:
        assert [40_000] == [len(line) for line in source.sample().lines]
    with Source(write("b", b"z" * 70_000)) as source:
        assert [65_536] == [len(line) for line in source.sample().lines]


def test_a_sample_may_be_made_by_hand():
    """Readers of other packages are tested this way."""
    assert 1.0 == READERS["parquet"]().recognises(Sample(b"PAR1", ("PAR1",)))


class TestNames:
    """How systems get their names."""

    def test_stem_or_given(self, write):
        """NAME=FILE wins over the stem; an existing path that holds an equals sign is a path."""
        plain = write("a.txt", "oh\n")
        odd = write("b=c.txt", "no\n")
        named = [f"mine={plain}", odd, f"its={odd}"]
        assert ["mine", "b=c", "its"] == [table.system for table in read(named)]

    @pytest.mark.parametrize("argument", ["=a.txt", "a=", "="])
    def test_half_a_name_is_refused(self, argument):
        """Neither a file nor NAME=FILE."""
        with pytest.raises(InputError, match="neither a file nor NAME=FILE"):
            read([argument])

    def test_decodes_extend_the_name(self, write, examples):
        """So that several decodes of two logs can be told apart."""
        path = write("out.txt", examples["mime"])
        assert ["m:Topk", "m:Beam", "m:Greedy"] == [table.system for table in read([f"m={path}"])]

    def test_the_same_name_twice_is_refused(self, tmp_path):
        """Both files are named, and the way out."""
        for folder in ("x", "y"):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "a.txt").write_text("oh\n")
        files = [tmp_path / "x" / "a.txt", tmp_path / "y" / "a.txt"]
        with pytest.raises(InputError, match=r"system 'a': .*x.a\.txt and .*y.a\.txt; .*NAME=FILE"):
            read(files)
        assert ["a", "b"] == [table.system for table in read([files[0], f"b={files[1]}"])]

    def test_no_file_and_a_single_path(self, write):
        """A path is not taken for a sequence of its characters."""
        with pytest.raises(InputError, match="no file"):
            read([])
        assert 1 == len(read(write("a.txt", "oh\n")))
        with pytest.raises(InputError, match="'standard' or 'authors'"):
            read([write("a.txt", "oh\n")], parser="mine")
