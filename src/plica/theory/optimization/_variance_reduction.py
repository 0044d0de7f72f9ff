r"""Variance reduction: linear rates for finite sums of smooth functions with a strongly convex mean."""

from __future__ import annotations

from plica.errors import InvalidInput


def svrg_rate(rate: float, n_inner: int, *, smoothness: float, convexity: float) -> float:
    r"""The factor of the expected excess in one epoch of SVRG, Theorem 1 of [johnson2013]_.

    .. math:: \frac{1}{c\,\eta (1 - 2 L \eta) m} + \frac{2 L \eta}{1 - 2 L \eta}

    for epochs of m inner steps that start anew at a random one of them, where every summand is L-smooth.

    Examples
    --------
    >>> svrg_rate(0.1, 1000, smoothness=1, convexity=0.1)
    0.375
    """
    rest = 1 - 2 * smoothness * rate
    if rest <= 0 or n_inner < 1:
        raise InvalidInput(f"2 L eta = {2 * smoothness * rate}, m = {n_inner}.", hint="the theorem needs 2 L eta < 1 and m >= 1")
    return 1 / (convexity * rate * rest * n_inner) + 2 * smoothness * rate / rest


def saga_rate(n_summands: int, *, smoothness: float, convexity: float) -> float:
    r"""The factor of SAGA's Lyapunov function in one step of 1/(3 L): :math:`1 - \min\{1/(4n), c/(3L)\}` [defazio2014]_.

    Examples
    --------
    >>> saga_rate(100, smoothness=1, convexity=0.3)
    0.9975
    """
    return 1 - min(1 / (4 * n_summands), convexity / (3 * smoothness))
