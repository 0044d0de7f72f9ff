"""Every field of the schema has a control that mouse and keyboard reach; a new field without one fails here."""

import numpy as np
import pytest

import plica
from plica.web._state import State, schema

pytestmark = pytest.mark.browser

FIELDS = schema()["fields"]
ELSEWHERE = dict.fromkeys(("csv", "model", "rows"), "#file") | {
    "view": "[data-view=surface]", "present": "#present", "scene": "#tab-claims",
}  # fmt: skip
"""Fields without one: what sets them."""
TYPED = {
    "expr": "x*y", "seed": "7", "n": "120", "noise": "0.2", "widths": "5-4", "bias": "0.5", "rate": "0.05", "batch": "16",
    "decay": "0.01", "split": "20", "step": "12", "output": "0", "window": "-1,1,-1,1", "segment": "-1,-1,1,1", "pin": "0.1,0.2",
    "neuron": "0.1", "names": "cat,dog", "through": "2,1,0", "margin": "0.5",
}  # fmt: skip
NOT_UNDONE = ("step", "speed")
"""Of a training that goes on: Rewind leads back."""
OF_MODEL = ("through", "margin", "output")
LINK = {"expr": "data=expression", "decay": "reg=l2"}
IN_REACH = """name => {
  const one = document.querySelector(`[data-field="${name}"]`).querySelector('input, select');
  one.scrollIntoView({ block: 'nearest' });
  const { x, y, width, height } = one.getBoundingClientRect();
  const hit = document.elementFromPoint(x + width / 2, y + height / 2);
  one.focus();
  return [hit === one || Boolean(hit?.closest('label')?.contains(one)), document.activeElement === one, one.tabIndex >= 0];
}"""


def put(explorer, name):
    """Change the field in focus by keys alone."""
    keys, field = explorer.page.keyboard, FIELDS[name]
    kind = explorer.page.evaluate("document.activeElement.type")
    if kind == "checkbox":
        keys.press("Space")
    elif kind == "select-one":
        at, last = explorer.page.evaluate("(e => [e.selectedIndex, e.options.length - 1])(document.activeElement)")
        keys.press("ArrowDown" if at < last else "ArrowUp")
    elif kind == "range":
        keys.press("ArrowLeft" if float(explorer.state(name)) > field["low"] else "ArrowRight")
    else:
        keys.press("Control+a")
        keys.type(TYPED[name])
        keys.press("Enter")


@pytest.mark.parametrize("name", [name for name, field in FIELDS.items() if not field["views"] and name not in ELSEWHERE])
def test_a_field_is_reached_by_mouse_and_keyboard(explorer, name, tmp_path):
    explorer.open(f"v=1&widths=6-6&{LINK.get(name, '')}")
    if name in OF_MODEL:
        given(explorer, tmp_path)
    panel = explorer.page.evaluate("name => document.querySelector(`[data-field=${name}]`).closest('[role=tabpanel]')?.id", name)
    if panel:
        explorer.tab(panel.removeprefix("panel-"))
    assert explorer.page.evaluate(IN_REACH, name) == [True, True, True]
    before = explorer.state(name)
    if name == "output":
        TYPED[name] = "1"
    put(explorer, name)
    explorer.page.wait_for_function("([name, before]) => plica.state.get(name) !== before", arg=[name, before], timeout=20_000)
    State.from_query(explorer.settled().query())
    if name in NOT_UNDONE:
        return
    explorer.page.click("#undo")
    explorer.page.wait_for_function("([name, before]) => plica.state.get(name) === before", arg=[name, before], timeout=20_000)
    explorer.settled()


def given(explorer, tmp_path):
    plica.save(plica.random_network([5, 6, 3], seed=1, bias_std=0.3), tmp_path / "m.safetensors")
    np.save(tmp_path / "rows.npy", np.random.default_rng(0).random((4, 5)))
    explorer.tab("yours")
    for file, field in (("m.safetensors", "model"), ("rows.npy", "rows")):
        explorer.page.set_input_files("#file", tmp_path / file)
        explorer.page.wait_for_function("name => plica.state.get(name) !== ''", arg=field)
        explorer.settled()


def test_fields_without_a_control_are_set_by_something_that_is_there(explorer):
    explorer.open()
    assert {name for name in FIELDS if not explorer.page.locator(f"[data-field={name}]").count()} == set(ELSEWHERE)
    for name, selector in ELSEWHERE.items():
        found = explorer.page.locator(selector)
        assert found.count() == 1, name
        if selector == "#file":
            explorer.tab("yours")
        assert found.is_visible() and found.evaluate("e => (e.focus(), document.activeElement === e || e.tabIndex === -1)"), name


def test_buttons_of_all_views_are_reached_by_tab_alone(explorer):
    explorer.open("v=1&widths=4")
    explorer.page.locator("#views button").first.focus()
    views = [explorer.page.evaluate("document.activeElement.dataset.view")]
    for _ in FIELDS["view"]["options"][1:]:
        explorer.page.keyboard.press("Tab")
        views.append(explorer.page.evaluate("document.activeElement.dataset.view"))
    assert views == list(FIELDS["view"]["options"])


def test_colors_marks_and_depth_ask_the_server_nothing(explorer):
    sent = []
    explorer.page.on("websocket", lambda line: line.on("framesent", lambda frame: sent.append(frame)))
    explorer.open("v=1&widths=8-8&step=4")
    asked = len(sent)
    assert asked
    for name, value in (("color", "gradient"), ("color", "pattern"), ("folds", "1"), ("boundary", "0"), ("points", "0")):
        explorer.page.evaluate("changes => plica.change(changes)", {name: value})
        explorer.settled()
        assert explorer.state(name) == value and len(sent) == asked, name
