"""Slices by place and by bin, and the choice of a config and a split."""

from __future__ import annotations

import pytest

from benchaudit.errors import NothingWatched
from benchaudit.mapping.slicing import binned
from benchaudit.models import Blob
from benchaudit.sources.base import Selection
from benchaudit.sources.card import labels_of, layout_of
from tests.support import audit_path

ROWS = "question,A,B,answer,tokens\nQ1,x,yy,B,120\nQ2,xx,y,A,999.5\nQ3,x,y,A,\nQ4,x,y,A,-1\nQ5,x,y,A,many\n"
CARD = """---
configs:
- config_name: hard
  data_files:
  - split: probe
    path: odd/one.csv
  - split: test
    path: "more/*.csv"
---
"""


def slices(audit):
    return {tuple(value for _, value in part.key): part.n for part in audit.slices if part.key}


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("120", "100", "[100, 200)"),
        ("100", "100", "[100, 200)"),
        ("-1", "100", "[-100, 0)"),
        ("0.25", "0.1", "[0.2, 0.3)"),
        ("1e3", "1000", "[1000, 2000)"),
        ("many", "10", "many"),
        ("nan", "10", "nan"),
        ("1e999999", "10", "1e999999"),
    ],
)
def test_a_number_falls_into_its_bin(text, width, expected):
    from decimal import Decimal

    assert binned(text, Decimal(width)) == expected


def test_numbers_are_binned_on_request_only(tmp_path):
    path = tmp_path / "test.csv"
    path.write_text(ROWS)
    found = slices(audit_path(path, slices="tokens%100"))
    bins = {("[-100, 0)",): 1, ("[100, 200)",): 1, ("[900, 1000)",): 1}
    assert found == bins | {("many",): 1, (None,): 1}
    assert ("120",) in slices(audit_path(path, slices="tokens"))


def test_a_number_inside_a_record_is_binned_too(tmp_path):
    """Its bin's width is no part of the place: nothing stands there, and all rows were in one slice."""
    path = tmp_path / "test.jsonl"
    row = '{{"question": "Q{0}", "options": ["x", "yy"], "answer": "yy", "size": {{"tokens": {0}}}}}\n'
    path.write_text("".join(row.format(number) for number in (20, 120, 130)))
    found = slices(audit_path(path, slices="size.tokens%100"))
    assert found == {("[0, 100)",): 1, ("[100, 200)",): 2}


def test_a_column_that_bears_the_very_name_is_no_bin(tmp_path):
    path = tmp_path / "test.csv"
    path.write_text(ROWS.replace("tokens", "tokens%100"))
    assert ("120",) in slices(audit_path(path, slices="tokens%100"))


@pytest.mark.parametrize("more", ["", ",tokens", ",@split*tokens"])
def test_a_row_that_cannot_be_read_is_a_defect_where_it_was_found(tmp_path, more):
    """In slices of places alone, whatever other slices there are: what stands in the row is not known."""
    for name, rest in (("test.csv", "Q6,x\n"), ("dev.csv", "")):
        (tmp_path / name).write_text(ROWS + rest)
    audit = audit_path(tmp_path, slices=f"@split,@split*@file{more}")
    assert {part.key: dict(part.left_out) for part in audit.slices if part.left_out} == {
        key: {"wrong-field-count": 1}
        for key in ((), (("@split", "test"),), (("@split", "test"), ("@file", "test.csv")))
    }


def test_rows_are_sliced_by_where_they_were_found(tmp_path):
    for name in ("odd/one.csv", "more/two.csv"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(ROWS)
    (tmp_path / "README.md").write_text(CARD)
    audit = audit_path(tmp_path, slices="@file,@dir,@config,@split")
    assert slices(audit) == {
        ("odd/one.csv",): 5,
        ("more/two.csv",): 5,
        ("odd",): 5,
        ("more",): 5,
        ("hard",): 10,
        ("probe",): 5,
        ("test",): 5,
    }
    assert audit_path(tmp_path, split="probe").rows == 5
    assert audit_path(tmp_path, subset="hard").rows == 10


@pytest.mark.parametrize(
    ("path", "split"),
    [
        ("data/test-00000-of-00001.parquet", "test"),
        ("dev.jsonl", "validation"),
        ("val/questions.csv", "validation"),
        ("training/part1.csv", "train"),
        ("latest.csv", None),
        ("train_and_test.csv", None),
    ],
)
def test_without_a_card_the_path_names_the_split(path, split):
    assert labels_of(path, ()) == {"@config": None, "@split": split}


@pytest.mark.parametrize(
    ("path", "config", "split"),
    [
        ("sub/easy/test.csv", "easy", "test"),
        ("sub/easy/one.csv", "easy", None),
        ("hard/one.csv", "hard", "probe"),
        ("hard/more/two.csv", None, None),
        ("a.csv", "listed", "train"),
        ("b.csv", "listed", "train"),
    ],
)
def test_a_config_may_name_a_directory_or_files_alone(path, config, split):
    card = """---
configs:
- config_name: easy
  data_dir: ./sub/easy/
- config_name: hard
  data_dir: hard
  data_files:
  - split: probe
    path: one.csv
- config_name: listed
  data_files: [a.csv, b.csv]
---
"""
    assert labels_of(path, layout_of(card)) == {"@config": config, "@split": split}


def test_what_datasets_writes_about_data_is_no_data_unless_it_is_named():
    paths = ("dataset_infos.json", "sub/dataset_info.json", "sub/state.json", "sub/test.json")
    tree = [Blob(path=path, id="1", size=1) for path in paths]
    assert [blob.path for blob in Selection().of(tree, (), "o/n")] == ["sub/test.json"]
    assert [blob.path for blob in Selection(patterns=("*.json",)).of(tree, (), "o/n")] == list(paths)


def test_a_split_that_is_not_there_names_those_that_are():
    tree = [Blob(path="test.csv", id="1", size=1), Blob(path="dev.csv", id="2", size=1)]
    assert [blob.path for blob in Selection(split="test").of(tree, (), "o/n")] == ["test.csv"]
    with pytest.raises(NothingWatched, match=r"no file of .* split 'train'.*\?/test, \?/validation"):
        Selection(split="train").of(tree, (), "o/n")
