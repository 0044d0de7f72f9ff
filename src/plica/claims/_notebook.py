"""How claims, evidence and the catalog look in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from plica.claims._evidence import show
from plica.claims._mathematics import to_html

if TYPE_CHECKING:
    from plica.claims._claim import Claim
    from plica.claims._evidence import Evidence
    from plica.claims._registry import Catalog

MAX_ROWS = 24


def rows_table(evidence: Evidence, *, limit: int | None = MAX_ROWS) -> str:
    """The rows as an HTML table; a long table shows the first rows and every row that does not hold."""
    rows = list(evidence.rows)
    names = list(dict.fromkeys(name for r in rows for name in r.parameters))
    kept = [i for i, r in enumerate(rows) if limit is None or i < limit or not r.holds][: None if limit is None else 2 * limit]
    head = "".join(f"<th>{to_html(name.replace('_', ' '))}</th>" for name in names)
    lines = [f"<thead><tr>{head}<th>predicted</th><th></th><th>measured</th><th>holds</th></tr></thead>"]
    for i in kept:
        r = rows[i]
        cells = "".join(f"<td>{escape(show(r.parameters.get(name, '')))}</td>" for name in names)
        error = f" ± {r.standard_error:.2g}" if r.standard_error is not None else ""
        relation = {"<=": "≥", ">=": "≤", "<": "&gt;", ">": "&lt;", "!=": "≠"}.get(r.relation, r.relation)
        values = f"<td>{to_html(show(r.predicted))}</td><td>{relation}</td><td>{to_html(show(r.measured))}{error}</td>"
        lines.append(f'<tr class="{"yes" if r.holds else "no"}">{cells}{values}<td>{"yes" if r.holds else "no"}</td></tr>')
    if len(kept) < len(rows):
        lines.append(f'<tr><td colspan="{len(names) + 4}">and {len(rows) - len(kept)} more rows</td></tr>')
    return f"<table>{''.join(lines)}</table>"


def evidence_html(evidence: Evidence) -> str:
    claim = evidence.claim
    title = f"<b>{to_html(claim.title)}</b> <code>{escape(claim.id)}</code><p>{to_html(claim.statement)}</p>" if claim else ""
    surprise = "" if evidence.as_expected else f", expected <b>{evidence.expected}</b>"
    seed = "" if evidence.seed is None else f", seed {evidence.seed}"
    facts = f"<p>Verdict: <b>{evidence.verdict}</b>{surprise} · {evidence.kind}{seed} · {evidence.seconds:.1f} s</p>"
    note = f"<p>{to_html(evidence.note)}</p>" if evidence.note else ""
    return f"<div>{title}{facts}{rows_table(evidence)}{evidence.svg()}{note}</div>"


def claim_html(claim: Claim) -> str:
    parts = [f"<b>{to_html(claim.title)}</b> <code>{escape(claim.id)}</code>"]
    parts += [f"<dt>{escape(name)}</dt><dd>{to_html(text)}</dd>" for name, text in claim.sections().items()]
    parts.append(f"<dt>Expected</dt><dd>{escape(claim.expected)} ({escape(claim.kind)})</dd>")
    return f"<dl>{''.join(parts)}</dl>"


def catalog_html(catalog: Catalog) -> str:
    head = "<tr><th>id</th><th>topic</th><th>claim</th><th>expected</th><th>kind</th></tr>"
    rows = (
        f"<tr><td><code>{escape(c.id)}</code></td><td>{escape(c.topic)}</td><td>{to_html(c.title)}</td>"
        f"<td>{escape(c.expected)}</td><td>{escape(c.kind)}</td></tr>"
        for c in catalog
    )
    return f"<table>{head}{''.join(rows)}</table>"
