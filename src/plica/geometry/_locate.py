"""Which cell a point is in, decided exactly.

The network is evaluated at the point in integers. A cell's closure holds the point exactly when, in every layer, each unit that
is strictly on one side there has that side in the cell's pattern; a unit that is zero there allows both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import Dyadic, add, to_object
from plica.geometry.domains import Box, Chart, Domain, Path, Polytope
from plica.geometry.signs._exact_maps import ExactMap
from plica.network import Fold, Network

if TYPE_CHECKING:
    from plica.geometry._bounded import BoundedComplex


def located(complex_: BoundedComplex, x: Any) -> Iterator[int]:
    """The cells whose closures hold the point, in order: at least one, or the point is refused."""
    parameters, chart = _parameters(complex_, x)
    point = _image(chart, parameters if not isinstance(complex_.domain, Path) else parameters % 1)
    if isinstance(complex_.domain, Path):
        part = min(int(parameters[0]), len(complex_.domain.segments) - 1)
        point = _image(complex_.domain.segments[part].chart, parameters - part)
    domain = complex_.domain if isinstance(complex_.domain, Domain) else complex_.domain.segments[0]
    if not isinstance(domain, (Box, Polytope)) or domain.holds(domain.to_input(parameters)):
        inputs = ExactMap(complex_.network, domain).at_point(point)
        found = False
        for cell in complex_._candidates(parameters):
            if is_compatible(complex_.network, inputs, complex_.pattern(int(cell))):
                found = True
                yield int(cell)
        if found:
            return
    raise InvalidInput(
        f"the point with parameters {parameters.tolist()} is outside the domain.", hint="cell_at takes points of the domain"
    )


def _parameters(complex_: BoundedComplex, x: Any) -> tuple[Array, Chart]:
    """The point's parameters; exact for a box, by least squares in a slice."""
    domain = complex_.domain
    point = np.asarray(x, dtype=np.float64).reshape(-1)
    if not np.isfinite(point).all():
        raise InvalidInput("the point holds NaN or infinity.")
    if isinstance(domain, Path):
        if point.size != 1:
            raise InvalidInput(
                f"a point on a path is given by its parameter, got {point.size} numbers.",
                hint="t runs from 0 to the number of segments",
            )
        return point, domain.segments[0].chart
    columns = domain.chart.floats()
    if point.size == domain.dimension != domain.n_inputs:
        return point, domain.chart
    if point.size != domain.n_inputs:
        raise InvalidInput(
            f"the point has {point.size} coordinates.",
            hint=f"expected {domain.n_inputs} (a point of the input space) or {domain.dimension} (parameters)",
        )
    directions, origin = columns[:-1], columns[-1]
    places = domain.chart.places
    if places is not None:
        if (np.delete(point, places) != np.delete(origin, places)).any():
            raise InvalidInput(
                f"the point {point.tolist()} differs from the domain in a fixed coordinate.",
                hint=f"the coordinates {places.tolist()} are free; give these alone, or the others as they are fixed",
            )
        return point[places], domain.chart
    solution, *_ = np.linalg.lstsq(directions.T, point - origin, rcond=None)
    distance = np.linalg.norm(origin + solution @ directions - point)
    if distance > 1e-6 * max(1.0, float(np.linalg.norm(point))):
        raise InvalidInput(
            f"the point is at distance {distance:.3g} from the slice.", hint="give a point of the slice, or its parameters"
        )
    return np.asarray(solution), domain.chart


def _image(chart: Chart, parameters: Array) -> Dyadic:
    """The point of the input space, exactly."""
    columns = chart.columns
    total = Dyadic(columns.integers[-1], columns.exponent)
    for i, u in enumerate(parameters):
        factor = Dyadic.from_floats(float(u))
        scaled = to_object(columns.integers[i]) * int(factor.integers)
        total = add(total, Dyadic(scaled, columns.exponent + factor.exponent))
    return total


def is_compatible(network: Network, inputs: list[Dyadic], pattern: tuple[Array, ...]) -> bool:
    folds = [network.nodes[i].op for i in network.layers]
    return all(_agrees(op, x, s.reshape(-1)) for op, x, s in zip(folds, inputs, pattern, strict=True) if isinstance(op, Fold))


def _agrees(op: Fold, x: Dyadic, states: Array) -> bool:
    """Whether the states allow the values, where a value on a threshold allows both sides."""
    walls = op.walls(states, x.integers.size).dyadic_columns(Dyadic(x.integers.reshape(1, -1), x.exponent))
    return bool((walls.integers >= 0).all())
