"""Sawtooth networks with perturbed parameters, and their pieces on [0, 1]."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import gcd, sqrt
from operator import mul
from statistics import mean, stdev
from typing import TYPE_CHECKING

import numpy as np

from plica._types import Array
from plica.construct import sawtooth
from plica.geometry import Segment, count_regions
from plica.network import Linear, Network, Rectifier

if TYPE_CHECKING:
    from torch import nn

Layers = list[tuple[Array, Array]]
DEPTH = 6
PIECES = 2**DEPTH
WHAT = ("all", "weights", "biases")


def layers(depth: int = DEPTH) -> Layers:
    """Weights and biases of the sawtooth with 2^depth pieces."""
    return layers_of(sawtooth(depth).network)


def layers_of(network: Network) -> Layers:
    """Weights and biases of a network of ReLU layers."""
    ops = network.dense_layers
    return [(np.array(op.weight), np.zeros(len(op.weight)) if op.bias is None else np.array(op.bias)) for op in ops]


def perturbed(given: Layers, std: float, what: str, rng: np.random.Generator) -> Layers:
    """Every number w becomes w (1 + e), e normal with this standard deviation; of weights, of biases or of both."""

    def noisy(a: Array, is_chosen: bool) -> Array:
        return a * (1 + std * rng.standard_normal(a.shape)) if is_chosen else a

    return [(noisy(w, what != "biases"), noisy(b, what != "weights")) for w, b in given]


def as_network(given: Layers) -> Network:
    """ReLU after every layer, the last one included."""
    ops: list[Linear | Rectifier] = []
    for w, b in given:
        ops += [Linear(w, b), Rectifier()]
    return Network.sequential(given[0][0].shape[1], ops)


def as_stacked_module(given: Sequence[Layers]) -> nn.Module:
    """Networks of one shape side by side as a torch module in double precision: inputs (networks, points, 1), outputs alike."""
    import torch
    from torch import nn

    class Stacked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            parts = [[np.stack(arrays) for arrays in zip(*layer, strict=True)] for layer in zip(*given, strict=True)]
            self.weights = nn.ParameterList(nn.Parameter(torch.from_numpy(w.transpose(0, 2, 1).copy())) for w, _ in parts)
            self.biases = nn.ParameterList(nn.Parameter(torch.from_numpy(b[:, None])) for _, b in parts)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            for w, b in zip(self.weights, self.biases, strict=True):
                x = torch.relu(torch.baddbmm(b, x, w))
            return x

    return Stacked()


def layers_of_stacked(module: nn.Module) -> list[Layers]:
    """The networks of a stacked module again."""
    numbers = [p.detach().numpy() for p in module.parameters()]
    n_layers = len(numbers) // 2
    pairs = list(zip(numbers[:n_layers], numbers[n_layers:], strict=True))
    return [[(w[k].T.copy(), b[k, 0].copy()) for w, b in pairs] for k in range(len(numbers[0]))]


def n_pieces(network: Network) -> int:
    """Affine pieces on [0, 1], exactly."""
    count = count_regions(network, Segment([0.0], [1.0])).n_regions
    assert count is not None
    return count


def n_pieces_in_fractions(given: Layers) -> int:
    """The same for one input, layer by layer: values at breakpoints, and new breakpoints where a unit changes its sign.

    A vertex is a list of integers: its place, the values there, and the denominator of all of them, above zero.
    """
    vertices = [[0, 0, 1], [1, 1, 1]]
    for weight, bias in given:
        rows, unit = _integers(np.column_stack([weight, bias]))
        # (values, denominator) times a row of (weights, bias)
        vertices = [_reduced([v[0] * unit, *(sum(map(mul, r, v[1:])) for r in rows), v[-1] * unit]) for v in vertices]
        cut = vertices[:1]
        for before, after in pairwise(vertices):
            found = {}
            for x, y in zip(before[1:-1], after[1:-1], strict=True):
                if x * y < 0:
                    new = _reduced([abs(y) * p + abs(x) * q for p, q in zip(before, after, strict=True)])
                    found[Fraction(new[0], new[-1])] = new
            cut += [found[place] for place in sorted(found)] + [after]
        vertices = [[v[0], *(max(x, 0) for x in v[1:-1]), v[-1]] for v in cut]
    return 1 + sum(not _are_collinear(*three) for three in zip(vertices, vertices[1:], vertices[2:], strict=False))


def _integers(matrix: Array) -> tuple[list[list[int]], int]:
    """Floats as integers over one denominator."""
    ratios = [[float(x).as_integer_ratio() for x in row] for row in matrix]
    unit = max(d for row in ratios for _, d in row)
    return [[n * (unit // d) for n, d in row] for row in ratios], unit


def _reduced(vertex: list[int]) -> list[int]:
    divisor = gcd(*vertex)
    return [x // divisor for x in vertex]


def _are_collinear(a: list[int], b: list[int], c: list[int]) -> bool:
    """Three vertices with one value each: a determinant of (place, value, denominator)."""
    minors = (b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0])
    return sum(map(mul, a, minors)) == 0


@cache
def mean_pieces(std: float, what: str, *, n_trials: int, seed: int) -> tuple[float, float]:
    """Mean number of pieces over perturbations, and its standard error; in fractions, the first two by the engine too."""
    given = layers()
    networks = [perturbed(given, std, what, np.random.default_rng((seed, k))) for k in range(n_trials)]
    found = [n_pieces_in_fractions(network) for network in networks]
    assert found[:2] == [n_pieces(as_network(network)) for network in networks[:2]]
    return mean(found), stdev(found) / sqrt(n_trials)
