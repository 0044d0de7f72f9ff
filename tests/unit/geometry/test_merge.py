"""Cells that agree in the states of one layer are united to the cells of that layer alone; tiles on several threads."""

from typing import Any

import numpy as np
import pytest

from plica._parallel import at_most
from plica.geometry import Box, Budget, Plane, decompose
from plica.geometry._budget import Meter
from plica.geometry.plane._merge import merge_cells
from plica.geometry.tiles._stream import finished_tiles
from plica.network import Linear, Network, Rectifier, random_network


def loops(mesh: Any, vertices: Any) -> set[tuple[tuple[float, float], ...]]:
    """The cells as rings of corners, each beginning at its least corner."""
    found = set()
    for low, high in zip(mesh.offsets[:-1], mesh.offsets[1:], strict=True):
        half = mesh.half_edges[low:high]
        ring = [tuple(np.round(vertices[v], 9).tolist()) for v in mesh.edges[half >> 1, half & 1]]
        least = ring.index(min(ring))
        found.add(tuple(ring[least:] + ring[:least]))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_the_united_cells_are_those_of_the_first_layer(seed: int) -> None:
    network, box = random_network([2, 9, 8, 1], seed=seed), Box([-2, -2], [2, 2])
    affine = network.nodes[1].op
    first = decompose(Network.sequential(2, [Linear(affine.coefficients, affine.offset), Rectifier()]), box)
    cx = decompose(network, box)
    mesh = cx._walk.mesh
    merged = merge_cells(mesh, cx.patterns()[0])
    assert merged.mesh.n_cells == first.n_cells < cx.n_cells
    assert len(merged.vertices) == len(first.vertices)
    assert len(merged.mesh.edges) == len(first._walk.mesh.edges)
    assert loops(merged.mesh, cx.vertices[merged.vertices]) == loops(first._walk.mesh, first.vertices)


def test_tiles_on_several_threads_are_the_tiles_of_one() -> None:
    network, plane = random_network([6, 24, 24, 2], seed=3), Plane.through(*np.random.default_rng(0).uniform(-1, 1, size=(3, 6)))
    seen = []
    for threads in (1, 4):
        with at_most(threads):
            found = finished_tiles(
                network, plane, Meter(Budget(), 2), look=lambda done: (done.program.tile, done.n_cells), most=10
            )
            seen.append([(tile.polygon, n) for tile, n in found])
    assert len(seen[0]) > 8
    assert seen[0] == seen[1]
