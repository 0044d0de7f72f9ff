r"""Where hyperplanes meet, in floating point of any precision, with a bound of the error proved afterwards.

In d dimensions a vertex is the solution of :math:`A x + b = 0`, with d rows. The bound is a posteriori: however the approximate
inverse R and the approximate solution x were found, with :math:`\rho \ge |A x + b|` and :math:`H \ge |I - R A|` entry by entry,

.. math:: |x - x^*| \le |R| \rho + H |x - x^*|, \qquad \|x - x^*\|_\infty \le \frac{\| |R| \rho \|_\infty}{1 - \|H\|_\infty},

because R applied to the residual is :math:`(I - (I - R A)) (x - x^*)`. Where the norm of H is below one, A is proved to be
regular too. Errors of the entries of A and b are part of H and :math:`\rho`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array

_TINY = 1e-290  # covers what underflow can lose: all numbers are scaled to about one
_UP = 1 + 1e-6  # covers the rounding of the bounds themselves


def meet_lines(f: Array, e: Array, g: Array, h: Array, eps: Any) -> tuple[Array, Array]:
    """Where lines f and g of the plane meet: cross products, with the errors e and h of their coefficients."""
    a, b = np.abs(f), np.abs(g)
    p, error = np.empty_like(f), np.empty_like(f)
    for k, (i, j) in enumerate(((1, 2), (2, 0), (0, 1))):
        p[:, k] = f[:, i] * g[:, j] - f[:, j] * g[:, i]
        error[:, k] = sum(
            a[:, r] * h[:, s] + e[:, r] * (b[:, s] + h[:, s]) + 2 * eps * a[:, r] * b[:, s] for r, s in ((i, j), (j, i))
        )
    return p, error + _TINY


def meet_hyperplanes(forms: Array, error: Array, eps: Any) -> tuple[Array, Array]:
    """The points (n, d) where d affine forms each, of shape (n, d, d + 1), vanish, and bounds of their errors.

    ``error`` bounds the error of every coefficient. Where nothing can be proved the bound is infinite.

    Examples
    --------
    >>> forms = np.array([[[2.0, 0, 0, -1], [0, 1.0, 0, -3], [0, 0, 1.0, 4]]])
    >>> x, bound = meet_hyperplanes(forms, np.zeros_like(forms), 2.0**-52)
    >>> x, bool((bound < 1e-14).all())
    (array([[ 0.5,  3. , -4. ]]), True)
    """
    d = forms.shape[1]
    with np.errstate(all="ignore"):  # what is unknown gets an infinite bound
        rows = _power_above(np.abs(forms[..., :-1]).max(axis=2))[..., None]
        a, b = forms[..., :-1] / rows, forms[..., -1] / rows[..., 0]
        columns = _power_above(np.abs(a).max(axis=1))
        a, a_error, b_error = a / columns[:, None], error[..., :-1] / rows / columns[:, None], error[..., -1] / rows[..., 0]
        r = inverse(a)
        x = -_apply(r, b)
        x = x - _apply(r, _apply(a, x) + b)
        size, inverse_size = np.abs(a), np.abs(r)
        rounding = (d + 2) * eps
        residual = (
            np.abs(_apply(a, x) + b) + _apply(rounding * size + a_error, np.abs(x)) + rounding * np.abs(b) + b_error + _TINY
        )
        identity = np.eye(d, dtype=forms.dtype)
        h = np.abs(identity - _product(r, a)) + _product(inverse_size, rounding * size + a_error) + rounding * identity
        sums = h.sum(axis=2)
        first = _apply(inverse_size, residual)
        contraction = sums.max(axis=1)
        bound = (first + sums * (first.max(axis=1) / (1 - contraction))[:, None]) * _UP + _TINY
        x, bound = x / columns, bound / columns * _UP
        proved = (contraction < 0.5) & np.isfinite(x).all(axis=1) & np.isfinite(bound).all(axis=1)
    return np.where(proved[:, None], x, forms.dtype.type(0)), np.where(proved[:, None], bound, forms.dtype.type(np.inf))


def inverse(matrices: Array) -> Array:
    """Approximate inverses of many small matrices, by elimination with row pivots; of a singular one anything may come out."""
    n, d = matrices.shape[:2]
    work = np.concatenate([matrices, np.broadcast_to(np.eye(d, dtype=matrices.dtype), matrices.shape)], axis=2)
    every = np.arange(n)
    for c in range(d):
        pivot = c + np.abs(work[:, c:, c]).argmax(axis=1)
        work[every, pivot], work[every, c] = work[every, c], work[every, pivot]
        work[:, c] /= work[:, c, c][:, None]
        factor = work[:, :, c].copy()
        factor[:, c] = 0
        work -= factor[:, :, None] * work[:, c : c + 1]
    return work[:, :, d:]


def _apply(matrices: Array, vectors: Array) -> Array:
    return np.asarray((matrices * vectors[:, None, :]).sum(axis=2))


def _product(a: Array, b: Array) -> Array:
    return np.asarray((a[:, :, :, None] * b[:, None, :, :]).sum(axis=2))


def _power_above(sizes: Array) -> Array:
    """Powers of two just above these numbers: dividing by them is exact. One for zero."""
    return np.asarray(np.ldexp(sizes.dtype.type(1), np.where(sizes > 0, np.frexp(sizes)[1], 0)))
