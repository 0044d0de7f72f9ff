"""Branch and bound: refute boxes by linear bounds, look for counterexamples in the rest, split, decide exactly.

While many neurons have no certain sign, boxes are halved; where few are left, both states of one are supposed (S. Wang et al.,
2021). A supposed state is one more inequality that is pulled back to the input and helps to refute, and to shrink the box.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from plica._parallel import parallel_ranges
from plica._types import Array
from plica.robust._contract import MOST_INPUTS, combined_margin, shrunk, shrunk_together
from plica.robust._exact_steps import ExactSteps
from plica.robust._falsify import attack, missing, values
from plica.robust._leaf import Leaf, TooManyPieces
from plica.robust._nodes import Nodes, Supposed, taken
from plica.robust._property import Forms, Query
from plica.robust.bounds._backward import mixed_bounds, pulled_back
from plica.robust.bounds._boxes import EPS, TINY, Boxes
from plica.robust.bounds._relaxation import relative_gaps
from plica.robust.bounds._steps import Steps

BATCH = 64  # boxes that one thread bounds at a time: their forms stay in the cache
BY_STATES = 16  # neurons without a certain sign: with so few, states are split, not boxes
ALMOST = 1e-7  # a bound that lacks so little will not be helped by splitting
TINIEST = 2.0**-40  # of the query's box: whatever is left is decided exactly
MAX_PIECES = 512  # of a box that is decided exactly; with more it is split
TRIED = 8  # candidates that are checked exactly for each batch
Candidate = list[Fraction]


@dataclass
class Tally:
    """What a search did."""

    n_boxes: int = 0
    n_refuted: int = 0
    n_leaves: int = 0
    n_pieces: int = 0
    n_exact_checks: int = 0
    least_margin: float = np.inf  # of the refuted boxes: by how much a bound excluded the counterexample


@dataclass(frozen=True, eq=False)
class _Open:
    """Nodes that bounds do not refute, and what the bounds say about them.

    ``alive`` (nodes, conjunctions) are not refuted, ``best`` is what their rows prove; ``low``, ``middle``, ``slope`` are those
    of the rows, ``states`` the functions below supposed states; ``blame`` (nodes, rows, inputs) estimates how much a row's bound
    would gain from a shorter side, ``cost`` (nodes, neurons) how much it loses by a neuron; ``n_unsure`` neurons have no certain
    sign.
    """

    nodes: Nodes
    alive: Array
    best: Array
    low: Array
    middle: Array
    slope: Array
    states: tuple[Array, Array]
    blame: Array
    cost: Array
    n_unsure: Array
    n_refuted: int
    margin: float

    @property
    def boxes(self) -> Boxes:
        return self.nodes.boxes


@dataclass(eq=False)
class Search:
    """The search for a counterexample to one query; ``exact`` evaluates the network as it is, ``steps`` may be merged."""

    steps: Steps
    query: Query
    exact: ExactSteps
    check: Callable[[], None]
    seed: int = 0
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        self.forms = Forms.of(self.query, self.steps.n_inputs, self.steps.size(self.steps.n_tensors - 1))
        self.leaf = Leaf(ExactSteps(self.steps), self.check)
        self.root = self.query.boxes
        width = max(self.steps.size(i) for i in range(self.steps.n_tensors))
        self.batch = int(np.clip(2**18 // width, 2, BATCH))

    def falsify(self) -> Candidate | None:
        """Attacks from the outside; where nothing is asked of a point, any will do."""
        if not all(self.query.conjunctions):
            return list(self.query.low)
        low, high = self.query.inside
        points, lack = attack(self.steps, self.forms, low, high, seed=self.seed)
        return self._confirmed(points, lack)

    def run(self) -> Candidate | None:
        """A counterexample, or None: then there is none, proved."""
        stack = [Nodes.root(self.root, self.steps)]
        while stack:
            self.check()
            nodes = taken(stack, 2 * self.batch)
            self.tally.n_boxes += len(nodes)
            for part in self._all_bounded(nodes):
                self.tally.n_refuted += part.n_refuted
                self.tally.least_margin = min(self.tally.least_margin, part.margin)
                if len(part.nodes):
                    found = self._tried(part) or self._continued(part, stack)
                    if found is not None:
                        return found
        return None

    def _all_bounded(self, nodes: Nodes) -> list[_Open]:
        """Bounds on both cores."""
        return parallel_ranges(lambda start, stop: self._bounded(nodes[start:stop]), len(nodes), least=self.batch)

    # -- bounds ------------------------------------------------------------------------------------------------------------

    def _bounded(self, nodes: Nodes) -> _Open:
        boxes, slopes, supposed = nodes.boxes, dict[int, Array](), Supposed(self.steps, nodes.known)
        ranges = mixed_bounds(self.steps, boxes, slopes=slopes, cut=supposed.cut)
        blame: Array = np.zeros((len(boxes), len(self.forms.bound), boxes.dimension))
        costs: dict[int, Array] = {i: np.zeros((len(boxes), self.steps.size(i))) for i in self.steps.rectifiers}
        n_unsure = np.zeros(len(boxes), int)

        def at_rectifier(tensor: int, weights: Array) -> None:
            nonlocal blame, n_unsure
            parent = self.steps.steps[tensor - 1].parents[0]
            gaps = relative_gaps(ranges[parent])
            size = np.abs(weights)
            blame = blame + (size * gaps[:, None]) @ slopes[parent].transpose(0, 2, 1)
            costs[tensor] = size.max(axis=1) * gaps * (ranges[parent].high - ranges[parent].low)
            n_unsure = n_unsure + (gaps > 0).sum(axis=1)

        pulled = pulled_back(self.steps, boxes, ranges, self.forms.outputs, at_input=self.forms.inputs, at_rectifier=at_rectifier)
        blame += np.abs(pulled.slope) * boxes.radius[:, None]
        low, middle = _less(pulled.low, self.forms.bound), _less(pulled.middle, self.forms.bound)
        best = np.stack([low[:, rows].max(axis=1, initial=-np.inf) for rows in self.forms.groups], axis=1)
        best[supposed.is_empty] = np.inf
        states = supposed.rows(boxes, ranges)
        for g, rows in enumerate(self.forms.groups):
            unsure = np.flatnonzero(~(best[:, g] > 0))
            if len(rows) + states[0].shape[1] > 1 and len(unsure):
                together = combined_margin(*_with_states(middle, pulled.slope, states, unsure, rows), boxes.radius[unsure])
                best[unsure, g] = np.maximum(best[unsure, g], together)
        alive = ~(best > 0)
        keep = alive.any(axis=1)
        margin = float(best[~keep & ~supposed.is_empty].min(initial=np.inf))
        return _Open(
            nodes[keep],
            alive[keep],
            best[keep],
            low[keep],
            middle[keep],
            pulled.slope[keep],
            (states[0][keep], states[1][keep]),
            blame[keep],
            np.concatenate([np.zeros((len(boxes), 0)), *costs.values()], axis=1)[keep],
            n_unsure[keep],
            int((~keep).sum()),
            margin,
        )

    # -- what to do with open boxes ------------------------------------------------------------------------------------------

    def _tried(self, part: _Open) -> Candidate | None:
        """Counterexamples at the centers, or where the bounds would have them."""
        boxes = part.boxes
        least = np.where(self._is_alive(part), part.low, np.inf).argmin(axis=1)
        slope = part.slope[np.arange(len(boxes)), least]
        low, high = self.query.inside
        points = np.clip(np.concatenate([boxes.center, np.where(slope > 0, boxes.low, boxes.high)]), low, high)
        lack, _ = missing(self.forms, points, values(self.steps, points)[-1])
        order = np.argsort(lack, kind="stable")
        return self._confirmed(points[order], lack[order])

    def _is_alive(self, part: _Open) -> Array:
        """The rows (boxes, rows) of conjunctions that are not refuted."""
        out = np.zeros(part.low.shape, bool)
        for g, rows in enumerate(self.forms.groups):
            out[:, rows] = part.alive[:, g, None]
        return out

    def _continued(self, part: _Open, stack: list[Nodes]) -> Candidate | None:
        """Decide nodes without open states exactly, split the others."""
        boxes, span = part.boxes, np.where(self.root.high > self.root.low, self.root.high - self.root.low, 1.0)
        size = ((boxes.high - boxes.low) / span).max(axis=1)
        scale = 1.0 + np.abs(self.forms.bound).max()
        almost = (np.where(part.alive, part.best, np.inf).min(axis=1) > -ALMOST * scale) & (part.n_unsure <= BY_STATES)
        keep = np.ones(len(boxes), bool)
        for i in np.flatnonzero((part.n_unsure == 0) | almost | (size < TINIEST)):
            try:
                found = self._decided(part.nodes[i : i + 1])
            except TooManyPieces:
                continue
            if found is not None:
                return found
            keep[i] = False
        if keep.any():
            rest = Nodes(self._shrunk(part), part.nodes.known)
            by_states = keep & (part.n_unsure <= BY_STATES) & (part.cost.max(axis=1, initial=0.0) > 0)
            lack = part.low.min(axis=1)
            for which, halves in ((by_states, self._by_states), (keep & ~by_states, self._by_inputs)):
                if which.any():
                    order = np.argsort(-np.concatenate([lack[which]] * 2), kind="stable")
                    stack.append(halves(part, rest, which)[order])
        return None

    def _by_states(self, part: _Open, rest: Nodes, which: Array) -> Nodes:
        return rest[which].supposed(part.cost[which].argmax(axis=1))

    def _by_inputs(self, part: _Open, rest: Nodes, which: Array) -> Nodes:
        """Halves across the side that promises most."""
        span = np.where(self.root.high > self.root.low, self.root.high - self.root.low, 1.0)
        sides = (rest.boxes.high - rest.boxes.low)[which]
        score = (part.blame * self._promise(part)[..., None])[which].sum(axis=1)
        score = score * sides / np.maximum(part.boxes.high - part.boxes.low, TINY)[which]
        return rest[which].split(np.where(score.max(axis=1) > 0, score.argmax(axis=1), (sides / span).argmax(axis=1)))

    def _promise(self, part: _Open) -> Array:
        """How much each row (boxes, rows) is worth proving: those that the center violates by much of what the bound lacks."""
        center = part.boxes.center
        at_center = self.forms.left(center, values(self.steps, center)[-1])
        gap = np.maximum(at_center - part.low, TINY)
        share = np.clip(at_center / gap, 0.0, 1.0)
        out = np.zeros_like(gap)
        for g, rows in enumerate(self.forms.groups):
            own = share[:, rows]
            own = np.where(own.max(axis=1, keepdims=True, initial=0.0) > 0, own, 1e-3)  # any row may fail beside the center
            out[:, rows] = own**2 / gap[:, rows] * part.alive[:, g, None]
        return out

    def _shrunk(self, part: _Open) -> Boxes:
        """The smallest boxes known to hold all counterexamples: the hull over the conjunctions that are left."""
        boxes = part.boxes
        low, high = np.full_like(boxes.low, np.inf), np.full_like(boxes.high, -np.inf)
        for g, rows in enumerate(self.forms.groups):
            if 1 < len(rows) + part.states[0].shape[1] and boxes.dimension <= MOST_INPUTS:
                everyone = np.arange(len(boxes))
                own_low, own_high = shrunk_together(boxes, *_with_states(part.middle, part.slope, part.states, everyone, rows))
            else:
                own_low, own_high = shrunk(boxes, part.low[:, rows], part.slope[:, rows])
            alive = part.alive[:, g, None]
            low, high = np.where(alive, np.minimum(low, own_low), low), np.where(alive, np.maximum(high, own_high), high)
        empty = np.asarray((low > high).any(axis=1))[
            :, None
        ]  # rows of one conjunction exclude each other: its next bounds will say so
        return Boxes(np.where(empty, boxes.low, low), np.where(empty, boxes.high, high))

    # -- exact -----------------------------------------------------------------------------------------------------------------

    def _decided(self, node: Nodes) -> Candidate | None:
        """The exact verdict on one node, its box cut with the query's own."""
        box, known = node.boxes, node.known[0]
        low = [max(Fraction(float(v)), a) for v, a in zip(box.low[0], self.query.low, strict=True)]
        high = [min(Fraction(float(v)), b) for v, b in zip(box.high[0], self.query.high, strict=True)]
        self.tally.n_leaves += 1
        before = self.leaf.n_pieces
        try:
            ranges = mixed_bounds(self.steps, box)
            point = self.leaf.find(low, high, self.query.conjunctions, ranges, known=known, max_pieces=MAX_PIECES)
        finally:
            self.tally.n_pieces += self.leaf.n_pieces - before
        if point is not None and not self.query.is_violated(point, self.exact.values(point)):
            raise AssertionError("an exact program found a point that is no counterexample")
        return point

    def _confirmed(self, points: Array, lack: Array) -> Candidate | None:
        """The first of some points that is a counterexample in exact arithmetic; ``lack`` says which to try."""
        scale = 1e-9 * (1.0 + np.abs(self.forms.bound).max(initial=0.0))
        for i in np.flatnonzero(lack <= scale)[:TRIED]:
            self.tally.n_exact_checks += 1
            point = self._exactly_inside(points[i])
            if self.query.is_violated(point, self.exact.values(point)):
                return point
        return None

    def _exactly_inside(self, x: Array) -> Candidate:
        """The point in fractions; a side that no float meets keeps its own value."""
        return [min(max(Fraction(float(v)), a), b) for v, a, b in zip(x, self.query.low, self.query.high, strict=True)]


def _less(x: Array, bound: Array) -> Array:
    """x - bound, rounded down."""
    difference = x - bound
    return np.asarray(difference - EPS * np.abs(difference) - TINY)


def _with_states(middle: Array, slope: Array, states: tuple[Array, Array], nodes: Array, rows: Array) -> tuple[Array, Array]:
    """The rows of a conjunction and those of the states, for some nodes."""
    own = np.ix_(nodes, rows)
    return np.concatenate([middle[own], states[0][nodes]], axis=1), np.concatenate([slope[own], states[1][nodes]], axis=1)
