"""Distances, verdicts and full checks on a real cluster of this machine, also when a worker is killed."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from patience import patient
from typer.testing import CliRunner

from plica.cli import app
from plica.errors import InvalidInput
from plica.network import random_network, save
from plica.robust import class_distances, parse_vnnlib, verify
from plica.robust._on_cluster import in_parts

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of a library, about its own future

NET = random_network([2, 8, 3], seed=0)
POINTS = np.random.default_rng(1).uniform(-0.5, 0.5, (8, 2))[1:]
TEXT = """(declare-const X_0 Real) (declare-const X_1 Real) (declare-const Y_0 Real) (declare-const Y_1 Real)
(declare-const Y_2 Real) (assert (>= X_0 -1)) (assert (<= X_0 1)) (assert (>= X_1 0)) (assert (<= X_1 1)) (assert (>= Y_0 {}))"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
    ) as running:
        yield running


def kill_busy_worker(cluster: Any, killed: list[int]) -> None:
    """Wait until a worker computes, and kill it."""
    end = time.monotonic() + patient(20)
    with distributed.Client(cluster, set_as_default=False) as client:
        while not killed and time.monotonic() < end:
            for address, keys in client.processing().items():
                nanny = next((n for n in cluster.workers.values() if n.worker_address == address), None)
                if keys and nanny is not None and nanny.pid:
                    killed.append(nanny.pid)
                    os.kill(nanny.pid, signal.SIGKILL)
                    return
            time.sleep(0.01)


def test_distances_are_those_of_one_process_though_a_worker_is_killed(cluster: Any, tmp_path: Path) -> None:
    alone = class_distances(NET, POINTS)
    killed: list[int] = []
    thread = threading.Thread(target=kill_busy_worker, args=(cluster, killed))
    thread.start()
    store, told = tmp_path / "radii.jsonl", []
    found = class_distances(
        NET, POINTS, cluster=cluster.scheduler_address, store=store, progress=lambda *report: told.append(report[:2])
    )
    thread.join()
    assert len(killed) == 1
    assert [(d.lower, d.upper, d.label, d.other) for d in found] == [(d.lower, d.upper, d.label, d.other) for d in alone]
    assert told == [(k, 7) for k in range(1, 8)] and len(store.read_text().splitlines()) == 7
    again = class_distances(NET, POINTS, cluster="tcp://127.0.0.1:1", store=store)  # nothing is left to ask a cluster for
    assert [d.upper for d in again] == [d.upper for d in alone]


def test_verdicts_are_those_of_one_process(cluster: Any) -> None:
    highest = max(NET([x, y])[0] for x in np.linspace(-1, 1, 41) for y in np.linspace(0, 1, 21))
    for bound, status in ((highest - 0.01, "sat"), (highest + 5.0, "unsat")):
        asked = parse_vnnlib(TEXT.format(bound))
        found = verify(NET, asked, cluster=cluster.scheduler_address)
        assert found.status == verify(NET, asked).status == status
        if status == "sat":
            x, y = found.point, found.values
            assert asked.queries[0].is_violated(x, y) and y[0] >= Fraction(bound)
            assert np.allclose(NET([float(v) for v in x]), [float(v) for v in y])
        else:
            assert found.tally.n_refuted >= 16 and not found.point  # every part was looked at
    assert (
        verify(NET, parse_vnnlib(TEXT.format(highest + 0.5)), timeout_s=0.0, cluster=cluster.scheduler_address).status
        == "timeout"
    )
    other = random_network([3, 4, 3], seed=0)
    with pytest.raises(InvalidInput, match="inputs"):
        verify(other, parse_vnnlib(TEXT.format(0)), cluster=cluster.scheduler_address)


def test_parts_cover_a_box_without_overlap() -> None:
    queries = parse_vnnlib(TEXT.format(0)).queries
    parts = in_parts(queries, 11)
    volume = sum((p.high[0] - p.low[0]) * (p.high[1] - p.low[1]) for p in parts)
    assert len(parts) == 11 and volume == 2
    rng = np.random.default_rng(0)
    for x, y in rng.uniform([-1, 0], [1, 1], (50, 2)):
        inside = [p for p in parts if p.contains([Fraction(x), Fraction(y)])]
        assert len(inside) == 1 and inside[0].conjunctions == queries[0].conjunctions
    flat = [q for q in in_parts([type(queries[0])((Fraction(1),), (Fraction(1),), ())], 4)]
    assert len(flat) == 1  # a point cannot be cut


@pytest.mark.slow
def test_commands_take_one_flag(cluster: Any, tmp_path: Path) -> None:
    save(NET, tmp_path / "net.safetensors")
    np.save(tmp_path / "x.npy", POINTS[:3])
    (tmp_path / "p.vnnlib").write_text(TEXT.format(1000))
    where = ["--cluster", cluster.scheduler_address, "--json"]
    runner = CliRunner()
    radius = runner.invoke(app, ["radius", str(tmp_path / "net.safetensors"), "--data", str(tmp_path / "x.npy"), *where])
    assert radius.exit_code == 0, radius.output
    assert [d["is_closed"] for d in json.loads(radius.stdout)["distances"]] == [True] * 3
    verdict = runner.invoke(app, ["verify", str(tmp_path / "net.safetensors"), str(tmp_path / "p.vnnlib"), *where])
    assert verdict.exit_code == 0 and json.loads(verdict.stdout)["verdict"] == "unsat", verdict.output
    checked = runner.invoke(app, ["check", "zaslavsky-1975", "slide-binomial-sum", "--scale", "full", *where])
    assert checked.exit_code == 0, checked.output
    assert {c["id"] for c in json.loads(checked.stdout)["claims"]} == {"zaslavsky-1975", "slide-binomial-sum"}
    refused = runner.invoke(app, ["check", "zaslavsky-1975", "--cluster", "local"])
    assert refused.exit_code == 2 and "full scale" in refused.output
    nowhere = runner.invoke(
        app, ["radius", str(tmp_path / "net.safetensors"), "--data", str(tmp_path / "x.npy"), "--cluster", "no.toml"]
    )
    assert nowhere.exit_code == 2 and "no such file" in nowhere.output


def test_a_verdict_survives_the_death_of_a_worker(cluster: Any) -> None:
    """The parts of the killed worker are looked at elsewhere: none is missing, and none is counted twice."""
    net = random_network([3, 24, 24, 3], seed=1, bias_std=0.5)
    names = [f"(declare-const {v}_{i} Real)" for v in "XY" for i in range(3)]
    sides = [f"(assert (>= X_{i} -1)) (assert (<= X_{i} 1))" for i in range(3)]
    seen = max(net(x)[0] for x in np.random.default_rng(0).uniform(-1, 1, (4000, 3)))
    asked = parse_vnnlib("\n".join([*names, *sides, f"(assert (>= Y_0 {seen + 0.25}))"]))
    killed: list[int] = []
    thread = threading.Thread(target=kill_busy_worker, args=(cluster, killed))
    told: list[int] = []
    with distributed.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2)  # one that was killed before is started anew
    thread.start()
    found = verify(net, asked, cluster=cluster.scheduler_address, progress=lambda tally: told.append(tally.n_boxes))
    thread.join()
    assert len(killed) == 1 and found.status == "unsat" == verify(net, asked).status
    assert len(told) == 16  # every part once


@pytest.mark.slow
def test_full_checks_survive_the_death_of_a_worker(cluster: Any, tmp_path: Path) -> None:
    chosen = ["zaslavsky-1975", "slide-binomial-sum", "zaslavsky-bounded", "slide-block"]
    killed: list[int] = []
    with distributed.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2)
    thread = threading.Thread(target=kill_busy_worker, args=(cluster, killed))
    thread.start()
    found = [
        CliRunner().invoke(app, ["check", *chosen, "--scale", "full", "--json", "--record", str(tmp_path / name), *where])
        for name, where in (("there", ["--cluster", cluster.scheduler_address]), ("here", []))
    ]
    thread.join()
    assert len(killed) == 1 and [done.exit_code for done in found] == [0, 0], found[0].output
    for claim in chosen:
        there, here = (json.loads((tmp_path / name / f"{claim}.json").read_text()) for name in ("there", "here"))
        assert there["rows"] == here["rows"] and there["verdict"] == here["verdict"] and len(here["rows"]) > 2
