"""Files as they are published, with the quirks that broke other loaders."""

import gzip
import io
import json
import lzma
import tarfile

import pytest

from searchjev.errors import SourceError
from searchjev.readers import locate, read_file
from searchjev.source import Broken, File, Raw

BOM = b"\xef\xbb\xbf"


@pytest.fixture
def read(tmp_path):
    def run(data, name="data", **declared):
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return list(read_file(path, File(name=name, **declared)))

    return run


def values(records):
    assert all(isinstance(record, Raw) for record in records), records
    return [record.value for record in records]


# separators inside JSON strings

SEPARATED = [
    {"id": "a1", "text": "first\u2028second"},
    {"id": "a2", "text": "前面\u0085后面"},
    {"id": "a3", "text": "tail\u2029end\u000b\u000c\u001c"},
]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_jsonl_ends_lines_at_lf_only(read, newline):
    text = "".join(json.dumps(record, ensure_ascii=False) + newline for record in SEPARATED)
    found = read(text)
    assert values(found) == SEPARATED and [record.line for record in found] == [1, 2, 3]


def test_a_bad_jsonl_line_is_reported_with_its_number(read):
    found = read('{"a": 1}\n\n{"a": \n{"a": 2}\n' + "[" * 100_000 + "\n")
    assert [type(record) for record in found] == [Raw, Broken, Raw, Broken]
    assert found[1] == Broken("data", 3, "not JSON") and found[2].line == 4 and found[3].line == 5


# quotes in tab-separated files


def test_tsv_knows_no_quotes(read):
    text = 'id\ttext\tlabel\n1\t"good start, bad end\tneg\n2\tfine\tpos\n3\tsaid "ok" twice\tpos\n4\tlast"\tneg\n'
    found = values(read(text, reader="tsv"))
    assert [row["text"] for row in found] == ['"good start, bad end', "fine", 'said "ok" twice', 'last"']


def test_a_quote_before_thousands_of_rows_swallows_none(read):
    rows = ['0\t"open\tneg', *(f"{n}\t{'x' * 50}\tpos" for n in range(1, 4001))]
    assert len(values(read("id\ttext\tlabel\n" + "\n".join(rows) + "\n", reader="tsv"))) == 4001


@pytest.mark.parametrize("reader", ["tsv", "csv"])
def test_a_row_of_another_width_is_reported(read, reader):
    text = "id,text,label\n1,a,x\n2,b\n3,c,x,more\n4,d,x\n".replace(",", "\t" if reader == "tsv" else ",")
    found = read(text, reader=reader)
    assert [record.line for record in found] == [2, 3, 4, 5]
    assert found[1] == Broken("data", 3, "number of columns differs from the header")
    assert [type(record) for record in found] == [Raw, Broken, Broken, Raw]


def test_a_row_of_empty_cells_is_a_row(read):
    assert values(read("a\tb\n\t\n\n1\t2\n", reader="tsv")) == [{"a": "", "b": ""}, {"a": "1", "b": "2"}]


def test_csv_quotes_hold_commas_and_lines(read):
    found = read('id,text\n1,"a, ""b""\nc"\n2,5" pipe\n', reader="csv")
    assert values(found) == [{"id": "1", "text": 'a, "b"\nc'}, {"id": "2", "text": '5" pipe'}]


def test_a_csv_quote_that_never_closes_is_reported_where_it_opens(read):
    found = read('id,text\n1,ok\n2,"open\n3,swallowed\n4,too\n', reader="csv")
    assert values(found[:1]) == [{"id": "1", "text": "ok"}]
    assert found[1:] == [Broken("data", 3, "quote never closed")]


def test_a_long_csv_cell_is_read(read):
    assert len(values(read(f'id,text\n1,"{"x" * 200_000}"\n', reader="csv"))[0]["text"]) == 200_000


# byte-order marks


def test_a_mark_before_a_quoted_header(read):
    found = read(BOM + '"id","text","label"\r\n"007","你好","pos"\r\n'.encode(), reader="csv")
    assert values(found) == [{"id": "007", "text": "你好", "label": "pos"}]


@pytest.mark.parametrize(("reader", "text"), [("jsonl", '{"id": "007"}\n'), ("json", '[{"id": "007"}]')])
def test_a_mark_before_json(read, reader, text):
    assert values(read(BOM + text.encode(), reader=reader)) == [{"id": "007"}]


def test_a_mark_inside_a_value_stays(read):
    assert values(read("id,text\n1,a\ufeffb\n\ufeff2,c\n", reader="csv")) == [
        {"id": "1", "text": "a\ufeffb"},
        {"id": "\ufeff2", "text": "c"},
    ]


# words that look like missing values, text that looks like numbers

INTENTS = (
    "id,text,label\n1,no match here,None\n2,sodium symbol,NA\n3,json literal,null\n4,empty label,\n"
    "5,不适用,n/a\n6,word,nan\n"
)


@pytest.mark.parametrize("reader", ["csv", "tsv"])
def test_no_word_means_missing(read, reader):
    found = values(read(INTENTS.replace(",", "\t") if reader == "tsv" else INTENTS, reader=reader))
    assert [row["label"] for row in found] == ["None", "NA", "null", "", "n/a", "nan"]


@pytest.mark.parametrize("fill", [0, 20_000])
def test_values_keep_their_types(read, fill):
    first = ['{"id":9007199254740993,"code":"007","when":"2024-01-02","note":null}']
    first += ['{"id":null,"code":"7203451998123460417","when":"n/a","note":null}'] * (1 + fill)
    last = '{"id":5,"code":"1e5","when":"2024-13-40","note":"late value"}'
    found = values(read("\n".join([*first, last])))
    assert found[0]["id"] == 9007199254740993 and found[1]["id"] is None and found[-1]["id"] == 5
    assert [row["code"] for row in (found[0], found[1], found[-1])] == ["007", "7203451998123460417", "1e5"]
    assert found[-1]["note"] == "late value" and found[-1]["when"] == "2024-13-40"


def test_cells_stay_text(read):
    assert values(read("id\tn\n007\t1e5\n", reader="tsv")) == [{"id": "007", "n": "1e5"}]


# whole files


def test_json_list_and_object(read):
    assert values(read('[{"a": 1}, {"a": 2}]', reader="json")) == [{"a": 1}, {"a": 2}]
    assert values(read('{"a": [1, 2]}', reader="json")) == [{"a": [1, 2]}]
    assert read('[{"a": 1}', reader="json") == [Broken("data", 0, "not JSON")]


@pytest.mark.parametrize(("suffix", "pack"), [(".xz", lzma.compress), (".gz", gzip.compress)])
def test_packed_files(read, suffix, pack):
    whole = pack(b'{"a": 1}\n' * 2000)
    assert len(values(read(whole, name=f"data{suffix}"))) == 2000
    for bad in (whole[:-9], whole[:20] + bytes(4) + whole[24:], b"neither"):
        found = read(bad, name=f"data{suffix}")
        assert len(found) == 1 and found[0].reason.startswith("unreadable file: ")


def test_other_encodings_are_declared(read):
    assert values(read("中文\n".encode("gb18030"), reader="lines", encoding="gb18030")) == ["中文"]
    assert read("中文\n".encode("gb18030"), reader="lines") == [
        Broken("data", 0, "unreadable file: UnicodeDecodeError")
    ]


def test_plain_readers(read):
    assert values(read("a\tb\nc\n", reader="tsv_plain")) == [["a", "b"], ["c"]]
    assert values(read('a,"b,c"\n', reader="csv_plain")) == [["a", "b,c"]]
    assert values(read("a\n\n b\n", reader="lines")) == ["a", " b"]
    assert values(read("a\nb\n", reader="text")) == ["a\nb\n"]


def test_the_split_of_the_file_goes_with_each_record(read):
    assert read("a\n", reader="lines", split="test")[0].split == "test"


def test_an_unknown_reader_lists_the_known(read):
    with pytest.raises(SourceError, match=r"unknown reader 'parquet'; known: jsonl"):
        read("", reader="parquet")


def test_locate_finds_plain_and_packed(tmp_path):
    assert locate(tmp_path, "a.jsonl") is None
    (tmp_path / "a.jsonl.gz").touch()
    (tmp_path / "b.jsonl.xz").touch()
    assert locate(tmp_path, "a.jsonl").name == "a.jsonl.gz" and locate(tmp_path, "b.jsonl").name == "b.jsonl.xz"
    (tmp_path / "a.jsonl").touch()
    assert locate(tmp_path, "a.jsonl").name == "a.jsonl"


# packed files


def packed(members):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        folder = tarfile.TarInfo("runs")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return data.getvalue()


def test_tar_gives_name_and_text_of_each_packed_file(read):
    data = packed({"runs/a.json": BOM + b'{"a": 1}', "runs/b.txt": "中文".encode()})
    found = read(lzma.compress(data), name="data.tar.xz", reader="tar")
    assert values(found) == [{"name": "runs/a.json", "text": '{"a": 1}'}, {"name": "runs/b.txt", "text": "中文"}]
    assert [record.line for record in found] == [1, 2]


def test_a_packed_file_that_is_not_text_is_reported(read):
    found = read(packed({"a": b"\xff\xfe\xff", "b": b"fine"}), reader="tar")
    assert found == [Broken("data", 1, "packed file is not text"), Raw({"name": "b", "text": "fine"}, "data", 2)]


@pytest.mark.parametrize("data", [b"no archive", packed({"a": b"x" * 2000})[:1600]])
def test_a_tar_that_is_none_or_cut_short_is_reported(read, data):
    assert read(data, reader="tar") == [Broken("data", 0, "unreadable file: ReadError")]
