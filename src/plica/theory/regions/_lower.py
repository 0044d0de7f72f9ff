r"""Lower bounds for the largest number of regions of a network with given widths, each by a construction.

They say that *some* weights reach the number. Other weights may give a single region.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, prod

from plica.errors import InvalidInput
from plica.theory.regions._arrangements import zaslavsky
from plica.theory.regions._widths import integer, split_widths


def _folds(widths: Sequence[int], name: str, *, least: int = 1) -> tuple[int, list[int], int]:
    """(n_inputs, floor(n_l / n_0) of all hidden layers but the last, width of the last)."""
    n_inputs, hidden = split_widths(widths)
    if not hidden:
        raise InvalidInput(f"{name} needs at least one hidden layer.")
    if any(n < least * n_inputs for n in hidden):
        times = f"{least} times " if least > 1 else ""
        raise InvalidInput(
            f"{name} needs every hidden layer at least {times}as wide as the input, got widths {tuple(widths)}.",
            hint="lower bounds of this kind fold every input coordinate in every layer",
        )
    return n_inputs, [n // n_inputs for n in hidden[:-1]], hidden[-1]


def pascanu_2014_lower_bound(widths: Sequence[int]) -> int:
    r""":math:`\left(\prod_{l<L} \lfloor n_l / n_0 \rfloor\right) \sum_{j \le n_0} \binom{n_L}{j}` [pascanu2014]_.

    Examples
    --------
    >>> pascanu_2014_lower_bound([2, 4, 4, 1])
    22
    """
    n_inputs, folds, last = _folds(widths, "Pascanu's bound")
    return prod(folds) * zaslavsky(last, n_inputs)


def montufar_2014_lower_bound(widths: Sequence[int]) -> int:
    r""":math:`\left(\prod_{l<L} \lfloor n_l / n_0 \rfloor^{n_0}\right) \sum_{j \le n_0} \binom{n_L}{j}` [montufar2014]_.

    Each layer but the last folds every coordinate of the unit cube :math:`\lfloor n_l/n_0 \rfloor` times onto itself; the
    last one is an arrangement in general position with its vertices in the cube.

    Examples
    --------
    >>> montufar_2014_lower_bound([2, 4, 4, 1])
    44
    """
    n_inputs, folds, last = _folds(widths, "Montúfar's bound")
    return prod(p**n_inputs for p in folds) * zaslavsky(last, n_inputs)


def serra_2018_lower_bound(widths: Sequence[int]) -> int:
    r""":math:`\left(\prod_{l<L} (\lfloor n_l / n_0 \rfloor + 1)^{n_0}\right) \sum_{j \le n_0} \binom{n_L}{j}` [serra2018]_.

    Needs :math:`n_l \ge 3 n_0`. Three or more ReLUs per coordinate fold the line once more than Montúfar's, because one
    of them faces left: slopes 2, -1, 1, -1, ... . For one input the bound is :math:`\prod_l (n_l + 1)`, which no network
    exceeds.

    Examples
    --------
    >>> serra_2018_lower_bound([1, 3, 4, 1])
    20
    """
    n_inputs, folds, last = _folds(widths, "Serra's lower bound", least=3)
    return prod((p + 1) ** n_inputs for p in folds) * zaslavsky(last, n_inputs)


def arora_2018_lower_bound(widths: Sequence[int]) -> int:
    r""":math:`\left(\sum_{i<n_0} \binom{m-1}{i}\right) \prod_{l \ge 2} n_l` with :math:`m = \lfloor n_1/2 \rfloor` [arora2018]_.

    The first layer computes :math:`\sum_i |v_i \cdot x|`, the support function of a zonotope, linear on the
    :math:`2\sum_{i<n_0}\binom{m-1}{i}` cones of a central arrangement; the other layers, a sawtooth with
    :math:`\prod_{l\ge2} n_l` pieces, cut every cone across. So even twice the stated number is reached.

    Examples
    --------
    >>> arora_2018_lower_bound([2, 8, 3, 3, 1])
    36
    """
    n_inputs, hidden = split_widths(widths)
    if not hidden or hidden[0] < 2:
        raise InvalidInput("Arora's bound needs a first hidden layer of width 2 or more.")
    m = hidden[0] // 2
    return sum(comb(m - 1, i) for i in range(n_inputs)) * prod(hidden[1:])


def montufar_2014_maxout_lower_bound(n_inputs: int, depth: int, rank: int) -> int:
    r"""L maxout layers of width :math:`n_0` and rank k reach :math:`k^{L-1} k^{n_0}` regions [montufar2014]_.

    *Proof for n_0 >= 2.* Let P be a regular k-gon and :math:`h_1, h_2` the support functions of P and of a copy turned by a
    generic angle, each a maximum of k linear forms. :math:`(h_1, h_2)` is invariant under rotation by 2 pi/k and maps a small
    open set in each of the k sectors onto one set with interior: k-fold identification (keep the other coordinates).
    Center the next layer inside that set. The last layer cuts each coordinate k times. ∎

    For one input and k >= 3 the formula is not reached: a maximum of affine functions is convex, so it takes a value at
    most twice, and a second layer of rank 3 gives at most 3 + 2·2 = 7 pieces, not 9. Such arguments are refused.

    Examples
    --------
    >>> montufar_2014_maxout_lower_bound(2, depth=3, rank=3)
    81
    """
    n_inputs, depth = integer(n_inputs, "n_inputs", least=1), integer(depth, "depth", least=1)
    rank = integer(rank, "rank", least=2)
    if n_inputs == 1 and rank > 2 and depth > 1:
        raise InvalidInput(
            f"for one input, rank {rank} and depth {depth} the formula exceeds what convex units can do.",
            hint="use n_inputs >= 2 or rank 2",
        )
    return rank ** (depth - 1 + n_inputs)
