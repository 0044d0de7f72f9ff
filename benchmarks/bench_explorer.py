"""How soon the explorer answers fifty people, on an idle machine and on one that has much else to do.

    python benchmarks/bench_explorer.py --seconds 30 --hogs 0 20

Each client trains a 2-16-16 network, zooms, changes colors, leaves in the middle and comes back. A client that is told to come
back later does so with its newest state; such refusals are counted by their status, 429.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

PROMISED_MS = 500.0


@dataclass
class Seen:
    """Answers by status, and how long those took that came."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    n_wrong: int = 0
    """Refusals of states that are wrong on purpose, and answers to them."""

    def quantile_ms(self, q: float) -> float:
        ordered = sorted(self.seconds)
        return 1000 * ordered[min(int(q * len(ordered)), len(ordered) - 1)] if ordered else float("nan")


async def client(url: str, number: int, end: float, seen: Seen) -> None:
    """Someone who trains, zooms, changes colors, leaves in the middle and comes back."""
    from websockets.asyncio.client import connect

    from plica.web._frames import unpack

    parts = urlsplit(url)
    cookie = f"plica-{parts.port}={parts.query.removeprefix('token=')}"
    rng = random.Random(number)  # noqa: S311
    await asyncio.sleep(rng.uniform(0, 1))
    while time.monotonic() < end:
        async with connect(
            f"ws://{parts.netloc}/api/socket",
            origin=f"http://{parts.netloc}",
            additional_headers={"Cookie": cookie},
            max_size=None,
            open_timeout=None,
            ping_timeout=None,
            compression=None,
        ) as socket:
            step = 0
            for visit in range(rng.randint(5, 40)):
                if time.monotonic() > end:
                    return
                step += rng.choice([1, 4, 10])
                extra = rng.choice(["", "&color=pattern", "&color=error", "&window=-0.5,0.5,-0.5,0.5", "&segment=-1,-1,1,1"])
                is_wrong = rng.random() < 0.02
                link = "widths=999" if is_wrong else f"seed={number}&widths=16-16&step={step}{extra}"
                began = time.perf_counter()
                await socket.send(json.dumps({"id": visit, "do": "picture", "state": link}))
                if rng.random() < 0.02:
                    break  # leaves in the middle of a job
                facts, _ = unpack((await socket.recv())[8:])
                status = 200 if facts["ok"] else facts["status"]
                seen.statuses[status] += 1
                seen.n_wrong += is_wrong and status != 422
                if status == 200:
                    seen.seconds.append(time.perf_counter() - began)
                await asyncio.sleep(rng.uniform(0.5, 1.5) if status != 429 else rng.uniform(0.5, 1.5) * facts["retry_s"])


async def crowd(url: str, n_clients: int, seconds: float) -> Seen:
    """So many clients at once for so long."""
    seen, end = Seen(), time.monotonic() + seconds
    await asyncio.gather(*(client(url, number, end, seen) for number in range(n_clients)))
    return seen


@contextmanager
def explorer():
    """A server in a process of its own, and its address."""
    command = [sys.executable, "-m", "plica", "explore", "--no-browser", "--json", "--quiet", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    text = ""
    try:
        while not text.endswith("}\n"):
            line = process.stdout.readline()
            assert line, f"the server ended: {text}"
            text += line
        yield process, json.loads(text)["url"].split("#")[0]
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def _spin() -> None:
    while True:
        pass


@contextmanager
def hogs(n: int):
    """Processes that take all the processor time they can get."""
    busy = [multiprocessing.Process(target=_spin, daemon=True) for _ in range(n)]
    for process in busy:
        process.start()
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.join()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--hogs", type=int, nargs="*", default=[0, 20], help="processes that compete for the processors")
    options = parser.parse_args()
    for n in options.hogs:
        with explorer() as (_, url):
            asyncio.run(crowd(url, options.clients, 10.0))
            with hogs(n):
                seen = asyncio.run(crowd(url, options.clients, options.seconds))
        p50, p95, p99 = (seen.quantile_ms(q) for q in (0.5, 0.95, 0.99))
        told = ", ".join(f"{count} x {status}" for status, count in sorted(seen.statuses.items()))
        rate, load = len(seen.seconds) / options.seconds, os.getloadavg()[0]
        print(f"{options.clients} clients, 2-16-16, beside {n} busy processes (load {load:.1f}): {told}")
        print(f"  {rate:.1f} pictures a second")
        verdict = "ok" if p95 < PROMISED_MS else "TOO SLOW"
        print(f"  p50 {p50:.0f} ms, p95 {p95:.0f} ms, p99 {p99:.0f} ms (promised: p95 under {PROMISED_MS:.0f}): {verdict}")


if __name__ == "__main__":
    main()
