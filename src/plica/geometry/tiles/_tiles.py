"""Beyond one process: the frontier of cells after the first layers is divided into tiles, each finished on its own and glued
exactly.

Every task gets the network, the domain and the numbers of its frontier cells, computes the frontier itself (once in each
worker) and carries its cells to the end. All decisions are exact, so every machine numbers the frontier in the same way,
whatever its rounding.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from plica._cluster import connected, n_workers_of, run_tasks
from plica._lazy import cached_property
from plica._parallel import at_most
from plica.errors import InvalidDomain
from plica.geometry._bounded import BoundedComplex
from plica.geometry._budget import Budget, Meter, Progress
from plica.geometry._region_count import RegionCount
from plica.geometry.domains import Box, Domain, Polytope
from plica.geometry.signs._decisions import Decisions
from plica.geometry.tiles._frontier import grouped
from plica.geometry.tiles._frontier_plane import PlaneFrontier, PlaneTile, count_plane_tile, finish_plane, glue_plane
from plica.geometry.tiles._frontier_space import SpaceFrontier, SpaceTile, count_space_tile, finish_space, glue_space
from plica.geometry.values._rescaling import rescaled
from plica.network import Network

Frontier = PlaneFrontier | SpaceFrontier
TILES_PER_WORKER = 8
CELLS_PER_TILE = 4
_kept: dict[str, Frontier] = {}  # in a worker: the frontier that its last task computed


def frontier_of(network: Network, domain: Domain, meter: Meter, *, n_tiles: int) -> Frontier:
    """The walk until there are enough cells for the tiles, or only the last layer is left."""
    floats, exponents = rescaled(network, domain)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if domain.dimension == 2:
            frontier: Frontier = PlaneFrontier(network, floats, exponents, domain, meter)
        else:
            assert isinstance(domain, (Box, Polytope))
            frontier = SpaceFrontier(network, floats, exponents, domain, meter)
        frontier.next_layer()
        while frontier.layer < len(network.layers) - 1 and frontier.n_cells < CELLS_PER_TILE * n_tiles:
            frontier.next_layer()
    return frontier


def finish(frontier: Frontier, n_tiles: int, tile: int, meter: Meter, *, count: bool) -> Any:
    """One tile (None if it is empty), or its number of cells and of exact decisions."""
    cells = grouped(frontier.signs(), frontier.labels(), n_tiles)[tile]
    meter.layers_done = frontier.layer
    if not len(cells):
        return (0, Decisions()) if count else None
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if isinstance(frontier, PlaneFrontier):
            return count_plane_tile(frontier, cells, meter) if count else finish_plane(frontier, cells, meter)
        return count_space_tile(frontier, cells, meter) if count else finish_space(frontier, cells, meter)


def task(token: str, network: Network, domain: Domain, n_tiles: int, tile: int, budget: Budget, count: bool) -> Any:
    """What a worker does for one tile."""
    with at_most(1):
        if token not in _kept:
            _kept.clear()
            _kept[token] = frontier_of(network, domain, Meter(budget, len(network.layers)), n_tiles=n_tiles)
        return finish(_kept[token], n_tiles, tile, Meter(budget, len(network.layers)), count=count)


def splits(network: Network, domain: Any) -> bool:
    """Whether tiles make sense: two or more dimensions, and a layer to split after."""
    if not isinstance(domain, Domain) or domain.dimension < 2:
        raise InvalidDomain(
            f"a {type(domain).__name__.lower()} is not divided into tiles.",
            hint="planes, boxes and polytopes are; leave out cluster=",
        )
    return len(network.layers) > 1


class Tiling:
    """The tasks that finish the tiles of a complex, on a Dask client or (None) here."""

    def __init__(self, network: Network, domain: Domain, client: Any, budget: Budget, progress: Progress | None) -> None:
        self.network = Network(network.nodes, name=network.name)  # without what was remembered about it
        self.domain, self.client, self.budget, self.progress = domain, client, budget, progress
        self.meter = Meter(budget, len(network.layers))
        self.n_tiles = TILES_PER_WORKER * (n_workers_of(client) if client is not None else 1)

    @cached_property
    def frontier(self) -> Frontier:
        return frontier_of(self.network, self.domain, self.meter.part(), n_tiles=self.n_tiles)

    def results(self, *, count: bool) -> Iterator[tuple[int, Any]]:
        """The tiles (or their counts) as they are finished; watches the budget."""
        n_cells = 0
        for done, (i, result) in enumerate(self._run(count), start=1):
            n_cells += result[0] if count else 0 if result is None else result.n_cells
            self.meter.n_cells = n_cells
            if self.progress is not None:
                report = {"tiles_done": done, "n_tiles": self.n_tiles, "n_cells": n_cells, "seconds": self.meter.seconds}
                self.progress(report)
            self.meter.check()
            yield i, result

    def _run(self, count: bool) -> Iterator[tuple[int, Any]]:
        if self.client is None:
            for i in range(self.n_tiles):
                yield i, finish(self.frontier, self.n_tiles, i, self.meter.part(), count=count)
            return
        token = _token(self.network, self.domain, self.n_tiles)
        budget = self.meter.rest()
        tasks = [(token, self.network, self.domain, self.n_tiles, i, budget, count) for i in range(self.n_tiles)]
        # gluing needs the frontier here too: it is computed while the workers work
        yield from run_tasks(
            self.client, task, tasks, meanwhile=(lambda: None) if count else (lambda: self.frontier), tick=self.meter.check
        )


def _token(network: Network, domain: Domain, n_tiles: int) -> str:
    """A name for the frontier: the same for equal weights and domains."""
    digest = hashlib.sha256(f"{n_tiles} {type(domain).__name__} {domain.chart.is_through}".encode())
    arrays = [domain.chart.points, domain.window, *(x for n in ("A", "b") if (x := getattr(domain, n, None)) is not None)]
    for node in network.nodes:
        digest.update(f"{node.op.kind} {node.inputs} {node.shape} {node.op.settings()}".encode())
        arrays += list(node.op.arrays().values())
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def decompose_on(
    cluster: Any, network: Network, domain: Domain, *, budget: Budget | None = None, progress: Progress | None = None
) -> BoundedComplex:
    """The complex, its tiles computed on a cluster (None: one after the other in this process)."""
    from plica.geometry.plane._complex import PlaneComplex
    from plica.geometry.space._complex import SpaceComplex

    with _client(cluster) as client:
        tiling = Tiling(network, domain, client, budget or Budget(), progress)
        found = dict(tiling.results(count=False))
    tiles: list[Any] = [found[i] for i in sorted(found) if found[i] is not None]
    exponent = rescaled(network, domain)[1][-1]
    if isinstance(tiling.frontier, PlaneFrontier):
        assert all(isinstance(t, PlaneTile) for t in tiles)
        plane = glue_plane(tiling.frontier, tiles)
        return PlaneComplex(network, domain, plane, exponent=exponent, seconds=tiling.meter.seconds)
    assert all(isinstance(t, SpaceTile) for t in tiles) and isinstance(domain, (Box, Polytope))
    space = glue_space(tiling.frontier, tiles)
    return SpaceComplex(network, domain, space, exponent=exponent, seconds=tiling.meter.seconds)


def count_on(
    cluster: Any, network: Network, domain: Domain, *, budget: Budget | None = None, progress: Progress | None = None
) -> RegionCount:
    """The number of cells, tile by tile; no geometry is kept."""
    with _client(cluster) as client:
        tiling = Tiling(network, domain, client, budget or Budget(), progress)
        counts = [result for _, result in tiling.results(count=True)]
    return RegionCount(sum(n for n, _ in counts), None, sum((d for _, d in counts), Decisions()), tiling.meter.seconds)


def _client(cluster: Any) -> Any:
    from contextlib import nullcontext

    return nullcontext(None) if cluster is None else connected(cluster)
