"""Write the catalog of claims as Markdown: an index and one page for each topic.

    python docs/make_claims.py --out docs/claims [--check]

With ``--check`` every claim is run (scale quick) and its page shows the rows and the figure.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from plica.claims import Catalog, Claim, Evidence, catalog
from plica.claims._evidence import show
from plica.claims._mathematics import to_unicode

MAX_ROWS = 12


def topic_title(topic: str) -> str:
    """The first line of the topic's package."""
    return (import_module(f"plica.claims.{topic}").__doc__ or topic).strip().rstrip(".")


def table(header: list[str], rows: list[list[str]]) -> list[str]:
    """A Markdown table; bars inside cells are escaped."""

    def line(cells: list[str]) -> str:
        return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"

    return [line(header), "|" + " --- |" * len(header), *map(line, rows), ""]


def evidence_lines(evidence: Evidence, figure: str) -> list[str]:
    """The rows that were measured, and the figure."""
    names = list(dict.fromkeys(name for r in evidence.rows for name in r.parameters))
    first_failing = [r for r in evidence.rows if not r.holds][:1]
    chosen = list(dict.fromkeys(map(id, [*evidence.rows[:MAX_ROWS], *first_failing])))
    rows = [r for r in evidence.rows if id(r) in chosen]
    cells = []
    for r in rows:
        error = f" ± {r.standard_error:.2g}" if r.standard_error is not None else ""
        shown = [to_unicode(show(r.parameters.get(name, ""))) for name in names]
        cells.append([*shown, show(r.predicted), r.relation, show(r.measured) + error, "yes" if r.holds else "no"])
    lines = table([*map(to_unicode, names), "predicted", "measured is", "measured", "holds"], cells)
    if len(rows) < len(evidence.rows):
        lines += [f"{len(rows)} of {len(evidence.rows)} rows.", ""]
    seed = "" if evidence.seed is None else f", seed {evidence.seed}"
    return [*lines, f"![figure]({figure})", "", f"Verdict: **{evidence.verdict}** ({evidence.kind}{seed})", ""]


def claim_lines(claim: Claim) -> list[str]:
    """One claim as a section."""
    lines = [f"## {to_unicode(claim.title)}", "", f"`plica check {claim.id}` · expected: **{claim.expected}** ({claim.kind})", ""]
    for heading, text in claim.sections().items():
        lines += [f"**{heading}.** {to_unicode(' '.join(text.split()))}", ""]
    if claim.see:
        lines += ["**See.** " + ", ".join(f"`{id}`" for id in claim.see), ""]
    return [*lines, "```bibtex", claim.citation, "```", ""]


def write(claims: Catalog, out: Path, *, run: bool) -> list[Path]:
    """The pages; the files that were written."""
    out.mkdir(parents=True, exist_ok=True)
    written = []
    index = ["# Claims", "", f"{len(claims)} statements, each with a source and a check that anyone can run.", ""]
    for topic in claims.topics:
        chosen = claims.select(topic=topic)
        index += [f"## [{topic_title(topic)}]({topic}.md)", ""]
        index += table(
            ["claim", "expected", "kind", "statement"], [[f"`{c.id}`", c.expected, c.kind, to_unicode(c.title)] for c in chosen]
        )
        page = [f"# {topic_title(topic)}", ""]
        for claim in chosen:
            page += claim_lines(claim)
            if run:
                evidence = claim.check("quick")
                figure = out / f"{claim.id}.svg"
                figure.write_text(evidence.svg(), encoding="utf-8")
                page += evidence_lines(evidence, figure.name)
                written.append(figure)
        path = out / f"{topic}.md"
        path.write_text("\n".join(page), encoding="utf-8")
        written.append(path)
    path = out / "index.md"
    path.write_text("\n".join(index), encoding="utf-8")
    return [*written, path]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "claims")
    parser.add_argument("--check", action="store_true", help="run the claims and show what they measure")
    options = parser.parse_args()
    for path in write(catalog(), options.out, run=options.check):
        print(path)


if __name__ == "__main__":
    main()
