"""Many datasets: worked on at once, told in order, and dealt out evenly."""

from __future__ import annotations

import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchaudit import fleet, shards
from benchaudit.cli import main
from benchaudit.errors import SourceError
from benchaudit.outcome import Outcome

NAMES = st.lists(st.text(min_size=1), max_size=40)


def test_what_comes_out_is_in_the_order_of_what_went_in():
    """Though the first is done last; and several are worked on at a time."""
    last = threading.Event()

    def work(number):
        if number == 0:
            assert last.wait(10)
        if number == fleet.AT_ONCE - 1:
            last.set()
        return number * 2

    assert list(fleet.each("", range(20), work, str)) == [number * 2 for number in range(20)]


def test_one_alone_is_worked_on_here():
    """Its own progress is seen, and what it says comes as it is said."""
    (thread,) = fleet.each("", ["a"], lambda _: threading.current_thread(), str)
    assert thread is threading.current_thread()


@given(NAMES, st.integers(1, shards.MOST_JOBS))
def test_shares_are_even_and_every_dataset_is_in_one(names, most):
    jobs = shards.matrix(names, most)["include"]
    shares = [shards.share_of(range(len(names)), shards.read_shard(job["shard"])) for job in jobs]
    assert sorted(number for share in shares for number in share) == list(range(len(names)))
    assert len(shares) == min(len(names), most)
    assert {len(share) for share in shares} <= {len(names) // max(len(shares), 1) + more for more in (0, 1)}
    for job, share in zip(jobs, shares, strict=True):
        more = f" and {len(share) - 1} more" if len(share) > 1 else ""
        assert job["name"] == names[share[0]] + more


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "a/b", "-1/2", "1/0", "1/2/3", "1/100000"])
def test_what_is_no_share_is_said(text):
    with pytest.raises(ValueError, match="must be a share such as 3/12"):
        shards.read_shard(text)


def test_the_plan_of_a_config_file(tmp_path, capsys, monkeypatch):
    """As a workflow reads it; files are looked for where the runner checked them out."""
    (tmp_path / "all.yml").write_text(
        "slices: who\ndatasets: [{dataset: a/b}, {dataset: a/c}, {dataset: é/d}]\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    assert main(["plan", "--config", "all.yml"], {}) == 0
    assert json.loads(capsys.readouterr().out) == {
        "include": [{"shard": f"{n}/3", "name": name} for n, name in enumerate(["a/b", "a/c", "é/d"], 1)]
    }
    assert main(["plan", "--config", "all.yml", "--jobs", "2"], {"GITHUB_WORKSPACE": str(tmp_path)}) == 0
    assert json.loads(capsys.readouterr().out) == {
        "include": [{"shard": "1/2", "name": "a/b and 1 more"}, {"shard": "2/2", "name": "a/c"}]
    }
    assert main(["plan", "--config", "none.yml"], {}) == 2
    with pytest.raises(SystemExit):
        main(["plan", "--config", "all.yml", "--jobs", "257"], {})


def test_what_nobody_foresaw_ends_a_run_when_all_is_told(tmp_path, capsys, monkeypatch):
    """A slip of ours that one dataset meets keeps no other from being watched, and is not hidden."""

    def watch(_source, settings, _edges, *, rebuild):
        if settings.dataset == "a/2":
            raise ZeroDivisionError
        if settings.dataset == "a/3":
            raise SourceError("is gone", where="a/3")
        return Outcome(dataset=settings.dataset, revision="0" * 40)

    monkeypatch.setattr("benchaudit.job._watch", watch)
    config, output = tmp_path / "all.yml", tmp_path / "output"
    datasets = ", ".join(f"{{dataset: a/{number}}}" for number in range(1, 6))
    config.write_text(f"datasets: [{datasets}]\n", encoding="utf-8")
    with pytest.raises(ZeroDivisionError):
        main(["watch", "--config", str(config)], {"GITHUB_OUTPUT": str(output)})
    (line,) = (line for line in output.read_text(encoding="utf-8").splitlines() if line.startswith("[{"))
    assert [entry["dataset"] for entry in json.loads(line)] == ["a/1", "a/4", "a/5"]
    assert "a/3: is gone" in capsys.readouterr().err
