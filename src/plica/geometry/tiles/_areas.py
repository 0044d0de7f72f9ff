"""How much of a plane each output wins, tile by tile."""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.geometry._budget import Meter
from plica.geometry.domains._domain import Domain
from plica.geometry.signs._positions import settled_positions
from plica.geometry.tiles._program import ContestStep, Program
from plica.geometry.tiles._stream import finished_tiles
from plica.geometry.tiles._tile_walk import TileCells
from plica.network import Network


def areas_by_state(network: Network, domain: Domain, meter: Meter, n_states: int) -> Array:
    """The area of the window, in parameters, where the first neuron of the last fold has each of its states."""
    out = np.zeros(n_states)

    def wanted(program: Program) -> bool:
        step = program.steps[-1]
        if step.n_new:
            return True
        state = int(step.winner[0]) if isinstance(step, ContestStep) else int(step.positive[0])
        out[state] += float(program.tile.exact_size())
        return False

    n_cells = 0
    for done in finished_tiles(network, domain, meter, wanted=wanted):
        states = done.exact.layers[-1].rows(np.arange(done.n_cells))[:, 0]
        out += np.bincount(states.astype(np.intp), weights=areas(done), minlength=n_states)
        n_cells += done.n_cells
        meter.chunk_finished(n_cells, float(out.sum() / domain.size))
    return out


def areas(done: TileCells) -> Array:
    """The areas of a tile's cells in parameters: shoelaces around the first corner of each."""
    mesh = done.mesh
    positions = settled_positions(done.positions(), mesh.vertex_hyperplanes, done.exact)
    p, offsets = positions[mesh.edges[mesh.half_edges >> 1, mesh.half_edges & 1]], mesh.offsets
    base = np.repeat(p[offsets[:-1]], np.diff(offsets), axis=0)
    follow = np.arange(1, len(p) + 1)
    follow[offsets[1:] - 1] = offsets[:-1]
    a, b = p - base, p[follow] - base
    return np.maximum(np.add.reduceat(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], offsets[:-1]) / 2, 0.0)
