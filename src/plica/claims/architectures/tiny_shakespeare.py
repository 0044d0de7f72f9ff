r"""A small GPT reads Shakespeare: 1.88 nats per character after 2,000 steps.

Claim
    A causal transformer of 4 blocks, 4 heads and width 128, trained for 2,000 steps of 12 times 64 characters, predicts the last
    tenth of tiny Shakespeare with a loss of at most 1.88 nats per character.
Source
    A. Karpathy, nanoGPT, recipe for a processor without accelerator [karpathy2022]; A. Radford et al. [radford2019].
Prediction
    at most 1.88.
Measurement
    mean cross-entropy of plica.models.transformer.GPT over all of the held-out text in windows of 64 characters; unlike the
    recipe, which learns its positions at a rate of 1e-3, the model has rotary positions and a rate of 2e-3
Stand-in
    On text of a Markov chain of 8 symbols no model goes below the entropy rate, computed from the transition matrix, and a
    small GPT comes within 0.1 of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION
from plica.claims import Evidence, row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEED = 1337
RECIPE: dict[str, Any] = {"rate": 2e-3, "n_warmup": 100, "betas": (0.9, 0.99), "decay": 0.1}


def trained(config: Any, text: Any, *, n_steps: int, n_batch: int, n_context: int, name: str = "", **recipe: Any) -> Any:
    """A GPT after some steps on random windows of a text (a vector of numbers), and its training."""
    from plica.learn.tasks import Recipe, next_character_loss, train, windows
    from plica.models import build
    from plica.models.transformer import GPT

    model = build(GPT, config, seed=SEED)
    draw = windows(text, n_batch=n_batch, n_context=n_context, seed=SEED)
    return model, train(model, draw, next_character_loss, Recipe(n_steps, seed=SEED, **recipe), name=name)


def check(scale: str) -> Evidence:
    return full() if scale == "full" else quick()


def full() -> Evidence:
    from plica import data
    from plica.learn.tasks import held_out_loss, losses
    from plica.models.transformer import GPTConfig

    found = data.load("tinyshakespeare")
    config = GPTConfig.preset("chars", position="rotary")
    text = found.encode(found.train)
    model, training = trained(config, text, n_steps=2000, n_batch=12, n_context=64, name="tiny-shakespeare", **RECIPE)
    loss, error = held_out_loss(model, found.encode(found.test), 64)
    rows = [
        row(
            loss,
            "<=",
            1.88,
            kind="estimated",
            standard_error=error,
            text="tiny Shakespeare",
            processor_seconds=training.processor_seconds,
        )
    ]
    return Evidence(rows, draw=figure(losses(training), 1.88), seed=SEED)


def chain(n_symbols: int, seed: int) -> tuple[Any, float]:
    """A random transition matrix and its entropy rate in nats."""
    matrix = np.random.default_rng(seed).dirichlet(np.full(n_symbols, 0.3), n_symbols)
    values, vectors = np.linalg.eig(matrix.T)
    stationary = np.real(vectors[:, np.argmax(np.real(values))])
    stationary /= stationary.sum()
    return matrix, float(-(stationary[:, None] * matrix * np.log(np.maximum(matrix, 1e-300))).sum())


def walk(matrix: Any, n: int, seed: int) -> Any:
    """A text of the chain."""
    rng, text, state = np.random.default_rng(seed), np.empty(n, dtype=np.int64), 0
    steps = matrix.cumsum(1)
    for i, u in enumerate(rng.random(n)):
        state = min(int(np.searchsorted(steps[state], u)), len(matrix) - 1)
        text[i] = state
    return text


def quick() -> Evidence:
    from plica.learn.tasks import held_out_loss, losses
    from plica.models.transformer import GPTConfig

    matrix, entropy = chain(8, SEED)
    config = GPTConfig(8, d_model=32, n_layers=1, n_heads=2, max_length=16)
    text = walk(matrix, 20_000, SEED)
    model, training = trained(config, text, n_steps=150, n_batch=16, n_context=16, rate=1e-2, n_warmup=10)
    # symbol by symbol against the chain itself, so that what the text happens to be does not count
    excess, error = held_out_loss(model, walk(matrix, 20_000, SEED + 1), 16, against=matrix)
    rows = [
        row(excess, ">", 0.0, kind="estimated", standard_error=error, text="Markov chain", what="nats above the chain"),
        row(excess, "<", 0.1, kind="estimated", standard_error=error, text="Markov chain", what="nats above the chain"),
    ]
    return Evidence(rows, draw=figure(losses(training), entropy), seed=SEED)


def figure(losses: list[float], level: float) -> Callable[[Axes], None]:
    """Training loss, smoothed, against steps."""

    def draw(ax: Axes) -> None:
        width = max(1, len(losses) // 50)
        smooth = np.convolve(losses, np.ones(width) / width, "valid")
        ax.plot(np.arange(len(smooth)) + width, smooth, color=MEASUREMENT)
        ax.axhline(level, color=PREDICTION, linewidth=0.8, linestyle=":")
        ax.set_xlabel("steps")
        ax.set_ylabel("nats per symbol")
        ax.spines[["top", "right"]].set_visible(False)

    return draw
