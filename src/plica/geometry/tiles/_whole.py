"""The whole complex of a plane through a wide network where few neurons switch: only those are carried.

A small window through an image network has thousands of entries in each layer that are affine on all of it. With the window as
one tile they disappear into the columns of its program, and a vertex has a number for each neuron that may switch.
"""

from __future__ import annotations

from plica.geometry._budget import Meter, watched_anew
from plica.geometry.domains._domain import Domain
from plica.geometry.domains._tile import Tile
from plica.geometry.plane._engine import PlaneWalk
from plica.geometry.tiles._restriction import TooManyNeurons, restricted
from plica.geometry.tiles._tile_walk import TileCells, TileWalker
from plica.geometry.values._tensors import Tensor
from plica.network import Network

MOST_OPEN = 1000  # neurons that may switch in the window


def walk_switching(network: Network, domain: Domain, meter: Meter) -> PlaneWalk | None:
    """The complex of a plane; None where too many neurons may switch."""
    tile = Tile.of(domain)
    try:
        program = restricted(network, tile, most=MOST_OPEN)
    except TooManyNeurons:
        return None
    return walk_of(TileWalker(network, tile, program, meter).run(), meter)


def walk_of(done: TileCells, meter: Meter) -> PlaneWalk:
    """A finished tile as what a complex of the plane is made of."""

    def outputs() -> Tensor:
        with watched_anew(meter.budget, meter.n_layers):
            return done.outputs()

    layers = done.exact.layers
    states = [layer._states for layer in layers]
    decisions = done.exact.tally.decisions
    return PlaneWalk(done.mesh, [x.parent for x in layers], states, done.exact, done.positions(), outputs, decisions)
