"""The page of a claim: its source text is read, not run; what is missing is an error that says where and what to do."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import Any

from plica.claims._bibliography import bibliography, keys
from plica.claims._claim import EXPECTATIONS, HEADINGS, OPTIONAL_HEADINGS, STATEMENT_KINDS, Claim
from plica.claims._folders import UnfinishedClaim
from plica.claims._row import KINDS

#: What ``plica claims new`` leaves where words are wanted.
FILL_IN = "FILL IN"
_HEADING = re.compile(r"^([\w-]+)$", re.MULTILINE)
_CONSTANTS = ("STATEMENT", "EXPECTED", "KIND", "SEE")


def read_claim(path: Path, module: str) -> Claim:
    """The claim of a file; the module is not imported."""
    return parse_claim(path.read_text(encoding="utf-8"), module)


def parse_claim(source: str, module: str) -> Claim:
    """The claim that a module's source text describes."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise UnfinishedClaim(f"claim {module}, line {error.lineno}: {error.msg}.", hint="it must be valid Python") from error
    _refuse_gaps(source, module)
    title, sections = _parse_docstring(ast.get_docstring(tree, clean=True) or "", module)
    constants = _literals(tree, module)
    *_, topic, name = module.split(".")
    expected, kind, statement_kind = (constants.get(name) for name in ("EXPECTED", "KIND", "STATEMENT"))
    if statement_kind not in STATEMENT_KINDS:
        raise UnfinishedClaim(f"claim {module} needs a constant STATEMENT.", hint=f"one of {', '.join(STATEMENT_KINDS)}")
    if expected not in EXPECTATIONS[statement_kind]:
        raise UnfinishedClaim(
            f"claim {module} needs a constant EXPECTED.",
            hint=f"of a {statement_kind}: {' or '.join(EXPECTATIONS[statement_kind])}",
        )
    if kind not in KINDS:
        raise UnfinishedClaim(f"claim {module} needs a constant KIND.", hint=f"one of {', '.join(KINDS)}")
    _refuse_without_check(tree, module)
    _refuse_unknown_source(sections, module)
    return Claim(
        id=name.replace("_", "-"),
        topic=topic,
        title=title,
        statement=sections["Claim"],
        source=sections["Source"],
        prediction=sections["Prediction"],
        measurement=sections["Measurement"],
        stand_in=sections.get("Stand-in", ""),
        remark=sections.get("Remark", ""),
        statement_kind=statement_kind,
        expected=expected,
        kind=kind,
        see=tuple(constants.get("SEE", ())),
        module=module,
    )


def _refuse_gaps(source: str, module: str) -> None:
    gaps = [str(i) for i, line in enumerate(source.splitlines(), start=1) if FILL_IN in line]
    if gaps:
        raise UnfinishedClaim(
            f"claim {module} is not finished: lines {', '.join(gaps)} say {FILL_IN}.",
            hint="fill them in, or move the file out of the catalog; CONTRIBUTING.md has a worked example",
        )


def _parse_docstring(text: str, module: str) -> tuple[str, dict[str, str]]:
    """Title and sections: a heading is a word alone on a line, its text is indented below it."""
    title, _, body = text.partition("\n")
    parts = _HEADING.split(body)
    sections = {name: inspect.cleandoc(content) for name, content in zip(parts[1::2], parts[2::2], strict=True)}
    missing = [h for h in HEADINGS if not sections.get(h)]
    unknown = [h for h in sections if h not in (*HEADINGS, *OPTIONAL_HEADINGS)]
    if not title or missing or unknown:
        lacks = f"lacks {', '.join(missing) or 'a title'}" if missing or not title else ""
        knows = f"has the unknown headings {', '.join(unknown)}" if unknown else ""
        raise UnfinishedClaim(
            f"the docstring of claim {module} {' and '.join(filter(None, (lacks, knows)))}.",
            hint=f"a title, then the headings {', '.join(HEADINGS)} and, if needed, {', '.join(OPTIONAL_HEADINGS)}, "
            "each alone on its line with its text indented below",
        )
    return title.strip(), sections


def _literals(tree: ast.Module, module: str) -> dict[str, Any]:
    """The constants that describe a claim; they are literals, because they are read and not run."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name in _CONSTANTS:
                try:
                    found[name] = ast.literal_eval(node.value)
                except ValueError:
                    raise UnfinishedClaim(
                        f"claim {module}, line {node.lineno}: {name} is computed.", hint="write the text itself"
                    ) from None
    return found


def _refuse_without_check(tree: ast.Module, module: str) -> None:
    check = next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "check"), None)
    if check is None:
        raise UnfinishedClaim(
            f"claim {module} has no function check.", hint='def check(scale: str) -> Evidence, where scale is "quick" or "full"'
        )
    arguments = check.args
    required = len(arguments.posonlyargs + arguments.args) - len(arguments.defaults)
    if required != 1 or any(default is None for default in arguments.kw_defaults):
        raise UnfinishedClaim(
            f"claim {module}, line {check.lineno}: check takes {required} arguments, and is called with one.",
            hint='def check(scale: str) -> Evidence, where scale is "quick" or "full"',
        )


def _refuse_unknown_source(sections: dict[str, str], module: str) -> None:
    cited = keys(sections["Source"])
    if not cited:
        raise UnfinishedClaim(
            f"claim {module} cites no source.", hint="end the text of Source with a key of references.bib: [zaslavsky1975]"
        )
    for key in keys(f"{sections['Source']} {sections.get('Remark', '')}"):
        entry = bibliography().get(key)
        if entry is None:
            raise UnfinishedClaim(
                f"claim {module} cites [{key}], which references.bib lacks.", hint=f"add its entry: @article{{{key}, ...}}"
            )
        if FILL_IN in entry:
            raise UnfinishedClaim(
                f"claim {module} cites [{key}], whose entry in references.bib says {FILL_IN}.", hint="fill in the entry"
            )
