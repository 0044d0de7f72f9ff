"""How far a piecewise-linear network is from a target: enclosures of the largest and of the mean deviation."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array
from plica.construct.targets._intervals import ceil_float, floor_float
from plica.construct.targets._targets import PiecewisePolynomial, Polynomial, Smooth, Target, as_target, smooth
from plica.errors import InvalidDomain, InvalidInput
from plica.geometry import Box, Budget, Domain, decompose
from plica.network import Network, difference

EXACT_CELLS = 3000  # up to this many cells are looked at in rationals
NORMS = ("sup", "L1")


@dataclass(frozen=True, repr=False)
class ErrorEnclosure:
    """The true error lies in [low, high].

    Attributes
    ----------
    low, high
        Fractions where ``is_exact``, else floats.
    norm
        ``sup`` or ``L1``: the integral of the absolute deviation over the domain (in its parameters, if it is a slice of a larger
        space).
    method
        How it was computed.
    n_cells, n_parts
        Cells of the complex, and parts that they were cut into.
    where
        Parameters of a point where the deviation is at least ``low``, for the sup norm.
    """

    low: Fraction | float
    high: Fraction | float
    norm: str
    method: str
    n_cells: int = 0
    n_parts: int = 0
    where: tuple[float, ...] | None = None

    @property
    def is_exact(self) -> bool:
        return self.low == self.high

    def __float__(self) -> float:
        return ceil_float(self.high)

    def __repr__(self) -> str:
        value = f"= {_short(self.high)}" if self.is_exact else f"in [{floor_float(self.low):.10g}, {float(self):.10g}]"
        return f"<{self.norm} error {value}, {self.method}, {self.n_cells:,} cells>"

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        return facts_html(self, vars(self) | {"is_exact": self.is_exact})


def _short(value: Fraction | float) -> str:
    """A fraction with few digits as it is, anything else rounded."""
    is_short = isinstance(value, Fraction) and value.denominator.bit_length() + value.numerator.bit_length() <= 128
    return str(value) if is_short else f"{ceil_float(value):.10g}"


def approximation_error(
    network: Network,
    target: Any,
    domain: Domain,
    *,
    norm: str = "sup",
    tolerance: float = 1e-6,
    exact: bool | None = None,
    budget: Budget | None = None,
    max_parts: int = 2_000_000,
) -> ErrorEnclosure:
    r"""An enclosure of :math:`\sup |f - g|` or :math:`\int |f - g|` for a network f, a target g and a domain.

    On one- and two-dimensional domains the error is taken on every cell of the exact complex: in rationals for targets of degree
    up to two, in outward-rounded intervals with bisection otherwise. Boxes of three and more dimensions are divided until bounds
    from affine arithmetic suffice.

    Parameters
    ----------
    network
        Any network with one output, constructed or trained.
    target
        A :class:`Polynomial`, a :class:`PiecewisePolynomial`, an expression or :class:`Smooth`, a number, or another
        :class:`plica.Network`.
    domain
        A :class:`plica.Segment`, :class:`plica.Box` or :class:`plica.Plane`.
    norm
        ``"sup"`` or ``"L1"``.
    tolerance
        Bisection stops when ``high <= (1 + tolerance) low``.
    exact
        Ask for rationals, or forbid them; by default they are used where the target allows it and the cells are few.
    budget
        Of the decomposition.
    max_parts
        Bisection stops here with the enclosure that it has.

    Examples
    --------
    >>> from plica import Segment
    >>> from plica.construct import Polynomial, squaring
    >>> approximation_error(squaring(2).network, Polynomial([0, 0, 1]), Segment([0], [1])).high
    Fraction(1, 64)
    """
    if norm not in NORMS:
        raise InvalidInput(f"unknown norm {norm!r}.", hint=" or ".join(NORMS))
    if not 0 < tolerance < 1:
        raise InvalidInput(f"the tolerance must lie between 0 and 1, got {tolerance}.")
    if not isinstance(network, Network):
        raise InvalidInput(f"expected a plica Network, got {type(network).__name__}.", hint="plica.from_torch(module)")
    if not isinstance(domain, Domain):
        raise InvalidInput(f"expected a domain, got {type(domain).__name__}.", hint="plica.Segment, Box or Plane")
    if network.n_inputs != domain.n_inputs:
        raise InvalidDomain(f"the network takes {network.n_inputs} inputs, the domain lies in R^{domain.n_inputs}.")
    if isinstance(target, Network):
        network, target = difference(network, target), 0
    if network.n_outputs != 1:
        raise InvalidInput(f"the network has {network.n_outputs} outputs; an error is taken for one.")
    goal = as_target(target, domain.n_inputs)
    if isinstance(goal, Smooth) and goal.bounds:
        goal.refuse_false_bounds(sample_points(domain))
    if domain.dimension > 2:
        if not isinstance(domain, Box):
            raise InvalidDomain("errors in three and more dimensions are computed on boxes.", hint="plica.Box(low, high)")
        if norm != "sup" and domain.dimension != domain.n_inputs:
            raise InvalidDomain(
                "the mean error over a box with fixed coordinates is not computed in three and more dimensions.",
                hint="norm='sup'",
            )
        from plica.construct.errors._boxes import box_error

        return box_error(network, smooth(goal), domain, norm=norm, tolerance=tolerance, max_parts=max_parts)
    local, stretch = along_chart(goal, domain), 1 if norm == "sup" else chart_volume(domain)
    cx = decompose(network, domain, budget=budget)
    polynomial = isinstance(local, (Polynomial, PiecewisePolynomial))
    highest = (2 if norm == "sup" else 1) if polynomial else -1
    rational = polynomial and local.degree is not None and local.degree <= highest
    if exact and not rational:
        raise InvalidInput(
            f"rationals suffice for polynomials of degree up to {2 if norm == 'sup' else 1} in the {norm} norm, not for {goal!r}."
        )
    if exact or (exact is None and rational and cx.n_cells <= EXACT_CELLS):
        from plica.construct.errors._rational import rational_error

        assert isinstance(local, (Polynomial, PiecewisePolynomial))
        return rational_error(cx, local, norm=norm, stretch=stretch)
    from plica.construct.errors._cells import cell_error

    return cell_error(cx, local, norm=norm, stretch=stretch, tolerance=tolerance, max_parts=max_parts)


def sample_points(domain: Domain, n: int = 256) -> Array:
    """Points of a domain: its corners and random ones."""
    rng, w = np.random.default_rng(0), domain.window
    if domain.dimension == 2:
        return domain.to_input(np.vstack([w, rng.dirichlet(np.ones(len(w)), n) @ w]))
    return domain.to_input(np.vstack([w, w[0] + rng.uniform(size=(n, domain.dimension)) * (w[1] - w[0])]))


def along_chart(target: Target, domain: Domain) -> Target:
    """The target as a function of the domain's parameters."""
    columns = domain.chart.columns
    rows = np.array(columns.fractions(), dtype=object).reshape(columns.shape)
    directions, origin = rows[:-1].tolist(), rows[-1].tolist()
    is_identity = not any(origin) and all(c == (i == j) for i, d in enumerate(directions) for j, c in enumerate(d))
    return target if is_identity else target.along(directions, origin)


def chart_volume(domain: Domain) -> Fraction:
    """How much larger a set is in the input space than in the parameters; 1 for slices of a larger space."""
    columns = domain.chart.columns
    rows = np.array(columns.fractions(), dtype=object).reshape(columns.shape)[:-1]
    if rows.shape == (1, 1):
        return abs(Fraction(rows[0, 0]))
    if rows.shape == (2, 2):
        return abs(Fraction(rows[0, 0] * rows[1, 1] - rows[0, 1] * rows[1, 0]))
    return Fraction(1)
