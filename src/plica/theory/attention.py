r"""Closed forms about attention: how uneven it can be, how positions turn."""

from __future__ import annotations

from math import e, exp, log, sqrt

from plica.errors import InvalidInput

__all__ = [
    "performer_relative_variance",
    "score_variance",
    "sinusoid_frequencies",
    "softmax_entropy",
    "softmax_second_singular_value",
    "softmax_stable_rank",
    "unit_row_weight_ratio_upper_bound",
    "visible_pairs",
]


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


def score_variance(d: int, *, exponent: float) -> float:
    r"""The variance :math:`d^{1 - 2\alpha}` of :math:`q \cdot k\, d^{-\alpha}` for independent entries of mean 0 and variance 1.

    Examples
    --------
    >>> [score_variance(256, exponent=a) for a in (0, 0.5, 1)]
    [256.0, 1.0, 0.00390625]
    """
    if d < 1:
        raise InvalidInput(f"the dimension must be positive, got {d}.")
    return float(d) ** (1 - 2 * exponent)


def softmax_entropy(n_keys: int, deviation: float) -> float:
    r"""The entropy :math:`\log L - b^2/2`, in nats, of the softmax of many independent Gaussian scores with deviation b <= 1.

    The mean of :math:`e^s` is :math:`e^{b^2/2}` and that of :math:`s e^s` is :math:`b^2 e^{b^2/2}`; sums over L keys are near L
    times the mean only while :math:`e^{b^2} \ll L`.

    Examples
    --------
    >>> round(softmax_entropy(512, 1.0), 3)
    5.738
    """
    return log(n_keys) - deviation**2 / 2


def softmax_second_singular_value(n_tokens: int) -> float:
    r""":math:`2\sqrt{e - 1} / \sqrt{T}`: the second singular value of the softmax of T x T standard Gaussian scores, for large T.

    Without its constant part the matrix has independent entries of variance :math:`(e - 1)/T^2` [nait2025]_.

    Examples
    --------
    >>> round(softmax_second_singular_value(100), 3)
    0.262
    """
    return 2 * sqrt(e - 1) / sqrt(n_tokens)


def softmax_stable_rank() -> float:
    """The limit e of the stable rank of the softmax of T x T standard Gaussian scores: T^2 E w^2 over 1."""
    return e


def performer_relative_variance(squared_length: float, n_features: int) -> float:
    r"""The variance :math:`(e^{|q + k|^2} - 1) / m` of the estimate of :math:`e^{q \cdot k}` by m independent positive features,
    divided by the square of what is estimated; the argument is :math:`|q + k|^2` [choromanski2021]_.

    Examples
    --------
    >>> performer_relative_variance(0.0, 64), round(performer_relative_variance(2.0, 64), 3)
    (0.0, 0.1)
    """
    return (exp(squared_length) - 1) / n_features


def visible_pairs(mask: str, length: int, radius: int = 0) -> int:
    """How many pairs a mask shows: ``full``, ``causal``, ``window`` (radius on both sides), ``causal window`` (radius before).

    Examples
    --------
    >>> visible_pairs("causal", 5), visible_pairs("window", 5, 1), visible_pairs("causal window", 5, 1)
    (15, 13, 9)
    """
    L, w = length, min(radius, length - 1)
    counts = {
        "full": L * L,
        "causal": L * (L + 1) // 2,
        "window": L * (2 * w + 1) - w * (w + 1),
        "causal window": L * (w + 1) - w * (w + 1) // 2,
    }
    if mask not in counts:
        raise InvalidInput(f"unknown mask {mask!r}.", hint=f"one of {', '.join(counts)}")
    return counts[mask]
