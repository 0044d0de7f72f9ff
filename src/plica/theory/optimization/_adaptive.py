r"""Adaptive steps: what is proved of AdaGrad-Norm and AdaGrad, and where Adam does not converge."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log, sqrt

from plica.errors import InvalidInput


def adagrad_norm_steps(accuracy: float, *, smoothness: float, excess: float, rate: float, b0: float) -> int:
    r"""How many gradient steps of AdaGrad-Norm suffice for :math:`\min_k |\nabla F(x_k)|^2 \le \varepsilon` [ward2019]_.

    Theorem 2.2, for an L-smooth F with excess :math:`D = F(x_0) - F_*`, without noise:

    .. math::
        b_0 \ge \eta L:&\quad 1 + \Big\lceil \tfrac1\varepsilon\Big(\tfrac{4 D^2}{\eta^2}
        + \tfrac{2 b_0 D}{\eta}\Big)\Big\rceil \\
        b_0 < \eta L:&\quad 1 + \Big\lceil \tfrac1\varepsilon\Big(2 L D + \big(\tfrac{2D}{\eta} + \eta L C\big)^2
        + (\eta L)^2 (1 + C) - b_0^2\Big)\Big\rceil, \quad C = 1 + 2 \log\tfrac{\eta L}{b_0}

    Examples
    --------
    >>> from math import exp
    >>> adagrad_norm_steps(0.5, smoothness=1.0, excess=1.0, rate=1.0, b0=2.0)
    17
    >>> adagrad_norm_steps(0.5, smoothness=1.0, excess=1.0, rate=1.0, b0=exp(-1))  # C = 3: 2 + 25 + 4 - 1/e^2, twice
    63
    """
    if min(accuracy, smoothness, rate, b0) <= 0 or excess < 0:
        raise InvalidInput("accuracy, smoothness, rate and b0 are positive, the excess is not negative.")
    if b0 >= rate * smoothness:
        return 1 + ceil((4 * excess**2 / rate**2 + 2 * b0 * excess / rate) / accuracy)
    c = 1 + 2 * log(rate * smoothness / b0)
    total = (
        2 * smoothness * excess + (2 * excess / rate + rate * smoothness * c) ** 2 + (rate * smoothness) ** 2 * (1 + c) - b0**2
    )
    return 1 + ceil(total / accuracy)


def adagrad_norm_noisy_bound(
    n_steps: int, *, smoothness: float, excess: float, rate: float, b0: float, noise: float, gradient: float, failure: float
) -> float:
    r"""A bound of :math:`\min_{k<N} |\nabla F(x_k)|^2` for AdaGrad-Norm with noise, with probability 1 - delta [ward2019]_.

    Theorem 2.1, for an L-smooth F with excess D at the start, :math:`|\nabla F| \le \gamma` and gradients of variance
    :math:`\sigma^2`: the smaller of

    .. math::
        \Big(\frac{2 b_0}{N} + \frac{4(\gamma + \sigma)}{\sqrt N}\Big)\frac{Q}{\delta^{3/2}}
        \quad\text{and}\quad
        \frac{4Q}{N\delta}\Big(\frac{8Q}{\delta} + 2 b_0\Big) + \frac{8 Q \sigma}{\delta^{3/2}\sqrt N}, \qquad
        Q = \frac D\eta + \frac{4\sigma + \eta L}{2} \log\Big(\frac{20 N (\gamma^2 + \sigma^2)}{b_0^2} + 10\Big).

    Examples
    --------
    >>> settings = {"smoothness": 2, "excess": 1, "rate": 1, "failure": 1}
    >>> q = 1 + log(10)  # without noise, on a flat F: the first is 2 b0 Q / N
    >>> adagrad_norm_noisy_bound(100, b0=1, noise=0, gradient=0, **settings) == 2 / 100 * q
    True
    >>> q = 1 + 3 * log(30)  # 20 N (0 + 1) / b0^2 = 20: the first is (2 b0 / N + 4 / 10) Q
    >>> round(adagrad_norm_noisy_bound(100, b0=10, noise=1, gradient=0, **settings) / q, 12)
    0.6
    """
    if n_steps < 1 or min(smoothness, rate, b0) <= 0 or min(excess, noise, gradient) < 0 or not 0 < failure <= 1:
        raise InvalidInput(
            "the bound needs steps, positive smoothness, rate and b0, and a probability of failure in (0, 1].",
            hint="excess, noise and gradient are not negative",
        )
    q = excess / rate + (4 * noise + rate * smoothness) / 2 * log(20 * n_steps * (gradient**2 + noise**2) / b0**2 + 10)
    wide = failure**1.5
    first = (2 * b0 / n_steps + 4 * (gradient + noise) / sqrt(n_steps)) * q / wide
    second = 4 * q / (n_steps * failure) * (8 * q / failure + 2 * b0) + 8 * q * noise / (wide * sqrt(n_steps))
    return min(first, second)


def adagrad_regret_bound(gradient_norms: Sequence[float], *, diameter: float, rate: float) -> float:
    r"""Regret of diagonal AdaGrad on a box: :math:`\big(\tfrac{D^2}{2\eta} + \eta\big) \sum_i |g_{1:T,i}|_2` [duchi2011]_.

    ``gradient_norms`` holds the norm of each coordinate's gradients over time, ``diameter`` the side of the box. At
    :math:`\eta = D/\sqrt2` it is :math:`\sqrt2 D \sum_i |g_{1:T,i}|_2`.

    Examples
    --------
    >>> round(adagrad_regret_bound([3.0, 4.0], diameter=2.0, rate=2**0.5), 9) == round(14 * 2**0.5, 9)
    True
    """
    if diameter <= 0 or rate <= 0:
        raise InvalidInput("the diameter and the rate are positive.")
    return (diameter**2 / (2 * rate) + rate) * sum(gradient_norms)


def adam_counterexample_regret(large: float) -> float:
    r"""Regret a step of Adam on the losses C x, -x, -x, C x, ... over [-1, 1], in the limit: 2 (C - 2) / 3 [reddi2018]_.

    With :math:`\beta_1 = 0`, :math:`\beta_2 = 1/(1 + C^2)` and steps like :math:`1/\sqrt t` Adam goes to +1, the worst point; -1
    is the best for C > 2.

    Examples
    --------
    >>> adam_counterexample_regret(3.0) == 2 / 3
    True
    """
    if large <= 2:
        raise InvalidInput(f"C = {large}.", hint="the losses add up to (C - 2) x: for C > 2 the best point is -1")
    return 2 * (large - 2) / 3
