"""Settings: read alike from flags, inputs and a config file, and errors that name the place."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import benchaudit.given
from benchaudit import job
from benchaudit.cli import main
from benchaudit.config import from_config
from benchaudit.errors import SettingsError
from benchaudit.models import Acceptance, ColumnMapping, Thresholds
from benchaudit.settings import Settings, declared, default_of, from_environment, settle
from tests.support import needs_shared, shared_json

VALUES = {
    "dataset": ("owner/name", "owner/name"),
    "files": ("a.csv, b/*.json", ("a.csv", "b/*.json")),
    "revision": ("refs/pr/3", "refs/pr/3"),
    "config": ("benchaudit.yml", "benchaudit.yml"),
    "shard": (" 3/12", "3/12"),
    "question": ("q", "q"),
    "options": ("a, b", ("a", "b")),
    "gold": ("answer", "answer"),
    "gold-fallback": ("answer 2", "answer 2"),
    "distractors": ("w1,w2", ("w1", "w2")),
    "gold-encoding": ("index1", "index1"),
    "option-separator": (" | ", " | "),
    "options-in-question": ("true", True),
    "last-turn": ("true", True),
    "repeats": ("true", True),
    "probe": ("true", True),
    "id": ("uid", "uid"),
    "records": ("/data/rows", "/data/rows"),
    "subset": ("en", "en"),
    "split": ("validation", "validation"),
    "slices": ("who, type*split, @file", (("who",), ("type", "split"), ("@file",))),
    "baseline-slices": ("type * split", "type*split"),
    "min-rows": ("30", 30),
    "alpha": ("0.05", 0.05),
    "min-effect": ("2.5", 2.5),
    "min-change": ("1", 1.0),
    "accept": (
        "who=others | avoid shortest | 7.5 | by design",
        (
            Acceptance(
                slice="who=others",
                direction="avoid",
                check="shortest",
                gain=Fraction(15, 2),
                reason="by design",
            ),
        ),
    ),
    "fail-on": ("new-leak", "new-leak"),
    "channel": ("folder", "folder"),
    "repository": ("o/r", "o/r"),
    "author": ("bot", "bot"),
    "labels": ("leak, benchmark", ("leak", "benchmark")),
    "assignees": ("me", ("me",)),
    "close-when-clean": ("true", True),
    "samples": ("none", "none"),
    "pages": ("site", "site"),
    "release": ("v1.0", "v1.0"),
    "annotate-release": ("true", True),
    "upstream": ("github:o/r", "github:o/r"),
    "upstream-follow-up": ("true", True),
    "upstream-token": ("ghs_2", "ghs_2"),
    "approval-label": ("go", "go"),
    "templates": (".github/templates", ".github/templates"),
    "dry-run": ("true", True),
    "max-commits": ("5", 5),
    "max-bytes": ("1000", 1000),
    "cache": (" .cache ", ".cache"),
    "scheduler": (" tcp://10.0.0.1:8786", "tcp://10.0.0.1:8786"),
    "github-token": ("ghs_1", "ghs_1"),
    "hf-token": ("hf_1", "hf_1"),
}
"""A text for every setting, and what is read of it."""

FIGURES = {
    *("files", "subset", "split", "revision", "records", "slices", "baseline-slices"),
    *("min-rows", "alpha", "min-effect", "accept", "repeats", "probe"),
    *("question", "options", "options-in-question", "option-separator", "distractors", "last-turn", "id"),
    *("gold", "gold-encoding", "gold-fallback"),
}
"""Settings that change what is counted, or what is said of it."""

PLACE = "somewhere:1"


def settled(**texts: str) -> Settings:
    """Settings of these texts, with `_` for `-`."""
    return settle([{name.replace("_", "-"): (text, PLACE) for name, text in texts.items()}])


def value(settings: Settings, name: str) -> object:
    """The value of a setting by its name in flags."""
    return getattr(settings, name.replace("-", "_"))


@pytest.fixture
def layers(monkeypatch):
    """Run `watch` and return the layers of settings that the job is given."""

    def watch(*flags: str, **environment: str):
        given = []

        def run(source, layers, environment, *, rebuild):
            given.extend(layers)
            return 0

        monkeypatch.setattr(job, "run", run)
        assert main(["watch", *flags], environment) == 0
        return given

    return watch


# --- one declaration, three doors ---


def test_every_setting_is_tried():
    assert VALUES.keys() == declared().keys()


@pytest.mark.parametrize("name", VALUES)
def test_a_setting_is_read_from_a_flag(name, layers):
    text, meant = VALUES[name]
    flag = [f"--{name}"] if isinstance(meant, bool) else [f"--{name}", text]
    assert value(settle(layers(*flag)), name) == meant


@pytest.mark.parametrize("name", VALUES)
def test_a_setting_is_read_from_an_input(name, layers):
    """As the runner sets it: upper case, dashes kept."""
    text, meant = VALUES[name]
    assert value(settle(layers(**{f"INPUT_{name.upper()}": text})), name) == meant


@pytest.mark.parametrize("name", sorted(VALUES.keys() - {"config"}))
def test_a_setting_is_read_from_a_config_file(name, tmp_path):
    """As a text, and as YAML would have it: a number, a truth value, a list."""
    text, meant = VALUES[name]
    plain = list(meant) if isinstance(meant, tuple) and name != "slices" else meant
    listed = {"slices": text.split(","), "accept": [text]}
    for document in ({name: text}, {name: listed.get(name, plain)}):
        path = tmp_path / "benchaudit.yml"
        path.write_text(yaml.safe_dump(document), encoding="utf-8")
        ((entry,),) = from_config(path)
        assert value(settle([entry]), name) == meant


def test_every_setting_is_an_input_of_the_action():
    """The runner knows those only that the action declares."""
    action = yaml.safe_load((Path(__file__).resolve().parents[1] / "action.yml").read_text(encoding="utf-8"))
    assert declared().keys() <= action["inputs"].keys()


def test_what_is_not_given_has_its_default():
    assert settle([]) == Settings()
    assert settled(min_rows="", files=" \n ", dry_run=" ") == Settings()


@pytest.mark.parametrize("name", sorted(VALUES.keys() - {"github-token", "hf-token", "upstream-token"}))
def test_a_default_can_be_given_as_a_text(name):
    """What the reference shows as the default is read as the default."""
    text = default_of(declared()[name])
    assert settle([{name: (text, PLACE)}]) == Settings()


@given(st.permutations(["flag", "input", "entry", "defaults"]), st.sets(st.integers(0, 3), min_size=1))
def test_the_first_layer_that_gives_a_setting_wins(names, giving):
    """An empty text gives nothing."""
    layers = [{"question": (name if n in giving else "", PLACE)} for n, name in enumerate(names)]
    assert settle(layers).question == names[min(giving)]


def test_what_is_overridden_need_not_be_readable():
    assert settle([{"min-rows": ("5", PLACE)}, {"min-rows": ("many", PLACE)}]).min_rows == 5


def test_flags_come_before_inputs_and_inputs_before_tokens_of_the_environment(layers):
    given = layers(
        "--question", "flag", INPUT_QUESTION="input", INPUT_GOLD="input", HF_TOKEN="hf", GITHUB_TOKEN="env",
        **{"INPUT_GITHUB-TOKEN": "input"},
    )  # fmt: skip
    settings = settle(given)
    assert (settings.question, settings.gold) == ("flag", "input")
    assert (settings.hf_token, settings.github_token) == ("hf", "input")


# --- texts that cannot be read ---

BAD = {
    "upstream": dict.fromkeys(["github:o", "gitlab:o/r", "hub:o/r", "github:o/r/s"], "OWNER/REPO or hub"),
    "min-rows": {
        "0": "at least 1",
        "1.5": "whole number",
        "many": "whole number",
        "9" * 5_000: "whole number",
    },
    "alpha": {"0": "between", "1": "between", "nan": "between", "inf": "between", "1 %": "must be a number"},
    "min-effect": {"-1": "between 0 and 100", "101": "between 0 and 100", "x": "must be a number"},
    "min-change": {"-0.1": "between 0 and 100"},
    "max-commits": {"0": "at least 1"},
    "max-bytes": {"1k": "whole number"},
    "scheduler": {"10.0.0.1:8786": "must be local", "tcp://host": "must be local", "http://h:1": "must be"},
    "dry-run": {"yes": "must be true or false", "1": "must be true or false"},
    "gold-encoding": {"letters": "must be one of text, letter"},
    "channel": {"GitHub": "must be one of github"},
    "fail-on": {"leaks": "must be one of leak"},
    "slices": {"a*": "crosses a column with nothing", "a, *b": "crosses a column with nothing"},
    "baseline-slices": {"a,b": "must be one column", "a*": "crosses a column with nothing"},
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in BAD.items() for text in texts])
def test_a_text_that_cannot_be_read_is_named_with_its_place(name, text):
    """What, where, and what would be right, in one line."""
    with pytest.raises(SettingsError) as caught:
        settle([{name: (f" {text}\n", "benchaudit.yml:4")}])
    said = str(caught.value)
    assert said.startswith(f"benchaudit.yml:4: {name} {text!r} ")
    assert BAD[name][text] in said
    assert "\n" not in said
    assert caught.value.exit_status == 2


def test_what_the_probe_needs_is_missed_before_anything_is_read(monkeypatch):
    monkeypatch.setattr(benchaudit.given, "find_spec", lambda _: None)
    with pytest.raises(SettingsError, match=r"benchaudit-action\[probe\]"):
        settle([{"probe": ("true", PLACE)}])
    assert not settle([{"probe": ("false", PLACE)}]).probe


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("min_rows", "min-rows"),
        ("minrows", "min-rows"),
        ("Dataset", "dataset"),
        ("slice", "slices"),
        ("dry_run", "dry-run"),
    ],
)
def test_an_unknown_name_is_named_with_the_nearest(name, near):
    with pytest.raises(SettingsError, match=f"^here: '{name}' is no setting - did you mean '{near}'"):
        settle([{name: ("x", "here")}])


def test_a_name_like_no_other_leads_to_the_reference():
    with pytest.raises(SettingsError, match=r"docs/reference\.md"):
        settle([{"qqqq": ("x", "here")}])


@pytest.mark.parametrize("name", ["github-token", "hf-token"])
def test_a_token_is_shown_nowhere(name):
    """Neither in print nor in the error for a name that is misspelt."""
    settings = settle([{name: ("s3cr3t", PLACE)}])
    assert value(settings, name) == "s3cr3t"
    assert "s3cr3t" not in repr(settings)
    with pytest.raises(SettingsError) as caught:
        settle([{name.replace("-", "_"): ("s3cr3t", PLACE)}])
    assert "s3cr3t" not in str(caught.value)


# --- the action's inputs ---


def test_an_empty_input_is_unset():
    """The runner sets every input that the action declares, those too that this version does not know."""
    assert (
        from_environment(
            {"INPUT_REVISION": "", "INPUT_OF-A-LATER-VERSION": " \n", "PATH": "x", "MY_INPUT_X": "y"}
        )
        == {}
    )


def test_an_unknown_input_is_named():
    with pytest.raises(SettingsError, match=r"^input dry_run: .* - did you mean 'dry-run'"):
        from_environment({"INPUT_DRY_RUN": "yes"})


def test_blanks_that_separate_options_are_no_empty_text():
    """Where a separator is set, a blank, a tab and a line end are something."""
    for text, meant in [
        (" ", " "),
        ("\t", "\t"),
        ("\n", "\n"),
        ("\\n", "\n"),
        ("\\t", "\t"),
        ("none", "none"),
    ]:
        assert settle([from_environment({"INPUT_OPTION-SEPARATOR": text})]).option_separator == meant
        assert settled(option_separator=text).option_separator == meant
    assert settled(option_separator="none").mapping.separator == ""


R41 = {
    "INPUT_DATASET": "example-org/quiz-bench",
    "INPUT_SLICES": "who\npref_type\n",
    "INPUT_REVISION": "",
    "INPUT_DRY-RUN": "TRUE",
    "INPUT_MIN-ROWS": " 20 ",
    "INPUT_GITHUB-TOKEN": "not-a-real-token",
}


def test_names_with_dashes_are_read_from_the_environment():
    settings = settle([from_environment(R41)])
    assert settings == Settings(
        dataset="example-org/quiz-bench",
        slices=(("who",), ("pref_type",)),
        dry_run=True,
        min_rows=20,
        github_token="not-a-real-token",
    )


@needs_shared
def test_field_report_41():
    """A shell could not read the names with dashes; a name that only a shell could read is an error."""
    meant = shared_json("cases", "R41", "expect.json")
    settings = settle([from_environment(shared_json("cases", "R41", "env.json"))])
    assert settings.dataset == meant["dataset"]
    assert [list(columns) for columns in settings.slices] == [[name] for name in meant["slices"]]
    assert (settings.revision, settings.dry_run, settings.min_rows) == (
        "",
        meant["dry_run"],
        meant["min_rows"],
    )
    with pytest.raises(SettingsError, match="dry_run") as caught:
        from_environment(shared_json("cases", "R41", "env_underscore.json"))
    assert "not-a-real-token" not in str(caught.value)


# --- the config file ---


def config(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "benchaudit.yml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_config_file_without_datasets_is_one(tmp_path):
    (layers,) = from_config(config(tmp_path, "dataset: owner/name\nmin-rows: 5\n"))
    assert settle(layers) == Settings(dataset="owner/name", min_rows=5)


def test_datasets_lie_over_the_defaults_of_the_file(tmp_path):
    text = "min-rows: 5\nslices: [who]\ndatasets:\n  - dataset: a/b\n  - dataset: c/d\n    min-rows: 6\n"
    settings = [settle(layers) for layers in from_config(config(tmp_path, text))]
    assert settings == [
        Settings(dataset="a/b", min_rows=5, slices=(("who",),)),
        Settings(dataset="c/d", min_rows=6, slices=(("who",),)),
    ]


def test_yaml_is_read_as_texts(tmp_path):
    """A number stays as it is spelled, nothing is unset, an anchor is what it stands for."""
    text = "alpha: 5e-2\nrevision: ~\ngold: \n&x question: 007\nid: &i yes\nauthor: *i\nlabels: [1.50, no]\n"
    (layers,) = from_config(config(tmp_path, f"\ufeff{text}"))
    settings = settle(layers)
    assert (settings.alpha, settings.revision, settings.gold, settings.question) == (0.05, "", "", "007")
    assert (settings.id, settings.author, settings.labels) == ("yes", "yes", ("1.50", "no"))


FAULTS = {
    "unknown": ("dataset: a/b\n\nmin_rows: 5\n", ":3: 'min_rows' is no setting - did you mean 'min-rows'"),
    "unknown in a dataset": ("datasets:\n  - dataset: a/b\n    slice: x\n", ":3: 'slice' is no setting"),
    "twice": ("gold: a\ngold: b\n", ":2: 'gold' is set twice"),
    "datasets twice": (
        "datasets:\n  - dataset: a/b\ndatasets:\n  - dataset: c/d\n",
        "'datasets' is set twice",
    ),
    "datasets is a text": ("datasets: a/b\n", ":1: datasets must be a list"),
    "datasets is empty": ("datasets: []\n", ":1: datasets must be a list"),
    "a dataset is a text": ("datasets:\n  - a/b\n", ":2: names and values are expected here"),
    "a list": ("- a\n", ":1: names and values are expected here"),
    "a text": ("a\n", ":1: names and values are expected here"),
    "a mapping as value": ("slices:\n  who: x\n", ":2: slices must be a text or a list of texts"),
    "a list of lists": ("slices:\n  - [who]\n", ":2: slices must be a text or a list of texts"),
    "another config": ("config: other.yml\n", ":1: a config file names no other"),
    "no YAML": ("a: b\nc: [\n", ":3: is not valid YAML"),
    "two documents": ("gold: a\n---\ngold: b\n", ":2: is not valid YAML"),
    "no such anchor": ("gold: *nobody\n", ":1: is not valid YAML"),
    "a control character": ("gold: \x00\n", ": is not valid YAML"),
    "too deep": ("gold: " + "[" * 5_000, ": is not valid YAML"),
    "empty": ("", ": is empty - name a dataset"),
    "only a comment": ("# nothing\n", ": is empty - name a dataset"),
    "a bad value": ("dataset: a/b\nmin-rows: few\n", ":2: min-rows 'few' must be a whole number"),
    "a bad value in a list": (
        "slices:\n  - who\n  - a*\n",
        ":2: slices 'who\\na*' 'a*' crosses a column with nothing",
    ),
}


@pytest.mark.parametrize(("text", "said"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_of_a_config_file_is_named_with_its_line(tmp_path, text, said):
    path = config(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        [settle(layers) for layers in from_config(path)]
    assert str(caught.value).startswith(str(path))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_config_file_that_cannot_be_read(tmp_path):
    with pytest.raises(SettingsError, match="no such config file - check --config"):
        from_config(tmp_path / "none.yml")
    with pytest.raises(SettingsError, match="cannot be read"):
        from_config(tmp_path)
    (tmp_path / "latin.yml").write_bytes(b"gold: \xe9\n")
    with pytest.raises(SettingsError, match="cannot be read"):
        from_config(tmp_path / "latin.yml")


# --- what follows from settings ---


@pytest.mark.parametrize("name", VALUES)
def test_the_digest_changes_with_what_changes_figures(name):
    """And with nothing else: another channel or label makes no old figure incomparable."""
    base = {"slices": ("type*split, who", PLACE)}
    changed = settle([{name: (VALUES[name][0], PLACE)}, base])
    if name == "baseline-slices":
        changed = settle([{name: ("who", PLACE)}, base])
    assert (changed.digest != settle([base]).digest) == (name in FIGURES)


def test_equal_settings_have_equal_digests_however_they_are_written():
    assert settled(alpha="1e-2", min_rows=" 20 ", slices="a,b").digest == settled(slices="a\nb\n").digest
    assert settled(slices="a,b", baseline_slices="a").digest == settled(slices="a,b").digest
    assert settled(slices="a,b").digest != settled(slices="b,a").digest
    assert settled(files="a,b").digest != settled(files="a", question="b").digest


def test_the_mapping_that_was_asked_for():
    settings = settled(**{name.replace("-", "_"): text for name, (text, _) in VALUES.items()})
    assert settings.mapping == ColumnMapping(
        question=("q",),
        options=("a", "b"),
        distractors=("w1", "w2"),
        gold="answer",
        gold_fallback="answer 2",
        gold_encoding="index1",
        option_separator=" | ",
        options_in_question=True,
        last_turn=True,
        id="uid",
    )
    assert settings.thresholds == Thresholds(min_rows=30, alpha=0.05, min_effect=2.5, min_change=1.0)
    assert Settings().mapping == ColumnMapping()
    assert Settings().thresholds == Thresholds()


@pytest.mark.parametrize(
    ("wanted", "run", "column"),
    [
        ("", [("a",), ("b",)], ("a",)),
        ("b", [("a",), ("b",)], ("b",)),
        ("a * b", [("a",), ("a", "b")], ("a", "b")),
        ("b", [("a",)], ()),
        ("", [], ()),
    ],
)
def test_the_column_of_the_baseline(wanted, run, column):
    """By default the first that was run; one that was not run is none."""
    assert settled(slices="a,b,a*b", baseline_slices=wanted).baseline_column(run) == column


def test_a_baseline_by_a_column_that_is_no_slice_is_an_error():
    with pytest.raises(SettingsError, match="baseline-slices 'c' is none of the slices"):
        settled(slices="a", baseline_slices="c").baseline_column([("a",)])
