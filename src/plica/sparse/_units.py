"""What is known about the units of a layer on a domain: dead, constant, always on, unread, multiples of another."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np

from plica._types import Array
from plica.sparse._rounded import RoundedLayer


def multiples(layer: RoundedLayer, among: Array) -> list[tuple[int, int, Fraction]]:
    """Units that are positive multiples of an earlier one, weights and bias alike: (unit, earlier unit, factor); proved.

    Candidates share their signs and, up to rounding, their proportions; integers decide. Rows that were rounded are left out.

    Examples
    --------
    >>> from plica.network import Linear
    >>> layer = RoundedLayer.of(Linear(np.array([[1.0, 3.0], [0.1, 0.3], [2.0, 6.0]]), np.array([0.5, 0.05, 1.0])))
    >>> multiples(layer, np.arange(3))  # 0.1 and 0.3 are no exact multiples of 1 and 3
    [(2, 0, Fraction(2, 1))]
    """
    groups: dict[bytes, list[int]] = defaultdict(list)
    for i in among:
        row = np.append(layer.weight[i], layer.bias[i])
        size = float(np.abs(row).max(initial=0.0))
        if size == 0.0 or layer.weight_error[i].any() or layer.bias_error[i]:
            continue
        exponent = np.frexp(size)[1]
        lead = row[int(np.argmax(row != 0))] * 2.0**-exponent
        coarse = np.round(row * 2.0**-exponent / abs(lead), 6) + 0.0
        groups[coarse.tobytes()].append(int(i))
    found: list[tuple[int, int, Fraction]] = []
    for members in groups.values():
        clusters: list[list[tuple[int, Fraction]]] = []  # units and what multiples of the first one they are
        for i in members:
            for cluster in clusters:
                factor = _factor(layer, i, cluster[0][0])
                if factor is not None:
                    cluster.append((i, factor))
                    break
            else:
                clusters.append([(i, Fraction(1))])
        for cluster in clusters:
            leader, unit = min(cluster, key=lambda one: sum(not _is_float(c / one[1]) for _, c in cluster))
            found += [(i, leader, c / unit) for i, c in cluster if i != leader]
    return sorted(found)


def _is_float(x: Fraction) -> bool:
    """Whether a denominator is a power of two: products with such numbers of few bits do not round."""
    return x.denominator & (x.denominator - 1) == 0


def _factor(layer: RoundedLayer, i: int, j: int) -> Fraction | None:
    """The positive c with row i = c row j, if there is one."""
    a, b = (np.append(layer.weight[k], layer.bias[k]) for k in (i, j))
    if not ((a != 0) == (b != 0)).all():
        return None
    places = np.flatnonzero(b)
    factor = Fraction(a[places[0]]) / Fraction(b[places[0]])
    if factor <= 0 or any(Fraction(a[p]) != factor * Fraction(b[p]) for p in places):
        return None
    return factor


def unread(layer: RoundedLayer) -> Array:
    """Inputs of a layer that nothing reads."""
    return np.asarray(~((layer.weight != 0) | (layer.weight_error != 0)).any(axis=0))


def without_inputs(layer: RoundedLayer) -> Array:
    """Units that read nothing: their pre-activation is the bias."""
    return np.asarray(~((layer.weight != 0) | (layer.weight_error != 0)).any(axis=1))
