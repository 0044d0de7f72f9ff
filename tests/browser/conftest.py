"""A real browser on a real server.

The tests need Playwright's Python package and a Chromium of the system (Debian's is enough); they are skipped,
saying so, where one is missing.
"""

import importlib.util
import shutil
import threading
from pathlib import Path

import pytest
from patience import patient

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
HERE = Path(__file__).parent
MOST_SECONDS = 120  # of a test, on an idle machine: a page that never answers would be waited for without end


def helpers():
    spec = importlib.util.spec_from_file_location("web_conftest", HERE.parent / "unit" / "web" / "conftest.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def served():
    pytest.importorskip("playwright", reason="Playwright is not installed")
    if BROWSER is None:
        pytest.skip("no Chromium here")
    server = helpers().serve("--max-seconds", patient(60))  # no job of a test is about the clock
    yield server
    helpers().end(server)


@pytest.fixture(scope="session")
def driver():
    """What drives browsers: one for all tests of a process, as a second one refuses to start."""
    pytest.importorskip("playwright", reason="Playwright is not installed")
    from playwright.sync_api import sync_playwright

    if BROWSER is None:
        pytest.skip("no Chromium here")
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def launched(driver):
    """The browsers of a process, one after the other: a new one only where the last was ended."""
    browsers = []
    yield browsers
    for browser in browsers:
        if browser.is_connected():
            browser.close()


@pytest.fixture
def chromium(served, driver, launched):
    if not launched or not launched[-1].is_connected():
        launched.append(launch(driver))
    return launched[-1]


def launch(driver):
    browser = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
    new_context = browser.new_context

    def patient_context(**options):
        context = new_context(**options)
        context.set_default_timeout(1000 * patient(30))
        return context

    browser.new_context = patient_context
    return browser


@pytest.fixture(autouse=True)
def ended_in_time(request, driver):
    """End the browsers of a test that goes on for too long: scripts in pages have no limit, and the test fails where it waits."""
    from browsers import end_browsers

    is_long = request.node.get_closest_marker("endurance")
    timer = threading.Timer(patient(MOST_SECONDS * (10 if is_long else 1)), end_browsers)
    timer.daemon = True
    timer.start()
    yield
    timer.cancel()


class Explorer:
    """One open page; what it says and how it is asked."""

    def __init__(self, page, served):
        self.page, self.served = page, served
        self.errors = []
        page.set_default_timeout(1000 * patient(30))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on(
            "console", lambda line: self.errors.append(line.text) if line.type == "error" and "422" not in line.text else None
        )

    def open(self, link=""):
        self.page.goto(self.served.url.split("#")[0] + (f"#{link}" if link else ""))
        return self.settled()

    def settled(self):
        """Wait until the picture is that of the state."""
        self.page.wait_for_function(
            "() => globalThis.plica && document.documentElement.dataset.ready && !document.querySelector('#plane[aria-busy]') "
            "&& !plica.plane.settling && !plica.plane.frame && !plica.diagram.isDue && !plica.past.isDue",
            timeout=1000 * patient(30),
        )
        return self

    def state(self, name):
        return self.page.evaluate("name => plica.state.get(name)", name)

    def query(self):
        return self.page.evaluate("plica.state.query()")

    def text(self, selector):
        return self.page.locator(selector).inner_text()

    def count(self):
        return int(self.text("#count").replace(",", ""))

    def facts(self):
        return self.page.evaluate("plica.plane.mesh.facts")

    def tab(self, name):
        """Open a tab of the bench."""
        self.page.click(f"#tab-{name}")
        return self

    def reveal(self, name):
        """Open the tab that holds a control, if one does."""
        panel = self.page.evaluate("id => document.getElementById(id).closest('[role=tabpanel]')?.id ?? ''", f"in-{name}")
        return self.tab(panel.removeprefix("panel-")) if panel else self

    def choose(self, name, value):
        self.reveal(name).page.select_option(f"#in-{name}", value)
        return self.settled()

    def type(self, name, value):
        self.reveal(name).page.fill(f"#in-{name}", str(value))
        self.page.keyboard.press("Tab")
        return self.settled()


def opened(chromium, served, **options):
    context = chromium.new_context(accept_downloads=True, **options)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    found = Explorer(context.new_page(), served)
    yield found
    context.close()
    assert not found.errors, found.errors


@pytest.fixture
def explorer(chromium, served):
    yield from opened(chromium, served, viewport={"width": 1360, "height": 860})


@pytest.fixture
def handheld(chromium, served):
    """The explorer on a phone, with fingers."""
    yield from opened(chromium, served, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
