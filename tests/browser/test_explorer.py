"""The explorer in real Chromium: every control, pointer and keyboard, links, exports, own files."""

import io
import json
import random
import re
import subprocess
import sys
import threading
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from patience import patient

import plica
from plica.claims import catalog
from plica.web import State
from plica.web._lessons import LESSONS, scene_link
from plica.web._state import fields_of

pytestmark = pytest.mark.browser
N_PARTS = 8  # of the scenes, so that none of their tests takes minutes


def test_the_first_picture_is_exact_and_the_first_screen_has_at_most_twelve_fields(explorer):
    explorer.open()
    net = plica.random_network([2, 16, 16, 1], seed=0, weights="he-normal", bias_std=0.3)
    assert explorer.count() == plica.count_regions(net, plica.Box([-1.75, -1.75], [1.75, 1.75])).n_regions
    assert explorer.text("#kind") == "exact"
    fields = explorer.page.locator("select, input")
    assert 0 < sum(fields.nth(i).is_visible() for i in range(fields.count())) <= 12


@pytest.mark.parametrize("data", ["circles", "spirals", "sine", "abs", "square", "sawtooth", "expression"])
def test_every_data_set_is_shown_and_learned(explorer, data):
    explorer.open().choose("data", data)
    before = explorer.facts()
    explorer.page.click("#next")
    explorer.settled()
    after = explorer.facts()
    assert after["step"] == 1 and before["n_regions"] >= 1 and after["loss"] != before["loss"]
    assert f"data={data}" in explorer.query()


CONTROLS = [
    ("widths", "type", "8-4", "widths=8-4"),
    ("rate", "type", "0.5", "rate=0.5"),
    ("color", "choose", "gradient", "color=gradient"),
    ("color", "choose", "error", "color=error"),
    ("color", "choose", "pattern", "color=pattern"),
    ("n", "type", "50", "n=50"),
    ("noise", "type", "0.3", "noise=0.3"),
    ("seed", "type", "7", "seed=7"),
    ("init", "choose", "orthogonal", "init=orthogonal"),
    ("init", "choose", "folding", "init=folding"),
    ("bias", "type", "1", "bias=1"),
    ("opt", "choose", "sgd", "opt=sgd"),
    ("batch", "type", "8", "batch=8"),
    ("step", "type", "25", "step=25"),
    ("window", "type", "-0.5,0.5,-0.5,0.5", "window=-0.5,0.5,-0.5,0.5"),
    ("segment", "type", "-1,-1,1,1", "segment=-1,-1,1,1"),
    ("pin", "type", "0.25,0.5", "pin=0.25,0.5"),
    ("theme", "choose", "dark", "theme=dark"),
]


def test_every_control_changes_the_state_and_brings_a_picture(explorer):
    explorer.open()
    for name, how, value, expected in CONTROLS:
        explorer.page.evaluate("location.hash = 'v=1'")
        explorer.settled()
        getattr(explorer, how)(name, value)
        assert expected in explorer.query(), name
        assert explorer.page.locator("#toast").is_hidden(), (name, explorer.text("#toast"))
        drawn = State.from_query(explorer.facts()["query"])
        if name not in fields_of("page"):  # those the page changes by itself
            assert drawn == State.from_query(explorer.query()), name


def test_switches_and_sliders_change_the_picture_without_the_server(explorer):
    explorer.open().tab("picture")
    for name in ("boundary", "points"):
        explorer.page.click(f"#in-{name}")
        assert f"{name}=0" in explorer.query()
    explorer.page.evaluate("document.getElementById('in-folds').value = 1")
    explorer.page.dispatch_event("#in-folds", "input")
    assert "folds=1" in explorer.query() and explorer.page.evaluate("plica.plane.depth") == 1
    explorer.tab("training").page.evaluate("document.getElementById('in-speed').value = 30")
    explorer.page.dispatch_event("#in-speed", "input")
    assert "speed=30" in explorer.query()


def test_activations_are_chosen_layer_by_layer_and_tanh_is_estimated(explorer):
    explorer.open().tab("training")
    explorer.page.select_option("#in-act-1", "hard-tanh")
    explorer.settled()
    assert "act=relu,hard-tanh" in explorer.query() and explorer.text("#kind") == "exact"
    explorer.page.select_option("#in-act-0", "tanh")
    explorer.settled()
    assert explorer.text("#kind") == "estimated" and explorer.text("#count") == "none"
    assert "estimated" in explorer.text("#sparklines")


def test_hovering_shows_the_region_and_a_click_pins_it(explorer):
    explorer.open()
    box = explorer.page.locator("#plane").bounding_box()
    explorer.page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.4 * box["height"])
    explorer.page.wait_for_selector("#card-facts:not([hidden])")
    card = explorer.text("#card-facts")
    assert "f(x, y) =" in card and "gradient norm" in card and "area" in card and "layer 1" in card
    explorer.page.mouse.down()
    explorer.page.mouse.up()
    explorer.settled()
    pin = [float(x) for x in explorer.state("pin").split(",")]
    net = plica.random_network([2, 16, 16, 1], seed=0, weights="he-normal", bias_std=0.3)
    cx = plica.decompose(net, plica.Box([-1.75, -1.75], [1.75, 1.75]))
    assert explorer.facts()["cell_pin"] == cx.cell_at(pin)
    a, c = cx.cells[cx.cell_at(pin)].affine_map
    shown = explorer.page.evaluate("[...plica.plane.mesh.arrays.maps.slice(3 * plica.plane.pinned, 3 * plica.plane.pinned + 3)]")
    assert shown == pytest.approx([*a[0], c[0]])
    explorer.page.mouse.move(0, 0)
    assert "f(x, y) =" in explorer.text("#card-facts")


def test_wheel_and_drag_recompute_the_window_exactly(explorer):
    explorer.open()
    before = explorer.count()
    box = explorer.page.locator("#plane").bounding_box()
    explorer.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    explorer.page.mouse.wheel(0, -600)
    explorer.page.wait_for_function("() => plica.state.get('window') !== ''")
    explorer.settled()
    explorer.page.mouse.down()
    explorer.page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 3, steps=4)
    explorer.page.mouse.up()
    explorer.page.wait_for_timeout(300)
    explorer.settled()
    a, b, c, d = (float(x) for x in explorer.state("window").split(","))
    net = plica.random_network([2, 16, 16, 1], seed=0, weights="he-normal", bias_std=0.3)
    assert explorer.count() == plica.count_regions(net, plica.Box([a, c], [b, d])).n_regions != before
    explorer.page.keyboard.press("h")
    explorer.settled()
    assert explorer.count() == before


def test_a_drawn_segment_shows_pieces_and_lengths(explorer):
    explorer.open().tab("picture")
    explorer.page.click("#draw-segment")
    box = explorer.page.locator("#plane").bounding_box()
    explorer.page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 0.2 * box["height"])
    explorer.page.mouse.down()
    explorer.page.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 0.7 * box["height"], steps=3)
    explorer.page.mouse.up()
    explorer.settled()
    x0, y0, x1, y1 = (float(x) for x in explorer.state("segment").split(","))
    assert explorer.page.evaluate("plica.plane.segment") == [x0, y0, x1, y1]
    net = plica.random_network([2, 16, 16, 1], seed=0, weights="he-normal", bias_std=0.3)
    line = plica.decompose(net, plica.Segment([x0, y0], [x1, y1]))
    assert f"pieces (exact)\n{line.n_regions}" in explorer.text("#path-facts")
    assert "after layer 1" in explorer.text("#path-facts")


def test_training_plays_pauses_scrubs_and_rewinds_to_the_same_initialization(explorer):
    explorer.open("v=1&data=circles&widths=8-8")
    start = explorer.facts()["loss"]
    explorer.page.click("#play")
    explorer.page.wait_for_function("() => plica.state.number('step') >= 40")
    explorer.page.click("#play")
    explorer.settled()
    end = explorer.facts()
    assert end["loss"] < start and explorer.page.locator("#sparklines svg").count() == 3
    explorer.page.evaluate("document.getElementById('scrub').value = 8")
    explorer.page.dispatch_event("#scrub", "input")
    explorer.settled()
    assert explorer.facts()["step"] == 8
    explorer.page.click("#rewind")
    explorer.settled()
    assert explorer.facts()["loss"] == start
    explorer.page.click("#reseed")
    explorer.settled()
    assert explorer.state("seed") == "1" and explorer.facts()["loss"] != start


def test_the_learning_rate_changes_without_a_restart(explorer):
    explorer.open("v=1&step=30")
    explorer.type("rate", "0.001")
    assert explorer.state("step") == "30" and "rate=0.02,30:0.001" in explorer.query()
    explorer.page.click("#next")
    explorer.settled()
    assert explorer.facts()["step"] == 31


def test_a_divergence_is_explained_and_can_be_undone(explorer):
    explorer.open("v=1&data=expression&opt=sgd&rate=50&step=100")
    assert "diverged" in explorer.text("#toast") and "learning rate" in explorer.text("#toast")
    explorer.page.click("#toast button:first-of-type")
    explorer.settled()
    assert explorer.page.locator("#toast").is_hidden() and explorer.facts()["diverged"] is None


def test_the_keyboard_alone_is_enough(explorer):
    explorer.open()
    page = explorer.page
    page.keyboard.press("f")
    assert page.evaluate("document.activeElement.id") == "plane"
    page.keyboard.press("ArrowRight")
    first = page.evaluate("plica.plane.hovered")
    page.keyboard.press("ArrowLeft")
    second = page.evaluate("plica.plane.hovered")
    assert first >= 0 and second != first
    assert page.evaluate("([a, b]) => plica.plane.mesh.neighbors(a).includes(b)", [first, second])
    neighbors = page.evaluate("plica.plane.mesh.neighbors(plica.plane.hovered)")
    for expected in neighbors:
        page.keyboard.press("Tab")
        assert page.evaluate("plica.plane.hovered") == expected
    assert "cell" in explorer.text("#announce-cell")
    page.keyboard.press("Enter")
    explorer.settled()
    assert explorer.state("pin")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") != "plane", "Tab must leave the picture"
    page.keyboard.press("f")
    for key, name, value in [
        (".", "step", "1"), (".", "step", "2"), (",", "step", "1"), ("r", "step", "0"), ("n", "seed", "1"),
        ("1", "folds", "1"), ("0", "folds", "0"),
        ("c", "color", "steps"), ("b", "boundary", "0"), ("d", "points", "0"), ("p", "present", "1"), ("p", "present", "0"),
    ]:  # fmt: skip
        page.keyboard.press(key)
        explorer.settled()
        assert explorer.state(name) == value, key
    page.keyboard.press(" ")
    page.wait_for_function("() => plica.state.number('step') > 5")
    page.keyboard.press(" ")
    explorer.settled()
    page.keyboard.press("+")
    page.wait_for_function("() => plica.state.get('window') !== ''")
    page.keyboard.press("?")
    assert page.locator("#help").is_visible() and page.locator("#keys tr").count() > 20
    page.keyboard.press("Escape")
    page.keyboard.press("m")
    assert page.locator("#panel-data").is_visible() and page.evaluate("document.activeElement.id") == "tab-data"
    page.keyboard.press("ArrowRight")
    assert page.locator("#panel-training").is_visible() and page.locator("#panel-data").is_hidden()
    page.keyboard.press("Escape")
    assert page.locator("#panel-network").is_visible()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "claim-search"


def random_link(seed):
    rng = random.Random(seed)
    depth = rng.randint(1, 3)
    choices = {
        "data": rng.choice(["moons", "circles", "spirals", "sine", "abs"]),
        "widths": "-".join(str(rng.randint(1, 12)) for _ in range(depth)),
        "seed": str(rng.randint(0, 10**6)),
        "step": str(rng.randint(0, 60)),
        "color": rng.choice(["output", "pattern", "gradient", "error"]),
        "act": ",".join(rng.choice(["relu", "abs", "hard-tanh", "tanh"]) for _ in range(depth)),
        "opt": rng.choice(["sgd", "adam"]),
        "rate": rng.choice(["0.01", "0.01,20:0.002"]),
        "folds": str(rng.randint(0, 6)),
        "theme": rng.choice(["light", "dark", "system"]),
        "boundary": rng.choice("01"),
        "noise": str(round(rng.random() / 3, 3)),
    }
    return State.from_query("&".join(f"{k}={v}" for k, v in choices.items() if rng.random() < 0.6)).to_query()


def test_random_states_survive_the_address_bar(explorer):
    explorer.open()
    for seed in range(25):
        link = random_link(seed)
        explorer.page.evaluate("link => { location.hash = link }", link)
        explorer.settled()
        explorer.page.wait_for_function("link => location.hash.slice(1) === plica.state.query()", arg=link)
        assert State.from_query(explorer.query()) == State.from_query(link)
        assert State.from_query(explorer.facts()["query"]) == State.from_query(link)
    explorer.page.reload()
    explorer.settled()
    assert State.from_query(explorer.query()) == State.from_query(link)


def test_a_wrong_link_is_explained(explorer):
    explorer.open("v=1&widths=999")
    assert "widths" in explorer.text("#toast")
    assert explorer.state("widths") == "16-16" and explorer.count() > 1


def test_an_address_with_an_unknown_view_is_explained_and_changes_nothing(explorer):
    """At the start, and later when somebody edits the address of an open page."""
    explorer.open("v=1&view=nonsense&widths=5")
    assert "view" in explorer.text("#toast") and "surface" in explorer.text("#toast")
    explorer.page.goto("about:blank")
    explorer.open("v=1&widths=6-6&view=surface")
    explorer.page.evaluate("location.hash = 'v=1&widths=5&view=nonsense'")
    explorer.page.wait_for_selector("#toast:not([hidden])")
    assert "nonsense" in explorer.text("#toast")
    assert explorer.state("view") == "surface" and explorer.state("widths") == "6-6"
    assert "view=surface" in explorer.page.evaluate("location.hash")
    explorer.page.evaluate("location.hash = 'v=1&widths=5&view=surface'")
    explorer.page.wait_for_function("() => plica.state.get('widths') === '5'")
    explorer.settled()


def test_features_are_a_layer_in_front_that_training_leaves_alone(explorer):
    explorer.open("v=1&data=circles&widths=4-3").tab("data")
    before = explorer.count()
    explorer.page.check("#in-features-abs-x")
    explorer.page.check("#in-features-square-y")
    explorer.settled()
    assert explorer.state("features") == "abs-x,square-y"
    assert explorer.facts()["widths"] == [2, 18, 4, 3, 1] and explorer.count() > before
    explorer.tab("network")
    assert explorer.page.locator("#diagram .head", has_text="features").count() == 1
    explorer.page.click("[aria-label='one neuron more in layer 2']")
    assert explorer.settled().state("widths") == "4-4"
    fixed = "() => Array.from(plica.plane.mesh.arrays.weights.slice(0, 2 * 18))"
    weights = explorer.page.evaluate(fixed)
    explorer.page.evaluate("plica.change({step: '30'})")
    explorer.settled()
    assert explorer.page.evaluate(fixed) == weights and explorer.facts()["step"] == 30
    explorer.page.evaluate("plica.change({folds: '1'})")
    explorer.settled()
    assert "layer 0" in explorer.text("#noun")
    explorer.page.evaluate("plica.change({data: 'sine'})")
    explorer.page.wait_for_selector("#toast:not([hidden])")
    assert "two inputs" in explorer.text("#toast")


def test_an_output_in_steps_has_ten_colors(explorer):
    """Seen on the screen: ten colors fill nearly all of it, where the output itself has many."""
    import io

    from PIL import Image

    def share_of_ten(color):
        explorer.page.evaluate(f"plica.change({{color: '{color}'}})")
        explorer.settled().page.wait_for_timeout(300)
        seen = Image.open(io.BytesIO(explorer.page.locator("#plane").screenshot())).convert("RGB")
        counts = sorted((n for n, _ in seen.getcolors(10**6)), reverse=True)
        return sum(counts[:10]) / sum(counts)

    explorer.open("v=1&data=circles&widths=6&points=0&boundary=0&step=100")
    assert share_of_ten("steps") > 0.9 > 0.7 > share_of_ten("output")


def test_copied_link_opens_the_same_picture(explorer):
    explorer.open("v=1&data=spirals&step=20&widths=6-6").tab("away")
    explorer.page.click("#copy-link")
    explorer.page.wait_for_function("() => document.documentElement.dataset.copied")
    link = explorer.page.evaluate("navigator.clipboard.readText()")
    count = explorer.count()
    explorer.page.goto("about:blank")
    explorer.page.goto(link)
    assert explorer.settled().count() == count


def download(explorer, kind):
    with explorer.page.expect_download() as waiting:
        explorer.page.click(f"[data-export={kind}]")
    return waiting.value.path().read_bytes()


def test_exports_are_opened_by_independent_readers(explorer, tmp_path):
    from PIL import Image

    explorer.open("v=1&data=circles&widths=6-6&step=15").tab("away")
    count = explorer.count()
    assert ET.fromstring(download(explorer, "svg")).tag.endswith("svg")  # noqa: S314 our own file
    with Image.open(io.BytesIO(download(explorer, "png"))) as image:
        image.load()
    document = json.loads(download(explorer, "json"))
    assert document["n_regions"] == count
    with np.load(io.BytesIO(download(explorer, "npz")), allow_pickle=False) as arrays:
        assert arrays.files
    from safetensors.numpy import load

    assert load(download(explorer, "safetensors"))
    explorer.page.click("#copy-python")
    explorer.page.wait_for_function("() => document.documentElement.dataset.copied")
    code = explorer.page.evaluate("navigator.clipboard.readText()")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=patient(60))
    assert f"{count} regions" in done.stdout, done.stderr


def test_a_model_and_its_data_are_dropped_on_the_page(explorer, tmp_path):
    plica.save(plica.random_network([6, 10, 10, 2], seed=3, bias_std=0.3, weights="he-normal"), tmp_path / "mine.safetensors")
    rows = np.random.default_rng(1).standard_normal((8, 6))
    np.save(tmp_path / "rows.npy", rows)
    explorer.open().tab("yours")
    explorer.page.set_input_files("#file", tmp_path / "mine.safetensors")
    explorer.page.wait_for_function("() => plica.state.get('data') === 'model'")
    explorer.settled()
    assert "6 inputs, 2 layers" in explorer.text("#file-facts")
    explorer.page.set_input_files("#file", tmp_path / "rows.npy")
    explorer.page.wait_for_function("() => plica.state.get('rows') !== ''")
    explorer.settled().type("through", "5,2,0")
    plane = plica.Plane.through(rows[5], rows[2], rows[0], margin=0.25)
    assert explorer.count() == plica.count_regions(plica.load(tmp_path / "mine.safetensors"), plane).n_regions
    assert "of at most 200,000" in explorer.text("#budget")


def test_a_table_is_dropped_on_the_page_and_a_pickle_refused(explorer, tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{i / 10},{(i / 10) ** 2}\n" for i in range(30)))
    (tmp_path / "m.pt").write_bytes(b"\x80\x04.")
    explorer.open().tab("yours")
    explorer.page.set_input_files("#file", tmp_path / "t.csv")
    explorer.page.wait_for_function("() => plica.state.get('data') === 'csv'")
    assert explorer.settled().facts()["dimension"] == 1
    explorer.page.set_input_files("#file", tmp_path / "m.pt")
    explorer.page.wait_for_selector("#toast:not([hidden])")
    assert "pickles are never read" in explorer.text("#toast")


def test_a_claim_is_read_shown_and_checked(explorer):
    explorer.open().tab("claims")
    explorer.page.wait_for_selector("#claims .claim")
    explorer.page.fill("#claim-search", "sawtooth-unit-interval")
    explorer.page.click("#claims .claim h3 button")
    assert "Expected: holds" in explorer.text("#claims .body")
    explorer.page.click("#claims .body button:has-text('Show it')")
    explorer.page.wait_for_function("() => plica.state.get('init') === 'sawtooth'")
    assert explorer.settled().count() == 8
    explorer.page.click("#claims .body button:has-text('Check it')")
    explorer.page.wait_for_selector("#claims img", timeout=1000 * patient(20))
    assert "Verdict: holds (as expected)" in explorer.text("#claims .body")
    width = "async () => { const i = document.querySelector('#claims img'); await i.decode(); return i.naturalWidth }"
    assert explorer.page.evaluate(width) > 100


@pytest.mark.parametrize("part", range(N_PARTS))
def test_every_scene_opens_with_its_caption_and_reaches_its_number(explorer, part):
    explorer.open()
    for claim, lesson in list(LESSONS.items())[part::N_PARTS]:
        explorer.page.evaluate("link => { location.hash = link }", scene_link(claim))
        explorer.settled()
        assert explorer.page.locator("#toast").is_hidden(), claim
        assert State.from_query(explorer.facts()["query"]) == State.from_query(scene_link(claim)), claim
        explorer.page.wait_for_function("id => plica.scenes.shown === id", arg=claim)
        is_sheet = isinstance(lesson.read, str)
        if is_sheet:
            explorer.page.wait_for_function(
                "() => !document.getElementById('toast').hidden || "
                "(plica.lab.facts && !document.querySelector('#other[aria-busy]') && plica.lab.asked === plica.lab.wanted())"
            )
            assert explorer.page.locator("#toast").is_hidden(), (claim, explorer.text("#toast"))
        assert explorer.page.locator("#scene").is_visible() and explorer.text("#scene-text"), claim
        assert explorer.page.locator("#scene-numbers").is_visible() == (lesson.read is not None), claim
        if lesson.read is not None:
            reading = explorer.page.evaluate("plica.lab.facts.reading") if is_sheet else explorer.facts()["reading"]
            if catalog()[claim].expected == "holds":
                assert reading["holds"] in (None, True), claim
            if reading["relation"] == "=" and reading["holds"]:
                room = 4 * reading.get("error", 0.0) + reading.get("rounding", 0.0)
                room += 2 * reading.get("slack", 1e-9) * abs(reading["predicted"])
                assert abs(reading["measured"] - reading["predicted"]) <= room + 1e-300, claim
            elif claim.startswith("slide"):  # what a slide says is shown to be wrong; elsewhere what is true may be shown instead
                assert reading["holds"] in (None, False), claim
        if lesson.formula:
            assert explorer.page.locator("#scene-formula math").count() == 1


def test_a_scene_says_what_is_predicted_and_what_is_here_for_any_state(explorer):
    explorer.open(scene_link("zaslavsky-1975"))
    explorer.page.wait_for_selector("#scene-numbers:not([hidden])")
    assert explorer.text("#scene-numbers") == "cells of the whole plane: predicted 37, here 37\u00a0✓" and explorer.count() == 37
    explorer.type("widths", "7").type("seed", "5")
    explorer.page.wait_for_function(
        "() => document.getElementById('scene-numbers').textContent.includes('predicted 29, here 29')"
    )
    explorer.page.click("#scene-next")
    explorer.page.wait_for_function("() => plica.scenes.shown === 'hyperplane-sweep'")
    explorer.settled().page.keyboard.press("PageUp")
    explorer.page.wait_for_function("() => plica.scenes.shown === 'zaslavsky-1975'")
    explorer.settled().page.click("#scene-end")
    assert explorer.settled().state("scene") == "" and explorer.page.locator("#scene").is_hidden()
    explorer.page.go_back()
    explorer.page.wait_for_function("() => plica.scenes.shown === 'zaslavsky-1975'")
    assert explorer.page.locator("#scene").is_visible()


@pytest.mark.parametrize("claim", ["zaslavsky-1975", "bent-hyperplanes", "sawtooth-unit-interval", "hanin-rolnick-2019-training"])
def test_a_presented_scene_keeps_what_it_asks_for(explorer, claim):
    explorer.page.set_viewport_size({"width": 1920, "height": 1080})
    explorer.open(f"{scene_link(claim)}&present=1")
    explorer.page.wait_for_function("id => plica.scenes.shown === id", arg=claim)
    for name in LESSONS[claim].controls:
        assert explorer.page.locator(f"#scene-controls #in-{name}").is_visible(), name
    for part in ("#play", "#count", "#diagram", "#sparklines", "#legend-lines", "#scene-title"):
        assert explorer.page.locator(part).is_visible(), part
    assert explorer.page.evaluate("document.documentElement.scrollHeight") <= 1080
    assert explorer.page.locator("#plane").bounding_box()["height"] > 700
    seen = "document.querySelectorAll('.axis span, #legend li, .spark span')"
    letters = f"[...{seen}].map((e) => parseFloat(getComputedStyle(e).fontSize))"
    assert min(explorer.page.evaluate(letters)) >= 14, "seen from the last row"
    explorer.page.keyboard.press("p")
    assert explorer.page.locator("#tabs").is_visible() and explorer.page.locator("#scene-controls .field").count()
    explorer.page.click("#scene-end")
    explorer.page.wait_for_function("() => !document.querySelector('#scene-controls .field')")
    assert explorer.page.locator(".controls #in-widths").is_visible()


def test_lecturers_hide_parts_and_present(explorer):
    explorer.open("v=1&hide=data,network,readouts&present=1")
    page = explorer.page
    assert page.locator("#plane").is_visible() and page.locator("#play").is_visible()
    assert page.locator("[data-part=readouts]").first.is_hidden() and page.locator("#in-data").is_hidden()
    assert page.locator("#in-folds").is_visible(), "what may be moved is there"
    assert float(page.evaluate("getComputedStyle(document.body).fontSize").removesuffix("px")) > 18


def test_the_picture_has_a_text_alternative(explorer):
    explorer.open().tab("words")
    explorer.page.wait_for_function("() => document.getElementById('words-text').textContent")
    words = explorer.text("#words-text")
    assert f"exactly {explorer.count()} regions" in words and "No network of this shape has more than" in words
    assert explorer.page.locator("#words-table td").count() == 60
    assert explorer.text("#announce").endswith("at step 0")


def test_both_painters_draw_the_same_picture(chromium, served):
    """WebGL and the plain canvas agree up to antialiasing."""
    from PIL import Image

    pictures = []
    for painter in ("webgl", "canvas"):
        context = chromium.new_context(viewport={"width": 900, "height": 800})
        context.add_init_script(f"sessionStorage.setItem('plica-painter', '{painter}')")
        page = context.new_page()
        page.goto(served.url.split("#")[0] + "#v=1&widths=6-6&points=0&boundary=0&folds=0")
        page.wait_for_function("() => document.documentElement.dataset.ready && !plica.plane.frame")
        assert page.evaluate("plica.plane.painter.name") == painter
        page.wait_for_timeout(500)
        pictures.append(np.asarray(Image.open(io.BytesIO(page.locator("#plane").screenshot())).convert("RGB"), dtype=float))
        context.close()
    difference = np.abs(pictures[0] - pictures[1]).max(axis=2)
    assert np.median(difference) <= 4 and (difference > 25).mean() < 0.02


def test_the_page_survives_a_server_that_went_away(chromium):
    import importlib.util
    from pathlib import Path

    spec = importlib.util.spec_from_file_location("web_conftest", Path(__file__).parent.parent / "unit" / "web" / "conftest.py")
    helpers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(helpers)
    server = helpers.serve()
    page = chromium.new_page()
    page.goto(server.url)
    page.wait_for_selector("html[data-ready]")
    helpers.end(server)
    page.wait_for_selector("#toast:not([hidden])", timeout=1000 * patient(10))
    page.close()


def test_a_page_that_never_answers_fails_its_test(chromium, served):
    """Scripts have no limit of their own: what ends such a test is that its browser is ended; the next one gets another."""
    from browsers import end_browsers
    from playwright.sync_api import Error

    page = chromium.new_page()
    timer = threading.Timer(1.0, end_browsers)
    timer.start()
    with pytest.raises(Error, match="closed"):
        page.evaluate("() => { while (true); }")
    timer.join()
    assert not chromium.is_connected()


def past(explorer, name):
    return explorer.page.evaluate("name => plica.training.past.filter(p => p[name] !== null).map(p => [p.step, p[name]])", name)


def test_a_curve_of_the_history_holds_one_quantity(explorer):
    """Other windows, segments and learning rates start their own curves."""
    explorer.open("v=1&widths=8-8&n=50&speed=5&segment=-1,-1,1,1&rate=0.02")
    step = "document.querySelector('#next').click()"
    for _ in range(3):
        explorer.page.evaluate(step)
        explorer.settled()
    assert [s for s, _ in past(explorer, "regions")] == [s for s, _ in past(explorer, "length")] == [0, 1, 2, 3]
    losses = past(explorer, "loss")
    explorer.page.evaluate("plica.change({ window: '-0.5,0.5,-0.5,0.5' })")
    explorer.settled()
    assert past(explorer, "regions") == [[3, explorer.count()]], "regions of the old window are gone"
    assert past(explorer, "loss") == losses and len(past(explorer, "length")) == 4, "loss and length of the segment stay"
    explorer.page.evaluate("plica.change({ segment: '0,0,1,1' })")
    explorer.settled()
    assert [s for s, _ in past(explorer, "length")] == [3] and past(explorer, "loss") == losses
    explorer.page.evaluate("plica.change({ step: '1' })")
    explorer.settled()
    assert past(explorer, "loss") == losses, "scrubbing forgets nothing"
    explorer.type("rate", "0.0001")
    assert past(explorer, "loss") == losses[:2], "steps made with another rate are of another training"
    explorer.page.evaluate(step)
    explorer.settled()
    assert [s for s, _ in past(explorer, "loss")] == [0, 1, 2] and past(explorer, "loss")[2] != losses[2]


def test_the_legend_of_patterns_has_the_colors_that_appear(explorer):
    explorer.open("v=1&widths=1&color=pattern&points=0&boundary=0")
    assert explorer.count() == 2
    drawn = explorer.page.evaluate("new Set(plica.plane.mesh.coloring(9)).size")
    background = explorer.page.evaluate("document.querySelector('#legend-bar').style.background")
    assert drawn == 2 and len(set(re.findall(r"rgb\([^)]*\)", background))) == 2


def test_the_canvas_leaves_no_cell_unpainted(chromium, served):
    context = chromium.new_context(viewport={"width": 1360, "height": 860})
    context.add_init_script("sessionStorage.setItem('plica-painter', 'canvas')")
    page = context.new_page()
    page.goto(served.url.split("#")[0] + "#v=1&widths=64-64-64-64-64&window=-4,4,-4,4&points=0&folds=0&boundary=0")
    page.wait_for_function(
        "() => document.documentElement.dataset.ready && !plica.plane.frame && !plica.plane.painter.work",
        timeout=1000 * patient(60),
    )
    holes, cells = page.evaluate("""async () => {
        const { neutral, rgb } = await import("/static/colors.js");
        const blank = rgb(neutral()).map((c) => Math.round(255 * c));
        const { picture } = plica.plane.painter;
        const pixels = picture.getContext("2d").getImageData(0, 0, picture.width, picture.height).data;
        let holes = 0;
        for (let i = 0; i < pixels.length; i += 4)
            holes += pixels[i + 3] < 100 || blank.every((c, k) => pixels[i + k] === c);
        return [holes, plica.plane.mesh.n];
    }""")
    context.close()
    assert cells > 20_000 and holes == 0, "no pixel is transparent or has the color of what was not painted"


def test_the_card_of_a_large_network_breaks_no_number(explorer):
    explorer.open("v=1&widths=64-64-64-64-64&window=-4,4,-4,4&points=0&folds=0")
    explorer.page.hover("#plane", position={"x": 300, "y": 300})
    explorer.page.wait_for_function("() => [...document.querySelectorAll('#card-facts dt')].some(d => d.textContent === 'map')")
    lines = explorer.page.evaluate("""() => [...document.querySelectorAll("#card-facts dd:not(.bits)")].flatMap((dd) => {
        const found = [];
        for (const word of dd.textContent.matchAll(/\\S+/g)) {
            const range = document.createRange();
            range.setStart(dd.firstChild, word.index);
            range.setEnd(dd.firstChild, word.index + word[0].length);
            const tops = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
            if (tops.size > 1) found.push(word[0]);
        }
        return found;
    })""")
    assert lines == []


def webgl_page(chromium, served, script=""):
    context = chromium.new_context(viewport={"width": 900, "height": 800})
    context.add_init_script(f"sessionStorage.setItem('plica-painter', 'webgl'); {script}")
    page = context.new_page()
    page.goto(served.url.split("#")[0] + "#v=1&widths=6-6&points=0&boundary=0")
    page.wait_for_function("() => document.documentElement.dataset.ready && !plica.plane.frame && !plica.diagram.isDue")
    return context, page


def test_a_lost_graphics_context_comes_back_with_the_same_picture(chromium, served):
    context, page = webgl_page(chromium, served)
    assert page.evaluate("plica.plane.painter.name") == "webgl"
    before = page.locator("#plane").screenshot()
    page.evaluate("globalThis.lose = plica.plane.painter.gl.getExtension('WEBGL_lose_context'); lose.loseContext()")
    page.wait_for_function("() => plica.plane.painter.isLost")
    page.evaluate("plica.plane.redraw()")  # nothing to draw with, and no error
    page.evaluate("lose.restoreContext()")
    page.wait_for_function("() => !plica.plane.painter.isLost && !plica.plane.frame")
    page.wait_for_timeout(300)
    assert page.evaluate("plica.plane.painter.gl.getError()") == 0
    assert page.locator("#plane").screenshot() == before
    context.close()


@pytest.mark.parametrize("view", ["plane", "surface"])
def test_a_graphics_context_that_stays_lost_leaves_its_picture_to_the_plain_canvas(chromium, served, view):
    """Views in space are painted without one: they stay, and the plane that is gone back to is there."""
    context, page = webgl_page(chromium, served)
    color = """() => {
        const canvas = document.querySelector("#plane canvas"), pen = document.createElement("canvas").getContext("2d");
        pen.drawImage(canvas, 0, 0, 300, 150);
        return new Set(pen.getImageData(0, 0, 300, 150).data).size;
    }"""
    page.evaluate(f"plica.change({{ view: '{view}' }})")
    page.wait_for_function("() => !plica.plane.frame && !plica.views.frame")
    page.evaluate("plica.plane.painter.gl.getExtension('WEBGL_lose_context').loseContext()")
    page.wait_for_function("() => plica.plane.painter.name === 'canvas'")
    if view == "surface":
        part = "plica.views.pen.getImageData(0, 0, plica.views.canvas.width, plica.views.canvas.height).data"
        assert page.evaluate(f"new Set({part}).size") > 10
    page.evaluate("plica.change({ view: 'plane' })")
    page.wait_for_function(f"() => !plica.plane.frame && !plica.plane.painter.work && ({color})() > 10")
    assert page.evaluate("document.documentElement.dataset.painter") == "canvas"
    assert page.locator("#plane").is_visible()
    context.close()


@pytest.mark.parametrize("status", ["getShaderParameter", "getProgramParameter"])
def test_shaders_that_fail_leave_the_plain_canvas(chromium, served, status):
    context, page = webgl_page(chromium, served, f"WebGL2RenderingContext.prototype.{status} = () => false;")
    assert page.evaluate("plica.plane.painter.name") == "canvas"
    n_colors = """() => {
        const canvas = document.querySelector("#plane canvas");
        return new Set(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data).size;
    }"""
    assert page.evaluate(n_colors) > 10
    context.close()


def test_uniforms_are_looked_up_once(chromium, served):
    count = """const look = WebGL2RenderingContext.prototype.getUniformLocation; globalThis.looked = 0;
    WebGL2RenderingContext.prototype.getUniformLocation = function (...given) { looked++; return look.apply(this, given); };"""
    context, page = webgl_page(chromium, served, count)
    before = page.evaluate("looked")
    for _ in range(3):
        page.evaluate("plica.plane.redraw()")
        page.wait_for_function("() => !plica.plane.frame")
    assert before == page.evaluate("looked") == 9
    context.close()
