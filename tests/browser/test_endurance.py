"""Minutes of play: training, every view of the network, zooming and pointing leave no memory behind, in page or server."""

import itertools
import json
import time

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.endurance]

SECONDS = 300
NETWORK = "widths=12-12&data=circles&step=40"
VIEWS = ("plane", "surface", "fold", "trajectory", "plane", "map", "weights", "robust")
PAGE_MB, SERVER_MB = 12, 150
"""What may be kept: the history of the training in the page; checkpoints, and what allocators hold, in the server."""


def resident_mb(pid):
    """Memory of a process and of all that it started."""
    import psutil

    server = psutil.Process(pid)
    return sum(one.memory_info().rss for one in [server, *server.children(recursive=True)]) / 1e6


def warm(served):
    """Let every worker import what the views need: two clients ask for the same at the same time."""
    with served.socket() as one, served.socket() as other:
        for number, view in enumerate(("weights", "robust") * 3, start=1):
            for line in (one, other):
                line.send(json.dumps({"id": number, "do": "view", "state": f"v=1&{NETWORK}&view={view}"}))
            for line in (one, other):
                line.recv()


class Played:
    """What is kept after some play, with everything collected that can be."""

    def __init__(self, explorer, line):
        explorer.page.evaluate("plica.training.pause()")
        explorer.page.evaluate("plica.change({view: 'plane', step: '0', window: ''})")
        explorer.settled()
        for _ in range(3):
            line.send("HeapProfiler.collectGarbage")
        self.page = line.send("Runtime.getHeapUsage")["usedSize"] / 1e6
        self.nodes = line.send("Memory.getDOMCounters")["nodes"]
        self.listeners = line.send("Memory.getDOMCounters")["jsEventListeners"]
        self.server = resident_mb(explorer.served.process.pid)


def play(explorer, seconds):
    began, steps = time.monotonic(), 0
    for view in itertools.cycle(VIEWS):
        explorer.page.evaluate("view => plica.change({view})", view)
        explorer.page.evaluate("plica.training.playing || plica.training.toggle()")
        if view == "plane":
            box = explorer.page.locator("#plane").bounding_box()
            for k in range(8):
                explorer.page.mouse.move(box["x"] + (0.1 + 0.1 * k) * box["width"], box["y"] + 0.5 * box["height"])
            explorer.page.mouse.wheel(0, -200)
            explorer.page.mouse.wheel(0, 200)
        explorer.page.wait_for_timeout(2500)
        steps = max(steps, explorer.page.evaluate("plica.state.number('step')"))
        if time.monotonic() - began > seconds:
            return steps


def test_five_minutes_of_play_leave_no_memory_behind(explorer):
    explorer.open(f"v=1&{NETWORK}")
    warm(explorer.served)
    line = explorer.page.context.new_cdp_session(explorer.page)
    play(explorer, SECONDS / 5)
    before = Played(explorer, line)
    steps = play(explorer, 4 * SECONDS / 5)
    after = Played(explorer, line)
    told = {name: (getattr(before, name), getattr(after, name)) for name in vars(after)}
    print(f"after {SECONDS / 5} and {SECONDS} seconds, {steps} steps:", told)
    assert steps > 100
    assert after.page < before.page + PAGE_MB, told
    assert after.nodes < before.nodes + 200 and after.listeners < before.listeners + 100, told
    assert after.server < before.server + SERVER_MB, told
