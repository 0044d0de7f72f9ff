"""``plica check``: run claims and compare their verdicts with the expected ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from plica._whole import write_whole
from plica.cli._app import CHECK_FAILED, INTERRUPTED, complain
from plica.cli._claims import COLORS, SIGNS
from plica.cli._output import Cluster, Debug, Json, Output, Quiet
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from plica.claims import Claim, Outcome, Row


def check(
    ids: Annotated[
        list[str] | None, typer.Argument(help="Claims to check; list them with `plica claims`.", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Check every claim.")] = False,
    topic: Annotated[str | None, typer.Option(help="Check every claim of this topic.")] = None,
    scale: Annotated[str, typer.Option(help="quick: seconds each. full: the published setting or larger.")] = "quick",
    resume: Annotated[
        bool, typer.Option("--resume", help="Full scale: keep finished checks in --store, and do not run them again.")
    ] = False,
    store: Annotated[Path, typer.Option(help="Where --resume keeps what is finished.")] = Path("checks.db"),
    record: Annotated[Path | None, typer.Option(help="Full scale: write each result as ID.json into this folder.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write a scoreboard, one HTML file, into this folder.")] = None,
    cluster: Cluster = None,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run claims: what is predicted, what is measured, and the verdict.

    The exit code is 1 when a verdict differs from the one its claim expects, or rows break the rules of the catalog (too much
    slack, say). Claims that are false as printed expect `refuted`. Where quick measures a smaller statement, that is what
    `stand-in agrees` speaks of. Interrupted, it reports what it has finished; `--all --scale full --resume` takes hours, and goes
    on where it was interrupted.
    """
    voice = Output("check", as_json=json, quiet=quiet)
    chosen = _choose(ids or [], every=every, topic=topic, scale=scale)
    if resume or record is not None or cluster is not None:
        if scale != "full" or out is not None:
            raise InvalidInput(
                "--resume, --record and --cluster are for checks at full scale, without a scoreboard.",
                hint="plica check --all --scale full --resume",
            )
        from plica.cli._records import run_and_record

        run_and_record(chosen, store=store if resume else None, folder=record, voice=voice, cluster=cluster)
        return
    outcomes, interrupted = _run(chosen, scale, voice, debug=debug)
    single = len(outcomes) == 1 and bool(outcomes[0].evidence)
    shown = _details(outcomes[0]) if single else _table(outcomes)
    voice.result(shown, {"scale": scale, "claims": [outcome.to_dict() for outcome in outcomes]})
    if out is not None:
        from plica.report import scoreboard_page

        out.mkdir(parents=True, exist_ok=True)
        page = out / "scoreboard.html"
        write_whole(page, scoreboard_page(outcomes, scale=scale))
        voice.note(f"scoreboard: {page}")
    wrong = [outcome for outcome in outcomes if not outcome.as_expected]
    seconds = sum(outcome.seconds for outcome in outcomes)
    voice.note(f"{len(outcomes) - len(wrong)} of {len(outcomes)} verdicts as expected, {seconds:.1f} s")
    for outcome in wrong:
        complain(f"{outcome.claim.id}: {outcome.verdict}, expected {outcome.expected}. {outcome.error}".rstrip(" ."))
    lax = {o.claim.id: told for o in outcomes if o.evidence is not None and (told := o.evidence.objections)}
    for id, told in lax.items():
        complain(f"{id} breaks the rules of the catalog: {'; '.join(told)}.")
    if interrupted:
        complain(f"interrupted after {len(outcomes)} of {len(chosen)} claims.")
        raise typer.Exit(INTERRUPTED)
    if wrong or lax:
        raise typer.Exit(CHECK_FAILED)


def _choose(ids: list[str], *, every: bool, topic: str | None, scale: str) -> list[Claim]:
    from plica.claims import SCALES, catalog

    if scale not in SCALES:
        raise InvalidInput(f"unknown scale {scale!r}.", hint=f"use one of {', '.join(SCALES)}")
    if not ids and not every and topic is None:
        raise InvalidInput("nothing to check.", hint="give the ids of claims, --topic TOPIC or --all; `plica claims` lists them")
    if ids and (every or topic is not None):
        raise InvalidInput("ids together with --all or --topic.", hint="give one or the other")
    return [catalog()[id] for id in ids] if ids else list(catalog(topic=topic))


def _run(chosen: list[Claim], scale: str, voice: Output, *, debug: bool) -> tuple[list[Outcome], bool]:
    """The outcomes, and whether Ctrl-C ended it early."""
    from plica.claims import outcome_of

    outcomes: list[Outcome] = []
    try:
        with voice.stderr.status("checking") as status:
            for i, claim in enumerate(chosen, start=1):
                status.update(f"{i} of {len(chosen)}: {claim.id}")
                outcomes.append(outcome_of(claim, scale, strict=debug))  # type: ignore[arg-type]
    except KeyboardInterrupt:
        return outcomes, True
    return outcomes, False


def _table(outcomes: list[Outcome]) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    from plica.claims import to_unicode

    table = Table(box=None, pad_edge=False, show_header=False)
    for name in ("claim", "verdict", "time"):
        table.add_column(name, no_wrap=True, justify="right" if name == "time" else "left")
    table.add_column("found", ratio=1)
    topic = ""
    for outcome in outcomes:
        if outcome.claim.topic != topic:
            topic = outcome.claim.topic
            table.add_row(Text(topic, style="bold"))
        style = COLORS[outcome.verdict] if outcome.as_expected else "bold red"
        verdict = Text(f"{'✓' if outcome.as_expected else '✗'} {outcome.verdict}{SIGNS[outcome.kind]}", style=style)
        table.add_row(f"  {outcome.claim.id}", verdict, f"{outcome.seconds:.1f} s", Text(to_unicode(outcome.summary())))
    return table


def _mark(r: Row) -> Text:
    """Whether the row's relation is true, and its role where it is not a prediction."""
    from rich.text import Text

    from plica.claims import show

    if r.status == "inconclusive":
        return Text("inconclusive", style="yellow")
    found = "yes" if r.holds else "no"
    if r.role == "counterexample":
        relation = "" if r.truth_relation == "=" else f"{r.truth_relation} "
        told = f"{found}, {'true' if r.status == 'holds' else 'expected'}: {relation}{show(r.truth)}"
        return Text(told, style="magenta" if r.status == "holds" else "bold red")
    told = found if r.role == "prediction" else f"{found} (control)"
    return Text(told, style="green" if r.holds else "bold red")


def _details(outcome: Outcome) -> RenderableType:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from plica.claims import show, to_unicode

    evidence = outcome.evidence
    assert evidence is not None
    names = list(dict.fromkeys(name for r in evidence.rows for name in r.parameters))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        table.add_column(to_unicode(name), overflow="fold")
    for name in ("predicted", "", "measured", "slack", "holds"):
        table.add_column(name, justify="right")
    for r in evidence.rows:
        error = f" ± {r.standard_error:.2g}" if r.standard_error is not None else ""
        slack = f"{100 * r.slack:.2g} %" if r.slack else ""
        relation = {"<=": "≥", ">=": "≤", "<": ">", ">": "<", "!=": "≠"}.get(r.relation, r.relation)
        cells = [show(r.parameters.get(name, "")) for name in names]
        table.add_row(*cells, show(r.predicted), relation, show(r.measured) + error, slack, _mark(r))
    seed = "" if evidence.seed is None else f", seed {evidence.seed}"
    statement = Text(to_unicode(" ".join(outcome.claim.statement.split())))
    if outcome.claim.stand_in and evidence.scale == "quick":
        statement += Text(f"\nMeasured instead: {to_unicode(' '.join(outcome.claim.stand_in.split()))}")
    facts = Text.assemble("\n", ("verdict: ", "bold"), f"{evidence.verdict} ({evidence.kind}{seed}, {evidence.seconds:.1f} s)")
    note = [Text(to_unicode(evidence.note))] if evidence.note else []
    return Group(Text(to_unicode(outcome.claim.title), style="bold"), statement, Text(), table, facts, *note)
