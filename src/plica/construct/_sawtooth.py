r"""Networks with one input: the sawtooth, and any piecewise-linear function with one hidden layer."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from plica.errors import InvalidInput
from plica.network import Linear, Network, Rectifier


def sawtooth(depth: int) -> Network:
    r"""The tent map :math:`f(x) = \mathrm{ReLU}(2\,\mathrm{ReLU}(x) - 4\,\mathrm{ReLU}(x - 1/2))` composed with itself.

    All weights are 1, 2, -4 and -1/2. It has :math:`2^{depth}` pieces on [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> sawtooth(3)(np.array([[0.0], [0.125], [0.25], [0.5]])).ravel()
    array([0., 1., 0., 0.])
    """
    if depth < 1:
        raise InvalidInput(f"a sawtooth has depth 1 or more, got {depth}.")
    pair = Linear(np.array([[1.0], [1.0]]), np.array([0.0, -0.5]))
    tent = Linear(np.array([[2.0, -4.0]]))
    ops = [op for _ in range(depth) for op in (pair, Rectifier(), tent, Rectifier())]
    return Network.sequential(1, ops, name=f"sawtooth of depth {depth}")


def interpolant(x: ArrayLike, y: ArrayLike, *, left: float = 0.0, right: float = 0.0) -> Network:
    r"""The piecewise-linear function through (x_i, y_i) with the given slopes outside, with one hidden layer.

    A function with p pieces has p - 1 breakpoints, one ReLU each; a slope on the left needs one more ReLU, which faces left.

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
    return Network.sequential(1, [hidden, Rectifier(), Linear(np.array([out]), np.array([values[0]]))], name="interpolant")
