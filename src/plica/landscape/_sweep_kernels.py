"""One row of a plane of weights at once: what two dense layers make of a sample at growing v.

At fixed u the first pre-activations are a + v e, so every unit switches at most once along the row, and between switches the next
layer is a polynomial p0 + v p1 + v^2 p2. A sample begins with its polynomial at the first point and adds what a switch changes.
"""

from __future__ import annotations

import numpy as np

from plica._compiled import compiled
from plica._types import Array


@compiled
def sweep(
    a: Array,
    e: Array,
    change: Array,
    v: Array,
    weights: tuple[Array, Array],
    sums: tuple[Array, Array, Array],
    slope: Array,
    out: Array,
) -> None:
    """Fill ``out`` (points, samples, units) with what the second rectifiers make of their pre-activations at all v.

    ``a``, ``e`` (samples, inner units); ``change`` by how much a unit's slope grows when it becomes active;
    ``weights`` (inner units, units) at v = 0 and what v adds;
    ``sums`` the polynomials at the first v, which are changed; ``slope`` of the second rectifiers, 1 where there are none.
    """
    n_samples, n_inner = a.shape
    n_points, n_units = len(v), out.shape[2]
    w0, w1 = weights
    p0, p1, p2 = sums
    order, place, begins = np.empty(n_inner, np.int64), np.empty(n_inner, np.int64), np.empty(n_points + 1, np.int64)
    first, last = v[0], v[-1]
    density = (n_points - 1) / (last - first)
    for n in range(n_samples):
        begins[:] = 0
        for j in range(n_inner):
            was, will = a[n, j] + first * e[n, j] > 0, a[n, j] + last * e[n, j] > 0
            place[j] = 0
            if was != will:  # the state changes at ``high``, which is guessed as if all v had the same distance
                high = min(max(int((-a[n, j] / e[n, j] - first) * density) + 1, 1), n_points - 1)
                while high > 1 and (a[n, j] + v[high - 1] * e[n, j] > 0) != was:
                    high -= 1
                while (a[n, j] + v[high] * e[n, j] > 0) == was:
                    high += 1
                place[j] = high
                begins[high + 1] += 1
        for k in range(n_points):
            begins[k + 1] += begins[k]
        for j in range(n_inner):
            if place[j] > 0:
                order[begins[place[j]]] = j
                begins[place[j]] += 1
        at, q0, q1, q2 = 0, p0[n], p1[n], p2[n]
        for k in range(n_points):
            while at < begins[k]:
                j = order[at]
                at += 1
                s = change[j] if e[n, j] > 0 else -change[j]
                x, y = s * a[n, j], s * e[n, j]
                r0, r1 = w0[j], w1[j]
                for i in range(n_units):  # three loops: each with few arrays, so that the compiler knows they are apart
                    q0[i] += x * r0[i]
                for i in range(n_units):
                    q1[i] += y * r0[i] + x * r1[i]
                for i in range(n_units):
                    q2[i] += y * r1[i]
            t, told = v[k], out[k, n]
            for i in range(n_units):
                z = q0[i] + t * (q1[i] + t * q2[i])
                told[i] = z if z > 0 else slope[i] * z


@compiled
def enter(base: Array, slope: Array, v: float, is_rectified: bool, out: Array) -> None:
    """Fill ``out`` with the largest of base + v slope over members (the first axis), and of 0 if it is rectified."""
    n_members, n = base.shape
    for i in range(n):
        z = base[0, i] + v * slope[0, i]
        out[i] = z if z > 0 or not is_rectified else 0
    for k in range(1, n_members):
        for i in range(n):
            z = base[k, i] + v * slope[k, i]
            out[i] = z if z > out[i] else out[i]


@compiled
def rectified(a: Array, e: Array, slope: Array, v: Array, out: Array) -> None:
    """Fill ``out`` (points, units, samples) with what rectifiers make of a + v e (units, samples) at all v."""
    n_units, n_samples = a.shape
    for k in range(len(v)):
        t = v[k]
        for j in range(n_units):
            s, x, y, told = slope[j], a[j], e[j], out[k, j]
            for n in range(n_samples):
                z = x[n] + t * y[n]
                told[n] = z if z > 0 else s * z
