"""The nearest point of another class in one cell, and the descent from cell to cell: upper bounds of the distance.

In a cell the network is affine, so the nearest point is a least-distance program: nonnegative least squares in l2 (C. Lawson and
R. Hanson, 1974, ch. 23), a linear program in l1 and linf. Walls whose multipliers are positive are crossed one at a time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.robust._falsify import values
from plica.robust.bounds._ball import Norm, norm_of
from plica.robust.bounds._interval import times
from plica.robust.bounds._steps import AffineStep, RectifierStep, Steps

Pattern = dict[int, Array]  # the states of each rectifier's tensor, one row


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest point of a cell where some margin is <= 0, in floating point, and multipliers of the cell's walls.

    Where the cell has no such point, ``distance`` is infinite and the multipliers are those of a contradiction, many times over.
    """

    point: Array
    distance: float
    walls: dict[int, Array]
    pattern: Pattern


def pattern_at(steps: Steps, x: Array) -> Pattern:
    tensors = values(steps, x.reshape(1, -1))
    return {i: (tensors[steps.steps[i - 1].parents[0]] > 0).astype(np.int64) for i in steps.rectifiers}


def affine_piece(steps: Steps, pattern: Pattern) -> list[Array]:
    """All tensors as affine functions (d + 1, entries) of the input, for a pattern; the constant is last."""
    d = steps.n_inputs
    out = [np.vstack([np.eye(d), np.zeros((1, d))])]
    for i, step in enumerate(steps.steps, start=1):
        if isinstance(step, RectifierStep):
            out.append(out[step.parent] * np.where(pattern[i][0] == 1, 1.0, step.slope))
        else:
            assert isinstance(step, AffineStep)
            total = np.zeros((d + 1, step.size))
            for parent, matrix in zip(step.parents, step.matrices, strict=True):
                total += times(out[parent], matrix)
            total[-1] += step.offset
            out.append(total)
    return out


def nearest_in_cell(
    steps: Steps, x0: Array, pattern: Pattern, form: Array, norm: Norm, *, until: float = np.inf
) -> Nearest | None:
    """The nearest point with form . output <= 0 in a closed cell; None if floating point has no answer ``until`` then."""
    tensors = affine_piece(steps, pattern)
    rows, signs, owners = [], [], []
    for i in steps.rectifiers:
        z = tensors[steps.steps[i - 1].parents[0]]
        sign = np.where(pattern[i][0] == 1, 1.0, -1.0)
        rows.append((z * sign).T)
        owners += [(i, k) for k in range(z.shape[1])]
        signs.append(sign)
    margin = -(tensors[-1] @ form)
    forms = np.vstack([margin[None], *rows])
    # g . delta >= h with delta = x - x0
    g, h = forms[:, :-1], -(forms[:, -1] + forms[:, :-1] @ x0)
    size = np.maximum(np.linalg.norm(g, axis=1), 1e-300)
    if (h[size < 1e-200] > 0).any():
        return None
    used = size > 1e-200
    found = _least_distance(g[used] / size[used, None], h[used] / size[used], norm, until)
    if found is None:
        return None
    delta, multipliers = found
    is_empty = not np.isfinite(delta).all()
    walls = {i: np.zeros((1, steps.size(i))) for i in steps.rectifiers}
    full = np.zeros(len(g))
    full[used] = multipliers / size[used]
    if is_empty and full[0] < 1e-6 * full.max():
        full[0] = 1e-6 * full.max()
    top = full[0] if full[0] > 0 else 1.0
    for (i, k), value in zip(owners, full[1:], strict=True):
        walls[i][0, k] = value / top
    return Nearest(x0 + delta, np.inf if is_empty else norm_of(delta, norm), walls, pattern)


def _least_distance(g: Array, h: Array, norm: Norm, until: float = np.inf) -> tuple[Array, Array] | None:
    """min |delta| with g delta >= h, and multipliers of the inequalities; where none exists, infinity and a contradiction's."""
    if norm != "l2":
        found = _by_program(g, h, norm, until)
        if found is not None or time.perf_counter() > until:
            return found
    from scipy.optimize import nnls

    e = np.vstack([g.T, h[None]])
    f = np.zeros(len(e))
    f[-1] = 1.0
    try:
        u, residual = nnls(e, f, maxiter=20 * len(h))
    except RuntimeError:
        return None
    if residual < 1e-9:
        return np.full(g.shape[1], np.inf), u
    r = e @ u - f
    return (-r[:-1] / r[-1], u / max(-r[-1], 1e-300)) if norm == "l2" else None


def _by_program(g: Array, h: Array, norm: Norm, until: float) -> tuple[Array, Array] | None:
    """In linf the dual, which has half the rows: the largest h . u with |g' u|_1 <= 1; its multipliers are the point."""
    from scipy import sparse
    from scipy.optimize import linprog

    m, d = g.shape
    left = until - time.perf_counter()
    if left <= 0:
        return None
    options = {"time_limit": left} if np.isfinite(left) else {}
    if norm == "l1":  # delta = p - q
        result = linprog(np.ones(2 * d), A_ub=np.column_stack([-g, g]), b_ub=-h, method="highs", options=options)
        found = None if result.status != 0 else (result.x[:d] - result.x[d:], np.maximum(-result.ineqlin.marginals, 0.0))
    else:  # g' u = p - q
        eye = sparse.eye_array(d)
        result = linprog(
            np.append(-h, np.zeros(2 * d)),
            A_eq=sparse.hstack([sparse.csr_array(g.T), -eye, eye]),
            b_eq=np.zeros(d),
            A_ub=np.append(np.zeros(m), np.ones(2 * d))[None],
            b_ub=np.ones(1),
            method="highs",
            options=options,
        )
        found = None if result.status != 0 else (-result.eqlin.marginals, result.x[:m])
    return found


def descend_cells(
    steps: Steps, x0: Array, start: Array, form: Array, norm: Norm, *, max_cells: int = 60, until: float = np.inf
) -> Nearest | None:
    """From the cell of a point of another class to neighbors with nearer points, as long as there are any, and ``until`` then."""
    best = nearest_in_cell(steps, x0, pattern_at(steps, start), form, norm, until=until)
    if best is None or not np.isfinite(best.distance):
        return None
    n_cells, improved = 1, True
    while improved and n_cells < max_cells:
        improved = False
        crossed = [(w[0, k], i, k) for i, w in best.walls.items() for k in np.flatnonzero(w[0] > 1e-12)]
        for _, i, k in sorted(crossed, key=lambda c: -c[0])[:8]:
            pattern = {j: s.copy() for j, s in best.pattern.items()}
            pattern[i][0, k] ^= 1
            if time.perf_counter() > until:
                return best
            found = nearest_in_cell(steps, x0, pattern, form, norm, until=until)
            n_cells += 1
            if found is not None and found.distance < best.distance * (1 - 1e-9):
                best, improved = found, True
                break
    return best
