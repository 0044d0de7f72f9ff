r"""Upper bounds from activation histograms: the framework of Hinz and van de Geer, and a sharper histogram."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from math import prod

from plica.theory.regions._arrangements import zaslavsky
from plica.theory.regions._widths import binomials, split_widths

Histogram = Callable[[int, int], Sequence[int]]


def binomial_histogram(d: int, n: int) -> tuple[int, ...]:
    r"""Serra's histogram: of the cells of n hyperplanes in R^d, :math:`\binom{n}{j}` have n - j active units, j <= d.

    Entry k of the result is the number of cells with k active units.

    Examples
    --------
    >>> binomial_histogram(3, 5)
    (0, 0, 10, 10, 5, 1)
    """
    active = binomials(n, d)[::-1]
    return (0,) * (n + 1 - len(active)) + active


def antipodal_histogram(d: int, n: int) -> tuple[int, ...]:
    r"""Serra's histogram with one more fact: few cells have more than half of their units active.

    *Lemma.* Of the cells of n hyperplanes in R^d, at most :math:`\sum_{j \le d} \binom{n-1}{j}` have more than n/2 units active.

    *Proof.* When the hyperplanes move a little every cell survives with its pattern, so let the arrangement be
    in general position, with :math:`R = \sum_{j\le d}\binom{n}{j}` cells. Far out along a generic direction u the pattern is
    the sign of :math:`w_i \cdot u`, along -u it is the opposite one: the :math:`U = 2\sum_{j<d}\binom{n-1}{j}` patterns of the
    central arrangement belong to cells that come in pairs with k and n - k active units. At most one of a pair has more
    than n/2, so at most :math:`R - U/2 = \sum_{j \le d}\binom{n-1}{j}` cells do, by Pascal's rule. ∎

    Both facts bound the number of cells with at least J active units for every J; the result takes the smaller of the two.
    It first differs from Serra's at d = 3, n = 5.

    Examples
    --------
    >>> antipodal_histogram(3, 5)
    (0, 0, 11, 9, 5, 1)
    """
    at_least = list(accumulate(reversed(binomial_histogram(d, n))))[::-1]
    half = zaslavsky(n - 1, d) if n else 1
    at_least = [min(t, half) if 2 * k > n else t for k, t in enumerate(at_least)]
    return tuple(a - b for a, b in zip(at_least, [*at_least[1:], 0], strict=True))


def hinz_van_de_geer_2019_upper_bound(widths: Sequence[int], *, histogram: Histogram = antipodal_histogram) -> int:
    r"""Push the number of cells per dimension of their image through the layers [hinz2019]_.

    Let :math:`\gamma(d, n)` be a histogram such that for every arrangement of n hyperplanes in R^d and every J, the number of
    cells with at least J active units is at most :math:`\sum_{k \ge J} \gamma(d, n)_k`, and let these sums grow with d.
    Start with one cell of dimension :math:`n_0`. In a layer of width n, v_d cells of dimension d become, for each k,
    :math:`v_d\, \gamma(d, n)_k` cells of dimension min(d, k). The number of cells after the last layer is an upper bound:

    *Proof.* On a cell of the earlier layers with an image of dimension d' <= d, the layer is an arrangement in that image;
    where k units are active its output has dimension at most min(d', k). Both replacing the true histogram by one with
    larger sums and replacing a dimension by a larger one increase the final count, because the sums grow with d. ∎

    With :func:`binomial_histogram` this is Serra's bound [serra2018]_, the strongest special case in the paper. The default
    :func:`antipodal_histogram` is derived here, in the spirit of the paper's remark that sharper histograms give sharper
    bounds; it is never above Serra's bound, and below it from (3, 5, 5, 1) on.

    Examples
    --------
    >>> widths = [3, 5, 5, 1]
    >>> hinz_van_de_geer_2019_upper_bound(widths), hinz_van_de_geer_2019_upper_bound(widths, histogram=binomial_histogram)
    (566, 576)
    """
    n_inputs, hidden = split_widths(widths)
    if histogram is antipodal_histogram and all(n >= 2 * n_inputs for n in hidden):
        return prod(zaslavsky(n, n_inputs) for n in hidden)  # no cell loses a dimension
    cells = {n_inputs: 1}
    for n in hidden:
        after: dict[int, int] = {}
        for d, number in cells.items():
            for k, gamma in enumerate(histogram(min(d, n), n)):
                if gamma:
                    after[min(d, k)] = after.get(min(d, k), 0) + number * gamma
        cells = after
    return sum(cells.values())
