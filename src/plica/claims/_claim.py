"""A claim: a statement with its source, what it predicts, how it is measured, and the check."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass
from importlib import import_module
from time import perf_counter
from typing import TYPE_CHECKING, Any

from plica.claims._evidence import KINDS, SCALES, VERDICTS, Evidence, Kind, Scale, Verdict
from plica.errors import InvalidInput, PlicaError

if TYPE_CHECKING:
    from collections.abc import Mapping

HEADINGS = ("Claim", "Source", "Prediction", "Measurement")
OPTIONAL_HEADINGS = ("Remark",)
_HEADING = re.compile(r"^(\w+)$", re.MULTILINE)


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
    expected, kind
        The verdict that is expected, and what kind of numbers the measurement gives.
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
    remark: str
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
            raise PlicaError(f"check of claim {self.id!r} returned {type(evidence).__name__}, not Evidence.")
        return evidence.attach(claim=self, scale=scale, seconds=seconds)

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
        texts = (self.statement, self.source, self.prediction, self.measurement, self.remark)
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
            "remark": self.remark,
            "expected": self.expected,
            "kind": self.kind,
            "see": list(self.see),
        }

    def _repr_html_(self) -> str:
        from plica.claims._notebook import claim_html

        return claim_html(self)


def parse_claim(source: str, module: str) -> Claim:
    """The claim that a module's source text describes; the module is not imported."""
    tree = ast.parse(source)
    title, sections = _parse_docstring(ast.get_docstring(tree, clean=True) or "", module)
    constants = _literals(tree)
    *_, topic, name = module.split(".")
    expected, kind = constants.get("EXPECTED"), constants.get("KIND")
    if expected not in VERDICTS:
        raise PlicaError(f"claim {module} needs a constant EXPECTED.", hint=f"one of {', '.join(VERDICTS)}")
    if kind not in KINDS:
        raise PlicaError(f"claim {module} needs a constant KIND.", hint=f"one of {', '.join(KINDS)}")
    return Claim(
        id=name.replace("_", "-"),
        topic=topic,
        title=title,
        statement=sections["Claim"],
        source=sections["Source"],
        prediction=sections["Prediction"],
        measurement=sections["Measurement"],
        remark=sections.get("Remark", ""),
        expected=expected,
        kind=kind,
        see=tuple(constants.get("SEE", ())),
        module=module,
    )


def _parse_docstring(text: str, module: str) -> tuple[str, dict[str, str]]:
    """Title and sections: a heading is a word alone on a line, its text is indented below it."""
    title, _, body = text.partition("\n")
    parts = _HEADING.split(body)
    sections = {name: inspect.cleandoc(content) for name, content in zip(parts[1::2], parts[2::2], strict=True)}
    missing = [h for h in HEADINGS if not sections.get(h)]
    unknown = [h for h in sections if h not in (*HEADINGS, *OPTIONAL_HEADINGS)]
    if not title or missing or unknown:
        raise PlicaError(
            f"the docstring of claim {module} lacks {missing or 'a title'}"
            + (f" and has unknown headings {unknown}." if unknown else "."),
            hint=f"a title, then the headings {', '.join(HEADINGS)} and, if needed, {', '.join(OPTIONAL_HEADINGS)}",
        )
    return title.strip(), sections


def _literals(tree: ast.Module) -> dict[str, Any]:
    """Constants in capitals that are plain literals."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name in ("EXPECTED", "KIND", "SEE"):
                found[name] = ast.literal_eval(node.value)
    return found
