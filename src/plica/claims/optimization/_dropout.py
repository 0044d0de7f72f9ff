"""Networks trained with and without dropout: on MNIST, or on few small digits of which some are labeled at random."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import plica.data
from plica._types import Array

if TYPE_CHECKING:
    from torch import nn

N_SMALL, RANDOM_LABELS = 400, 0.3


class Task(NamedTuple):
    """Images in rows with labels, to train and to test."""

    x: Array
    y: Array
    x_test: Array
    y_test: Array


class Recipe(NamedTuple):
    """Two hidden layers of ``width`` units, trained with Adam."""

    width: int
    epochs: int
    batch: int
    rate: float
    schedule: str = "constant"


#: For the noisy digits.
SMALL = Recipe(width=96, epochs=20, batch=50, rate=1e-2)


@cache
def mnist(n: int = 60_000) -> Task:
    """MNIST, or its first images."""
    data = plica.data.load("mnist")
    assert data.y is not None and data.y_test is not None
    return Task(data.flat[:n].astype(np.float32), data.y[:n], data.flat_test.astype(np.float32), data.y_test)


@cache
def noisy_digits(seed: int) -> Task:
    """400 of the 8 x 8 digits, three tenths of them with labels drawn at random: enough to overfit; 360 others, to test."""
    data = plica.data.load("digits").split(0.8, seed=0)
    assert data.y is not None and data.y_test is not None
    rng = np.random.default_rng(seed)
    rows = rng.choice(len(data.x), N_SMALL, replace=False)
    y = data.y[rows].copy()
    n_random = int(RANDOM_LABELS * N_SMALL)
    y[:n_random] = rng.integers(0, 10, n_random)
    return Task(data.flat[rows].astype(np.float32), y, data.flat_test.astype(np.float32), data.y_test)


def model(task: Task, recipe: Recipe, *, keep: float, keep_inputs: float, seed: int) -> nn.Module:
    """Kept units are divided by the probability of keeping while training, which makes testing the plain network."""
    from torch import nn

    from plica.learn import mlp

    found = mlp([task.x.shape[1], recipe.width, recipe.width, 10], seed=seed, dropout=1 - keep)
    if keep_inputs < 1:
        found.insert(0, nn.Dropout(1 - keep_inputs))
    return found


def trained(task: Task, recipe: Recipe, *, keep: float, keep_inputs: float = 1.0, seed: int) -> Any:
    """The training; its model is in eval mode, without dropout."""
    from plica.learn import fit

    found = fit(
        model(task, recipe, keep=keep, keep_inputs=keep_inputs, seed=seed),
        (task.x, task.y),
        validation=(task.x_test, task.y_test),
        epochs=recipe.epochs,
        batch=recipe.batch,
        rate=recipe.rate,
        schedule=recipe.schedule,
        seed=seed,
    )
    found.model.eval()
    return found


class Outcome(NamedTuple):
    """Whether each test image is wrong, as 0 or 1; the accuracy of the last epoch of training; the test error after each."""

    wrong: Array
    accuracy: float
    curve: list[float]


@cache
def outcome(n_images: int, recipe: Recipe, *, keep: float, keep_inputs: float = 1.0, seed: int) -> Outcome:
    """Train once: on so many images of MNIST, or on the noisy digits for 0."""
    import torch

    task = mnist(n_images) if n_images else noisy_digits(seed)
    found = trained(task, recipe, keep=keep, keep_inputs=keep_inputs, seed=seed)
    with torch.no_grad():
        classes = found.model(torch.from_numpy(task.x_test)).argmax(1).numpy()
    wrong = np.asarray(classes != task.y_test, dtype=np.float64)
    curve = [1 - value for value in found.history["validation_accuracy"]]
    return Outcome(wrong, float(found.history.last["accuracy"]), curve)
