"""`benchaudit balance`: what it writes, prints and returns, and that its own output passes."""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchaudit.audit import audit_snapshot
from benchaudit.balance import work
from benchaudit.balance.problem import LIMIT, Problem
from benchaudit.balance.reports import text
from benchaudit.balance.rows import open_rows
from benchaudit.balance.solver import Subset
from benchaudit.balance.work import Balanced
from benchaudit.checks import all_checks
from benchaudit.cli import main
from benchaudit.errors import SettingsError
from benchaudit.models import ALL, ColumnMapping, Origin, Revision, Thresholds
from benchaudit.settings import settle
from benchaudit.sources.file import FileSource
from benchaudit.tally import Counted, Tally
from benchaudit.verdict import Audit, judge
from tests.support import SHARED, audit_path, needs_shared

MAPPING = ("--question", "q", "--gold", "right", "--distractors", "w1,w2,w3", "--id", "id")


def rows(number=200, seed=0):
    """Items whose gold is the longest of four in five of eight, and in the slice `odd` always."""
    draw = random.Random(seed)
    made = []
    for place in range(number):
        who = ("me", "you", "odd")[place % 3]
        length = 5 if who == "odd" or draw.random() < 0.5 else draw.choice([2, 3, 4, 5])
        right, *wrong = (
            "".join(draw.choices("abcdefgh", k=size))
            for size in (length, *draw.sample(sorted({2, 3, 4, 5} - {length}), 3))
        )
        made.append(
            {"id": f"r{place}", "q": f"Q{place}, then?", "who": who, "right": right}
            | {f"w{n}": text for n, text in enumerate(wrong, start=1)}
        )
    return made


def written(folder: Path, kind: str, made) -> Path:
    path = folder / f"bench.{kind}"
    if kind == "csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(made[0]))
            writer.writeheader()
            writer.writerows(made)
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in made), encoding="utf-8")
    elif kind == "json":
        path.write_text(json.dumps({"version": 1, "rows": made}, indent=1), encoding="utf-8")
    else:
        pq.write_table(pa.Table.from_pylist(made), path)
    return path


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def balance(source, out, *flags) -> int:
    return main(["balance", str(source), "--out", str(out), *map(str, flags)], {})


@pytest.mark.parametrize("kind", ["csv", "jsonl", "json", "parquet"])
def test_the_subset_passes_when_it_is_audited_from_what_was_written(tmp_path, kind, capsys):
    source = written(tmp_path, kind, rows())
    assert balance(source, tmp_path / "out", *MAPPING, "--slices", "who", "--fail-on", "leak") == 0
    made = json.loads((tmp_path / "out" / "balance.json").read_text(encoding="utf-8"))
    assert made["verdict"] == {"before": "leak", "after": "none-found"}
    assert made["dropped"] == [{"who": "odd"}]
    assert made["kept"] == made["at_most"] > 40

    again = ["audit", str(tmp_path / "out" / "data" / source.name), *MAPPING, "--slices", "who"]
    assert main([*again, "--fail-on", "incomplete", "--json", str(tmp_path / "again.json")], {}) == 0
    audit = json.loads((tmp_path / "again.json").read_text(encoding="utf-8"))
    assert audit["rows"] == audit["usable"] == made["kept"]
    for part in audit["slices"]:
        assert all(part["checks"][check]["gain"] <= 0.01 for check in ("longest", "shortest"))


def test_a_leak_in_another_unit_of_length_is_held_where_it_is(tmp_path, capsys):
    """Gold is the longest or the shortest as by chance, and among the others nearly always the longer one."""
    draw = random.Random(4)
    made = []
    for place, row in enumerate(rows(400)):
        sizes = [2, 3, 4, 5]
        length = sizes.pop((0, 2, 3, 2)[place % 4] if place % 16 < 15 else 1)
        texts = ["".join(draw.choices("abcdefgh", k=size)) for size in (length, *sizes)]
        made.append(row | dict(zip(("right", "w1", "w2", "w3"), texts, strict=True)) | {"who": "me"})
    source = written(tmp_path, "csv", made)
    assert balance(source, tmp_path / "out", *MAPPING) == 0
    found = json.loads((tmp_path / "out" / "balance.json").read_text(encoding="utf-8"))
    assert found["limits"]["second-longest"] == "49/1000"
    audit = audit_path(
        tmp_path / "out" / "data" / "bench.csv", question="q", gold="right", distractors="w1,w2,w3"
    )
    assert audit.rows == found["kept"] <= found["at_most"]
    assert audit.all.checks["second-longest"].gain * 100 <= Fraction("4.9")
    assert "it would have leaked by `second-longest`" in capsys.readouterr().out


def test_balancing_the_subset_again_keeps_all_of_it(tmp_path, capsys):
    source = written(tmp_path, "csv", rows())
    balance(source, tmp_path / "out", *MAPPING, "--slices", "who")
    subset = tmp_path / "out" / "data" / "bench.csv"
    assert balance(subset, tmp_path / "again", *MAPPING, "--slices", "who") == 0
    assert (tmp_path / "again" / "data" / "bench.csv").read_bytes() == subset.read_bytes()
    assert (tmp_path / "again" / "rewrite.csv").read_text(encoding="utf-8").count("\n") == 1


def test_equal_bytes_give_equal_bytes(tmp_path, capsys):
    source = written(tmp_path, "csv", rows())
    for out in ("one", "two"):
        assert balance(source, tmp_path / out, *MAPPING, "--slices", "who") == 0
    assert tree(tmp_path / "one") == tree(tmp_path / "two")


def test_the_order_of_rows_decides_nothing(tmp_path, capsys):
    made = rows()
    kept = []
    for name, ordered in {"one": made, "two": random.Random(1).sample(made, len(made))}.items():
        (tmp_path / name).mkdir()
        balance(
            written(tmp_path / name, "csv", ordered), tmp_path / name / "out", *MAPPING, "--slices", "who"
        )
        kept.append(ids(tmp_path / name / "out" / "kept.csv"))
    assert sorted(kept[0]) == sorted(kept[1])


def ids(path: Path) -> list[str]:
    with path.open(newline="", encoding="utf-8") as file:
        return [row["id"] for row in csv.DictReader(file)]


def test_the_lists_name_the_rows(tmp_path, capsys):
    made = rows()
    balance(written(tmp_path, "csv", made), tmp_path / "out", *MAPPING, "--slices", "who")
    with (tmp_path / "out" / "data" / "bench.csv").open(newline="", encoding="utf-8") as file:
        subset = list(csv.DictReader(file))
    with (tmp_path / "out" / "kept.csv").open(newline="", encoding="utf-8") as file:
        kept = list(csv.DictReader(file))
    assert [made[int(row["row"]) - 1] for row in kept] == subset
    assert [row["id"] for row in kept] == [row["id"] for row in subset]
    with (tmp_path / "out" / "rewrite.csv").open(newline="", encoding="utf-8") as file:
        first, *others = csv.DictReader(file)
    assert first["slices"] == "who=odd"
    values = [float(row["points"]) for row in [first, *others]]
    assert values == sorted(values, reverse=True)


def test_rows_that_were_rewritten_leave_a_benchmark_that_needs_no_balance(tmp_path, capsys):
    made = rows()
    balance(written(tmp_path, "csv", made), tmp_path / "out", *MAPPING, "--slices", "who")
    named = set(ids(tmp_path / "out" / "rewrite.csv"))
    assert 0 < len(named) < len(made)
    better = [
        row | dict.fromkeys(("right", "w1", "w2", "w3"), "same") if row["id"] in named else row
        for row in made
    ]
    (tmp_path / "better").mkdir()
    audit = audit_path(
        written(tmp_path / "better", "csv", better),
        question="q",
        gold="right",
        distractors="w1,w2,w3",
        slices="who",
    )
    for part in audit.slices:
        assert all(part.checks[check].gain * 100 <= 1 for check in ("longest", "shortest"))


def test_several_files_and_what_the_card_says_of_them(tmp_path, capsys):
    folder = tmp_path / "set"
    (folder / "data").mkdir(parents=True)
    written(folder / "data", "csv", rows(seed=1)).rename(folder / "data" / "one.csv")
    written(folder / "data", "csv", rows(seed=2)).rename(folder / "data" / "two.csv")
    (folder / "README.md").write_text(
        "---\nconfigs:\n- config_name: main\n  data_files:\n  - split: easy\n    path: data/one.csv\n"
        "  - split: hard\n    path: data/two.csv\n---\nMy licence.\n",
        encoding="utf-8",
    )
    flags = (*MAPPING, "--slices", "@split,who")
    assert balance(folder, tmp_path / "out", *flags) == 0
    assert main(["audit", str(tmp_path / "out" / "data"), *flags, "--fail-on", "leak"], {}) == 0
    made = json.loads((tmp_path / "out" / "balance.json").read_text(encoding="utf-8"))
    assert {"@split": "hard"} in [part["slice"] for part in made["slices"]]
    assert set(tree(tmp_path / "out" / "data")) == {"README.md", "data/one.csv", "data/two.csv"}
    assert balance(folder, tmp_path / "one", *flags, "--split", "easy") == 0
    assert set(tree(tmp_path / "one" / "data")) == {"README.md", "data/one.csv"}


def test_a_revision_of_a_clone_is_balanced_as_it_was(tmp_path, capsys):
    repository = tmp_path / "clone"
    (repository / "data").mkdir(parents=True)
    source = written(repository / "data", "jsonl", rows())
    git = ["git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "Upload"], ["tag", "first"]):
        subprocess.run([*git, *command], check=True)
    released = source.read_bytes()
    source.write_text("{}", encoding="utf-8")
    subprocess.run([*git, "commit", "-qam", "Break"], check=True)
    assert balance(f"{repository}@first", tmp_path / "out", *MAPPING, "--slices", "who") == 0
    made = (tmp_path / "out" / "data" / "data" / "bench.jsonl").read_bytes()
    assert set(made.splitlines()) < set(released.splitlines())
    assert balance(f"{repository}@none", tmp_path / "none", *MAPPING) == 3


def test_a_subset_that_would_be_read_otherwise_is_not_put_in_place(tmp_path, capsys):
    """The column of gold has another name in what was written."""
    made = rows()
    source = written(tmp_path, "csv", made)
    real = work.copy_rows

    def careless(path, name, keep, target, place, records=""):
        notes = real(path, name, keep, target, place, records)
        target.write_bytes(target.read_bytes().replace(b"right", b"wrong", 1))
        return notes

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(work, "copy_rows", careless)
        assert balance(source, tmp_path / "out", *MAPPING) == 4
    assert "would not be read as it is meant" in refused(capsys)
    assert not (tmp_path / "out").exists()


def test_a_check_that_says_nothing_of_a_row_cannot_be_balanced(tmp_path):
    source = FileSource(written(tmp_path, "csv", rows(30)))
    settings = settle([{"gold": ("right", ""), "distractors": ("w1,w2,w3", "")}])
    place = tmp_path / "work"
    place.mkdir()
    audited = audit_snapshot(source, source.snapshot(source.revision("")), settings, place, lambda _: None)
    with pytest.raises(SettingsError, match="loudest has no meaning"), open_rows(audited, ["loudest"], place):
        pass


def test_nothing_is_left_of_a_benchmark_that_is_one_leak(tmp_path, capsys):
    made = [row | {"right": "longer" + row["right"]} for row in rows(60)]
    assert balance(written(tmp_path, "csv", made), tmp_path / "out", *MAPPING) == 1
    assert "so none was written" in capsys.readouterr().out
    assert set(tree(tmp_path / "out")) == {"balance.json", "balance.md", "kept.csv", "rewrite.csv"}


def test_rows_that_are_no_items_are_not_kept(tmp_path, capsys):
    made = rows()
    made[5]["right"] = ""
    assert balance(written(tmp_path, "csv", made), tmp_path / "out", *MAPPING, "--slices", "who") == 0
    assert "The 1 row that is no item is not in it." in capsys.readouterr().out
    assert "r5" not in ids(tmp_path / "out" / "kept.csv")


def refused(capsys) -> str:
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = [line for line in printed.err.splitlines() if line.startswith("benchaudit:")]
    return line


def test_a_folder_with_other_data_is_refused_and_kept(tmp_path, capsys):
    source = written(tmp_path, "csv", rows())
    (tmp_path / "out" / "data").mkdir(parents=True)
    (tmp_path / "out" / "data" / "mine.csv").write_text("a", encoding="utf-8")
    before = tree(tmp_path)
    assert balance(source, tmp_path / "out", *MAPPING) == 2
    assert "holds other data already (data/mine.csv)" in refused(capsys)
    assert tree(tmp_path) == before


def test_only_what_a_balance_has_written_is_written_over(tmp_path, capsys):
    source = written(tmp_path, "csv", rows())
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "kept.csv").write_text("mine", encoding="utf-8")
    assert balance(source, tmp_path / "out", *MAPPING) == 2
    assert "holds other data already (kept.csv)" in refused(capsys)
    assert tree(tmp_path / "out") == {"kept.csv": b"mine"}
    for _ in range(2):
        assert balance(source, tmp_path / "new", *MAPPING, "--slices", "who") == 0


def test_the_subset_is_not_written_over_its_source(tmp_path, capsys):
    (tmp_path / "data").mkdir()
    source = written(tmp_path / "data", "csv", rows())
    before = source.read_bytes()
    assert balance(source, tmp_path, *MAPPING) == 2
    assert "holds the source itself" in refused(capsys)
    assert source.read_bytes() == before


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--on", "longest,largest"), "--on: 'longest,largest' is no list of checks"),
        (("--fail-on", "new-leak"), "--fail-on: one revision has no new leaks"),
    ],
)
def test_flags_that_cannot_be_used(tmp_path, capsys, flags, said):
    assert balance(written(tmp_path, "csv", rows(30)), tmp_path / "out", *flags) == 2
    assert said in refused(capsys)
    assert not (tmp_path / "out").exists()


def test_a_file_where_the_folder_should_be(tmp_path, capsys):
    source = written(tmp_path, "csv", rows(30))
    assert balance(source, source, *MAPPING) == 2
    assert "is no folder" in refused(capsys)


def test_without_scipy_it_says_what_to_install(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    assert balance(written(tmp_path, "csv", rows()), tmp_path / "out", *MAPPING) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("benchaudit:")]
    assert "balance needs scipy" in line
    assert "benchaudit-action[balance]" in line


def test_what_the_solver_prints_stays_out_of_the_data(tmp_path):
    """It writes to the process's output, past Python."""
    source = written(tmp_path, "csv", rows())
    code = (
        "import os, sys\n"
        "from benchaudit.balance import solver, work\n"
        "from benchaudit.cli import main\n"
        "def noisy(problem):\n"
        "    os.write(1, b'noise')\n"
        "    return solver.largest(problem)\n"
        "work.largest = noisy\n"
        "sys.exit(main(sys.argv[1:], {}))\n"
    )
    flags = ["balance", str(source), "--out", str(tmp_path / "out"), *MAPPING]
    done = subprocess.run([sys.executable, "-c", code, *flags], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("# Balance of `bench.csv`\n")


@needs_shared
@pytest.mark.parametrize("slices", ["question_type", "question_type,topic"])
def test_balanced_personamem_has_no_leak_on_length(tmp_path, capsys, slices):
    (source,) = (SHARED / "data" / "personamem-v1").glob("*/questions_32k.csv")
    out = tmp_path / "out"
    assert balance(source, out, "--slices", slices) in {0, 1}
    made = json.loads((out / "balance.json").read_text(encoding="utf-8"))
    assert 0 < made["kept"] <= made["at_most"]
    assert made["limits"]["longest"] == made["limits"]["shortest"] == "1/100"
    assert made["kept"] * 20 >= made["at_most"] * 19
    audit = audit_path(out / "data" / source.name, slices=slices)
    for part in audit.slices:
        assert part.n == 0 or part.n >= 20 or part.key
        for check, limit in made["limits"].items():
            assert part.checks[check].gain <= Fraction(limit)
            assert part.checks[check].verdict in {"none-found", "too-few", "slight"}
    released = set(source.read_bytes().splitlines())
    assert {line.rstrip(b"\n") for line in (out / "data" / source.name).read_bytes().splitlines()} <= released


def test_what_is_held_in_one_slice_and_leaks_in_another_is_named():
    """As after the last round, which nothing is done anew after."""
    tallies = {check.name: Tally.of([(4, 1, 100, 25)]) for check in all_checks()}
    tallies["most-words"] = Tally.of([(4, 1, 100, 100)])
    whole = Counted(key=ALL, left_out={}, gold_position={0: 100}, tallies=tallies)
    audit = Audit(
        origin=Origin(dataset="a/b", revision=Revision(sha="0" * 40), blobs=()),
        mapping=ColumnMapping(),
        thresholds=Thresholds(),
        check_versions={},
        rows=100,
        left_out={},
        slices=judge([whole], all_checks(), Thresholds()),
    )
    problem = Problem(
        classes=(),
        checks=("longest", "most-words"),
        limits=(LIMIT, LIMIT),
        min_rows=20,
        only={"most-words": [(("topic", "t"),)]},
    )
    made = Balanced(
        before=audit,
        after=audit,
        problem=problem,
        subset=Subset(kept=(), bound=0),
        rewrites=(),
        notes=(),
        made=Path(),
    )
    assert "The subset still leaks by `most-words`" in text(made)
