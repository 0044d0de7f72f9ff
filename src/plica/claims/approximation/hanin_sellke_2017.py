r"""Hanin and Sellke: d units in a layer are too few, d + 1 are enough.

Claim
    A ReLU network with hidden layers of at most d units is at least 1/2 away on a cube from a function that is 1 at its center
    and 0 on its boundary: every point has a path to the boundary on which the network is constant. With d + 1 units in each layer
    chains of maxima and minima of affine forms are computed exactly, and come as near as one likes to every continuous function;
    here to smooth functions of two variables, and to all functions of one.
Source
    B. Hanin, M. Sellke, Approximating Continuous Functions by ReLU Nets of Minimal Width (2017) [hanin2017].
Prediction
    for width d: the value at the center lies between the extremes on the boundary, so the error is at least 1/2, and 1/2 for a
    constant; for width d + 1: a pyramid that is 1 at the center and 0 on the boundary, tangent planes of a convex function within
    their bound, products and saddles put right cap by cap from the middle outward within the error that is asked for, and, for
    d = 1, zigzags with slopes s and -s that turn at multiples of h, within h s of every function with Lipschitz constant s,
    and h s away from a constant
Measurement
    networks of width 2 on the square, random ones and ones trained towards the pyramid, of several depths: their extremes on the
    boundary (plica.decompose along the closed path, exact at all breakpoints); plica.construct.max_min_string,
    plica.construct.narrow_convex, plica.construct.narrow_plane, and plica.construct.narrow, which builds any smooth function with
    d + 2 units in each layer; their distance from the function, enclosed on all cells; for d = 1 the distance from sines and from
    a constant, enclosed on all pieces (plica.construct.approximation_error)
Remark
    A zigzag with slopes s and -s is a chain: where it turns up, the new line is below it everywhere on the left, because it
    changes by no more than s, so that the maximum of both is the zigzag with one turn more; where it turns down, the minimum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, Row, row
from plica.claims.approximation._training import trained
from plica.construct import (
    Construction,
    approximation_error,
    max_min_string,
    narrow,
    narrow_convex,
    narrow_plane,
    sin,
    variables,
)
from plica.geometry import Path, Segment, decompose
from plica.network import Linear, Network, Rectifier, random_network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("arora-2018-maximum", "three-layer-network")
SEED = 1710
SQUARE = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]]


def error_lower_bound(network: Network) -> tuple[float, float, float]:
    """The network at the center and its extremes on the boundary of the square."""
    values = decompose(network, Path(SQUARE)).outputs[:, 0]
    return float(network([0.0, 0.0])[0]), float(values.min()), float(values.max())


def trained_network(depth: int, *, steps: int, seed: int) -> Network:
    """A network of width 2 that Adam fits to the pyramid 1 - max(|x|, |y|)."""
    x = np.random.default_rng(seed).uniform(-1, 1, (512, 2))
    y = 1 - np.abs(x).max(1, keepdims=True)
    return trained((2, *[2] * depth, 1), x, y, "squared", steps=steps, seed=seed)


def pyramid() -> Network:
    """min(1 - x, 1 + x, 1 - y, 1 + y): three units in each layer."""
    forms = [[-1, 0, 1], [1, 0, 1], [0, -1, 1], [0, 1, 1]]
    return max_min_string(forms, ["min"] * 3, low=[-1, -1], high=[1, 1]).network


def zigzag(values: np.ndarray, slope: float) -> Construction:
    """On [0, 1], up or down at every point of a grid towards given values, as a chain of maxima and minima of lines."""
    h = 1 / (len(values) - 1)
    y = float(values[0])
    lines: list[list[float]] = []
    operations: list[str] = []
    for k, goal in enumerate(values[1:].tolist()):
        turn = slope if goal >= y else -slope
        if not lines or turn != lines[-1][0]:
            operations += ["max" if turn > 0 else "min"] if lines else []
            lines.append([turn, y - turn * k * h])
        y += turn * h
    return max_min_string(lines, operations, low=[0.0], high=[1.0])


def rows_on_a_line(full: bool) -> list[Row]:
    """Every function of one variable is within h s of a network of width 2."""
    (t,) = variables(1)
    rows = []
    for n in (16, 64, 256) if full else (16, 64):
        x, h = np.arange(n + 1) / n, 1 / n
        for name, target, values, slope in (
            ("sin 6x", sin(6 * t), np.sin(6 * x), 6.0),
            ("sin(3x) / 2", sin(3 * t) / 2, np.sin(3 * x) / 2, 1.5),
            ("0", 0, np.zeros(n + 1), 1.0),
        ):
            built = zigzag(values, slope)
            error = float(approximation_error(built.network, target, Segment([0.0], [1.0])).high)
            about: dict[str, Any] = {"f": name, "n": n}
            rows.append(row(max(built.network.widths[1:-1]), "=", 2, what="width of a zigzag", **about))
            rows.append(row(error, "=" if name == "0" else "<=", slope * h, kind="certified", what="zigzag", **about))
    return rows


def rows_in_the_plane(full: bool) -> list[Row]:
    """Functions of two variables that are neither convex nor concave, in layers of three units."""
    x, y = variables(2)
    rows = []
    for name, target, errors in (("x y", x * y, (0.25, 0.125)), ("1 + x^2 - y^2", 1 + x * x - y * y, (0.25,))):
        for error in errors if full else errors[:1]:
            built = narrow_plane(target, error=error)
            assert built.certificate is not None
            about: dict[str, Any] = {"f": name, "error": error}
            rows.append(row(max(built.network.widths[1:-1]), "=", 3, what="width of caps", **about))
            rows.append(row(float(built.certificate.true_error.high), "<=", error, kind="certified", what="caps", **about))
    return rows


def check(scale: str) -> Evidence:
    full = scale == "full"
    rows: list[Row] = []
    nets: list[tuple[str, int, Network]] = []
    for depth in (1, 2, 4, 8):
        for k in range(50 if full else 5):
            nets.append(("random", depth, random_network([2, *[2] * depth, 1], seed=SEED + k, weights="he-normal", bias_std=0.5)))
        for k in range(5 if full else 1):
            nets.append(("trained", depth, trained_network(depth, steps=2000 if full else 100, seed=SEED + k)))
    for what, depth, net in nets:
        center, low, high = error_lower_bound(net)
        slack = 1e-12 * (1 + abs(low) + abs(high))
        inside = low - slack <= center <= high + slack
        rows.append(row(int(inside), "=", 1, what=f"{what}, the value at the center is taken on the boundary", depth=depth))
        error = max(abs(1 - center), abs(low), abs(high))
        rows.append(row(error, ">=", 0.5 - 1e-9, kind="certified", what=f"{what}, error", depth=depth))
    half = Network.sequential(2, [Linear(np.zeros((2, 2))), Rectifier(), Linear(np.zeros((1, 2)), np.array([0.5]))])
    center, low, high = error_lower_bound(half)
    rows.append(row(max(abs(1 - center), abs(low), abs(high)), "=", 0.5, what="the constant 1/2, error", depth=1))
    center, low, high = error_lower_bound(pyramid())
    rows.append(row(center, "=", 1.0, what="width 3, at the center"))
    rows.append(row(max(abs(low), abs(high)), "=", 0.0, what="width 3, on the boundary"))
    x, y = variables(2)
    for n in (3, 6) if full else (3,):
        bowl = narrow_convex(x * x + x * y + y * y, n, low=[-1, -1], high=[1, 1])
        assert bowl.certificate is not None
        error = float(bowl.certificate.true_error.high)
        rows.append(row(max(bowl.network.widths[1:-1]), "=", 3, what="width of tangent planes", n=n))
        rows.append(row(error, "<=", float(bowl.certificate.bound) * (1 + 1e-5), kind="certified", what="tangent planes", n=n))
    rows += rows_in_the_plane(full)
    for n in (2, 4) if full else (2,):  # one unit more than the theorem needs, and any function
        saddle = narrow(1 + x * x - y * y, n)
        assert saddle.certificate is not None
        rows.append(row(max(saddle.network.widths[1:-1]), "=", 4, what="width of hats in a row", n=n))
        error, bound = float(saddle.certificate.true_error.high), float(saddle.certificate.bound) * (1 + 1e-5)
        rows.append(row(error, "<=", bound, kind="certified", what="hats in a row", n=n))
    rows += rows_on_a_line(full)
    shown = next(net for what, depth, net in nets if (what, depth) == ("trained", 4))
    return Evidence(rows, draw=figure(shown), seed=SEED)


def figure(narrow: Network) -> Callable[[Axes], None]:
    """Level sets of a trained network of width 2, which leave the square, and of the pyramid of width 3."""

    def draw(ax: Axes) -> None:
        t: Any = np.linspace(-1, 1, 101)
        grid = np.stack(np.meshgrid(t, t), -1).reshape(-1, 2)
        for net, shift, color in ((narrow, 0.0, BOUND), (pyramid(), 2.3, MEASUREMENT)):
            ax.contour(t + shift, t, net(grid).reshape(101, 101), levels=6, colors=color, linewidths=1.0)
        ax.set_title("width 2, trained, and width 3", fontsize="medium")
        ax.set_aspect("equal")
        ax.set_axis_off()

    return draw
