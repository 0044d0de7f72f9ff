r"""Closed forms about attention: how uneven it can be, how positions turn."""

from __future__ import annotations

from math import exp

from plica.errors import InvalidInput

__all__ = ["sinusoid_frequencies", "unit_row_weight_ratio_upper_bound"]


def unit_row_weight_ratio_upper_bound(d: int, *, exponent: float = 0.5) -> float:
    r"""Largest ratio of two softmax weights of one query when queries and keys have unit length.

    The scores :math:`q \cdot k / d^\alpha` lie in :math:`[-d^{-\alpha}, d^{-\alpha}]`, so the ratio is at most
    :math:`\exp(2 d^{-\alpha})`: attention is nearly uniform, which is why [henry2020]_ replaces the factor by a learned one.

    Examples
    --------
    >>> round(unit_row_weight_ratio_upper_bound(64), 3)
    1.284
    """
    if d < 1:
        raise InvalidInput(f"the dimension must be positive, got {d}.")
    return exp(2 * d**-exponent)


def sinusoid_frequencies(d: int) -> tuple[float, ...]:
    r"""The angular frequencies :math:`10000^{-2i/d}`, i = 0 ... d/2 - 1, of the sinusoidal positions [vaswani2017]_.

    Examples
    --------
    >>> sinusoid_frequencies(4)
    (1.0, 0.01)
    """
    if d < 2 or d % 2:
        raise InvalidInput(f"the dimension must be even and positive, got {d}.")
    return tuple(10000.0 ** (-2 * i / d) for i in range(d // 2))
