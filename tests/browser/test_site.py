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
    wide = []
    for path in sorted(site.rglob("*.html")):
        page.goto(path.as_uri())
        if page.evaluate("document.documentElement.scrollWidth") > 360:
            wide.append(path.name)
    assert wide == []


def test_names_break_between_their_words_only(page, site):
    page.set_viewport_size({"width": 390, "height": 844})
    broken = """() => [...document.querySelectorAll('.names td:first-child code')].flatMap((name) => [...name.childNodes])
        .filter((text) => { const range = document.createRange(); range.selectNodeContents(text);
          return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1; })
        .map((text) => text.textContent)"""
    for path in sorted((site / "api").glob("plica*.html")):
        page.goto(path.as_uri())
        assert page.evaluate(broken) == [], path.name


WHAT_STRANGERS_TYPE = {
    "relu regions": "linear regions",
    "lipschitz": "lipschitz",
    "onnx": "load a model",
    "budget": "budget",
    "out of memory": "stay within memory and time",
    "attention entropy": "entropy",
    "lottery ticket": "a lottery ticket",
    "robust radius": "plica radius",
    "vgg": "vgg-19",
    "install": "install plica",
    "gpu": "install plica",
    "plica report": "plica report",
    "keras": "keras",
    "pytorch": "load a model from torch",
    "decision boundary": "plica boundary",
    "count regions": "count_regions",
    "linear regions": "linear regions and their bounds",
    "loss landscape": "landscape",
    "intrinsic dimension": "intrinsic dimension",
    "jacobian": "jacobian",
    "pruning": "plica prune",
    "what is a fold": "what the words mean",
    "what is the meaning of exact": "what the words mean",
    "notebook": "plica.notebook",
    "telgarsky 2016": "telgarsky",
    "zaslavsky": "zaslavsky",
    "how fast is it": "speed: what",
    "speed": "speed: what",
    "jupyter": "plica.notebook",
    "montufar": "montúfar",
    "hastad": "håstad",
    "license": "install plica",
}


def test_what_strangers_type_leads_first_to_what_they_mean(page, site):
    page.goto((site / "search.html").as_uri())
    wrong = {}
    for words, title in WHAT_STRANGERS_TYPE.items():
        page.fill("#words", words)
        first = page.locator("#results a").first.inner_text() if page.locator("#results a").count() else "nothing"
        if title not in first.lower():
            wrong[words] = first
    assert wrong == {}
    for words in ("prune", "pruning"):
        page.fill("#words", words)
        assert page.locator("#results a").first.inner_text() == "plica prune"


def test_claims_are_filtered_by_words_verdicts_and_scenes(page, site):
    page.goto((site / "claims/index.html").as_uri())
    total = page.locator(".board li:visible").count()
    page.select_option("select[name=verdict]", "refuted")
    refuted = page.locator(".board li:visible").count()
    assert 0 < refuted < total and page.locator(".board li:visible b", has_text="refuted").count() == refuted
    assert page.locator(".filter output").inner_text() == f"{refuted} of {total} claims"
    page.fill("input[name=words]", "zaslavsky general position")
    page.click("button[type=reset]")
    page.wait_for_function("n => document.querySelectorAll('.board li:not([hidden])').length === n", arg=total)
    page.select_option("select[name=scene]", "yes")
    with_scene = page.locator(".board li:visible").count()
    assert 0 < with_scene < total and page.locator(".board li:visible .id", has_text="· scene").count() == with_scene
    page.select_option("select[name=scene]", "")
    page.fill("input[name=words]", "no such claim")
    assert page.locator(".nothing").is_visible() and page.locator(".board section:visible").count() == 0
    page.fill("input[name=words]", "montufar")
    assert page.locator(".board li:visible", has_text="Montúfar").count() >= 3


def test_a_filter_is_kept_where_one_goes_back_and_in_the_address(page, site):
    page.goto((site / "claims/index.html").as_uri())
    page.fill("input[name=words]", "zaslavsky")
    page.select_option("select[name=verdict]", "holds")
    said = page.locator(".filter output").inner_text()
    page.locator(".board li:visible a").first.click()
    page.wait_for_url("**/claims/*.html#*")
    page.go_back()
    page.wait_for_function("said => document.querySelector('.filter output').textContent === said", arg=said)
    assert page.input_value("input[name=words]") == "zaslavsky" and page.input_value("select[name=verdict]") == "holds"
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_function("said => document.querySelector('.filter output').textContent === said", arg=said)
    assert page.locator(".board li:visible").count() == int(said.split()[0]) < 50
    page.click("button[type=reset]")
    page.wait_for_function("() => !location.search")


COVERED = """() => [...document.querySelectorAll('.code')].flatMap((frame) => {
  const button = frame.querySelector('.copy').getBoundingClientRect(), pre = frame.querySelector('pre');
  const box = pre.getBoundingClientRect(), texts = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT), found = [];
  while (texts.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    for (const b of range.getClientRects())
      if (texts.currentNode.data.trim() && Math.min(b.right, box.right) > button.left && b.left < button.right
          && b.bottom > button.top && b.top < button.bottom) found.push(texts.currentNode.data);
  }
  return found; })"""


@pytest.mark.parametrize("width", [360, 1024, 1440])
def test_no_button_covers_the_code_that_it_copies(page, site, width):
    page.set_viewport_size({"width": width, "height": 800})
    for name in ("tutorials/for-practitioners.html", "gallery/linear-regions.html", "api/plica.geometry.html", "index.html"):
        page.goto((site / name).as_uri())
        assert page.locator(".code .copy").count() > 1
        assert page.evaluate(COVERED) == [], name


def test_code_is_copied_without_the_prompts_of_examples(page, site):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto((site / "api/plica.geometry.html").as_uri())
    example = page.locator("#decompose .code").first
    shown = example.locator("pre").inner_text()
    assert shown.startswith(">>> ")
    example.get_by_role("button", name="Copy").click()
    example.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    lines = [line[4:] for line in shown.splitlines() if line.startswith((">>>", "..."))]
    assert copied.splitlines() == lines and len(lines) >= 2


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
    page.fill("#words", "zaslavsky xylophone")
    assert "with 1 of the 2 words" in page.locator("#found").inner_text()
    page.fill("#words", "xylophone qwertz")
    assert page.locator("#results li").count() == 0 and page.locator("#found").inner_text() == "0 entries"


def test_a_percent_sign_in_the_address_of_a_search_is_a_percent_sign(page, site):
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((site / "search.html").as_uri() + "#100%")
    assert page.input_value("#words") == "100%" and page.locator("#results li").count() > 0 and errors == []


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
