r"""How lengths and areas grow through a random ReLU network: the exact laws and the published bounds.

Weights are Gaussian and fan-in normalized, :math:`W_{ij} \sim N(0, \sigma_w^2 / n_{in})`, with any symmetric bias.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import comb, exp, inf, lgamma, log, pi, prod, sqrt

from plica.errors import InvalidInput

__all__ = [
    "price_tanner_2019_lower_bound",
    "raghu_2017_hard_tanh_base",
    "raghu_2017_relu_base",
    "relu_area_factor",
    "relu_expected_area",
    "relu_expected_length",
    "relu_length_factor",
    "relu_length_factor_upper_bound",
    "symmetric_lower_bound",
]


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
    _check(n_in, n_out, weight_std, 1.0)
    total = 0.0
    for k in range(1, n_out + 1):
        total += comb(n_out, k) / 2**n_out * exp(0.5 * log(2) + lgamma((k + 1) / 2) - lgamma(k / 2))
    return weight_std / sqrt(n_in) * total


def relu_expected_length(widths: Sequence[int], *, weight_std: float) -> float:
    r"""The exact expected length of the image of a curve of length one, after all layers of a random ReLU network.

    ``widths`` are those of the input and of every ReLU layer; the factors of the layers multiply.

    Examples
    --------
    >>> round(relu_expected_length([4, 4, 4], weight_std=2.0), 4)
    1.4064
    """
    if len(widths) < 2:
        raise InvalidInput(f"widths={list(widths)!r} holds no layer.", hint="give the input's width and at least one more")
    return prod(relu_length_factor(n, m, weight_std=weight_std) for n, m in pairwise(widths))


def relu_area_factor(n_in: int, n_out: int, *, weight_std: float) -> float:
    r"""The exact expected factor by which one random ReLU layer stretches a piece of a surface.

    .. math:: c = \frac{\sigma_w^2}{n_{in}} \left( \frac{n_{out}}{2} - 1 + 2^{-n_{out}} \right)

    As for lengths, what a unit makes of a tangent plane is independent of the side it is on. With K active units the area of a
    parallelogram is multiplied by :math:`\sigma_w^2 / n_{in}` times the product of independent :math:`\chi_K` and
    :math:`\chi_{K-1}`, whose expectation is :math:`K - 1`, or 0 where K is 0; K is a fair binomial.

    Examples
    --------
    >>> round(relu_area_factor(16, 16, weight_std=2.0), 4), relu_area_factor(2, 1, weight_std=1.0)
    (1.75, 0.0)
    """
    _check(n_in, n_out, weight_std, 1.0)
    return weight_std**2 / n_in * (n_out / 2 - 1 + 2.0**-n_out)


def relu_expected_area(widths: Sequence[int], *, weight_std: float) -> float:
    r"""The exact expected area of the image of a surface of area one, after all layers of a random ReLU network.

    ``widths`` are those of the input and of every ReLU layer; the factors of the layers multiply. A linear layer of n units on
    top multiplies by :math:`\sigma_w^2 (n - 1) / n_{in}` instead.

    Examples
    --------
    >>> round(relu_expected_area([2, 16, 16], weight_std=2**0.5), 4)
    6.125
    """
    if len(widths) < 2:
        raise InvalidInput(f"widths={list(widths)!r} holds no layer.", hint="give the input's width and at least one more")
    return prod(relu_area_factor(n, m, weight_std=weight_std) for n, m in pairwise(widths))


def relu_length_factor_upper_bound(n_in: int, n_out: int, *, weight_std: float, density: float = 1.0) -> float:
    r"""Upper bound of the factor of one ReLU layer, for any symmetric weights: :math:`\sigma_w\sqrt{\alpha n_{out} / 2 n_{in}}`.

    Jensen's inequality: :math:`E|DWu| \le (E|DWu|^2)^{1/2}`, and half of the squared length survives on average. It is the
    limit of wide layers, so lengths grow exactly when :math:`\alpha\sigma_w^2 > 2`.

    Examples
    --------
    >>> round(relu_length_factor_upper_bound(64, 64, weight_std=1.0, density=0.5), 4)
    0.5
    """
    _check(n_in, n_out, weight_std, density)
    return weight_std * sqrt(density * n_out / (2 * n_in))


def symmetric_lower_bound(n_in: int, n_out: int, *, mean_absolute: float, density: float = 1.0) -> float:
    r"""Lower bound of the factor of one ReLU layer with independent symmetric weights.

    .. math:: E|DWu| \ge \alpha\,m \sqrt{n_{out}/n_{in}}\,|u| / (2\sqrt2)

    ``mean_absolute`` is :math:`m = \sqrt{n_{in}}\,E|w|`: C/2 for weights uniform on :math:`\pm C/\sqrt{n_{in}}`, c for
    :math:`\pm c/\sqrt{n_{in}}`. By symmetry the factor is at least :math:`\sqrt{n_{out}}\,\tfrac12 E|w \cdot u|`, and
    :math:`E|w \cdot u| \ge E|w|\,\alpha\,|u| / \sqrt 2` by Khintchine's inequality with Szarek's constant [szarek1976]_
    [price2019]_.

    Examples
    --------
    >>> round(symmetric_lower_bound(64, 64, mean_absolute=0.5), 4), round(symmetric_lower_bound(64, 64, mean_absolute=1.0), 4)
    (0.1768, 0.3536)
    """
    _check(n_in, n_out, mean_absolute, density)
    return density * mean_absolute * sqrt(n_out / n_in) / (2 * sqrt(2))


def _check(n_in: int, n_out: int, scale: float, density: float) -> None:
    if n_in < 1 or n_out < 1:
        raise InvalidInput(f"widths must be positive, got {n_in} and {n_out}.")
    if not 0 <= scale < inf:
        raise InvalidInput(f"the scale of the weights is {scale!r}.", hint="give a finite number from zero up")
    if not 0 < density <= 1:
        raise InvalidInput(f"density={density!r} is outside (0, 1].", hint="1.0 keeps every weight")


def price_tanner_2019_lower_bound(n_in: int, n_out: int, *, weight_std: float, density: float = 1.0) -> float:
    r"""Lower bound of the factor of one layer: :math:`\alpha\,\sigma_w \sqrt{n_{out}/n_{in}} / \sqrt{2\pi}` [price2019]_.

    :math:`E|DWu| \ge |E|DWu||_{entrywise} = \sqrt{n_{out}}\, \tfrac12 E|w\cdot u|` by Jensen's inequality and symmetry, and
    :math:`E|w \cdot u| \ge \alpha\, \sigma_w \sqrt{2/\pi}\,|u|/\sqrt{n_{in}}` when each weight is kept with probability alpha.

    Examples
    --------
    >>> round(price_tanner_2019_lower_bound(64, 64, weight_std=1.0), 4)
    0.3989
    """
    _check(n_in, n_out, weight_std, density)
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
