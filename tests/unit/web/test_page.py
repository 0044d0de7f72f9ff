"""The page's source: lines that fit a screen, and no table that the server's schema already holds."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

import plica.web
from plica.web._described import SCOPES
from plica.web._options import OPTION_LABELS
from plica.web._state import State, fields_of, schema

STATIC = Path(plica.web.__file__).parent / "static"
SCRIPTS = sorted([*STATIC.glob("*.js"), *(STATIC.parent.parent / "report" / "templates").glob("*.js")])
COLOR = re.compile(r"#[0-9a-fA-F]{6}\b")


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_fit_a_screen_and_take_colors_from_the_palette(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [i for i, line in enumerate(lines, 1) if len(line) > 130] == []
    assert len(lines) < 300
    assert [line for line in lines if COLOR.search(line)] == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_script_lists_fields_or_options_that_the_schema_lists(path):
    """A list or table of four and more names of fields, or of options, is a second copy of the schema."""
    text = path.read_text(encoding="utf-8")
    options = {option for field in schema()["fields"].values() for option in field.get("options", ())}
    for names in ({entry.name for entry in fields(State)}, options):
        name = "|".join(sorted(map(re.escape, names)))
        assert not re.search(rf'(?:"(?:{name})",\s*){{3}}"(?:{name})"', text)
        assert not re.search(rf'(?:"?\b(?:{name})"?: "[^"]*",\s*){{4}}"?(?:{name})"?: "', text)


def test_every_field_has_a_label_and_a_scope():
    described = schema()["fields"]
    assert list(described) == [entry.name for entry in fields(State)]
    assert all(field["label"][0].isupper() and field["scope"] in SCOPES for field in described.values())
    assert len({field["label"] for field in described.values()}) == len(described)
    assert sum(len(fields_of(scope)) for scope in SCOPES) == len(described)
    for field in described.values():
        assert len(field.get("option_labels", ())) == len(field.get("options", ()))
    known = {option for field in described.values() for option in field.get("options", ())}
    assert set(OPTION_LABELS) <= known


def test_scopes_say_what_a_change_changes():
    """The same training is what differs in no field of the scope; the cache and the history of the page go by it."""
    assert set(fields_of("schedule")) == {"rate"}
    assert {"seed", "widths", "opt", "batch", "data"} <= set(fields_of("training"))
    assert {"step", "window", "segment"} <= set(fields_of("picture"))
    assert {"theme", "present", "folds"} <= set(fields_of("page"))
