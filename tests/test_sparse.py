"""Parts of a Parquet file: the bytes that are needed, and the same figures as from the whole."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchaudit import files
from benchaudit.audit import audit_snapshot
from benchaudit.models import Blob, Revision
from benchaudit.reading.engine import engine
from benchaudit.reading.sparse import lay_out, merged
from benchaudit.report.document import audit_document
from benchaudit.settings import settle
from benchaudit.sources.file import FileSource

SPANS = st.lists(
    st.tuples(st.integers(0, 10**6), st.integers(1, 10**5)).map(lambda span: (span[0], sum(span))),
    min_size=1,
    max_size=40,
)


@given(SPANS, st.integers(1, 10))
def test_joined_spans_cover_all_and_are_few(spans, most):
    joined = merged(spans, most)
    assert len(joined) <= most
    assert joined == sorted(joined)
    assert all(a[1] < b[0] for a, b in pairwise(joined))
    assert all(any(start <= a and b <= end for start, end in joined) for a, b in spans)


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=20, unique=True).map(sorted))
def test_nothing_between_spans_is_taken_unless_they_are_many(bounds):
    spans = list(zip(bounds[::2], bounds[1::2], strict=False))
    assert sum(end - start for start, end in merged(spans, 20)) == sum(end - start for start, end in spans)


class Parts(FileSource):
    """Files that are given out in parts, counted."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.given: list[int] = []
        self.whole = 0

    def ranges(self, _: Revision, blob: Blob) -> Callable[[int, int], bytes]:
        content = (self._root / blob.path).read_bytes()

        def part(start: int, end: int) -> bytes:
            assert 0 <= start < end <= len(content)
            self.given.append(end - start)
            return content[start:end]

        return part

    def fetch(self, revision: Revision, blob: Blob) -> Path:
        self.whole += 1
        return super().fetch(revision, blob)


def wide(rows: int) -> pa.Table:
    """A benchmark of 27 columns of which four make the items."""
    dice = random.Random(5)
    text = [[f"{dice.random()} " * 3 for _ in range(rows)] for _ in range(22)]
    columns: dict[str, Any] = {f"other {place}": cells for place, cells in enumerate(text)}
    columns["more"] = [{"a": [str(dice.random())], "b": str(dice.random())} for _ in range(rows)]
    columns["question"] = [f"q{place} {dice.random()}" for place in range(rows)]
    columns["options"] = [
        [str(dice.randrange(10 ** dice.randrange(1, 20))) for _ in range(4)] for _ in range(rows)
    ]
    columns["answer"] = [dice.randrange(4) for _ in range(rows)]
    columns["kind"] = [str(dice.randrange(3)) for _ in range(rows)]
    return pa.table(columns)


def audited(path: Path, work: Path, **given: str) -> tuple[dict[str, Any], Parts]:
    settings = settle([{name: (text, f"--{name}") for name, text in given.items()}])
    source = Parts(path)
    work.mkdir(exist_ok=True)
    snapshot = source.snapshot(source.revision(""))
    found = audit_snapshot(source, snapshot, settings, work.resolve(), lambda _: None)
    return audit_document(found.audit), source


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LEAST_BYTES", 1)


ALL = {"options": "options", "gold": "answer", "gold-encoding": "index0", "slices": "kind"}


@pytest.mark.usefixtures("small_parts")
def test_four_of_many_columns_take_little_more_than_their_size(tmp_path: Path) -> None:
    pq.write_table(wide(6000), tmp_path / "a.parquet", row_group_size=1000)
    meta = pq.read_metadata(tmp_path / "a.parquet")
    chunks = [meta.row_group(g).column(c) for g in range(6) for c in range(meta.num_columns)]
    used = {"question", "options.list.element", "answer", "kind"}
    size = sum(chunk.total_compressed_size for chunk in chunks if chunk.path_in_schema in used)
    given = {**ALL, "question": "question", "id": "question"}
    found, source = audited(tmp_path / "a.parquet", tmp_path / "work", **given)
    assert source.whole == 0
    footer, *parts = source.given
    assert footer >= meta.serialized_size
    assert size <= sum(parts) <= 1.1 * size
    assert sum(source.given) < (tmp_path / "a.parquet").stat().st_size / 4
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "LEAST_BYTES", 1 << 40)
        plain, source = audited(tmp_path / "a.parquet", tmp_path / "work", **given)
    assert (source.whole, source.given) == (1, [])
    assert found == plain


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("given", [{}, {"slices": "kind"}, ALL], ids=["nothing", "slices", "most"])
def test_the_first_rows_are_looked_at_in_full_where_columns_are_to_be_found(
    given: dict[str, str], tmp_path: Path
) -> None:
    pq.write_table(wide(9000), tmp_path / "a.parquet", row_group_size=500)
    found, source = audited(tmp_path / "a.parquet", tmp_path / "work", **given)
    assert source.whole == 0
    assert sum(source.given) < (tmp_path / "a.parquet").stat().st_size / 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "LEAST_BYTES", 1 << 40)
        assert found == audited(tmp_path / "a.parquet", tmp_path / "work", **given)[0]


@pytest.mark.usefixtures("small_parts")
def test_what_only_looks_like_parquet_is_fetched_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_text("question,options,answer\n" + "q,\"['a', 'bb']\",A\n" * 30)
    found, source = audited(tmp_path / "a.parquet", tmp_path / "work")
    assert (found["rows"], source.whole) == (30, 1)


def test_a_long_footer_is_fetched_once_more(tmp_path: Path) -> None:
    names = [f"column {place} with a very long name, which is kept in the footer" for place in range(2000)]
    pq.write_table(pa.table({name: [1] for name in names}), tmp_path / "a.parquet")
    content = (tmp_path / "a.parquet").read_bytes()
    sparse = lay_out(tmp_path / "b.parquet", len(content), lambda start, end: content[start:end])
    assert sparse is not None
    with engine([sparse.path], tmp_path) as connection:
        sparse.fill({7}, connection)
        found = connection.execute(f"SELECT \"{names[7]}\" FROM read_parquet('{sparse.path}')").fetchall()
    assert found == [(1,)]
