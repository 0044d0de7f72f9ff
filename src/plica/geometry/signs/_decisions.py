"""How many decisions each rung of the ladder made."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from plica.geometry.signs._precision import Precision


@dataclass(frozen=True)
class Decisions:
    """What doubles, extended precision and integers decided.

    A decision is the sign of a form at a vertex, the place of a crossing in the order along an edge or a chord, or whether two
    neighboring cells have one map.

    Examples
    --------
    >>> Decisions(double=90, extended=9) + Decisions(double=1, integer=1)
    Decisions(double=91, extended=9, integer=1)
    >>> Decisions(double=90, extended=9, integer=1).total
    100
    """

    double: int = 0
    extended: int = 0
    integer: int = 0

    @property
    def total(self) -> int:
        return self.double + self.extended + self.integer

    def __add__(self, other: Decisions) -> Decisions:
        return Decisions(self.double + other.double, self.extended + other.extended, self.integer + other.integer)

    def to_dict(self) -> dict[str, int]:
        return asdict(self)


class Tally:
    """Counts decisions while they are made; only this room adds to it."""

    def __init__(self) -> None:
        self._double = self._extended = self._integer = 0

    def add(self, n: int, precision: Precision | None) -> None:
        """Count n decisions of a precision, None for integers."""
        if precision is Precision.DOUBLE:
            self._double += n
        elif precision is Precision.EXTENDED:
            self._extended += n
        else:
            self._integer += n

    def join(self, other: Tally) -> None:
        """Count what another one counted."""
        self._double += other._double
        self._extended += other._extended
        self._integer += other._integer

    @property
    def decisions(self) -> Decisions:
        """What was counted so far."""
        return Decisions(self._double, self._extended, self._integer)
