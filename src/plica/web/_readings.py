"""What a scene compares: a number that a statement predicts beside the number of the picture, for any state it is changed to.

Predictions are closed forms of :mod:`plica.theory`; measurements come from the exact complex.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import floor, isclose, prod
from typing import Any

import numpy as np

from plica.geometry import Budget, Space, decompose
from plica.theory import lengths, regions
from plica.web._scene import Scene

Facts = dict[str, Any]
Reader = Callable[[Scene, Facts, dict[str, Any]], "Reading | None"]

FEW_NEURONS = 24
"""Neurons up to which a scene counts in the whole plane, beyond the window."""


@dataclass(frozen=True)
class Reading:
    """A prediction beside a measurement; ``relation`` is what is said of the measured number: =, <=, >= or ~.

    A measured number that is estimated has a standard ``error``, of which four are allowed; one that is computed in floating
    point may be off by ``rounding``. ``slack`` is what the prediction leaves open, as a part of it.
    """

    what: str
    relation: str
    predicted: float
    measured: float
    error: float = 0.0
    slack: float = 1e-9
    rounding: float = 0.0

    @property
    def holds(self) -> bool | None:
        """Whether the measured number is as predicted; None where only a mean is predicted."""
        if self.relation == "~":
            return None
        room = 4 * self.error + self.rounding
        if self.relation == "=":
            return isclose(self.measured, self.predicted, rel_tol=self.slack, abs_tol=room + self.slack * abs(self.predicted))
        if self.relation == "<=":
            return self.measured <= self.predicted + room
        return self.measured >= self.predicted - room

    def to_dict(self) -> Facts:
        return {**self.__dict__, "holds": self.holds}


def widths(scene: Scene) -> tuple[int, ...]:
    """Inputs, layers, outputs."""
    return (scene.n_inputs, *scene.state.widths, 1)


def counted(relation: str, predicted: Callable[[Scene], float]) -> Reader:
    """The regions of the window, pieces on a line."""

    def read(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
        if facts["n_regions"] is None:
            return None
        what = "pieces" if scene.dimension == 1 else "regions in this window"
        return Reading(what, relation, float(predicted(scene)), facts["n_regions"])

    return read


def cells_counted(relation: str, predicted: Callable[[Scene], float]) -> Reader:
    """The cells of the window."""

    def read(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
        return Reading("cells in this window", relation, float(predicted(scene)), facts["n_cells"])

    return read


def in_the_plane(relation: str, predicted: Callable[[Scene], float], *, bounded: bool = False) -> Reader:
    """The cells of the whole plane, whatever the window shows."""

    def read(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
        network = scene.network
        if network is None or scene.n_inputs != 2 or network.n_neurons > FEW_NEURONS:
            return None
        whole = decompose(network, Space(2), budget=Budget(max_cells=20_000, max_seconds=5))
        what = "bounded cells of the whole plane" if bounded else "cells of the whole plane"
        return Reading(what, relation, float(predicted(scene)), whole.n_bounded if bounded else whole.n_cells)

    return read


def one_layer(formula: Callable[[int, int], int]) -> Callable[[Scene], float]:
    """A formula of the neurons of one layer and the inputs."""
    return lambda scene: formula(scene.state.widths[0], scene.n_inputs)


def deep(formula: Callable[[tuple[int, ...]], Any]) -> Callable[[Scene], float]:
    """A formula of the widths."""
    return lambda scene: float(formula(widths(scene)))


def slide_power(scene: Scene) -> float:
    """The product of n_l^min(n_0, n_l/2) that slides print, as far as exponents are whole."""
    n_0 = scene.n_inputs
    return prod(n ** min(n_0, floor(n / 2)) for n in scene.state.widths)


def characteristic(scene: Scene) -> float:
    """The regions by the characteristic polynomial of the layer's lines."""
    assert scene.layers is not None
    weight, bias = scene.layers[0]
    return float(regions.characteristic_polynomial(weight.tolist(), bias.tolist()).n_regions)


def mostly_active(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
    """Cells with more than half of their units active."""
    if "patterns" not in arrays:
        return None
    n = scene.state.widths[0]
    measured = int(((arrays["patterns"][:, :n] > 0).sum(axis=1) > n / 2).sum())
    return Reading("cells with more than half of the units active", "<=", regions.zaslavsky(n - 1, scene.n_inputs), measured)


def neighbors(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
    """The mean number of neighbors of a cell."""
    inner = arrays["edge_cells"][(arrays["edge_cells"] >= 0).all(axis=1)]
    if not facts["n_cells"]:
        return None
    pairs = len(np.unique(np.sort(inner, axis=1), axis=0))
    return Reading("neighbors of a cell, on average", "<=", 2.0 * scene.dimension, 2 * pairs / facts["n_cells"])


def unions(relation: str) -> Reader:
    """Regions beside cells."""

    def read(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
        if facts["n_regions"] is None:
            return None
        return Reading("regions, of so many cells", relation, facts["n_cells"], facts["n_regions"])

    return read


def length(relation: str, predicted: Callable[[Scene, float], float | None]) -> Reader:
    """The length of the path's image after the last layer."""

    def read(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
        value = predicted(scene, facts["lengths"]["input"])
        what = "length after the last layer" + (", on average over seeds" if relation == "~" else "")
        return None if value is None else Reading(what, relation, value, facts["lengths"]["post"][-1])

    return read


def hard_tanh_base(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
    """The growth from layer to layer that slides print for ReLU, beside the growth of this path."""
    post, layers = facts["lengths"]["post"], scene.state.widths
    if len(post) < 2 or scene.state.init != "normal":
        return None
    base = prod(lengths.raghu_2017_hard_tanh_base(n, weight_std=1.0, bias_std=scene.state.bias) for n in layers[1:])
    return Reading("length after the last layer, from that after layer 0", ">=", post[0] * base, post[-1])


def square_error(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
    """The largest distance from x^2: on a piece it is largest at the ends or where the slopes agree."""
    if scene.dimension != 1:
        return None
    a, b = facts["window"][:2]
    x = arrays["curve"][:, 0].astype(np.float64) * (b - a) + a
    slope, constant = arrays["maps"].T
    touch = np.clip(slope / 2, x[:-1], x[1:])
    error = np.abs(slope * touch + constant - touch**2)
    ends = np.abs(slope * x[:-1] + constant - x[:-1] ** 2)
    predicted = 2.0 ** (-2 * len(scene.state.widths) - 2)
    return Reading("largest error against x²", "=", predicted, float(max(error.max(), ends.max())))


def pieces(relation: str, predicted: Callable[[Scene], float]) -> Reader:
    """The pieces of the drawn segment."""

    def read(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
        if "pieces" not in facts:
            return None
        return Reading("pieces of the segment", relation, predicted(scene), facts["pieces"]["n_cells"])

    return read


def critical_sum(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
    """The indices of the critical points of the output add up to the Euler characteristic of the square."""
    from plica.measure import critical_points

    if scene.network is None or scene.dimension != 2 or facts["n_cells"] > 3_000:
        return None
    cx: Any = decompose(scene.network, scene.domain())
    return Reading("sum of the indices of critical points", "=", 1.0, float(critical_points(cx).euler))


def functional_dimension(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
    """How many parameters matter on the window, beside what scaling leaves of them."""
    from plica import measure

    network = scene.network
    if network is None or facts["n_cells"] > 2_000 or set(scene.state.activations) != {"relu"}:
        return None
    cx: Any = decompose(network, scene.domain())
    left = network.n_parameters - sum(scene.state.widths)
    return Reading("functional dimension in this window", "<=", left, measure.functional_dimension(cx).value)


def holes(relation: str, predicted: float) -> Reader:
    """The holes of the set where the output is not positive: parts of the other class that it encloses."""
    return _betti(1, "parts of the positive class that are enclosed", relation, predicted)


def components(relation: str, predicted: float) -> Reader:
    """The components of the set where the output is positive."""
    return _betti(0, "components of the positive class", relation, predicted)


def _betti(k: int, what: str, relation: str, predicted: float) -> Reader:
    def read(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
        from plica.measure import level_topology

        if scene.network is None or scene.dimension != 2 or facts["n_cells"] > 3_000:
            return None
        found = level_topology(scene.network, scene.domain(), 0.0, above=k == 0)
        return Reading(what, relation, predicted, float(found.betti[k]))

    return read
