"""Networks with one hidden layer, the changes that may leave their function alone, and the exact difference of two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.geometry import Box, Segment, decompose
from plica.network import Linear, Network, Rectifier


@dataclass(frozen=True)
class Layer:
    """x -> v . ReLU(W x + b), with weights that are small multiples of 1/8, so that sums are exact."""

    W: Array
    b: Array
    v: Array

    @staticmethod
    def random(n: int, *, seed: int, d: int = 2) -> Layer:
        rng = np.random.default_rng(seed)
        W, b, v = (rng.integers(-32, 33, size) / 8 for size in ((n, d), n, n))
        return Layer(np.where(W == 0, 1.0, W), b, np.where(v == 0, 1.0, v))

    def network(self) -> Network:
        return Network.sequential(self.W.shape[1], [Linear(self.W, self.b), Rectifier(), Linear(self.v[None, :])])

    def neurons(self) -> list[tuple[float, ...]]:
        """What identifies the network up to the order of its neurons."""
        return sorted((*w, b, v) for w, b, v in zip(self.W.tolist(), self.b.tolist(), self.v.tolist(), strict=True))

    def rescaled(self, factor: float) -> Layer:
        """The first neuron's input multiplied, its output divided by a power of two."""
        scale = np.where(np.arange(len(self.b)) == 0, factor, 1.0)
        return Layer(scale[:, None] * self.W, scale * self.b, self.v / scale)

    def permuted(self, seed: int) -> Layer:
        order = np.random.default_rng(seed).permutation(len(self.b))
        return Layer(self.W[order], self.b[order], self.v[order])

    def with_dead_neuron(self, output_weight: float) -> Layer:
        """One more neuron, ReLU(-1) = 0, with any output weight."""
        d = self.W.shape[1]
        return Layer(np.vstack([self.W, np.zeros((1, d))]), np.append(self.b, -1.0), np.append(self.v, output_weight))


def n_nonzero_cells(first: Layer, second: Layer) -> int:
    """Cells of the difference of two networks, on a box, where it is not the zero map."""
    cx = decompose(difference(first, second).network(), _domain(first))
    return sum(bool(np.any(A) or np.any(c)) for A, c in (cell.affine_map for cell in cx.cells))


def n_wrong_maps(first: Layer, second: Layer) -> int:
    """Cells of a box on which the affine map of the difference is not the sum of the neurons that are positive inside."""
    both = difference(first, second)
    wrong = 0
    for cell in decompose(both.network(), _domain(first)).cells:
        active = both.W @ cell.center + both.b > 0
        gradient, constant = (both.v * active) @ both.W, (both.v * active) @ both.b  # sums of multiples of 1/64: exact
        A, c = cell.affine_map
        wrong += bool(np.any(A[0] != gradient) or c[0] != constant)
    return wrong


def difference(first: Layer, second: Layer) -> Layer:
    return Layer(np.vstack([first.W, second.W]), np.append(first.b, second.b), np.append(first.v, -second.v))


def _domain(layer: Layer) -> Box | Segment:
    d = layer.W.shape[1]
    return Segment([-64.0], [64.0]) if d == 1 else Box([-64.0] * d, [64.0] * d)
