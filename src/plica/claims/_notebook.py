"""How claims, evidence and the catalog look in a notebook."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from plica.claims._mathematics import to_html
from plica.claims._row import Row
from plica.claims._values import show

if TYPE_CHECKING:
    from plica.claims._claim import Claim
    from plica.claims._evidence import Evidence
    from plica.claims._record import Record
    from plica.claims._registry import Catalog

MAX_ROWS = 24
_INDEXED = re.compile(r"(?:[A-Za-z]|sigma|alpha|beta|gamma|lambda|eta|rho)_\w{1,3}(?:\^\w)?")


def rows_table(found: Evidence | Record, *, limit: int | None = MAX_ROWS) -> str:
    """The rows of evidence or of a record as an HTML table.

    A long table shows the first rows and every row that is not what its role says.
    """
    rows: list[Mapping[str, Any]] = [r.to_dict() if isinstance(r, Row) else r for r in found.rows]
    names = list(dict.fromkeys(name for r in rows for name in r["parameters"]))
    kept = [i for i, r in enumerate(rows) if limit is None or i < limit or r["status"] != "holds"]
    kept = kept[: None if limit is None else 2 * limit]
    has_slack = any(r.get("slack") for r in rows)
    head = "".join(
        f"<th>{_heading(name)}</th>" for name in (*names, "predicted", "", "measured", *["slack"] * has_slack, "holds")
    )
    lines = [f"<thead><tr>{head}</tr></thead>"]
    for i in kept:
        r = rows[i]
        cells = "".join(f"<td>{to_html(show(r['parameters'].get(name, '')))}</td>" for name in names)
        error = f" ± {r['standard_error']:.2g}" if "standard_error" in r else ""
        relation = {"<=": "≥", ">=": "≤", "<": "&gt;", ">": "&lt;", "!=": "≠"}.get(r["relation"], r["relation"])
        values = f"<td>{to_html(show(r['predicted']))}</td><td>{relation}</td><td>{to_html(show(r['measured']))}{error}</td>"
        values += f"<td>{_slack(r)}</td>" if has_slack else ""
        lines.append(f'<tr class="{_style(r)}">{cells}{values}<td>{_mark(r)}</td></tr>')
    if len(kept) < len(rows):
        lines.append(f'<tr><td colspan="{len(names) + 4 + has_slack}">and {len(rows) - len(kept)} more rows</td></tr>')
    return f"<table>{''.join(lines)}</table>"


def _heading(name: str) -> str:
    """The name of a column: a letter with an index is a formula, other names are words."""
    return to_html(name if _INDEXED.fullmatch(name) else name.replace("_", " "))


def _slack(r: Mapping[str, Any]) -> str:
    """How far an equality may be off."""
    if not r.get("slack"):
        return ""
    width = "any" if isinstance(r["slack"], str) else f"{100 * r['slack']:.2g} %"
    if r.get("tolerance") and "standard_error" in r:
        width += f" (tolerance {100 * r['tolerance']:.2g} %)"
    reason = r.get("order_of_magnitude")
    return f'<span title="{escape(reason)}">{width}, order of magnitude</span>' if reason else width


def _mark(r: Mapping[str, Any]) -> str:
    """Whether the relation is true; of a counterexample, what is true instead."""
    found = "yes" if r["holds"] else "no"
    if r["status"] == "inconclusive":
        return "inconclusive"
    if r["role"] == "counterexample":
        relation = "" if r["truth_relation"] == "=" else r["truth_relation"] + " "
        wrong = "" if r["status"] == "holds" else "not "
        return f"{found}: {wrong}{escape(relation)}{to_html(show(r['truth']))}"
    return found if r["role"] == "prediction" else f"{found} (control)"


def _style(r: Mapping[str, Any]) -> str:
    return "no" if r["role"] == "counterexample" or r["status"] != "holds" else "yes"


def evidence_html(evidence: Evidence) -> str:
    claim = evidence.claim
    title = f"<b>{to_html(claim.title)}</b> <code>{escape(claim.id)}</code><p>{to_html(claim.statement)}</p>" if claim else ""
    surprise = "" if evidence.as_expected else f", expected <b>{evidence.expected}</b>"
    seed = "" if evidence.seed is None else f", seed {evidence.seed}"
    how = f"{evidence.kind}{seed} · {evidence.scale}, {evidence.seconds:.1f} s"
    facts = f"<p>Verdict: <b>{evidence.verdict}</b>{surprise} · {how}</p>"
    note = f"<p>{to_html(evidence.note)}</p>" if evidence.note else ""
    return f"<div>{title}{facts}{rows_table(evidence)}{evidence.svg()}{note}</div>"


def claim_html(claim: Claim) -> str:
    parts = [f"<b>{to_html(claim.title)}</b> <code>{escape(claim.id)}</code>"]
    parts += [f"<dt>{escape(name)}</dt><dd>{to_html(text)}</dd>" for name, text in claim.sections().items()]
    parts.append(f"<dt>Expected</dt><dd>{escape(claim.expected)} ({escape(claim.statement_kind)}, {escape(claim.kind)})</dd>")
    return f"<dl>{''.join(parts)}</dl>"


def catalog_html(catalog: Catalog) -> str:
    head = "<tr><th>id</th><th>topic</th><th>claim</th><th>statement</th><th>expected</th><th>kind</th></tr>"
    rows = (
        f"<tr><td><code>{escape(c.id)}</code></td><td>{escape(c.topic)}</td><td>{to_html(c.title)}</td>"
        f"<td>{escape(c.statement_kind)}</td><td>{escape(c.expected)}</td><td>{escape(c.kind)}</td></tr>"
        for c in catalog
    )
    return f"<table>{head}{''.join(rows)}</table>"
