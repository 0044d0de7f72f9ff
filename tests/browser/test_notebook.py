"""``plica.explore`` in a real JupyterLab: the widget draws what the kernel counts, and asks for what is looked at."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from patience import patient, wait_for

pytestmark = pytest.mark.browser
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
CODE = """import plica
net = plica.random_network([2, 8, 8, 1], seed=0, weights="he-normal", bias_std=0.5)
w = plica.explore(net)
w"""
MORE = 'print("now", w.complex.n_cells, plica.count_regions(net, plica.Box(w.window[::2], w.window[1::2])).n_cells)'


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    pytest.importorskip("playwright", reason="Playwright is not installed")
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    pytest.importorskip("jupyterlab", reason="JupyterLab is not installed")
    if BROWSER is None:
        pytest.skip("no Chromium here")
    folder = tmp_path_factory.mktemp("lab")
    cells = [
        {"cell_type": "code", "id": name, "metadata": {}, "outputs": [], "execution_count": None, "source": source}
        for name, source in (("one", CODE), ("two", "net"), ("three", MORE))
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "plica.ipynb").write_text(json.dumps(notebook))
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    env = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "HOME": str(folder),
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}", "--ip=127.0.0.1"]
    command += ["--IdentityProvider.token=", f"--ServerApp.root_dir={folder}", "--ServerApp.port_retries=0"]
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(command, env=env, cwd=folder, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for(lambda: _answers(url + "/api") or process.poll() is not None, 30)
        assert process.poll() is None, (folder / "log").read_text()
        yield url
    finally:
        process.terminate()
        process.wait(patient(10))


def _answers(url):
    try:
        with urllib.request.urlopen(url, timeout=5):  # noqa: S310  our own server
            return True
    except OSError:
        return False


def execute(page, number):
    """Run a cell, and wait until it has run; a page that is not ready yet does not hear the keys."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(number)
    prompt = cell.locator(".jp-InputPrompt")

    def has_run():
        for dialog in page.locator(".jp-Dialog").all():  # on a slow machine JupyterLab asks about its connection, or for a kernel
            dialog.locator(".jp-mod-accept").click()
        if not any(sign.isdigit() or sign == "*" for sign in prompt.inner_text()):
            cell.locator(".cm-content").click()
            page.keyboard.press("Control+Enter")
            page.wait_for_timeout(2000)
        return any(sign.isdigit() for sign in prompt.inner_text())

    wait_for(has_run, 30)


@pytest.fixture
def page(lab, driver):
    browser = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
    opened = browser.new_page(viewport={"width": 1440, "height": 900})
    opened.set_default_timeout(1000 * patient(30))
    errors = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.goto(f"{lab}/lab/tree/plica.ipynb?reset")
    opened.locator(".jp-Notebook .jp-Cell").first.wait_for()
    opened.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").first.wait_for()  # before, the kernel hears nothing
    yield opened
    browser.close()
    assert not [e for e in errors if "plica" in e.lower() or "anywidget" in e.lower()]


def use_theme(page, name):
    """Choose a theme of JupyterLab by its menu."""
    page.locator(".lm-MenuBar-itemLabel", has_text="Settings").click()
    page.locator(".lm-Menu-itemLabel", has_text="Theme").first.hover()
    page.locator(".lm-Menu-itemLabel", has_text=re.compile(f"^{name}$")).last.click()  # there are others of higher contrast
    page.locator(f"body[data-jp-theme-name='{name}']").wait_for(state="attached")


CONTRAST = """element => {
    const channel = (c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    const light = (color) => {
        const [r, g, b, alpha = 1] = color.match(/[\\d.]+/g).map(Number);
        return { alpha, value: 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b) };
    };
    let behind = element;
    while (light(getComputedStyle(behind).backgroundColor).alpha < 1) behind = behind.parentElement;
    const [a, b] = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor].map((c) => light(c).value);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}"""


def test_the_widget_wears_the_theme_of_jupyterlab(lab, page, tmp_path):
    """Text and controls are read in both themes, folds are drawn for them, and a change of the theme is followed."""
    pictures = Path(os.environ.get("PLICA_PICTURES", tmp_path))
    execute(page, 0)
    count = page.locator(".plica-count").first
    wait_for(lambda: "cells" in count.inner_text(), 30)
    page.mouse.move(*_middle(page.locator(".plica-explorer canvas").first))
    page.locator("select[aria-label=color]").first.select_option("pattern")  # cells are filled with tints of the paper
    middle = {}
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        use_theme(page, theme)
        page.locator(f".plica-explorer[style*='color-scheme: {theme.split()[1].lower()}']").first.wait_for()
        parts = page.locator(".plica-explorer :is(output, select, button, .plica-told)")
        assert parts.count() == 6
        for i in range(6):
            assert parts.nth(i).evaluate(CONTRAST) >= 4.5, (theme, i)
        page.wait_for_timeout(1000)
        page.screenshot(path=pictures / f"lab-{theme.split()[1].lower()}.png")
        middle[theme] = page.locator(".plica-explorer canvas").first.evaluate(MEAN)
    assert middle["JupyterLab Dark"] + 30 < middle["JupyterLab Light"]


MEAN = """c => {
    const data = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
    let sum = 0;
    for (let i = 0; i < data.length; i++) if (i % 4 < 3) sum += data[i];
    return sum / (0.75 * data.length);
}"""


def _middle(locator):
    locator.scroll_into_view_if_needed()
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 3


def test_a_widget_in_jupyterlab(lab, page, tmp_path):
    pictures = Path(os.environ.get("PLICA_PICTURES", tmp_path))
    execute(page, 0)
    execute(page, 1)
    canvas = page.locator(".jp-OutputArea canvas").first
    canvas.wait_for()
    count = page.locator(".plica-count").first
    wait_for(lambda: "cells" in count.inner_text(), 30)
    whole = int(count.inner_text().split(" cells")[0].replace(",", ""))
    assert whole == 84  # as tests/unit/notebook counts it
    wait_for(lambda: _n_colors(canvas) > 20, 30)
    page.locator(".jp-OutputArea svg[role=img]").first.wait_for()  # the network shows its graph
    page.screenshot(path=pictures / "lab.png")
    page.mouse.move(*_middle(canvas))
    told = page.locator(".plica-told").first
    wait_for(lambda: told.inner_text().startswith("cell "), 10)
    page.locator("button[aria-label='zoom in']").first.click()
    wait_for(lambda: int(count.inner_text().split(" cells")[0]) < whole, 30)
    seen = int(count.inner_text().split(" cells")[0])
    execute(page, 2)
    printed = page.locator(".jp-OutputArea pre", has_text="now").last
    printed.wait_for()
    assert printed.inner_text().split() == ["now", str(seen), str(seen)]  # the kernel shows what the page shows, exactly
    page.locator("select[aria-label=color]").first.select_option("pattern")
    page.screenshot(path=pictures / "lab-cells.png")


def _n_colors(canvas):
    script = """c => new Set(new Uint32Array(
        c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size"""
    return canvas.evaluate(script)
