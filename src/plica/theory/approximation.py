r"""Closed forms about approximation: rates, sizes and Barron's constant."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, e, exp, lgamma, log2, pi, prod, sqrt

from plica.errors import InvalidInput

__all__ = [
    "barron_constant_gaussian",
    "barron_derivative_constant",
    "barron_linear_lower_bound",
    "bartlett_2019_vc_upper_bound",
    "deep_monomial_units",
    "effective_dimension",
    "effective_dimension_of_tree",
    "hastad_1986_switching_upper_bound",
    "layered_product_units",
    "lipschitz_entropy_bits",
    "lipschitz_packing_bits",
    "lipschitz_parameters",
    "lipschitz_width",
    "parity_circuit_gates",
    "sawtooth_distance_lower_bound",
    "shallow_monomial_units",
    "threshold_units",
]


def effective_dimension(n: int, m: int) -> Fraction:
    r"""n/m for functions of n variables with m bounded derivatives [poggio2017]_.

    An error :math:`\varepsilon` needs of the order of :math:`\varepsilon^{-n/m}` parameters.

    Examples
    --------
    >>> effective_dimension(8, 2)
    Fraction(4, 1)
    """
    if n < 1 or m < 1:
        raise InvalidInput(f"n and m must be positive, got {n} and {m}.")
    return Fraction(n, m)


def effective_dimension_of_tree(m: int) -> Fraction:
    r"""2/m for binary trees of functions of two variables with m bounded derivatives [poggio2017]_.

    An error :math:`\varepsilon` is reached with :math:`O((n-1)\,\varepsilon^{-2/m})` parameters.

    Examples
    --------
    >>> effective_dimension_of_tree(4)
    Fraction(1, 2)
    """
    return effective_dimension(2, m)


def barron_constant_gaussian(d: int, *, sigma: float) -> float:
    r"""Barron's constant of :math:`\exp(-|x|^2 / 2\sigma^2)` on R^d: the mean length of a Gaussian vector [barron1993]_.

    .. math::
        C = \int |\omega|\,|\hat f(\omega)|\,d\omega
          = \frac{\sqrt 2}{\sigma} \frac{\Gamma((d+1)/2)}{\Gamma(d/2)} \le \frac{\sqrt d}{\sigma}

    with :math:`f(x) = \int e^{i \omega \cdot x} \hat f(\omega) d\omega`.

    Examples
    --------
    >>> round(barron_constant_gaussian(2, sigma=1.0), 4)
    1.2533
    """
    if d < 1 or sigma <= 0:
        raise InvalidInput(f"d and sigma must be positive, got {d} and {sigma}.")
    return sqrt(2) / sigma * exp(lgamma((d + 1) / 2) - lgamma(d / 2))


def barron_derivative_constant(d: int, s: int) -> float:
    r"""c in :math:`C \le (2\pi)^{-d/2}\, c\, |f|_s`: derivatives up to s > 1 + d/2 bound Barron's constant [barron1993]_.

    .. math:: c^2 = \int_{R^d} \frac{d\omega}{(1 + |\omega|^2)^{s-1}} = \pi^{d/2} \frac{\Gamma(s - 1 - d/2)}{\Gamma(s - 1)},
        \qquad |f|_s^2 = \sum_{k < s} \binom{s-1}{k} \int |D^{k+1} f|^2

    by the inequality of Cauchy and Schwarz, with equality where :math:`|\omega| |\hat f|` is proportional to the integrand.

    Examples
    --------
    >>> round(barron_derivative_constant(1, 2) ** 2, 6)  # the integral of 1 / (1 + w^2)
    3.141593
    """
    if d < 1 or 2 * (s - 1) <= d:
        raise InvalidInput(f"{s} derivatives in {d} dimensions.", hint="s > 1 + d/2 of them are needed")
    return sqrt(pi ** (d / 2) * exp(lgamma(s - 1 - d / 2) - lgamma(s - 1)))


def barron_linear_lower_bound(n: int, d: int, *, constant: float) -> float:
    r"""How far some function with Barron constant C is from every span of n fixed functions on the unit cube [barron1993]_.

    .. math:: \frac{1}{8 \pi e^{\pi - 1}} \frac{C}{d} n^{-1/d}

    in the mean square over the cube, for whichever n functions.

    Examples
    --------
    >>> round(barron_linear_lower_bound(1, 1, constant=1.0), 5)
    0.00467
    """
    if n < 1 or d < 1 or constant <= 0:
        raise InvalidInput(f"n, d and the constant must be positive, got {n}, {d} and {constant}.")
    return constant / (8 * pi * exp(pi - 1) * d) * n ** (-1 / d)


def lipschitz_packing_bits(error: float) -> int:
    r"""Bits that distinguish functions with Lipschitz constant 1 on [0, 1] which are more than twice the error apart.

    With m = :math:`\lceil 1/(2\varepsilon) \rceil - 1` intervals, a tent up or down of height 1/(2m) on each gives
    :math:`2^m` functions at distances of :math:`1/m > 2\varepsilon`: whatever approximates all of them within the error tells
    them apart [boelcskei2019]_.

    Examples
    --------
    >>> lipschitz_packing_bits(0.1), lipschitz_packing_bits(0.099)
    (4, 5)
    """
    if error <= 0:
        raise InvalidInput(f"the error must be positive, got {error}.")
    return max(0, ceil(1 / (2 * error)) - 1)


def lipschitz_entropy_bits(error: float | Fraction) -> int:
    r"""The bits of the best code for functions on [0, 1] with constant 1 and f(0) = 0, to within an error [kolmogorov1961]_.

    :math:`\lceil 1/\varepsilon \rceil - 1`: one step up or down for each interval of length :math:`\varepsilon` but the first,
    and as many functions are more than :math:`2\varepsilon` apart.

    Examples
    --------
    >>> lipschitz_entropy_bits(0.3), lipschitz_entropy_bits(Fraction(1, 4))
    (3, 3)
    """
    if not 0 < error < 1:
        raise InvalidInput(f"the error must lie between 0 and 1, got {error!r}.")
    return ceil(1 / Fraction(error)) - 1


def bartlett_2019_vc_upper_bound(weights: Sequence[int], units: Sequence[int]) -> float:
    r"""How many points ReLU networks of one architecture can label in every way, at most: Theorem 7 of [bartlett2019]_.

    .. math:: L + \sum_{i \le L} W_i \cdot \log_2(4 e R \log_2(2 e R)), \qquad R = \sum_{i \le L} i\,k_i

    ``weights`` are the parameters at the inputs of the units of each of L layers, output included, and :math:`W_i` those of the
    first i layers; ``units`` are the :math:`k_i`. Of the order of :math:`W L \log W` for W parameters.

    Examples
    --------
    >>> round(bartlett_2019_vc_upper_bound([4, 3], [2, 1]), 1)  # R = 2 + 2, weights 4 and 4 + 3
    85.5
    """
    if len(weights) != len(units) or not weights or min(weights) < 0 or min(units) < 1:
        raise InvalidInput(f"{len(weights)} numbers of weights and {len(units)} of units.", hint="one of each for every layer")
    r = 2 * e * sum(i * k for i, k in enumerate(units, start=1))
    behind = sum(w * (len(weights) - i) for i, w in enumerate(weights))
    return len(weights) + behind * log2(2 * r * log2(r))


def threshold_units(lipschitz: float, error: float) -> int:
    r"""Threshold units that suffice for a function on [0, 1]: :math:`\lceil \rho / \varepsilon \rceil` [telgarsky2021]_.

    :math:`\rho` is its Lipschitz constant, :math:`\varepsilon` the largest error.

    Examples
    --------
    >>> threshold_units(3.0, 0.5)
    6
    """
    if lipschitz <= 0 or error <= 0:
        raise InvalidInput(f"the Lipschitz constant and the error must be positive, got {lipschitz} and {error}.")
    return ceil(lipschitz / error)


def shallow_monomial_units(exponents: Sequence[int]) -> int:
    r"""Units with which one hidden layer represents :math:`\prod_i x_i^{r_i}` to any accuracy: :math:`\prod_i (r_i + 1)`.

    Fewer do not suffice for activations without vanishing derivatives [rolnick2018]_.

    Examples
    --------
    >>> shallow_monomial_units([1, 1, 1]), shallow_monomial_units([5])
    (8, 6)
    """
    if any(r < 0 for r in exponents):
        raise InvalidInput(f"exponents are zero or more, got {tuple(exponents)}.")
    return prod(r + 1 for r in exponents)


def deep_monomial_units(exponents: Sequence[int]) -> int:
    r"""Units with which a deep network represents :math:`\prod_i x_i^{r_i}`: :math:`\sum_i (7 \lceil \log_2 r_i \rceil + 4)`.

    The sum is over the variables that occur [rolnick2018]_.

    Examples
    --------
    >>> deep_monomial_units([1, 1, 1, 1]), deep_monomial_units([5])
    (16, 25)
    """
    if any(r < 0 for r in exponents):
        raise InvalidInput(f"exponents are zero or more, got {tuple(exponents)}.")
    return sum(7 * (r - 1).bit_length() + 4 for r in exponents if r)


def sawtooth_distance_lower_bound(depth: int, pieces: int) -> Fraction:
    r"""A lower bound of :math:`\int_0^1 |f - g|` for the sawtooth f of a depth k and every g with at most p affine pieces.

    .. math:: \frac{2^k - 2p + 1}{2^{k+2}}

    The p - 1 ends of pieces of g lie in at most as many of the :math:`2^k` monotone segments of f; the others form at most p
    runs. On two neighboring segments a line is at least :math:`2^{-k}/2` away, so a run of r segments costs at least
    :math:`(r - 1) 2^{-k}/4`. The bound of [telgarsky2021]_ is half as large.

    Examples
    --------
    >>> sawtooth_distance_lower_bound(6, 16)
    Fraction(33, 256)
    """
    if depth < 1 or pieces < 1:
        raise InvalidInput(f"depth and pieces must be positive, got {depth} and {pieces}.")
    return max(Fraction(2**depth - 2 * pieces + 1, 2 ** (depth + 2)), Fraction(0))


def layered_product_units(n: int, depth: int) -> int:
    r"""Units with which k hidden layers represent a product of n variables: :math:`O(n^{(k-1)/k} 2^{n^{1/k}})` [rolnick2018]_.

    Every layer multiplies groups of :math:`g = \lceil n^{1/k} \rceil` numbers, :math:`2^g` units each. With g numbers per group,
    n becomes :math:`\lceil n/g \rceil`; a last group may be smaller, and a group of one number is passed on by a pair of units.

    Examples
    --------
    >>> layered_product_units(16, 1), layered_product_units(16, 2), layered_product_units(16, 4)
    (65536, 80, 60)
    """
    if n < 1 or depth < 1:
        raise InvalidInput(f"n and depth must be positive, got {n} and {depth}.")
    size = next(g for g in range(1, n + 1) if g**depth >= n)
    total = 0
    for _ in range(depth):
        whole, rest = divmod(n, size)
        total += whole * 2**size + (2**rest if rest else 0)
        n = whole + (rest > 0)
    return total


def lipschitz_width(n_parameters: int, dimension: int) -> Fraction:
    r"""No linear method with W parameters is nearer than this to all functions on :math:`[0, 1]^d` with Lipschitz constant one.

    .. math:: \frac{1}{2N}, \qquad N^d > W \ge (N - 1)^d

    in the largest coordinate. On :math:`N^d` boxes stand pyramids of height 1/(2N). Some non-trivial combination of the values at
    their tops vanishes on all that the method can represent; the sum of the pyramids with the signs of this combination is as
    far away as they are high. By Borsuk's theorem the same holds where the parameters depend continuously on the function
    [devore1989]_. Steps on :math:`n^d = W` boxes reach 1/(2n).

    Examples
    --------
    >>> lipschitz_width(10, 1), lipschitz_width(10, 3)
    (Fraction(1, 22), Fraction(1, 6))
    """
    if n_parameters < 0 or dimension < 1:
        raise InvalidInput(f"the parameters are zero or more and the dimension positive, got {n_parameters} and {dimension}.")
    N = 1
    while N**dimension <= n_parameters:
        N += 1
    return Fraction(1, 2 * N)


def lipschitz_parameters(error: float | Fraction, dimension: int) -> int:
    r"""Parameters that an error asks for, and that suffice: :math:`\lceil 1/(2\varepsilon) \rceil^d`, cursed by dimension.

    For functions on :math:`[0, 1]^d` with Lipschitz constant one in the largest coordinate, and methods as in
    :func:`lipschitz_width`: with fewer than :math:`N^d` parameters the error is at least 1/(2N).

    Examples
    --------
    >>> [lipschitz_parameters(Fraction(1, 8), d) for d in (1, 2, 3)]
    [4, 16, 64]
    """
    if error <= 0 or dimension < 1:
        raise InvalidInput(f"error and dimension must be positive, got {error} and {dimension}.")
    return ceil(1 / (2 * Fraction(error))) ** dimension


def hastad_1986_switching_upper_bound(width: int, depth: int, *, free: float | Fraction) -> float | Fraction:
    r"""(5 p w)^s: how often a normal form of width w keeps a decision tree of depth s or more [hastad1986]_.

    Each variable stays free with probability p and is else 0 or 1, equally likely.

    Examples
    --------
    >>> hastad_1986_switching_upper_bound(2, 3, free=Fraction(1, 40))
    Fraction(1, 64)
    """
    if width < 1 or depth < 0 or not 0 <= free <= 1:
        raise InvalidInput(f"width={width}, depth={depth}, free={free}: a width from 1, a depth from 0, a probability.")
    return (5 * width * free) ** depth


def parity_circuit_gates(fan: int, depth: int) -> int:
    r"""Gates of a circuit of that depth for the parity of k^(d-1) bits, made of parities of k [hastad1986]_.

    Every block below the last one has :math:`2^k` gates, both for its parity and for the opposite, because neighbors of one kind
    are merged; the last block has :math:`2^{k-1} + 1`.

    Examples
    --------
    >>> [parity_circuit_gates(2, depth) for depth in (2, 3, 4)]
    [3, 11, 27]
    """
    if fan < 2 or depth < 2:
        raise InvalidInput(f"fan={fan}, depth={depth}: both are at least 2.")
    blocks = sum(fan**level for level in range(1, depth - 1))
    return int(blocks * 2**fan + 2 ** (fan - 1) + 1)
