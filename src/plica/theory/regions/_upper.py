r"""Upper bounds for the number of cells of every ReLU network with given widths (and so for its regions)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from math import prod

from plica.errors import InvalidInput
from plica.theory.regions._arrangements import zaslavsky
from plica.theory.regions._widths import binomials, integer, split_widths


def patterns_upper_bound(widths: Sequence[int]) -> int:
    r"""The number of activation patterns, :math:`2^N` with N neurons.

    Examples
    --------
    >>> patterns_upper_bound([2, 4, 4, 1])
    256
    """
    _, hidden = split_widths(widths)
    return 1 << sum(hidden)


def raghu_2017_upper_bound(widths: Sequence[int]) -> int:
    r""":math:`\prod_l \sum_{j \le n_0} \binom{n_l}{j}` [raghu2017]_.

    On a cell of the earlier layers, layer l is an arrangement of :math:`n_l` hyperplanes in :math:`R^{n_0}`. The argument
    uses nothing else: the bound also holds with skip connections and for leaky rectifiers.

    Examples
    --------
    >>> raghu_2017_upper_bound([2, 4, 4, 1])
    121
    """
    n_inputs, hidden = split_widths(widths)
    return prod(zaslavsky(n, n_inputs) for n in hidden)


def montufar_2017_upper_bound(widths: Sequence[int]) -> int:
    r""":math:`\prod_l \sum_{j \le d_l} \binom{n_l}{j}` with :math:`d_l = \min(n_0, \ldots, n_{l-1}, n_l)` [montufar2017]_.

    A narrow layer caps the dimension that later layers can see. Holds for chains of layers with any rectifier.

    Examples
    --------
    >>> montufar_2017_upper_bound([2, 3, 3, 3, 1]), montufar_2017_upper_bound([4, 2, 8, 1])
    (343, 148)
    """
    n_inputs, hidden = split_widths(widths)
    total, d = 1, n_inputs
    for n in hidden:
        d = min(d, n)
        total *= zaslavsky(n, d)
    return total


def serra_2018_upper_bound(widths: Sequence[int]) -> int:
    r""":math:`\sum_{(j_1, \ldots, j_L) \in J} \prod_l \binom{n_l}{j_l}` [serra2018]_.

    :math:`J = \{j : 0 \le j_l \le \min(n_0, n_1 - j_1, \ldots, n_{l-1} - j_{l-1}, n_l)\}`: where :math:`j_l` units of layer l are
    inactive, its output has dimension at most :math:`n_l - j_l`. Computed by the recursion over (layer, dimension), with running
    sums in time proportional to the widths,

    .. math:: r(l, d) = \sum_{j \le \min(d, n_l)} \binom{n_l}{j}\, r(l + 1, \min(d, n_l - j)).

    Holds for chains of ReLU layers; a leaky unit does not lose a dimension when it is inactive.

    Examples
    --------
    >>> serra_2018_upper_bound([2, 3, 3, 3, 1]), serra_2018_upper_bound([784, 10, 10, 10, 1])
    (208, 365139905)
    """
    n_inputs, hidden = split_widths(widths)
    below = [1] * (n_inputs + 1)  # r(l + 1, d) for every d
    for n in reversed(hidden):
        row = binomials(n, n_inputs)
        # j <= n - d keeps the dimension d; a larger j lowers it to n - j, whatever d was: two running sums serve all d
        keep = [0, *accumulate(row)]
        lower = [0, *accumulate(c * below[n - j] if n - j <= n_inputs else 0 for j, c in enumerate(row))]
        here = []
        for d in range(n_inputs + 1):
            last = min(d, n)
            split = max(0, min(n - d, last) + 1)  # the first j that lowers the dimension
            here.append(keep[split] * below[d] + lower[last + 1] - lower[split])
        below = here
    return below[n_inputs]


def telgarsky_2015_upper_bound(widths: Sequence[int]) -> int:
    r"""Affine pieces of a network on a line: :math:`2^L \prod_l n_l` [telgarsky2015]_.

    A sum of n functions with p pieces has at most n p pieces; a ReLU at most doubles them. Only for one input.

    Examples
    --------
    >>> telgarsky_2015_upper_bound([1, 4, 4, 1])
    64
    """
    n_inputs, hidden = split_widths(widths)
    if n_inputs != 1:
        raise InvalidInput(f"this bound is for one input, got {n_inputs}.", hint="use raghu_2017_upper_bound")
    return 2 ** len(hidden) * prod(hidden)


def telgarsky_2015_upper_bound_by_size(n_neurons: int, depth: int) -> Fraction:
    r"""The same in terms of size: at most :math:`(2 m / L)^L` pieces with m neurons in L hidden layers [telgarsky2015]_.

    By the inequality of the arithmetic and geometric means from :func:`telgarsky_2015_upper_bound`.

    Examples
    --------
    >>> telgarsky_2015_upper_bound_by_size(8, 2)
    Fraction(64, 1)
    """
    n_neurons, depth = integer(n_neurons, "n_neurons", least=1), integer(depth, "depth", least=1)
    return Fraction(2 * n_neurons, depth) ** depth


def arora_2018_size_lower_bound(k: int) -> Fraction:
    r"""Neurons needed by at most k hidden layers for a function of :math:`k^2` hidden layers and size :math:`k^3`.

    :math:`\frac{1}{2} k^{k+1} - 1` [arora2018]_: the function is a sawtooth with :math:`k^{k^2}` pieces, and
    :math:`(2m/k)^k \ge k^{k^2}` needs :math:`m \ge \frac12 k^{k+1}`.

    Examples
    --------
    >>> arora_2018_size_lower_bound(3)
    Fraction(79, 2)
    """
    k = integer(k, "k", least=1)
    return Fraction(k ** (k + 1), 2) - 1
