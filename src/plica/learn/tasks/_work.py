"""A folder with a training: settings, checkpoint, model, history, figure and result; begun, cut and taken up again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

from torch import nn

from plica._whole import write_whole
from plica.errors import InvalidInput
from plica.learn._fit import Fit
from plica.learn._history import Row
from plica.learn.tasks._prepare import TASKS
from plica.learn.tasks._progress import Progress
from plica.learn.tasks._recipe import train
from plica.models import Model, load_model

SETTINGS, CHECKPOINT, HISTORY, RESULT, FIGURE, MODEL = (
    "settings.json", "checkpoint.safetensors", "history.csv", "result.json", "history.svg", "model",
)  # fmt: skip
MAX_SETTINGS_BYTES = 2**20


@dataclass(frozen=True, eq=False)
class Work:
    """A finished training in its folder.

    Attributes
    ----------
    task, folder, model, fit
        Its name, where it is kept, what was trained, and how that went.
    data
        What it was trained on, in words.
    result
        What the model reaches on data that it was not trained on.
    """

    task: str
    folder: Path
    model: nn.Module
    fit: Fit
    data: str
    result: dict[str, float]


def train_task(
    task: str, folder: str | Path, *, data: str | Path | None = None, steps: int | None = None, seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Work:  # fmt: skip
    """Train one of the tasks ``chars``, ``translate``, ``digits``, ``cora``, ``regions`` in a folder.

    A training that was cut goes on from its last checkpoint, bit for bit; a folder of another one is refused. Afterwards the
    folder holds ``model/`` (see :func:`plica.models.load_model`), ``history.csv``, ``history.svg`` and ``result.json``.

    Parameters
    ----------
    data
        A folder with the published data set of the task, or a file: a text for ``chars``, a table for ``regions``. Without it a
        small default is trained in about a minute.
    steps
        How many; the task's own number if not given.
    progress
        Gets a line now and then: step, loss, and how long it will still take at the pace of this run.

    Examples
    --------
    >>> import tempfile
    >>> work = train_task("regions", tempfile.mkdtemp(), steps=20)
    >>> sorted(path.name for path in work.folder.iterdir())
    ['checkpoint.safetensors', 'history.csv', 'history.svg', 'model', 'result.json', 'settings.json']
    """
    if task not in TASKS:
        raise InvalidInput(f"there is no task {task!r}.", hint=f"one of {', '.join(TASKS)}")
    root = None if data is None else Path(data)
    if root is not None and not root.exists():
        raise InvalidInput(f"there is nothing at {str(root)!r}.", hint="give a folder with the data set, or a file")
    if root is not None and root.is_file() and task not in ("chars", "regions"):
        raise InvalidInput(f"the task {task!r} reads a folder, not a file.", hint="plica data fetch gets published data sets")
    if steps is not None and steps < 1:
        raise InvalidInput(f"{steps} steps.", hint="give a positive number")
    prepared = TASKS[task](root, seed)
    recipe = prepared.recipe if steps is None else replace(prepared.recipe, n_steps=steps, n_warmup=max(1, steps // 10))
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    settings = {"task": task, "data": prepared.data, "contents": prepared.contents, "recipe": asdict(recipe)}
    _claim(place, json.loads(json.dumps(settings)))
    fit = train(
        prepared.model, prepared.draw, prepared.objective, recipe, checkpoint=place / CHECKPOINT, probes=prepared.probes,
        progress=_teller(progress, recipe.n_steps),
    )  # fmt: skip
    result = prepared.score()
    _save(prepared.model, place / MODEL)
    prepared.keep(place)
    fit.history.to_csv(place / HISTORY)
    _draw(fit, place / FIGURE)
    document = {**result, "n_steps": fit.n_steps, "processor_seconds": round(fit.processor_seconds, 2)}
    write_whole(place / RESULT, json.dumps(document, indent=2) + "\n")
    return Work(task, place, prepared.model, fit, prepared.data, result)


def _teller(progress: Callable[[str], None] | None, n_steps: int) -> Callable[[Row], None] | None:
    if progress is None:
        return None
    so_far = Progress(n_steps)

    def tell(row: Row) -> None:
        line = so_far.line(row, monotonic())
        if line:
            progress(line)

    return tell


def _claim(place: Path, settings: dict[str, Any]) -> None:
    """Write the settings into an empty folder; a folder with others belongs to another training."""
    path = place / SETTINGS
    if path.exists():
        found = read_settings(place)
        others = [name for name in settings if found.get(name) != settings[name]]
        if others:
            raise InvalidInput(
                f"{place} holds another training: its {' and '.join(others)} differ.",
                hint="choose another folder, or the same task, data, steps and seed",
            )
        return
    if any(not other.name.startswith(f".{SETTINGS}.") for other in place.iterdir()):  # what a killed process left is no training
        raise InvalidInput(f"{place} is not empty, and no training was begun in it.", hint="choose another folder")
    write_whole(path, json.dumps(settings, indent=2) + "\n")


def read_settings(folder: Path) -> dict[str, Any]:
    """The settings of a training."""
    path = folder / SETTINGS
    try:
        if path.stat().st_size > MAX_SETTINGS_BYTES:
            raise ValueError("it is too large")
        document = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(document, dict) or document.get("task") not in TASKS:
            raise ValueError("it names no task")
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{folder} holds no training: {error}.", hint="make one: plica train chars --out FOLDER") from None
    return document


def trained_model(folder: str | Path, *tasks: str) -> Model[Any]:
    """The model of a finished training of one of these tasks."""
    place = Path(folder)
    task = read_settings(place)["task"]
    if task not in tasks:
        raise InvalidInput(f"{place} holds a training of {task!r}.", hint=f"this needs {' or '.join(map(repr, tasks))}")
    if not (place / MODEL).is_dir():
        raise InvalidInput(f"the training in {place} is not finished.", hint=f"go on with it: plica train {task} --out {place}")
    return load_model(place / MODEL)


def _save(model: nn.Module, folder: Path) -> None:
    if isinstance(model, Model):
        model.save(folder)
        return
    from plica.network import from_torch, save

    folder.mkdir(exist_ok=True)
    save(from_torch(model), folder / "network.safetensors")


def _draw(fit: Fit, path: Path) -> None:
    import matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    fit.history.plot(ax=figure.subplots())
    with matplotlib.rc_context({"svg.hashsalt": "plica"}):  # the same training is the same file
        figure.savefig(path, metadata={"Date": None})
