"""Which bytes a dataset on the Hub costs: the columns that are read, once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from werkzeug.wrappers import Request, Response

from tests.loopback.base import Fault
from tests.loopback.hub import Hub, HubDataset
from tests.loopback.repos import DatasetRepo
from tests.test_sparse import wide

from .quiz import leaky, with_distractors
from .stage import DATA, Stage

ROOT = Path(__file__).resolve().parents[2]
NAMED = [
    *("--question", "question", "--id", "question", "--options", "options", "--gold", "answer"),
    *("--gold-encoding", "index0", "--slices", "kind"),
]
TOKEN = "hf_reader"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """A private dataset of one large Parquet file with 27 columns, kept as an LFS object."""
    path = tmp_path / "wide.parquet"
    pq.write_table(wide(12_000), path, row_group_size=1000)
    repo = DatasetRepo.create(tmp_path / "dataset.git")
    repo.commit("Upload", {"data/wide.parquet": path.read_bytes()})
    dataset = HubDataset(repo.path, private=True, token=TOKEN, lfs=frozenset({"*.parquet"}))
    with Hub({"owner/name": dataset}) as opened:
        yield opened


def audited(hub: Hub, home: Path, source: str, *flags: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "benchaudit", "audit", source, *flags, "--json", "-"],
        cwd=ROOT,
        env={**os.environ, **hub.environment(home, TOKEN)},
        capture_output=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_of_a_wide_file_only_the_columns_that_are_read_are_transferred(hub: Hub, tmp_path: Path) -> None:
    size = (tmp_path / "wide.parquet").stat().st_size
    meta = pq.read_metadata(tmp_path / "wide.parquet")
    chunks = [
        meta.row_group(g).column(c) for g in range(meta.num_row_groups) for c in range(meta.num_columns)
    ]
    used = {"question", "options.list.element", "answer", "kind"}
    needed = sum(chunk.total_compressed_size for chunk in chunks if chunk.path_in_schema in used)
    footer = max(meta.serialized_size + 8, 1 << 16)
    cache = ["--cache", str(tmp_path / "cache")]

    found = audited(hub, tmp_path / "home", "hf://datasets/owner/name", *NAMED, *cache)

    assert needed <= hub.data_bytes <= 1.1 * needed + footer < size / 4
    assert hub.cdn_tokens == []
    plain = audited(hub, tmp_path / "home", str(tmp_path / "wide.parquet"), *NAMED)
    assert {**found, "source": None} == {**plain, "source": None}

    before = hub.data_bytes
    assert audited(hub, tmp_path / "other home", "hf://datasets/owner/name", *NAMED, *cache) == found
    assert hub.data_bytes == before


def test_where_the_columns_have_to_be_found_the_first_rows_come_too(hub: Hub, tmp_path: Path) -> None:
    size = (tmp_path / "wide.parquet").stat().st_size

    found = audited(hub, tmp_path / "home", "hf://datasets/owner/name", "--slices", "kind")

    assert hub.data_bytes < size / 2
    plain = audited(hub, tmp_path / "home", str(tmp_path / "wide.parquet"), "--slices", "kind")
    assert {**found, "source": None} == {**plain, "source": None}


def test_a_file_that_is_kept_in_xet_comes_over_http_all_the_same(stage: Stage) -> None:
    """By the one client that has limits of time and patience, and knows where the token may go."""
    stage.dataset.lfs = frozenset({"*.csv"})
    stage.repo.commit("Upload", {DATA: with_distractors(leaky())})

    def also_in_xet(request: Request) -> Response:
        response = stage.hub.respond(request)
        token = f"{stage.hub.url}/api/datasets/team/quiz/xet-read-token/{stage.repo.head}"
        response.headers.extend({"X-Xet-Hash": "a" * 64, "Link": f'<{token}>; rel="xet-auth"'})
        return response

    stage.hub.faults.append(Fault(matches=lambda r: "/resolve/" in r.path, before=also_in_xet, times=9))

    run = stage.run()

    assert (run.status, run.outputs["verdict"]) == (0, "leak")
    assert not any("xet" in seen.path for seen in run.hub)
    assert stage.hub.cdn.sent == len(with_distractors(leaky()))
