r"""Narrow networks of smooth units that compute a wide layer unit by unit: registers carry the input and the sum.

A unit near a point where it has a slope is nearly the identity: :math:`(s(h x) - s(0)) / (h s'(0))`. So n units remember the
input, one unit after the other of the wide layer is computed, and one more unit remembers their sum [kidger2020]_.
"""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.construct.perceptrons._perceptron import Layer, Perceptron
from plica.errors import InvalidInput

#: s(0) and s'(0) of the units that can be registers.
TANGENTS = {"sigmoid": (0.5, 0.25), "softplus": (float(np.log(2.0)), 0.5)}


def registers(wide: Perceptron, *, step: float) -> Perceptron:
    r"""The same function, up to an error that vanishes with ``step``, by n + 2 units in each layer for n inputs and one output.

    For m outputs it is n + m + 1, and the layers are as many as the units of the wide layer. For sigmoids the error is of the
    order of :math:`h^2`, for softplus of h; rounding grows like 1/h.

    Examples
    --------
    >>> wide = Perceptron.shallow([[1.0], [-2.0], [3.0]], [0.0, 0.5, 1.0], [1.0, 2.0, -1.0], activation="sigmoid")
    >>> narrow = registers(wide, step=1e-3)
    >>> narrow.widths, bool(abs(narrow([0.3]) - wide([0.3]))[0] < 1e-6)
    ((1, 3, 3, 3, 1), True)
    """
    if wide.activation not in TANGENTS or len(wide.hidden) != 1:
        raise InvalidInput(
            f"registers are made of one layer of {' or '.join(TANGENTS)} units, got {wide!r}.", hint="Perceptron.shallow(...)"
        )
    if not 0 < step < 1:
        raise InvalidInput(f"the step {step} is not between 0 and 1.")
    (weight, bias), (out, constant) = wide.hidden[0], wide.output
    n, m = wide.n_inputs, wide.n_outputs
    value, slope = TANGENTS[wide.activation]
    decode = 1 / (step * slope)
    coefficients = out[:, n:]
    hidden: list[Layer] = []
    for j in range(len(bias)):
        # what a layer reads: the input, and the sum so far; each as an affine function of everything before
        x, shift, total, start = _state(j, n, m, decode, value, coefficients)
        rows = np.vstack([step * x, weight[j] @ x, step * total])
        offsets = np.concatenate([step * shift, [weight[j] @ shift + bias[j]], step * start])
        hidden.append((rows, offsets))
    x, shift, total, start = _state(len(bias), n, m, decode, value, coefficients)
    last = (total + out[:, :n] @ x, start + out[:, :n] @ shift + constant)
    return Perceptron(n, tuple(hidden), last, wide.activation, f"{wide.name or 'registers'}, {n + m + 1} wide")


def _state(j: int, n: int, m: int, decode: float, value: float, coefficients: Array) -> tuple[Array, Array, Array, Array]:
    """The input and the sum of the first j units, decoded from layer j - 1: weights on all numbers before, and constants."""
    width = n + m + 1
    seen = n + j * width
    x, total = np.zeros((n, seen)), np.zeros((m, seen))
    if j == 0:
        x[:, :n] = np.eye(n)
        return x, np.zeros(n), total, np.zeros(m)
    first = seen - width
    x[:, first : first + n] = decode * np.eye(n)
    total[:, first + n] = coefficients[:, j - 1]
    total[:, first + n + 1 :] = decode * np.eye(m)
    return x, np.full(n, -decode * value), total, np.full(m, -decode * value)
