"""The cells of a plane through a wide network, counted on a Dask cluster: parts of the window as tasks, each in tiles.

A task counts its part as one process would count the whole window; sums come back, no cells. Every division has a number of its
own: those between parts first, then those that each task makes.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from plica._cluster import connected, n_workers_of, run_tasks
from plica._parallel import at_most
from plica.geometry._budget import Budget, Meter
from plica.geometry._region_count import RegionCount
from plica.geometry.domains._domain import Domain
from plica.geometry.domains._tile import Tile
from plica.geometry.tiles._stream import ATTEMPTS, Coincidence, PlaneCount, TileSums, summed_tiles
from plica.geometry.values._equal_entries import without_equal_entries
from plica.geometry.values._rescaling import rescaled
from plica.network import Network

TASKS_PER_WORKER = 8  # parts differ in what they cost
_DIVISIONS_OF_A_TASK = 1 << 40


def count_wide_on(cluster: Any, network: Network, domain: Domain, meter: Meter) -> RegionCount:
    """The number of cells of a plane; raises Coincidence where tiles do not serve."""
    inner = without_equal_entries(network, domain)
    if any(rescaled(inner, domain)[1]):
        raise Coincidence  # floats of these tiles would overflow
    inner = Network(inner.nodes, name=inner.name)  # without what was remembered about it
    with connected(cluster) as client:
        for attempt in range(ATTEMPTS):
            with suppress(Coincidence):
                count = _counted_on(client, inner, domain, meter, attempt)
                return RegionCount(count.n_cells, None, count.decisions, meter.seconds)
    raise Coincidence


def _counted_on(client: Any, network: Network, domain: Domain, meter: Meter, attempt: int) -> PlaneCount:
    parts, n_divisions = [Tile.of(domain)], 0
    while len(parts) < TASKS_PER_WORKER * n_workers_of(client):
        halves = [part.divided(n_divisions + i, attempt) for i, part in enumerate(parts)]
        n_divisions += len(parts)
        parts = [half for pair in halves for half in pair]
    budget, sums = meter.rest(), TileSums()
    tasks = [(network, part, (i + 1) * _DIVISIONS_OF_A_TASK, attempt, budget) for i, part in enumerate(parts)]
    for _, found in run_tasks(client, _task, tasks, meanwhile=lambda: None, tick=meter.check):
        if found is None:
            raise Coincidence
        sums.add(found)
        meter.n_cells = sums.n_cells
        if meter.progress is not None:
            meter.progress({"tiles_done": sums.n_tiles, "n_cells": sums.n_cells, "seconds": meter.seconds})
        meter.check()
    return sums.count()


def _task(network: Network, part: Tile, n_divisions: int, attempt: int, budget: Budget) -> TileSums | None:
    """What a worker does: the sums over its part; None where a fold runs along a division."""
    from plica.geometry._decompose import engine

    meter = Meter(budget, len(network.layers))
    with at_most(1), engine(meter):
        try:
            return summed_tiles(network, part, meter, attempt=attempt, n_divisions=n_divisions)
        except Coincidence:
            return None
