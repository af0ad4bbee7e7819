"""The choices-only probe: what it finds, what it does not, and that nothing else needs it."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest
from scipy.stats import binom

from benchaudit import given, probe
from benchaudit.checks import all_checks, by_name
from benchaudit.cli import main
from benchaudit.errors import SettingsError
from benchaudit.items import learn, scan_sql
from benchaudit.packing import unpacked
from benchaudit.report.document import audit_document, text_of
from benchaudit.settings import settle
from benchaudit.tally import Tally
from benchaudit.verdict import Audit
from tests.pairs import Row, relation
from tests.support import audit_path

PROBE = by_name()["choices-only"]
COMMON = [f"{a}{b}{c}" for a in "bdfg" for b in "aeiou" for c in "lmnr"]
PECULIAR = [f"{a}{b}{c}" for a in "ptkz" for b in "aeiou" for c in "sxvj"]
"""Words of one length in two vocabularies: what tells them apart is nothing but the letters."""


def rows(n: int, seed: int, told: float = 0.0) -> list[Row]:
    """Items of four options as long as each other; of a share of golds one word is a peculiar one."""
    rng = random.Random(seed)

    def row(number: int) -> Row:
        options = [rng.choices(COMMON, k=6) for _ in range(4)]
        gold = rng.randrange(4)
        if rng.random() < told:
            options[gold][rng.randrange(6)] = rng.choice(PECULIAR)
        return Row(f"{seed} {number}", tuple(map(" ".join, options)), gold)

    return [row(number) for number in range(n)]


def probed(given: Sequence[Row]) -> list[tuple[int, int]]:
    """The half of each row and its packed integer, in row order."""
    engine = duckdb.connect()
    engine.register("some_items", relation(given))
    engine.execute(f"CREATE TEMP TABLE scored AS {scan_sql('SELECT * FROM some_items', [PROBE])}")
    learn(engine, [PROBE])
    return engine.execute('SELECT half, "choices-only" FROM counted ORDER BY file, row').fetchall()


def tally(found: Sequence[tuple[int, int]]) -> Tally:
    return Tally.of(cell for _, packed in found for cell in unpacked({packed: 1}))


def audit(folder: Path, given: Sequence[Row], **texts: str) -> Audit:
    path = folder / "data.jsonl"
    lines = [
        json.dumps({"question": row.question, "options": row.options, "answer": "ABCD"[row.gold or 0]})
        for row in given
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return audit_path(path, gold_encoding="letter", **texts)


# --- what it finds ---


def test_a_peculiar_vocabulary_is_found_by_the_probe_alone(tmp_path):
    found = audit(tmp_path, rows(400, 1, told=0.8), probe="true")
    leaking = {name for name, judged in found.all.checks.items() if judged.verdict == "leak"}
    assert leaking == {"choices-only"}
    judged = found.all.checks["choices-only"]
    assert judged.tally.direction == "pick"
    assert judged.tally.n == 400
    assert found.check_versions["choices-only"] == PROBE.version


def test_a_model_is_no_rule_of_the_no_model_baseline(tmp_path):
    given = rows(400, 1, told=1.0)
    with_it, without = audit(tmp_path, given, probe="true"), audit(tmp_path, given)
    assert with_it.baseline == without.baseline


def test_golds_that_nothing_tells_are_not_accused():
    """Each half is tested by itself, at half of alpha; the bound is what one run in a thousand exceeds."""
    alpha, seeds = 0.05, 30
    accused = 0
    for seed in range(seeds):
        found = probed(rows(120, seed))
        halves = [[pair for pair in found if pair[0] == half] for half in (0, 1)]
        ps = [binom.sf(part.among - 1, part.n, 0.25) for part in map(tally, halves)]
        accused += min(ps) < alpha / 2
    assert accused <= binom.ppf(0.999, seeds, alpha)


# --- what it learns from ---


def test_repeats_of_an_item_teach_nothing_of_each_other():
    """Every item stands there four times: what was learnt by heart would be right every time."""
    once = rows(60, 3)
    found = probed(once * 4)
    assert {half for half, _ in found} == {0, 1}
    assert found == found[:60] * 4
    assert tally(found).gain < 0.25


def test_a_row_is_scored_by_what_the_other_half_teaches():
    """Golds of one half are changed: figures of that half change with them as hits, and its scores do not."""
    given = rows(200, 4, told=0.7)
    before = probed(given)
    flipped = [
        row._replace(gold=(row.gold + 1) % 4) if half else row
        for row, (half, _) in zip(given, before, strict=True)
    ]
    after = probed(flipped)
    hits = [(was % 2, is_ % 2) for (half, was), (_, is_) in zip(before, after, strict=True) if half]
    assert (1, 1) not in hits
    assert (1, 0) in hits
    assert [a for a in after if not a[0]] != [b for b in before if not b[0]]


def test_neither_the_order_of_rows_nor_of_options_means_anything():
    given = rows(150, 5, told=0.5)
    rng = random.Random(1)
    order = rng.sample(range(150), 150)
    shuffled = []
    for number in order:
        row = given[number]
        places = rng.sample(range(4), 4)
        options = tuple(row.options[place] for place in places)
        shuffled.append(row._replace(options=options, gold=places.index(row.gold)))
    before, after = probed(given), probed(shuffled)
    assert [before[number] for number in order] == after


def test_equal_texts_are_tied_and_rows_without_another_half_say_nothing():
    (pair,) = probed([Row("q", ("yes", "no", "maybe"), 1)])
    assert unpacked({pair[1]: 1}) == [(3, 3, 1, 1)]
    same = probed([Row(f"{n}", ("a", "", "a", "b"), 0) for n in range(40)])
    assert {t for _, packed in same for _, t, _, _ in unpacked({packed: 1})} <= {1, 2}


def test_only_so_many_rows_are_learnt_from_and_all_are_scored(monkeypatch):
    """In batches, the same ones in every pass."""
    passes: list[list[str]] = []
    learn_batch = probe.Model.learn

    def noted(model, items):
        passes.append([gold for _, gold in items])
        learn_batch(model, items)

    monkeypatch.setattr(probe.Model, "learn", noted)
    monkeypatch.setattr(probe, "MOST_ROWS", 25)
    monkeypatch.setattr(probe, "_ROWS_AT_ONCE", 10)
    found = probed(rows(200, 7))
    assert [len(batch) for batch in passes] == [10, 10, 5] * 6
    assert passes[:3] == passes[3:6] == passes[6:9]
    assert tally(found).n == 200


def test_an_option_is_looked_at_from_its_beginning_only(monkeypatch):
    """Gold is told by what comes too late to be seen."""
    late = [
        row._replace(
            options=tuple(
                f"{text:{probe.MOST_CHARACTERS}}{' zz xs' if place == row.gold else ' bb dr'}"
                for place, text in enumerate(row.options)
            )
        )
        for row in rows(200, 8)
    ]
    assert tally(probed(late)).gain < 0.2
    monkeypatch.setattr(probe, "MOST_CHARACTERS", 2 * probe.MOST_CHARACTERS)
    assert tally(probed(late)).gain > 0.5


def test_no_rows_are_no_items_and_what_is_left_out_has_no_cell():
    assert probed([]) == []
    assert probed([Row("q", left_out="unlabelled")]) == [(None, None)]


def test_the_same_input_gives_the_same_bytes_with_a_cache_and_without(tmp_path):
    given = rows(300, 6, told=0.5)
    plain, again, filled, cached = (
        text_of(audit_document(audit(tmp_path, given, probe="true", **texts)))
        for texts in ({}, {}, {"cache": str(tmp_path / "kept")}, {"cache": str(tmp_path / "kept")})
    )
    assert plain == again == filled == cached


# --- that nobody has it who did not ask ---


def test_it_is_off_by_default(tmp_path):
    found = audit(tmp_path, rows(100, 1, told=1.0))
    assert "choices-only" not in found.check_versions
    assert "choices-only" not in found.all.checks
    assert PROBE not in all_checks()
    assert PROBE in all_checks(probe=True)


def test_an_audit_without_it_imports_no_scikit_learn(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("question,A,B,answer\n" + "q,one,two,A\n" * 30, encoding="utf-8")
    code = (
        "import sys; from benchaudit.cli import main; "
        f"main(['audit', {str(path)!r}, '--options', 'A,B'], {{}}); "
        "print('benchaudit.probe' in sys.modules, 'sklearn' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "True False"


def test_without_scikit_learn_one_line_says_what_to_install(monkeypatch, capsys, tmp_path):
    """Before anything is read: the source is not there at all."""
    monkeypatch.setattr(given, "find_spec", lambda _: None)
    assert main(["audit", str(tmp_path / "absent.csv"), "--probe"], {}) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "pip install 'benchaudit-action[probe]'" in lines[0]
    with pytest.raises(SettingsError, match="scikit-learn"):
        settle([{"probe": ("true", "input probe")}])
    assert not settle([{"probe": ("false", "input probe")}]).probe


def test_settings_without_it_are_what_they_were_before_there_was_one():
    plain, asked = settle([]), settle([{"probe": ("true", "--probe")}])
    assert plain.digest == settle([{"probe": ("false", "--probe")}]).digest != asked.digest
