"""The page of a lecture's scenes, from disk, without a server and without a network."""

import shutil

import pytest
from patience import patient

pytestmark = pytest.mark.browser

CLAIMS = ["zaslavsky-1975", "bent-hyperplanes", "sawtooth-unit-interval", "softmax-entropy"]


@pytest.fixture(scope="module")
def alone(driver):
    """A browser without a server."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    found = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
    yield found
    found.close()


@pytest.fixture
def page(alone, tmp_path):
    from plica.web import scenes_page

    path = tmp_path / "scenes.html"
    path.write_text(scenes_page("Four scenes", CLAIMS), encoding="utf-8")
    context = alone.new_context(viewport={"width": 1440, "height": 900}, offline=True)
    opened = context.new_page()
    opened.set_default_timeout(1000 * patient(30))
    errors, asked = [], []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    opened.on("request", lambda request: asked.append(request.url) if not request.url.startswith(("file:", "data:")) else None)
    opened.goto(path.as_uri())
    opened.wait_for_selector("html[data-ready]")
    yield opened
    context.close()
    assert not errors and not asked


def at(page, words):
    page.wait_for_function("words => document.documentElement.dataset.ready === words", arg=words)


def test_a_remote_goes_from_scene_to_scene_and_numbers_follow_the_slider(page):
    at(page, "zaslavsky-1975 8")
    assert "predicted 37, here 37" in page.inner_text("#scene-numbers") and page.inner_text("#count") == "37"
    page.focus("#value")
    page.keyboard.press("ArrowRight")
    at(page, "zaslavsky-1975 10")
    assert "predicted 56, here 56" in page.inner_text("#scene-numbers")
    page.keyboard.press("PageDown")
    page.wait_for_function("() => document.documentElement.dataset.ready.startsWith('bent-hyperplanes')")
    assert page.url.endswith("#bent-hyperplanes")
    page.keyboard.press("PageUp")
    at(page, "zaslavsky-1975 8")
    page.select_option("#go", "3")
    page.wait_for_function("() => document.documentElement.dataset.ready.startsWith('softmax-entropy')")
    assert page.locator("#other").is_visible() and page.locator("#view-readings tr").count() > 1
    assert "predicted" in page.inner_text("#scene-numbers")


def test_depth_and_views_follow_from_the_picture(page):
    page.click("#next")
    page.wait_for_function("() => document.documentElement.dataset.ready.startsWith('bent-hyperplanes')")
    page.evaluate("() => { const d = document.getElementById('depth'); d.value = 1; d.dispatchEvent(new Event('input')); }")
    one = int(page.inner_text("#count"))
    page.evaluate("() => { const d = document.getElementById('depth'); d.value = d.max; d.dispatchEvent(new Event('input')); }")
    assert one < int(page.inner_text("#count")) and "all layers" in page.inner_text("#depth-shown")
    for view in ("surface", "fold", "trajectory"):
        page.click(f"[data-view={view}]")
        page.wait_for_selector("#other:not([hidden])")
        assert len(page.inner_text("#other-words")) > 20 and "Draw" not in page.inner_text("#other-words")
    page.click("[data-view=plane]")
    assert page.locator("#plane").is_visible()
    page.click("#play")
    before = page.evaluate("document.documentElement.dataset.ready")
    page.wait_for_function("before => document.documentElement.dataset.ready !== before", arg=before)
    page.click("#play")
    box = page.locator("#plane").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector("#tip:not([hidden])")


def test_it_fits_a_phone(page):
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (1440, 900), (390, 844)])
def test_readings_are_whole_and_nothing_asks_for_what_does_not_answer(page, width, height):
    page.set_viewport_size({"width": width, "height": height})
    page.select_option("#go", "3")
    page.wait_for_function("() => document.documentElement.dataset.ready.startsWith('softmax-entropy')")
    assert page.evaluate("(b => b.scrollWidth - b.clientWidth)(document.querySelector('.bench'))") <= 0
    assert "Drag" not in page.inner_text(".bench")
