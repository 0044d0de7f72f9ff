r"""Any piecewise-linear function of one variable with one hidden layer."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from plica.construct._construction import Construction
from plica.errors import InvalidInput
from plica.network import Linear, Network, Rectifier


def interpolant(x: ArrayLike, y: ArrayLike, *, left: float = 0.0, right: float = 0.0) -> Construction:
    r"""The piecewise-linear function through (x_i, y_i) with the given slopes outside, with one hidden layer.

    A function with p pieces has p - 1 breakpoints, one ReLU each; a slope on the left needs one more ReLU, which faces left
    [arora2018]_.

    Examples
    --------
    >>> import numpy as np
    >>> interpolant([0, 1, 3], [0, 2, 1])(np.array([[-1.0], [0.5], [2.0], [9.0]])).ravel()
    array([0. , 1. , 1.5, 1. ])
    """
    knots, values = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if knots.shape != values.shape or knots.ndim != 1 or not len(knots) or (np.diff(knots) <= 0).any():
        raise InvalidInput("an interpolant needs as many values as strictly increasing knots, at least one.")
    slopes = np.concatenate([[left], np.diff(values) / np.diff(knots), [right]])
    weight, bias, out = [1.0] * len(knots), list(-knots), list(np.diff(slopes))
    if left:  # -left * ReLU(x_0 - x) has the slope on the left and none on the right
        weight.insert(0, -1.0)
        bias.insert(0, knots[0])
        out.insert(0, -left)
        out[1] += left  # the first knot turns from 0, not from the slope on the left
    hidden = Linear(np.array(weight)[:, None], np.array(bias))
    net = Network.sequential(1, [hidden, Rectifier(), Linear(np.array([out]), np.array([values[0]]))], name="interpolant")
    return Construction(
        name="interpolant",
        network=net,
        parameters={"x": knots, "y": values, "left": left, "right": right},
        theorem={"units": len(knots) + bool(left), "depth": 1, "pieces": len(knots) + 1},
        sources=("arora2018",),
    )
