"""Certificates of perceptrons: steps on every interval between thresholds, smooth units by the remainder of a formula."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.construct.errors._enclosure import ErrorEnclosure
from plica.construct.errors._verify import Verification
from plica.construct.perceptrons._perceptron import Perceptron
from plica.construct.targets._intervals import Interval, ceil_float, floor_float
from plica.construct.targets._numbers import rational
from plica.construct.targets._targets import PiecewisePolynomial, Target, smooth
from plica.errors import InvalidInput

PARTS = 64  # of each interval between thresholds, when a target is enclosed on it
SAME_WEIGHT = 2.0**-50  # relative: a few units in the last place
SEED = 8  # of the points at which smooth units are looked at


@dataclass(frozen=True, eq=False)
class UnitCertificate:
    """The error of a perceptron against a target is at most ``bound`` on a box.

    Attributes
    ----------
    bound, norm, method
        As in :class:`Certificate`.
    domain
        The lower and upper ends of the box.
    target
        What the network stands for.
    network
        The perceptron.
    """

    bound: Fraction | float
    norm: str
    domain: tuple[tuple[float, ...], tuple[float, ...]]
    method: str
    target: Any
    network: Perceptron

    def __post_init__(self) -> None:
        if not self.bound >= 0:
            raise InvalidInput(f"an error bound is a number >= 0, got {self.bound}.")

    @cached_property
    def true_error(self) -> ErrorEnclosure:
        """The error itself, enclosed."""
        return self.error_of(self.network)

    def error_of(self, network: Perceptron) -> ErrorEnclosure:
        """The error of a perceptron with the weights of this one: from what points of the box show to the bound."""
        a, b = (np.array(v) for v in self.domain)
        rng = np.random.default_rng(SEED)
        d = len(a)
        corners = np.stack(np.meshgrid(*zip(a, b, strict=True)), axis=-1).reshape(-1, d) if d <= 10 else a[None]
        x = np.vstack([corners, a + (b - a) * rng.random((4096, d))])
        deviation = np.abs(network(x)[:, 0] - self.target(x))
        worst = int(deviation.argmax())
        where = tuple(float(v) for v in x[worst])
        low, high = float(deviation[worst]), max(float(self.bound), float(deviation[worst]))
        return ErrorEnclosure(low, high, self.norm, "evaluation at points, and the bound", n_parts=len(x), where=where)

    @property
    def tightness(self) -> float:
        """The certified bound over the largest error found: 1 is tight."""
        error = float(self.true_error.low)
        return float(self.bound) / error if error else float("inf")

    def verify(self, model: Any = None) -> Verification:
        """Check the bound again, for this network, for another perceptron or for a torch module made of this one."""
        try:
            network = self._perceptron(model)
        except InvalidInput as error:
            return Verification(False, error.message)
        found = self.error_of(network)
        limit = float(self.bound) * (1 + 1e-12)
        if float(found.high) > limit:
            reason = f"an error of {float(found.low):.6g} is above the bound {float(self.bound):.6g}."
            return Verification(False, reason, found)
        for mine, other in zip(_numbers(self.network), _numbers(network), strict=True):
            if not np.allclose(mine, other, rtol=SAME_WEIGHT, atol=0.0):
                return Verification(False, "a weight differs from the certified one.", found)
        reason = _torch_differs(network, model, self.domain)
        return Verification(not reason, reason, found)

    def _perceptron(self, model: Any) -> Perceptron:
        """A model as a perceptron with the shape of the certified one."""
        if model is None:
            return self.network
        if isinstance(model, Perceptron):
            shapes = [a.shape for a in _numbers(model)]
            if shapes != [a.shape for a in _numbers(self.network)] or model.activation != self.network.activation:
                raise InvalidInput("the architecture differs from the certified one.")
            return model
        arrays = [p.detach().cpu().numpy().astype(np.float64) for p in model.parameters()]
        if [a.shape for a in arrays] != [a.shape for a in _numbers(self.network)]:
            raise InvalidInput("the architecture differs from the certified one.")
        layers = list(zip(arrays[::2], arrays[1::2], strict=True))
        return Perceptron(self.network.n_inputs, tuple(layers[:-1]), layers[-1], self.network.activation)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "bound": float(self.bound),
            "norm": self.norm,
            "domain": repr(self.domain),
            "method": self.method,
            "target": repr(self.target),
        }

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        return facts_html(self, self.to_dict())


def _numbers(network: Perceptron) -> list[Array]:
    return [a for layer in (*network.hidden, network.output) for a in layer]


def _torch_differs(network: Perceptron, model: Any, domain: tuple[tuple[float, ...], tuple[float, ...]]) -> str:
    """The second path: the torch module at points of the box, against the perceptron."""
    import torch

    module = network.to_torch() if model is None or isinstance(model, Perceptron) else model
    low, high = (np.array(v) for v in domain)
    x = low + (high - low) * np.random.default_rng(SEED + 1).random((257, len(low)))
    with torch.no_grad():
        there = module(torch.from_numpy(x).to(next(module.parameters()).dtype)).numpy().astype(np.float64)
    here = network(x)
    scale = sum(float(np.abs(a).sum()) for a in network.output) * 2.0**-36
    off = float(np.abs(there - here).max())
    return "" if off <= scale else f"the torch module is {off:.3g} away from the perceptron"


@dataclass(frozen=True, eq=False)
class StepCertificate(UnitCertificate):
    """A certificate for a step network of one variable: the target is enclosed between any two thresholds."""

    @staticmethod
    def of(
        network: Perceptron, target: Target, interval: tuple[float, float], bound: Any = None, method: str = ""
    ) -> StepCertificate:
        """With a bound from a proof, or with the enclosure of the error as its bound."""
        ends = ((float(interval[0]),), (float(interval[1]),))
        draft = StepCertificate(0.0, "sup", ends, method or "enclosures between thresholds", target, network)
        value = float(draft.true_error.high) * (1 + 1e-9) if bound is None else bound
        return StepCertificate(value, "sup", ends, draft.method, target, network)

    def error_of(self, network: Perceptron) -> ErrorEnclosure:
        return step_error(network, self.target, (self.domain[0][0], self.domain[1][0]))


def step_error(network: Perceptron, target: Target, interval: tuple[float, float]) -> ErrorEnclosure:
    """An enclosure of the largest deviation of a step network with one input and one hidden layer from a target.

    Examples
    --------
    >>> from plica.construct import Polynomial
    >>> steps = Perceptron.shallow([[1.0], [1.0]], [0.0, -0.5], [0.25, 0.5], activation="step")
    >>> error = step_error(steps, Polynomial([0, 1]), (0.0, 1.0))
    >>> error.low <= 0.25 <= error.high, round(error.high - error.low, 12)
    (True, 0.0)
    """
    (weight, bias), (out, constant) = network.hidden[0], network.output
    if network.activation != "step" or len(network.hidden) != 1 or weight.shape[1] != 1 or out[0, 0]:
        raise InvalidInput("step errors are computed for step networks with one input and one hidden layer.")
    a, b = (rational(float(v)) for v in interval)
    jumps: dict[Fraction, tuple[Fraction, Fraction]] = {}  # threshold: what is added from it on, what is lost from it on
    level = rational(float(constant[0]))
    for w, t, c in zip(weight[:, 0], bias, out[0, 1:], strict=True):
        height = rational(float(c))
        if w == 0:
            level += height if t >= 0 else 0
            continue
        place = -rational(float(t)) / rational(float(w))
        up, down = jumps.get(place, (Fraction(0), Fraction(0)))
        jumps[place] = (up + height, down) if w > 0 else (up, down + height)
        level += height if w < 0 else 0
    level += sum((up for place, (up, _) in jumps.items() if place <= a), Fraction(0))
    level -= sum((down for place, (_, down) in jumps.items() if place < a), Fraction(0))
    places = [a, *sorted(p for p in jumps if a < p < b), b]
    lows, highs = [Fraction(0)], [Fraction(0)]
    late = jumps.get(a, (Fraction(0), Fraction(0)))[1]
    for p, q in pairwise(places):
        level -= late  # a unit that faces left is lost just after its threshold
        low, high = _deviation(target, level, p, q)
        lows.append(low)
        highs.append(high)
        up, late = jumps.get(q, (Fraction(0), Fraction(0)))
        level += up
    return ErrorEnclosure(float(max(lows)), float(max(highs)), "sup", "enclosures between thresholds", n_cells=len(places) - 1)


def _deviation(target: Target, level: Fraction, p: Fraction, q: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of sup |target - level| over an interval."""
    low, high = Fraction(0), Fraction(0)
    for piece, a, b in _pieces(target, p, q):
        edges = np.linspace(floor_float(a), ceil_float(b), PARTS + 1)
        g = smooth(piece)
        at = g.enclose([Interval.of(edges)]) - Interval.of(level)
        over = g.enclose([Interval(edges[:-1], edges[1:])]) - Interval.of(level)
        slope = g.first([Interval(edges[:-1], edges[1:])], 0).magnitude()
        ends = np.maximum(at.magnitude()[:-1], at.magnitude()[1:])
        near = np.nextafter(ends + slope * np.diff(edges) / 2 * (1 + 1e-12), np.inf)
        monotone = g.first([Interval(edges[:-1], edges[1:])], 0).mignitude() > 0
        bound = np.where(monotone, ends, np.minimum(near, over.magnitude()))
        inside = np.ones(PARTS + 1, dtype=bool)  # ends may be rounded outward, and then lie outside
        inside[[0, -1]] = rational(float(edges[0])) == a, rational(float(edges[-1])) == b
        low = max(low, rational(float(at.mignitude()[inside].max())))
        high = max(high, rational(float(bound.max())))
    return low, high


def _pieces(target: Target, p: Fraction, q: Fraction) -> list[tuple[Any, Fraction, Fraction]]:
    if not isinstance(target, PiecewisePolynomial):
        return [(target, p, q)]
    cuts = [p, *(k for k in target.knots[1:-1] if p < k < q), q]
    return [(target.pieces[target.index((a + b) / 2)], a, b) for a, b in pairwise(cuts)]


def smooth_certificate(
    network: Perceptron, target: Callable[[Array], Array], bound: float, size: float, method: str
) -> UnitCertificate:
    """A bound on the cube of the given half side that a formula proves; points can contradict it, not prove it."""
    d = network.n_inputs
    return UnitCertificate(bound, "sup", ((-size,) * d, (size,) * d), method, target, network)
