r"""Every continuous piecewise-linear function as a signed sum of minima of few of its pieces, and so with few layers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, log2
from typing import Any

import numpy as np

from plica import exact
from plica.construct._arguments import array_argument
from plica.construct._construction import Construction
from plica.construct.representations._maximum import MAX_WIDTH, _Layers
from plica.errors import InvalidInput

Minima = dict[frozenset[int], int]


def signed_minima(forms: Sequence[Sequence[Fraction]], groups: Sequence[Sequence[int]]) -> Minima:
    r"""Coefficients c_U with :math:`\max_i \min_{j \in S_i} g_j = \sum_U c_U \min_{j \in U} g_j`, every U of at most n + 1 forms.

    A maximum is taken apart by inclusion and exclusion, :math:`\max(f, g) = f + g - \min(f, g)`: the sets are unions of groups.
    Of n + 2 or more forms in n variables some combination :math:`\sum_j \lambda_j g_j` with :math:`\sum_j \lambda_j = 0` is a
    constant, without loss of generality at most 0. Then the smallest g_j with :math:`\lambda_j > 0` is never above the largest
    with :math:`\lambda_j < 0`, so that no number is below the minimum of all others and above all of J, the latter; and
    :math:`\sum_{V \subseteq J} (-1)^{|V|} \min_{U \setminus J \cup V} g = 0`, which has smaller sets than U. (S. Wang and X. Sun,
    IEEE Trans. Inf. Theory 51 (2005), prove that such sums exist; [arora2018]_.)
    """
    total: Minima = {}
    for group in groups:
        own = frozenset(group)
        crossed: Minima = {}
        for union, c in total.items():
            crossed[union | own] = crossed.get(union | own, 0) - c
        crossed[own] = crossed.get(own, 0) + 1
        for union, c in crossed.items():
            total[union] = total.get(union, 0) + c
    small: Minima = {}
    limit = len(forms[0])  # n slopes and a constant: n + 1
    while total:
        largest = max(total, key=len)
        c = total.pop(largest)
        if not c:
            continue
        if len(largest) <= limit:
            small[largest] = c
            continue
        for smaller, share in _without(largest, forms).items():
            total[smaller] = total.get(smaller, 0) + c * share
    return small


def _without(union: frozenset[int], forms: Sequence[Sequence[Fraction]]) -> Minima:
    """The minimum over n + 2 or more forms as a signed sum of minima over fewer."""
    chosen = sorted(union)
    # a combination of the slopes that vanishes, with coefficients that add up to zero
    columns = [[*forms[j][:-1], Fraction(1)] for j in chosen]
    weights = exact.null_space([list(entries) for entries in zip(*columns, strict=True)])[0]
    level = sum((w * forms[j][-1] for w, j in zip(weights, chosen, strict=True)), Fraction(0))
    sign = 1 if level <= 0 else -1
    dropped = [j for w, j in zip(weights, chosen, strict=True) if sign * w < 0]
    rest = union - frozenset(dropped)
    parts: Minima = {}
    for bits in range(2 ** len(dropped) - 1):
        kept = frozenset(j for k, j in enumerate(dropped) if bits >> k & 1)
        parts[rest | kept] = (-1) ** (len(dropped) - len(kept) + 1)
    return parts


def few_layers(forms: Any, groups: Sequence[Sequence[int]]) -> Construction:
    r"""The largest over the groups of the smallest affine form in each, with :math:`\lceil \log_2(n+1) \rceil` hidden layers.

    Forms are rows (slopes, constant) over n variables, as :func:`lattice_form` finds them for any network: the depth does not
    depend on how many pieces there are, which the number of units pays for. It is the theorem of [arora2018]_ on the depth of
    continuous piecewise-linear functions.

    Examples
    --------
    >>> hat = few_layers([[1.0, 0.0], [-1.0, 1.0], [0.0, 0.0]], [[0, 1], [2]])  # max(min(x, 1 - x), 0)
    >>> hat.depth, hat([0.75]), hat([-3.0])
    (1, array([0.25]), array([0.]))
    """
    rows = array_argument("forms", forms)
    if rows.ndim != 2 or rows.shape[1] < 2 or not np.isfinite(rows).all():
        raise InvalidInput(f"forms are rows of slopes and a constant, got shape {rows.shape}.")
    if not groups or any(not g or not all(0 <= i < len(rows) for i in g) for g in groups):
        raise InvalidInput(f"groups name forms 0 to {len(rows) - 1}, at least one each.")
    minima = signed_minima([[Fraction(float(c)) for c in form] for form in rows], groups)
    if len(minima) > MAX_WIDTH:
        raise InvalidInput(f"{len(minima):,} minima are more than {MAX_WIDTH:,}.", hint="use max_min, which is deeper")
    depth = ceil(log2(rows.shape[1]))
    layers = _Layers(rows)
    left: Sequence[Sequence[int]] = [sorted(union) for union in minima]
    for _ in range(depth):
        left = layers.fold(left, sign=-1.0)
    coefficients = np.zeros((1, len(layers.shift)))
    for (single,), c in zip(left, minima.values(), strict=True):
        coefficients[0, single] = c
    layers.read, layers.shift = coefficients @ layers.read, coefficients @ layers.shift
    parameters = {"n_forms": len(rows), "n_groups": len(groups), "n_minima": len(minima)}
    network = layers.network("signed sum of minima")
    return Construction("few-layers", network, parameters, {"depth": depth, "error": 0}, ("arora2018",))
