"""Numbers of functions on cells, and their values at vertices: the kernels of networks of few functions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from plica._types import Array
from plica.geometry._bits import ONE as ONE_BIT
from plica.geometry._bits import ZERO as ZERO_BIT
from plica.geometry._kernel import kernel, phase

_ONE = 1  # the number of the constant function one
_FACTOR_SHIFT, _FORM_SHIFT = 21, 42
_EPS = 2.0**-50  # covers three rounded coefficients, products and sums
_NOT_ZERO = 1e-300
_MIX = 0x9E3779B97F4A7C15 - 2**64  # as a signed number


class Terms(NamedTuple):
    """The rows of an affine operation; ``factors`` are the numbers of each coefficient and of its negative."""

    offsets: Array
    atom: Array
    factors: Array
    n_before: int
    after_fold: bool
    one: int  # the number of the coefficient one


class Uses(NamedTuple):
    """The rows that use each atom: those of atom r are ``rows[offsets[r] : offsets[r + 1]]``."""

    offsets: Array
    rows: Array


class Sums(NamedTuple):
    """A table of known sums, by open addressing: key -1 is a free place."""

    keys: Array
    values: Array


class NumberedForms(NamedTuple):
    """The forms of a layer by number, on every cell, with the coefficients and the line of each number."""

    ids: Array
    coefficients: Array
    line: Array


@phase
def _place(keys: Any, key: Any) -> Any:
    """Where a key is, or where it would be."""
    mask = len(keys) - 1
    mixed = key * np.int64(_MIX)
    i = (mixed ^ (mixed >> 29)) & mask
    while keys[i] != -1 and keys[i] != key:
        i = (i + 1) & mask
    return i


@kernel
def insert_sum(sums: Any, key: Any, value: Any) -> None:
    """Remember a sum."""
    i = _place(sums.keys, np.int64(key))
    sums.keys[i], sums.values[i] = key, value


@kernel
def move_sums(old: Any, new: Any) -> None:
    """Remember in a larger table what a smaller one holds."""
    for j in range(len(old.keys)):
        if old.keys[j] != -1:
            i = _place(new.keys, old.keys[j])
            new.keys[i], new.values[i] = old.keys[j], old.values[j]


@kernel
def number_rows(
    terms: Any, uses: Any, ids: Any, parent: Any, positive: Any, sums: Any, cells: Any, missing: Any, seen: Any, out: Any
) -> Any:
    """The number of each row on each cell of a range, until a cell needs sums that are not known.

    ``cells`` are the first cell of the range, the one to begin with and the one to stop before. Returns the cell that was reached
    and how many keys are missing there. Cells that follow each other differ in little: a cell begins with the numbers of the one
    before, and only rows that use an atom that is another function here are computed. ``seen`` is room to work in: the cell for
    which each row was computed last.
    """
    n_rows, n_atoms = len(terms.offsets) - 1, ids.shape[1]
    first, start, stop = cells[0], cells[1], cells[2]
    for c in range(start, stop):
        n_missing = 0
        if c == first:
            for j in range(n_rows):
                n_missing = _number_row(terms, ids, parent[c], positive, c, sums, j, missing, n_missing, out)
        else:
            p, q = parent[c], parent[c - 1]
            for j in range(n_rows):
                out[c, j] = out[c - 1, j]
            for low in range(0, n_atoms, 64):
                flipped = positive[c, low >> 6] ^ positive[c - 1, low >> 6] if terms.after_fold else ZERO_BIT
                if p == q and flipped == ZERO_BIT:
                    continue
                for r in range(low, min(low + 64, n_atoms)):
                    if (flipped >> np.uint64(r - low)) & ONE_BIT == ZERO_BIT and (p == q or ids[p, r] == ids[q, r]):
                        continue
                    for x in range(uses.offsets[r], uses.offsets[r + 1]):
                        j = uses.rows[x]
                        if seen[j] != c:
                            seen[j] = c
                            n_missing = _number_row(terms, ids, p, positive, c, sums, j, missing, n_missing, out)
        if n_missing:
            seen[:] = -1
            return c, n_missing
    return stop, 0


@phase
def _number_row(
    terms: Any, ids: Any, p: Any, positive: Any, c: Any, sums: Any, j: Any, missing: Any, n_missing: Any, out: Any
) -> Any:
    """The number of one row on one cell, term by term; a sum that is not known is written down as missing.

    After a fold, atom r is the positive part of form r where r is below half of ``n_before``, the negative part of the other
    half: on a cell it is the form, or its negative, or nothing.
    """
    half = terms.n_before // 2
    total = np.int64(0)
    for x in range(terms.offsets[j], terms.offsets[j + 1]):
        a, factor = terms.atom[x], terms.factors[x, 0]
        form = np.int64(_ONE)
        if a < terms.n_before:
            r = a
            if terms.after_fold:
                r = a if a < half else a - half
                is_positive = (positive[c, r >> 6] >> np.uint64(r & 63)) & ONE_BIT == ONE_BIT
                if is_positive != (a < half):
                    continue
                if a >= half:
                    factor = terms.factors[x, 1]
            form = np.int64(ids[p, r])
        if form == 0:
            continue
        if total == 0 and factor == terms.one:
            total = form
            continue
        key = (total << _FORM_SHIFT) | (factor << _FACTOR_SHIFT) | form
        i = _place(sums.keys, key)
        if sums.keys[i] == -1:
            missing[n_missing] = key
            n_missing += 1
            break
        total = np.int64(sums.values[i])
    out[c, j] = total
    return n_missing


@kernel
def forms_at(
    forms: Any, cell: Any, lines: Any, position: Any, position_error: Any, start: Any, stop: Any, z: Any, error: Any
) -> None:
    """The forms at vertices: exactly zero where they are known to vanish, else never zero; one bound of the error a vertex.

    A form vanishes at a vertex if it is the function zero on a cell there, or if one of the vertex's ``lines`` is its line.
    """
    ids, coefficients, line = forms.ids, forms.coefficients, forms.line
    for v in range(start, stop):
        c, x, y, worst = cell[v], position[v, 0], position[v, 1], 0.0
        for k in range(ids.shape[1]):
            i = ids[c, k]
            own = line[i]
            if own == 0 or own == lines[v, 0] or own == lines[v, 1]:
                z[v, k] = 0.0
                continue
            fx, fy, constant = coefficients[i, 0] * x, coefficients[i, 1] * y, coefficients[i, 2]
            value = fx + fy + constant
            z[v, k] = value if value != 0.0 else _NOT_ZERO
            slope = abs(coefficients[i, 0]) + abs(coefficients[i, 1])
            worst = max(worst, slope * position_error[v] + _EPS * (abs(fx) + abs(fy) + abs(constant)))
        error[v] = worst * (1.0 + 1e-12) + 1e-290


@kernel
def rank_equal_lines(edges: Any, cell: Any, forms: Any, crossings: Any, chosen: Any, is_decided: Any) -> None:
    """Order crossings of the chosen edges whose places overlap only where they are crossings of one line.

    Crossings of one line get the place that is known best, and one rank.
    """
    offsets, form, t, t_error, rank = crossings.offsets, crossings.form, crossings.t, crossings.t_error, crossings.rank
    for item in range(len(chosen)):
        e = chosen[item]
        low, high, c = offsets[e], offsets[e + 1], cell[e]
        for i in range(low, high):
            own, best = forms.line[forms.ids[c, form[i]]], i
            for j in range(low, high):
                if forms.line[forms.ids[c, form[j]]] == own and (
                    t_error[j] < t_error[best] or (t_error[j] == t_error[best] and j < best)
                ):
                    best = j
            rank[i] = best
        for i in range(low, high):
            t[i], t_error[i] = t[rank[i]], t_error[rank[i]]
        # by place, then by line: one line stays together
        for i in range(low + 1, high):
            k, here, slack, lead = form[i], t[i], t_error[i], rank[i]
            j = i
            while j > low and (t[j - 1] > here or (t[j - 1] == here and rank[j - 1] > lead)):
                form[j], t[j], t_error[j], rank[j] = form[j - 1], t[j - 1], t_error[j - 1], rank[j - 1]
                j -= 1
            form[j], t[j], t_error[j], rank[j] = k, here, slack, lead
        is_separate = True
        place = 0
        lead = rank[low]
        rank[low] = 0
        for i in range(low + 1, high):
            if rank[i] != lead:
                place += 1
                lead = rank[i]
                if not (t[i] - t[i - 1] > t_error[i] + t_error[i - 1]):
                    is_separate = False
            rank[i] = place
        crossings.n_groups[e] = place + 1
        is_decided[item] = is_separate
