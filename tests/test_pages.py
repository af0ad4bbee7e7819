"""Pages that commands write."""

from __future__ import annotations

import pytest

from benchaudit.cli import main
from tests.e2e.quiz import fair, leaky, with_distractors
from tests.loopback.repos import DatasetRepo
from tests.test_cli import csv


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """A file that leaks and one that does not, in the working directory."""
    for name, leaks in (("leaky", True), ("calm", False)):
        (tmp_path / f"{name}.csv").write_text(csv(leaks), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_audit_writes_its_page_beside_what_it_prints(bench, capsys):
    assert main(["audit", "leaky.csv", "--slices", "who", "--html", "report.html"], {}) == 0
    page = (bench / "report.html").read_text(encoding="utf-8")
    assert "<strong>Severe leak.</strong>" in page
    assert "<code>row 1</code>" in page
    assert "History" not in page
    assert "severe leak" in capsys.readouterr().out


def test_text_is_on_a_page_only_where_it_is_asked_for(bench):
    for kind, seen in (("none", (False, False)), ("ids", (True, False)), ("text", (True, True))):
        main(["audit", "leaky.csv", "--html", "report.html", "--samples", kind], {})
        page = (bench / "report.html").read_text(encoding="utf-8")
        assert ("<code>row 1</code>" in page, "aaaa00" in page) == seen, kind


def test_a_comparison_writes_what_changed(bench):
    main(["compare", "calm.csv", "leaky.csv", "--html", "report.html"], {})
    page = (bench / "report.html").read_text(encoding="utf-8")
    assert "<strong>Worse</strong> since" in page
    assert "<h2>History</h2>" in page


@pytest.mark.parametrize("arguments", [["audit", "leaky.csv"], ["compare", "calm.csv", "leaky.csv"]])
def test_a_page_is_not_written_over_its_source(bench, capsys, arguments):
    before = (bench / "leaky.csv").read_bytes()
    assert main([*arguments, "--html", "leaky.csv"], {}) == 2
    assert "--html leaky.csv: is the source itself" in capsys.readouterr().err
    assert (bench / "leaky.csv").read_bytes() == before


def test_a_page_that_cannot_be_written_is_one_line(bench, capsys):
    assert main(["audit", "leaky.csv", "--html", "no/such/report.html"], {}) == 2
    assert "no/such/report.html: cannot be written" in capsys.readouterr().err


def test_a_watch_writes_the_page_of_each_dataset(tmp_path, capsys):
    """Of a new revision the whole report; of one that is known already what the issue remembers."""
    repo = DatasetRepo.create(tmp_path / "quiz")
    flags = ["watch", str(repo.path), "--slices", "who", "--channel", "folder", "--pages", "site"]

    def watched(pages="site") -> str:
        assert main([*flags[:-1], pages], {"GITHUB_WORKSPACE": str(tmp_path)}) == 0
        index = (tmp_path / pages / "index.html").read_text(encoding="utf-8")
        assert '<a href="quiz/index.html">quiz</a>' in index
        return (tmp_path / pages / "quiz" / "index.html").read_text(encoding="utf-8")

    for data in (fair(), leaky()):
        repo.commit("Upload", {"test.csv": with_distractors(data)})
        page = watched()
    assert f"written: {tmp_path / 'site' / 'index.html'}" in capsys.readouterr().err.splitlines()
    assert "<strong>Worse</strong> since" in page
    assert "2 revisions, against chance" in page
    assert "Rows whose gold is" in page
    again = watched("again")
    assert "as reports have it" in again
    assert "longest, oldest first: " in again
    assert "Rows whose gold is" not in again


def test_a_folder_for_pages_that_cannot_be_made_costs_no_report(tmp_path, capsys):
    """The report is delivered and its outputs are set; the status says what went wrong."""
    repo = DatasetRepo.create(tmp_path / "quiz")
    repo.commit("Upload", {"test.csv": with_distractors(leaky())})
    (tmp_path / "site").write_text("in the way", encoding="utf-8")
    flags = ["watch", str(repo.path), "--channel", "folder", "--pages", "site"]
    outputs = {"GITHUB_WORKSPACE": str(tmp_path), "GITHUB_OUTPUT": str(tmp_path / "outputs")}
    assert main(flags, outputs) == 2
    assert "site: cannot be written" in capsys.readouterr().err
    assert len(list(tmp_path.glob("benchaudit-reports/*/issue.md"))) == 1
    assert "benchaudit-report.json" in (tmp_path / "outputs").read_text(encoding="utf-8")
