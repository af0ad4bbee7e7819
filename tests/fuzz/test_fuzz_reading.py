"""A short run of the fuzzer of reading."""

from __future__ import annotations

from tests.fuzz.fuzz_reading import damaged_file, outcomes

FILES = 1000


def test_damaged_files_give_rows_or_an_error_of_ours() -> None:
    found = list(outcomes(FILES, seed=0))
    assert [outcome for outcome in found if outcome.kind == "broken"] == []
    # A fuzzer whose files are all refused, or none, would find nothing.
    assert {"rows", "error"} == {outcome.kind for outcome in found}


def test_a_seed_gives_the_same_file_again() -> None:
    assert [damaged_file(seed) for seed in range(30)] == [damaged_file(seed) for seed in range(30)]
