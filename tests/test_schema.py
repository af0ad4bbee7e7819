"""What others parse is what the published schemas say."""

from __future__ import annotations

import json

import jsonschema
import pytest

from benchaudit.report.document import audit_document
from benchaudit.report.schema import config_schema, report_schema
from tests.support import audit_path

LEAKY = "question,who,correct_answer,incorrect_answers\n" + "".join(
    f'"Q{number}?",{"me" if number % 3 else ""},"a much longer answer","[""b"", ""c{number}"", ""d""]"\n'
    for number in range(60)
)


def document(tmp_path, text, **given):
    path = tmp_path / "test.csv"
    path.write_text(text, encoding="utf-8")
    return audit_document(audit_path(path, **given))


@pytest.mark.parametrize(
    "text",
    [LEAKY, "question,answer,a,b\nQ1,Z,x,yy\nQ2,A,x,yy\n", 'question,choices,answer\nQ,"[1, 2]",\n'],
    ids=["leak", "too-few-with-defects", "unlabelled"],
)
def test_a_report_is_valid_under_its_schema(tmp_path, text):
    made = document(tmp_path, text, slices="who" if "who" in text else "")
    jsonschema.Draft202012Validator.check_schema(report_schema())
    jsonschema.validate(made, report_schema())
    assert json.loads(json.dumps(made, allow_nan=False)) == made


def test_a_report_with_a_field_more_is_not_valid(tmp_path):
    made = document(tmp_path, LEAKY) | {"surprise": 1}
    with pytest.raises(jsonschema.ValidationError, match="surprise"):
        jsonschema.validate(made, report_schema())


@pytest.mark.parametrize(
    ("config", "valid"),
    [
        ({"dataset": "o/n", "slices": ["who", "who*type"], "min-rows": 10}, True),
        ({"datasets": [{"dataset": "o/n", "gold-encoding": "letter"}], "alpha": 0.05}, True),
        ({"datasets": []}, False),
        ({"dataset": "o/n", "min_rows": 10}, False),
        ({"dataset": "o/n", "channel": "pigeon"}, False),
        ({"dataset": "o/n", "github-token": "no secret belongs in a file"}, False),
    ],
)
def test_the_config_schema_tells_good_from_bad(config, valid):
    jsonschema.Draft202012Validator.check_schema(config_schema())
    assert jsonschema.Draft202012Validator(config_schema()).is_valid(config) is valid
