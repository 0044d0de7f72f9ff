"""Every scene on four screens: its number, its prediction and its controls are in the window, and nothing is scrolled."""

import pytest
from patience import patient

from plica.web._lessons import LESSONS, scene_link

pytestmark = pytest.mark.browser

SCREENS = {"desk": (1440, 900), "small": (1024, 768), "wall": (1920, 1080), "phone": (390, 844)}
CLAIMS = list(LESSONS)
PARTS = [CLAIMS[k : k + 9] for k in range(0, len(CLAIMS), 9)]
SETTLED = """claim => plica.scenes.shown === claim && !document.querySelector('[aria-busy]') && !plica.plane.settling
    && !plica.plane.frame && !plica.views.frame && !plica.diagram.isDue
    && (!plica.lab.view || (plica.lab.facts && plica.lab.asked === plica.lab.wanted()))"""
HIDDEN = """() => {
  const isFixed = (e) => getComputedStyle(e).position === 'fixed';
  const cut = (e) => {
    const box = e.getBoundingClientRect();
    let most = Math.max(-box.top, box.bottom - innerHeight, -box.left, box.right - innerWidth);
    for (let around = e; around !== document.body && !isFixed(around); around = around.parentElement) {
      const { top, bottom, left, right } = around.parentElement.getBoundingClientRect();
      if (getComputedStyle(around.parentElement).overflow !== 'visible')
        most = Math.max(most, top - box.top, box.bottom - bottom, left - box.left, box.right - right);
    }
    return most;
  };
  const wanted = ['#count', '#scene-title', '#scene-text', '#scene-formula:not(:empty)', '#scene-numbers:not([hidden])',
                  '#scene-controls .field'];
  const found = wanted.flatMap((name) => [...document.querySelectorAll(name)].map((e) => [e.dataset.field ?? name, e]));
  return found.filter(([name, e]) => !e.getClientRects().length || !e.textContent.trim() || cut(e) > 1).map(([name]) => name);
}"""
COVERED = """() => [...document.querySelectorAll('#scene-controls :is(input, select)')].filter((e) => {
  const box = e.getBoundingClientRect(), hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return hit !== e;
}).map((e) => e.id)"""
LAID_OUT = "() => (({ size, place }) => size.height === place.clientHeight && size.width === place.clientWidth)(plica.diagram)"
SCROLLED = """() => ['#scene', '#panel-view', '#panel-network', '#past', '.bench', '.stage', 'html'].flatMap((name) => {
  const e = document.querySelector(name);
  const over = e.getClientRects().length ? [e.scrollWidth - e.clientWidth, e.scrollHeight - e.clientHeight] : [0, 0];
  return Math.max(...over) > 1 ? [`${name} by ${over}`] : [];
})"""


@pytest.mark.parametrize("claims", PARTS, ids=lambda claims: claims[0])
def test_what_a_scene_is_about_is_in_the_window(explorer, claims):
    page = explorer.page
    explorer.open("v=1&widths=4")
    page.evaluate("plica.scenes.load()")
    faults = {}
    for claim in claims:
        page.set_viewport_size({"width": 1440, "height": 900})
        page.evaluate("link => plica.scenes.open(link)", scene_link(claim))
        page.wait_for_function(SETTLED, arg=claim, timeout=1000 * patient(30))
        if page.locator("#next").is_visible():  # then there are curves over training, which are higher than numbers
            page.click("#next")
            page.wait_for_function("() => document.querySelector('#sparklines svg')")
        for screen, (width, height) in SCREENS.items():
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate("on => plica.change({ present: on })", "1" if screen == "wall" else "0")
            page.wait_for_function(SETTLED, arg=claim, timeout=1000 * patient(30))
            page.wait_for_function(LAID_OUT)
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            found = page.evaluate(HIDDEN)
            if screen == "phone":  # there three controls are side by side, and a finger finds a fourth
                found = [name for name in found if name not in LESSONS[claim].controls[3:]]
            else:
                found += page.evaluate(COVERED) + page.evaluate(SCROLLED)
            fields = page.evaluate("[...document.querySelectorAll('#scene-controls .field')].map((e) => e.dataset.field)")
            if fields != list(LESSONS[claim].controls):
                found.append(f"controls {fields}")
            if found:
                faults[claim, screen] = found
    assert not faults, faults


def test_the_other_controls_of_a_scene_are_in_the_tabs(explorer):
    """The row of controls goes into the tabs that they belong to; without a scene it is back, as it was."""
    row = "[...document.querySelectorAll('.controls [data-field]')].map((e) => e.dataset.field)"
    page = explorer.open("v=1&widths=4").page
    before = page.evaluate(row)
    page.evaluate("link => plica.scenes.open(link)", scene_link("zaslavsky-1975"))
    page.wait_for_function(SETTLED, arg="zaslavsky-1975")
    assert page.evaluate(row) == []
    for tab, names in (("data", ["data"]), ("training", ["rate"]), ("picture", ["color", "folds"])):
        explorer.tab(tab)
        assert all(page.locator(f"#panel-{tab} #in-{name}").is_visible() for name in names)
    explorer.choose("data", "circles")
    page.click("#scene-end")
    page.wait_for_function("() => !document.body.classList.contains('staged')")
    assert page.evaluate(row) == before and explorer.settled().state("data") == "circles"


def test_a_scene_of_a_view_folds_its_other_controls(explorer):
    page = explorer.open(scene_link("softmax-entropy")).page
    page.wait_for_function(SETTLED, arg="softmax-entropy")
    assert page.locator("#view-readings").is_visible() and page.locator("#in-mask").is_hidden()
    page.locator("#view-more summary").focus()
    page.keyboard.press("Enter")
    assert page.locator("#in-mask").is_visible() and page.locator("#view-sentence").is_visible()
    page.click("#scene-end")
    page.wait_for_function("() => !document.body.classList.contains('staged')")
    assert page.locator("#in-tokens").is_visible() and page.locator("#view-more summary").is_hidden()


def test_nothing_moves_where_a_region_is_pointed_at(explorer):
    page = explorer.open(scene_link("zaslavsky-1975")).page
    sizes = "['#diagram', '.readings', '#plane'].map((e) => JSON.stringify(document.querySelector(e).getBoundingClientRect()))"
    for claim in ("zaslavsky-1975", "hanin-rolnick-2019-line"):
        for screen in ("desk", "small"):
            page.set_viewport_size(dict(zip(("width", "height"), SCREENS[screen], strict=True)))
            page.evaluate("link => plica.scenes.open(link)", scene_link(claim))
            page.wait_for_function(SETTLED, arg=claim)
            page.mouse.move(5, 5)
            page.wait_for_selector("#card-empty", state="attached")
            before = page.evaluate(sizes)
            box = page.locator("#plane").bounding_box()
            page.mouse.move(box["x"] + 0.45 * box["width"], box["y"] + 0.4 * box["height"])
            page.wait_for_selector("#card-facts:not([hidden])")
            assert page.evaluate(sizes) == before and page.locator("#card-facts").is_visible()
