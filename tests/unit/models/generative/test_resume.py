"""Generative training that was killed goes on from its checkpoint, and ends with the same bytes.

As a script it is the process that is killed: ``python test_resume.py KIND CHECKPOINT STEP``.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from plica.learn import Adam, adversarial, fit, negative_bound
from plica.models import build
from plica.models.generative import GAN, VAE, GANConfig, VAEConfig

STEPS = 12


def run(kind: str, checkpoint: Path, killed_at: int | None = None) -> bytes:
    """Train, from a checkpoint if there is one; all parameters, buffers and losses as bytes."""
    if kind == "gan":
        model = build(GAN, GANConfig((1, 8, 8), n_latent=3, widths=(4, 8)), seed=1)
        objective = adversarial()
    else:
        model = build(VAE, VAEConfig((8,), n_latent=2, widths=(6,), likelihood="gaussian"), seed=1)
        objective = negative_bound

    def draw(step: int) -> tuple[torch.Tensor, ...]:
        if step == killed_at:
            os.kill(os.getpid(), signal.SIGKILL)
        shape = (16, 1, 8, 8) if kind == "gan" else (16, 8)
        return (torch.from_numpy(np.random.default_rng(step).uniform(-1, 1, shape).astype(np.float32)),)

    settings = {"optimizer": Adam(beta1=0.5), "rate": 1e-2, "objective": objective, "seed": 3, "log_every": 1}
    found = fit(model, draw, steps=STEPS, checkpoint=checkpoint, checkpoint_every=2, resume=checkpoint.exists(), **settings)
    state = [np.ascontiguousarray(t.detach().numpy()).tobytes() for t in model.state_dict().values()]
    return b"".join([*state, np.array(found.history["loss"], dtype=np.float64).tobytes()])


@pytest.mark.parametrize("kind", ["gan", "vae"])
def test_a_killed_training_ends_as_one_that_nobody_disturbed(kind: str, tmp_path: Path) -> None:
    checkpoint = tmp_path / "run.safetensors"
    killed = subprocess.run([sys.executable, __file__, kind, str(checkpoint), "7"], check=False)
    assert killed.returncode == -signal.SIGKILL and checkpoint.exists()
    assert run(kind, checkpoint) == run(kind, tmp_path / "other.safetensors")


if __name__ == "__main__":
    torch.set_num_threads(1)
    run(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
