"""Files before they are tables: what they are, what they are packed in, and what letters they have."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Iterator

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchaudit.errors import SourceError
from benchaudit.reading import encoding, open_table, packed
from tests.reading import Desk, desk, is_by_engine, patient

TABLE = b"id,question,gold\n1,Who?,A\n2,What?,B\n"
ROWS = [{"id": "1", "question": "Who?", "gold": "A"}, {"id": "2", "question": "What?", "gold": "B"}]


@pytest.fixture(scope="module")
def tables() -> Iterator[Desk]:
    with desk() as opened:
        yield opened


def zstd(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


PACKERS: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "Zstandard": zstd}


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.csv.zst", "data.json", "data"])
def test_a_packed_file_is_known_by_its_content(tables: Desk, packer: str, name: str) -> None:
    assert tables.read(PACKERS[packer](TABLE), name) == ROWS


@pytest.mark.parametrize("packer", PACKERS)
def test_two_packed_pieces_are_one_file(tables: Desk, packer: str) -> None:
    assert tables.read(PACKERS[packer](TABLE[:20]) + PACKERS[packer](TABLE[20:])) == ROWS


def test_a_frame_that_is_to_be_skipped_may_come_first(tables: Desk) -> None:
    assert tables.read(b"\x50\x2a\x4d\x18\x02\0\0\0ab" + zstd(TABLE)) == ROWS


@pytest.mark.parametrize("name", ["data.csv.gz", "data.jsonl.zst"])
def test_a_name_may_lie(tables: Desk, name: str) -> None:
    assert tables.read(TABLE, name) == ROWS


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize(
    "harm",
    [
        pytest.param(lambda content: content[:-5], id="cut off"),
        pytest.param(lambda content: content + b"more", id="followed by something else"),
        pytest.param(lambda content: content[:6] + b"\xff" * 9 + content[15:], id="overwritten"),
    ],
)
def test_a_damaged_packed_file_is_refused(tables: Desk, packer: str, harm: Callable[[bytes], bytes]) -> None:
    noise = random.Random(1).randbytes(200)
    with pytest.raises(SourceError, match=r"^data.gz: is compressed, and damaged \("):
        tables.open(harm(PACKERS[packer](noise)), "data.gz")


@pytest.mark.parametrize("packer", PACKERS)
def test_a_bomb_is_refused_before_it_is_laid_down(
    tables: Desk, packer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "ALWAYS_ALLOWED", 3 << 20)
    bomb = PACKERS[packer](bytes(20 << 20))
    with pytest.raises(SourceError, match=r"unpack to 4,194,304 or more, as a decompression bomb does"):
        tables.open(bomb)


def test_what_unpacks_to_more_than_is_read_is_refused(tables: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "MAX_UNPACKED", 1 << 30)
    with pytest.raises(SourceError, match="unpacks to more than 1 GiB"):
        packed.refuse_bomb(1 << 29, (1 << 30) + 1, "data.gz")
    packed.refuse_bomb(1 << 29, 1 << 30, "data.gz")


def test_what_is_packed_twice_is_refused(tables: Desk) -> None:
    with pytest.raises(SourceError, match="compressed twice"):
        tables.open(gzip.compress(zstd(TABLE)))


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"
SCRIPT = b'"""A set."""\nimport datasets\n\n\nclass Quiz(datasets.GeneratorBasedBuilder):\n    pass\n'


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        pytest.param("test.csv", b"", "is empty", id="nothing"),
        pytest.param("test.csv", b" \n\n\t\r\n", "is empty", id="blanks"),
        pytest.param("test.csv", b"\xef\xbb\xbf", "is empty", id="a byte order mark"),
        pytest.param("test.csv", b"\xff\xfe\n\0", "is empty", id="blanks in UTF-16"),
        pytest.param("test.csv.gz", gzip.compress(b""), "is empty", id="nothing, packed"),
        pytest.param("test.parquet", POINTER, "is a Git LFS pointer.*git lfs pull", id="a pointer"),
        pytest.param("test.jsonl.gz", POINTER, "is a Git LFS pointer", id="a pointer with a packed name"),
        pytest.param("test.csv", b"\n<!DOCTYPE html><p>No", "is an HTML page", id="an HTML page"),
        pytest.param("test.csv", b"<html>\n", "is an HTML page", id="an old HTML page"),
        pytest.param("test.csv", b'<?xml version="1.0"?><Error>', "is an XML document", id="an XML error"),
        pytest.param("quiz.py", b"x = 1\n", "is a script, .* ever run", id="a script by name"),
        pytest.param("quiz.txt", SCRIPT, "is a script, .* ever run", id="a script by content"),
        pytest.param("run", b"#!/bin/sh\nrm\n", "is a script", id="a script of the shell"),
        pytest.param(
            "test.csv", b"PK\x03\x04rest", "is a ZIP archive, which is not read", id="a ZIP archive"
        ),
        pytest.param("test.pkl", b"\x80\x04\x95\x10\0\0\0", "is a Python pickle", id="a pickle"),
        pytest.param("test.csv", b"\x89PNG\r\n\x1a\n\0\0", "is an image", id="an image"),
        pytest.param("test.csv", b"a,b\n" + bytes(50), "is binary data of an unknown kind", id="zeros"),
        pytest.param("test.parquet", b"PAR1", "cannot be read", id="the first bytes of Parquet"),
        pytest.param("test.arrow", b"ARROW1\0\0", "cannot be read", id="the first bytes of Arrow"),
        pytest.param("test.arrow", b"\xff\xff\xff\xff\0\0", "is cut off", id="the first bytes of a stream"),
    ],
)
def test_what_is_no_data_is_refused_by_what_it_is(tables: Desk, name: str, content: bytes, what: str) -> None:
    with pytest.raises(SourceError, match=f"^{name}: {what}") as caught:
        tables.open(content, name)
    assert caught.value.exit_status == 3


@pytest.mark.parametrize("name", ["data.csv", "data.json", "data.parquet", "data.txt", "data"])
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(TABLE, id="CSV"),
        pytest.param(TABLE.replace(b",", b"\t"), id="tabs"),
        pytest.param(
            b'{"id": "1", "question": "Who?", "gold": "A"}\n{"id": "2", "question": "What?", "gold": "B"}',
            id="lines",
        ),
        pytest.param(
            b'[{"id": "1", "question": "Who?", "gold": "A"}, {"id": "2", "question": "What?", "gold": "B"}]',
            id="array",
        ),
    ],
)
def test_an_ending_is_only_a_hint(tables: Desk, name: str, content: bytes) -> None:
    assert tables.read(content, name) == ROWS


def test_files_of_one_name_are_kept_apart(tables: Desk) -> None:
    """Every configuration of a dataset may have its own `test.csv.gz`."""
    other = TABLE.replace(b"Who", b"Where")
    for content in (TABLE, other):
        directory = tables.work / f"config-{len(content)}"
        directory.mkdir()
        (directory / "test.csv.gz").write_bytes(gzip.compress(content))
    paths = sorted(tables.work.glob("config-*/test.csv.gz"))
    opened = [open_table(path, "test.csv.gz", tables.work, tables.connection) for path in paths]
    assert [tables.rows(table)[0]["question"] for table in opened] == ["Who?", "Where?"]  # type: ignore[index]


SENTENCES = {
    "cp1252": "Le garçon a mangé des crêpes à la crème brûlée – « très bien », dit-il…",
    "mac_roman": "Le garçon a mangé des crêpes à la crème brûlée – « très bien », dit-il…",
    "cp1251": "Привет, как дела сегодня? Хорошо, спасибо, всё в порядке.",
    "gb18030": "你好世界，这是一个测试问题，答案是什么呢？请选择。",
    "big5": "問題：以下哪個答案是正確的呢？請選擇一個。",
    "cp949": "다음 중 옳은 것을 고르시오. 정답은 무엇입니까?",
}


@pytest.mark.parametrize("name", SENTENCES)
def test_an_old_encoding_is_detected_and_said(tables: Desk, name: str) -> None:
    text = "id,question,gold\n" + "".join(f'{number},"{SENTENCES[name]}",A\n' for number in range(20))
    table = tables.open(text.encode(name))
    assert [row["question"] for row in tables.rows(table) if isinstance(row, dict)] == [SENTENCES[name]] * 20
    bad = next(place for place, byte in enumerate(text.encode(name)) if byte > 127)
    title = {"cp1252": "cp1252 (Latin-1)", "mac_roman": "Mac Roman"}.get(name, name)
    assert table.notes == (f"data.csv: byte {bad} is not UTF-8, read as {title}",)


def test_a_byte_that_the_encoding_has_not_leaves_its_row_out(tables: Desk) -> None:
    """It stands far behind what the library has looked at."""
    sentence = SENTENCES["cp1252"]
    text = "id,question,gold\n" + "".join(f'{number},"{sentence}",A\n' for number in range(3000))
    table = tables.open(text.encode("cp1252") + b"3000,\x81,B\n")
    assert tables.rows(table)[2999:] == [{"id": "2999", "question": sentence, "gold": "A"}, "not-unicode"]
    assert table.notes[1:] == ("data.csv: rows with bytes that are no characters are left out",)


def test_names_can_be_printed(tables: Desk) -> None:
    """A lone surrogate would end the program that prints it."""
    names = [column.name for column in tables.open(b'{"a\\ud83d": 1}\n{"b": 2}\n', "data.jsonl").columns]
    names += [
        column.name for column in tables.open("Frage,Für,x\n1,ü,A\n".encode().replace(b"x", b"\xff")).columns
    ]
    assert names == ["a?", "b", "Frage", "Für", "?"]


@pytest.mark.parametrize("name", ["utf-16", "utf-32"])
def test_an_encoding_that_marks_itself_is_said(tables: Desk, name: str) -> None:
    table = tables.open(TABLE.decode().encode(name))
    assert (tables.rows(table), table.notes) == (ROWS, (f"data.csv: read as {name.upper()}",))


def test_a_mark_of_utf8_says_nothing(tables: Desk) -> None:
    table = tables.open(b"\xef\xbb\xbf" + TABLE)
    assert (tables.rows(table), table.notes) == (ROWS, ())


def test_half_a_character_of_utf16_is_refused(tables: Desk) -> None:
    with pytest.raises(SourceError, match="cannot be read as UTF-16"):
        tables.open(TABLE.decode().encode("utf-16") + b"\n")


@patient
@given(
    text=st.text(st.characters(codec="utf-8"), max_size=30).map(lambda text: text.encode() * 3),
    place=st.integers(0, 99),
    harm=st.sampled_from([b"", b"\xff", b"\xc3", b"\xed\xa0\xbd", b"\xf8"]),
)
def test_the_first_bad_byte_is_found(tables: Desk, text: bytes, place: int, harm: bytes) -> None:
    """Wherever it stands, and wherever the pieces end in which the file is read."""
    content = text[:place] + harm + text[place:]
    path = tables.work / "bytes"
    path.write_bytes(content)
    first = None
    try:
        content.decode()
    except UnicodeDecodeError as error:
        first = error.start
    assert encoding.first_bad_byte(path) == first


def test_a_character_across_two_pieces_is_one(tables: Desk) -> None:
    path = tables.work / "long"
    for shift in range(4):
        path.write_bytes(b"x" * ((1 << 20) - shift) + "😀".encode() + b"\xff")
        assert encoding.first_bad_byte(path) == (1 << 20) - shift + 4


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/hostname')",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "COPY (SELECT 1) TO '/tmp/benchaudit-was-here.csv'",
    ],
)
def test_the_engine_reads_its_inputs_and_nothing_else(tables: Desk, query: str) -> None:
    """A dataset is data, never a query; should one become a query, it finds every other door shut."""
    with pytest.raises(duckdb.Error):
        tables.connection.execute(query)


def test_a_name_with_marks_is_taken_to_the_letter(tables: Desk) -> None:
    for name in ("it's [1]*.csv", "it's 1x.csv"):
        (tables.work / name).write_bytes(TABLE if "*" in name else b"a,b\n1,2\n")
    table = open_table(tables.work / "it's [1]*.csv", "x.csv", tables.work, tables.connection)
    assert is_by_engine(table)
    assert tables.rows(table) == ROWS
