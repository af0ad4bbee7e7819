"""The demo benchmark: its figures, what each of its commits changes, and its bytes."""

import ast
import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from benchaudit.demo.dataset import DATA_PATH, DemoCommit, history

Record = dict[str, str]
Count = tuple[int, int, int, int, int]

PRINTED_ROW = (
    Path(__file__).resolve().parents[1] / "../shared/data/personamem-v2/rows_printed_in_notebook.csv"
)
HEADER = (
    "persona_id,chat_history_32k_link,chat_history_128k_link,raw_persona_file,short_persona,"
    "expanded_persona,user_query,correct_answer,incorrect_answers,topic_query,preference,"
    "topic_preference,conversation_scenario,pref_type,related_conversation_snippet,who,updated,"
    "prev_pref,sensitive_info,total_tokens_in_chat_history_32k,total_tokens_in_chat_history_128k,"
    "distance_from_related_snippet_to_query_32k,distance_from_related_snippet_to_query_128k,"
    "num_persona_relevant_tokens_32k,num_persona_relevant_tokens_128k,"
    "num_persona_irrelevant_tokens_32k,num_persona_irrelevant_tokens_128k"
)
COLUMNS = HEADER.split(",")
# sha256 of the files of each commit, oldest first.
DIGESTS = [
    {
        ".gitattributes": "30129f61f2a1b984b358279fb24769ff73836dc7f839a765b67775ae2af04a13",
    },
    {
        DATA_PATH: "abc6ff024ca610215a5be21d0eed6ed7a63bdac77347913a843c0ed3d820ffca",
        "README.md": "c78745ca628081579083030a6ad6effc3f654736b562b0585e333cfefde7a139",
    },
    {
        "README.md": "04e25f1befda2a1bfea3822ab285d406dc677756de58785b0447ff47870169c1",
    },
    {
        DATA_PATH: "15fec0868784b786f9fca97dfb18f4ea4a5aeb89d1d2f2c7a8888dfce401fd41",
    },
    {
        "README.md": "5f27378dcc06607adba738a5c9b2a115812cd238e311bc6e246d6ab5b38a661a",
    },
    {
        DATA_PATH: "cdadd936b940a538c2b8db93a4da32bb52e3ce1a31ad48ac34cb753be5106108",
    },
]
ANSWERS = {"correct_answer", "incorrect_answers"}


@pytest.fixture(scope="module")
def commits() -> tuple[DemoCommit, ...]:
    return history()


@pytest.fixture(scope="module")
def releases(commits: tuple[DemoCommit, ...]) -> list[list[Record]]:
    """The parsed data file of each commit that writes it, oldest first."""
    return [parsed(commit.files[DATA_PATH]) for commit in commits if DATA_PATH in commit.files]


def parsed(data: bytes | None) -> list[Record]:
    assert data is not None
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def listed(cell: str) -> list[str]:
    """Read a list cell, JSON first: a JSON escape is two characters to Python where it stands for one."""
    try:
        options = json.loads(cell)
    except ValueError:
        options = ast.literal_eval(cell)
    assert isinstance(options, list)
    return options


def options_of(record: Record) -> list[str]:
    return [record["correct_answer"], *listed(record["incorrect_answers"])]


def anyone(_: Record) -> bool:
    return True


def count(records: list[Record], chosen: Callable[[Record], bool] = anyone) -> Count:
    """Count rows, gold among longest, uniquely longest, among shortest, uniquely shortest."""
    rows = longest = only_longest = shortest = only_shortest = 0
    for record in filter(chosen, records):
        gold, *others = (len(option) for option in options_of(record))
        rows += 1
        longest += all(gold >= other for other in others)
        only_longest += all(gold > other for other in others)
        shortest += all(gold <= other for other in others)
        only_shortest += all(gold < other for other in others)
    return rows, longest, only_longest, shortest, only_shortest


def kind(pref_type: str) -> Callable[[Record], bool]:
    return lambda record: record["pref_type"] == pref_type


def for_others(record: Record) -> bool:
    return record["who"] == "others"


def raw_records(data: bytes | None) -> list[bytes]:
    """Split a CSV at the line ends that no quotes enclose."""
    assert data is not None
    records, open_record = [], b""
    for line in data.splitlines(keepends=True):
        open_record += line
        if open_record.count(b'"') % 2 == 0:
            records.append(open_record)
            open_record = b""
    assert not open_record
    return records


def changed_columns(old: Record, new: Record) -> set[str]:
    return {column for column in COLUMNS if old[column] != new[column]}


@pytest.mark.parametrize(
    ("pref_type", "rows", "longest", "shortest"),
    [
        ("anti_stereotypical_pref", 86, "68.6", "8.1"),
        ("stereotypical_pref", 53, "67.9", "5.7"),
        ("neutral_preferences", 86, "66.3", "9.3"),
        ("health_and_medical_conditions", 57, "61.4", "10.5"),
        ("sensitive_info", 51, "56.9", "0.0"),
        ("ask_to_forget", 105, "3.8", "56.2"),
        ("therapy_background", 63, "22.2", "50.8"),
    ],
)
def test_first_release_has_the_published_rates(
    releases: list[list[Record]], pref_type: str, rows: int, longest: str, shortest: str
) -> None:
    """Each pref_type gives the published percentages, and no neighbouring count would round to them."""
    counted = count(releases[0], kind(pref_type))
    assert counted[0] == rows
    for hits, published in ((counted[1], longest), (counted[3], shortest)):
        assert [n for n in range(rows + 1) if f"{100 * n / rows:.1f}" == published] == [hits]


def test_first_release_has_the_published_totals(releases: list[list[Record]]) -> None:
    first = releases[0]
    assert count(first)[:4] == (501, 234, 224, 115)
    assert count(first, for_others) == (52, 0, 0, 52, 51)
    assert count(first, kind("ask_to_forget"))[4] == 58
    assert [f"{100 * hits / 501:.1f}" for hits in (234, 224, 115)] == ["46.7", "44.7", "23.0"]
    assert sum(count(first, kind(name))[0] for name in {row["pref_type"] for row in first}) == 501


def test_updated_rows_are_those_to_forget(releases: list[list[Record]]) -> None:
    for release in releases:
        assert {record["pref_type"] for record in release if record["updated"] == "True"} == {"ask_to_forget"}
        assert {record["updated"] for record in release} == {"True", "False"}


def test_rows_are_well_formed(releases: list[list[Record]]) -> None:
    """Every row has 27 cells, a question of its own and four different options of a readable length."""
    for release in releases:
        for record in release:
            assert list(record) == COLUMNS
            assert all(isinstance(cell, str) for cell in record.values())
            assert len(set(options_of(record))) == 4
            assert all(30 <= len(option) <= 400 for option in options_of(record))
            assert ast.literal_eval(record["user_query"]).keys() == {"role", "content"}
        assert len({record["user_query"] for record in release}) == len(release)


def test_columns_are_those_of_the_benchmark_imitated(releases: list[list[Record]]) -> None:
    if not PRINTED_ROW.exists():
        pytest.skip("the shared benchmark files are not here")
    with PRINTED_ROW.open(encoding="utf-8", newline="") as file:
        assert set(releases[0][0]) == set(next(csv.reader(file))) - {"_split", "_row"}


def test_lists_are_spelled_in_both_ways(releases: list[list[Record]]) -> None:
    """Some list cells are JSON and some Python, and in some only JSON gives the right length."""
    spellings: Counter[str] = Counter()
    for record in releases[0]:
        cell = record["incorrect_answers"]
        try:
            json.loads(cell)
        except ValueError:
            spellings["python"] += 1
        else:
            spellings["json"] += 1
            spellings["json, not python"] += ast.literal_eval(cell) != json.loads(cell)
    assert min(spellings[name] for name in ("python", "json", "json, not python")) > 20


def test_commits_touch_the_files_that_they_name(commits: tuple[DemoCommit, ...]) -> None:
    assert [(commit.title, set(commit.files), commit.tag) for commit in commits] == [
        ("initial commit", {".gitattributes"}, None),
        ("Add benchmark and card", {DATA_PATH, "README.md"}, "v1.0"),
        ("Describe the columns", {"README.md"}, None),
        ("Rewrite half of the ask_to_forget options", {DATA_PATH}, None),
        ("Update README.md", {"README.md"}, None),
        ("Balance who=others", {DATA_PATH}, "v1.1"),
    ]


def test_rewriting_changes_half_of_ask_to_forget(
    commits: tuple[DemoCommit, ...], releases: list[list[Record]]
) -> None:
    """The answers of 53 of 105 rows change, nothing else does, and over half of the excess remains."""
    old, new = (raw_records(commits[index].files[DATA_PATH]) for index in (1, 3))
    pairs = list(zip(releases[0], releases[1], strict=True))
    touched = [index for index, (before, after) in enumerate(pairs) if before != after]
    assert [i - 1 for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b] == touched
    assert len(touched) == 53
    assert {pairs[index][0]["pref_type"] for index in touched} == {"ask_to_forget"}
    assert set().union(*(changed_columns(*pairs[index]) for index in touched)) == ANSWERS
    assert count(releases[0], kind("ask_to_forget")) == (105, 4, 4, 59, 58)
    assert count(releases[1], kind("ask_to_forget"))[:4] == (105, 15, 15, 45)
    assert count(releases[1], for_others) == (52, 0, 0, 52, 51)


def test_balancing_changes_who_others(commits: tuple[DemoCommit, ...], releases: list[list[Record]]) -> None:
    """All who=others answers change, three other rows go, twelve come at the end, the rest stays."""
    old, new = (raw_records(commits[index].files[DATA_PATH]) for index in (3, 5))
    by_question = {record["user_query"]: record for record in releases[2]}
    stayed = [(before, by_question.get(before["user_query"])) for before in releases[1]]
    gone = [before for before, after in stayed if after is None]
    pairs = [(before, after) for before, after in stayed if after is not None]
    assert [after for _, after in pairs] + releases[2][-12:] == releases[2]
    assert len(gone) == 3
    assert not any(map(for_others, [*gone, *releases[2][-12:]]))
    assert [bool(changed_columns(*pair)) for pair in pairs] == [for_others(before) for before, _ in pairs]
    assert set().union(*(changed_columns(*pair) for pair in pairs)) == ANSWERS
    assert len(set(old) & set(new)) == 1 + 501 - 3 - 52
    assert count(releases[2])[0] == 510
    assert count(releases[2], for_others) == (52, 13, 13, 13, 13)


def test_bytes_are_the_same_everywhere(commits: tuple[DemoCommit, ...]) -> None:
    """A change of any byte of the demo is meant: whoever makes it pins the new digests."""
    digests = [
        {path: hashlib.sha256(data or b"").hexdigest() for path, data in commit.files.items()}
        for commit in commits
    ]
    assert digests == DIGESTS
    assert history() == commits
