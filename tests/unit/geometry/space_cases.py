"""Networks for the tests of the space engine, and what they compare."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from plica.network import Builder, Linear, Network, random_network
from plica.testing import FAMILIES
from plica.testing._families import generator

PLANAR = ("corners and edges", "pencil")  # families made for two inputs
WIDE = ("max-pool", "average pool")  # families whose networks have hundreds of cells


def known(dimension: int, kind: str, width: int) -> Network:
    """The networks of the published comparison: two hidden layers, seed 0."""
    scheme = {"weights": "he-normal", "bias_std": 0.5} if kind == "he" else {"weights": "torch-default"}
    return random_network([dimension, width, width, 1], seed=0, **scheme)  # type: ignore[arg-type]


def drawn(family: str, seed: int, dimension: int, hidden: tuple[int, ...] = (4, 3)) -> Network:
    """A network of a family with more inputs; one that is made for two inputs gets an integer matrix before it."""
    rng = generator(family, seed, f"space {dimension}")
    if family in PLANAR:
        net = FAMILIES[family](rng, (2, *hidden, 2))
    else:
        net = FAMILIES[family](rng, (dimension, *hidden, 2))
    if net.n_inputs == dimension:
        return net
    return precomposed(net, rng.integers(-1, 2, (net.n_inputs, dimension)).astype(float))


def precomposed(net: Network, matrix: Any) -> Network:
    """The network after a linear map of its input."""
    from plica.network import Reshape

    b = Builder(matrix.shape[1])
    start = b.add(Linear(matrix))
    new = {0: start if len(net.input_shape) == 1 else b.add(Reshape(net.input_shape), start)}
    for i, node in enumerate(net.nodes[1:], start=1):
        new[i] = b.add(node.op, *(new[j] for j in node.inputs))
    return b.build()


def patterns(cx: Any) -> dict[tuple[int, ...], int]:
    """The cell of each pattern."""
    return {tuple(int(s) for part in cx.pattern(i) for s in part.reshape(-1)): i for i in range(cx.n_cells)}


def neighbor_patterns(cx: Any) -> dict[tuple[int, ...], frozenset[tuple[int, ...]]]:
    """For each pattern those of the neighbors."""
    name = {i: key for key, i in patterns(cx).items()}
    return {key: frozenset(name[j] for j in cx.neighbors(i)) for i, key in name.items()}


def euler(cx: Any) -> int:
    """The alternating sum of the numbers of faces."""
    return sum((-1) ** d * n for d, n in enumerate(cx.n_faces))


def exact(x: Any) -> tuple[Fraction, ...]:
    return tuple(Fraction(float(c)) for c in np.asarray(x).reshape(-1))
