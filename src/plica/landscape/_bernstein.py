r"""Polynomials on [0, 1] by their Bernstein coefficients: the first axis of an array counts them.

.. math:: p(s) = \sum_k c_k \binom{d}{k} s^k (1 - s)^{d-k}

A polynomial lies between its smallest and its largest coefficient, has no more roots than its coefficients change their sign,
and everything here is made of averages, which do not enlarge errors. Roundings are charged by the functions ``*_rounding``.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np

from plica._types import Array

EPS = 2.0**-53


def degree_of(c: Array) -> int:
    return len(c) - 1


def at(c: Array, s: Array | float) -> Array:
    """p(s), by de Casteljau's averages; s broadcasts against a coefficient.

    Examples
    --------
    >>> float(at(np.array([0.0, 0.0, 1.0]), 0.5))  # s^2
    0.25
    """
    while len(c) > 1:
        c = c[:-1] + s * (c[1:] - c[:-1])
    return c[0]


def restricted(c: Array, low: Array | float, high: Array | float) -> Array:
    """The coefficients on [low, high] instead of [0, 1].

    Examples
    --------
    >>> restricted(np.array([0.0, 0.0, 1.0]), 0.5, 1.0)
    array([0.25, 0.5 , 1.  ])
    """
    n = len(c)
    rows = [c]
    for _ in range(n - 1):  # blossoms with `high` as their last arguments
        rows.append(rows[-1][:-1] + high * (rows[-1][1:] - rows[-1][:-1]))
    out = []
    for k in range(n):
        part = rows[k]
        while len(part) > 1:
            part = part[:-1] + low * (part[1:] - part[:-1])
        out.append(part[0])
    return np.stack(out)


def averages_rounding(c: Array) -> Array:
    """A bound of what :func:`at` and :func:`restricted` round, for arguments in [0, 1]: 2 d rounds of three operations.

    A round takes at most 5 EPS max|c|, and :func:`at` has d: there an argument may be off by 2 EPS, too, at most 4 d EPS max|c|.
    """
    return np.asarray(12 * EPS * len(c) * np.abs(c).max(axis=0))


def derivative(c: Array) -> Array:
    """The coefficients of p'.

    Examples
    --------
    >>> derivative(np.array([0.0, 0.0, 1.0]))
    array([0., 2.])
    """
    return (len(c) - 1) * (c[1:] - c[:-1]) if len(c) > 1 else np.zeros_like(c)


def elevated(c: Array, degree: int) -> Array:
    """The same polynomial with coefficients of a higher degree.

    Examples
    --------
    >>> elevated(np.array([0.0, 1.0]), 2)
    array([0. , 0.5, 1. ])
    """
    while len(c) - 1 < degree:
        n = len(c)
        k = np.arange(1, n).reshape(-1, *(1,) * (c.ndim - 1)) / n
        c = np.concatenate([c[:1], k * c[:-1] + (1 - k) * c[1:], c[-1:]])
    return c


def squared(c: Array) -> Array:
    """The coefficients of p^2, of twice the degree.

    Examples
    --------
    >>> squared(np.array([0.0, 1.0]))
    array([0., 0., 1.])
    """
    d = len(c) - 1
    out = np.zeros((2 * d + 1, *c.shape[1:]))
    for i in range(d + 1):
        for j in range(d + 1):
            out[i + j] += comb(d, i) * comb(d, j) / comb(2 * d, i + j) * (c[i] * c[j])
    return out


def from_powers(p: Array, low: float | Fraction, width: float | Fraction) -> Array:
    """Bernstein coefficients on [low, low + width] of a polynomial in t; exact for object arrays of fractions."""
    d = len(p) - 1
    local = [sum(comb(j, k) * p[j] * low ** (j - k) for j in range(k, d + 1)) * width**k for k in range(d + 1)]
    return np.stack([sum(comb(k, j) * local[j] / comb(d, j) for j in range(k + 1)) for k in range(d + 1)])


def to_monomials(c: Array) -> Array:
    """Coefficients of 1, s, s^2, ... of the same polynomial on [0, 1].

    Examples
    --------
    >>> to_monomials(np.array([0.0, 0.0, 1.0]))
    array([0., 0., 1.])
    """
    d, differences = len(c) - 1, [c]
    while len(differences) <= d:
        differences.append(differences[-1][1:] - differences[-1][:-1])
    return np.stack([comb(d, k) * differences[k][0] for k in range(d + 1)])
