r"""Hats as wavelets: the M largest terms of a function in Faber and Schauder's basis, as a network with quantized weights."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log2
from typing import Any

import numpy as np

from plica._types import Array
from plica.construct._arguments import integer_argument
from plica.construct._construction import Construction
from plica.construct.circuits._circuit import Circuit, Wire
from plica.construct.errors._certificate import certified
from plica.construct.targets._targets import as_target
from plica.errors import InvalidInput
from plica.geometry import Segment

MAX_LEVELS = 20


@dataclass(frozen=True)
class Term:
    """A coefficient times the hat of height 1 over [k, k + 1] / 2^level."""

    level: int
    index: int
    coefficient: float


def hat_coefficients(values: Any) -> list[Array]:
    r"""Coefficients of the hats of each level, from values at the :math:`2^J + 1` points of a dyadic grid.

    The coefficient of a hat is the value at its middle minus the mean of those at its ends.

    Examples
    --------
    >>> [c.tolist() for c in hat_coefficients([0.0, 0.0625, 0.25, 0.5625, 1.0])]
    [[-0.25], [-0.0625, -0.0625]]
    """
    y = np.asarray(values, dtype=np.float64)
    levels = (len(y) - 1).bit_length() - 1
    if y.ndim != 1 or len(y) != 2**levels + 1 or levels < 1:
        raise InvalidInput(f"hats need values at 2^J + 1 points, got {len(y)}.", hint="3, 5, 9, 17, ...")
    out = []
    for level in range(levels):
        step = 2 ** (levels - level)
        ends, middles = y[::step], y[step // 2 :: step]
        out.append(middles - (ends[:-1] + ends[1:]) / 2)
    return out


def largest_terms(values: Any, n_terms: int) -> list[Term]:
    """The hats with the largest coefficients, largest first."""
    found = [Term(level, k, float(c)) for level, row in enumerate(hat_coefficients(values)) for k, c in enumerate(row) if c != 0]
    return sorted(found, key=lambda t: (-abs(t.coefficient), t.level, t.index))[:n_terms]


def wavelets(target: Any, n_terms: int, *, levels: int = 14, bits: int | None = None) -> Construction:
    r"""The straight line between the ends of a function on [0, 1] and its M largest hats, coefficients rounded to few bits.

    Hats are the scaled and shifted copies of one function that three ReLUs represent, an affine system as in [boelcskei2019]_:
    M terms cost O(M) weights, each with :math:`O(\log M)` bits. Which terms are kept depends on the function, so that a
    singularity costs few of them.

    Parameters
    ----------
    target
        A target or an expression of one variable.
    n_terms
        M.
    levels
        Terms are chosen among the hats of this many levels.
    bits
        Binary digits of the coefficients after the point, :math:`4 + 3 \lceil \log_2 (M + 1) \rceil` by default.

    Examples
    --------
    >>> from plica.construct import sqrt, variables
    >>> (x,) = variables(1)
    >>> w = wavelets(sqrt(x), 16)
    >>> w.parameters["bits"], float(w.certificate.bound) < 0.02
    (19, True)
    """
    n_terms, levels = integer_argument("n_terms", n_terms), integer_argument("levels", levels)
    if levels > MAX_LEVELS:
        raise InvalidInput(f"{levels} levels have {2**levels:,} hats; the limit is {MAX_LEVELS} levels.")
    bits = 4 + 3 * ceil(log2(n_terms + 1)) if bits is None else integer_argument("bits", bits)
    goal = as_target(target, 1)
    grid = np.arange(2**levels + 1) / 2**levels
    values = goal(grid[:, None])
    terms = largest_terms(values, n_terms)
    circuit = Circuit(1)
    (x,) = circuit.inputs
    first, last = (quantized(v, bits) for v in (values[0], values[-1]))
    parts: list[Wire] = [x * (last - first) + first]
    for t in terms:
        left = Fraction(t.index, 2**t.level)
        height = quantized(t.coefficient, bits) * 2 ** (t.level + 1)
        half = Fraction(1, 2 ** (t.level + 1))
        hat = circuit.relu(x - left) - 2 * circuit.relu(x - left - half) + circuit.relu(x - left - 2 * half)
        parts.append(hat * height)
    network = circuit.network(circuit.total(parts), name=f"{len(terms)} hats")
    certificate = certified(network, goal, Segment([0.0], [1.0]))
    theorem = {"units": 3 * n_terms, "depth": 1, "bits": bits}
    parameters = {"n_terms": n_terms, "levels": levels, "bits": bits}
    return Construction("wavelets", network, parameters, theorem, ("boelcskei2019",), certificate)


def quantized(value: float, bits: int) -> Fraction:
    """A number rounded to a multiple of 2^-bits."""
    return Fraction(round(Fraction(float(value)) * 2**bits), 2**bits)
