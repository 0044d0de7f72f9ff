"""Pages that need no server, by axe-core in light and dark and by keyboard: the report, the demo, scenes offline, the site."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from patience import patient

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))

from test_accessibility import node_modules, violations

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        node_modules() is None or not (node_modules() / "axe-core").is_dir(),
        reason="axe-core is not installed; make test-all installs it",
    ),
]
SITE = (
    "index",
    "search",
    "lecturers",
    "sources",
    "claims/regions",
    "gallery/sawtooth",
    "api/plica.measure",
    "howto/prove-a-property",
)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The address of each page by its name."""
    from plica_docs.site import Site
    from typer.testing import CliRunner

    import plica
    from plica.cli import app
    from plica.report import Task, model_page, model_sections
    from plica.web import scenes_page

    folder = tmp_path_factory.mktemp("pages")
    demo = CliRunner().invoke(app, ["demo", "--epochs", "8", "--out", str(folder / "demo.html"), "--quiet"])
    assert demo.exit_code in (0, 3), demo.output
    rng = np.random.default_rng(0)
    net, points = plica.random_network([2, 8, 3], seed=1, bias_std=0.5), rng.normal(size=(60, 2))
    task = Task.of(net, points, rng.integers(0, 3, 60), max_seconds=patient(10), names=("a", "b", "c"), columns=("x", "y"))
    (folder / "report.html").write_text(model_page(model_sections(task), task, title="A report"), encoding="utf-8")
    scenes = scenes_page("Two scenes", ["zaslavsky-1975", "softmax-entropy"])
    (folder / "scenes.html").write_text(scenes, encoding="utf-8")
    Site(folder / "site", run=False).build()
    found = {name: folder / f"{name}.html" for name in ("report", "demo", "demo-report", "scenes")}
    return found | {name: folder / "site" / f"{name}.html" for name in SITE}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["report", "demo", "demo-report", "scenes", *SITE])
def test_axe_finds_no_violations(chromium, pages, name, scheme):
    context = chromium.new_context(viewport={"width": 1200, "height": 900}, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(pages[name].as_uri())
    page.wait_for_load_state()
    assert violations(page) == []
    context.close()


@pytest.mark.parametrize("width", [1200, 390])
def test_no_formula_of_a_claim_is_cut_below(chromium, pages, width):
    context = chromium.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    page.goto(pages["claims/regions"].as_uri())
    cut = page.evaluate(
        """() => [...document.querySelectorAll('.claim *')].filter((e) => getComputedStyle(e).overflowY === 'hidden')
             .filter((e) => e.scrollHeight > e.clientHeight).map((e) => e.textContent)"""
    )
    assert cut == []
    context.close()


def test_the_moments_of_the_demo_are_reached_by_keys(chromium, pages):
    context = chromium.new_context(viewport={"width": 1200, "height": 900})
    page = context.new_page()
    page.goto(pages["demo"].as_uri())
    button = page.get_by_role("button", name="epoch 0")
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-current") == "true"
    context.close()


def test_kinds_of_numbers_have_colors_of_their_own(chromium, pages):
    """Estimated is no shade of exact, in the report and in what is written of claims."""
    context = chromium.new_context(viewport={"width": 1200, "height": 900})
    page = context.new_page()
    for name in ("report", "demo-report"):
        page.goto(pages[name].as_uri())
        made = """() => ["exact", "certified", "estimated"].map((kind) => {
            const em = Object.assign(document.createElement("em"), { className: `kind ${kind}` });
            document.body.append(em);
            return getComputedStyle(em).color;
        })"""
        assert len(set(page.evaluate(made))) == 3, name
        assert page.locator("em.kind").count() > 3 and page.locator("em.kind:not([class*=' '])").count() == 0
        page.emulate_media(media="print")
        above = """() => [...document.querySelectorAll("main em.kind")].filter((em) => {
            const block = em.closest("p, li, dt, div, caption, figcaption, td, th");
            return em.getBoundingClientRect().top < block.getBoundingClientRect().top - 0.1;
        }).length"""
        assert page.evaluate(above) == 0, "on paper the rim of a word would stand alone on the page before"
        page.emulate_media(media="screen")
    context.close()


def test_the_demo_prints_on_three_pages(chromium, pages):
    context = chromium.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(pages["demo"].as_uri())
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True))) <= 3
    context.close()


@pytest.mark.parametrize("name", ["demo", "report", "claims/regions"])
def test_paper_is_white_and_ink_is_dark_whatever_the_screen_is(chromium, pages, name):
    inks = """() => ["body", "h1", "main p"].map((e) => getComputedStyle(document.querySelector(e)).color)"""
    found = []
    for scheme in ("light", "dark"):
        context = chromium.new_context(color_scheme=scheme)
        page = context.new_page()
        page.goto(pages[name].as_uri())
        on_screen = page.evaluate(inks)
        page.emulate_media(media="print", color_scheme=scheme)
        found.append((on_screen, page.evaluate(inks)))
        context.close()
    (light, printed_light), (dark, printed_dark) = found
    assert light != dark and printed_light == printed_dark == light


def test_no_ring_of_the_screen_is_printed(chromium, pages):
    context = chromium.new_context()
    page = context.new_page()
    page.goto(pages["demo"].as_uri())
    rings = """() => [...document.querySelectorAll('.filmstrip button, .filmstrip button *')].filter((e) => {
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(e);
        return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none"; }).length"""
    assert page.evaluate(rings) == 1, "on a screen the moment that is shown has one"
    page.emulate_media(media="print")
    page.locator(".filmstrip button").nth(1).focus()
    assert page.evaluate(rings) == 0
    context.close()


def test_no_number_of_a_report_is_broken(chromium, pages):
    context = chromium.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(pages["report"].as_uri())
    broken = """() => {
        const found = [], walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) for (const number of walker.currentNode.data.matchAll(/[\\d][\\d.,]*\\d/g)) {
            const range = document.createRange();
            range.setStart(walker.currentNode, number.index);
            range.setEnd(walker.currentNode, number.index + number[0].length);
            if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) found.push(number[0]);
        }
        return found; }"""
    assert page.evaluate(broken) == []
    context.close()


def test_a_lecture_is_printed_without_empty_pages(chromium, tmp_path):
    from typer.testing import CliRunner

    from plica.cli import app

    page = tmp_path / "lecture.html"
    made = CliRunner().invoke(app, ["lecture", "4", "--part", "1", "--out", str(page), "--quiet"])
    assert made.exit_code == 0, made.output
    context = chromium.new_context()
    shown = context.new_page()
    shown.goto(page.as_uri())
    n_claims = shown.locator("article.claim, section.claim, .claim").count()
    n_pages = len(re.findall(rb"/Type\s*/Page\b", shown.pdf(prefer_css_page_size=True)))
    assert n_pages <= 1.5 * n_claims
    context.close()
