r"""The baselines of the lectures: polynomial and Gaussian kernels, and polynomial regression in bases that stay stable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb, factorial
from typing import Any

import numpy as np

from plica._types import Array
from plica.construct.perceptrons._fourier import least_squares, samples
from plica.errors import BudgetExceeded, InvalidInput

Kernel = Callable[[Array, Array], Array]
MAX_FEATURES = 20_000
BASES = ("chebyshev", "legendre", "monomial")


def gaussian_kernel(*, sigma: float = 1.0) -> Kernel:
    r""":math:`k(x, y) = \exp(-|x - y|^2 / 2\sigma^2)`, for rows of points.

    Examples
    --------
    >>> import numpy as np
    >>> gaussian_kernel()(np.zeros((1, 2)), np.array([[0.0, 0.0], [1.0, 1.0]])).round(4)
    array([[1.    , 0.3679]])
    """
    if not sigma > 0:
        raise InvalidInput(f"sigma must be positive, got {sigma}.")

    def kernel(x: Array, y: Array) -> Array:
        squares = (x**2).sum(1)[:, None] + (y**2).sum(1) - 2 * x @ y.T
        return np.exp(-np.maximum(squares, 0.0) / (2 * sigma**2))

    return kernel


def polynomial_kernel(degree: int, *, constant: float = 1.0) -> Kernel:
    r""":math:`k(x, y) = (x \cdot y + c)^p`, for rows of points."""
    if degree < 1 or constant < 0:
        raise InvalidInput(f"a polynomial kernel has degree >= 1 and constant >= 0, got {degree} and {constant}.")

    def kernel(x: Array, y: Array) -> Array:
        return (x @ y.T + constant) ** degree

    return kernel


def polynomial_features(x: Any, degree: int, *, constant: float = 1.0) -> Array:
    r"""The features whose products are the polynomial kernel: :math:`\binom{d+p}{p}` weighted monomials.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[1.0, 2.0], [3.0, -1.0]])
    >>> phi = polynomial_features(x, 3)
    >>> phi.shape, np.allclose(phi @ phi.T, polynomial_kernel(3)(x, x))
    ((2, 10), True)
    """
    points = np.atleast_2d(np.asarray(x, dtype=np.float64))
    d = points.shape[1]
    _limit(d, degree)
    extended = np.hstack([points, np.full((len(points), 1), np.sqrt(constant))])
    columns = []
    for chosen in combinations_with_replacement(range(d + 1), degree):
        multiplicity = factorial(degree)
        for i in set(chosen):
            multiplicity //= factorial(chosen.count(i))
        columns.append(np.sqrt(multiplicity) * extended[:, chosen].prod(1))
    return np.stack(columns, axis=1)


@dataclass(frozen=True, eq=False)
class KernelFit:
    """A kernel expansion sum_i c_i k(x, x_i)."""

    kernel: Kernel
    points: Array
    coefficients: Array

    def __call__(self, x: Any) -> Array:
        return self.kernel(np.atleast_2d(np.asarray(x, dtype=np.float64)), self.points) @ self.coefficients


def kernel_regression(x: Any, y: Any, kernel: Kernel, *, ridge: float = 0.0) -> KernelFit:
    """Interpolation (ridge 0) or ridge regression in the space of a kernel.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(-1, 1, 9)[:, None]
    >>> fit = kernel_regression(x, np.abs(x[:, 0]), gaussian_kernel(sigma=0.3))
    >>> np.allclose(fit(x), np.abs(x[:, 0]))
    True
    """
    points, values = samples(x, y)
    if ridge < 0:
        raise InvalidInput(f"the ridge parameter cannot be negative, got {ridge}.")
    gram = kernel(points, points) + ridge * np.eye(len(points))
    return KernelFit(kernel, points, np.linalg.lstsq(gram, values, rcond=None)[0])


@dataclass(frozen=True, eq=False)
class PolynomialFit:
    """A polynomial of several variables in products of one-variable basis polynomials on a box."""

    basis: str
    exponents: tuple[tuple[int, ...], ...]
    coefficients: Array
    low: Array
    high: Array
    condition: float  # of the matrix of the least-squares problem

    def __call__(self, x: Any) -> Array:
        return _design(np.atleast_2d(np.asarray(x, dtype=np.float64)), self) @ self.coefficients


def polynomial_regression(x: Any, y: Any, degree: int, *, basis: str = "chebyshev", ridge: float = 0.0) -> PolynomialFit:
    r"""The polynomial of total degree p closest to the values, in a basis of :math:`\binom{d+p}{p}` products.

    Chebyshev and Legendre polynomials on the box of the points keep the matrix well conditioned where monomials do not.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(0, 1, 60)[:, None]
    >>> fits = [polynomial_regression(x, np.exp(x[:, 0]), 12, basis=b) for b in ("chebyshev", "monomial")]
    >>> bool(np.abs(fits[0](x) - np.exp(x[:, 0])).max() < 1e-12), bool(fits[0].condition < 1e-3 * fits[1].condition)
    (True, True)
    """
    if basis not in BASES:
        raise InvalidInput(f"unknown basis {basis!r}.", hint=f"one of {', '.join(BASES)}")
    points, values = samples(x, y)
    _limit(points.shape[1], degree)
    exponents = tuple(e for e in _multi_indices(points.shape[1], degree))
    low, high = points.min(0), points.max(0)
    empty = PolynomialFit(basis, exponents, np.zeros(len(exponents)), low, np.where(high > low, high, low + 1), 0.0)
    phi = _design(points, empty)
    singular = np.linalg.svd(phi, compute_uv=False)
    condition = float(singular[0] / singular[-1]) if singular[-1] > 0 else float("inf")
    coefficients = least_squares(phi, values, ridge)
    return PolynomialFit(basis, exponents, coefficients, low, empty.high, condition)


def _multi_indices(d: int, degree: int) -> list[tuple[int, ...]]:
    if d == 1:
        return [(k,) for k in range(degree + 1)]
    return [(k, *rest) for k in range(degree + 1) for rest in _multi_indices(d - 1, degree - k)]


def _design(points: Array, fit: PolynomialFit) -> Array:
    vander = np.polynomial.chebyshev.chebvander if fit.basis == "chebyshev" else np.polynomial.legendre.legvander
    top = max(map(max, fit.exponents))
    if fit.basis == "monomial":
        one = [np.vander(points[:, i], top + 1, increasing=True) for i in range(points.shape[1])]
    else:
        scaled = 2 * (points - fit.low) / (fit.high - fit.low) - 1
        one = [vander(scaled[:, i], top) for i in range(points.shape[1])]
    columns = [np.prod([one[i][:, k] for i, k in enumerate(e)], axis=0) for e in fit.exponents]
    return np.stack(columns, axis=1)


def _limit(d: int, degree: int) -> None:
    if degree < 0 or comb(d + degree, degree) > MAX_FEATURES:
        raise BudgetExceeded(
            f"polynomials of degree {degree} in {d} variables have {comb(d + max(degree, 0), max(degree, 0)):,} coefficients; "
            f"the limit is {MAX_FEATURES:,}.",
            hint="a lower degree, or a kernel",
            partial={"n_features": comb(d + max(degree, 0), max(degree, 0))},
        )
