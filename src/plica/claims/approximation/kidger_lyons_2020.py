r"""Kidger and Lyons: width n + m + 1 is enough, for smooth units and enough layers.

Claim
    Let s be continuous, not a polynomial, with a continuous derivative that is not zero at some point. Networks of units s with n
    inputs, m outputs and n + m + 1 units in each layer come as near as one likes to every continuous function on a compact set:
    they imitate any wide layer, one unit after the other.
Source
    P. Kidger, T. Lyons, Universal Approximation with Deep Narrow Networks, COLT 2020, abstract: n + m + 2 for every
    activation that is not affine and has a continuous nonzero derivative at some point, "and how the width may be reduced to
    just n + m + 1 for 'most' activation functions" [kidger2020].
Prediction
    with registers (s(h x) - s(0)) / (h s'(0)) the error is K(x) h^p (1 + o(1)): p = 2 for sigmoids, where a register adds - h^2
    x^3 / 12, and p = 1 for softplus, where it adds h x^2 / 4; K follows from how often each number passes a register
Measurement
    plica.construct.registers of random wide layers: the units of its layers, and its distance from the wide layer at random
    points of [-1, 1]^n, for h and h/2
Remark
    A wide layer comes as near as one likes by claims cybenko-1989 and leshno-1993-polynomial-activation, so what is measured is
    the step from there. ReLU networks need n + 1 (claims hanin-sellke-2017 and lu-2017-width).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, row
from plica.construct import Perceptron, registers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("cybenko-1989", "leshno-1993-polynomial-activation", "lu-2017-width", "hanin-sellke-2017")
SEED = 1905
#: order p, the power of x, and the factor of what one register adds: factor h^p x^power, by Taylor's formula
REGISTERS = {"sigmoid": (2, 3, -1 / 12), "softplus": (1, 2, 1 / 4)}
STEP = {"sigmoid": 0.02, "softplus": 0.001}


def slope(kind: str, t: np.ndarray) -> np.ndarray:
    """The derivative of a unit."""
    s = 1 / (1 + np.exp(-t))
    return s * (1 - s) if kind == "sigmoid" else s


def unit(kind: str, t: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-t)) if kind == "sigmoid" else np.log1p(np.exp(t))


def first_order(kind: str, W: np.ndarray, b: np.ndarray, c: np.ndarray, x: np.ndarray) -> np.ndarray:
    """K(x): unit j reads inputs that passed j registers; the sum of the first j units passes one more before unit j is added."""
    _, power, factor = REGISTERS[kind]
    total, found = np.zeros((len(x), len(c))), np.zeros((len(x), len(c)))
    for j, (w, offset) in enumerate(zip(W, b, strict=True)):
        if j:
            found += factor * total**power
        z = x @ w + offset
        found += np.outer(j * slope(kind, z) * (factor * x**power @ w), c[:, j])
        total += np.outer(unit(kind, z), c[:, j])
    return found


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows, curves = [], {}
    for kind, (order, _, _) in REGISTERS.items():
        for n, m, n_units in [(1, 1, 5), (3, 2, 12)] + ([(10, 4, 60)] if scale == "full" else []):
            W, b = rng.normal(size=(n_units, n)) / np.sqrt(n), rng.normal(size=n_units)
            c = rng.normal(size=(m, n_units)) / n_units
            wide = Perceptron(n, ((W, b),), (np.hstack([np.zeros((m, n)), c]), np.zeros(m)), kind)
            x = rng.uniform(-1, 1, size=(400, n))
            errors = []
            for h in (4 * STEP[kind], 2 * STEP[kind], STEP[kind]):
                narrow = registers(wide, step=h)
                errors.append((h, np.abs(narrow(x) - wide(x)).max()))
            about: dict[str, Any] = {"units": kind, "n": n, "m": m, "wide": n_units}
            rows.append(row(max(narrow.widths[1:-1]), "=", n + m + 1, what="units in a layer", **about))
            rows.append(row(len(narrow.layers), "=", n_units, what="layers", **about))
            (_, before), (h, last) = errors[-2:]
            small: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-11, "h": h}
            rows.append(row(before / last, "=", 2.0**order, tolerance=0.01, what="error of h over that of h/2", **small, **about))
            leading = np.abs(first_order(kind, W, b, c, x)).max() * h**order
            rows.append(row(last, "=", leading, tolerance=0.01, what="error", **small, **about))
            curves[f"{kind}, n = {n}"] = errors
    return Evidence(rows, draw=partial(draw, curves), seed=SEED)


def draw(curves: dict[str, list[tuple[float, float]]], ax: Axes) -> None:
    """Errors against h, with the slopes of their orders."""
    for (name, errors), color in zip(curves.items(), SERIES, strict=False):
        h, found = (np.array(column) for column in zip(*errors, strict=True))
        ax.loglog(h, found, "o", color=color, label=name)
        order = REGISTERS[name.split(",")[0]][0]
        ax.loglog(h, found[-1] * (h / h[-1]) ** order, color=PREDICTION, linewidth=0.8)
    ax.set(xlabel="step h", ylabel="largest error")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
