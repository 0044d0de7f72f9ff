"""What a check returns: the rows it measured, the verdict they give, a figure, the time it took."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite, log10
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, get_args

from plica.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.claims._claim import Claim

Kind = Literal["exact", "certified", "estimated"]
Verdict = Literal["holds", "refuted", "reproduced", "not reproduced"]
Scale = Literal["quick", "full"]

KINDS: tuple[Kind, ...] = get_args(Kind)
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
SCALES: tuple[Scale, ...] = get_args(Scale)

#: An estimate contradicts a number only when it is this many standard errors away.
SIGMAS = 4.0

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
        Of an estimate, statistical or, for computations in floating point, of the rounding. It then contradicts the
        prediction only beyond four standard errors.
    tolerance
        Allowed relative deviation, for numbers that were printed rounded or computed in floating point.
    """

    parameters: dict[str, Any]
    predicted: Any
    measured: Any
    relation: str = "="
    kind: Kind = "exact"
    standard_error: float | None = None
    tolerance: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether the measurement agrees with the prediction."""
        slack = SIGMAS * (self.standard_error or 0.0)
        if self.tolerance:
            slack += self.tolerance * abs(float(self.predicted))
        if not slack:
            return bool(_RELATIONS[self.relation](self.measured, self.predicted))
        difference = float(self.measured) - float(self.predicted)
        inside = {"=": abs(difference) <= slack, "!=": abs(difference) > slack}
        below, above = difference <= slack, difference >= -slack
        return bool((inside | {"<=": below, "<": below, ">=": above, ">": above})[self.relation])

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        document = {
            "parameters": {name: plain(value) for name, value in self.parameters.items()},
            "predicted": plain(self.predicted),
            "relation": self.relation,
            "measured": plain(self.measured),
            "holds": self.holds,
            "kind": self.kind,
        }
        if self.standard_error is not None:
            document["standard_error"] = plain(self.standard_error)
        if self.tolerance:
            document["tolerance"] = plain(self.tolerance)
        return document


def row(
    measured: Any,
    relation: str,
    predicted: Any,
    *,
    kind: Kind = "exact",
    standard_error: float | None = None,
    tolerance: float = 0.0,
    **parameters: Any,
) -> Row:
    """A :class:`Row`, written as it is read: ``row(measured, "<=", predicted, n=4)``.

    Examples
    --------
    >>> row(11, ">=", 16, n0=2, n1=4).holds
    False
    """
    if relation not in _RELATIONS:
        raise InvalidInput(f"unknown relation {relation!r}.", hint=f"use one of {', '.join(_RELATIONS)}")
    if (standard_error is not None) != (kind == "estimated"):
        raise InvalidInput(
            f"a number of kind {kind!r} with standard error {standard_error}.", hint="estimates, and only they, carry one"
        )
    return Row(parameters, predicted, measured, relation, kind, standard_error, tolerance)


@dataclass(frozen=True, repr=False)
class Evidence:
    """The result of a check.

    A claim's function returns ``Evidence(rows, draw=..., seed=...)``; :meth:`plica.claims.Claim.check` adds the rest.

    Parameters
    ----------
    rows
        The measurements. The verdict follows from them: all of them hold, or not.
    draw
        ``draw(ax)`` draws the figure on matplotlib axes; without it, prediction against measurement.
    seed
        Of everything random; None where nothing is.
    reproduction
        The claim is an experiment: the verdict is *reproduced* or *not reproduced* instead of *holds* or *refuted*.
    note
        One sentence for the reader.
    """

    rows: Sequence[Row]
    draw: Callable[[Axes], None] | None = None
    seed: int | None = None
    reproduction: bool = False
    note: str = ""
    claim: Claim | None = None
    scale: Scale = "quick"
    seconds: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(self.rows))
        if not self.rows:
            raise InvalidInput("evidence without rows says nothing.")

    def attach(self, *, claim: Claim, scale: Scale, seconds: float) -> Evidence:
        """The same evidence, with what it is evidence for."""
        return replace(self, claim=claim, scale=scale, seconds=seconds)

    @property
    def verdict(self) -> Verdict:
        good = all(r.holds for r in self.rows)
        if self.reproduction:
            return "reproduced" if good else "not reproduced"
        return "holds" if good else "refuted"

    @property
    def expected(self) -> Verdict | None:
        """The verdict the claim expects."""
        return None if self.claim is None else self.claim.expected

    @property
    def as_expected(self) -> bool:
        return self.expected is None or self.verdict == self.expected

    @property
    def kind(self) -> Kind:
        """The weakest kind among the measured numbers."""
        return max((r.kind for r in self.rows), key=KINDS.index)

    @property
    def counterexample(self) -> Row | None:
        """The first row that does not hold; checks list the smallest cases first."""
        return next((r for r in self.rows if not r.holds), None)

    def __repr__(self) -> str:
        name = self.claim.id if self.claim else "of no claim"
        surprise = "" if self.as_expected else f" (expected {self.expected})"
        return f"<Evidence {name}: {self.verdict}{surprise}, {len(self.rows)} rows, {self.kind}, {self.seconds:.1f} s>"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        document: dict[str, Any] = {}
        if self.claim is not None:
            document = {"id": self.claim.id, "topic": self.claim.topic}
        document |= {
            "verdict": self.verdict,
            "expected": self.expected,
            "kind": self.kind,
            "scale": self.scale,
            "seed": self.seed,
            "rows": [r.to_dict() for r in self.rows],
            "seconds": round(self.seconds, 3),
        }
        return document | ({"note": self.note} if self.note else {})

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the figure on the given axes, or on new ones."""
        from plica.claims._figure import draw

        return draw(self, ax)

    def svg(self) -> str:
        """The figure as an SVG element that can stand in a page next to others."""
        from plica.claims._figure import svg

        return svg(self)

    def _repr_html_(self) -> str:
        from plica.claims._notebook import evidence_html

        return evidence_html(self)


def plain(value: Any) -> Any:
    """A value as JSON has it: numbers as numbers, fractions, infinities and huge integers as text."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Integral):
        return int(value) if abs(int(value)) < 10**300 else show(value)
    if isinstance(value, Fraction) and value.denominator < 10**9:
        return str(value)
    if isinstance(value, Real):
        return float(value) if isfinite(float(value)) else str(float(value))
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return str(value)


def show(value: Any) -> str:
    """A value for people.

    Examples
    --------
    >>> show(65536), show(2**200), show(0.123456789), show((2, 4, 1))
    ('65,536', '1.60e60', '0.123457', '2-4-1')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Integral):
        number = int(value)
        if abs(number) < 10**15:
            return f"{number:,}" if abs(number) >= 10**4 else str(number)
        exponent = int((abs(number).bit_length() - 1) * log10(2))
        exponent += abs(number) >= 10 ** (exponent + 1)
        return f"{number // 10 ** (exponent - 2) / 100:.2f}e{exponent}"
    if isinstance(value, Fraction) and value.denominator < 10**4:
        return str(value)
    if isinstance(value, Real):
        return f"{float(value):.6g}"
    if isinstance(value, (list, tuple)):
        return "-".join(show(v) for v in value)
    return str(value)
