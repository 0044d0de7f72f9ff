"""What became of running a claim: evidence, or the error that ended it."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from plica.claims._claim import Claim
from plica.claims._evidence import Evidence, Scale, Verdict
from plica.claims._values import show
from plica.errors import PlicaError


@dataclass(frozen=True)
class Outcome:
    """A claim that was run. Without ``evidence`` its check failed to finish, and ``error`` says why."""

    claim: Claim
    evidence: Evidence | None
    seconds: float
    error: str = ""
    scale: Scale = "quick"

    @property
    def verdict(self) -> str:
        return self.evidence.verdict if self.evidence else "error"

    @property
    def kind(self) -> str:
        return self.evidence.kind if self.evidence else self.claim.kind

    @property
    def expected(self) -> Verdict:
        """The verdict the claim expects at this scale."""
        return self.claim.expected_at(self.scale)

    @property
    def as_expected(self) -> bool:
        return self.verdict == self.expected

    def summary(self) -> str:
        """The counterexample in one line, or the error, or how many rows agree."""
        if self.evidence is None:
            return self.error
        r = self.evidence.counterexample
        if r is None:
            n = len(self.evidence.rows)
            return (
                f"all {n} rows agree"
                if n > 1
                else f"predicted {show(self.evidence.rows[0].predicted)}, measured {show(self.evidence.rows[0].measured)}"
            )
        where = ", ".join(
            f"{name}: {show(value)}" if isinstance(value, str) else f"{name} = {show(value)}"
            for name, value in r.parameters.items()
        )
        wrong = "" if r.status == "holds" or r.role == "prediction" else f" ({r.role})"
        relation = "" if r.relation == "=" else f"{r.relation} "
        return f"{where}; predicted {relation}{show(r.predicted)}, measured {show(r.measured)}{wrong}"

    def _repr_html_(self) -> str:
        from plica._show import facts_html
        from plica.claims._notebook import evidence_html

        return facts_html(self.claim, self.to_dict()) if self.evidence is None else evidence_html(self.evidence)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, with the same keys whether or not the check finished."""
        if self.evidence is not None:
            return self.evidence.to_dict()
        return {
            "id": self.claim.id,
            "topic": self.claim.topic,
            "verdict": self.verdict,
            "expected": self.expected,
            "kind": self.kind,
            "rows": [],
            "seconds": round(self.seconds, 3),
            "error": self.error,
        }


def outcome_of(claim: Claim, scale: Scale, *, strict: bool = False) -> Outcome:
    """Run a claim; one that fails is reported and stops nothing, unless ``strict``."""
    start = perf_counter()
    try:
        evidence = claim.check(scale)
    except Exception as error:
        if strict:
            raise
        message = error.message if isinstance(error, PlicaError) else f"{type(error).__name__}: {error}{_where(error, claim)}"
        return Outcome(claim, None, perf_counter() - start, message, scale)
    return Outcome(claim, evidence, evidence.seconds, scale=scale)


def _where(error: Exception, claim: Claim) -> str:
    """The line of the claim's own file in which an error arose, if it was there."""
    name = f"{claim.module.rpartition('.')[2]}.py"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(f"/{name}")]
    return f" ({name}, line {lines[-1]}; --debug shows more)" if lines else ""
