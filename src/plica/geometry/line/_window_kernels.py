"""A matrix that is applied at many positions, to few columns: only what is not zero is gathered and multiplied."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._parallel import load_kernel_blas
from plica.geometry._bits import ONE, ZERO, lowest, popcount
from plica.geometry._kernel import allocating_kernel, kernel, phase

load_kernel_blas()

_FEW = 12  # columns of a word that are gone through one by one


@allocating_kernel
def window_products(
    weights: Any, reads: Any, x: Any, reached: Any, needed: Any, start: Any, stop: Any, out: Any, out_reached: Any
) -> Any:
    """The needed outputs at the positions from ``start`` to before ``stop``; returns the largest number of terms of a sum.

    ``x`` is (entries, columns), and ``reached`` has a bit for each column that may be different from zero at an entry. Output k
    of position p is row ``k * positions + p`` of ``out``, which is zero where nothing is written.
    """
    n_out, n_terms = weights.shape
    n_positions, n_columns = len(reads), x.shape[1]
    n_words = reached.shape[1]
    rows, taps = np.empty(n_terms, np.int64), np.empty(n_terms, np.int64)
    outputs, columns = np.empty(n_out, np.int64), np.empty(n_columns, np.int64)
    words = np.empty(n_words, np.uint64)
    w_room, x_room = np.empty(n_out * n_terms), np.empty(n_terms * n_columns)
    y_room = np.empty(n_out * n_columns)
    most = 0
    for p in range(start, stop):
        m = 0
        for k in range(n_out):
            if needed[k * n_positions + p]:
                outputs[m] = k
                m += 1
        if m == 0:
            continue
        words[:] = ZERO
        n = 0
        for j in range(n_terms):
            i = reads[p, j]
            if i < 0:
                continue
            some = ZERO
            for w in range(n_words):
                some |= reached[i, w]
                words[w] |= reached[i, w]
            if some != ZERO:
                rows[n], taps[n] = i, j
                n += 1
        if n == 0:
            continue
        most = max(most, n)
        s = 0
        for w in range(n_words):
            left = words[w]
            while left != ZERO:
                columns[s] = 64 * w + lowest(left)
                left &= left - ONE
                s += 1
        a, b, c = w_room[: m * n].reshape(m, n), x_room[: n * s].reshape(n, s), y_room[: m * s].reshape(m, s)
        for k in range(m):
            for j in range(n):
                a[k, j] = weights[outputs[k], taps[j]]
        for j in range(n):
            i = rows[j]
            if s == n_columns:
                for q in range(s):
                    b[j, q] = x[i, q]
            else:
                for q in range(s):
                    b[j, q] = x[i, columns[q]]
        np.dot(a, b, c)
        for k in range(m):
            i = outputs[k] * n_positions + p
            for q in range(s):
                out[i, columns[q]] = c[k, q]
            for w in range(n_words):
                out_reached[i, w] = words[w]
    return most


@phase
def next_columns(left: Any, start: Any, n: Any) -> Any:
    """The next columns of a word that begins with column ``start``, from a bit on, and the bits behind them.

    One column for a bit of a few, all columns of the word (others are zeros) where there are many.
    """
    if popcount(left) > _FEW:
        return start, min(n, start + 64), ZERO
    j = start + lowest(left)
    return j, j + 1, left & (left - ONE)


@kernel
def weighted_sums(x: Any, reached: Any, sizes: Any, out: Any) -> None:
    """For each entry the sum of the absolute values of its columns times these sizes."""
    for i in range(len(x)):
        total = 0.0
        for w in range(reached.shape[1]):
            left = reached[i, w]
            while left != ZERO:
                a, b, left = next_columns(left, 64 * w, x.shape[1])
                for j in range(a, b):
                    total += abs(x[i, j]) * sizes[j]
        out[i] = total


@kernel
def add_squares(x: Any, reached: Any, out: Any) -> None:
    """Add the squares of the entries of every column."""
    for i in range(len(x)):
        for w in range(reached.shape[1]):
            left = reached[i, w]
            while left != ZERO:
                a, b, left = next_columns(left, 64 * w, x.shape[1])
                for j in range(a, b):
                    out[j] += x[i, j] * x[i, j]


@kernel
def take_rows(x: Any, reached: Any, places: Any, out: Any, out_reached: Any) -> None:
    """Copy entries into an array of zeros with as many columns or more; ``places`` says which, and is negative for none."""
    for i in range(len(places)):
        p = places[i]
        if p < 0:
            continue
        for w in range(reached.shape[1]):
            left = reached[p, w]
            out_reached[i, w] = left
            while left != ZERO:
                a, b, left = next_columns(left, 64 * w, x.shape[1])
                for j in range(a, b):
                    out[i, j] = x[p, j]


@kernel
def scale_rows(x: Any, reached: Any, factors: Any) -> None:
    """Multiply every entry by its factor, in place."""
    for i in range(len(x)):
        for w in range(reached.shape[1]):
            left = reached[i, w]
            while left != ZERO:
                a, b, left = next_columns(left, 64 * w, x.shape[1])
                for j in range(a, b):
                    x[i, j] *= factors[i]


@kernel
def add_rows(x: Any, reached: Any, out: Any, out_reached: Any) -> None:
    """Add entries to those of an array with as many columns or more."""
    for i in range(len(x)):
        for w in range(reached.shape[1]):
            left = reached[i, w]
            out_reached[i, w] |= left
            while left != ZERO:
                a, b, left = next_columns(left, 64 * w, x.shape[1])
                for j in range(a, b):
                    out[i, j] += x[i, j]
