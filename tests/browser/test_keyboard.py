"""The page by keyboard alone: from its top through everything, with a focus that is seen, into every view and out of it."""

import pytest

from plica.web._lessons import scene_link
from plica.web._state import schema

pytestmark = pytest.mark.browser

SMALL = "v=1&widths=5-4&data=circles&step=40&draws=4&teeth=3&deep=4&wide=60"
VIEWS = schema()["fields"]["view"]["options"]
TABS = ("data", "training", "picture", "claims", "yours", "away", "words")
EXPECTED = """() => [...document.querySelectorAll('button, input, select, textarea, summary, a[href], [tabindex]')]
  .filter((e) => e.tabIndex >= 0 && !e.disabled && e.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }))
  .map((e) => {
    e.dataset.walk ||= String(globalThis.walked = (globalThis.walked ?? 0) + 1);
    return [e.dataset.walk, e.outerHTML.slice(0, 90)];
  })"""
HERE = """() => {
  const e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e);
  const isSeen = e.matches(':focus-visible') && style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
  const isIn = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  return { walk: e.dataset.walk ?? '', name: e.outerHTML.slice(0, 90), end: e === document.body, isSeen, isIn };
}"""


def walk(explorer):
    """Every stop of Tab from the top of the page to its end."""
    page = explorer.page
    expected = dict(page.evaluate(EXPECTED))
    page.evaluate("() => { document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex'); }")
    stops = []
    for _ in range(len(expected) + 60):  # a page that holds the focus does not end
        page.keyboard.press("Tab")
        here = page.evaluate(HERE)
        if here["end"] or (stops and here["walk"] == stops[0]["walk"]):
            return expected, stops
        stops.append(here)
    raise AssertionError(f"the focus is held at {stops[-3:]}")


def check(explorer):
    expected, stops = walk(explorer)
    reached = [stop["walk"] for stop in stops]
    assert {name for walk, name in expected.items() if walk not in reached} == set()
    assert [stop["name"] for stop in stops if not stop["isSeen"]] == [], "the focus is seen"
    assert [stop["name"] for stop in stops if not stop["isIn"]] == [], "what has the focus is in the window"
    known = [walk for walk in reached if walk]  # the others are links in the help of what has the focus
    assert len(known) == len(set(known)), "and nothing has it twice"
    return stops


def opened(explorer, link):
    explorer.open(link)
    explorer.page.wait_for_function("() => !document.querySelector('[aria-busy]') && (!plica.lab.view || plica.lab.facts)")
    return explorer


@pytest.mark.parametrize("view", VIEWS)
def test_tab_goes_through_everything_in_a_view(explorer, view):
    stops = check(opened(explorer, f"{SMALL}&view={view}"))
    assert any('id="plane"' in stop["name"] or 'id="other"' in stop["name"] for stop in stops)


@pytest.mark.parametrize("link", [scene_link("zaslavsky-1975"), scene_link("softmax-entropy"), "v=1&widths=4&present=1"])
def test_tab_goes_through_everything_in_a_scene_and_in_a_presentation(explorer, link):
    opened(explorer, link)
    if "scene" in link:
        explorer.page.wait_for_function("() => plica.scenes.shown")
    check(explorer)


def test_tab_goes_through_everything_in_every_tab(explorer):
    opened(explorer, "v=1&widths=4")
    for name in TABS:
        explorer.page.focus("#tabs [aria-selected=true]")
        while explorer.page.evaluate("document.activeElement.id") != f"tab-{name}":
            explorer.page.keyboard.press("ArrowRight")
        if name == "claims":
            explorer.page.wait_for_selector("#claims .claim")
            explorer.page.fill("#claim-search", "trajectory")
            explorer.page.wait_for_function("() => document.querySelectorAll('#claims .claim').length < 40")
        check(explorer)


def test_tab_leaves_the_plane_after_the_neighbors_of_a_region(explorer):
    opened(explorer, "v=1&widths=5")
    page = explorer.page
    page.keyboard.press("f")
    page.keyboard.press("ArrowRight")
    first = page.evaluate("plica.plane.hovered")
    around = page.evaluate("plica.plane.mesh.neighbors(plica.plane.hovered).length")
    page.keyboard.press("ArrowRight")
    assert first >= 0 and page.evaluate("plica.plane.hovered") != first
    around = page.evaluate("plica.plane.mesh.neighbors(plica.plane.hovered).length")
    for _ in range(around):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "plane"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") != "plane"


@pytest.mark.parametrize("view", VIEWS)
def test_a_key_leads_into_every_view_and_to_tabs_that_are_seen(explorer, view):
    opened(explorer, f"{SMALL}&view={view}")
    page = explorer.page
    page.keyboard.press("f")
    assert page.evaluate("document.activeElement.id") == ("plane" if view == "plane" else "other")
    for key in ("m", "Escape"):
        page.keyboard.press(key)
        assert page.locator("#tabs [aria-selected=true]").is_visible() and page.locator("[role=tabpanel]:visible").count() == 1, (
            key
        )
