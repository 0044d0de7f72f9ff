"""The table of errors: tried, noticed by claims, by tests only, by nobody, by no claim so far; and what every claim noticed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from equivalent import NO_SUBJECT, reason_for
from mutants import PACKAGES, mutant_of


def summary(found: list[dict[str, Any]], power: Mapping[str, str], without: Sequence[str]) -> dict[str, Any]:
    """Plain numbers and lists for the page of the documentation."""
    rows, survivors, equivalent = [], [], []
    for package in PACKAGES:
        count: Counter[str] = Counter()
        for entry in (e for e in found if e["module"].split(".")[1] == package):
            why = reason_for(mutant_of(entry))
            kind = "equivalent" if why and entry["by"] in ("nobody", "no claim") else entry["by"]
            count[kind] += 1
            told = {name: entry[name] for name in ("module", "function", "line", "before", "after")}
            if kind == "equivalent":
                equivalent.append(told | {"reason": why})
            elif kind == "nobody":
                survivors.append(told)
        tried = sum(count.values()) - count["not applicable"]
        names = {"claims": "claim", "tests only": "test", "nobody": "nobody", "no claim": "no claim", "equivalent": "equivalent"}
        rows.append({"package": package, "tried": tried} | {name: count[kind] for name, kind in names.items()})
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "rows": rows,
        "survivors": survivors,
        "equivalent": equivalent,
        "power": dict(sorted(power.items())),
        "without": {id: NO_SUBJECT.get(id, "") for id in without},
    }


def write(document: dict[str, Any]) -> str:
    """The table for a terminal."""
    names = ("package", "tried", "claims", "tests only", "nobody", "no claim", "equivalent")
    rows = [[str(row[name]) for name in names] for row in document["rows"]]
    total = ["all"] + [str(sum(row[name] for row in document["rows"])) for name in names[1:]]
    lines = [list(names), *rows, total]
    widths = [max(len(line[i]) for line in lines) for i in range(len(names))]
    text = [
        "  ".join(cell.rjust(w) if i else cell.ljust(w) for i, (cell, w) in enumerate(zip(line, widths, strict=True)))
        for line in lines
    ]
    text += ["", f"{len(document['power'])} claims are known to notice an error of their own subject; not known so far:"]
    text += [f"  {id}" + (f" ({reason})" if reason else "") for id, reason in document["without"].items()]
    for title, key in (("Noticed by nobody", "survivors"), ("Equivalent", "equivalent")):
        if document[key]:
            text += ["", title]
            for e in document[key]:
                why = f"  ({e['reason']})" if "reason" in e else ""
                text.append(
                    f"  {e['module'].replace('.', '/')}.py:{e['line']} {e['function']}: {e['before']} -> {e['after']}{why}"
                )
    return "\n".join(text)
