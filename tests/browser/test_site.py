"""The documentation's pages in real Chromium, from disk: no errors, nothing requested, scenes open in the explorer."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))

pytestmark = pytest.mark.browser


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    from plica_docs.site import Site

    out = tmp_path_factory.mktemp("site")
    Site(out, run=False).build()
    return out


@pytest.fixture
def page(chromium):
    context = chromium.new_context(viewport={"width": 1200, "height": 900})
    yield context.new_page()
    context.close()


def test_pages_work_from_disk_and_ask_for_nothing(page, site):
    errors, requests = [], []
    page.on("console", lambda line: errors.append(line.text) if line.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    pages = sorted(site.rglob("*.html"))
    for path in pages:
        page.goto(path.as_uri())
        assert page.locator("h1").count() == 1
    assert not errors
    assert requests == [path.as_uri() for path in pages]


def test_a_narrow_window_needs_no_sideways_scrolling(page, site):
    page.set_viewport_size({"width": 360, "height": 740})
    for name in ("index.html", "lecturers.html", "claims/regions.html", "api/plica.measure.html", "gallery/linear-regions.html"):
        page.goto((site / name).as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, name


def test_words_are_found_without_a_server_and_lead_to_their_place(page, site):
    page.goto((site / "index.html").as_uri())
    page.keyboard.press("/")
    page.wait_for_url("**/search.html")
    page.fill("#words", "zaslavsky general position")
    claims = page.locator("#results li", has=page.locator(".kind", has_text="claim"))
    claims.first.locator("a").click()
    page.wait_for_url("**/claims/*.html#*")
    page.go_back()
    assert page.input_value("#words") == "zaslavsky general position" and page.locator("#results li").count() > 0
    page.fill("#words", "no such words anywhere")
    assert page.locator("#results li").count() == 0 and page.locator("#found").inner_text() == "0 entries"


def test_a_link_opens_its_scene_in_the_explorer_after_a_page_that_asks(page, site, served):
    page.goto(served.url)  # once: the explorer keeps its token as a cookie
    page.goto((site / "lecturers.html").as_uri())
    page.fill("#address", served.url)
    assert "127.0.0.1" in page.locator("#said").inner_text()
    page.get_by_role("link", name="Open in the explorer: Lines through one point").first.click()
    page.get_by_role("button", name="Open it").click()
    page.wait_for_function(
        "() => globalThis.plica && document.documentElement.dataset.ready && !document.querySelector('#plane[aria-busy]')"
    )
    assert "present=1" in page.evaluate("plica.state.query()")
    assert page.locator("#count").inner_text() == "16"  # eight lines through one point


def test_the_page_of_a_claim_leads_to_its_scene(page, site, served):
    page.goto(served.url)
    page.goto((site / "claims/regions.html").as_uri())
    link = page.locator("#zaslavsky-1975 a.explore")
    assert link.get_attribute("href").startswith("http://127.0.0.1:8400/open#")
    page.evaluate(
        "([a, origin]) => { a.href = origin + '/open' + new URL(a.href).hash; }",
        [link.element_handle(), served.url.split("/?")[0]],
    )
    link.click()
    page.get_by_text("the scene of the claim zaslavsky-1975", exact=True).wait_for()  # said by the page's script
    page.get_by_role("button", name="Open it").click()
    page.wait_for_function(
        "() => globalThis.plica && document.documentElement.dataset.ready && !document.querySelector('#plane[aria-busy]')"
    )
    assert page.locator("#count").inner_text() == "37"


def test_text_that_is_no_address_changes_no_link(page, site):
    page.goto((site / "lecturers.html").as_uri())
    before = page.locator("a.explore").first.get_attribute("href")
    page.fill("#address", "javascript:alert(1)")
    assert page.locator("a.explore").first.get_attribute("href") == before
    assert page.locator("#said").inner_text() == "This is not an address yet."


def test_scenes_of_lectures_show_what_their_text_asks_for(explorer):
    from plica_docs.lectures import LECTURES

    scenes = {scene.title: scene for lecture in LECTURES for scene in lecture.scenes if scene.state}
    assert len(scenes) > 10
    for scene in scenes.values():
        explorer.open(scene.query)
        asked = {"press play": "#play", "depth slider": "#in-folds", "add a layer": "#in-widths", "optimizer": "#tab-training"}
        for words, part in asked.items():
            if words in scene.text.lower():
                explorer.page.wait_for_selector(part)
        if "length" in scene.text:
            assert "length" in explorer.text("#sparklines"), scene.title
        assert explorer.page.locator("#count").is_visible()
