"""Histories: from audits, reports and issues, as print, JSON and pages."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction

import jsonschema
import pytest

from benchaudit.chronicle import chronicles
from benchaudit.cli import main
from benchaudit.figures import share, sparkline
from benchaudit.history import History, Point, history_of_state, joined, point_of, point_of_document
from benchaudit.html.site import folders, history_page, index_page
from benchaudit.markers import dataset_of, marker
from benchaudit.report.document import audit_document, history_document
from benchaudit.report.schema import history_schema
from benchaudit.report.templates import Templates
from benchaudit.settings import settle
from benchaudit.terminal import show_history
from tests.builders import FAIR, LONGEST, NEW, OLD, SHORTEST, release, reported
from tests.e2e.quiz import fair, leaky, with_distractors
from tests.hostile import PARTS
from tests.loopback.repos import DatasetRepo

CALM = release({"maths": FAIR * 15, "art": FAIR * 15})
LEAKY = release({"maths": [LONGEST] * 60, "art": FAIR * 15}, sha=NEW)
BOTH = History(dataset="owner/name", points=(point_of(CALM.audit), point_of(LEAKY.audit)))
MATHS = ((("topic", "maths"),), "longest")


def test_a_point_has_the_better_rule_of_each_slice():
    point = BOTH.points[1]
    assert (point.sha, point.verdict, point.severe, point.n) == (NEW, "leak", True, 120)
    rate = point.rates[MATHS]
    assert (rate.score, rate.chance, rate.gain, rate.verdict) == (1, Fraction(1, 4), Fraction(3, 4), "leak")
    assert BOTH.rates(MATHS)[0].score == Fraction(1, 4)
    assert BOTH.places()[0] == MATHS


def test_each_slice_is_there_once_by_its_worst_check():
    short = release({"maths": [LONGEST] * 60, "art": [SHORTEST] * 60}, sha=NEW)
    history = History(dataset="owner/name", points=(point_of(CALM.audit), point_of(short.audit)))
    art = ((("topic", "art"),), "shortest")
    assert history.places()[:2] == [art, MATHS]
    assert [key for key, _ in history.places()].count(()) == 1
    assert len(history.places()) == 3


def test_a_report_tells_what_the_audit_does():
    document = json.loads(json.dumps(audit_document(LEAKY.audit)))
    assert point_of_document(document) == BOTH.points[1]


def test_an_issue_tells_headlines_and_the_slices_of_its_last_revision():
    state = reported(CALM, LEAKY).state
    told = history_of_state(state)
    assert [(p.sha, p.verdict, p.n) for p in told.points] == [(OLD, "none-found", 120), (NEW, "leak", 120)]
    assert set(told.points[0].rates) == {((), "longest"), MATHS}
    assert dict(told.points[1].rates) == dict(BOTH.points[1].rates)
    assert told.points[0].guesser == round(BOTH.points[0].guesser, 3)


def test_an_issue_tells_of_its_worst_slices_without_an_audit(tmp_path, capsys):
    """What it remembers of earlier revisions makes a line over time, in print and on a page."""
    last = release({"maths": [LONGEST] * 50 + [SHORTEST] * 10, "art": FAIR * 15}, sha="e" * 40)
    before = reported(CALM, LEAKY)
    report = reported(LEAKY, last, history=before.state.history)
    rates = history_of_state(report.state).rates(MATHS)
    assert [share(rate.score, 1) for rate in rates if rate] == ["25.0 %", "100.0 %", "83.3 %"]
    issue, pages = tmp_path / "issue.md", tmp_path / "pages"
    issue.write_text(report.body, encoding="utf-8")
    assert main(["history", str(issue), "--pages", str(pages)], {}) == 0
    assert re.search(r"^topic=maths +longest +▃█▇ +83\.3 %", capsys.readouterr().out, re.MULTILINE)
    page = (pages / "owner--name" / "index.html").read_text(encoding="utf-8")
    assert "longest, oldest first: 25.0 %, 100.0 %, 83.3 %" in page


def test_histories_of_one_dataset_are_one_and_each_revision_is_in_it_once():
    state = reported(CALM, LEAKY).state
    other = replace(BOTH, dataset="owner/other", notes=("a note",))
    one, two = joined([history_of_state(state), BOTH, other])
    assert one == BOTH
    assert (two.dataset, two.notes) == ("owner/other", ("a note",))


@pytest.mark.parametrize("name", ["owner/name", "日本/データ", "a%b c", "x\udc80y", "<!-- -->"])
def test_a_body_says_whose_it_is(name):
    assert dataset_of(f"{marker(name)}\nrest") == name
    assert dataset_of("rest\n" + marker(name)) == ""


def test_a_document_is_valid_under_its_schema():
    gone = replace(BOTH.points[0], guesser=None, chance=None, committed_at="", rates={})
    document = history_document(replace(BOTH, points=(gone, *BOTH.points)))
    jsonschema.Draft202012Validator.check_schema(history_schema())
    jsonschema.validate(document, history_schema())
    assert json.loads(json.dumps(document)) == document
    (rate,) = [
        rate
        for rate in document["revisions"][2]["rates"]
        if (rate["slice"], rate["check"]) == ({"topic": "maths"}, "longest")
    ]
    assert (rate["score"], rate["chance"], rate["verdict"]) == (1, "1/4", "leak")


# --- print ---


def test_a_sparkline_rises_with_the_rate():
    rates = [Fraction(n, 16) for n in range(17)]
    line = sparkline(rates)
    assert list(line) == sorted(line)
    assert (line[0], line[-1]) == ("▁", "█")
    assert sparkline([None, Fraction(1)]) == "·█"


def test_a_history_in_print(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    show_history(replace(BOTH, notes=("abc could not be read",)))
    said = capsys.readouterr().out
    assert re.search(r"0123abc +2026-03-01 12:00 +none-found +25\.0 % +25\.0 % +120", said)
    assert re.search(r"topic=maths +longest +▃█ +100\.0 %", said)
    assert "note: abc could not be read" in said


# --- pages ---


def test_folders_are_plain_and_each_another():
    made = folders(["owner/name", "owner name", "日本", "", "../x", "OWNER/NAME", "con:", "a" * 500])
    assert len({name.lower() for name in made}) == len(made)
    assert all(re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,90}", name) for name in made)


def test_an_index_has_the_worst_first_and_leads_to_each():
    calm = History(dataset="owner/calm", points=(point_of(CALM.audit),))
    page = index_page([calm, BOTH], Templates())
    assert re.findall(r'href="([^"]*index.html)">([^<]*)', page) == [
        ("owner--name/index.html", "owner/name"),
        ("owner--calm/index.html", "owner/calm"),
    ]


@pytest.mark.parametrize("part", PARTS[::7])
def test_names_on_pages_are_text(part):
    told = History(
        dataset=part, points=tuple(replace(p, committed_at=part) for p in BOTH.points), notes=(part,)
    )
    for page in (index_page([told], Templates()), history_page(told, Templates())):
        assert set(re.findall(r"<([a-z0-9]+)", page)) <= {
            *("html", "head", "meta", "title", "link", "style", "body", "a", "header", "p", "h1", "h2"),
            *("main", "section", "div", "table", "thead", "tbody", "tr", "th", "td", "code", "strong"),
            *("svg", "path", "circle", "footer", "script"),
        }


# --- the command ---


@pytest.fixture
def repo(tmp_path):
    """A dataset of four commits: data that leaks, prose, data that cannot be read, and fair data."""
    repo = DatasetRepo.create(tmp_path / "bench")
    repo.commit("Upload", {"test.csv": with_distractors(leaky())})
    repo.commit("Describe", {"README.md": b"# Bench\n"})
    repo.commit("Break", {"test.csv": b"a,b\n1,2\n"})
    repo.commit("Balance", {"test.csv": with_distractors(fair())})
    return repo


def test_a_clone_is_audited_commit_by_commit(repo, tmp_path, capsys):
    target, pages = tmp_path / "history.json", tmp_path / "pages"
    arguments = ["history", str(repo.path), "--slices", "who", "--json", str(target), "--pages", str(pages)]
    assert main(arguments, {}) == 0
    document = json.loads(target.read_text(encoding="utf-8"))
    jsonschema.validate(document, history_schema())
    assert [entry["verdict"] for entry in document["revisions"]] == ["leak", "none-found"]
    (note,) = document["notes"]
    assert "could not be audited" in note
    assert "note: " in capsys.readouterr().out
    assert (pages / ".nojekyll").exists()
    assert "bench/index.html" in (pages / "index.html").read_text(encoding="utf-8")
    page = (pages / "bench" / "index.html").read_text(encoding="utf-8")
    assert "<strong>Better</strong> since" in page
    assert '<a href="../index.html">All datasets</a>' in page


def test_a_commit_without_the_files_is_passed_by(repo, tmp_path):
    """They go and come back as they were: that is one version of the data, and nothing to compare."""
    data = with_distractors(fair())
    for files in ({"test.csv": None, "b.csv": data}, {"b.csv": None}, {"b.csv": data}):
        repo.commit("Move", files)
    target, pages = tmp_path / "history.json", tmp_path / "pages"
    sources = [str(repo.path), "--files", "b.csv"]
    assert main(["history", *sources, "--json", str(target), "--pages", str(pages)], {}) == 0
    (only,) = json.loads(target.read_text(encoding="utf-8"))["revisions"]
    assert only["verdict"] == "none-found"
    assert "</strong> since" not in (pages / "bench" / "index.html").read_text(encoding="utf-8")


def test_a_history_is_not_written_over_a_report_that_it_is_made_of(tmp_path, capsys):
    report = tmp_path / "report.json"
    report.write_text(json.dumps(audit_document(LEAKY.audit)), encoding="utf-8")
    before = report.read_bytes()
    assert main(["history", str(report), "--json", str(report)], {}) == 2
    assert f"--json {report}: is the source itself - name another file" in capsys.readouterr().err
    assert report.read_bytes() == before


def test_where_no_row_is_to_be_named_the_comparison_names_none(repo, tmp_path):
    def names(samples):
        settings = settle([{"samples": (samples, "--samples")}])
        (tmp_path / samples).mkdir()
        (found,) = chronicles([str(repo.path)], settings, tmp_path / samples, lambda _: None)
        pairs = found.last.comparison.pairs
        flips = [row for moves in pairs.moves.values() for row in moves.flips]
        return flips + [row for rows in pairs.names.values() for row in rows]

    assert names("ids")
    assert not names("none")


def test_a_report_alone_is_a_history_of_one_revision(tmp_path):
    report, pages = tmp_path / "report.json", tmp_path / "pages"
    report.write_text(json.dumps(audit_document(LEAKY.audit)), encoding="utf-8")
    assert main(["history", str(report), "--pages", str(pages)], {}) == 0
    (page,) = pages.glob("*/index.html")
    assert f"One revision is known: <code>{NEW[:7]}" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("files", "said"),
    [("other.csv", "no commit holds the files to audit"), ("README.md", "no revision could be audited")],
)
def test_a_history_without_anything_to_tell_is_one_line(repo, capsys, files, said):
    assert main(["history", str(repo.path), "--files", files], {}) == 3
    assert said in capsys.readouterr().err


def test_a_slice_column_that_no_revision_has_is_a_slip_of_the_pen(repo, capsys):
    """One that came later is told of since then."""
    data = with_distractors(fair()).replace(b"who", b"whom")
    repo.commit("Rename", {"test.csv": data})
    assert main(["history", str(repo.path), "--slices", "whom,pref_type*whose,who"], {}) == 2
    assert "no revision has the columns to slice by 'pref_type*whose'" in capsys.readouterr().err
    assert main(["history", str(repo.path), "--slices", "whom,who"], {}) == 0


def test_reports_and_issues_are_joined_with_what_is_audited(repo, tmp_path, capsys):
    """A JSON report of the first commit, and one of another dataset."""
    first, other = tmp_path / "first.json", tmp_path / "other.json"
    main(["audit", str(repo.path), "--json", str(first), "--slices", "who"], {})
    other.write_text(json.dumps([audit_document(LEAKY.audit), audit_document(CALM.audit)]), encoding="utf-8")
    issue = tmp_path / "issue.md"
    issue.write_text(reported(CALM, LEAKY).body, encoding="utf-8")
    capsys.readouterr()
    sources = [str(first), str(repo.path), str(other), str(issue)]
    assert main(["history", *sources, "--slices", "who", "--json", "-"], {}) == 0
    one, two = json.loads(capsys.readouterr().out)
    assert (one["dataset"], len(one["revisions"])) == ("bench", 2)
    assert two["dataset"] == "owner/name"
    assert sorted(entry["revision"] for entry in two["revisions"]) == [OLD, NEW]


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ('{"tool": "benchaudit 1", "source": {}}', 3, "is a damaged report"),
        (f"{marker('owner/name')}\nno state\n", 4, "has lost its state"),
    ],
)
def test_what_is_damaged_is_one_line(tmp_path, capsys, text, status, said):
    path = tmp_path / "report.json"
    path.write_text(text, encoding="utf-8")
    assert main(["history", str(path)], {}) == status
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_pages_that_cannot_be_written_are_one_line(repo, tmp_path, capsys):
    (tmp_path / "taken").write_text("", encoding="utf-8")
    assert main(["history", str(repo.path), "--pages", str(tmp_path / "taken")], {}) == 2
    assert "taken: cannot be written" in capsys.readouterr().err


def test_several_histories_of_one_dataset_are_told_in_the_order_of_their_dates():
    """They are named in any order; one alone keeps its own, whatever the clocks of its authors said."""
    days = [point(f"{day}" * 40, f"2026-01-0{day}T12:00:00Z") for day in (1, 2, 3)]
    one, two, three = days
    assert joined([History(dataset="a", points=(three, one)), History(dataset="a", points=(two,))]) == [
        History(dataset="a", points=(one, two, three))
    ]
    assert joined([History(dataset="a", points=(three, one))]) == [History(dataset="a", points=(three, one))]
    undated = point("4" * 40, "")
    (found,) = joined([History(dataset="a", points=(three,)), History(dataset="a", points=(undated, one))])
    assert found.points == (three, undated, one)


def point(sha: str, committed_at: str) -> Point:
    """A revision of which only the headline is known."""
    return Point(sha=sha, committed_at=committed_at, verdict="leak", severe=False, n=40)
