"""How a certificate is checked: the weights, the error on the exact complex, the error of the exported module without one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.construct.errors._boxes import box_error
from plica.construct.errors._enclosure import ErrorEnclosure, along_chart, approximation_error, chart_volume, sample_points
from plica.construct.targets._intervals import ceil_float, floor_float
from plica.construct.targets._targets import PiecewisePolynomial, SmoothPolynomial, Target, as_target, smooth
from plica.errors import InvalidInput, PlicaError
from plica.geometry import Box, Budget, Domain
from plica.network import Linear, Network, difference, from_torch, to_torch

if TYPE_CHECKING:
    from plica.construct.errors._certificate import Certificate

UNITS = 4  # a weight may differ by this many units in the last place
ROUNDING = 2.0**-30  # by this part of the bound, and of the values, the second path may exceed it: it bisects only so far
SLACK = {1: 2.0**-24, 2: 2.0**-4}  # beyond the bound the second path excludes nothing by this part of it; 1/4 in more dimensions
MAX_BOXES = 400_000


@dataclass(frozen=True)
class Verification:
    """The outcome of :meth:`Certificate.verify`; true when the certificate stands.

    Attributes
    ----------
    holds
        Whether every check passed.
    reason
        What failed first, in a sentence; empty when nothing did.
    error
        The error on the exact complex; None where it was not reached.
    second
        The error of the exported torch module by branch and bound in affine arithmetic; None where it was not reached.
    """

    holds: bool
    reason: str = ""
    error: ErrorEnclosure | None = None
    second: ErrorEnclosure | None = None

    def __bool__(self) -> bool:
        return self.holds

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        return facts_html(self, vars(self))


def verify(certificate: Certificate, model: Any = None, *, budget: Budget | None = None) -> Verification:
    """Check a certificate for its own network or for another form of it."""
    given = certificate.network if model is None else read_model(model, certificate)
    if model is not None:
        reason = tampered(certificate.network, given, certificate.domain)
        if reason:
            return Verification(False, reason)
    if certificate.domain.dimension > 2:
        return _on_boxes(certificate, given, model)
    error = certificate.true_error if model is None and budget is None else _first(certificate, given, budget)
    allowed = certificate.bound if model is None else _with_rounding(certificate)
    if error.low > allowed:
        return Verification(False, f"the error is at least {float(error.low):.10g}, above {float(allowed):.10g}.", error)
    if error.high > allowed and not _just_wide(error, certificate):
        return Verification(False, f"the error is only known to be below {float(error.high):.10g}.", error)
    module = to_torch(given) if model is None or isinstance(model, Network) else model
    second = second_path(certificate, module)
    if second.low > _with_rounding(certificate):
        return Verification(False, f"the second path finds an error of {float(second.low):.10g}.", error, second)
    if second.high > _with_slack(certificate):
        reason = f"the second path cannot exclude an error of {float(second.high):.10g} with {second.n_parts:,} boxes."
        return Verification(False, reason, error, second)
    return Verification(True, "", error, second)


def _on_boxes(certificate: Certificate, given: Network, model: Any) -> Verification:
    """Beyond the plane there is one path: branch and bound on the module."""
    module = to_torch(given) if model is None or isinstance(model, Network) else model
    second = second_path(certificate, module)
    if second.high <= _with_slack(certificate):
        return Verification(True, "", None, second)
    what = "is at least" if second.low > _with_rounding(certificate) else "cannot be excluded to be"
    value = second.low if second.low > _with_rounding(certificate) else second.high
    return Verification(False, f"the error {what} {float(value):.10g}, above {float(certificate.bound):.10g}.", None, second)


def _first(certificate: Certificate, network: Network, budget: Budget | None) -> ErrorEnclosure:
    return approximation_error(network, certificate.target, certificate.domain, norm=certificate.norm, budget=budget)


def _scale(certificate: Certificate) -> float:
    """The size of the values that are compared."""
    return float(np.abs(certificate.network(sample_points(certificate.domain))).max()) + float(certificate.bound)


def _with_rounding(certificate: Certificate) -> Fraction:
    """The bound, and what bisection to a finite depth and the last places of the weights may add."""
    return Fraction(certificate.bound) * (1 + Fraction(ROUNDING) * 64) + Fraction(ROUNDING * 2.0**-8 * _scale(certificate))


def _with_slack(certificate: Certificate) -> Fraction:
    """What the second path has to exclude: in the plane and beyond, kinks cost it one order, and it stops a little above."""
    slack = Fraction(SLACK.get(certificate.domain.dimension, 0.25))
    return _with_rounding(certificate) + Fraction(certificate.bound) * slack


def _just_wide(error: ErrorEnclosure, certificate: Certificate) -> bool:
    """Whether an enclosure that is not exact reaches beyond the bound only by its own width."""
    return not error.is_exact and error.high <= _with_rounding(certificate) + Fraction(certificate.bound) * Fraction(2e-6)


def second_path(certificate: Certificate, module: Any) -> ErrorEnclosure:
    """The error of a torch module by branch and bound on boxes, on the parameters of the domain."""
    domain = certificate.domain
    example = np.zeros((1, *certificate.network.input_shape))
    network = from_torch(module, example_input=example)
    target = certificate.target
    if isinstance(target, Network):
        network, target = difference(network, target), 0
    goal = along_chart(as_target(target, domain.n_inputs), domain)
    network = _along(network, domain)
    enough = float(_with_slack(certificate)) * (1 - 2.0**-50)
    window = Box(domain.window.min(0), domain.window.max(0))
    if domain.dimension == 2 and domain.exact_size() != window.exact_size():
        raise InvalidInput("the second path knows segments and boxes, not other polygons.")
    parts, is_mean = _parts(goal, window), certificate.norm == "L1"
    stretch = chart_volume(domain) if is_mean else Fraction(1)  # integrals are taken in the parameters
    stop = {"enough": float(Fraction(enough) / stretch), "tolerance": 1e-9}
    if is_mean and len(parts) > 1:  # what is enough for the sum says nothing about a part
        stop = {"tolerance": SLACK[1] / 4}
    results = [box_error(network, smooth(g), box, norm=certificate.norm, max_parts=MAX_BOXES, **stop) for g, box in parts]
    low, high = ([Fraction(getattr(r, end)) for r in results] for end in ("low", "high"))
    least, most = (sum(low) * stretch, sum(high) * stretch) if is_mean else (max(low), max(high))
    ends = floor_float(least), ceil_float(most)
    return ErrorEnclosure(*ends, certificate.norm, results[0].method, 0, sum(r.n_parts for r in results))


def _parts(goal: Target, window: Box) -> list[tuple[Target, Box]]:
    """The pieces of a piecewise polynomial with their intervals; anything else in one part."""
    if not isinstance(goal, PiecewisePolynomial):
        return [(goal, window)]
    low, high = Fraction(float(window.low[0])), Fraction(float(window.high[0]))
    parts: list[tuple[Target, Box]] = []
    for i, piece in enumerate(goal.pieces):
        a = low if i == 0 else max(low, goal.knots[i])
        b = high if i + 1 == len(goal.pieces) else min(high, goal.knots[i + 1])
        left, right = np.nextafter(float(a), float(a) - 1) if Fraction(float(a)) > a else float(a), ceil_float(b)
        if left < right and a < b:
            parts.append((SmoothPolynomial(piece), Box([left], [right])))
    return parts


def _along(network: Network, domain: Domain) -> Network:
    """The network as a function of the domain's parameters, where they are not the inputs themselves."""
    columns = domain.chart.floats()
    if domain.n_inputs == domain.dimension and not columns[-1].any() and np.array_equal(columns[:-1], np.eye(domain.dimension)):
        return network
    from plica.network import Builder, Reshape

    b = Builder(domain.dimension)
    b.add(Linear(columns[:-1].T.copy(), columns[-1].copy()))
    start = b.add(Reshape(network.input_shape))
    place = {0: start}
    for i, node in enumerate(network.nodes[1:], start=1):
        place[i] = b.add(node.op, *(place[j] for j in node.inputs))
    return b.build()


# -- weights -----------------------------------------------------------------------------------------------------------------


def read_model(model: Any, certificate: Certificate) -> Network:
    """A network as it is, a torch module as a network."""
    if isinstance(model, Network):
        return model
    try:
        return from_torch(model, example_input=np.zeros((1, *certificate.network.input_shape)))
    except PlicaError as error:
        raise InvalidInput(f"the model cannot be read: {error.message}", hint=error.hint) from None


def tampered(certified: Network, given: Network, domain: Domain) -> str:
    """What is different about the weights of a network, in a sentence; empty if they are the certified ones up to the last place.

    Layers are compared in order where both networks have the same; otherwise the functions are compared on the domain.
    """
    a, b = _weights(certified), _weights(given)
    if [w.shape for _, w in a] == [w.shape for _, w in b]:
        for (name, x), (_, y) in zip(a, b, strict=True):
            with np.errstate(over="ignore"):
                apart = np.abs(x - y) > UNITS * np.spacing(np.maximum(np.abs(x), np.abs(y)))
            if apart.any():
                where = tuple(int(i) for i in np.argwhere(apart)[0])
                return f"{name} at {where} is {float(y[where])!r}, certified is {float(x[where])!r}."
        return ""
    if certified.n_inputs != given.n_inputs or certified.n_outputs != given.n_outputs:
        return f"the model maps R^{given.n_inputs} to R^{given.n_outputs}, the certified one differs."
    gap = approximation_error(difference(certified, given), 0, domain, exact=False)
    scale = float(np.abs(certified(sample_points(domain))).max()) + 1e-300
    limit = 2.0**-44 * scale
    return f"the model is up to {float(gap.high):.3g} away from the certified network." if gap.high > limit else ""


def _weights(network: Network) -> list[tuple[str, Array]]:
    """The stored numbers layer by layer, without what torch and ONNX keep elsewhere."""
    return [
        (f"{label} of {node.name!r}", array)
        for node in network.nodes
        for label, array in node.op.arrays().items()
        if array.dtype.kind == "f" and array.ndim > 0
    ]
