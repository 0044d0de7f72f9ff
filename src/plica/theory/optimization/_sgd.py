r"""Stochastic gradients: exact expectations on quadratics, and the bounds of Bottou, Curtis and Nocedal.

A quadratic is :math:`F(w) = \tfrac12 \sum_i \lambda_i w_i^2` in the eigenbasis of its Hessian; a stochastic gradient is
:math:`\lambda_i w_i + \xi_i` with independent noise of variance :math:`v_i`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput

Numbers = Sequence[float] | Array


def quadratic_floor(eigenvalues: Numbers, variances: Numbers, rate: float) -> float:
    r"""The expected excess that constant steps end at: :math:`\tfrac12 \sum_i \alpha v_i / (2 - \alpha \lambda_i)`.

    The covariance :math:`s_i` of the stationary state solves the Lyapunov equation
    :math:`s_i = (1 - \alpha\lambda_i)^2 s_i + \alpha^2 v_i`.

    Examples
    --------
    >>> quadratic_floor([1.0, 4.0], [1.0, 1.0], 0.1)  # (0.1 / 1.9 + 0.1 / 1.6) / 2
    0.05756578947368421
    """
    values, noise = _spectrum(eigenvalues, variances)
    if not 0 < rate * values.max() < 2:
        return inf
    return float((rate * noise / (2 - rate * values)).sum() / 2)


def quadratic_excess(eigenvalues: Numbers, variances: Numbers, rates: Numbers, start: Numbers) -> Array:
    """The expected excess before the first and after each of some steps, from the squares of ``start``: exact, step by step.

    Examples
    --------
    >>> quadratic_excess([1.0], [0.0], [0.5, 0.5], [2.0]).tolist()
    [2.0, 0.5, 0.125]
    """
    values, noise = _spectrum(eigenvalues, variances)
    second = np.asarray(start, dtype=np.float64) ** 2
    found = [float(values @ second) / 2]
    for rate in rates:
        second = (1 - rate * values) ** 2 * second + rate**2 * noise
        found.append(float(values @ second) / 2)
    return np.array(found)


def bottou_2018_fixed_bound(
    n_steps: int, rate: float, *, smoothness: float, convexity: float, noise: float, excess: float, mu: float = 1.0
) -> float:
    r"""Theorem 4.6 of [bottou2018]_: after ``n_steps`` constant steps the expected excess is at most

    .. math:: \frac{\alpha L M}{2 c \mu} + (1 - \alpha c \mu)^{k}\Big(F(w_1) - F_* - \frac{\alpha L M}{2 c \mu}\Big)

    for :math:`\alpha \le \mu / (L M_G)`, where the noise has :math:`E|g|^2 \le M + M_G |\nabla F|^2`.

    Examples
    --------
    >>> bottou_2018_fixed_bound(1000, 0.1, smoothness=4, convexity=1, noise=2, excess=5)
    0.4
    """
    floor = rate * smoothness * noise / (2 * convexity * mu)
    return floor + (1 - rate * convexity * mu) ** n_steps * (excess - floor)


def bottou_2018_decreasing_bound(
    n_steps: int,
    *,
    beta: float,
    gamma: float,
    smoothness: float,
    convexity: float,
    noise: float,
    excess: float,
    mu: float = 1.0,
) -> float:
    r"""Theorem 4.7 of [bottou2018]_: with steps :math:`\alpha_k = \beta / (\gamma + k)`, k = 1, 2, ..., before step k the
    expected excess is at most :math:`\nu / (\gamma + k)`,

    .. math:: \nu = \max\Big\{\frac{\beta^2 L M}{2 (\beta c \mu - 1)},\ (\gamma + 1)(F(w_1) - F_*)\Big\}, \quad \beta > 1/(c\mu).

    Examples
    --------
    >>> bottou_2018_decreasing_bound(99, beta=2, gamma=1, smoothness=1, convexity=1, noise=1, excess=0.5)
    0.02
    """
    if beta * convexity * mu <= 1:
        raise InvalidInput(f"beta = {beta} is at most 1 / (c mu).", hint="the theorem needs longer steps")
    nu = max(beta**2 * smoothness * noise / (2 * (beta * convexity * mu - 1)), (gamma + 1) * excess)
    return nu / (gamma + n_steps)


def gower_2019_bound(n_steps: int, rate: float, *, convexity: float, noise: float, distance: float) -> float:
    r"""Theorem 3.1 of [gower2019]_: after k steps :math:`\alpha \le 1/(2 L)` the expected squared distance is at most

    .. math:: (1 - \alpha c)^k |w_0 - w_*|^2 + \frac{2 \alpha s}{c}

    for a c-strongly convex mean of convex functions whose expected smoothness is L (for summands drawn one by one, that of
    the least smooth one); ``noise`` is s, the mean squared gradient of a summand at the minimum.

    Examples
    --------
    >>> gower_2019_bound(2, 0.5, convexity=1.0, noise=0.25, distance=8.0)  # 8 / 4 + 2 * 0.5 * 0.25
    2.25
    """
    return (1 - rate * convexity) ** n_steps * distance + 2 * rate * noise / convexity


def least_squares_floor(eigenvalues: Numbers, label_variance: float, rate: float, *, batch: int = 1) -> float:
    r"""The floor of :math:`\tfrac12 E(x \cdot w - y)^2` for Gaussian x with the covariance's eigenvalues and fresh batches.

    The gradient's noise now depends on w. By Isserlis' theorem
    :math:`E[x x^T S x x^T] = 2 H S H + \operatorname{tr}(HS) H`, so that with :math:`T = \operatorname{tr}(HS)`

    .. math:: T = \sigma^2 \frac{q}{1 - q}, \qquad q = \sum_i \frac{\alpha\lambda_i / B}{2 - \alpha\lambda_i (1 + 1/B)},

    and the excess is T/2; for q >= 1 the second moment grows without bound, though the mean still converges.

    Examples
    --------
    >>> least_squares_floor([1.0], 1.0, 0.5)  # q = 0.5 / (2 - 1) = 1/2
    0.5
    >>> least_squares_floor([1.0], 1.0, 0.7)
    inf
    """
    values = np.asarray(eigenvalues, dtype=np.float64)
    share = _noise_share(values, rate, batch)
    return inf if share >= 1 else label_variance * share / (1 - share) / 2


def least_squares_largest_rate(eigenvalues: Numbers, *, batch: int = 1) -> float:
    """The step from which on the second moment of :func:`least_squares_floor` is infinite.

    Examples
    --------
    >>> round(least_squares_largest_rate([1.0]), 12)  # 2 / 3 where the mean allows 2
    0.666666666667
    """
    values = np.asarray(eigenvalues, dtype=np.float64)
    low, high = 0.0, 2 / (values.max() * (1 + 1 / batch))
    for _ in range(200):  # the share grows with the step
        middle = (low + high) / 2
        low, high = (middle, high) if _noise_share(values, middle, batch) < 1 else (low, middle)
    return float(low)


def least_squares_factor(eigenvalues: Numbers, rate: float, *, batch: int = 1) -> float:
    r"""The factor of the expected squared error in a step, in the long run, for :func:`least_squares_floor` without label noise.

    The second moments in the eigenbasis are multiplied by a matrix, whose largest eigenvalue this is:

    .. math:: \operatorname{diag}\big((1 - \alpha\lambda_i)^2 + \alpha^2\lambda_i^2/B\big) + \tfrac{\alpha^2}{B} \lambda\lambda^T

    Examples
    --------
    >>> round(least_squares_factor([1.0, 1.0], 0.5, batch=3), 12)  # (d + 1) / (B + d + 1)
    0.5
    """
    values = np.asarray(eigenvalues, dtype=np.float64)
    if values.ndim != 1 or not len(values) or (values <= 0).any() or batch < 1:
        raise InvalidInput(
            f"eigenvalues {eigenvalues}, batches of {batch}.", hint="positive eigenvalues and a batch of at least 1"
        )
    own = (1 - rate * values) ** 2 + (rate * values) ** 2 / batch
    return float(np.linalg.eigvalsh(np.diag(own) + rate**2 / batch * np.outer(values, values))[-1])


def least_squares_best_rate(eigenvalues: Numbers, *, batch: int = 1) -> float:
    """The step with the least :func:`least_squares_factor`.

    Examples
    --------
    >>> round(least_squares_best_rate([1.0, 1.0], batch=3), 6)  # 1 / (1 + (d + 1) / B)
    0.5
    """
    low, high = 0.0, least_squares_largest_rate(eigenvalues, batch=batch)
    for _ in range(200):  # the factor is convex in the step: the largest eigenvalue of a convex family
        a, b = low + (high - low) / 3, high - (high - low) / 3
        if least_squares_factor(eigenvalues, a, batch=batch) < least_squares_factor(eigenvalues, b, batch=batch):
            high = b
        else:
            low = a
    return (low + high) / 2


def _noise_share(values: Array, rate: float, batch: int) -> float:
    rest = 2 - rate * values * (1 + 1 / batch)
    return inf if (rest <= 0).any() else float((rate * values / batch / rest).sum())


def _spectrum(eigenvalues: Numbers, variances: Numbers) -> tuple[Array, Array]:
    values, noise = np.asarray(eigenvalues, dtype=np.float64), np.asarray(variances, dtype=np.float64)
    if values.ndim != 1 or values.shape != noise.shape or not len(values) or (values <= 0).any() or (noise < 0).any():
        raise InvalidInput(
            f"{values.shape} eigenvalues and {noise.shape} variances.", hint="as many positive eigenvalues as variances >= 0"
        )
    return values, noise
