"""The nearest tie behind a distance, in fractions: the point, its squared distance, and the multipliers that prove it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plica.errors import InvalidInput
from plica.network import Network
from plica.robust._cell_distance import descend_cells
from plica.robust._distance import ClassDistance
from plica.robust._exact_cell import CellProgram, Wall
from plica.robust._exact_steps import ExactSteps
from plica.robust.bounds._steps import steps_of


@dataclass(frozen=True, eq=False)
class Tie:
    """A point where another class is exactly as good as the one of the given point, the nearest of its cell.

    Attributes
    ----------
    label, other
        The two classes whose scores are equal there.
    point
        In fractions.
    squared_distance
        From the given point, in the Euclidean norm.
    multipliers
        Of the walls (tensor, entry) that hold it, and of the margin (None): positive, which proves that it is the nearest.
    scores
        Of all classes at the point.
    """

    label: int
    other: int
    point: tuple[Fraction, ...]
    squared_distance: Fraction
    multipliers: dict[Wall, Fraction]
    scores: tuple[Fraction, ...]
    kind: str = "exact"

    @property
    def is_first(self) -> bool:
        """Whether no class is better than these two at the point."""
        return max(self.scores) == self.scores[self.label] == self.scores[self.other]

    def __repr__(self) -> str:
        far = float(self.squared_distance) ** 0.5
        return (
            f"<Tie of classes {self.label} and {self.other} at distance {far:.9g}, held by {len(self.multipliers)} walls, exact>"
        )


def nearest_tie(network: Network, point: Any, found: ClassDistance) -> Tie:
    """The exact point behind a distance that :func:`class_distance` found in l2: the nearest tie of the cell it lies in.

    Where the distance is closed, no cell has a point that is nearer by more than its tolerance.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 8, 3], seed=0)
    >>> d = plica.robust.class_distance(net, [0.1, 0.2])
    >>> tie = nearest_tie(net, [0.1, 0.2], d)
    >>> tie.scores[tie.label] == tie.scores[tie.other], d.lower**2 <= tie.squared_distance <= d.upper**2
    (True, True)
    """
    if found.norm != "l2" or not np.isfinite(found.upper):
        raise InvalidInput("a nearest tie belongs to a finite distance in l2.", hint='class_distance(..., norm="l2")')
    steps = steps_of(network)
    x0 = np.asarray(point, dtype=np.float64).reshape(-1)
    form = np.zeros(network.n_outputs)
    if found.other != found.label:
        form[found.label], form[found.other] = 1.0, -1.0
    guess = descend_cells(steps, x0, found.point, form, "l2")
    if guess is None or not form.any():
        raise InvalidInput("floating point found no cell around the point.", hint="give the point that the distance belongs to")
    exact = CellProgram(ExactSteps(steps), x0, guess, found.label, found.other).solved()
    if exact is None:
        raise InvalidInput("the walls that hold the nearest point were not found.", hint="give the point more digits")
    return Tie(found.label, found.other, exact.point, exact.squared_distance, exact.multipliers, exact.scores)
