"""A training loop for the experiments of this topic: Adam with a warm-up and a linear decay, seeded, resumable from a folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from time import process_time
from typing import Any

import torch
from torch import Tensor, nn

from plica.errors import PlicaError
from plica.learn import one_thread

CHECKPOINTS = "PLICA_CHECKPOINTS"
"""Names a folder; with it a long training that is cut goes on from its last checkpoint."""


@dataclass(frozen=True)
class Recipe:
    """How to train.

    ``rate`` is reached after ``n_warmup`` steps and then falls in a straight line to ``last`` times itself at ``n_steps``.
    """

    n_steps: int
    rate: float = 1e-3
    n_warmup: int = 1
    last: float = 0.0
    betas: tuple[float, float] = (0.9, 0.98)
    decay: float = 0.0
    clip: float | None = 1.0
    seed: int = 0
    n_between_checkpoints: int = 200

    def rate_at(self, step: int) -> float:
        """The learning rate of step 0, 1, ..."""
        if step < self.n_warmup:
            return self.rate * (step + 1) / self.n_warmup
        left = (self.n_steps - step) / max(1, self.n_steps - self.n_warmup)
        return self.rate * (self.last + (1 - self.last) * left)


@dataclass
class Progress:
    """What a training has cost and shown so far."""

    step: int = 0
    seconds: float = 0.0
    losses: list[float] = field(default_factory=list)


def train(
    model: nn.Module,
    loss: Callable[[int], Tensor],
    recipe: Recipe,
    *,
    name: str = "",
    probe: Callable[[Progress], None] | None = None,
    n_between_probes: int = 0,
) -> Progress:
    """Minimize ``loss(step)``, which draws its own batch from the step's number; processor seconds are counted.

    With ``name`` and the environment's PLICA_CHECKPOINTS the state is kept there and a second call goes on from it. Every step
    is seeded by its number, so that a training that was cut equals one that was not.
    """
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.rate, betas=recipe.betas, weight_decay=recipe.decay, eps=1e-9)
    folder = os.environ.get(CHECKPOINTS)
    path = Path(folder) / f"{name}.safetensors" if folder and name else None
    progress = _resume(path, model, optimizer) if path is not None and path.exists() else Progress()
    model.train()
    with one_thread(), torch.random.fork_rng(devices=[]):
        since = process_time()
        while progress.step < recipe.n_steps:
            torch.manual_seed(recipe.seed * 1_000_003 + progress.step)
            for group in optimizer.param_groups:
                group["lr"] = recipe.rate_at(progress.step)
            value = loss(progress.step)
            optimizer.zero_grad(set_to_none=True)
            value.backward()  # type: ignore[no-untyped-call]
            if recipe.clip is not None:
                nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
            optimizer.step()
            number = float(value.detach())
            if not isfinite(number):
                raise PlicaError(f"the loss is {number} at step {progress.step}.", hint="use a smaller rate")
            progress.losses.append(number)
            progress.step += 1
            if n_between_probes and probe is not None and progress.step % n_between_probes == 0:
                model.eval()
                probe(progress)
                model.train()
            if path is not None and (progress.step % recipe.n_between_checkpoints == 0 or progress.step == recipe.n_steps):
                progress.seconds += process_time() - since
                since = process_time()
                _keep(path, model, optimizer, progress)
        progress.seconds += process_time() - since
    model.eval()
    return progress


def _keep(path: Path, model: nn.Module, optimizer: torch.optim.Optimizer, progress: Progress) -> None:
    from safetensors.torch import save_file

    tensors = {f"model.{k}": v.detach().clone() for k, v in model.state_dict().items()}
    for i, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{i}.{k}": torch.as_tensor(v).detach().clone() for k, v in state.items()}
    tensors["losses"] = torch.tensor(progress.losses, dtype=torch.float64)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".part")
    save_file(tensors, partial, metadata={"seconds": str(progress.seconds)})
    partial.replace(path)


def _resume(path: Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> Progress:
    from safetensors import safe_open

    with safe_open(path, "pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}
        seconds = float(file.metadata()["seconds"])
    model.load_state_dict({k.removeprefix("model."): v for k, v in tensors.items() if k.startswith("model.")})
    state: dict[int, dict[str, Any]] = {}
    for key, value in tensors.items():
        if key.startswith("optimizer."):
            _, i, name = key.split(".", 2)
            state.setdefault(int(i), {})[name] = value
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
    losses = tensors["losses"].tolist()
    return Progress(len(losses), seconds, losses)
