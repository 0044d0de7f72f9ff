"""The report in a real browser: no script fails, nothing is asked for, it fits a narrow window, dark is dark."""

import re
import shutil
import subprocess

import pytest
from patience import patient

import plica
from plica.data import load
from plica.report import Task, model_page, model_sections

pytestmark = pytest.mark.browser
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

WATCH = '<head><script>window.failures = []; addEventListener("error", e => failures.push(e.message));</script>'
TELL = """<script>
const facts = ["failures=" + failures.join(";"), "requests=" + performance.getEntriesByType("resource").length];
facts.push("wide=" + (document.documentElement.scrollWidth - document.documentElement.clientWidth));
facts.push("figures=" + document.querySelectorAll("figure svg[role=img][aria-label]").length);
facts.push("paper=" + getComputedStyle(document.body).backgroundColor);
facts.push("broken=" + [...document.querySelectorAll('a[href^="#"]')].filter(a => !document.querySelector(a.hash)).length);
const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
const captions = [...document.querySelectorAll(".report-table caption span")].map(e => e.getBoundingClientRect());
facts.push("captions=" + captions.length + "," + captions.filter(b => b.right > innerWidth || b.left < 0).length);
facts.push("twice=" + (ids.length - new Set(ids).size));
document.title = facts.join("|");
</script></body>"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    data = load("moons", n=100, noise=0.1)
    task = Task.of(plica.random_network([2, 8, 8, 2], seed=0), data.x, data.y, max_seconds=patient(20))
    text = model_page(model_sections(task), task, title="A report")
    path = tmp_path_factory.mktemp("report") / "page.html"
    path.write_text(text.replace("<head>", WATCH, 1).replace("</body>", TELL), encoding="utf-8")
    return path


@pytest.mark.skipif(BROWSER is None, reason="no Chromium here")
@pytest.mark.parametrize(("options", "paper"), [((), "rgb(251, 250, 247)"), (("--blink-settings=preferredColorScheme=0",), None)])
def test_the_report_opens_from_disk_without_complaint(page, options, paper):
    done = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=500,900", *options, "--dump-dom", page.as_uri()],
        capture_output=True, text=True, timeout=patient(90),
    )  # fmt: skip
    told = dict(fact.split("=", 1) for fact in re.search(r"<title>(.*?)</title>", done.stdout).group(1).split("|"))
    assert (told["failures"], told["requests"], told["broken"], told["twice"]) == ("", "0", "0", "0")
    assert int(told["wide"]) <= 0 and int(told["figures"]) >= 6
    assert re.fullmatch(r"\d{2,},0", told["captions"])  # ten or more, none of which runs out of a narrow window
    if paper is not None:
        assert told["paper"] == paper
    else:
        assert told["paper"] == "rgb(16, 17, 21)"
