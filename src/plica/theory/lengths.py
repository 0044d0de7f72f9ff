r"""How the length of a curve grows through a random ReLU network: the exact law and the published bounds.

Weights are Gaussian and fan-in normalized, :math:`W_{ij} \sim N(0, \sigma_w^2 / n_{in})`, with any symmetric bias.
"""

from __future__ import annotations

from math import comb, exp, lgamma, log, pi, sqrt

from plica.errors import InvalidInput

__all__ = ["price_tanner_2019_lower_bound", "raghu_2017_hard_tanh_base", "raghu_2017_relu_base", "relu_length_factor"]


def relu_length_factor(n_in: int, n_out: int, *, weight_std: float) -> float:
    r"""The exact expected factor by which one random ReLU layer stretches a curve.

    .. math::
        c = \frac{\sigma_w}{\sqrt{n_{in}}}
            \sum_{k} 2^{-n_{out}} \binom{n_{out}}{k} \frac{\sqrt 2\,\Gamma((k+1)/2)}{\Gamma(k/2)}

    For a Gaussian row w and a symmetric bias, :math:`|w \cdot u|` is independent of which side the unit is on, so the squared
    length of the image of a tangent u is :math:`\sigma_w^2/n_{in}\,|u|^2 \chi^2_K` with K a fair binomial, wherever on the curve.
    At He's initialization (:math:`\sigma_w^2 = 2`, equal widths) the factor is :math:`1 - 5/(8n) + O(n^{-2})`: lengths shrink,
    the theorem of [hanin2022]_.

    Examples
    --------
    >>> round(relu_length_factor(64, 64, weight_std=2.0), 4)
    1.4003
    """
    if n_in < 1 or n_out < 1:
        raise InvalidInput(f"widths must be positive, got {n_in} and {n_out}.")
    total = 0.0
    for k in range(1, n_out + 1):
        total += comb(n_out, k) / 2**n_out * exp(0.5 * log(2) + lgamma((k + 1) / 2) - lgamma(k / 2))
    return weight_std / sqrt(n_in) * total


def price_tanner_2019_lower_bound(n_in: int, n_out: int, *, weight_std: float, density: float = 1.0) -> float:
    r"""Lower bound of the factor of one layer: :math:`\alpha\,\sigma_w \sqrt{n_{out}/n_{in}} / \sqrt{2\pi}` [price2019]_.

    :math:`E|DWu| \ge |E|DWu||_{entrywise} = \sqrt{n_{out}}\, \tfrac12 E|w\cdot u|` by Jensen's inequality and symmetry, and
    :math:`E|w \cdot u| \ge \alpha\, \sigma_w \sqrt{2/\pi}\,|u|/\sqrt{n_{in}}` when each weight is kept with probability alpha.

    Examples
    --------
    >>> round(price_tanner_2019_lower_bound(64, 64, weight_std=1.0), 4)
    0.3989
    """
    return density * weight_std * sqrt(n_out / n_in) / sqrt(2 * pi)


def raghu_2017_relu_base(n: int, *, weight_std: float) -> float:
    r"""The base :math:`\sigma_w \sqrt{n} / \sqrt{n+1}` of the ReLU growth theorem [raghu2017]_.

    The theorem is :math:`E\,l(z^{(d)}) \ge O(\text{base})^d\, l(x)`: the unknown constant sits inside the power, so the base
    itself bounds nothing.

    Examples
    --------
    >>> round(raghu_2017_relu_base(64, weight_std=2**0.5), 3)
    1.403
    """
    return weight_std * sqrt(n / (n + 1))


def raghu_2017_hard_tanh_base(n: int, *, weight_std: float, bias_std: float = 0.0) -> float:
    r"""The base :math:`\sigma_w\sqrt n / \sqrt{s^2 + n s}` for hard-tanh, :math:`s^2 = \sigma_w^2+\sigma_b^2` [raghu2017]_.

    Examples
    --------
    >>> round(raghu_2017_hard_tanh_base(64, weight_std=2**0.5), 3)
    1.176
    """
    s = weight_std**2 + bias_std**2
    return weight_std * sqrt(n) / sqrt(s + n * sqrt(s))
