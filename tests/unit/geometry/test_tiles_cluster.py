"""Tiles on a real cluster of this machine: the same complex, also when a worker is killed."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_tiles import same_plane, same_space
from typer.testing import CliRunner

from plica.cli import app
from plica.errors import BudgetExceeded, PlicaError
from plica.geometry import Box, Budget, count_regions, decompose
from plica.network import random_network, save

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of a library, about its own future

SQUARE, CUBE = Box([-1.0] * 2, [1.0] * 2), Box([-1.0] * 3, [1.0] * 3)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
    ) as running:
        yield running


def test_a_plane_and_a_box_from_a_cluster_are_those_of_one_process(cluster: Any) -> None:
    plane = random_network([2, 24, 16, 1], seed=1, weights="he-normal", bias_std=0.5)
    same_plane(decompose(plane, SQUARE), decompose(plane, SQUARE, cluster=cluster.scheduler_address))
    space = random_network([3, 10, 6, 1], seed=1, weights="he-normal", bias_std=0.5)
    same_space(decompose(space, CUBE), decompose(space, CUBE, cluster=cluster.scheduler_address))


def test_cells_counted_on_a_cluster_are_those_of_one_process(cluster: Any) -> None:
    net = random_network([3, 16, 16, 1], seed=0, weights="he-normal", bias_std=0.5)
    with distributed.Client(cluster, set_as_default=False) as client:
        told: list[dict[str, Any]] = []
        count = count_regions(net, CUBE, cluster=client, cells_only=True, progress=told.append)
        assert (count.n_cells, count.n_regions) == (1526, None)
        assert told[-1]["tiles_done"] == told[-1]["n_tiles"] > 4
        with pytest.raises(BudgetExceeded):
            count_regions(net, CUBE, cluster=client, cells_only=True, budget=Budget(max_cells=1000))
        assert client.status == "running"
        assert count_regions(net, CUBE, cluster=client).n_regions == count_regions(net, CUBE).n_regions


def test_tiles_of_a_wide_network_are_streamed_over_a_cluster(cluster: Any) -> None:
    """Only the neurons that can switch in a tile are carried, here as there; sums come back, no cells."""
    net = random_network([2, 1100, 12, 1], seed=0, weights="he-normal", bias_std=0.5)
    window = Box([-0.2, -0.1], [0.1, 0.2])
    alone = count_regions(net, window, cells_only=True)
    told: list[dict[str, Any]] = []
    with distributed.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2)  # one that was silent for too long is started anew
    count = count_regions(net, window, cells_only=True, cluster=cluster.scheduler_address, progress=told.append)
    assert count.n_cells == alone.n_cells == decompose(net, window).n_cells > 1000
    assert told[-1]["tiles_done"] >= 16
    with pytest.raises(BudgetExceeded):
        count_regions(net, window, cells_only=True, cluster=cluster.scheduler_address, budget=Budget(max_cells=100))


def killer(cluster: Any, client: Any, killed: list[int]) -> Any:
    """A progress callback that, when the first tile has arrived, kills a worker that is computing another."""

    def progress(report: dict[str, Any]) -> None:
        if killed:
            return
        for address, keys in client.processing().items():
            nanny = next((n for n in cluster.workers.values() if n.worker_address == address), None)
            if keys and nanny is not None:
                killed.append(nanny.pid)
                os.kill(nanny.pid, signal.SIGKILL)
                return

    return progress


def test_a_killed_worker_loses_nothing(cluster: Any) -> None:
    net = random_network([3, 12, 10, 8, 1], seed=2, weights="he-normal", bias_std=0.5)
    killed: list[int] = []
    with distributed.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2)
        cx = decompose(net, CUBE, cluster=client, progress=killer(cluster, client, killed))
    assert killed
    same_space(decompose(net, CUBE), cx)


def test_a_count_survives_the_death_of_a_worker(cluster: Any) -> None:
    net = random_network([4, 20, 20, 1], seed=2, weights="he-normal", bias_std=0.5)
    box, killed = Box([-1.0] * 4, [1.0] * 4), []  # type: ignore[var-annotated]
    with distributed.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2)
        count = count_regions(net, box, cluster=client, cells_only=True, progress=killer(cluster, client, killed))
    assert killed
    assert count.n_cells == count_regions(net, box, cells_only=True).n_cells


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plica._cluster.CONNECT_S", 0.3)
    net = random_network([2, 8, 8, 1], seed=0)
    with pytest.raises(PlicaError, match="no Dask scheduler answers"):
        decompose(net, SQUARE, cluster="tcp://127.0.0.1:9")


def test_the_command_counts_the_same_on_a_cluster(cluster: Any, tmp_path: Path) -> None:
    net = random_network([2, 16, 16, 1], seed=0, weights="he-normal", bias_std=0.5)
    save(net, tmp_path / "net.safetensors")
    arguments = ["regions", str(tmp_path / "net.safetensors"), "--json", "--quiet", "--cluster", cluster.scheduler_address]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["n_cells"], found["n_regions"]) == (282, 282)
