"""Domains to decompose networks over, the odd ones included."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from plica._types import Array
from plica.geometry import Box, Domain, Plane, Segment
from plica.network import Affine, Network
from plica.testing._families import generator

_HEXAGON = np.array([[2, 0], [1, 2], [-1, 2], [-2, 0], [-1, -2], [1, -2]]) / 2


def _unit_box(network: Network, rng: np.random.Generator) -> Domain:
    return _window(network, rng, np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]))


def _integer_box(network: Network, rng: np.random.Generator) -> Domain:
    low = rng.integers(-3, 2, 2)
    a, b = low, low + rng.integers(1, 4, 2)
    return _window(network, rng, np.array([a, [b[0], a[1]], b, [a[0], b[1]]]))


def _triangle(network: Network, rng: np.random.Generator) -> Domain:
    if network.n_inputs == 2:
        return _window(network, rng, np.array([[-1, -1], [2, -1], [0, 1 + int(rng.integers(3))]]))
    return Plane.through(*rng.integers(-2, 3, (3, network.n_inputs)) + np.eye(3, network.n_inputs) * 8)


def _hexagon(network: Network, rng: np.random.Generator) -> Domain:
    return _window(network, rng, _HEXAGON * rng.choice([0.5, 1.0, 3.0]) + rng.integers(-1, 2, 2))


def _random_plane(network: Network, rng: np.random.Generator) -> Domain:
    x = rng.normal(size=(3, network.n_inputs))
    return Plane.through(*x, margin=float(rng.choice([0.0, 0.3])))


def _tiny_box(network: Network, rng: np.random.Generator) -> Domain:
    """A window of 1e-12 around a vertex of the first layer, or what floating point takes for it."""
    center = _first_vertex(network, rng)
    corners = center + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * rng.choice([1e-12, 2.0**-40])
    return _window(network, rng, corners)


def _thin_window(network: Network, rng: np.random.Generator) -> Domain:
    height = float(rng.choice([1e-6, 2.0**-30]))
    corners = np.array([[-1, 0], [1, 0], [1, height], [-1, height]])
    return _window(network, rng, corners if rng.integers(2) else np.array([[-1, -1], [1, 1], [1, 1 + height], [-1, -1 + height]]))


def _far_box(network: Network, rng: np.random.Generator) -> Domain:
    center = rng.choice([-1e6, 1e6, 2.0**30], 2)
    return _window(network, rng, center + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * float(rng.choice([1.0, 1e6])))


def _huge_box(network: Network, rng: np.random.Generator) -> Domain:
    size = float(rng.choice([1e40, 1e100, 1e160, 1e200]))
    return _window(network, rng, size * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]))


def _minute_box(network: Network, rng: np.random.Generator) -> Domain:
    size = float(rng.choice([1e-40, 1e-100, 1e-160, 1e-310]))
    return _window(network, rng, size * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]))


def _uneven_plane(network: Network, rng: np.random.Generator) -> Domain:
    """A plane through points whose coordinates differ by many orders of magnitude."""
    x = rng.normal(size=(3, network.n_inputs)) * 10.0 ** rng.integers(-9, 10, (3, network.n_inputs))
    return Plane.through(*x, margin=float(rng.choice([0.0, 0.3])))


_KINDS: dict[str, Callable[[Network, np.random.Generator], Domain]] = {
    "unit box": _unit_box,
    "integer box": _integer_box,
    "triangle": _triangle,
    "hexagon": _hexagon,
    "random plane": _random_plane,
    "tiny box": _tiny_box,
    "thin window": _thin_window,
    "far box": _far_box,
    "huge box": _huge_box,
    "minute box": _minute_box,
    "uneven plane": _uneven_plane,
}
DOMAIN_KINDS = tuple(_KINDS)


def draw_domain(network: Network, *, seed: int, kind: str = "any") -> Domain:
    """A two-dimensional domain for the network: a box or a plane with one of several windows.

    Examples
    --------
    >>> from plica.testing import draw_network
    >>> draw_domain(draw_network("gaussian", seed=0), seed=0, kind="unit box").size
    4.0
    """
    rng = generator("domain", seed)
    if kind == "any":
        kind = "unit box" if rng.integers(2) else str(rng.choice(DOMAIN_KINDS))
    return _KINDS[kind](network, rng)


def draw_segment(network: Network, *, seed: int) -> Segment:
    """A segment for the network, between random, integer, nearly equal, far or uneven points."""
    rng = generator("segment", seed)
    kind, n = int(rng.integers(6)), network.n_inputs
    a, b = rng.normal(size=(2, n))
    if kind == 1:
        a = rng.integers(-2, 3, n).astype(float)
        b = a + rng.integers(1, 4, n) * rng.choice([-1, 1], n)
    elif kind == 2:
        a, b = 1e6 * a, 1e6 * b
    elif kind == 3:
        b = a + 1e-9 * b
    elif kind == 4:
        scale = 10.0 ** rng.choice([-200, -40, 40, 200])
        a, b = scale * a, scale * b
    elif kind == 5:
        a, b = 10.0 ** rng.integers(-9, 10, (2, n)) * np.stack([a, b])
    return Segment(a, b)


def exact_chart(domain: Domain) -> Array:
    """The chart's columns as an object array of fractions."""
    return np.array(domain.chart.columns.fractions(), dtype=object).reshape(domain.chart.columns.shape)


def _window(network: Network, rng: np.random.Generator, corners: Array) -> Domain:
    """A polygon of parameters: a box if it is one and the network has two inputs, else a plane."""
    corners = np.asarray(corners, dtype=np.float64)
    if network.n_inputs == 2:
        a, b = corners.min(axis=0), corners.max(axis=0)
        rectangle = np.array([a, [b[0], a[1]], b, [a[0], b[1]]])
        if np.array_equal(corners, rectangle):
            return Box(a, b)
        return Plane(np.zeros(2), np.eye(2), window=corners)
    integer = bool(rng.integers(2))
    x = rng.integers(-1, 2, (3, network.n_inputs)) if integer else rng.normal(size=(3, network.n_inputs))
    return Plane(x[0], x[1:] + (4 * np.eye(2, network.n_inputs) if integer else 0.0), window=corners)


def _first_vertex(network: Network, rng: np.random.Generator) -> Array:
    """Where two folds of the first layer meet in the plane of a chain with two inputs, rounded; else a small dyadic point."""
    op = network.nodes[1].op
    if isinstance(op, Affine) and op.kind == "linear" and network.n_inputs == 2 and op.coefficients is not None:
        weight, bias = op.coefficients, op.offset
        if len(weight) > 1 and bias is not None:
            i, j = rng.permutation(len(weight))[:2]
            with np.errstate(all="ignore"):
                scale = np.abs(weight[[i, j]]).max(axis=1)
                a, c = weight[[i, j]] / scale[:, None], bias[[i, j]] / scale
                if np.isfinite(a).all() and np.isfinite(c).all() and abs(np.linalg.det(a)) > 1e-6:
                    point = np.linalg.solve(a, -c)
                    if np.abs(point).max() < 1e3:
                        return np.asarray(point)
    return rng.integers(-8, 9, 2) / 8
