"""Every button, menu and box beside the fields does what it says, by mouse and by keys; a new one without a line here fails."""

import numpy as np
import pytest

import plica
from plica.web._lessons import scene_link
from plica.web._state import schema

pytestmark = pytest.mark.browser

FIELDS = schema()["fields"]
SCENE = scene_link("zaslavsky-1975")
FOLDED = "v=1&widths=4&view=fold"
SAID = "document.getElementById('done').textContent"


def state(name):
    return f"plica.state.get('{name}')"


def text(id):
    return f"document.getElementById('{id}').textContent"


def attribute(id, name):
    return f"document.getElementById('{id}').getAttribute('{name}')"


CONTROLS = {
    "undo": ("v=1&widths=4", state("widths")),
    "present": ("v=1&widths=4", state("present")),
    "open-help": ("v=1&widths=4", "document.getElementById('help').open"),
    "close-help": ("v=1&widths=4", "document.getElementById('help').open"),
    "to-exercises": ("v=1&widths=4", "location.pathname"),
    "scene-back": (SCENE, state("scene")),
    "scene-next": (SCENE, state("scene")),
    "scene-end": (SCENE, state("scene")),
    "view-more": ("", "document.getElementById('view-more').open"),
    "view-seed": ("v=1&view=noise&teeth=2&draws=2", state("seed")),
    "use-keys": ("v=1&widths=4", "document.getElementById('use-keys').checked"),
    "zoom-in": ("v=1&widths=4", state("window")),
    "zoom-out": ("v=1&widths=4", state("window")),
    "zoom-home": ("v=1&widths=4&window=-1,1,-1,1", state("window")),
    "draw-segment": ("v=1&widths=4", attribute("draw-segment", "aria-pressed")),
    "drop-segment": ("v=1&widths=4&segment=-1,-1,1,1", state("segment")),
    "claim-search": ("v=1&widths=4", text("claim-count")),
    "claim-topic": ("v=1&widths=4", text("claim-count")),
    "claim-shown": ("v=1&widths=4", text("claim-count")),
    "images-back": ("", text("images-where")),
    "images-on": ("", text("images-where")),
    "export-svg": ("v=1&widths=4", SAID),
    "export-png": ("v=1&widths=4", SAID),
    "export-npz": ("v=1&widths=4", SAID),
    "export-json": ("v=1&widths=4", SAID),
    "export-safetensors": ("v=1&widths=4", SAID),
    "copy-python": ("v=1&widths=4", SAID),
    "copy-link": ("v=1&widths=4", SAID),
    "play": ("v=1&widths=4", state("step")),
    "next": ("v=1&widths=4", state("step")),
    "rewind": ("v=1&widths=4&step=3", state("step")),
    "reseed": ("v=1&widths=4", state("seed")),
    "scrub": ("v=1&widths=4", state("step")),
    "stop-play": (FOLDED, "plica.views.current.at"),
    "stop-at": (FOLDED, "plica.views.current.at"),
    "file": ("v=1&widths=4", "globalThis.asked"),
}  # fmt: skip
"""Where each is used, and what it changes."""
TABBED = dict.fromkeys(("use-keys", "zoom-in", "zoom-out", "zoom-home", "draw-segment", "drop-segment"), "picture") | {
    "claim-search": "claims", "claim-topic": "claims", "claim-shown": "claims", "file": "yours",
    "images-back": "yours", "images-on": "yours", "copy-python": "away", "copy-link": "away",
}  # fmt: skip
ALL = """() => [...document.querySelectorAll('button, input, select, textarea, summary, a[href]')]
  .filter((e) => !e.closest('[data-field], #views, #tabs, #diagram, #claims, #images'))
  .map((e) => e.id || (e.dataset.export ? `export-${e.dataset.export}` : e.parentElement.id))"""


def test_every_control_has_a_line_in_the_table_or_a_field_of_the_schema(explorer):
    found = explorer.open("v=1&widths=4").page.evaluate(ALL)
    assert sorted(found) == sorted(CONTROLS)
    assert set(explorer.page.evaluate("[...document.querySelectorAll('[data-field]')].map((e) => e.dataset.field)")) <= set(
        FIELDS
    )
    assert explorer.page.locator("#views button").count() == len(FIELDS["view"]["options"])
    tabs = explorer.page.evaluate("[...document.querySelectorAll('#tabs button')].map((e) => e.id.slice(4))")
    panels = explorer.page.evaluate("[...document.querySelectorAll('[role=tabpanel]')].map((e) => e.id.slice(6))")
    assert tabs == panels, "what each tab opens"


def prepared(explorer, name, folder):
    """The page where a control can be used, and the control."""
    page = explorer.page
    if name.startswith("images"):
        plica.save(plica.random_network([64, 6, 3], seed=1, bias_std=0.3), folder / "m.safetensors")
        np.save(folder / "rows.npy", np.random.default_rng(0).random((90, 64)))
        explorer.open("v=1&widths=4").tab("yours")
        for file, field in (("m.safetensors", "model"), ("rows.npy", "rows")):
            page.set_input_files("#file", folder / file)
            page.wait_for_function("name => plica.state.get(name) !== ''", arg=field)
            explorer.settled()
        page.wait_for_selector("#images .image")
        if name == "images-back":
            page.evaluate("document.getElementById('images-on').click()")
            page.wait_for_function("() => !document.getElementById('images-back').disabled")
    else:
        explorer.open(CONTROLS[name][0] or scene_link("softmax-entropy"))
    tab = "away" if name.startswith("export") else TABBED.get(name)
    if tab:
        explorer.tab(tab)
    if name.startswith("claim"):
        page.wait_for_selector("#claims .claim")
    if name.startswith("scene"):
        page.wait_for_function("() => plica.scenes.shown")
    if name == "view-more":
        page.wait_for_function("() => plica.scenes.shown && plica.lab.facts")
    if name.startswith("stop"):
        page.wait_for_function("() => plica.views.current.at === 2 && !plica.views.frame")
    if name == "undo":
        page.evaluate("plica.change({ widths: '5' })")
        explorer.settled()
    if name == "close-help":
        page.click("#open-help")
    if name == "scrub":
        page.click("#next")
        page.wait_for_function("() => plica.state.get('step') !== '0'")
        explorer.settled()
    if name == "file":
        page.on("filechooser", lambda _: page.evaluate("globalThis.asked = true"))
    if name.startswith("export"):
        return page.locator(f"[data-export={name.removeprefix('export-')}]")
    return page.locator("#view-more summary" if name == "view-more" else f"#{name}")


def by_mouse(page, control, kind):
    if kind == "search":
        control.click()
        page.keyboard.type("trajectory")
    elif kind == "select-one":  # its list is drawn by the system
        control.click()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
    elif kind == "range":
        box = control.bounding_box()
        page.mouse.click(box["x"] + 4, box["y"] + box["height"] / 2)
    else:
        control.click()


def by_keys(page, control, kind):
    control.focus()
    assert control.evaluate("e => document.activeElement === e")
    if kind == "search":
        page.keyboard.type("trajectory")
    elif kind == "select-one":
        page.keyboard.press("ArrowDown")
    elif kind == "range":
        page.keyboard.press("ArrowLeft")
    else:
        page.keyboard.press("Space" if kind in ("checkbox", "file") else "Enter")


@pytest.mark.parametrize("use", [by_mouse, by_keys], ids=["mouse", "keys"])
@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_does_what_it_says(explorer, name, use, tmp_path):
    control = prepared(explorer, name, tmp_path)
    effect = CONTROLS[name][1]
    before = explorer.page.evaluate(f"String({effect})")
    use(explorer.page, control, control.evaluate("e => e.type"))
    explorer.page.wait_for_function(f"before => String({effect}) !== before", arg=before, timeout=15_000)
    if name == "play":
        explorer.page.keyboard.press("Escape")
        explorer.page.evaluate("plica.training.pause()")
    if name == "to-exercises":
        explorer.page.wait_for_load_state()


def test_tabs_views_and_the_diagram_are_used_by_mouse_and_keys(explorer):
    page = explorer.open("v=1&widths=4-4").page
    names = page.evaluate(
        "[...document.querySelectorAll('#tabs button')].filter((e) => e.checkVisibility()).map((e) => e.id.slice(4))"
    )
    for name in [*names[1:], names[0]]:
        page.click(f"#tab-{name}")
        assert page.locator(f"#panel-{name}").is_visible()
    for name in [*names[1:], names[0]]:
        page.keyboard.press("ArrowRight")
        assert page.locator(f"#panel-{name}").is_visible() and page.evaluate("document.activeElement.id") == f"tab-{name}"
    for label, widths in (("one neuron more in layer 0", "5-4"), ("one layer more", "5-4-4"), ("one layer less", "5-4")):
        page.click(f"[aria-label='{label}']")
        explorer.settled()
        assert explorer.state("widths") == widths
    page.focus("[aria-label='one neuron less in layer 0']")
    page.keyboard.press("Enter")
    assert explorer.settled().state("widths") == "4-4"
    page.click("[data-unit='0.1']")
    assert explorer.state("neuron") == "0.1"
    page.focus("[data-unit='0.1']")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert explorer.settled().state("neuron") not in ("", "0.1")
    for view in FIELDS["view"]["options"]:
        page.focus(f"[data-view={view}]")
        page.keyboard.press("Enter")
        page.wait_for_function("view => plica.state.get('view') === view", arg=view)
        page.click("[data-view=plane]")
        page.click(f"[data-view={view}]")
        page.wait_for_function("view => plica.state.get('view') === view", arg=view)
