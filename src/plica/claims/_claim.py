"""A claim: a statement with its source, what it predicts, how it is measured, and the check."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, get_args

from plica.claims._evidence import SCALES, Evidence, Scale, Verdict
from plica.claims._row import Kind
from plica.errors import InvalidInput, PlicaError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plica.claims._record import Record

HEADINGS = ("Claim", "Source", "Prediction", "Measurement")
OPTIONAL_HEADINGS = ("Stand-in", "Remark")

StatementKind = Literal["theorem", "published result", "misprint (text)", "misprint (picture)", "misprint (reading)", "question"]
STATEMENT_KINDS: tuple[StatementKind, ...] = get_args(StatementKind)

#: What a statement of each kind may come to. A misprint is false as printed, or it is none.
EXPECTATIONS: dict[StatementKind, tuple[Verdict, ...]] = {
    "theorem": ("holds", "refuted"),
    "published result": ("reproduced", "not reproduced"),
    "misprint (text)": ("refuted",),
    "misprint (picture)": ("refuted",),
    "misprint (reading)": ("refuted",),
    "question": ("answered",),
}


@dataclass(frozen=True)
class Claim:
    """A statement about networks that can be checked.

    Read from the docstring and constants of its module, without importing it.

    Attributes
    ----------
    id, topic
        The names of its file and folder.
    title, statement, source, prediction, measurement, remark
        The first line and the headings of its docstring, in plain text with light mathematics (``2^n``, ``n_0``, ``<=``).
    stand_in
        What quick measures instead, where it cannot measure the statement: a smaller statement of its own. Empty where it can.
    statement_kind
        Who says it, and how: a *theorem* (proved, or a definition worked out), a *published result* (an experiment), a *misprint*
        (as printed in text, as read from a picture, or our reading of a loose sentence), or a *question* that nobody answered.
    expected, kind
        The verdict that is expected of the statement, and what kind of numbers the measurement gives.
    see
        Identifiers of related claims: a false printed form and its correction name each other.
    module
        Where its ``check`` lives.
    """

    id: str
    topic: str
    title: str
    statement: str
    source: str
    prediction: str
    measurement: str
    stand_in: str
    remark: str
    statement_kind: StatementKind
    expected: Verdict
    kind: Kind
    see: tuple[str, ...]
    module: str

    def check(self, scale: Scale = "quick") -> Evidence:
        """Run the check: ``quick`` takes seconds, ``full`` is the published setting or larger."""
        if scale not in SCALES:
            raise InvalidInput(f"unknown scale {scale!r}.", hint=f"use one of {', '.join(SCALES)}")
        function = import_module(self.module).check
        start = perf_counter()
        evidence = function(scale)
        seconds = perf_counter() - start
        if not isinstance(evidence, Evidence):
            raise PlicaError(
                f"check of claim {self.id!r} returned {type(evidence).__name__}, not Evidence.", hint="return Evidence(rows)"
            )
        return evidence.attach(claim=self, scale=scale, seconds=seconds)

    def expected_at(self, scale: Scale) -> Verdict:
        """The verdict that is expected of a check: of the statement, or of its stand-in.

        Examples
        --------
        >>> import plica
        >>> claim = plica.catalog()["lenet-5"]
        >>> claim.expected_at("quick"), claim.expected_at("full")
        ('stand-in agrees', 'reproduced')
        """
        return "stand-in agrees" if self.stand_in and scale == "quick" else self.expected

    @property
    def record(self) -> Record | None:
        """What is kept of its check at full scale, if anything; ``record.is_stale(claim)`` when the code changed since."""
        from plica.claims._record import find_record

        return find_record(self.id)

    @property
    def citation(self) -> str:
        """The BibTeX entries of the source."""
        from plica.claims._bibliography import cite

        return cite(self)

    def __repr__(self) -> str:
        return f"<Claim {self.id} ({self.topic}): {self.title} Expected: {self.expected}.>"

    def __str__(self) -> str:
        from plica.claims._mathematics import to_unicode

        parts = [f"{to_unicode(self.title)}  [{self.id}]"]
        for heading, text in self.sections().items():
            body = "\n".join(f"    {line}" for line in to_unicode(text).splitlines())
            parts.append(f"{heading}\n{body}")
        return "\n".join(parts)

    def sections(self) -> Mapping[str, str]:
        """The headings with their text, as in the docstring."""
        texts = (self.statement, self.source, self.prediction, self.measurement, self.stand_in, self.remark)
        return {heading: text for heading, text in zip((*HEADINGS, *OPTIONAL_HEADINGS), texts, strict=True) if text}

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "id": self.id,
            "topic": self.topic,
            "title": self.title,
            "statement": self.statement,
            "source": self.source,
            "prediction": self.prediction,
            "measurement": self.measurement,
            "stand_in": self.stand_in,
            "remark": self.remark,
            "statement_kind": self.statement_kind,
            "expected": self.expected,
            "kind": self.kind,
            "see": list(self.see),
        }

    def _repr_html_(self) -> str:
        from plica.claims._notebook import claim_html

        return claim_html(self)
