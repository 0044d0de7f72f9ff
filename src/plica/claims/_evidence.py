"""What a check returns: the rows it measured, the verdict they give, a figure, the time it took."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from plica.claims._row import KINDS, Kind, Row, Status
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.claims._claim import Claim

Verdict = Literal[
    "holds",
    "refuted",
    "reproduced",
    "not reproduced",
    "answered",
    "stand-in agrees",
    "stand-in disagrees",
    "inconclusive",
    "fails",
]
Scale = Literal["quick", "full"]

SCALES: tuple[Scale, ...] = get_args(Scale)


@dataclass(frozen=True, repr=False)
class Evidence:
    """The result of a check.

    A claim's function returns ``Evidence(rows, draw=..., seed=...)``; :meth:`plica.claims.Claim.check` adds the rest.

    Parameters
    ----------
    rows
        The measurements. The verdict follows from them, their roles and the kind of statement.
    draw
        ``draw(ax)`` draws the figure on matplotlib axes; without it, prediction against measurement.
    seed
        Of everything random; None where nothing is.
    note
        One sentence for the reader.
    """

    rows: Sequence[Row]
    draw: Callable[[Axes], None] | None = None
    seed: int | None = None
    note: str = ""
    claim: Claim | None = None
    scale: Scale = "quick"
    seconds: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(self.rows))
        if not self.rows:
            raise InvalidInput("evidence without rows says nothing.", hint="Evidence([row(measured, '=', predicted), ...])")
        for r in self.rows:
            if not isinstance(r, Row):
                raise InvalidInput(
                    f"a row of evidence is a {type(r).__name__}.", hint="make rows with row(measured, '=', predicted)"
                )

    def attach(self, *, claim: Claim, scale: Scale, seconds: float) -> Evidence:
        """The same evidence, with what it is evidence for."""
        return replace(self, claim=claim, scale=scale, seconds=seconds)

    @property
    def verdict(self) -> Verdict:
        """What the rows say about what was measured.

        *fails* when a row is not what its role says: a prediction or control that is false, or a counterexample that does not
        fail, or fails by another amount. *inconclusive* when an estimate is too close to its bound. Otherwise the statement is
        *refuted* (an experiment *not reproduced*) if it has counterexamples, and else *holds*, is *reproduced*, or *answered*.
        Where quick measures a stand-in, only that *agrees* or *disagrees*.
        """
        found = self.status
        claim = self.claim
        if claim is not None and claim.stand_in and self.scale == "quick":
            return {"holds": "stand-in agrees", "fails": "stand-in disagrees", "inconclusive": "inconclusive"}[found]  # type: ignore[return-value]
        if found != "holds":
            return found
        experiment = claim is not None and claim.statement_kind == "published result"
        if any(r.role == "counterexample" for r in self.rows):
            return "not reproduced" if experiment else "refuted"
        if claim is not None and claim.statement_kind == "question":
            return "answered"
        return "reproduced" if experiment else "holds"

    @property
    def status(self) -> Status:
        """Whether every row is what its role says."""
        found = {r.status for r in self.rows}
        return "fails" if "fails" in found else "inconclusive" if "inconclusive" in found else "holds"

    @property
    def expected(self) -> Verdict | None:
        """The verdict the claim expects at this scale."""
        return None if self.claim is None else self.claim.expected_at(self.scale)

    @property
    def as_expected(self) -> bool:
        return self.expected is None or self.verdict == self.expected

    @property
    def kind(self) -> Kind:
        """The weakest kind among the measured numbers."""
        return max((r.kind for r in self.rows), key=KINDS.index)

    @property
    def counterexample(self) -> Row | None:
        """The first row that is not what its role says, else the first counterexample; checks list the smallest cases first."""
        wrong = (r for r in self.rows if r.status != "holds")
        return next(wrong, next((r for r in self.rows if r.role == "counterexample"), None))

    @property
    def objections(self) -> list[str]:
        """What is against the rules of the catalog: too much slack, another kind than declared, no counterexample."""
        from plica.claims._review import objections

        return objections(self)

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
        told = self.objections
        return document | ({"note": self.note} if self.note else {}) | ({"objections": told} if told else {})

    @property
    def has_figure(self) -> bool:
        """Whether there is something to draw: a figure of its own, or numbers."""
        from plica.claims._figure import numbers_of

        return self.draw is not None or bool(numbers_of(self))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the figure on the given axes, or on new ones."""
        from plica.claims._figure import draw

        return draw(self, ax)

    @property
    def caption(self) -> str:
        """What the figure shows, in the words of the function that draws it."""
        from plica.claims._figure import caption

        return caption(self.draw)

    def svg(self) -> str:
        """The figure as an SVG element that can stand in a page next to others."""
        from plica.claims._figure import svg

        return svg(self)

    def _repr_html_(self) -> str:
        from plica.claims._notebook import evidence_html

        return evidence_html(self)
