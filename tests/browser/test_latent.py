"""The latent plane in real Chromium: what it shows is what the network makes, by pointer and by keys, and it asks for nothing."""

import numpy as np
import pytest

import plica
from plica.report import Task, model_page
from plica.report._model_pictures import pictures

pytestmark = pytest.mark.browser

NET = plica.random_network([2, 12, 8, 36], seed=3, bias_std=1.0)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    task = Task.of(NET, max_seconds=60, image="6x6")
    task.allow(60)
    path = tmp_path_factory.mktemp("report") / "page.html"
    path.write_text(model_page([pictures(task)], task, title="A generator"), encoding="utf-8")
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_pointer_and_keys_show_what_the_network_makes(chromium, report, scheme, width):
    context = chromium.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
    page = context.new_page()
    errors, requests = [], []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if line.type in ("error", "warning") else None)
    page.on("request", lambda request: requests.append(request.url))
    page.goto(report.as_uri())
    plane = page.locator(".latent .plane")

    def agrees():
        seen = page.evaluate("document.querySelector('.latent').latent")
        data = page.evaluate("(({low, high}) => ({low, high}))(JSON.parse(document.querySelector('.latent-data').textContent))")
        half = (data["high"] - data["low"]) / 510
        assert np.abs(NET(np.array(seen["at"])) - seen["picture"]).max() <= 1.01 * half
        return seen["at"]

    start = agrees()
    plane.focus()
    page.keyboard.press("ArrowRight")
    right = agrees()
    assert right[0] > start[0] and right[1] == start[1]
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+ArrowUp")
    assert agrees()[1] > right[1] and page.locator(".latent .strip").is_visible()
    page.keyboard.press("Escape")
    assert page.locator(".latent .strip").is_hidden()
    plane.scroll_into_view_if_needed()
    box = plane.bounding_box()
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 0.3 * box["height"])
    hovered = agrees()
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.6 * box["height"], steps=3)
    page.mouse.up()
    dragged = agrees()
    assert dragged[0] > hovered[0] and dragged[1] < hovered[1] and page.locator(".latent .strip").is_visible()
    page.get_by_label("folds").uncheck()
    assert page.locator(".latent .folds").is_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not errors and requests == [report.as_uri()]
    context.close()
