r"""The layer-wise linear program over the triangles around all neurons, by HiGHS: its dual gives slopes, which are then proved.

In the program a neuron whose sign is not certain is any point of the triangle :math:`h\ge z`, :math:`h\ge sz` and h below the
chord. With multipliers :math:`\tau` and :math:`\mu` of the first two, the best line below the neuron has the slope
:math:`(\tau + s\mu)/(\tau+\mu)` (H. Salman et al., 2019), and the backward bound with these slopes is at least the value of the
program. HiGHS works in floating point and is not believed: outward-rounded arithmetic has the last word on what its slopes prove.
"""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.robust._multipliers import Multipliers
from plica.robust.bounds._boxes import Boxes, Ranges
from plica.robust.bounds._relaxation import lines_around
from plica.robust.bounds._steps import AffineStep, RectifierStep, Steps

MOST_VARIABLES = 4000  # of a program; beyond, gradient steps on the slopes are quicker


class TriangleProgram:
    """The program for one box and the ranges of a network's tensors there, with as many objectives as are asked for."""

    def __init__(self, steps: Steps, boxes: Boxes, ranges: list[Ranges]) -> None:
        from scipy import sparse

        self._steps = steps
        sizes = [steps.size(i) for i in range(steps.n_tensors)]
        self._first = np.concatenate([[0], np.cumsum(sizes)])
        self._unsure: dict[int, Array] = {}  # of each rectifier's tensor
        equal, sides, below, tops = [], [], [], []

        def rows(blocks: dict[int, object], n: int) -> object:
            filled = [blocks.get(i, sparse.csr_array((n, size))) for i, size in enumerate(sizes)]
            return sparse.hstack(filled, format="csr")

        def diagonal(v: Array, chosen: Array) -> object:
            return sparse.csr_array((v[chosen], (np.arange(len(chosen)), chosen)), shape=(len(chosen), len(v)))

        for i, step in enumerate(steps.steps, start=1):
            one = np.ones(sizes[i])
            if isinstance(step, AffineStep):
                blocks: dict[int, object] = {i: sparse.eye_array(sizes[i], format="csr")}
                for parent, matrix in zip(step.parents, step.matrices, strict=True):
                    blocks[parent] = blocks.get(parent, sparse.csr_array((sizes[i], sizes[parent]))) - sparse.csr_array(matrix)
                equal.append(rows(blocks, sizes[i]))
                sides.append(step.offset)
                continue
            assert isinstance(step, RectifierStep)
            r = ranges[step.parent]
            low, high = r.low[0], r.high[0]
            unsure = np.flatnonzero((low < 0) & (high > 0))
            sure = np.flatnonzero(~((low < 0) & (high > 0)))
            self._unsure[i] = unsure
            known = np.where(low >= 0, 1.0, step.slope)
            equal.append(rows({i: diagonal(one, sure), step.parent: diagonal(-known, sure)}, len(sure)))
            sides.append(np.zeros(len(sure)))
            lines = lines_around(r, step.slope)
            below += [
                rows({i: diagonal(-one, unsure), step.parent: diagonal(one, unsure)}, len(unsure)),
                rows({i: diagonal(-one, unsure), step.parent: diagonal(step.slope, unsure)}, len(unsure)),
                rows({i: diagonal(one, unsure), step.parent: diagonal(-lines.high_slope[0], unsure)}, len(unsure)),
            ]
            tops += [np.zeros(len(unsure)), np.zeros(len(unsure)), lines.high_offset[0][unsure]]
        n = int(self._first[-1])
        self._limits = np.full((n, 2), [-np.inf, np.inf])
        self._limits[: sizes[0]] = np.stack([boxes.low[0], boxes.high[0]], axis=1)
        self._matrices = {
            "A_eq": sparse.vstack(equal, format="csr"),
            "b_eq": np.concatenate(sides),
            "A_ub": sparse.vstack(below, format="csr") if below else None,
            "b_ub": np.concatenate(tops) if tops else None,
        }

    def best_slopes(self, form: Array, start: dict[int, Array]) -> dict[int, Array] | None:
        """Slopes for the least value of a form of the outputs; None if the value is not positive, or HiGHS gives none."""
        from scipy.optimize import linprog

        cost = np.zeros(int(self._first[-1]))
        cost[self._first[-2] :] = form
        found = linprog(cost, bounds=self._limits, method="highs", **self._matrices)
        if found.status != 0 or not found.fun > 0:
            return None
        slopes, place = {i: v.copy() for i, v in start.items()}, 0
        multipliers = np.maximum(-found.ineqlin.marginals, 0.0)
        for i, unsure in self._unsure.items():
            step = self._steps.steps[i - 1]
            assert isinstance(step, RectifierStep)
            n = len(unsure)
            above, under = multipliers[place : place + n], multipliers[place + n : place + 2 * n]
            place += 3 * n
            total = above + under
            known = total > 1e-12 * max(1.0, float(np.abs(form).max()))
            best = (above + step.slope[unsure] * under) / np.where(known, total, 1.0)
            slopes[i][0, unsure] = np.where(known, best, slopes[i][0, unsure])
        return slopes


def steps_fit(steps: Steps) -> bool:
    """Whether a network is small enough for the program."""
    return sum(steps.size(i) for i in range(steps.n_tensors)) <= MOST_VARIABLES


def program_multipliers(steps: Steps, boxes: Boxes, ranges: list[Ranges], forms: Array, start: Multipliers) -> Multipliers | None:
    """The best slopes for each form on a box; None where the program proves nothing, or is too large."""
    if not steps_fit(steps):
        return None
    program = TriangleProgram(steps, boxes, ranges)
    found: list[dict[int, Array]] = []
    for k, form in enumerate(forms):
        slopes = program.best_slopes(form, {i: v[k : k + 1] for i, v in start.slopes.items()})
        if slopes is None:
            return None
        found.append(slopes)
    return Multipliers({i: np.concatenate([s[i] for s in found]) for i in start.slopes}, start.states)
