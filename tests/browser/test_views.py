"""The views that the server computes, in a real browser: every control by mouse and by keyboard."""

import io
from itertools import pairwise

import numpy as np
import pytest

from plica.web._state import State, schema
from plica.web.views import SHEETS

pytestmark = pytest.mark.browser

SMALL = "v=1&widths=5-4&data=circles&step=40&draws=4&teeth=3&deep=4&wide=60"
FIELDS = {view: [name for name, field in schema()["fields"].items() if view in field["views"]] for view in SHEETS}


def opened(explorer, view, rest=""):
    explorer.open(f"{SMALL}&view={view}{rest}")
    return ready(explorer)


def ready(explorer):
    explorer.page.wait_for_function(
        "() => plica.lab.facts && !document.querySelector('#other[aria-busy]') && plica.lab.asked === plica.lab.wanted()"
    )
    explorer.settled()
    explorer.page.wait_for_timeout(100)
    return explorer


def seen(explorer):
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(explorer.page.locator("#other").screenshot())).convert("RGB"), dtype=int)


@pytest.mark.parametrize("view", SHEETS)
def test_a_view_is_one_click_away_and_shows_its_number_and_readings(explorer, view):
    explorer.open(SMALL)
    explorer.page.click(f"[data-view={view}]")
    ready(explorer)
    assert len(np.unique(seen(explorer).reshape(-1, 3), axis=0)) > 20
    assert explorer.text("#noun") == explorer.page.evaluate("plica.lab.facts.hero.noun")
    assert explorer.page.locator("#panel-view").is_visible() and explorer.text("#view-sentence")
    assert explorer.page.locator("#view-readings tr").count() == 1 + explorer.page.evaluate(
        "Object.keys(plica.lab.facts.readings).length"
    )
    explorer.page.click("[data-view=plane]")
    explorer.settled()
    assert explorer.page.locator("#plane").is_visible() and explorer.page.locator("#panel-view").is_hidden()


@pytest.mark.parametrize(("view", "name"), [(view, name) for view, names in FIELDS.items() for name in names])
def test_every_control_of_a_view_moves_by_keyboard_and_is_in_the_link(explorer, view, name):
    opened(explorer, view)
    control = explorer.page.locator(f"#in-{name}")
    before = explorer.state(name)
    control.scroll_into_view_if_needed()
    box = control.bounding_box()
    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    assert control.evaluate("(e, middle) => document.elementFromPoint(...middle) === e", middle), "nothing covers it"
    control.focus()
    if schema()["fields"][name]["kind"] == "choice":
        options = schema()["fields"][name]["options"]
        explorer.page.keyboard.press("ArrowUp" if before == options[-1] else "ArrowDown")
    else:
        explorer.page.keyboard.press("ArrowLeft" if float(before) > schema()["fields"][name]["low"] else "ArrowRight")
    explorer.page.wait_for_function("([name, before]) => plica.state.get(name) !== before", arg=[name, before])
    ready(explorer)
    assert f"{name}=" in explorer.query() or explorer.state(name) == schema()["fields"][name]["default"]
    assert explorer.page.locator("#toast").is_hidden()
    State.from_query(explorer.query())


def test_the_point_in_the_phase_plane_is_dragged_by_pointer_and_keys(explorer):
    opened(explorer, "meanfield")
    where = "() => { const p = plica.views.current.plots[0]; return [p.px(3), p.py(1)]; }"
    box = explorer.page.locator("#other").bounding_box()
    x, y = explorer.page.evaluate(where)
    explorer.page.mouse.move(box["x"] + x, box["y"] + y)
    explorer.page.mouse.down()
    explorer.page.mouse.up()
    ready(explorer)
    assert float(explorer.state("sw")) == pytest.approx(3, abs=0.05) and float(explorer.state("sb")) == pytest.approx(1, abs=0.05)
    assert "chaotic" in explorer.text("#where") or "ordered" in explorer.text("#where")
    before = float(explorer.state("sw"))
    explorer.page.focus("#other")
    explorer.page.keyboard.press("ArrowRight")
    ready(explorer)
    assert float(explorer.state("sw")) > before


def test_the_pointer_is_told_what_is_under_it(explorer):
    opened(explorer, "approximation", "&build=squaring&size=3")
    box = explorer.page.locator("#other").bounding_box()
    x, y = explorer.page.evaluate("() => { const p = plica.views.current.plots[0]; return [p.px(0.5), p.py(0.25)]; }")
    explorer.page.mouse.move(box["x"] + x, box["y"] + y)
    explorer.page.wait_for_selector("#other-tip:not([hidden])")
    told = explorer.text("#other-tip").split("x²: ")[1].split("\n")[0]
    assert [float(part) for part in told.split(", ")] == pytest.approx([0.5, 0.25], abs=0.01)


def test_the_robust_view_follows_the_point(explorer):
    opened(explorer, "robust")
    before = explorer.text("#count")
    box = explorer.page.locator("#other").bounding_box()
    x, y = explorer.page.evaluate("() => { const p = plica.views.current.plots[0]; return [p.px(0.1), p.py(0.1)]; }")
    explorer.page.mouse.click(box["x"] + x, box["y"] + y)
    ready(explorer)
    assert explorer.state("pin") and explorer.text("#count") != before


def test_cells_in_space_turn_explode_and_are_sliced(explorer):
    opened(explorer, "complex")
    views = [seen(explorer)]
    explorer.page.focus("#other")
    explorer.page.keyboard.press("ArrowLeft")
    explorer.page.wait_for_timeout(200)
    views.append(seen(explorer))
    for changes in ("{explode: '1.5'}", "{cut: '0'}", "{fade: '0.9'}"):
        explorer.page.evaluate(f"plica.change({changes})")
        explorer.page.wait_for_timeout(200)
        views.append(seen(explorer))
    assert all((a != b).mean() > 0.01 for a, b in pairwise(views))
    assert explorer.count() == explorer.page.evaluate("plica.lab.facts.readings.bound.measured")


def test_a_scene_of_a_view_has_its_numbers_and_its_controls(explorer):
    from plica.web._lessons import scene_link

    explorer.open(scene_link("softmax-entropy") + "&present=1")
    ready(explorer)
    explorer.page.wait_for_function(
        "() => document.getElementById('scene-numbers').textContent.includes('predicted 0.5, here 0.4')"
    )
    assert explorer.page.locator("#scene").is_visible()
    for name in ("tokens", "dim", "warmth"):
        assert explorer.page.locator(f"#in-{name}").is_visible()
    explorer.page.keyboard.press("PageDown")
    explorer.page.wait_for_function("() => plica.state.get('scene') !== 'softmax-entropy'")


def test_a_view_that_needs_another_network_says_so(explorer):
    explorer.open("v=1&data=sine&view=robust&widths=4")
    explorer.page.wait_for_selector("#toast:not([hidden])")
    assert "two inputs" in explorer.text("#toast")


def test_a_view_that_needs_a_network_that_has_learned_trains_it(explorer):
    explorer.open("v=1&widths=4-4&view=robust")
    explorer.page.click("#toast button:has-text('Train 200 steps')")
    ready(explorer)
    assert explorer.state("step") == "200" and explorer.page.locator("#toast").is_hidden()


def test_what_is_in_space_turns_by_itself_until_a_hand_is_on_it(explorer):
    explorer.open(f"{SMALL}&view=surface")
    explorer.page.focus("#other")
    turn = "plica.views.current.turn"
    before = explorer.page.evaluate(turn)
    explorer.page.keyboard.press("Enter")
    explorer.page.wait_for_function(f"before => {turn} > before + 0.1", arg=before)
    explorer.page.click("#other canvas")
    stopped = explorer.page.evaluate(turn)
    explorer.page.wait_for_timeout(500)
    assert explorer.page.evaluate(turn) == stopped


def test_a_view_that_was_left_and_is_opened_again_has_its_number(explorer):
    opened(explorer, "noise")
    known = explorer.text("#count")
    explorer.page.click("[data-view=plane]")
    explorer.settled()
    explorer.page.click("[data-view=noise]")
    explorer.page.wait_for_function("known => document.getElementById('count').textContent === known", arg=known)
    assert explorer.page.locator("#view-readings tr").count() > 1


def test_an_answer_that_comes_after_its_view_was_left_is_not_shown_in_another(explorer):
    """The page is told to hold answers back, so that they come when another view is looked at."""
    opened(explorer, "noise")
    explorer.page.evaluate("""() => {
        const { line } = plica.lab, ask = line.ask.bind(line);
        const later = () => new Promise((go) => setTimeout(go, 1500));
        line.ask = async (...given) => { const reply = ask(...given); await later(); return reply; };
        plica.change({ view: "approximation" });
        setTimeout(() => plica.change({ view: "plane" }), 300);
    }""")
    explorer.page.wait_for_timeout(4000)
    assert explorer.text("#noun") == "regions" and explorer.page.locator("#panel-view").is_hidden()
    explorer.page.evaluate("plica.change({ view: 'approximation' }); setTimeout(() => plica.change({ view: 'noise' }), 300)")
    explorer.page.wait_for_function("() => plica.lab.facts && !document.querySelector('#other[aria-busy]')")
    explorer.page.wait_for_timeout(500)
    assert explorer.text("#noun") == "pieces on average"
    titles = explorer.page.evaluate("plica.views.all.noise.panels.map((panel) => panel.title)")
    assert "Pieces of each network" in titles


def test_colors_of_magnitudes_have_a_scale(explorer):
    """The legend says from which value to which, and shows both ends of the colors."""
    opened(explorer, "weights")
    explorer.page.evaluate("""() => {
        globalThis.written = [];
        const pen = plica.views.pen, write = pen.fillText.bind(pen);
        pen.fillText = (text, ...rest) => { written.push(text); write(text, ...rest); };
        plica.views.redraw();
    }""")
    explorer.page.wait_for_function("() => written.some((text) => / to /.test(text))")
    low, high = explorer.page.evaluate("""() => {
        const marks = plica.views.current.panels.flatMap((panel) => panel.marks);
        const { low, high } = marks.find((mark) => mark.kind === "heat");
        return [low, high];
    }""")
    told = next(text for text in explorer.page.evaluate("written") if " to " in text and "," in text)
    assert [float(x.replace("\u2212", "-")) for x in told.split(", ")[1].split(" to ")] == pytest.approx([low, high], rel=1e-3)


def test_bars_of_errors_are_inside_their_panel_and_bars_have_names(explorer):
    explorer.open("v=1&view=noise")
    explorer.page.wait_for_function("() => plica.lab.facts && plica.views.current.plots.length")
    outside = explorer.page.evaluate("""plica.views.current.plots.flatMap((plot) =>
        plot.panel.marks.filter((m) => m.error).flatMap((m) =>
            [...plot.arrays[m.error]].map((e, i) => plot.arrays[m.y][i] + 2 * e - plot.ry[1])))""")
    assert outside and max(outside) < 0
    explorer.open("v=1&widths=4&step=30&view=robust")
    explorer.page.wait_for_function("() => plica.lab.facts && plica.views.current.plots.length === 3")
    assert explorer.page.evaluate("plica.views.current.plots.map((p) => p.panel.x.names)")[2] == [
        "intervals",
        "Wong and Kolter",
        "CROWN",
    ]


def test_letters_have_their_indices_below(explorer):
    explorer.open("v=1&view=meanfield")
    explorer.page.wait_for_function("() => plica.lab.facts && document.querySelector('#view-readings td')")
    assert explorer.page.locator("label[for=in-sw] sub").inner_text() == "w"
    assert explorer.page.locator("#view-readings sub").count() > 0 and "σ_" not in explorer.text("#panel-view")
    assert explorer.page.locator("#in-sw").evaluate("e => e.labels[0].textContent").startswith("Weights σw")
