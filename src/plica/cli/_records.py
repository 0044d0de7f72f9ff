"""Checks at full scale: hours of work that can be interrupted, and the records that are kept of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from plica._passing import passing_folder
from plica.cli._app import CHECK_FAILED, complain
from plica.cli._claims import COLORS

if TYPE_CHECKING:
    from plica.claims import Claim, Record
    from plica.cli._output import Output
    from plica.sweeps import Row


def full_check(claim: str, fingerprint: str) -> dict[str, Any]:
    """One task of the sweep: the record of a claim. Its fingerprint makes other code another task."""
    from plica.claims import catalog, record_of

    del fingerprint
    evidence = catalog()[claim].check("full")
    return {"record": json.dumps(record_of(evidence).to_dict()), "objections": "; ".join(evidence.objections)}


def run_and_record(
    chosen: list[Claim], *, store: Path | None, folder: Path | None, voice: Output, cluster: str | None = None
) -> None:
    """Run what the store lacks, one claim after the other or on a cluster; write records; complain of unexpected verdicts."""
    from rich.table import Table
    from rich.text import Text

    from plica.claims import read_record

    with passing_folder() as passing:
        place = passing / "checks.db" if store is None else store
        found: dict[str, Record] = {}
        failed: dict[str, str] = {}
        lax: dict[str, str] = {}
        for claim, result in _results(chosen, place, cluster, voice):
            if result.is_done:
                found[claim.id] = read_record(json.loads(result["record"]))
                if result["objections"]:
                    lax[claim.id] = str(result["objections"])
                elif folder is not None:
                    found[claim.id].save(folder)
            else:
                failed[claim.id] = result.error
    table = Table(box=None, pad_edge=False, show_header=False)
    wrong = dict(failed)
    for claim in chosen:
        record = found.get(claim.id)
        verdict = "error" if record is None else record.verdict
        if record is not None and verdict != claim.expected:
            wrong[claim.id] = f"{verdict}, expected {claim.expected}"
        when = failed[claim.id] if record is None else f"{record.seconds:.0f} s on {record.date}"
        table.add_row(claim.id, Text(verdict, style=COLORS[verdict]), when)
    voice.result(table, {"scale": "full", "claims": [record.to_dict() for record in found.values()], "errors": failed})
    voice.note(f"{len(chosen) - len(wrong)} of {len(chosen)} verdicts as expected")
    for id, told in wrong.items():
        complain(f"{id}: {told}")
    for id, told in lax.items():
        complain(f"{id} breaks the rules of the catalog, and is not recorded: {told}.")
    if wrong or lax:
        raise typer.Exit(CHECK_FAILED)


def _results(chosen: list[Claim], store: Path, cluster: str | None, voice: Output) -> Iterator[tuple[Claim, Row]]:
    """What was found about each claim; what is stored is not computed again."""
    from plica.claims import fingerprint
    from plica.sweeps import Sweep, run

    def sweep(claims: list[Claim]) -> Sweep:
        points = [{"claim": claim.id, "fingerprint": fingerprint(claim.module)} for claim in claims]
        return Sweep(full_check, grid=points, name="full checks")

    if cluster is not None:
        table = run(sweep(chosen), store=store, cluster=cluster, progress=not voice.quiet)
        found = {row.parameters["claim"]: row for row in table}
        yield from ((claim, found[claim.id]) for claim in chosen)
        return
    for i, claim in enumerate(chosen, start=1):
        voice.note(f"{i} of {len(chosen)}: {claim.id}")
        (result,) = run(sweep([claim]), store=store, threads=None)
        yield claim, result
