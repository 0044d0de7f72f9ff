r"""A program on a smaller tile: neurons that still switch somewhere in the larger one, and no others, are looked at again.

The whole network is walked once for a large tile; what is left of it is a program of a few hundred variables. On a part of
that tile most of these do not switch any more, and become affine functions of those that do: with the signs known,
:math:`e = f(z) - \lambda z` is :math:`(\varphi - \lambda) z` plus a constant, and where z still changes its sign,
:math:`e = e' + (\lambda' - \lambda) z` with the slope :math:`\lambda'` of the smaller range. So every variable of the larger tile
is a row of numbers over the variables of the smaller one, and every function there a product with these rows. That costs the
square of the number of variables, whatever the size of the network.

Errors: ``error`` bounds, for each variable of the smaller tile, the error of its column of rows in the 2-norm.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from plica._types import Array
from plica.geometry._budget import tick
from plica.geometry.domains._tile import Tile
from plica.geometry.tiles._candidates import Members, leads, possible_winners
from plica.geometry.tiles._program import N_AFFINE, ContestStep, CutStep, Program, Step
from plica.geometry.tiles._restriction import TooManyNeurons
from plica.geometry.values._tensors import EPS, UNDERFLOW
from plica.network import Fold, Network
from plica.network.operations import spectral_norm_bound

_UP = 1 + 1e-9


def narrowed(network: Network, base: Program, tile: Tile, *, most: int | None = None) -> Program:
    """The program of a part of a program's tile; raises TooManyNeurons where more than ``most`` neurons may switch."""
    work = _Narrowing(network, base, tile, most)
    for step in base.steps:
        tick()
        if isinstance(step, CutStep):
            work.cut(step)
        else:
            work.contest(step)
    p = work.program
    p.outputs, p.outputs_error = work.on_part(base.outputs, base.outputs_error)
    low, high, error = p.ranges(p.outputs, p.outputs_error)
    p.output_low, p.output_high = low - error, high + error
    return p


class _Narrowing:
    """The variables of a program over those of a smaller tile, step by step."""

    def __init__(self, network: Network, base: Program, tile: Tile, most: int | None) -> None:
        self.network, self.base, self.most = network, base, most
        self.program = Program.on(tile)
        room = base.n_extra if most is None else min(most, base.n_extra)
        self.extra = np.zeros((base.n_extra, room))  # rows of the old variables: over the new ones,
        self.affine = np.zeros((base.n_extra, N_AFFINE))  # and over u, v and 1
        self.error = np.zeros(N_AFFINE)
        self.n_done = 0  # of the old variables
        self.is_zero = np.zeros(base.n_extra + 1, np.bool_)  # rectified neurons, counted from 1 on, that are zero now
        self.numbers = np.zeros(base.n_extra + 1, np.int64)  # of those that still switch, counted from 1 on
        self.own, self.own_error = self._coordinates()

    def _coordinates(self) -> tuple[Array, Array]:
        """The old (u, v, 1) as rows over the new ones, and what rounding took from the constants."""
        old, new = self.base, self.program
        own, error = np.eye(N_AFFINE), np.zeros(N_AFFINE)
        for k in range(N_AFFINE - 1):
            scale = Fraction(float(old.scale[k]))
            own[k, k] = float(Fraction(float(new.scale[k])) / scale)  # powers of two
            own[k, -1] = float((Fraction(float(new.center[k])) - Fraction(float(old.center[k]))) / scale)
            error[k] = EPS * abs(own[k, -1])
        return own, error

    @property
    def n_new(self) -> int:
        return self.program.n_extra

    def on_part(self, columns: Array, error: Array) -> tuple[Array, Array]:
        """Functions over the old variables as functions over the new ones, with a bound of the error of each row."""
        k, n = len(columns) - N_AFFINE, self.n_new
        extra, affine = self.extra[:k, :n], self.affine[:k]
        old, tail = columns[:k], columns[k:]
        y = np.concatenate([extra.T @ old, affine.T @ old + self.own.T @ tail])
        sizes = np.concatenate([np.abs(extra), np.abs(affine)], axis=1)
        norms = np.sqrt((sizes * sizes).sum(axis=0))
        gain, whole = (spectral_norm_bound(old), float(np.linalg.norm(old))) if old.size else (0.0, 0.0)
        bound = sizes.T @ error[:k] + self.error * (gain + float(np.linalg.norm(error[:k]))) + (k + 8) * EPS * norms * whole
        tails = np.linalg.norm(tail, axis=1)
        bound[n:] += np.abs(self.own).T @ (error[k:] + 8 * EPS * tails)
        bound[-1] += float(self.own_error @ (tails + error[k:]))
        return y, bound * _UP + UNDERFLOW

    def _append(self, step: Step, rows: Array, row_error: Array, numbers: Array) -> None:
        """Take over a step: its old variables as rows over the new ones so far, and which of them stay variables."""
        n, m, first = self.n_new, len(rows), self.n_done
        if self.most is not None and n + step.n_new > self.most:
            raise TooManyNeurons
        self.extra[first : first + m, :n] = rows[:, :n]
        self.affine[first : first + m] = rows[:, n:]
        self.extra[first + numbers, n + np.arange(len(numbers))] = 1.0
        self.numbers[first + numbers + 1] = n + 1 + np.arange(len(numbers))
        self.error = np.hypot(self.error, row_error) * _UP
        self.error = np.concatenate([self.error[:n], np.zeros(len(numbers)), self.error[n:]])
        self.n_done += m
        self.program.append(step)

    def cut(self, step: CutStep) -> None:
        op = self.network.folds[step.layer]
        size = len(step.positive) // op.forms_per_neuron
        forms = op.forms(step.codes, size)
        is_same = op.forms_per_neuron == 1
        both = step.form_columns if is_same else np.concatenate([step.form_columns, step.columns], axis=1)
        y, error = self.on_part(both, step.error)
        columns, z = (y, y) if is_same else (y[:, : len(step.codes)], y[:, len(step.codes) :])
        low, high, slack = self.program.ranges(columns, error)
        slack += EPS * float(np.abs(columns[-1]).max(initial=0.0)) if forms.rounds else 0.0
        positive = step.positive.copy()
        positive[step.codes] = low - slack > 0.0
        open_ = np.flatnonzero((low - slack <= 0.0) & (high + slack >= 0.0))
        stays = np.isin(step.neurons, forms.neuron[open_])
        kept = np.flatnonzero(stays)
        made = CutStep(step.layer, positive, step.codes[open_], columns[:, open_], step.neurons[kept], z[:, kept], error)
        made.keeps_outputs = step.keeps_outputs
        made.factors, made.constants, made.thresholds = step.factors[:, kept], step.constants[:, kept], step.thresholds
        z_low, z_high, z_slack = self.program.ranges(z[:, kept], error)
        made.set_chords(z_low - z_slack, z_high + z_slack)
        slope, constant = self._pieces(step, op, positive, size)
        slope[kept], constant[kept] = made.slope, 0.0
        factor = slope - step.slope
        rows = factor[:, None] * z.T
        rows[:, -1] += constant
        largest = float(np.abs(factor).max(initial=0.0))
        row_error = largest * (error + 4 * EPS * np.sqrt((z * z).sum(axis=1)))
        row_error[-1] += 2 * EPS * float(np.linalg.norm(constant))
        if op.is_relu:
            self.is_zero[self.n_done + 1 + np.flatnonzero(~stays & (slope == 0.0))] = True
        self._append(made, rows, row_error, kept)

    @staticmethod
    def _pieces(step: CutStep, op: Fold, positive: Array, size: int) -> tuple[Array, Array]:
        """Slopes and constants of the neurons, with all signs as given."""
        codes = np.arange(op.forms_per_neuron)[:, None] * size + step.neurons
        states = op.decided(0, np.empty(0), positive[codes.reshape(-1)][None])[0].astype(np.intp)
        at = np.arange(len(step.neurons))
        return step.factors[states, at].astype(np.float64), step.constants[states, at].astype(np.float64)

    def contest(self, step: ContestStep) -> None:
        op = self.network.folds[step.layer]
        z, error = self.on_part(step.columns, step.error)
        gone = self.is_zero[step.origin]
        z[:, gone] = 0.0
        x = Members(z, error, step.live & ~gone, self.numbers[step.origin])
        can_win = possible_winners(self.program, x, step.place, step.can_win)
        winner, first = step.winner.copy(), can_win.argmax(axis=1)
        winner[step.groups] = first.astype(op.state_type)
        kept = np.flatnonzero(can_win.sum(axis=1) > 1)
        members = np.unique(step.entries[kept])
        at = np.searchsorted(step.members, members)
        made = ContestStep(
            step.layer, winner, step.groups[kept], step.entries[kept], can_win[kept], members, z[:, at], error,
            x.origin[at], x.live[at],
        )  # fmt: skip
        made.low, made.high = np.zeros(len(kept)), leads(self.program, made.columns, error, made.place, made.can_win)
        groups = np.arange(len(step.groups))
        rows = (z[:, step.place[groups, first]] - z[:, step.place[groups, step.first]]).T
        row_error = 2 * op.lipschitz() * error + 2 * EPS * np.sqrt((rows * rows).sum(axis=0))
        self._append(made, rows, row_error, kept)
