"""What a report issue remembers: it comes back as it went in, or says that it does not."""

from __future__ import annotations

import base64
import random
import string
import zlib
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import benchaudit.state
from benchaudit.checks import is_further
from benchaudit.errors import StateError
from benchaudit.headlines import Glimpse, Headline, headline
from benchaudit.kept import Kept, Sent, kept_document, kept_of
from benchaudit.markdown import comment_places
from benchaudit.markers import first_line, marker
from benchaudit.models import ALL, Blob, Revision, Snapshot
from benchaudit.past import Past, PastAudit
from benchaudit.state import BUDGET, State, dump, load, replaced
from benchaudit.tally import Tally
from benchaudit.verdict import WORST_FIRST
from tests.builders import LONGEST, release

TEXTS = st.text(st.characters(exclude_categories=()), max_size=12)
COUNTS = st.integers(0, 10**9)
KEYS = st.lists(st.tuples(TEXTS, st.none() | TEXTS), max_size=2).map(tuple)
CELLS = st.lists(
    st.tuples(st.integers(2, 9), st.integers(1, 2), st.integers(1, 9), st.integers(0, 9)), max_size=3
)
PASTS = st.builds(
    Past,
    tally=CELLS.map(Tally.of),
    verdict=st.sampled_from(WORST_FIRST),
    severe=st.booleans(),
    direction=st.sampled_from(["pick", "avoid"]),
)
SNAPSHOTS = st.builds(
    Snapshot,
    revision=st.builds(Revision, sha=TEXTS, committed_at=TEXTS, title=TEXTS),
    blobs=st.lists(st.builds(Blob, path=TEXTS, id=TEXTS, size=COUNTS), max_size=3).map(tuple),
    layout=st.lists(TEXTS, max_size=2).map(tuple),
)
AUDITS = st.builds(
    PastAudit,
    snapshot=SNAPSHOTS,
    rows=COUNTS,
    defects=COUNTS,
    encoding=TEXTS,
    # Of further checks a verdict is kept, in the slices of the others.
    checks=st.dictionaries(
        st.tuples(KEYS, TEXTS.filter(lambda name: not is_further(name))), PASTS, max_size=4
    ),
    slicings=st.frozensets(st.lists(TEXTS, max_size=2).map(tuple), max_size=3),
    complete=st.booleans(),
    columns=st.none() | st.frozensets(TEXTS, max_size=3),
)
GLIMPSES = st.builds(
    Glimpse, score=TEXTS, chance=TEXTS, verdict=st.sampled_from(WORST_FIRST), severe=st.booleans()
)
STATES = st.builds(
    State,
    dataset=TEXTS,
    seen=TEXTS,
    settings=TEXTS,
    checks=st.dictionaries(TEXTS, st.integers(1, 9), max_size=3),
    past=AUDITS,
    history=st.lists(
        st.builds(
            Headline,
            sha=TEXTS,
            committed_at=TEXTS,
            verdict=TEXTS,
            severe=st.booleans(),
            n=COUNTS,
            baseline=TEXTS,
            rates=st.dictionaries(st.tuples(KEYS, TEXTS), GLIMPSES, max_size=3),
        ),
        max_size=3,
    ).map(tuple),
)


def past(**fields) -> PastAudit:
    """A past audit, of which only these fields matter."""
    given_fields = {
        "snapshot": Snapshot(
            revision=Revision(sha="c" * 40), blobs=(Blob(path="a.csv", id="b" * 40, size=9),)
        ),
        "rows": 1,
        "defects": 0,
        "encoding": "letter",
        "checks": {},
        "slicings": frozenset({()}),
    }
    return PastAudit(**(given_fields | fields))


def state(dataset: str = "owner/name", **fields) -> State:
    """A state, of which only these fields matter."""
    given_fields = {"seen": "c" * 40, "settings": "0123456789ab", "checks": {"longest": 1}, "past": past()}
    return State(dataset=dataset, **(given_fields | fields))


def body(held: State, rest: str = "\n\n**Leak.**\n") -> str:
    """A body as a report has it."""
    return f"{marker(held.dataset)}\n{dump(held)}{rest}"


# --- there and back ---


@given(STATES)
def test_a_state_comes_back_as_it_went_in(held):
    """Whatever is in the names: missing values, lone surrogates, line ends, marks of a comment."""
    assert load(body(held), held.dataset) == held


@given(STATES)
def test_line_ends_of_a_platform_change_nothing(held):
    assert load(body(held).replace("\n", "\r\n"), held.dataset) == held


@given(STATES)
def test_equal_states_have_equal_bytes(held):
    """The order in which slices and checks were counted leaves no trace."""
    turned = dict(reversed(held.past.checks.items()))
    assert dump(replace(held, past=replace(held.past, checks=turned))) == dump(held)


def test_a_title_is_remembered_in_part():
    """A commit's message can be of any length; it is no part of what is compared."""
    revision = Revision(sha="c" * 40, title="x" * 500)
    held = state(past=past(snapshot=Snapshot(revision=revision, blobs=())))
    assert load(body(held), held.dataset).past.snapshot.revision.title == "x" * 200


def test_the_headline_of_an_audit():
    """Its baseline is remembered as it was printed."""
    found = release({"a": [LONGEST] * 30}, sha="d" * 40)
    assert headline(found.audit) == Headline(
        sha="d" * 40,
        committed_at="2026-03-01T12:00:00Z",
        verdict="leak",
        severe=True,
        n=30,
        baseline="100.0 %",
    )


# --- the budget ---


def many(slices: int, value: str = "value {}") -> PastAudit:
    """A past audit of so many slices, of which every other leaks and every hundredth leaks severely."""
    drawn = random.Random(7)

    def judged(number: int, check: str) -> Past:
        verdict = "leak" if number % 2 == 0 else "incomplete" if number % 10 == 1 else "none-found"
        return Past(
            tally=Tally(((4, 1, 4_000, drawn.randrange(4_000)), (4, 2, 700, drawn.randrange(700)))),
            verdict=verdict if check == "longest" else "none-found",
            severe=number % 100 == 0 and check == "longest",
            direction="pick",
        )

    keys = [ALL, *((("topic", value.format(number)),) for number in range(slices))]
    checks = {
        (key, check): judged(number, check)
        for number, key in enumerate(keys)
        for check in ("longest", "shortest")
    }
    return past(checks=checks, slicings=frozenset({(), ("topic",)}))


@pytest.mark.parametrize(
    "value", ["value {}", "値と言葉" * 5 + "{}", "\U0001f600" * 20 + "{}"], ids=["plain", "wide", "emoji"]
)
def test_a_state_of_5000_slices_keeps_the_budget(value):
    """It says that it is not complete, and what it leaves out is never worse than what it keeps."""
    whole = many(5_000, value)
    block = dump(state(past=whole))
    assert len(block) <= BUDGET
    kept = load(body(state(past=whole)), "owner/name").past
    assert not kept.complete
    assert 50 < len(kept.checks) < len(whole.checks)
    assert all(whole.checks[place] == entry for place, entry in kept.checks.items())

    def rank(entry: Past) -> tuple[int, bool]:
        return WORST_FIRST.index(entry.verdict), not entry.severe

    left_out = [entry for place, entry in whole.checks.items() if place not in kept.checks]
    assert max(map(rank, kept.checks.values())) <= min(map(rank, left_out))
    assert any(entry.severe for entry in kept.checks.values())


def test_what_fits_is_complete():
    whole = many(50)
    kept = load(body(state(past=whole)), "owner/name").past
    assert kept == whole
    assert kept.complete


def test_what_was_not_complete_stays_so():
    """Even where what is left of it fits."""
    assert not load(body(state(past=replace(many(5), complete=False))), "owner/name").past.complete


def test_a_state_is_never_larger_than_what_is_read_back():
    """Slices that pack into next to nothing are cut where reading would stop."""
    tally = Tally(tuple((4, 1, 1, 1) for _ in range(250_000)))
    entry = Past(tally=tally, verdict="leak", severe=False, direction="pick")
    held = state(past=past(checks={(ALL, "longest"): entry, ((("a", "b"),), "longest"): entry}))
    kept = load(body(held), held.dataset).past
    assert not kept.complete
    assert kept.checks == {(ALL, "longest"): entry}


# --- damage ---

HELD = state(past=many(3))
BODY = body(HELD)
PRINTABLE = string.ascii_letters + string.digits + string.punctuation + " \n\r\t\0é"


def read(text: str) -> str | None:
    """The newest commit seen, of a state that is `HELD` in all; None where it is an error."""
    try:
        found = load(text, HELD.dataset)
    except StateError:
        return None
    return found.seen if found == HELD else f"another state: {found}"


@settings(max_examples=1000)
@given(st.integers(0, len(BODY) - 1), st.sampled_from(PRINTABLE))
@example(BODY.index("v1\n") + 1, "2")
@example(BODY.index("v1\n") + 1, "\n")
def test_damage_is_an_error_or_makes_no_difference(place, character):
    """Any one character of the body put in place of another: what reads back is the state, or an error."""
    damaged = BODY[:place] + character + BODY[place + 1 :]
    assert read(damaged) in {None, HELD.seen}


@settings(max_examples=300)
@given(st.integers(0, len(BODY)), st.integers(0, len(BODY)))
def test_a_piece_that_is_gone_is_an_error_or_makes_no_difference(one, other):
    start, end = sorted((one, other))
    assert read(BODY[:start] + BODY[end:]) in {None, HELD.seen}


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:0],
        lambda text: text.replace("<!-- benchaudit:state", "<!-- benchaudit:stale"),
        lambda text: text.replace("state:v1", "state:v"),
        lambda text: text.replace("state:v1", "state:v" + "1" * 5_000),
        lambda text: text.replace("-->", "--"),
        lambda text: text.replace(dump(HELD), "<!-- benchaudit:state:v1\nAAAA\n-->"),
        lambda text: text.replace(dump(HELD), "<!-- benchaudit:state:v1\nA\n-->"),
        lambda text: text.replace(dump(HELD), f"```\n{dump(HELD)}\n```"),
        lambda text: text.replace(dump(HELD), f"> {dump(HELD)}"),
    ],
    ids=[
        "empty",
        "name",
        "no-version",
        "long-version",
        "unclosed",
        "short",
        "not-base64",
        "fenced",
        "quoted",
    ],
)
def test_lost_and_damaged_states_say_how_to_recover(damage):
    """Never a silent fresh start."""
    with pytest.raises(StateError, match="rebuild-state") as caught:
        load(damage(BODY), HELD.dataset)
    assert str(caught.value).startswith("owner/name: ")
    assert "\n" not in str(caught.value)


def test_a_state_that_was_edited_and_packed_again_is_damage():
    """The sum of what it said is kept beside it."""
    packed = base64.b64decode("".join(dump(HELD).splitlines()[1:-1]))
    edited = packed[:8] + zlib.compress(zlib.decompress(packed[8:]).replace(b"none-found", b"leak"))
    block = f"<!-- benchaudit:state:v1\n{base64.b64encode(edited).decode()}\n-->"
    with pytest.raises(StateError, match="damaged"):
        load(BODY.replace(dump(HELD), block), HELD.dataset)


def test_a_state_of_another_dataset_is_damage():
    """A body whose marker was copied has no state of ours."""
    with pytest.raises(StateError, match="damaged"):
        load(BODY, "owner/other")


@pytest.mark.parametrize("version", [2, 10, 999_999_999])
def test_a_later_version_is_refused(version):
    """Whatever it holds, for it may hold what this one would lose."""
    with pytest.raises(StateError, match=f"later version .*state {version}, this one reads 1"):
        load(BODY.replace("state:v1", f"state:v{version}"), HELD.dataset)


# --- whose it is ---


@given(TEXTS, TEXTS)
def test_a_marker_is_one_line_and_names_one_dataset(one, other):
    """It ends where it ends, and no two names share it."""
    line = marker(one)
    assert len(line.splitlines()) == 1
    assert line.endswith(" -->")
    assert line.count("-->") == 1
    assert (line == marker(other)) == (one == other)
    assert first_line(f"{line}\nbody") == marker(one)
    assert first_line(f"{line}\r\nbody") == marker(one)
    assert (first_line(f"{line}\nbody") == marker(other)) == (one == other)


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        (marker("owner/name"), True),
        (f"{marker('owner/name')}  \nx", True),
        ("", False),
        (f"x\n{marker('owner/name')}", False),
        (f" {marker('owner/name')}", False),
        (f"> {marker('owner/name')}", False),
        (f"{marker('owner/name')} and more", False),
        (marker("owner/name-2"), False),
        (marker("owner/nam"), False),
        (marker("Owner/name"), False),
        ("```\n" + marker("owner/name"), False),
    ],
)
def test_a_body_is_ours_by_its_first_line(text, ours):
    assert (first_line(text) == marker("owner/name")) == ours


def test_a_name_on_the_hub_stands_in_the_marker_as_it_is():
    assert (
        marker("bowen-upenn/PersonaMem_v2.1") == "<!-- benchaudit:v1 dataset=bowen-upenn/PersonaMem_v2.1 -->"
    )


# --- another state in place of one ---

OTHER = replace(HELD, seen="e" * 40)


@given(
    st.lists(st.sampled_from(["text", "", "- x", "> q", "é 日本", "| a |", "```", dump(HELD), "<!-- x -->"])),
    st.sampled_from(["\n", "\r\n"]),
)
def test_replacing_a_state_keeps_every_other_character(rest, end):
    """What people wrote, line ends and quoted copies too."""
    head, block = f"{marker('owner/name')}{end}", dump(HELD).replace("\n", end)
    tail = end + end.join(rest)
    out = replaced(f"{head}{block}{tail}", OTHER)
    assert out == f"{head}{dump(OTHER)}{tail}"
    assert load(out, "owner/name") == OTHER


@pytest.mark.parametrize(
    "around", ["```\n{}\n```\n\n", "- {}\n\n", "> {}\n\n"], ids=["fence", "list", "quotation"]
)
def test_a_quoted_copy_is_not_the_state(around):
    """Neither read nor replaced, even where it stands in front."""
    quoted = around.format(dump(state(seen="f" * 40)).replace("\n", " " if around[0] in "->" else "\n"))
    text = f"{marker('owner/name')}\n\n{quoted}{dump(HELD)}\n\nend\n"
    assert load(text, "owner/name") == HELD
    assert replaced(text, OTHER) == text.replace(dump(HELD), dump(OTHER))


def test_nothing_is_put_in_place_of_nothing():
    with pytest.raises(StateError, match="lost its state"):
        replaced(marker("owner/name"), HELD)


def test_a_sent_report_of_an_earlier_version_has_no_name():
    """It was kept as where, address and whether it is closed."""
    document = {"tags": None, "releases": [], "sent": ["github:a/b", "https://x/1", True]}
    sent = kept_of(document).sent
    assert sent == Sent(where="github:a/b", url="https://x/1", dataset="", ended=True)
    assert kept_of(kept_document(Kept(sent=sent))).sent == sent
    with pytest.raises(ValueError, match="unpack"):
        kept_of(document | {"sent": ["github:a/b"]})


PIECES = (
    "",
    "\n",
    "\r\n",
    " ",
    "words ",
    "```\n",
    "~~~",
    "- ",
    "> ",
    "    ",
    "<div>\n",
    "<!-- ",
    "-->",
    "| a |\n",
)


@given(st.data())
def test_the_state_that_is_found_first_is_the_first_of_the_whole_body(data: st.DataObject) -> None:
    """Only what comes before a block says whether it is one: looking at the beginning alone is enough."""
    block = "<!-- benchaudit:state:v1\nAAAA\n-->"
    body = "".join(data.draw(st.lists(st.sampled_from([*PIECES, block, f"\n\n{block}\n"]), max_size=12)))
    whole = [
        (place, match[0])
        for place in comment_places(body)
        if (match := benchaudit.state._STATE.fullmatch(body[place]))
    ]
    try:
        place, match = benchaudit.state._found(body, "owner/name")
    except StateError:
        assert whole == []
    else:
        assert whole[:1] == [(place, match[0])]
