"""The distance from a point to the nearest input of another class: a proved lower bound, a point that attains the upper one."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np

from plica._parallel import plain_blas
from plica._torch_threads import one_thread
from plica._types import Array
from plica.errors import InvalidInput
from plica.network import Network
from plica.robust._cell_distance import Nearest, descend_cells, nearest_in_cell
from plica.robust._exact_cell import CellProgram
from plica.robust._exact_steps import ExactSteps
from plica.robust._falsify import gradients, values
from plica.robust._multipliers import Multipliers, Optimizer, States, proved_distances
from plica.robust.bounds._ball import Norm, ball_bounds, least_on_ball, norm_of
from plica.robust.bounds._relaxation import relative_gaps
from plica.robust.bounds._steps import Steps, steps_of

BATCH = 32
STEPS_AT_ROOT, STEPS_AT_NODE = 60, 12
SMALLER_BALLS = 8
NUDGES = (0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6)


@dataclass(frozen=True, eq=False)
class ClassDistance:
    """How far a point is from another class.

    Attributes
    ----------
    lower
        Proved: every input with another class, or with a tie, is at least as far.
    upper
        The distance of ``point``, rounded up; at ``point`` the network prefers ``other`` or is tied, in rational arithmetic.
    is_closed
        Whether they differ by less than the tolerance; if not, the budget ended first.
    n_nodes
        Nodes of the search tree that were bounded.
    """

    norm: Norm
    label: int
    other: int
    lower: float
    upper: float
    point: Array
    is_closed: bool
    n_nodes: int
    seconds: float

    def __repr__(self) -> str:
        return (
            f"<ClassDistance from class {self.label} to {self.other} in {self.norm}: between {self.lower:.7g} and "
            f"{self.upper:.7g}, {self.seconds:.2f} s>"
        )

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        facts: dict[str, Any] = {
            "class": self.label,
            "nearest other class": self.other,
            "norm": self.norm,
            "at least": f"{self.lower:.7g}",
        }
        facts |= {"at most": f"{self.upper:.7g}", "at": self.point.reshape(-1), "is closed": self.is_closed}
        return facts_html(self, facts | {"nodes": self.n_nodes, "seconds": self.seconds, "kind": "certified"})


@dataclass(frozen=True, eq=False)
class _Node:
    other: int
    states: dict[int, Array]  # one row for each rectifier's tensor
    slopes: dict[int, Array]
    betas: dict[int, Array]


def class_distance(
    network: Network,
    point: Any,
    *,
    norm: Norm = "l2",
    tolerance: float = 1e-6,
    timeout_s: float = 60.0,
    max_nodes: int = 1_000_000,
    within: float = np.inf,
    progress: Callable[[float, float, int], None] | None = None,
) -> ClassDistance:
    """The distance to the nearest input of another class, certified from both sides.

    A best-first search over states of neurons: each node has a lower bound that holds in real arithmetic (`_multipliers.py`),
    cells give nearer and nearer points (`_cell_distance.py`). The bounds close unless time or nodes run out. Where linear steps
    meet no other class, a ball of radius ``within`` is searched, or of four times (one more than the norm of the point):
    ``lower`` is then how far it is proved that there is none, and ``upper`` is infinite.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 8, 3], seed=0)
    >>> d = class_distance(net, [0.1, 0.2], norm="linf")
    >>> d.is_closed, d.lower <= d.upper <= d.lower * (1 + 1e-6)
    (True, True)
    """
    if not within > 0:
        raise InvalidInput(f"within = {within}.", hint="a positive radius")
    if norm not in ("l1", "l2", "linf"):
        raise InvalidInput(f"norm {norm!r} is not known.", hint="l1, l2 or linf")
    x0 = np.asarray(point, dtype=np.float64).reshape(-1)
    if x0.shape != (network.n_inputs,) or not np.isfinite(x0).all():
        raise InvalidInput(f"a point has {network.n_inputs} finite coordinates.")
    if network.n_outputs < 2:
        raise InvalidInput("a network with one output has no classes.", hint="give one output for each class")
    with plain_blas(), one_thread():
        return _Search(network, x0, norm, tolerance, timeout_s, max_nodes, within, progress).run()


class _Search:
    def __init__(
        self,
        network: Network,
        x0: Array,
        norm: Norm,
        tolerance: float,
        timeout_s: float,
        max_nodes: int,
        within: float,
        progress: Callable[[float, float, int], None] | None,
    ) -> None:
        self.steps: Steps = steps_of(network)
        if any((s.slope < 0).any() or (s.slope > 1).any() for s in self.steps.steps if hasattr(s, "slope")):
            raise InvalidInput("distances need rectifiers with slopes between 0 and 1.")
        self.x0, self.norm, self.tolerance, self.within = x0, norm, tolerance, within
        self.started, self.max_nodes, self.progress = time.perf_counter(), max_nodes, progress
        self.until = self.started + timeout_s
        self.exact = ExactSteps(self.steps)
        y = self.exact.values([Fraction(float(v)) for v in x0])
        self.label = max(range(len(y)), key=lambda k: (y[k], -k))
        self.is_tied = sum(v == y[self.label] for v in y) > 1
        self.classes = [k for k in range(len(y)) if k != self.label]
        self.upper, self.point, self.other = np.inf, x0, self.label
        self.n_nodes = 0
        self.aside = np.inf  # the least bound of the nodes that were put aside

    # -- upper bounds ----------------------------------------------------------------------------------------------------------

    def _form(self, other: int) -> Array:
        form = np.zeros(len(self.classes) + 1)
        form[self.label], form[other] = 1.0, -1.0
        return form

    def _offer(self, found: Nearest | None, other: int) -> None:
        """Take a nearer point, if rational arithmetic confirms that it has another class."""
        if found is None or found.distance >= self.upper:
            return
        for nudge in NUDGES:
            x = self.x0 + (found.point - self.x0) * (1 + nudge)
            distance = distance_above(x, self.x0, self.norm)
            if distance >= self.upper:
                return
            y = self.exact.values([Fraction(float(v)) for v in x])
            if y[other] >= y[self.label]:
                self.upper, self.point, self.other = distance, x, other
                return

    def _attack(self) -> None:
        """Linear steps towards each class, then descents from cell to cell."""
        starts: list[tuple[float, int, Array]] = []
        for other in self.classes:
            form, x = self._form(other), self.x0.copy()
            for _ in range(40):
                tensors = values(self.steps, x[None])
                margin = float(tensors[-1][0] @ form)
                if margin <= 0:
                    starts.append((norm_of(x - self.x0, self.norm), other, x))
                    break
                g = gradients(self.steps, tensors, form[None])[0]
                size = float(g @ g)
                if size == 0:
                    break
                x = x - (margin / size * 1.02 + 1e-12) * g
        nearest = sorted(starts, key=lambda s: s[0])[:4]
        for distance, other, x in nearest:
            self._offer(Nearest(x, distance, {}, {}), other)
        half = (self.started + self.until) / 2  # the rest is for bounds from below
        for _, other, x in nearest:
            self._offer(descend_cells(self.steps, self.x0, x, self._form(other), self.norm, until=half), other)

    # -- the search ------------------------------------------------------------------------------------------------------------

    def run(self) -> ClassDistance:
        if self.is_tied:
            return self._result(0.0, 0.0)
        self._attack()
        if not np.isfinite(self.upper):
            self.upper = self._far()
        lower = self._closed()
        if lower < self.upper / 2:
            lower = max(lower, self._proved_ball(lower))
        return self._result(lower, self.upper)

    def _proved_ball(self, least: float) -> float:
        """When time was over early: the largest of a few smaller balls on which backward bounds alone keep the class."""
        forms, radius = np.stack([self._form(k) for k in self.classes]), self.upper / 2
        for _ in range(SMALLER_BALLS):
            if radius <= least:
                break
            boxes, ranges = ball_bounds(self.steps, self.x0, radius, self.norm)
            if (least_on_ball(self.steps, boxes, ranges, self.x0, radius, self.norm, forms) > 0).all():
                return radius
            radius *= 0.7
        return least

    def _far(self) -> float:
        """Without a point of another class: how far bounds look."""
        return min(self.within, float(4.0 * (1.0 + norm_of(self.x0, self.norm))))

    def _result(self, lower: float, upper: float) -> ClassDistance:
        found = self.other != self.label or self.is_tied
        lower = min(lower, upper)
        return ClassDistance(
            self.norm,
            self.label,
            self.other,
            lower,
            upper if found else np.inf,
            self.point,
            bool(found and upper - lower <= self.tolerance * upper),
            self.n_nodes,
            time.perf_counter() - self.started,
        )

    def _closed(self) -> float:
        """Close the gap, best first; the proved lower bound when it is closed or the budget is over."""
        number = count()
        reach = self.upper
        self.boxes, self.ranges = ball_bounds(self.steps, self.x0, reach, self.norm)
        self.optimizer = Optimizer(self.steps, self.ranges, self.x0, self.norm)
        states = {i: np.full((1, self.steps.size(i)), -1) for i in self.steps.rectifiers}
        start = {
            i: (self.ranges[self.steps.steps[i - 1].parents[0]].high > -self.ranges[self.steps.steps[i - 1].parents[0]].low) * 1.0
            for i in self.steps.rectifiers
        }
        zeros = {i: np.zeros((1, self.steps.size(i))) for i in self.steps.rectifiers}
        roots = [_Node(k, states, start, zeros) for k in self.classes]
        heap: list[tuple[float, int, _Node, dict[int, Array]]] = []
        self._push(heap, number, roots, STEPS_AT_ROOT)
        while heap:
            lower = heap[0][0]
            if self.progress is not None:
                self.progress(lower, self.upper, self.n_nodes)
            over = time.perf_counter() > self.until or self.n_nodes >= self.max_nodes
            if lower >= self.upper * (1 - self.tolerance) or over:
                return min(lower, self.aside, self.upper)
            if self.upper < 0.7 * reach:  # a smaller ball has sharper ranges
                reach = self.upper
                self.boxes, self.ranges = ball_bounds(self.steps, self.x0, reach, self.norm)
                self.optimizer = Optimizer(self.steps, self.ranges, self.x0, self.norm)
            children: list[_Node] = []
            while heap and len(children) < 2 * BATCH and heap[0][0] < self.upper * (1 - self.tolerance):
                if time.perf_counter() > self.until:
                    break
                bound, _, node, seen = heapq.heappop(heap)
                split = self._split(node, seen)
                if not split:  # nothing that is seen can improve the bound
                    final = max(bound, self._leaf(node))
                    split = [] if final >= self.upper * (1 - self.tolerance) else self._split_unseen(node)
                    if not split:
                        self.aside = min(self.aside, final)
                children += split
            if children:
                self._push(heap, number, children, STEPS_AT_NODE)
        return min(self.aside, self.upper)

    def _push(self, heap: list[Any], number: Any, nodes: list[_Node], n_steps: int) -> None:
        """Bound nodes, and keep those that may hold something nearer."""
        forms = np.stack([self._form(node.other) for node in nodes])
        stacked: States = {i: np.concatenate([n.states[i] for n in nodes]) for i in self.steps.rectifiers}
        m = Multipliers(
            {i: np.concatenate([n.slopes[i] for n in nodes]) for i in self.steps.rectifiers},
            {i: np.concatenate([n.betas[i] for n in nodes]) for i in self.steps.rectifiers},
        )
        if self.steps.rectifiers:
            m = self.optimizer.improve(forms, stacked, m, n_steps=n_steps)
        found, seen = proved_distances(self.steps, self.boxes, self.ranges, self.x0, forms, stacked, m, self.norm)
        self.n_nodes += len(nodes)
        for k, node in enumerate(nodes):
            if found[k] >= self.upper * (1 - self.tolerance):
                self.aside = min(self.aside, float(found[k]))
            else:
                own = _Node(
                    node.other,
                    node.states,
                    {i: v[k : k + 1] for i, v in m.slopes.items()},
                    {i: v[k : k + 1] for i, v in m.states.items()},
                )
                heapq.heappush(heap, (float(found[k]), next(number), own, {i: a[k] for i, a in seen.items()}))

    def _split(self, node: _Node, seen: dict[int, Array]) -> list[_Node]:
        """Both states of the neuron that costs the bound most; nothing if all that matter are known."""
        best, where = 0.0, None
        for i in self.steps.rectifiers:
            r = self.ranges[self.steps.steps[i - 1].parents[0]]
            cost = np.abs(seen[i]) * relative_gaps(r)[0] * (r.high - r.low)[0] * (node.states[i][0] < 0)
            k = int(cost.argmax())
            if cost[k] > best:
                best, where = float(cost[k]), (i, k)
        return [] if where is None else self._both_states(node, *where)

    def _split_unseen(self, node: _Node) -> list[_Node]:
        """Both states of a neuron that is not certain, though the bound does not depend on it; nothing in a single cell."""
        best, where = 0.0, None
        for i in self.steps.rectifiers:
            r = self.ranges[self.steps.steps[i - 1].parents[0]]
            room = np.where((node.states[i] < 0) & (r.low < 0) & (r.high > 0), np.minimum(-r.low, r.high), 0.0)[0]
            if room.max(initial=0.0) > best:
                best, where = float(room.max()), (i, int(room.argmax()))
        return [] if where is None else self._both_states(node, *where)

    def _both_states(self, node: _Node, tensor: int, entry: int) -> list[_Node]:
        out = []
        for state in (0, 1):
            states = {i: s.copy() for i, s in node.states.items()}
            states[tensor][0, entry] = state
            out.append(_Node(node.other, states, node.slopes, node.betas))
        return out

    def _leaf(self, node: _Node) -> float:
        """A cell (or several on which the bound is the same): its nearest point, and the bound that its multipliers prove."""
        pattern = {}
        for i in self.steps.rectifiers:
            r = self.ranges[self.steps.steps[i - 1].parents[0]]
            known = np.where(r.low >= 0, 1, np.where(r.high <= 0, 0, node.states[i]))
            pattern[i] = np.where(known < 0, 0, known)
        form = self._form(node.other)
        nearest = nearest_in_cell(self.steps, self.x0, pattern, form, self.norm, until=self.until)
        if nearest is None:
            m = Multipliers(node.slopes, node.betas)
            m = self.optimizer.improve(form[None], pattern, m, n_steps=200)
        else:
            self._offer(nearest, node.other)
            m = Multipliers(node.slopes, nearest.walls)
        states = {i: np.where(node.states[i] < 0, -1, pattern[i]) for i in self.steps.rectifiers}
        found, _ = proved_distances(self.steps, self.boxes, self.ranges, self.x0, form[None], states, m, self.norm)
        if float(found[0]) < self.upper * (1 - self.tolerance) and nearest is not None:
            m = self.optimizer.improve(form[None], states, m, n_steps=100, rate=0.02)
            again, _ = proved_distances(self.steps, self.boxes, self.ranges, self.x0, form[None], states, m, self.norm)
            found = np.maximum(found, again)
        if float(found[0]) < self.upper * (1 - self.tolerance) and self.norm == "l2":
            empty = Nearest(self.x0, np.inf, {i: np.zeros((1, self.steps.size(i))) for i in self.steps.rectifiers}, pattern)
            return max(float(found[0]), self._exactly(node, nearest or empty))
        return float(found[0])

    def _exactly(self, node: _Node, nearest: Nearest) -> float:
        """What fractions say about a single cell: the distance of its nearest point, rounded down, or infinity if it has none."""
        if self._split_unseen(node):
            return 0.0  # several cells
        program = CellProgram(self.exact, self.x0, nearest, self.label, node.other)
        if not np.isfinite(nearest.distance):
            return np.inf if program.is_empty() else 0.0
        solved = program.solved()
        if solved is None:
            return np.inf if program.is_empty() else 0.0
        point = np.array([float(c) for c in solved.point])
        self._offer(Nearest(point, root_below(solved.squared_distance), nearest.walls, nearest.pattern), node.other)
        return root_below(solved.squared_distance)


def root_below(square: Fraction) -> float:
    """A float that is at most the square root."""
    near = float(np.sqrt(float(square)))
    while near > 0 and Fraction(near) ** 2 > square:
        near = float(np.nextafter(near, 0.0))
    return near


def distance_above(x: Array, y: Array, norm: Norm) -> float:
    """The distance of two points in floats, rounded up from the exact one."""
    apart = [abs(Fraction(float(a)) - Fraction(float(b))) for a, b in zip(x, y, strict=True)]
    if norm == "linf":
        value = max(apart)
    else:
        value = sum(apart, Fraction(0)) if norm == "l1" else sum((a * a for a in apart), Fraction(0))
    near = float(value)
    if norm == "l2":
        near = float(np.sqrt(near))
        while Fraction(near) ** 2 < value:
            near = float(np.nextafter(near, np.inf))
        return near
    return near if Fraction(near) >= value else float(np.nextafter(near, np.inf))
