r"""Adaptive steps: what is proved of AdaGrad-Norm and AdaGrad, and where Adam does not converge."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log

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
