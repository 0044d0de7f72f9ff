"""The path through the layers, a segment or a circle, and the stages of folding: dragged, walked, played."""

import numpy as np
import pytest

pytestmark = pytest.mark.browser

SEGMENT = "v=1&widths=8-8&segment=-0.5,-0.5,0.5,0.5&window=-1,1,-1,1"


def ends(explorer):
    return [float(x) for x in explorer.state("segment").split(",")]


def at(explorer, x, y):
    """Where a point of the window from -1 to 1 is on the screen."""
    box = explorer.page.locator("#plane").bounding_box()
    return box["x"] + (x + 1) / 2 * box["width"], box["y"] + (1 - y) / 2 * box["height"]


def drag(explorer, start, stop):
    mouse = explorer.page.mouse
    mouse.move(*start)
    mouse.down()
    for part in (0.3, 0.6, 1):
        mouse.move(*(a + part * (b - a) for a, b in zip(start, stop, strict=True)))
    mouse.up()
    return explorer.settled()


@pytest.mark.parametrize("end", [0, 1])
def test_an_end_of_the_segment_is_dragged_and_one_undo_brings_it_back(explorer, end):
    explorer.open(SEGMENT)
    before, length = ends(explorer), explorer.facts()["lengths"]["output"]
    corner = (-0.5, -0.5) if end == 0 else (0.5, 0.5)
    drag(explorer, at(explorer, *corner), at(explorer, 0.3, -0.7))
    after = ends(explorer)
    assert after[2 * end : 2 * end + 2] == pytest.approx([0.3, -0.7], abs=0.01)
    assert after[2 - 2 * end : 4 - 2 * end] == before[2 - 2 * end : 4 - 2 * end]
    assert explorer.facts()["lengths"]["output"] != length and explorer.state("window") == "-1,1,-1,1"
    explorer.page.click("#undo")
    explorer.page.wait_for_function("() => plica.state.get('segment') === '-0.5,-0.5,0.5,0.5'")


def test_elsewhere_the_plane_is_dragged(explorer):
    explorer.open(SEGMENT)
    drag(explorer, at(explorer, 0.5, -0.5), at(explorer, 0.3, -0.5))
    explorer.page.wait_for_function("() => plica.state.get('window') !== '-1,1,-1,1'")
    assert ends(explorer) == [-0.5, -0.5, 0.5, 0.5]


def test_the_circle_is_measured_by_its_polygon(explorer):
    from plica.web._scene import SIDES

    explorer.open("v=1&widths=8-8&segment=-0.5,0,0.5,0&path=circle&view=trajectory")
    lengths = explorer.facts()["lengths"]
    assert lengths["kind"] == "exact" and lengths["path"] == "circle"
    assert lengths["input"] == pytest.approx(2 * SIDES * 0.5 * np.sin(np.pi / SIDES), rel=1e-12)
    assert explorer.text("#path-title") == f"Circle of {SIDES} sides"
    drawn = explorer.page.evaluate("[...plica.views.current.panels[1].points]")
    assert drawn[:2] == pytest.approx(drawn[-2:], abs=1e-9)  # its image is closed too
    box = explorer.page.locator("#other").bounding_box()
    place = explorer.page.evaluate(
        "(({ at, size, points }) => [at.x + size * points.at(-2), at.y - size * points.at(-1)])(plica.views.current.panels[0])"
    )
    drag(explorer, (box["x"] + place[0], box["y"] + place[1]), (box["x"] + place[0] - 30, box["y"] + place[1] - 30))
    assert ends(explorer)[:2] == [-0.5, 0] and ends(explorer)[2] < 0.5 and ends(explorer)[3] > 0


def test_arrow_keys_move_the_bright_end_and_enter_makes_a_circle(explorer):
    explorer.open("v=1&widths=6&view=trajectory")
    explorer.page.locator("#other").focus()
    explorer.page.keyboard.press("ArrowLeft")
    explorer.settled()
    a, b, c, d = explorer.facts()["window"]
    assert ends(explorer) == pytest.approx([a, c, b - (b - a) / 40, d], rel=1e-3)
    explorer.page.keyboard.press("Enter")
    explorer.page.wait_for_function("() => plica.state.get('path') === 'circle'")
    assert explorer.settled().facts()["lengths"]["path"] == "circle"
    explorer.page.keyboard.press("Enter")
    explorer.page.wait_for_function("() => plica.state.get('path') === 'segment'")


def test_the_length_of_another_path_begins_another_curve(explorer):
    explorer.open("v=1&widths=6&segment=-1,0,1,0")
    for _ in range(2):
        explorer.page.click("#next")
        explorer.settled()
    kept = "plica.training.past.filter((p) => p.length !== null).length"
    assert explorer.page.evaluate(kept) == 3
    explorer.choose("path", "circle")
    assert explorer.page.evaluate(kept) == 1


def test_folding_has_a_slider_and_a_button(explorer):
    explorer.open("v=1&widths=4-4&view=fold")
    page = explorer.page
    page.wait_for_function("() => plica.views.current.at === 4")
    assert page.locator(".stops output").inner_text() == "layer 1, folded"
    slider = page.locator(".stops input")
    assert slider.get_attribute("aria-valuetext") == "layer 1, folded"
    slider.evaluate("(e) => { e.value = 1.5; e.dispatchEvent(new Event('input')); }")
    page.wait_for_function("() => plica.views.current.at === 1.5 && !plica.views.frame")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => document.querySelector('.stops output').textContent === 'layer 0, before it folds'")
    page.click(".stops button")
    page.wait_for_function("() => plica.views.current.at > 0 && plica.views.current.at < 1")  # it begins anew, and moves
    page.wait_for_function("() => plica.views.current.at === 4")
    page.click("[data-view=plane]")
    explorer.settled()
    assert page.locator(".stops").is_hidden()


def test_a_circle_belongs_to_scenes_about_circles(explorer):
    from plica.web._lessons import scene_link

    for claim in ("survey-2016-figure-2", "price-2019-figure-1"):
        explorer.open(scene_link(claim))
        assert explorer.facts()["lengths"]["path"] == "circle"
