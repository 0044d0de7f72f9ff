"""One measurement beside what was said about it: the relation, the slack, the role, and what became of it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from math import isnan
from typing import Any, Literal, get_args

from plica.claims._values import plain
from plica.errors import InvalidInput

Kind = Literal["exact", "certified", "estimated"]
Role = Literal["prediction", "control", "counterexample"]
Status = Literal["holds", "fails", "inconclusive"]

KINDS: tuple[Kind, ...] = get_args(Kind)

#: An estimate speaks for or against a number only when it is this many standard errors away.
SIGMAS = 4.0

#: The largest slack of an equality at quick, relative to the prediction, unless the statement is an order of magnitude.
MOST_SLACK = 0.1

_RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


@dataclass(frozen=True)
class Row:
    """One measurement: ``measured`` should stand in ``relation`` to ``predicted``.

    Parameters
    ----------
    parameters
        What was varied.
    predicted, measured
        Numbers or short texts.
    relation
        ``=``, ``!=``, ``<=``, ``>=``, ``<``, ``>``, read as *measured relation predicted*.
    kind
        What kind of number ``measured`` is.
    standard_error
        Of an estimate, statistical or, for computations in floating point, of the rounding. An equality may miss by four of
        them; an inequality must hold by four of them, and between the two sides it is inconclusive.
    tolerance
        Allowed relative deviation of an equality, for numbers that were printed rounded or computed in floating point.
    role
        A *prediction* of the statement; a *control*, which must hold for the measurement to be trusted; or a *counterexample*:
        the statement's relation must fail, clearly, and the measurement must be ``truth``.
    truth, truth_relation
        Of a counterexample: what the measurement is instead of ``predicted``.
    order_of_magnitude
        Why the slack of an equality may be wider than a tenth: the statement itself says no more.
    unit
        What the slack is relative to; the prediction, unless that is 0 or small beside what it is a difference of.
    """

    parameters: dict[str, Any]
    predicted: Any
    measured: Any
    relation: str = "="
    kind: Kind = "exact"
    standard_error: float | None = None
    tolerance: float = 0.0
    role: Role = "prediction"
    truth: Any = None
    truth_relation: str = "="
    order_of_magnitude: str = ""
    unit: float | None = None

    @property
    def stated(self) -> Status:
        """Whether *measured relation predicted* is true."""
        return self._compare(self.relation, self.predicted)

    @property
    def holds(self) -> bool:
        """Whether *measured relation predicted* is true, beyond the doubt that its standard error leaves."""
        return self.stated == "holds"

    @property
    def status(self) -> Status:
        """Whether the row is what its role says.

        Examples
        --------
        >>> counterexample(11, ">=", 16, truth=11).status, counterexample(12, ">=", 16, truth=11).status
        ('holds', 'fails')
        """
        if self.role != "counterexample":
            return self.stated
        stated, true = self.stated, self._compare(self.truth_relation, self.truth)
        if stated == "fails":
            return true
        return "inconclusive" if stated == "inconclusive" and true != "fails" else "fails"

    @property
    def slack(self) -> float | None:
        """How far an equality may be off, relative to ``unit`` or else the expected value; None for other rows.

        Examples
        --------
        >>> row(1.01, "=", 1.0, kind="estimated", standard_error=0.005, tolerance=0.01).slack
        0.03
        """
        relation, expected = (self.relation, self.predicted)
        if self.role == "counterexample":
            relation, expected = self.truth_relation, self.truth
        if relation != "=" or isinstance(expected, str):
            return None
        error = SIGMAS * (self.standard_error or 0.0)
        if not error and not self.tolerance:
            return 0.0
        size = abs(float(expected)) if self.unit is None else self.unit
        return (error + self.tolerance * abs(float(expected))) / size if size else float("inf")

    def _compare(self, relation: str, expected: Any) -> Status:
        doubt = SIGMAS * (self.standard_error or 0.0)
        slack = doubt + (self.tolerance * abs(float(expected)) if self.tolerance else 0.0)
        if not slack or isinstance(expected, str):
            return "holds" if _RELATIONS[relation](self.measured, expected) else "fails"
        difference = float(self.measured) - float(expected)
        if isnan(difference):
            return "fails"
        if relation in ("=", "!="):
            return "holds" if (abs(difference) <= slack) == (relation == "=") else "fails"
        excess = difference if relation in ("<=", "<") else -difference
        if excess + doubt < 0 or (excess + doubt == 0 and "=" in relation):
            return "holds"
        return "fails" if excess - doubt > 0 else "inconclusive"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        document = {
            "parameters": {name: plain(value) for name, value in self.parameters.items()},
            "predicted": plain(self.predicted),
            "relation": self.relation,
            "measured": plain(self.measured),
            "holds": self.holds,
            "kind": self.kind,
            "role": self.role,
            "status": self.status,
        }
        if self.role == "counterexample":
            document |= {"truth_relation": self.truth_relation, "truth": plain(self.truth)}
        if self.standard_error is not None:
            document["standard_error"] = plain(self.standard_error)
        if self.tolerance:
            document["tolerance"] = plain(self.tolerance)
        if self.slack is not None:
            document["slack"] = plain(self.slack)
        if self.order_of_magnitude:
            document["order_of_magnitude"] = self.order_of_magnitude
        return document


def row(
    measured: Any,
    relation: str,
    predicted: Any,
    *,
    kind: Kind = "exact",
    standard_error: float | None = None,
    tolerance: float = 0.0,
    order_of_magnitude: str = "",
    unit: float | None = None,
    **parameters: Any,
) -> Row:
    """A :class:`Row`, written as it is read: ``row(measured, "<=", predicted, n=4)``.

    Examples
    --------
    >>> row(11, ">=", 16, n0=2, n1=4).holds
    False
    >>> row(19.5, ">", 24.0, kind="estimated", standard_error=1.2).stated
    'inconclusive'
    """
    return _checked(
        Row(
            parameters, predicted, measured, relation, kind, standard_error, tolerance,
            order_of_magnitude=order_of_magnitude, unit=unit,
        )
    )  # fmt: skip


def control(
    measured: Any,
    relation: str,
    predicted: Any,
    *,
    kind: Kind = "exact",
    standard_error: float | None = None,
    tolerance: float = 0.0,
    order_of_magnitude: str = "",
    unit: float | None = None,
    **parameters: Any,
) -> Row:
    """A row that the statement does not predict, and that must hold for the measurement to be trusted.

    Examples
    --------
    >>> control(2, "=", 2, what="regions of one line").role
    'control'
    """
    return _checked(
        Row(
            parameters, predicted, measured, relation, kind, standard_error, tolerance, "control",
            order_of_magnitude=order_of_magnitude, unit=unit,
        )
    )  # fmt: skip


def counterexample(
    measured: Any,
    relation: str,
    refuted: Any,
    *,
    truth: Any,
    truth_relation: str = "=",
    kind: Kind = "exact",
    standard_error: float | None = None,
    tolerance: float = 0.0,
    unit: float | None = None,
    **parameters: Any,
) -> Row:
    """A row that refutes: *measured relation refuted* must fail, clearly, and the measurement must be the truth.

    ``truth`` comes from another path than ``measured``: an error there confirms nothing.

    Examples
    --------
    >>> counterexample(11, ">=", 16, truth=11, n_1=4, n_0=2).status
    'holds'
    """
    return _checked(
        Row(
            parameters, refuted, measured, relation, kind, standard_error, tolerance, "counterexample", truth, truth_relation,
            unit=unit,
        )
    )  # fmt: skip


def _checked(found: Row) -> Row:
    for relation in (found.relation, found.truth_relation):
        if relation not in _RELATIONS:
            raise InvalidInput(f"unknown relation {relation!r}.", hint=f"use one of {', '.join(_RELATIONS)}")
    if (found.standard_error is not None) != (found.kind == "estimated"):
        raise InvalidInput(
            f"a number of kind {found.kind!r} with standard error {found.standard_error}.",
            hint="estimates, and only they, carry one",
        )
    relations = {found.relation} | ({found.truth_relation} if found.role == "counterexample" else set())
    if found.tolerance and not relations & {"=", "!="}:
        raise InvalidInput(
            f"a tolerance of {found.tolerance} on {found.relation!r}.", hint="a bound is a bound: put what is allowed into it"
        )
    return found
