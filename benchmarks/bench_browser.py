"""How fast the explorer is in a real browser: from opening, from a change to the screen, while training, panning, turning in 3-D.

    python benchmarks/bench_browser.py
    python benchmarks/bench_browser.py --part open change

Needs the extra `browser` and a Chromium of the system. Figures are those of a machine that has nothing else to do.
"""

import argparse
import os
import shutil
import statistics
import time

from bench_explorer import explorer

READY = """() => globalThis.plica && document.documentElement.dataset.ready && !document.querySelector("[aria-busy]")
    && !plica.plane.frame"""
CHANGES = """async (n) => {
    const times = [];
    const root = document.documentElement;
    for (let i = 0; i < n; i++) {
        const before = root.dataset.ready;
        const began = performance.now();
        plica.change({ seed: String(100 + i) });
        while (root.dataset.ready === before) await new Promise(requestAnimationFrame);
        const shown = performance.now() - began;
        while (plica.plane.frame || plica.plane.painter.work) await new Promise(requestAnimationFrame);
        const painted = performance.now() - began;
        while (plica.diagram.isDue) await new Promise(requestAnimationFrame);
        times.push([shown, painted, performance.now() - began]);
    }
    return times;
}"""
TRAINING = """async (ms) => {
    const root = document.documentElement;
    let [n, last] = [0, root.dataset.ready];
    plica.training.toggle();
    const began = performance.now();
    while (performance.now() - began < ms) {
        await new Promise(requestAnimationFrame);
        if (root.dataset.ready !== last) [n, last] = [n + 1, root.dataset.ready];
    }
    plica.training.toggle();
    return (1000 * n) / (performance.now() - began);
}"""
TURNING = """async (n) => {
    const { views } = plica;
    const gaps = [];
    let last = performance.now();
    for (let i = 0; i < n; i++) {
        views.current.drag(0.01, 0);
        views.redraw();
        await new Promise(requestAnimationFrame);
        gaps.push(performance.now() - last);
        last = performance.now();
    }
    return gaps.slice(1);
}"""
FINENESS = """() => {
    const { current, place } = plica.views;
    return [current.made.facets.fills.length, current.pixels.width / place.clientWidth];
}"""
LONG_TASKS = """async (ms) => {
    const found = [];
    const keep = (list) => list.getEntries().forEach((e) => found.push(e.duration));
    new PerformanceObserver(keep).observe({ entryTypes: ["longtask"] });
    plica.training.toggle();
    await new Promise((done) => setTimeout(done, ms));
    plica.training.toggle();
    return found;
}"""
PANNING = """async (n) => {
    const { plane } = plica;
    plane.wishes = { ...plane.wishes, window: () => {} };
    const gaps = [];
    let last = performance.now();
    for (let i = 0; i < n; i++) {
        if (i % 2) plane.pan(0.01 * Math.sin(i), 0.004);
        else plane.zoom(i < n / 2 ? 1.02 : 0.98);
        await new Promise(requestAnimationFrame);
        gaps.push(performance.now() - last);
        last = performance.now();
    }
    return gaps.slice(1);
}"""


class Page:
    """One page of one browser, and what it is told to do."""

    def __init__(self, page, url: str) -> None:
        self.page, self.url = page, url

    def open(self, link: str = "v=1") -> float:
        """Seconds from the address to the first exact picture."""
        self.page.goto("about:blank")
        began = time.perf_counter()
        self.page.goto(f"{self.url}#{link}")
        self.page.wait_for_function(READY)
        return time.perf_counter() - began

    def opening(self, n: int = 4) -> None:
        first, *others = [self.open() for _ in range(n + 1)]
        report("first picture after opening, cold", 1000 * first, 1000)
        report("first picture after opening", 1000 * statistics.median(others), 1000)

    def changes(self, link: str, promised: float, n: int) -> None:
        self.open(link)
        self.page.evaluate(CHANGES, 2)
        times = self.page.evaluate(CHANGES, n)
        cells = self.page.evaluate("plica.plane.mesh.n")
        print(f"  a change of {link[4:]}, {cells:,} cells")
        for i, what in enumerate(("taken by the page", "every pixel", "every thumbnail too")):
            column = [row[i] for row in times]
            report(f"  {what}", statistics.median(column), promised, max(column))

    def training(self, seconds: float = 4.0) -> None:
        self.open("v=1&widths=16-16")
        rate = self.page.evaluate(TRAINING, 1000 * seconds)
        print(f"  training 2-16-16: {rate:.1f} pictures a second (promised: 30): {'ok' if rate >= 30 else 'TOO SLOW'}")

    def blocked(self, seconds: float = 8.0) -> None:
        """The longest task of the page while it trains."""
        self.open()
        report("longest task while training", max(self.page.evaluate(LONG_TASKS, 1000 * seconds), default=0.0), 100)

    def panning(self, link: str, n: int = 120) -> None:
        self.open(link)
        gaps = sorted(self.page.evaluate(PANNING, n))
        cells = self.page.evaluate("plica.plane.mesh.n")
        report(f"a frame of {cells:,} cells moved, 95th percentile", gaps[int(0.95 * len(gaps))], 34, gaps[-1])

    def turning(self, link: str, n: int = 30) -> None:
        self.open(link)
        self.page.evaluate(TURNING, 10)  # until it is as fine as its time allows
        gap = statistics.median(self.page.evaluate(TURNING, n))
        facets, fineness = self.page.evaluate(FINENESS)
        what = f"turning {link[4:]}, {facets:,} facets, {fineness:.2f} pixels for each of the page"
        print(
            f"  {what}: {1000 / gap:.0f} frames a second (promised: 30): {'ok' if gap <= 1000 / 30 else 'TOO SLOW'}", flush=True
        )


def report(what: str, ms: float, promised: float, worst: float | None = None) -> None:
    """One line of the table."""
    more = "" if worst is None else f", worst {worst:.0f}"
    print(f"  {what}: {ms:.0f} ms{more} (promised: {promised:.0f}): {'ok' if ms < promised else 'TOO SLOW'}", flush=True)


def main() -> None:
    """Print the table."""
    from playwright.sync_api import sync_playwright

    parts = {
        "open": lambda page: page.opening(),
        "change": lambda page: page.changes("v=1&widths=16-16", 50, 30),
        "large": lambda page: page.changes("v=1&widths=64-64-64", 250, 10),
        "train": lambda page: page.training(),
        "blocked": lambda page: page.blocked(),
        "pan": lambda page: page.panning("v=1&widths=64-64-64-64-64&window=-4,4,-4,4&boundary=0&points=0"),
        "surface": lambda page: page.turning("v=1&widths=32-32&view=surface"),
        "complex": lambda page: page.turning("v=1&widths=16-16&view=complex"),
        "skin": lambda page: page.turning("v=1&widths=16-16&view=complex&explode=0"),
        "faded": lambda page: page.turning("v=1&widths=16-16&view=complex&fade=0.5"),
    }
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", nargs="*", choices=list(parts), default=list(parts))
    options = parser.parse_args()
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    print(f"Chromium on {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    with explorer() as (_, url), sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        tab = chromium.new_page(viewport={"width": 1440, "height": 900})
        tab.set_default_timeout(300_000)
        for name in options.part:
            parts[name](Page(tab, url))
        chromium.close()


if __name__ == "__main__":
    main()
