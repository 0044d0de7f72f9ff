"""Compiled distances: sums in fixed order, no fast mathematics, early stops where a bound decides."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._compiled import compiled


@compiled
def squared_distance(x: Any, y: Any) -> float:
    """The squared distance of two rows, eight sums side by side."""
    n = x.shape[0]
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    whole = n - n % 8
    for i in range(0, whole, 8):
        s0 += (x[i] - y[i]) * (x[i] - y[i])
        s1 += (x[i + 1] - y[i + 1]) * (x[i + 1] - y[i + 1])
        s2 += (x[i + 2] - y[i + 2]) * (x[i + 2] - y[i + 2])
        s3 += (x[i + 3] - y[i + 3]) * (x[i + 3] - y[i + 3])
        s4 += (x[i + 4] - y[i + 4]) * (x[i + 4] - y[i + 4])
        s5 += (x[i + 5] - y[i + 5]) * (x[i + 5] - y[i + 5])
        s6 += (x[i + 6] - y[i + 6]) * (x[i + 6] - y[i + 6])
        s7 += (x[i + 7] - y[i + 7]) * (x[i + 7] - y[i + 7])
    for i in range(whole, n):
        s0 += (x[i] - y[i]) * (x[i] - y[i])
    return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))


@compiled
def stays_below(x: Any, y: Any, limit: Any) -> bool:
    """Whether the squared distance of two rows of single precision may be at most ``limit``; stops when it is not."""
    n = x.shape[0]
    s0 = s1 = s2 = s3 = np.float32(0.0)
    whole = n - n % 16
    for start in range(0, whole, 16):
        for i in range(start, start + 16, 4):
            s0 += (x[i] - y[i]) * (x[i] - y[i])
            s1 += (x[i + 1] - y[i + 1]) * (x[i + 1] - y[i + 1])
            s2 += (x[i + 2] - y[i + 2]) * (x[i + 2] - y[i + 2])
            s3 += (x[i + 3] - y[i + 3]) * (x[i + 3] - y[i + 3])
        if (s0 + s1) + (s2 + s3) > limit:
            return False
    for i in range(whole, n):
        s0 += (x[i] - y[i]) * (x[i] - y[i])
    return (s0 + s1) + (s2 + s3) <= limit


@compiled
def push(heap: Any, names: Any, value: float, name: int) -> None:
    """Replace the largest entry of a heap."""
    k = heap.shape[0]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= k:
            break
        if child + 1 < k and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= value:
            break
        heap[i], names[i] = heap[child], names[child]
        i = child
    heap[i], names[i] = value, name


@compiled
def _rounded_up(square: float) -> Any:
    """The largest bound worth a look, in single precision, so that no bound that equals it is lost."""
    return np.float32(square * (1.0 + 1e-6))


@compiled
def _group_minima(line: Any, minima: Any) -> None:
    """The least of every 64 entries, as integers, which compilers compare side by side.

    Floats that are not negative are in the order of their bits; where some are negative, the result is one of them.
    """
    for g in range(minima.shape[0]):
        part = line[64 * g : 64 * g + 64]
        least = np.int32(2147483647)
        for q in range(part.shape[0]):
            least = min(least, part[q])
        minima[g] = least


@compiled
def search(bounds: Any, bits: Any, first: int, X: Any, Z: Any, norms: Any, slack: float, squares: Any, names: Any) -> None:
    """The nearest neighbors of rows ``first, first + 1, ...`` of X, by lower bounds of all distances.

    ``bounds[i, j]`` is at most the squared distance of rows ``first + i`` and ``j``; it is overwritten. ``bits`` are the same
    as integers. ``squares`` and ``names`` receive the squared distances and the indices, in no order.
    """
    n_rows, n = bounds.shape
    k = squares.shape[1]
    n_groups = (n + 63) // 64
    minima = np.empty(n_groups, np.int32)
    least = minima.view(np.float32)
    k_likely = min(k, n_groups)
    for row in range(n_rows):
        a = first + row
        line, heap, name = bounds[row], squares[row], names[row]
        line[a] = np.inf
        _group_minima(bits[row], minima)
        heap[:] = np.inf
        name[:] = -1
        for g in range(n_groups):  # likely neighbors first: their distances exclude most others
            if least[g] < heap[k - k_likely]:
                push(heap[k - k_likely :], name[k - k_likely :], least[g], g)
        likely = name.copy()
        heap[:] = np.inf
        name[:] = -1
        for i in range(k - k_likely, k):
            g = likely[i]
            if g < 0:  # fewer groups than neighbors: the point itself is alone in one
                continue
            for j in range(64 * g, min(n, 64 * g + 64)):
                if line[j] == least[g]:
                    push(heap, name, squared_distance(X[a], X[j]), j)
                    line[j] = np.inf
                    break
        limit = _rounded_up(heap[0])
        for g in range(n_groups):
            if least[g] > limit:
                continue
            for j in range(64 * g, min(n, 64 * g + 64)):
                if line[j] > limit or j == a or line[j] == np.inf:
                    continue
                if Z.shape[1] > 0:
                    room = np.float32(heap[0] * (1.0 + slack) + slack * (norms[a] + norms[j]))
                    if not stays_below(Z[a], Z[j], room):
                        continue
                value = squared_distance(X[a], X[j])
                if value < heap[0]:
                    push(heap, name, value, j)
                    limit = _rounded_up(heap[0])
