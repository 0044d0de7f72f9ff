"""WCAG 2.2 AA by axe-core, in light and dark, with everything open; reduced motion; contrast of the palette."""

import os
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

VIEWS = {
    "first screen": "",
    "one dimension": "v=1&data=sine&widths=6",
    "patterns": "v=1&color=pattern",
    "presentation": "v=1&present=1",
    "segment and pin": "v=1&segment=-1,-1,1,1&pin=0.2,0.2",
    "surface": "v=1&view=surface&split=20",
    "folding": "v=1&view=fold",
    "trajectory": "v=1&view=trajectory&neuron=0.3",
    "features": "v=1&features=abs-x,square-y&widths=4&color=steps",
}
SHEETS = ("complex", "weights", "robust", "noise", "approximation", "descent", "meanfield", "attention")
TABS = ("data", "training", "picture", "yours", "away", "words")


def node_modules():
    """Where axe-core and typescript were installed, or None."""
    beside = Path(__file__).parent.parent.parent / ".venv" / "node_modules"
    for place in (os.environ.get("PLICA_NODE_MODULES"), beside, Path(sys.prefix) / "node_modules"):
        if place and Path(place).is_dir():
            return Path(place)
    return None


def violations(page):
    axe = node_modules() / "axe-core" / "axe.min.js"
    page.evaluate(axe.read_text(encoding="utf-8"))
    found = page.evaluate("""async () => (await axe.run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })).violations""")
    return [(v["id"], [n["target"] for n in v["nodes"]][:3], v["nodes"][0].get("failureSummary", "")[:200]) for v in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_no_violations(explorer, view, scheme):
    if node_modules() is None or not (node_modules() / "axe-core").is_dir():
        pytest.skip("axe-core is not installed; make test-all installs it")
    explorer.page.emulate_media(color_scheme=scheme)
    explorer.open(VIEWS[view])
    assert violations(explorer.page) == []
    if view != "presentation":
        explorer.tab("claims").page.wait_for_selector("#claims .claim")
        explorer.page.click("#claims .claim h3 button >> nth=0")
        assert violations(explorer.page) == []
        for name in TABS:
            explorer.tab(name)
            assert violations(explorer.page) == [], name
        explorer.page.keyboard.press("Escape")
    explorer.page.evaluate("document.getElementById('help').showModal()")
    assert violations(explorer.page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("view", SHEETS)
def test_axe_finds_no_violations_in_computed_views(explorer, view, theme):
    if node_modules() is None or not (node_modules() / "axe-core").is_dir():
        pytest.skip("axe-core is not installed; make test-all installs it")
    explorer.open(f"v=1&widths=4-4&data=circles&step=40&draws=4&teeth=3&deep=4&wide=60&view={view}&theme={theme}")
    explorer.page.wait_for_function("() => plica.lab.facts && !document.querySelector('#other[aria-busy]')")
    assert violations(explorer.page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_violations_in_a_refusal(explorer, theme):
    """A network that has not learned anything has one class in this window."""
    if node_modules() is None or not (node_modules() / "axe-core").is_dir():
        pytest.skip("axe-core is not installed; make test-all installs it")
    explorer.open(f"v=1&widths=4-4&view=robust&theme={theme}")
    explorer.page.wait_for_selector("#toast:not([hidden])")
    assert "one class" in explorer.text("#toast")
    assert violations(explorer.page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violations_in_exercises(chromium, served, scheme):
    if node_modules() is None or not (node_modules() / "axe-core").is_dir():
        pytest.skip("axe-core is not installed; make test-all installs it")
    context = chromium.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(f"{served.origin}/exercises?token={served.token}")
    page.wait_for_selector("html[data-ready]")
    assert violations(page) == []
    context.close()


def test_every_control_has_help_and_a_target_of_24_pixels(explorer):
    explorer.open()
    explorer.page.evaluate("for (const panel of document.querySelectorAll('[role=tabpanel]')) panel.hidden = false")
    small = explorer.page.evaluate("""() => [...document.querySelectorAll('button:not(.unit), select, input')]
        .filter((e) => e.offsetParent !== null && e.type !== 'range')
        .filter((e) => { const b = e.getBoundingClientRect(); return b.width < 24 || b.height < 24; })
        .map((e) => e.outerHTML.slice(0, 80))""")
    assert small == []
    unhelped = explorer.page.evaluate("""() => [...document.querySelectorAll('[data-field] input, [data-field] select')]
        .filter((e) => !document.getElementById(e.getAttribute('aria-describedby') ?? '')?.textContent.trim())
        .map((e) => e.id)""")
    assert unhelped == []


def test_reduced_motion_slows_the_pictures_and_animates_nothing(chromium, served):
    context = chromium.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.goto(served.url)
    page.wait_for_selector("html[data-ready]")
    assert page.evaluate("getComputedStyle(document.getElementById('done')).animationName") == "none"
    page.click("#play")
    page.wait_for_timeout(2500)
    steps = page.evaluate("plica.state.number('step')")
    assert 4 <= steps <= 7 * 4
    context.close()


def test_the_page_fits_a_narrow_window_without_scrolling_sideways(chromium, served):
    context = chromium.new_context(viewport={"width": 320, "height": 640})
    page = context.new_page()
    page.goto(served.url)
    page.wait_for_selector("html[data-ready]")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    context.close()


def test_the_system_chooses_light_or_dark(chromium, served):
    seen = []
    for scheme in ("light", "dark"):
        context = chromium.new_context(color_scheme=scheme)
        page = context.new_page()
        page.goto(served.url)
        page.wait_for_selector("html[data-ready]")
        seen.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        context.close()
    assert seen[0] != seen[1]


def test_scripts_are_type_checked():
    import subprocess

    if node_modules() is None or not (node_modules() / ".bin" / "tsc").exists():
        pytest.skip("typescript is not installed; make test-all installs it")
    done = subprocess.run(
        [str(node_modules() / ".bin" / "tsc"), "-p", str(Path(__file__).parent / "tsconfig.json")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
