"""``plica sweep``: run a sweep, look at its store, export it, verify it."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import importlib
import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plica.cli._app import CHECK_FAILED, add
from plica.cli._output import Cluster, Debug, Json, Output, Quiet
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from plica.sweeps import Experiment, Row, Store, Sweep, Table

Target = Annotated[str, typer.Argument(metavar="TARGET", help="The sweep: package.module:name, importable from here.")]
StoreFile = Annotated[Path, typer.Argument(metavar="STORE", help="The store's file, for instance sweep.db.")]
Name = Annotated[str, typer.Option("--experiment", help="Which experiment; needed when the store holds several.")]

SHOWN_FAILURES = 10


class Format(enum.StrEnum):
    """Formats of ``plica sweep export``."""

    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


class Where(enum.StrEnum):
    """Executors of ``plica sweep run``."""

    SERIAL = "serial"
    PROCESSES = "processes"
    DASK = "dask"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    group = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
    add(group, run_command, name="run", example="plica sweep run experiments:depth --store depth.db --workers 4")
    add(group, show_command, name="show", example="plica sweep show depth.db")
    add(group, export_command, name="export", example="plica sweep export depth.db --format csv --out depth.csv")
    add(group, verify_command, name="verify", example="plica sweep verify depth.db experiments:depth")
    text = "Run many tasks, with a store that survives interruptions."
    app.add_typer(group, name="sweep", help=f"Example: plica sweep run experiments:depth --workers 4\n\n{text}", short_help=text)


def run_command(
    target: Target,
    store: Annotated[Path, typer.Option("--store", help="Where results are kept.")] = Path("sweep.db"),
    workers: Annotated[int, typer.Option("--workers", "-w", min=1, help="Processes, or workers of a local cluster.")] = 1,
    executor: Annotated[Where | None, typer.Option("--executor", help="Where tasks run; chosen by the other options.")] = None,
    cluster: Cluster = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Another root seed than the sweep's own.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run what the store lacks of a sweep.

    Tasks that are stored are skipped, tasks that failed are tried again: the same command resumes after Ctrl-C, a crash or a
    kill. Exit code 1 if a task failed.
    """
    from plica.sweeps import run

    del debug
    output = Output("sweep run", as_json=as_json, quiet=quiet)
    with _stdout_for_results():
        sweep = _import(target)
        if seed is not None:
            sweep = dataclasses.replace(sweep, root_seed=seed)
        try:
            with _terminated_as_interrupted():
                table = run(sweep, store=store, executor=executor, n_workers=workers, cluster=cluster, progress=not quiet)
        except KeyboardInterrupt:
            output.note(f"what has finished is stored in {store}; the same command resumes")
            raise
    if table.n_damaged:
        output.note(f"{table.n_damaged} damaged rows were found and computed again")
    output.result(_summary(table), _data(table) | {"store": str(store), "seconds": round(table.seconds, 3)})
    if table.failed:
        raise typer.Exit(CHECK_FAILED)


def show_command(store: StoreFile, as_json: Json = False, quiet: Quiet = False, debug: Debug = False) -> None:
    """List the experiments in a store, and the tasks that failed."""
    from plica.sweeps import Store, table_of

    del debug
    output = Output("sweep show", as_json=as_json, quiet=quiet)
    lines, found = [], []
    with Store(store, read_only=True) as place:
        for experiment, about in place.experiments():
            table = table_of(place, experiment)
            lines.append(f"{experiment.name}: {len(table.done)} done, {len(table.failed)} failed, {table.n_damaged} damaged")
            lines.append(f"  {about['function']}, code {experiment.code}, root seed {experiment.root_seed}, {about['started']}")
            lines += [_told(row) for row in table.failed]
            more = {"function": about["function"], "started": about["started"], "environment": about["environment"]}
            found.append(_data(table) | {"n_damaged": table.n_damaged} | more)
    output.result(_plain("\n".join(lines)), {"experiments": found})


def export_command(
    store: StoreFile,
    form: Annotated[Format, typer.Option("--format", "-f", help="The format.")] = Format.CSV,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The file to write; stdout unless given.")] = None,
    experiment: Name = "",
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Write an experiment's rows as CSV, JSON or Parquet.

    Of an experiment that was run with several versions of its code, the last one run. Equal results give equal files.
    """
    from plica.sweeps import Store, table_of

    del debug
    output = Output("sweep export", as_json=False, quiet=quiet)
    with Store(store, read_only=True) as place:
        table = table_of(place, _one_experiment(place, experiment))
        if table.n_damaged:
            output.note(f"{table.n_damaged} damaged rows are left out; plica sweep run computes them again")
        if form is Format.PARQUET:
            if out is None:
                raise InvalidInput("Parquet is not text.", hint="name a file: --out table.parquet")
            table.to_parquet(out)
            return
        text = table.to_csv() if form is Format.CSV else table.to_json()
    if out is None:
        sys.stdout.write(text)
    else:
        out.write_text(text, encoding="utf-8", newline="")


def verify_command(
    store: StoreFile,
    target: Annotated[str, typer.Argument(metavar="[TARGET]", help="The sweep, to compute a part of it again.")] = "",
    fraction: Annotated[float, typer.Option("--fraction", help="Which part of the rows to compute again.")] = 0.05,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Which rows; random unless given.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Check every byte of a store, and compute a random part of its rows again.

    Without TARGET only the checksums are checked: a store is data, and never names the code that is run. Exit code 1 if
    something is damaged or comes out different.
    """
    from plica.sweeps import check_store, verify

    del debug
    output = Output("sweep verify", as_json=as_json, quiet=quiet)
    integrity = check_store(store)
    data: dict[str, Any] = dataclasses.asdict(integrity)
    text = f"{integrity.n_rows} rows: {integrity.n_damaged_rows} damaged, {integrity.n_damaged_arrays} arrays damaged or missing"
    if not integrity.is_file_consistent:
        text = "the SQLite file is damaged; plica sweep run keeps its intact rows"
    holds = integrity.is_intact
    if target and integrity.is_file_consistent:
        with _stdout_for_results():
            sweep = _import(target)
            found = verify(sweep, store=store, fraction=fraction, seed=seed)
        holds = holds and found.holds
        text += f"\n{found.n_checked} of {found.n_rows} rows computed again: {len(found.differences)} different"
        text += "".join(
            f"\n{d.parameters} seed {d.seed}\n  stored {d.stored}\n  now    {d.recomputed}" for d in found.differences
        )
        data |= dataclasses.asdict(found)
    elif integrity.is_file_consistent:
        output.note("name the sweep to compute rows again: plica sweep verify STORE package.module:name")
    output.result(_plain(text), data | {"holds": holds})
    if not holds:
        raise typer.Exit(CHECK_FAILED)


def _import(target: str) -> Sweep:
    """The sweep that TARGET names. Importing it runs the user's own code, as asked."""
    from plica.sweeps import Sweep

    module_name, _, name = target.partition(":")
    if not name or not all(part.isidentifier() for part in module_name.split(".")):
        raise InvalidInput(
            f"TARGET is {target!r}, expected package.module:name.",
            hint="for depth = Sweep(...) in experiments.py: experiments:depth",
        )
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise InvalidInput(f"{module_name} needs {error.name}, which is not installed.", hint="install it") from error
        raise InvalidInput(f"there is no module {module_name!r}.", hint="run the command in the folder of the module") from error
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}, line {last.lineno}"
        raise InvalidInput(
            f"{module_name} cannot be imported: {type(error).__name__}: {error} ({where}).", hint="--debug shows the traceback"
        ) from error
    for part in name.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, Sweep):
        raise InvalidInput(
            f"{target} is {'not there' if found is None else f'a {type(found).__name__}, not a Sweep'}.",
            hint=f"in {module_name}: {name} = plica.sweeps.Sweep(function, grid={{...}}, seeds=range(10))",
        )
    return found


def _one_experiment(store: Store, name: str) -> Experiment:
    """The experiment called ``name``, or the only one there is; of its versions the last one run."""
    known = [experiment for experiment, _ in store.experiments()]
    names = sorted({experiment.name for experiment in known})
    matching = [experiment for experiment in known if experiment.name == (name or experiment.name)]
    if not known:
        raise InvalidInput(f"the store {store.path} is empty.", hint="plica sweep run TARGET --store FILE fills it")
    if not matching or (not name and len(names) > 1):
        raise InvalidInput(f"the store holds {', '.join(names)}.", hint="name one of them with --experiment")
    return matching[-1]


def _data(table: Table) -> dict[str, Any]:
    experiment = table.experiment
    failures = [
        {"parameters": row.parameters, "seed": row.seed, "error": row.error, "traceback": row.traceback} for row in table.failed
    ]
    return {
        "experiment": experiment.name,
        "root_seed": experiment.root_seed,
        "code": experiment.code,
        "n_tasks": len(table),
        "n_done": len(table.done),
        "n_failed": len(table.failed),
        "n_earlier": table.n_earlier,
        "failures": failures,
    }


def _summary(table: Table) -> Any:
    text = f"{table.experiment.name}: {len(table.done)} of {len(table)} tasks done ({table.n_earlier} from before)"
    text += "".join(f"\n{_told(row)}" for row in table.failed[:SHOWN_FAILURES])
    if len(table.failed) > SHOWN_FAILURES:
        text += f"\n{len(table.failed) - SHOWN_FAILURES} more tasks failed; plica sweep show lists them"
    return _plain(text)


def _told(row: Row) -> str:
    return f"failed: {json.dumps(row.parameters)} seed {row.seed}\n{row.traceback.rstrip()}"


def _plain(text: str) -> Any:
    from rich.text import Text

    from plica.sweeps import printable

    return Text(printable(text))


@contextlib.contextmanager
def _stdout_for_results() -> Iterator[None]:
    """What the user's function prints goes to stderr."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


@contextlib.contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """A batch system ends a job with SIGTERM; it is treated like Ctrl-C, so that everything finished is stored."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():  # where signals cannot be handled
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
