"""What is seen on a desk, a small screen, a phone and a wall: nothing overlaps, is cut off, or says another number."""

import re
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import plica
from plica.web._lessons import scene_link, scenes
from plica.web.views import SHEETS

pytestmark = pytest.mark.browser

DESK, SMALL, PHONE, WALL = (1440, 900), (1024, 768), (390, 844), (1920, 1080)
VIEWS = {
    "plane": "step=40&data=spirals&widths=16-16",
    "line": "data=sine&widths=16-8&step=40",
    "surface": "view=surface&step=40",
    "fold": "view=fold&step=40&widths=8-8&data=circles",
    "trajectory": "view=trajectory&widths=16-16-16&segment=-1,-1,1,1",
    "map": "view=map&step=60",
    "far": "view=map&step=60&window=0.299999,0.300001,-0.312346,-0.312345",
    "complex": "view=complex&widths=6-3",
    "weights": "view=weights&widths=5-4&data=circles&step=40",
    "robust": "view=robust&widths=5-4&data=circles&step=40",
    "noise": "view=noise&teeth=3&draws=4",
    "approximation": "view=approximation",
    "descent": "view=descent",
    "meanfield": "view=meanfield&wide=60",
    "attention": "view=attention&deep=4",
}
RECORD = """() => {
  const of = CanvasRenderingContext2D.prototype, { fillText, lineTo, setTransform } = of;
  of.setTransform = function (...given) {
    if (this.canvas.parentElement?.id === 'other') [globalThis.told, globalThis.highest] = [[], Infinity];  // a picture begins
    setTransform.apply(this, given);
  };
  of.lineTo = function (x, y) { globalThis.highest = Math.min(globalThis.highest, y); lineTo.call(this, x, y); };
  of.fillText = function (text, x, y, most) {
    const { a, b, e, f } = this.getTransform(), ratio = devicePixelRatio;
    const size = Number(/([\\d.]+)px/.exec(this.font)[1]);
    const width = Math.min(this.measureText(text).width, most ?? Infinity);
    const left = x - ({ center: 0.5, right: 1 }[this.textAlign] ?? 0) * width;
    if (this.canvas.parentElement?.id === 'other' && text.trim() && b === 0)
      (globalThis.told ??= []).push(
        { text, size, x: (a * left + e) / ratio, y: (a * (y - 0.75 * size) + f) / ratio, w: width, h: 0.9 * size });
    fillText.apply(this, most === undefined ? [text, x, y] : [text, x, y, most]);
  };
}"""


def at_size(explorer, size):
    explorer.page.set_viewport_size({"width": size[0], "height": size[1]})
    return explorer


def shown(explorer, link):
    explorer.open("v=1&" + link)
    explorer.page.reload()
    explorer.settled()
    explorer.page.wait_for_function(
        "() => !document.querySelector('#other[aria-busy]') && (!plica.lab.view || plica.lab.facts) && !plica.views.frame"
        " && (plica.state.get('view') !== 'map' || plica.views.all.map.isDone)"
    )
    explorer.page.wait_for_timeout(150)
    return explorer


def overlap(a, b):
    across = min(a["x"] + a["w"], b["x"] + b["w"]) - max(a["x"], b["x"])
    down = min(a["y"] + a["h"], b["y"] + b["h"]) - max(a["y"], b["y"])
    return across > 1 and down > 1


def boxes(explorer, selector):
    return explorer.page.evaluate(
        """selector => [...document.querySelectorAll(selector)].filter((e) => e.getClientRects().length).map((e) => {
             const range = document.createRange(); range.selectNodeContents(e); const b = range.getBoundingClientRect();
             return { text: e.textContent, x: b.x, y: b.y, w: b.width, h: b.height }; }).filter((b) => b.w)""",
        selector,
    )


@pytest.mark.parametrize("size", [DESK, SMALL, PHONE, WALL], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("view", VIEWS)
def test_no_two_texts_overlap_and_none_is_cut(explorer, view, size):
    explorer.page.add_init_script(f"({RECORD})()")
    shown(at_size(explorer, size), VIEWS[view] + ("&present=1" if size == WALL else ""))
    assert explorer.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for selector in ("#axis-x span, #axis-x b", "#axis-y span, #axis-y b", ".controls label, .controls output", "#views button"):
        found = boxes(explorer, selector)
        assert [(a["text"], b["text"]) for a, b in combinations(found, 2) if overlap(a, b)] == [], selector
    told = explorer.page.evaluate("globalThis.told ?? []")
    assert [(a["text"], b["text"]) for a, b in combinations(told, 2) if overlap(a, b)] == []
    wide, high = explorer.page.evaluate("(({ clientWidth: w, clientHeight: h }) => [w, h])(document.getElementById('other'))")
    outside = [t for t in told if t["x"] < -1 or t["y"] < -1 or t["x"] + t["w"] > wide + 1 or t["y"] + t["h"] > high + 1]
    assert outside == []
    if size == WALL and told:
        assert min(t["size"] for t in told) >= 12
    if view == "fold":
        assert explorer.page.evaluate("highest") > max(t["y"] + t["h"] for t in told)


@pytest.mark.parametrize("size", [DESK, SMALL, WALL], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("view", VIEWS)
def test_readings_need_no_scrolling(explorer, view, size):
    shown(at_size(explorer, size), VIEWS[view] + ("&present=1" if size == WALL else ""))
    for part in ("#panel-view", "#past", ".stage", ".bench"):
        over = "part => (e => e.getClientRects().length ? e.scrollHeight - e.clientHeight : 0)(document.querySelector(part))"
        assert explorer.page.evaluate(over, part) <= 1, part
    parts = "document.querySelectorAll('.transport, #legend, .frame, #other-words')"
    lowest = explorer.page.evaluate(f"Math.max(...[...{parts}].map((e) => e.getBoundingClientRect().bottom))")
    assert lowest <= size[1]


PRESENTED = [
    "poole-2016-phases",
    "bottou-2018-noise-floor",
    "slide-causal-mask",
    "raghu-2017-hard-tanh",
    "telgarsky-2016-separation",
    "hanin-rolnick-2019-line",
    "price-2019-figure-1",
]


@pytest.mark.parametrize("claim", PRESENTED)
def test_a_presented_scene_needs_no_scrolling(explorer, claim):
    shown(at_size(explorer, WALL), scene_link(claim) + "&present=1")
    explorer.page.wait_for_function(
        "claim => plica.scenes.shown === claim && !plica.diagram.isDue", arg=claim
    )  # with its reading
    explorer.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    explorer.page.wait_for_function(
        "() => (({ size, place }) => size.height === place.clientHeight && size.width === place.clientWidth)(plica.diagram)"
    )
    for part in ("#scene", "#panel-view", "#panel-network", "#past"):
        over = "part => (e => e.getClientRects().length ? e.scrollHeight - e.clientHeight : 0)(document.querySelector(part))"
        assert explorer.page.evaluate(over, part) <= 1, part
    if claim == "raghu-2017-hard-tanh":
        assert explorer.page.locator("#scene-title math").count() == 1  # not "σ_w"
    if claim == "slide-causal-mask":  # no panel has a row of its own beside three that share one
        wide, whole = explorer.page.evaluate(
            "[plica.views.current.plots[3].outer.w, document.getElementById('other').clientWidth]"
        )
        assert wide < 0.6 * whole


@pytest.mark.parametrize("view", ["map", "far"])
def test_classes_are_named_beside_the_upper_corner_of_their_map(explorer, view):
    """What is written after a turned title is not turned with it."""
    explorer.page.add_init_script(f"({RECORD})()")
    shown(explorer, VIEWS[view])
    named = [t for t in explorer.page.evaluate("told") if t["text"].startswith("class ")]
    wide = explorer.page.evaluate("plica.views.all.map.side(...((e) => [e.clientWidth, e.clientHeight])(plica.views.place))")
    assert len(named) == (2 if view == "map" else 1)
    assert all(t["x"] > wide + 46 and t["y"] < 60 for t in named)


def test_on_a_phone_a_class_map_is_wide_and_its_classes_are_named_below(explorer):
    explorer.page.add_init_script(f"({RECORD})()")
    shown(at_size(explorer, PHONE), VIEWS["map"])
    named = [t for t in explorer.page.evaluate("told") if t["text"].startswith("class ")]
    side, wide = explorer.page.evaluate(
        "(({ place, all }) => [all.map.side(place.clientWidth, place.clientHeight), place.clientWidth])(plica.views)"
    )
    assert side > 0.65 * wide and len(named) == 2 and all(t["y"] > side + 36 for t in named)


def test_numbers_of_two_axes_leave_each_other_room_in_the_corner(explorer):
    shown(at_size(explorer, WALL), "widths=4&points=0&window=-1,1,-1,1&present=1")
    across, up = boxes(explorer, "#axis-x span"), boxes(explorer, "#axis-y span")
    assert across[0]["text"] == up[0]["text"] == "−1"
    assert not any(overlap(a, b) for a in across for b in up)


@pytest.mark.parametrize("size", [DESK, SMALL, PHONE, WALL], ids=lambda size: f"{size[0]}x{size[1]}")
def test_what_is_chosen_is_read_to_its_last_letter(explorer, size):
    color = "output" if size in (SMALL, PHONE) else "pattern"
    shown(at_size(explorer, size), f"color={color}" + ("&present=1" if size == WALL else ""))
    for text, needed, has in explorer.page.evaluate(
        """() => [...document.querySelectorAll('.controls select')].map((e) => {
             const style = getComputedStyle(e), pen = document.createElement('canvas').getContext('2d');
             pen.font = style.font;
             const text = e.selectedOptions[0].textContent;
             return [text, pen.measureText(text).width + 2 * parseFloat(style.paddingLeft), e.clientWidth]; })"""
    ):
        assert needed + 14 <= has, text  # and the arrow
    for a, b in combinations(boxes(explorer, ".controls label"), 2):
        assert abs(a["y"] - b["y"]) > 10 or abs(a["x"] - b["x"]) > a["w"] * (a["x"] < b["x"]) + b["w"] * (b["x"] < a["x"]) + 3


@pytest.mark.parametrize("size", [DESK, SMALL, WALL], ids=lambda size: f"{size[0]}x{size[1]}")
def test_views_of_the_network_and_of_theory_have_a_row_each(explorer, size):
    shown(at_size(explorer, size), "present=1" if size == WALL else "")
    rows = explorer.page.evaluate(
        """() => [...document.querySelectorAll('#views > div')].map((row) =>
             [row.querySelector('span').textContent,
              [...row.querySelectorAll('button')].map((e) => e.getBoundingClientRect().y)])"""
    )
    assert [name for name, _ in rows] == ["network", "theory"]
    assert all(len(set(heights)) == 1 for _, heights in rows)


def test_before_training_there_are_numbers_and_no_empty_charts(explorer):
    explorer.open("v=1&widths=8")
    assert explorer.page.locator("#sparklines svg").count() == 0
    assert explorer.page.locator("#sparklines output").nth(1).inner_text() == explorer.text("#count")
    explorer.page.click("#next")
    explorer.page.wait_for_function("() => document.querySelectorAll('#sparklines svg').length === 3")


def test_neurons_are_larger_on_a_wall(explorer):
    sizes = []
    for size, more in ((DESK, ""), (WALL, "&present=1")):
        shown(at_size(explorer, size), "widths=8" + more)
        sizes.append(explorer.page.locator("[data-unit='0.0']").bounding_box()["width"])
    letters = explorer.page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")
    assert sizes[1] >= 1.2 * sizes[0] and letters == 20


def test_the_small_picture_of_a_sawtooth_has_all_its_teeth(explorer):
    explorer.open("v=1&data=sawtooth&init=sawtooth&widths=2-2-2-2-2&noise=0")
    assert explorer.count() == 32
    graphs = explorer.page.evaluate(
        """() => {
             const of = CanvasRenderingContext2D.prototype, { beginPath, lineTo } = of, paths = [];
             of.beginPath = function () { paths.push([]); beginPath.call(this); };
             of.lineTo = function (x, y) { paths.at(-1)?.push(y); lineTo.call(this, x, y); };
             plica.diagram.paint();
             Object.assign(of, { beginPath, lineTo });
             return paths.filter((heights) => heights.length > 2); }"""
    )
    turns = [int(np.count_nonzero(np.diff(np.sign(np.diff(heights))))) for heights in graphs]
    assert turns[-1] == 31 and max(turns) == 31  # 32 pieces, the last picture is that of the output


def test_one_sentence_says_what_is_seen(explorer):
    explorer.open("v=1&widths=8")
    assert explorer.text("#lead").startswith("Inside each region the network is one affine map")
    explorer.open("v=1&widths=8&data=sine")
    assert explorer.text("#lead").startswith("Inside each piece the network is one straight line")


def test_no_title_of_a_scene_is_written_as_in_a_program():
    for scene in scenes():
        words = re.sub(r"<math>.*?</math>", "", scene["heading"])
        assert not re.search(r"\w_\w|\^|\\", words), scene["heading"]


@pytest.mark.parametrize(
    "window",
    [
        "-10,10,-100,100",
        "0,250,-0.02,0.03",
        "-3000,3000,99000,99050",
        "5,5.5,-20,-10",
        "0.299999999,0.300000001,-0.31234568,-0.31234567",
        "-0.000000001,0.000000001,0.1,0.1003",
        "-900000,300000,123450,123460",
    ],
)
def test_numbers_of_axes_are_where_they_say_within_their_gutter(explorer, window):
    explorer.open(f"v=1&widths=4&points=0&window={window}")
    a, b, c, d = map(Fraction, window.split(","))
    for axis, side, low, high in (("x", "left", a, b), ("y", "bottom", c, d)):
        title, *marks = explorer.page.evaluate(
            f"""() => [document.querySelector('#axis-{axis} b').textContent,
                 ...[...document.querySelectorAll('#axis-{axis} span')].map((e) => [e.style.{side}, e.textContent])]"""
        )
        sign, start, power = re.fullmatch(rf"{axis}(?: ([+−]) ([\d.]+))?(?: in 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]*))?", title).groups()
        start = Fraction(start or 0) * (-1 if sign == "+" else 1)
        unit = 1 if power is None else Fraction(10) ** int(power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or 1)
        assert len(marks) >= 2
        for place, text in marks:
            where = low + (high - low) * Fraction(place.removesuffix("%")) / 100
            assert abs(start + unit * Fraction(text.replace("−", "-")) - where) <= (high - low) / 1000, (title, text)
    gutter = explorer.page.locator("#axis-y").bounding_box()
    up = boxes(explorer, "#axis-y span, #axis-y b")
    assert all(gutter["x"] <= box["x"] and box["x"] + box["w"] <= gutter["x"] + gutter["width"] for box in up)
    assert not any(overlap(p, q) for each in (up, boxes(explorer, "#axis-x span, #axis-x b")) for p, q in combinations(each, 2))


def test_the_legend_of_a_line_tells_its_lines_apart_and_names_the_data(explorer):
    explorer.open("v=1&data=sine&widths=8&step=60")
    drawn = dict(
        explorer.page.evaluate(
            "[...document.querySelectorAll('#legend-lines li')].map((e) => [e.textContent, e.querySelector('svg').innerHTML])"
        )
    )
    assert {"output", "where the output is 0", "target", "data"} <= drawn.keys()
    assert len(set(drawn.values())) == len(drawn)


def test_cells_in_space_have_a_legend(explorer):
    shown(explorer, VIEWS["complex"])
    assert explorer.page.locator("#legend-lines").is_visible()
    told = explorer.text("#legend-lines")
    assert "folds of layer 0" in told and "folds of layer 1" in told and "neighbors differ" in told


def test_points_leave_most_of_a_phones_picture_free(explorer):
    import io

    from PIL import Image

    def picture(points):
        shown(at_size(explorer, PHONE), f"step=40&data=spirals&widths=4&points={points}")
        return np.asarray(Image.open(io.BytesIO(explorer.page.locator("#plane").screenshot())).convert("RGB"), dtype=int)

    assert (np.abs(picture(1) - picture(0)).max(axis=2) > 8).mean() < 0.075


@pytest.mark.parametrize("view", SHEETS)
def test_on_a_phone_a_view_is_seen_together_with_its_controls(explorer, view):
    shown(at_size(explorer, PHONE), VIEWS[view])
    for part in ("#other", "#view-fields .field:not([hidden]) :is(input, select)"):
        box = explorer.page.locator(part).first.bounding_box()
        assert 0 <= box["y"] < PHONE[1] - 24, part
    control = explorer.page.locator("#view-fields .field:not([hidden]) :is(input, select)").last
    control.focus()  # which scrolls the row of controls, and nothing else
    box = control.bounding_box()
    assert 0 <= box["x"] and box["x"] + box["width"] / 2 <= PHONE[0] and explorer.page.evaluate("scrollY") == 0
    readings = explorer.page.locator("#view-readings tr").last
    readings.scroll_into_view_if_needed()
    low = readings.bounding_box()
    assert low["y"] + low["height"] <= explorer.page.locator("#view-controls").bounding_box()["y"]


def test_on_a_phone_a_finger_scrolls_over_a_sheet_and_a_tap_moves_its_point(handheld):
    explorer = shown(handheld, VIEWS["meanfield"])
    before, hand = explorer.query(), explorer.page.context.new_cdp_session(explorer.page)
    x, y = explorer.page.evaluate("() => { const p = plica.views.current.plots[0]; return [p.px(3), p.py(1)]; }")
    box = explorer.page.locator("#other").bounding_box()
    place = {"x": box["x"] + x, "y": box["y"] + y}
    explorer.page.evaluate("addEventListener('scrollend', () => (globalThis.rests = true), { once: true })")
    hand.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [place]})
    for k in range(1, 11):
        hand.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{**place, "y": place["y"] - 12 * k}]})
    hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    explorer.page.wait_for_function("() => globalThis.rests")  # a page that glides on would not stay where it is scrolled back to
    assert explorer.page.evaluate("scrollY") > 50
    assert explorer.query() == before
    explorer.page.evaluate("scrollTo(0, 0)")
    explorer.page.wait_for_function("() => scrollY === 0")
    explorer.page.touchscreen.tap(**place)
    explorer.page.wait_for_function("() => Math.abs(plica.state.number('sw') - 3) < 0.1")


def test_what_is_folded_fills_the_picture(explorer):
    import io

    from PIL import Image

    explorer.page.emulate_media(reduced_motion="reduce")
    shown(at_size(explorer, DESK), VIEWS["fold"])
    seen = np.asarray(Image.open(io.BytesIO(explorer.page.locator("#other").screenshot())).convert("RGB"), dtype=int)
    top = round(0.14 * len(seen))  # below what is written
    rows, columns = np.nonzero(np.abs(seen[top:-4, 4:-4] - seen[-6, 6]).max(axis=2) > 8)
    assert max(np.ptp(rows) / len(seen), np.ptp(columns) / seen.shape[1]) > 0.7


def test_one_region_is_no_regions(explorer):
    explorer.open("v=1&widths=1&folds=0")
    assert explorer.text("#count") == "1" and explorer.text("#noun").startswith("cell of")


def test_a_map_that_is_opened_by_its_link_has_its_images_beside_it(explorer, tmp_path):
    plica.save(plica.random_network([64, 8, 3], seed=1, bias_std=0.3), tmp_path / "m.safetensors")
    np.save(tmp_path / "rows.npy", np.random.default_rng(0).random((6, 64)))
    explorer.open().tab("yours")
    for name, field in (("m.safetensors", "model"), ("rows.npy", "rows")):
        explorer.page.set_input_files("#file", tmp_path / name)
        explorer.page.wait_for_function("name => plica.state.get(name) !== ''", arg=field)
        explorer.settled()
    explorer.choose("color", "output")
    assert explorer.text("#legend-name").startswith("output 0 of 3")
    explorer.page.goto(explorer.page.url.split("#")[0] + "#" + explorer.query() + "&view=map")
    explorer.page.reload()
    explorer.page.wait_for_function("() => globalThis.plica?.views.current?.isDone")
    explorer.page.wait_for_selector("#images .image")
    assert explorer.page.locator("#images .image").count() == 6 and explorer.page.locator("#tab-network").is_hidden()
    explorer.page.click("[data-view=plane]")
    explorer.settled()
    assert explorer.page.locator("#tab-network").is_visible()


@pytest.mark.parametrize("view", ["attention", "complex", "plane"])
def test_arrow_keys_go_only_to_tabs_that_are_seen(explorer, view):
    shown(explorer, VIEWS[view])
    explorer.page.locator("#tabs [aria-selected=true]").focus()
    for _ in range(10):
        explorer.page.keyboard.press("ArrowRight")
        assert explorer.page.evaluate("document.activeElement.matches('[role=tab][aria-selected=true]')")
        assert explorer.page.evaluate("document.activeElement.getClientRects().length") == 1
        assert explorer.page.locator("[role=tabpanel]:visible").count() == 1


@pytest.mark.parametrize("view", ["surface", "fold", "trajectory"])
def test_where_no_region_can_be_pointed_at_none_is_asked_for(explorer, view):
    shown(explorer, VIEWS[view])
    assert explorer.page.locator("#card").is_hidden() and explorer.page.locator("#sparklines").is_visible()


@pytest.mark.parametrize("view", ["robust", "weights"])
def test_a_sheet_of_a_network_takes_the_room_there_is(explorer, view):
    shown(at_size(explorer, DESK), VIEWS[view])
    picture, buttons = (explorer.page.locator(part).bounding_box() for part in ("#other", ".transport"))
    assert buttons["y"] - picture["y"] - picture["height"] < 20


@pytest.mark.parametrize(
    ("size", "widths"), [(DESK, "2-2-2-2-2"), (SMALL, "16-16-16"), (PHONE, "8-8"), (WALL, "16-16")], ids=lambda v: str(v[0])
)
def test_plus_and_minus_stand_over_layers_as_long_as_there_is_room(explorer, size, widths):
    shown(at_size(explorer, size), f"data=moons&widths={widths}")
    layers = widths.count("-") + 1
    assert explorer.page.locator("#diagram .head button").count() == 2 * (layers + 1)
    found = boxes(explorer, "#diagram .head")
    assert not any(overlap(a, b) for a, b in combinations(found, 2))
    assert all(box["x"] >= 0 and box["x"] + box["w"] <= size[0] for box in found)


def test_signs_in_the_legend_of_classes_and_no_numbers(explorer):
    explorer.open("v=1&data=circles&widths=8&step=20&color=class")
    assert [explorer.text("#legend-low"), explorer.text("#legend-high")] == ["negative", "positive"]


@pytest.mark.parametrize("view", ["descent", "meanfield", "noise", "weights"])
def test_on_a_phone_controls_of_a_view_do_not_lie_on_each_other(explorer, view):
    shown(at_size(explorer, PHONE), VIEWS[view])
    found = explorer.page.evaluate(
        """[...document.querySelectorAll('#view-controls :is(input, select, button)')].filter((e) => e.getClientRects().length)
             .map((e) => { const b = e.getBoundingClientRect(); return { x: b.x, y: b.y, w: b.width, h: b.height }; })"""
    )
    assert len(found) > 1 and not any(overlap(a, b) for a, b in combinations(found, 2))


@pytest.mark.parametrize("size", [DESK, SMALL, WALL], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("view", ["meanfield", "attention", "approximation"])
def test_what_is_chosen_for_a_view_is_read_to_its_last_letter(explorer, view, size):
    shown(at_size(explorer, size), VIEWS[view] + ("&present=1" if size == WALL else ""))
    cut = explorer.page.evaluate(
        """() => [...document.querySelectorAll('#view-fields .field:not([hidden]) select')].filter((e) => {
             const style = getComputedStyle(e), pen = document.createElement('canvas').getContext('2d');
             pen.font = style.font;
             const needed = pen.measureText(e.selectedOptions[0].textContent).width + 2 * parseFloat(style.paddingLeft);
             return needed + 14 > e.clientWidth; }).map((e) => e.id)"""
    )
    assert cut == []


def test_readings_are_read_from_the_back_of_a_hall_where_they_are_few(explorer):
    shown(at_size(explorer, WALL), VIEWS["approximation"] + "&present=1")
    assert explorer.page.evaluate("parseFloat(getComputedStyle(document.querySelector('#view-readings td')).fontSize)") >= 20


def test_only_estimates_have_standard_errors(explorer):
    shown(explorer, VIEWS["robust"])
    assert "±" not in explorer.text("#view-readings")
    shown(explorer, VIEWS["meanfield"])
    assert explorer.page.locator("#view-readings abbr[title='standard error']").is_visible()
    assert "here ± s.e." in explorer.text("#view-readings") and " ±" in explorer.text("#view-readings")


@pytest.mark.parametrize("painter", ["webgl", "canvas"])
def test_a_graph_is_drawn_on_paper(explorer, painter):
    explorer.page.add_init_script(f"sessionStorage.setItem('plica-painter', '{painter}')")
    shown(explorer, "data=sine&widths=4&points=0&folds=0")
    same = explorer.page.evaluate(
        """async () => {
             const { paper, rgb } = await import('/static/colors.js');
             plica.plane.draw();
             const from = plica.plane.canvases[0], to = Object.assign(document.createElement('canvas'), from);
             [to.width, to.height] = [from.width, from.height];
             const pen = to.getContext('2d');
             pen.drawImage(from, 0, 0);
             const seen = [...pen.getImageData(20, 20, 1, 1).data].slice(0, 3);
             return [seen, rgb(paper()).map((c) => Math.round(255 * c))]; }"""
    )
    assert same[0] == same[1]


def test_the_goal_of_a_construction_is_seen_under_what_is_built(explorer):
    """Of size three they are a pixel apart: the goal is wider."""
    explorer.page.add_init_script(
        """() => 0; globalThis.wide = {};
           const { stroke } = CanvasRenderingContext2D.prototype;
           CanvasRenderingContext2D.prototype.stroke = function () {
             globalThis.wide[this.lineWidth] = this.globalAlpha; stroke.call(this); };"""
    )
    shown(explorer, VIEWS["approximation"])
    assert explorer.page.evaluate("wide[7]") == pytest.approx(0.3)


def test_sentences_belong_to_views(explorer):
    shown(at_size(explorer, DESK), VIEWS["map"])
    assert "color of the class" in explorer.text("#lead")
    shown(explorer, VIEWS["weights"])
    assert explorer.page.locator("#lead").is_hidden()
