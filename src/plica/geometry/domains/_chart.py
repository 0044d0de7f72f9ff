"""An affine map from parameters to the input space, kept exactly.

The chart is integers times a power of two: a plane *through* three stored points really goes through them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.exact import Dyadic, bits, exactly, point_from_fractions, to_float, to_object
from plica.geometry._budget import tick


@dataclass(frozen=True, eq=False)
class Chart:
    """x = origin + sum of u_i * direction_i; exact also where a direction is the difference of two stored points.

    ``points`` holds the directions and then the origin or, if ``is_through``, the points at the unit vectors and then the origin.
    """

    points: Array  # (dimension + 1, n_inputs)
    is_through: bool = False

    @cached_property
    def columns(self) -> Dyadic:
        """The directions and the origin as exact rows."""
        stored = Dyadic.from_floats(self.points)
        if not self.is_through:
            return stored
        integers = stored.integers if bits(stored.integers) < 61 else to_object(stored.integers)
        return Dyadic(np.concatenate([integers[:-1] - integers[-1], integers[-1:]]), stored.exponent)

    @cached_property
    def places(self) -> Array | None:
        """The coordinates that the parameters are, one each, if the chart moves nothing else; None otherwise."""
        directions, origin = self.points[:-1], self.points[-1]
        rows, places = directions.nonzero()
        is_unit = np.array_equal(rows, np.arange(self.dimension)) and bool((directions[rows, places] == 1.0).all())
        is_placed = is_unit and len(np.unique(places)) == len(places) and not origin[places].any()
        return places if is_placed and not self.is_through else None

    @cached_property
    def origin(self) -> Array:
        return np.asarray(self.points[-1])

    @property
    def dimension(self) -> int:
        return len(self.points) - 1

    @property
    def n_inputs(self) -> int:
        return int(self.points.shape[1])

    def at(self, window: Array) -> tuple[Array, Array]:
        """Images of float parameters, each coordinate rounded at most once, and a bound of the error of each image."""
        out, error = np.empty((len(window), self.n_inputs)), np.zeros(len(window))
        if self.places is not None:
            out[:] = self.origin
            out[:, self.places] = window
            return out, error
        stored = {(0.0,) * self.dimension: self.dimension}  # parameters whose images are stored points
        if self.is_through:
            stored |= {tuple(float(i == j) for j in range(self.dimension)): i for i in range(self.dimension)}
        for i, u in enumerate(window.tolist()):
            known = stored.get(tuple(u))
            if known is not None:
                out[i] = self.points[known]
            else:
                p = point_from_fractions([Fraction(c) for c in u])
                sums = np.array(p, dtype=object) @ to_object(self.columns.integers)
                out[i] = [to_float(int(number), p[-1], self.columns.exponent) for number in sums]
                # a sum bounds the norm and squares nothing
                error[i] = 2.0**-52 * float(np.abs(out[i]).sum()) + 5e-324 * self.n_inputs
        return out, error

    @cached_property
    def fractions(self) -> Array:
        """The directions and the origin as fractions."""
        if not self.is_through:
            return exactly(self.points)
        points = exactly(self.points)
        return np.concatenate([points[:-1] - points[-1], points[-1:]])

    def floats(self) -> Array:
        """The directions and the origin as floats, rounded once."""
        if self.is_through:
            return np.concatenate([self.points[:-1] - self.points[-1], self.points[-1:]])
        return self.points

    def to_input(self, parameters: Array) -> Array:
        """Points of the input space for rows of float parameters, in floating point."""
        columns = self.floats()
        return np.asarray(parameters) @ columns[:-1] + columns[-1]


class PlacedChart(Chart):
    """The parameters are coordinates themselves, the others stay; rows are written out when somebody reads them.

    A box around an image of 150,528 numbers would have 181 GB of directions.

    Examples
    --------
    >>> PlacedChart(np.array([1]), np.array([5.0, 0.0])).points.tolist()
    [[0.0, 1.0], [5.0, 0.0]]
    """

    def __init__(self, places: Array, origin: Array) -> None:
        for name, value in (("places", places), ("origin", origin), ("is_through", False)):
            self.__dict__[name] = value

    @cached_property
    def points(self) -> Array:  # type: ignore[override]
        tick(8 * (self.dimension + 1) * self.n_inputs)
        out = np.zeros((self.dimension + 1, self.n_inputs))
        out[np.arange(self.dimension), self.places] = 1.0
        out[-1] = self.origin
        return out

    @property
    def dimension(self) -> int:
        return len(self.places)  # type: ignore[arg-type]

    @property
    def n_inputs(self) -> int:
        return int(self.origin.size)
