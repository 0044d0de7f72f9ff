"""One pass over a block of products: squared distances into the bins of the radii."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._compiled import compiled
from plica.dimension._distances import squared_distance

#: Rounding of a squared distance from a matrix product, as a share of the norms: such pairs are computed again near a radius.
_ROUNDING = 1e-12


@compiled
def accumulate(
    products: Any, first: int, X: Any, norms: Any, radii: Any, small: float, counts: Any, squares: Any, logarithms: Any
) -> int:
    """Add the pairs (first + i, j > first + i) to the bins between the radii; how many were equal points."""
    limits = radii * radii
    n_rows = products.shape[0]
    n = X.shape[0]
    last = limits.shape[0] - 1
    n_zero = 0
    for i in range(n_rows):
        a = first + i
        for b in range(a + 1, n):
            both = norms[a] + norms[b]
            square = both - 2.0 * products[i, b - first]
            slack = _ROUNDING * both
            if square >= limits[last] + slack and square > small * both:
                continue
            again = square <= small * both
            if again:
                square = squared_distance(X[a], X[b])
            low, high = 0, last + 1  # the first radius above the distance
            while low < high:
                middle = (low + high) // 2
                if square < limits[middle]:
                    high = middle
                else:
                    low = middle + 1
            if not again and ((low <= last and limits[low] - square <= slack) or (low > 0 and square - limits[low - 1] <= slack)):
                square = squared_distance(X[a], X[b])
                distance = np.sqrt(square)
                low = 0
                while low <= last and radii[low] <= distance:
                    low += 1
            if square == 0.0:
                n_zero += 1
            elif low <= last:
                counts[low] += 1
                squares[low] += square
                logarithms[low] += 0.5 * np.log(square)
    return n_zero
