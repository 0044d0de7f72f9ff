"""How tasks are trained: Adam with a warm-up and a linear decay, resumable from a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import nn

from plica.errors import PlicaError
from plica.learn._fit import Fit, fit
from plica.learn._history import Row
from plica.learn._objectives import Objective
from plica.learn._optimizers import AdamW
from plica.learn._probes import Probe
from plica.learn._schedules import warm_up

CHECKPOINTS = "PLICA_CHECKPOINTS"
"""Names a folder; with it a long training that is cut goes on from its last checkpoint."""


@dataclass(frozen=True)
class Recipe:
    """How to train: ``rate`` is reached after ``n_warmup`` steps and then falls to ``last`` times itself at ``n_steps``."""

    n_steps: int
    rate: float = 1e-3
    n_warmup: int = 1
    last: float = 0.0
    betas: tuple[float, float] = (0.9, 0.98)
    decay: float = 0.0
    clip: float | None = 1.0
    seed: int = 0
    n_between_checkpoints: int = 200


def train(
    model: nn.Module,
    draw: Callable[[int], Any],
    objective: Objective,
    recipe: Recipe,
    *,
    name: str = "",
    checkpoint: Path | None = None,
    probes: Sequence[Probe] = (),
    progress: Callable[[Row], None] | None = None,
) -> Fit:
    """Make ``objective(model, draw(step))`` small; the model is in eval mode afterwards.

    The state is kept in ``checkpoint``, and a second call goes on from it; with ``name`` and the environment's PLICA_CHECKPOINTS
    it is a file of that name there.
    """
    folder = os.environ.get(CHECKPOINTS)
    path = checkpoint or (Path(folder) / f"{name}.safetensors" if folder and name else None)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    beta1, beta2 = recipe.betas
    found = fit(
        model,
        draw,
        objective=objective,
        steps=recipe.n_steps,
        optimizer=AdamW(weight_decay=recipe.decay, beta1=beta1, beta2=beta2, epsilon=1e-9),
        rate=warm_up(recipe.rate, steps=recipe.n_steps, warm=recipe.n_warmup, last=recipe.last),
        clip_norm=recipe.clip,
        seed=recipe.seed,
        probes=probes,
        log_every=1,
        checkpoint=path,
        checkpoint_every=recipe.n_between_checkpoints,
        resume=path is not None,
        progress=progress or False,
    )
    if found.is_diverged:
        raise PlicaError(f"the training {found.stopped}.", hint="use a smaller rate")
    model.eval()
    return found


def losses(found: Fit) -> list[float]:
    """The loss of every step."""
    return [row["loss"] for row in found.history if row["step"]]
