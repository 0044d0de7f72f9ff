"""What a careful reader would object to in evidence, whatever its verdict: the rules of the catalog, in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica.claims._row import MOST_SLACK

if TYPE_CHECKING:
    from plica.claims._evidence import Evidence


def objections(evidence: Evidence) -> list[str]:
    """Sentences that say what is wrong with the rows, apart from what they measure; none if they keep the rules.

    Examples
    --------
    >>> from plica.claims import Evidence, row
    >>> objections(Evidence([row(1.0, "=", 1.2, tolerance=0.2)]))
    ['row 1 accepts 20 % around 1.2; at most 10 %, unless order_of_magnitude="..." says why']
    """
    found = []
    if evidence.scale == "quick":
        for i, r in enumerate(evidence.rows, start=1):
            if r.slack is not None and r.slack > MOST_SLACK * (1 + 1e-9) and not r.order_of_magnitude:
                wide = "any difference" if r.slack == float("inf") else f"{100 * r.slack:.3g} %"
                advice = "give unit=..., what is small" if r.slack == float("inf") else f"at most {100 * MOST_SLACK:g} %"
                found.append(f'row {i} accepts {wide} around {r.predicted}; {advice}, unless order_of_magnitude="..." says why')
    if all(r.role == "control" for r in evidence.rows):
        found.append("every row is a control: nothing of the statement is measured")
    claim = evidence.claim
    if claim is None:
        return found
    if evidence.scale == "quick" and evidence.kind != claim.kind:
        found.append(f"its weakest number is {evidence.kind}, and KIND says {claim.kind}")
    refutes = any(r.role == "counterexample" for r in evidence.rows)
    if refutes != (claim.expected in ("refuted", "not reproduced")):
        wanted = "has counterexamples" if refutes else "has no counterexample(...)"
        found.append(f"it {wanted}, and EXPECTED says {claim.expected}")
    return found
