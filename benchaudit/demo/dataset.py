"""An invented benchmark with known leaks, and the commits of its repository.

It has the columns of PersonaMem-v2 and, in its first release, the option-length figures published for a
sample. Its text is composed from `phrases`. Every choice is a digest of what it is for, not the next random
number: bytes are the same on every platform, and to rewrite, add or remove a row moves no other.
"""

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from benchaudit.demo import phrases

T = TypeVar("T")


class Shape(NamedTuple):
    """Where the gold stands among its row's options by length; `tied` is said of an extremum only."""

    longest: bool = False
    shortest: bool = False
    tied: bool = False


LONGEST, LONGEST_TIED = Shape(longest=True), Shape(longest=True, tied=True)
SHORTEST, SHORTEST_TIED = Shape(shortest=True), Shape(shortest=True, tied=True)
BETWEEN = Shape()

DATA_PATH = "benchmark/text/benchmark.csv"
# Rows of the first release by pref_type, who and shape. Summed over a pref_type, who=others or all they are
# the published figures; who=others, always shortest, lies where there are enough shortest golds for it.
FIRST_RELEASE: tuple[tuple[str, str, Mapping[Shape, int]], ...] = (
    ("anti_stereotypical_pref", "self", {LONGEST: 56, LONGEST_TIED: 3, SHORTEST: 1, BETWEEN: 20}),
    ("anti_stereotypical_pref", "others", {SHORTEST: 6}),
    ("stereotypical_pref", "self", {LONGEST: 34, LONGEST_TIED: 2, SHORTEST: 1, BETWEEN: 14}),
    ("stereotypical_pref", "others", {SHORTEST: 2}),
    ("neutral_preferences", "self", {LONGEST: 54, LONGEST_TIED: 3, BETWEEN: 21}),
    ("neutral_preferences", "others", {SHORTEST: 8}),
    ("health_and_medical_conditions", "self", {LONGEST: 34, LONGEST_TIED: 1, SHORTEST: 1, BETWEEN: 16}),
    ("health_and_medical_conditions", "others", {SHORTEST: 5}),
    ("sensitive_info", "self", {LONGEST: 28, LONGEST_TIED: 1, BETWEEN: 22}),
    ("ask_to_forget", "self", {LONGEST: 4, SHORTEST: 58, SHORTEST_TIED: 1, BETWEEN: 42}),
    ("therapy_background", "self", {LONGEST: 14, SHORTEST: 1, BETWEEN: 17}),
    ("therapy_background", "others", {SHORTEST: 30, SHORTEST_TIED: 1}),
)
PREF_TYPES = tuple(dict.fromkeys(pref_type for pref_type, _, _ in FIRST_RELEASE))
# Of four options one is the longest and one the shortest: golds that go round like this give nothing away.
BALANCED = (SHORTEST, BETWEEN, LONGEST, BETWEEN)
# Of the possible file orders, one where every second ask_to_forget row bears about half of that slice's leak.
SEED = 27
# Wordings tried before a row is given up; none of these rows takes more than two hundred.
MAX_ATTEMPTS = 20_000
# Token counts are of a likely size, the window divided by this, and otherwise without meaning.
SIZE_DIVISORS = {
    "total_tokens_in_chat_history": 1,
    "distance_from_related_snippet_to_query": 4,
    "num_persona_relevant_tokens": 5,
    "num_persona_irrelevant_tokens": 2,
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row before it is put into words: `number` is its identity, `edition` goes up with a rewriting."""

    number: int
    pref_type: str
    who: str
    shape: Shape
    edition: int = 1

    @property
    def topic(self) -> phrases.Topic:
        """The field that question and options are about."""
        return phrases.TOPICS[self.number % len(phrases.TOPICS)]

    @property
    def relation(self) -> str | None:
        """Whom the question is asked for, None where it is the persona."""
        return _choose(phrases.RELATIONS, "relation", self.number) if self.who == "others" else None

    @property
    def habits(self) -> list[str]:
        """What personas may be known for in this kind of row, this one's own habit first."""
        return _shuffled(phrases.SPECIAL_HABITS.get(self.pref_type, self.topic.habits), "habit", self.number)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoCommit:
    """One commit: the files that it writes (bytes) or deletes (None) by path, and its tag, if any."""

    title: str
    files: Mapping[str, bytes | None]
    tag: str | None = None


def history() -> tuple[DemoCommit, ...]:
    """Return the commits of the demo's dataset repository, oldest first."""
    first = _first_release()
    forget = [row for row in first if row.pref_type == "ask_to_forget"]
    halved = _rebalanced(first, forget[::2])
    final = _balance_others(halved)
    card, usage = phrases.CARD, phrases.CARD + phrases.USAGE
    readmes = [{"README.md": text.encode()} for text in (card, usage, usage + phrases.CONTACT)]
    return (
        DemoCommit(title="initial commit", files={".gitattributes": phrases.GITATTRIBUTES.encode()}),
        DemoCommit(title="Add benchmark and card", files={DATA_PATH: _csv(first), **readmes[0]}, tag="v1.0"),
        DemoCommit(title="Describe the columns", files=readmes[1]),
        DemoCommit(title="Rewrite half of the ask_to_forget options", files={DATA_PATH: _csv(halved)}),
        DemoCommit(title="Update README.md", files=readmes[2]),
        DemoCommit(title="Balance who=others", files={DATA_PATH: _csv(final)}, tag="v1.1"),
    )


def _first_release() -> tuple[Row, ...]:
    """Return the rows of the first release in file order, the kinds well mixed."""
    kinds = [
        (pref_type, who, shape)
        for pref_type, who, counts in FIRST_RELEASE
        for shape, count in counts.items()
        for _ in range(count)
    ]
    return tuple(Row(n, *kinds[i]) for n, i in enumerate(_shuffled(range(len(kinds)), "file order", SEED)))


def _rebalanced(rows: Sequence[Row], affected: Iterable[Row]) -> tuple[Row, ...]:
    """Rewrite the affected rows so that their golds are the longest or shortest as often as by chance."""
    rewritten = {
        row.number: replace(row, shape=BALANCED[n % len(BALANCED)], edition=row.edition + 1)
        for n, row in enumerate(affected)
    }
    return tuple(rewritten.get(row.number, row) for row in rows)


def _balance_others(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Rewrite the who=others rows, remove three of the rest that lie far apart and append twelve."""
    removed = [row for row in rows if row.who == "self"][99::150]
    kept = [row for row in rows if row not in removed]
    added = [
        Row(len(rows) + n, PREF_TYPES[n % len(PREF_TYPES)], "self", BALANCED[n % len(BALANCED)])
        for n in range(12)
    ]
    return _rebalanced((*kept, *added), [row for row in kept if row.who == "others"])


def _csv(rows: Iterable[Row]) -> bytes:
    """Return the rows as CSV with a header line, in UTF-8 with LF line ends."""
    records = [_cells(row) for row in rows]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue().encode()


def _cells(row: Row) -> dict[str, str]:
    """Return a row's cells by column, in order; the two answer cells alone hang on its shape and edition."""
    gold, *distractors = _options(row)
    forget, known = row.pref_type == "ask_to_forget", f"I {row.habits[0]}"
    persona = _digest("persona", row.number) % 120
    job, town = (_choose(names, persona) for names in (phrases.JOBS, phrases.TOWNS))
    # The benchmark that this one is modelled on spells its lists in both ways.
    spell_list = _choose((json.dumps, repr), "list", row.number)
    return {
        "persona_id": str(persona),
        "chat_history_32k_link": f"data/chat_history_32k/persona{persona}.json",
        "chat_history_128k_link": f"data/chat_history_128k/persona{persona}.json",
        "raw_persona_file": f"data/raw_data/persona{persona}.json",
        "short_persona": repr({"persona": f"Works as a {job} in {town}"}),
        "expanded_persona": json.dumps({"occupation": job, "town": town}, indent=2),
        "user_query": repr({"role": "user", "content": _question(row)}),
        "correct_answer": gold,
        "incorrect_answers": spell_list(distractors),
        "topic_query": row.topic.name,
        "preference": f"Do not remember: {known}" if forget else known,
        "topic_preference": row.topic.name,
        "conversation_scenario": _choose(phrases.SCENARIOS, "scenario", row.number),
        "pref_type": row.pref_type,
        "related_conversation_snippet": json.dumps([{"role": "user", "content": f"By the way, {known}."}]),
        "who": row.who,
        "updated": str(forget),
        "prev_pref": known if forget else "",
        "sensitive_info": str(row.pref_type == "sensitive_info"),
    } | {
        f"{column}_{window}k": str(window * 1000 // divisor - _digest(column, window, row.number) % 4000)
        for column, divisor in SIZE_DIVISORS.items()
        for window in (32, 128)
    }


def _question(row: Row) -> str:
    """Return the row's question; no two rows share one, so that a rewritten row is found again by it."""
    occasion, ask = divmod(row.number // len(phrases.TOPICS), len(row.topic.asks))
    who = f"my {row.relation}" if row.relation else "I"
    return f"What could {who} {row.topic.asks[ask]} {phrases.OCCASIONS[occasion]}?"


def _options(row: Row) -> tuple[str, ...]:
    """Return four options, gold first, in the first wording that has the row's shape; its ideas stay."""
    for attempt in range(MAX_ATTEMPTS):
        texts = tuple(_option(row, slot, attempt) for slot in range(4))
        gold, *others = map(len, texts)
        longest, shortest = gold >= max(others), gold <= min(others)
        if row.shape == Shape(longest, shortest, tied=(longest or shortest) and gold in others):
            return texts
    raise ValueError(f"row {row.number}: the phrases have no wording of {row.shape}")


def _option(row: Row, slot: int, attempt: int) -> str:
    """Return one option: an idea with the opening, ending and closing sentence of this attempt.

    A right answer builds on the persona's own habit, except where that was to be forgotten or someone else is
    meant: there it is what wrong answers do.
    """
    key = (row.number, row.edition, slot, attempt)
    own, other, *_ = row.habits
    impersonal = row.pref_type == "ask_to_forget" or row.who == "others"
    habit = ({1: own, 2: own} if impersonal else {0: own, 1: other}).get(slot)
    opening = _choose(phrases.PERSONAL_OPENINGS if habit else phrases.PLAIN_OPENINGS, "opening", *key)
    who = f"your {row.relation}" if row.relation else "you"
    idea = _shuffled(row.topic.ideas, "ideas", row.number)[slot]
    touch = _choose(("", *phrases.TOUCHES), "touch", *key)
    closing = _choose(("", *phrases.CLOSINGS), "closing", *key)
    return f"{opening.format(habit=habit, who=who, idea=idea)}{touch}. {closing}".rstrip()


def _digest(*key: object) -> int:
    return int.from_bytes(hashlib.sha256("/".join(map(str, key)).encode()).digest()[:8], "big")


def _choose(choices: Sequence[T], *key: object) -> T:
    """Return the choice that belongs to this key, as if a die had been thrown for it."""
    return choices[_digest(*key) % len(choices)]


def _shuffled(items: Iterable[T], *key: object) -> list[T]:
    """Return the items in the order that belongs to this key."""
    return sorted(items, key=lambda item: _digest(*key, item))
