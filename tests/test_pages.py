"""Pages that commands write."""

from __future__ import annotations

import pytest

from benchaudit.cli import main
from tests.test_cli import csv


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """A file that leaks and one that does not, in the working directory."""
    for name, leaky in (("leaky", True), ("calm", False)):
        (tmp_path / f"{name}.csv").write_text(csv(leaky), encoding="utf-8")
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
