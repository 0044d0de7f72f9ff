"""Sawtooth networks with perturbed parameters, and their pieces on [0, 1]."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import sqrt
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


def as_module(given: Layers) -> nn.Sequential:
    """The same as a torch module in double precision."""
    import torch
    from torch import nn

    parts: list[nn.Module] = []
    for w, b in given:
        layer = nn.utils.skip_init(nn.Linear, w.shape[1], w.shape[0], dtype=torch.float64)
        with torch.no_grad():
            layer.weight.copy_(torch.from_numpy(w))
            layer.bias.copy_(torch.from_numpy(b))
        parts += [layer, nn.ReLU()]
    return nn.Sequential(*parts)


def n_pieces(network: Network) -> int:
    """Affine pieces on [0, 1], exactly."""
    count = count_regions(network, Segment([0.0], [1.0])).n_regions
    assert count is not None
    return count


def n_pieces_in_fractions(given: Layers) -> int:
    """The same for one input, layer by layer: values at breakpoints, and new breakpoints where a unit changes its sign."""
    points = [Fraction(0), Fraction(1)]
    values = [[point] for point in points]
    for w, b in given:
        rows = [[Fraction(float(x)) for x in row] for row in w]
        shifts = [Fraction(float(x)) for x in b]
        values = [[sum(map(mul, r, value), s) for r, s in zip(rows, shifts, strict=True)] for value in values]
        cut_points, cut_values = [points[0]], [values[0]]
        for (t, u), (before, after) in zip(pairwise(points), pairwise(values), strict=True):
            shares = sorted({x / (x - y) for x, y in zip(before, after, strict=True) if x * y < 0})
            for share in (*shares, Fraction(1)):
                cut_points.append(t + share * (u - t))
                cut_values.append([x + share * (y - x) for x, y in zip(before, after, strict=True)])
        points, values = cut_points, [[max(x, Fraction(0)) for x in value] for value in cut_values]
    slopes = [(y[0] - x[0]) / (u - t) for (t, u), (x, y) in zip(pairwise(points), pairwise(values), strict=True)]
    return 1 + sum(a != b for a, b in pairwise(slopes))


@cache
def mean_pieces(std: float, what: str, *, n_trials: int, seed: int) -> tuple[float, float]:
    """Mean number of pieces over perturbations, and its standard error; in fractions, the first two by the engine too."""
    given = layers()
    networks = [perturbed(given, std, what, np.random.default_rng((seed, k))) for k in range(n_trials)]
    found = [n_pieces_in_fractions(network) for network in networks]
    assert found[:2] == [n_pieces(as_network(network)) for network in networks[:2]]
    return mean(found), stdev(found) / sqrt(n_trials)
