"""The explorer under load: fifty clients for minutes, two hundred that say nothing, workers that are killed under them.

PLICA_LOAD_SECONDS sets how long; how soon answers come is measured by ``benchmarks/bench_explorer.py``.
"""

import asyncio
import importlib.util
import json
import os
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from patience import patient, wait_for

psutil = pytest.importorskip("psutil")
pytest.importorskip("fastapi")
pytestmark = pytest.mark.endurance

CLIENTS = 50
SECONDS = float(os.environ.get("PLICA_LOAD_SECONDS", "180"))
ROOT = Path(__file__).parent.parent.parent


def loaded(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def web():
    return loaded(ROOT / "tests" / "unit" / "web" / "conftest.py")


@pytest.fixture
def served(web):
    server = web.serve()
    yield server
    web.end(server)


def memory(served):
    root = psutil.Process(served.process.pid)
    return sum(p.memory_info().rss for p in (root, *root.children()))


def crowd(served, seconds, meanwhile=lambda: None):
    """What fifty clients saw; ``meanwhile`` runs beside them."""
    bench = loaded(ROOT / "benchmarks" / "bench_explorer.py")
    with ThreadPoolExecutor(1) as elsewhere:  # browser tests leave a running loop in this thread
        task = elsewhere.submit(lambda: asyncio.run(bench.crowd(served.url.split("#")[0], CLIENTS, seconds)))
        while not task.done():
            meanwhile()
            time.sleep(0.05)
        return task.result()


def is_answered(served):
    from plica.web._frames import unpack

    with served.socket() as socket:
        socket.send(json.dumps({"id": 1, "do": "picture", "state": "widths=4"}))
        return unpack(socket.recv(timeout=patient(60))[8:])[0]["ok"]


def test_fifty_clients_are_served_and_leave_nothing_behind(served):
    from plica.web._limits import Limits

    crowd(served, min(20.0, SECONDS / 3))
    warm = memory(served)
    seen = crowd(served, SECONDS)
    after = memory(served)
    print(f"\n{CLIENTS} clients, {SECONDS:.0f} s: {dict(seen.statuses)}; memory {warm / 2**20:.0f} -> {after / 2**20:.0f} MiB")
    assert set(seen.statuses) <= {200, 422, 429} and seen.statuses[200] > CLIENTS
    assert seen.n_wrong <= seen.statuses[429]  # a wrong state gets 422, unless nobody had time to look at it
    assert after < 1.05 * warm + Limits().cache_bytes  # the moments of trainings that a server may remember, for all clients
    wait_for(lambda: is_answered(served))


def test_clients_live_through_killed_workers(served):
    rng, killed = random.Random(0), []
    seconds = min(SECONDS, 60.0)
    end = time.monotonic() + seconds  # where workers start slowly, all would be killed before they are ready, and clients wait on

    def kill_one():
        if time.monotonic() > end:
            return
        workers = psutil.Process(served.process.pid).children()
        if workers and rng.random() < 0.02:
            killed.append(rng.choice(workers).pid)
            os.kill(killed[-1], signal.SIGKILL)

    seen = crowd(served, seconds, kill_one)
    print(f"\n{len(killed)} workers killed: {dict(seen.statuses)}")
    assert killed and set(seen.statuses) <= {200, 422, 429} and seen.statuses[200] > 0
    wait_for(lambda: is_answered(served), 60)
    wait_for(lambda: len(psutil.Process(served.process.pid).children()) == 2, 60)


def test_two_hundred_idle_sockets_leave_room_for_nobody_or_for_all(served):
    """As many as may be open are let in; the others are told to come back, and are let in once there is room."""
    from websockets.exceptions import InvalidStatus

    from plica.web._limits import Limits

    with ExitStack() as stack:
        n_open = n_told = 0
        for _ in range(200):
            try:
                stack.enter_context(served.socket())
                n_open += 1
            except InvalidStatus as error:
                assert error.response.status_code == 429 and error.response.headers["retry-after"]
                n_told += 1
        assert (n_open, n_told) == (Limits().max_sockets, 200 - Limits().max_sockets)
        assert served.request("GET", "/")[0].status == 200

    def is_let_in():
        try:
            return is_answered(served)
        except InvalidStatus:
            return False

    wait_for(is_let_in)


def test_two_hundred_departures_in_mid_job_free_the_worker(served):
    """A job of many seconds, its client gone: the next small job of another client is answered."""
    long = json.dumps({"id": 1, "do": "picture", "state": "widths=64-64-64-64-64-64&step=100000"})
    for _ in range(200):
        with ExitStack() as stack:
            for socket in [stack.enter_context(served.socket()) for _ in range(2)]:
                socket.send(long)
            time.sleep(0.05)
        assert is_answered(served)
