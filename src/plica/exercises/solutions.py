"""Solutions of the exercises, for those who grade: ``solution(id)`` is an answer that passes."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np

from plica._types import Array
from plica.construct import folding, maximum, squaring
from plica.errors import InvalidInput
from plica.exercises._approximation import POINTS
from plica.exercises._learning import classifier
from plica.exercises._talk import nearly_small, small
from plica.geometry import Box, count_regions
from plica.measure import compare, fold_distance
from plica.network import Linear, Network, Rectifier, extended, random_network
from plica.robust import class_distance


def solution(id: str) -> Any:
    """An answer to an exercise."""
    if id not in _SOLUTIONS:
        raise InvalidInput(f"no solution of {id!r}.", hint="`plica exercise` lists the exercises")
    return _SOLUTIONS[id]()


def _layers(*pairs: tuple[Any, Any]) -> Network:
    """Dense layers with ReLU between them."""
    ops: list[Any] = []
    for weight, bias in pairs:
        ops += [Rectifier()] if ops else []
        ops.append(Linear(np.array(weight, dtype=float), np.array(bias, dtype=float)))
    return Network.sequential(np.shape(pairs[0][0])[1], ops)


def _parallel() -> Network:
    return _layers(([[1, 0]] * 6, [0, 1, 2, 3, 4, 5]), ([[1, 2, 4, 8, 16, 32]], [0]))


def _central() -> Network:
    angles = np.pi * (np.arange(7) + 0.5) / 7
    return _layers((np.stack([np.cos(angles), np.sin(angles)], axis=1), np.zeros(7)), ([[1, 2, 4, 8, 16, 32, 64]], [0]))


def _stretched() -> Network:
    """Sums and differences, each kept as its two halves twice over: the next layer adds them up again."""
    turns = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]] * 2)
    read = np.array([[1, -1, 0, 0] * 2, [0, 0, 1, -1] * 2])  # twice the sum, twice the difference
    return _layers((turns, np.zeros(8)), (turns @ read, np.zeros(8)), (np.array([[1, 1], [1, -1]]) @ read, [0, 0]))


def _teeth() -> Network:
    """Four tents, one after the other, each made of two neurons."""
    first, fold, last = ([[2], [4]], [0, -2]), ([[2, -2], [4, -4]], [0, -2]), ([[1, -1]], [0])
    return _layers(first, fold, fold, fold, last)


def _slim() -> Network:
    """Those that are alike become one, those that are off on the square go."""
    first, last = random_network([2, 7, 1], seed=15).dense_layers
    outer = np.array(last.weight)
    outer[0, :3] += 2 * np.array([0.5, -0.25, 0.125])
    return _layers((first.weight, first.bias), (outer, last.bias))


def _interpolated() -> Network:
    """A bend at every point but the last, with the change of slope there as its weight."""
    x, y = np.array(POINTS).T
    slopes = np.diff(y) / np.diff(x)
    return _layers((np.ones((4, 1)), -x[:-1]), ([np.diff(slopes, prepend=0.0)], y[:1]))


def _fooled() -> Array:
    """The nearest point of a tie, and a little beyond it."""
    start = np.array([0.3, -0.2])
    tie = np.asarray(class_distance(classifier(), start).point)
    return start + 1.01 * (tie - start)


def _rescaled() -> Network:
    """Every unit of a layer doubled, and halved by the next; the second layer by other factors."""
    (W, b), (V, c), (U, d) = ((np.array(layer.weight), np.array(layer.bias)) for layer in small().dense_layers)
    return _layers((2 * W, 2 * b), (4 * V / 2, 4 * c), (U / 4, d))


def _shifted() -> Network:
    """The network of squares is above the parabola by up to 1/64: half of that is taken away."""
    return extended(squaring(2).network, [Linear(np.ones((1, 1)), np.array([-1 / 128]))])


def _apart() -> Array:
    """Where the difference of the two is largest, exactly."""
    return np.array([float(t) for t in compare(nearly_small(), small(), Box([-1.0, -1.0], [1.0, 1.0])).largest.point])


def _active() -> Array:
    grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, 81)] * 2), axis=-1).reshape(-1, 2)
    network = small()
    return grid[int(np.argmax([sum(int((s > 0).sum()) for s in network.pattern(p)) for p in grid]))]


def _affine() -> Array:
    network = small()
    slope, offset = network.linearize(network.pattern(np.array([0.25, 0.5])))
    return np.array([*slope[0], *offset])


_SOLUTIONS: dict[str, Callable[[], Any]] = {
    "five-lines": lambda: 16,
    "what-a-line-adds": lambda: 9,
    "seven-regions": _parallel,
    "through-one-point": _central,
    "ten-times-longer": _stretched,
    "a-hundred-regions": lambda: folding([2, 4, 4, 4, 1]),
    "planes-in-space": lambda: 19,
    "refute-the-slide": lambda: [4, 2],
    "sixteen-pieces": _teeth,
    "a-square": lambda: squaring(4),
    "beat-the-certificate": _shifted,
    "he-scale": lambda: sqrt(2 / 128),
    "largest-step": lambda: 2 / 25,
    "fewer-neurons": _slim,
    "nearest-other-class": _fooled,
    "dropout-is-ridge": lambda: 0.25,
    "through-five-points": _interpolated,
    "a-hat": lambda: _layers(([[1], [1], [1]], [0, -0.5, -1]), ([[2, -4, 2]], [0])),
    "maximum-of-three": lambda: maximum(3),
    "parity-of-four": lambda: _layers(([[1] * 4] * 4, [0, -1, -2, -3]), ([[1, -2, 2, -2]], [0])),
    "variance-of-scores": lambda: sqrt(192),
    "affine-on-its-cell": _affine,
    "nearest-fold": lambda: float(np.ravel(fold_distance(small(), np.array([[0.25, 0.5]])).distance)[0]),
    "count-the-regions": lambda: count_regions(small(), Box([-1.0, -1.0], [1.0, 1.0])).n_regions,
    "most-active": _active,
    "where-they-differ": _apart,
    "another-network": _rescaled,
}
