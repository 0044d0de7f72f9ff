"""The input that a unit likes best, on a box or a ball: a point from below, a proof from above, at any time."""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Box
from plica.network import Linear, Network, Reshape, extended
from plica.robust._distance import class_distance
from plica.robust._exact_steps import ExactSteps
from plica.robust._falsify import gradients, values
from plica.robust._property import Property, Query, Row, rounded
from plica.robust._verify import verify
from plica.robust.bounds import Boxes, Steps, backward_bounds, steps_of

CLIMBS = 60
STEPS = 2.0 ** -np.arange(0, 24, 2)


@dataclass(frozen=True, eq=False)
class MaximizingInput:
    """What excites a unit most.

    Attributes
    ----------
    point, value
        An input of the domain and the unit there, rounded down: no less is attained.
    upper
        Proved: nowhere in the domain the unit is larger.
    is_closed
        Whether they differ by less than the tolerance; if not, the time ended first.
    n_asked
        Levels that were proved to be attained or not.
    """

    point: Array
    value: float
    upper: float
    is_closed: bool
    n_asked: int
    seconds: float
    kind: str = "certified"

    def __repr__(self) -> str:
        return f"<MaximizingInput: from {self.value:.6g} to {self.upper:.6g}, {self.n_asked} levels asked>"


def maximizing_input(
    network: Network,
    domain: Box | tuple[Any, float],
    *,
    output: int = 0,
    layer: int | None = None,
    tolerance: float = 1e-3,
    timeout_s: float = 60.0,
    seed: int = 0,
) -> MaximizingInput:
    """The largest value of an output, or of a unit before its fold, over a box or a Euclidean ball, and where.

    Ascent along the gradients of cells gives a level from below. Whether a higher one is attained is asked of :func:`verify`
    (boxes) or :func:`class_distance` (balls), which prove their answers; the interval between it and a linear bound from above is
    halved until the time is over. A level that half of the time left open is left for higher ones.

    Parameters
    ----------
    network
        The network.
    domain
        A :class:`plica.Box` in the input space, or a pair (center, radius) for a ball.
    output, layer
        The number of the output; with a layer, of the unit of that layer.
    tolerance
        Relative to 1 + the absolute value.
    timeout_s, seed
        When to stop, and of the first points.

    Examples
    --------
    >>> import plica
    >>> from plica.measure import extremes
    >>> net = plica.random_network([2, 6, 1], seed=1)
    >>> found = maximizing_input(net, plica.Box([-1, -1], [1, 1]), tolerance=1e-6)
    >>> exact = extremes(plica.decompose(net, plica.Box([-1, -1], [1, 1]))).maximum
    >>> found.value <= float(exact) <= found.upper, found.is_closed
    (True, True)
    """
    started = time.perf_counter()
    if not tolerance > 0:
        raise InvalidInput(f"tolerance = {tolerance}.", hint="a positive number")
    asked = _one_output(network, output, layer)
    place = _Place.of(asked, domain)
    steps = steps_of(asked)
    exact = ExactSteps(steps)

    def value_at(x: Array) -> Fraction:
        return exact.values([Fraction(float(v)) for v in x])[0]

    best = max((_climbed(steps, place, x) for x in place.starts(seed)), key=value_at)
    low, high, n = value_at(best), Fraction(place.bound(steps)), 0
    open_from = low  # below, a level was left open: those above may be easier
    while high - low > Fraction(tolerance) * (1 + abs(low)):
        left = timeout_s - (time.perf_counter() - started)
        if high - open_from <= Fraction(tolerance) * (1 + abs(low)) / 4:
            open_from = low
        level = Fraction(float((open_from + high) / 2))
        if left <= 0 or not low < level < high:
            break
        n += 1
        answer = place.ask(asked, level, min(left, max(left / 2, 0.1 * timeout_s)))
        if answer is None:
            open_from = level
        elif isinstance(answer, bool):
            high = level
        else:
            x = max((answer, _climbed(steps, place, answer)), key=value_at)
            if value_at(x) > low:
                best, low = x, value_at(x)
            open_from = max(open_from, low)
    closed = high - low <= Fraction(tolerance) * (1 + abs(low))
    # the upper end is a bound or a level, which are doubles
    return MaximizingInput(best, rounded(low, down=True), float(high), closed, n, time.perf_counter() - started)


def _one_output(network: Network, output: int, layer: int | None) -> Network:
    """The network up to one number."""
    if layer is not None:
        if not 0 <= layer < len(network.layers):
            raise InvalidInput(f"there is no layer {layer}; there are {len(network.layers)}, counted from 0.")
        network = Network(network.nodes[: network.nodes[network.layers[layer]].inputs[0] + 1])
    n = network.n_outputs
    if not 0 <= output < n:
        raise InvalidInput(f"there is no output {output}; there are outputs 0 to {n - 1}.")
    flat = [] if len(network.nodes[-1].shape) == 1 else [Reshape((n,))]
    return extended(network, [*flat, Linear(np.eye(n)[output : output + 1])])


@dataclass(frozen=True, eq=False)
class _Place:
    """A box or a ball: how to stay in it, and how to ask for a level."""

    low: Array
    high: Array
    center: Array
    radius: float | None

    @staticmethod
    def of(network: Network, domain: Any) -> _Place:
        if isinstance(domain, Box):
            low, high = (np.asarray(side, dtype=float) for side in (domain.low, domain.high))
            place = _Place(low, high, (low + high) / 2, None)
        else:
            try:
                center, radius = np.asarray(domain[0], dtype=float).reshape(-1), float(domain[1])
            except (TypeError, ValueError, IndexError):
                raise InvalidInput("expected a box, or a center and a radius.", hint="plica.Box(low, high)") from None
            if not 0 < radius < np.inf:
                raise InvalidInput(f"a ball of radius {radius}.", hint="a positive number")
            place = _Place(center - radius, center + radius, center, radius)
        if place.center.shape != (network.n_inputs,) or not np.isfinite(place.center).all():
            raise InvalidInput(f"the domain lies in R^{place.center.size}, the network takes {network.n_inputs} inputs.")
        return place

    def inside(self, x: Array) -> Array:
        """The nearest point of the domain."""
        if self.radius is None:
            return np.asarray(np.clip(x, self.low, self.high))
        away = np.linalg.norm(x - self.center)
        # a hair inside, so that rounding does not leave the ball
        return np.asarray(x if away < self.radius else self.center + (x - self.center) * (self.radius / away * (1 - 1e-12)))

    def starts(self, seed: int) -> list[Array]:
        rng = np.random.default_rng(seed)
        return [self.center, *(self.inside(x) for x in rng.uniform(self.low, self.high, size=(7, len(self.low))))]

    def bound(self, steps: Steps) -> float:
        """Proved from above, at once: by linear bounds on the box, or on the box around the ball."""
        outward = (np.nextafter(self.low, -np.inf), np.nextafter(self.high, np.inf)) if self.radius else (self.low, self.high)
        return float(backward_bounds(steps, Boxes.of(*outward))[-1].high[0, 0])

    def ask(self, network: Network, level: Fraction, timeout_s: float) -> Array | bool | None:
        """A point where the output is at least a level, False where none is, None where time was over before an answer."""
        if self.radius is None:
            row = Row((), ((0, Fraction(-1)),), -level)
            low, high = (tuple(Fraction(float(v)) for v in side) for side in (self.low, self.high))
            verdict = verify(network, Property(network.n_inputs, 1, (Query(low, high, ((row,),)),)), timeout_s=timeout_s)
            if verdict.status == "sat":
                return np.array([float(v) for v in verdict.point])
            return False if verdict.status == "unsat" else None
        # two classes, the level and the output: another class is where the output exceeds the level
        both = extended(network, [Linear(np.array([[0.0], [1.0]]), np.array([float(level), 0.0]))])
        found = class_distance(both, self.center, tolerance=1e-9, timeout_s=timeout_s, within=self.radius * (1 + 1e-9))
        if found.lower > self.radius:
            return False
        return self.inside(found.point) if found.upper <= self.radius else None


def _climbed(steps: Steps, place: _Place, x: Array) -> Array:
    """Uphill along the gradient of the cell that holds the point, as far as it helps."""
    size = float(np.linalg.norm(place.high - place.low))
    for _ in range(CLIMBS):
        tensors = values(steps, x[None])
        here, slope = float(tensors[-1][0, 0]), gradients(steps, tensors, np.ones((1, 1)))[0]
        uphill = slope / (float(np.linalg.norm(slope)) or 1.0)
        tries = np.stack([place.inside(x + size * t * uphill) for t in STEPS])
        reached = values(steps, tries)[-1][:, 0]
        top = int(reached.argmax())
        if not reached[top] > here:
            break
        x = tries[top]
    return x
