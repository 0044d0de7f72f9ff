r"""Errors on a box by cases of signs: what bisection does not reach, because kinks that cancel lie across every box.

A rectifier whose sign is not certain on a box leaves a radius that shrinks with the box only. Here its two signs are two cases,
and each case keeps what it assumes: on :math:`\{\varepsilon \in [-1, 1]^2 : c_i + g_i \varepsilon \ge 0\}` the network is one
affine function up to rounding. What an affine function attains there is bounded by multipliers: for all :math:`\lambda \ge 0`,

.. math:: \max (c + g \varepsilon) \le c + \sum_i \lambda_i c_i + \bigl\| g + \sum_i \lambda_i g_i \bigr\|_1 .

A polygon in floats only proposes multipliers; whatever it says, the bound holds. No complex is used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.construct.errors._forms import EPS, UNDERFLOW, Form, OnBoxes, bent, start_form
from plica.network import Affine, Network, walk

TINY = 2.0**-46  # a neuron that reaches beyond zero by no more than this part of its size has no cases
SIDES = np.array([[0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]])  # the box as four constraints 1 + n e >= 0
CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])

Decision = tuple[int, int, float]  # which call of `rectified`, which entry, which sign


class Region:
    """Part of the box where affine functions of two variables are not negative."""

    def __init__(self) -> None:
        self.normals, self.offsets = SIDES, np.ones(4)
        self.vertices, self.edges = CORNERS, np.arange(4)  # edge i starts at vertex i

    def cut(self, offset: float, normal: Array) -> None:
        """Keep what satisfies offset + normal e >= 0."""
        self.normals, self.offsets = np.vstack([self.normals, normal]), np.append(self.offsets, offset)
        at, new = offset + self.vertices @ normal, len(self.offsets) - 1
        vertices, edges = [], []
        for i, here in enumerate(at):
            after = at[(i + 1) % len(at)]
            if here >= 0:
                vertices.append(self.vertices[i])
                edges.append(self.edges[i])
            if (here >= 0) != (after >= 0):
                part = here / (here - after)
                vertices.append(self.vertices[i] + part * (self.vertices[(i + 1) % len(at)] - self.vertices[i]))
                edges.append(new if here >= 0 else self.edges[i])
        if vertices:  # an empty polygon proposes nothing: the old one does
            self.vertices, self.edges = np.array(vertices), np.array(edges)

    @np.errstate(over="ignore", divide="ignore", invalid="ignore")  # what overflows bounds nothing
    def most(self, center: Array, slopes: Array) -> Array:
        """Upper bounds of center + slopes e on the region, one for each row."""
        best = np.abs(slopes).sum(1)
        best = center + best + 8 * EPS * (np.abs(center) + best) + UNDERFLOW
        for i, edge in enumerate(self.edges):
            pair = np.array([self.edges[i - 1], edge])
            a, b = self.normals[pair]
            area = a[0] * b[1] - a[1] * b[0]
            if area == 0.0 or not np.isfinite(1.0 / area):
                continue
            weights = (
                np.stack([b[0] * slopes[:, 1] - b[1] * slopes[:, 0], a[1] * slopes[:, 0] - a[0] * slopes[:, 1]], axis=1) / area
            )
            weights = np.where(np.isfinite(weights), np.maximum(weights, 0.0), 0.0) * (pair >= 4)  # the norm knows the sides
            rest = np.abs(slopes + weights @ self.normals[pair]).sum(1)
            size = np.abs(center) + np.abs(slopes).sum(1)
            size = size + weights @ (np.abs(self.offsets[pair]) + np.abs(self.normals[pair]).sum(1))
            best = np.fmin(best, center + weights @ self.offsets[pair] + rest + 16 * EPS * size + UNDERFLOW)
        return best

    def ends(self, center: Array, slopes: Array, radius: Array) -> tuple[Array, Array]:
        """Bounds of center + slopes e +- radius on the region."""
        high, low = self.most(center, slopes), -self.most(-center, -slopes)
        return low - radius - 4 * EPS * (np.abs(low) + radius), high + radius + 4 * EPS * (np.abs(high) + radius)


class _Cases(OnBoxes):
    """One box, under the signs that were decided; it notes the neuron to decide next."""

    def __init__(self, decisions: list[Decision]) -> None:
        self.region, self.calls = Region(), 0
        self.undecided: tuple[int, int] | None = None
        self.decisions: dict[int, dict[int, float]] = {}
        for call, entry, sign in decisions:
            self.decisions.setdefault(call, {})[entry] = sign

    def terms(self, op: Affine, xs: list[Form], absolute: Array | None) -> Array:
        """Neurons that are zero here, most of them, round nothing."""
        if absolute is None:
            return super().terms(op, xs, absolute)
        return op.linear([(x.size() > 0).astype(np.float64) for x in xs], (absolute > 0).astype(np.float64)) + len(xs)

    def rectified(self, x: Form, slope: Array) -> Form:
        shape, call = x.center.shape[1:], self.calls
        self.calls += 1
        center, radius, slopes = x.center.reshape(-1), x.radius.reshape(-1), x.generators.reshape(2, -1).T
        decided = self.decisions.get(call, {})
        for entry, sign in decided.items():
            offset = sign * center[entry] + radius[entry]
            self.region.cut(offset + EPS * abs(offset), sign * slopes[entry])
        low, high = self.region.ends(center, slopes, radius)
        for entry, sign in decided.items():
            low[entry], high[entry] = (max(low[entry], 0.0), high[entry]) if sign > 0 else (low[entry], min(high[entry], 0.0))
        if self.undecided is None:
            at = center[:, None] + slopes @ self.region.vertices.T
            reach = np.minimum(at.max(1), -at.min(1)) - TINY * x.size().reshape(-1)
            reach[(low >= 0) | (high <= 0) | (np.broadcast_to(slope, shape).reshape(-1) == 1)] = 0.0
            entry = int(reach.argmax())
            if reach[entry] > 0:
                self.undecided = (call, entry)
        return bent(x, np.broadcast_to(slope, shape), low.reshape(1, *shape), high.reshape(1, *shape))


@dataclass(frozen=True)
class Outcome:
    """What the cases of a box showed: a bound of the deviation there (infinite where they were too many), where to look."""

    upper: float
    n_cases: int
    points: tuple[tuple[float, ...], ...] = ()


def upper_by_signs(
    network: Network, plane: tuple[float, Array, float], center: Array, radius: Array, enough: float, most: int
) -> Outcome:
    """A bound of |target - network| on a box, if it is at most ``enough``; the target is value + slopes e, up to a rest."""
    value, slopes, rest = plane
    open_: list[list[Decision]] = [[]]
    largest, n_cases = 0.0, 0
    while open_:
        if n_cases == most:
            return Outcome(np.inf, n_cases)
        decisions = open_.pop()
        cases, n_cases = _Cases(decisions), n_cases + 1
        (form,) = walk(network, cases, {0: start_form(network, center[None], radius[None])}).values()
        middle, linear = value - form.center.reshape(1), slopes - form.generators.reshape(1, 2)
        size = abs(value) + np.abs(form.center).sum() + np.abs(slopes).sum() + np.abs(form.generators).sum()
        left = form.radius.reshape(1) * (1 + EPS) + rest + 4 * EPS * (size + rest)
        low, high = cases.region.ends(middle, linear, left)
        upper = float(np.maximum(high[0], -low[0]))
        if upper <= enough:
            largest = max(largest, upper)
        elif cases.undecided is not None:
            open_ += [[*decisions, (*cases.undecided, sign)] for sign in (-1.0, 1.0)]
        else:
            return Outcome(np.inf, n_cases, _inside(cases.region.vertices, center, radius))
    return Outcome(largest, n_cases)


def _inside(vertices: Array, center: Array, radius: Array) -> tuple[tuple[float, ...], ...]:
    """Points of the box near the vertices of a region, away from the box's own sides by more than rounding."""
    if (radius < 2.0**-28 * np.abs(center)).any():
        return ()
    part = np.clip(0.999 * vertices + 0.001 * vertices.mean(0), -1 + 2.0**-20, 1 - 2.0**-20)
    return tuple(map(tuple, (center + part * radius).tolist()))
