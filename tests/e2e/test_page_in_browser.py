"""The demo page in a real browser: its script runs, answers the keyboard and asks for nothing."""

import re
import shutil
import subprocess

import numpy as np
import pytest
from patience import patient

import plica
from plica.report import Moment, demo_page

pytestmark = pytest.mark.browser
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

DRIVER = """<script>
const facts = [];
const press = (element, key) => element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const say = (name, selector) => facts.push(name + "=" + document.querySelector(selector).textContent);
const plane = document.querySelector(".plane");
press(plane, "ArrowRight"); say("map", "[data-card=map]"); say("index", "[data-card=index]");
press(plane, "Escape"); facts.push("cleared=" + document.querySelector(".card-facts").hidden);
const slider = document.querySelector(".time");
slider.value = 0; slider.dispatchEvent(new Event("input")); say("moment", ".moment"); say("regions", ".headline-value");
document.querySelectorAll(".filmstrip button")[1].click(); say("clicked", ".moment");
const box = document.querySelector("[data-hides=no-boundary]");
box.click(); facts.push("boundary=" + getComputedStyle(plane.querySelector(".boundaries")).display);
facts.push("requests=" + performance.getEntriesByType("resource").length);
document.title = facts.join("|");
</script>"""


@pytest.mark.skipif(BROWSER is None, reason="no Chromium here")
def test_the_viewer_answers_keyboard_slider_and_switches(tmp_path):
    box = plica.Box([-1, -1], [1, 1])
    complexes = [plica.decompose(plica.random_network([2, 6, 6, 1], seed=seed), box) for seed in (0, 1)]
    moments = [Moment(i, 1.0, 0.5, cx.n_regions, cx.n_cells, cx) for i, cx in enumerate(complexes)]
    page = demo_page(moments, np.array([[0.0, 0.0]]), np.array([0]))
    (tmp_path / "page.html").write_text(page.replace("</body>", DRIVER + "</body>"), encoding="utf-8")
    done = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", (tmp_path / "page.html").as_uri()],
        capture_output=True, text=True, timeout=patient(60),
    )  # fmt: skip
    assert '<html lang="en" class="scripted">' in done.stdout
    told = dict(fact.split("=", 1) for fact in re.search(r"<title>(.*?)</title>", done.stdout).group(1).split("|"))
    assert told["map"].startswith("f(x, y) = ")
    assert told["index"].endswith(f" of {complexes[1].n_cells}")
    assert (told["cleared"], told["moment"], told["clicked"], told["boundary"]) == ("true", "epoch 0", "epoch 1", "none")
    assert told["regions"] == f"{complexes[0].n_regions:,}"
    assert told["requests"] == "0"
