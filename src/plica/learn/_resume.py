"""A run written to a checkpoint, and taken up again where it was: only by the run that it was."""

from __future__ import annotations

from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plica._modes import evaluated
from plica.errors import InvalidInput
from plica.learn._batches import step_seed
from plica.learn._checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from plica.learn._objectives import Supervised, name_of
from plica.learn._state import copy_state, is_finite, restore_state

if TYPE_CHECKING:
    from plica.learn._run import Run

_FEW = 64  # points on which a checkpoint remembers the value of the objective
_SAME = 1e-4  # relative; another machine may round a sum otherwise


def prepare(run: Run) -> None:
    """Go on from the checkpoint, if there is one."""
    path = run.settings.path
    if path is None:
        return
    if not path.parent.is_dir():
        raise InvalidInput(f"the folder of checkpoint {path} does not exist.")
    if not path.exists():
        return
    if not run.settings.resume:
        raise InvalidInput(f"checkpoint {path} exists.", hint="resume=True goes on from it; remove it to start again")
    restore(run, read_checkpoint(path), path)


def is_due(run: Run) -> bool:
    """Whether a checkpoint belongs here: after so many epochs, or steps where there are no epochs."""
    return (run.epoch if run.source.per_epoch else run.step) % run.settings.checkpoint_every == 0


def save(run: Run) -> None:
    """Write the checkpoint, if one is wanted and the model is finite."""
    path = run.settings.path
    if path is None or not is_finite(run.model):
        return
    import torch

    tensors = {f"model.{name}": t for name, t in run.model.state_dict().items()}
    tensors |= {f"optimizer.{i:03}": torch.as_tensor(t) for i, t in enumerate(run.settings.chosen.memory())}
    progress: dict[str, Any] = {
        "step": run.step,
        "epoch": run.epoch,
        "history": run.history.rows,
        "costs": run.costs,
        "seconds": run.seconds,
        "processor_seconds": run.processor_seconds,
        "settings": fixed(run),
        "values": values(run),
        "data": run.source.fingerprint(),
    }
    for probe in run.settings.probes:
        tensors |= {f"probe.{probe.name}.{key}": torch.from_numpy(array) for key, array in probe.memory().items()}
    if run.best is not None:
        progress["best"] = [run.best[0], run.best[1]]
        tensors |= {f"best.{name}": t for name, t in run.best[2].items()}
    write_checkpoint(Checkpoint(tensors, progress), path)


def fixed(run: Run) -> dict[str, Any]:
    """The settings that may not change, with the name of the loss that was chosen."""
    return run.settings.fixed() | {"loss": name_of(run.goal.loss) if isinstance(run.goal, Supervised) else None}


def values(run: Run) -> list[float]:
    """The objective on a few points and the penalty, at the model as it is and without its noise."""
    import torch

    model = run.model
    with evaluated(model), torch.random.fork_rng(devices=[]):
        torch.random.default_generator.manual_seed(step_seed(run.settings.seed, 0))
        found = [float(run.goal(model, run.source.first(_FEW)).loss.detach())]
        if run.settings.penalty is not None:
            found.append(float(run.settings.penalty(model).detach()))
    return found


def restore(run: Run, checkpoint: Checkpoint, path: Path) -> None:
    """Become the run of the checkpoint; refuse one with other data, settings, parameters, loss or penalty."""
    found, ours = checkpoint.progress, fixed(run)
    if found.get("data") != run.source.fingerprint():
        raise InvalidInput(f"checkpoint {path} was made with other data.", hint="give the same data, or start again")
    theirs = found.get("settings") or {}
    changed = sorted(name for name in {*theirs, *ours} if theirs.get(name) != ours.get(name))
    if changed:
        raise InvalidInput(f"checkpoint {path} was made with other settings: {', '.join(changed)}.", hint="use the same ones")
    state = checkpoint.group("model")
    if {name: t.shape for name, t in state.items()} != {name: t.shape for name, t in run.model.state_dict().items()}:
        raise InvalidInput(f"checkpoint {path} belongs to a model with other parameters.", hint="give the same architecture")
    before = copy_state(run.model)
    restore_state(run.model, state)
    names = ("loss" if isinstance(run.goal, Supervised) else "objective", "penalty")
    other = [
        name
        for name, a, b in zip(names, found.get("values", ()), values(run), strict=False)
        if not isclose(a, b, rel_tol=_SAME, abs_tol=1e-12)
    ]
    if other:
        restore_state(run.model, before)
        raise InvalidInput(
            f"checkpoint {path} was made with another {' and '.join(other)}: its value at the saved parameters differs.",
            hint="use the same function, or start again",
        )
    run.flat.read()
    memory = checkpoint.group("optimizer")
    try:
        run.stepper.resume(int(found["step"]), [memory[name] for name in sorted(memory, key=int)])
    except (ValueError, RuntimeError) as error:
        restore_state(run.model, before)
        raise InvalidInput(
            f"checkpoint {path} has another memory of the optimizer: {error}.", hint="a version that wrote it, or start again"
        ) from None
    run.epoch = int(found["epoch"])
    run.seconds, run.processor_seconds = float(found["seconds"]), float(found["processor_seconds"])
    run.history.rows.extend(found["history"])
    run.costs |= {name: cost for name, cost in found["costs"].items() if name in run.costs}
    for probe in run.settings.probes:
        probe.recall({key: t.numpy() for key, t in checkpoint.group(f"probe.{probe.name}").items()})
    if "best" in found:
        run.best = (float(found["best"][0]), int(found["best"][1]), checkpoint.group("best"))
