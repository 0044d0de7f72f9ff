"""Lengths along a path through a piecewise-linear network: the path is broken at the folds, then chords add up.

Between consecutive breakpoints of all layers every tensor of the network is affine in the parameter, so the length of its image
is the sum of the distances of its values there. The same sum over the halves of all pieces measures the rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Domain, Meter, Path, decompose, measuring, tick
from plica.network import Network

CHUNK_ENTRIES = 8_000_000  # entries of all tensors together at the points that are evaluated at once


@dataclass(frozen=True, eq=False)
class Sums:
    """Lengths of some tensors along the pieces, the same along their halves, and the number of breakpoints."""

    lengths: Array
    halves: Array
    n_points: int


def piecewise_lengths(network: Network, path: Domain | Path, nodes: list[int], meter: Meter) -> Sums:
    """The lengths of the images of a path in the tensors of the given nodes."""
    complex_ = decompose(network, path, budget=meter.rest())
    t = np.asarray(complex_.vertices)[:, 0]
    fine = np.empty(2 * len(t) - 1)
    fine[::2], fine[1::2] = t, (t[:-1] + t[1:]) / 2
    whole, halves = np.zeros(len(nodes)), np.zeros(len(nodes))
    with measuring(meter), np.errstate(over="ignore", invalid="ignore"):
        for values in _tensors(network, path, fine, nodes):
            for i, rows in enumerate(values):
                whole[i] += np.linalg.norm(np.diff(rows[::2], axis=0), axis=1).sum()
                halves[i] += np.linalg.norm(np.diff(rows, axis=0), axis=1).sum()
    if not np.isfinite(halves).all():
        raise InvalidInput(
            "the lengths are too large for floating point.", hint="scale the weights of the network down, lengths scale with them"
        )
    return Sums(whole, halves, len(t))


def _tensors(network: Network, path: Domain | Path, t: Array, nodes: list[int]) -> Iterator[list[Array]]:
    """The tensors of the nodes at consecutive chunks of parameters; each chunk starts where the last one ended."""
    entries = sum(node.size for node in network.nodes)
    step = max(2, 2 * (CHUNK_ENTRIES // (2 * entries)))
    for first in range(0, len(t) - 1, step):
        part = t[first : first + step + 1]
        tick(8 * len(part) * entries)
        points = path.to_input(part if isinstance(path, Path) else part[:, None])
        values = network.tensors(points.reshape(len(part), *network.input_shape))
        yield [values[i].reshape(len(part), -1) for i in nodes]
