"""The training behind ``plica demo``: two spirals, a small network, and a look at its geometry after every epoch."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from plica.errors import InvalidNetwork

if TYPE_CHECKING:
    import numpy as np

    from plica.geometry import Box
    from plica.network import Network
    from plica.report import Moment

    Array = np.ndarray[Any, np.dtype[Any]]

WIDTHS = (2, 16, 16, 16, 1)
N_POINTS, BATCH, LEARNING_RATE = 240, 30, 8e-3


def spirals(*, seed: int, n_points: int = N_POINTS, turns: float = 1.25, noise: float = 0.025) -> tuple[Array, Array]:
    """Points on two spirals that wind around each other in the unit disc, and which of the two each is on."""
    import numpy as np

    rng = np.random.default_rng(seed)
    labels = np.arange(n_points) % 2
    radius = np.sqrt(rng.uniform(0.02, 1.0, n_points))  # even along the area
    angle = 2 * np.pi * turns * radius + np.pi * labels
    points = 0.92 * radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return points + noise * rng.standard_normal(points.shape), labels


def window() -> Box:
    """The square that the demo looks at."""
    import plica

    return plica.Box([-1.05, -1.05], [1.05, 1.05])


def drawn_epochs(epochs: int) -> list[int]:
    """The epochs that the page draws: dense at the start, where the picture changes fastest.

    >>> drawn_epochs(200)
    [0, 1, 3, 6, 10, 20, 40, 80, 140, 200]
    >>> drawn_epochs(2)
    [0, 1, 2]
    """
    return sorted({round(share * epochs / 200) for share in (0, 1, 3, 6, 10, 20, 40, 80, 140, 200)} | {0, min(1, epochs)})


def train(points: Array, labels: Array, *, seed: int, epochs: int, drawn: Collection[int]) -> Iterator[tuple[Moment, Network]]:
    """Train, and after every epoch yield the loss, the accuracy and the exact number of regions.

    The moments of the epochs in ``drawn`` carry their complex. Torch's random state and threads are left as they were.
    """
    import torch

    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)  # for 30 points, waiting for a second thread costs more than it brings
    try:
        yield from _train(points, labels, seed=seed, epochs=epochs, drawn=drawn)
    finally:
        torch.set_num_threads(n_threads)


def _train(points: Array, labels: Array, *, seed: int, epochs: int, drawn: Collection[int]) -> Iterator[tuple[Moment, Network]]:
    import torch
    from torch import nn

    import plica
    from plica.report import Moment

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layers: list[nn.Module] = []
        for n, m in pairwise(WIDTHS):
            layers += [nn.Linear(n, m), nn.ReLU()]
        model = nn.Sequential(*layers[:-1])
    x, y = torch.tensor(points, dtype=torch.float32), torch.tensor(labels, dtype=torch.float32)
    loss_of = nn.BCEWithLogitsLoss()
    step = adam(list(model.parameters()))
    shuffle = torch.Generator().manual_seed(seed)
    box = window()
    for epoch in range(epochs + 1):
        if epoch:
            for rows in torch.randperm(len(x), generator=shuffle).split(BATCH):
                loss_of(model(x[rows])[:, 0], y[rows]).backward()
                step(LEARNING_RATE * (1 + math.cos(math.pi * (epoch - 1) / epochs)) / 2)
        with torch.no_grad():
            logits = model(x)[:, 0]
            loss, accuracy = float(loss_of(logits, y)), float(((logits > 0) == (y > 0)).float().mean())
        if loss != loss:
            raise InvalidNetwork(f"the training diverged in epoch {epoch}.", hint="try another --seed")
        network = plica.from_torch(model.eval())
        model.train()
        cx = plica.decompose(network, box) if epoch in drawn else None
        count = cx or plica.count_regions(network, box)
        assert count.n_regions is not None
        yield Moment(epoch, loss, accuracy, count.n_regions, count.n_cells, cx), network


def adam(parameters: list[Any]) -> Callable[[float], None]:
    """One step of Adam (Kingma and Ba 2015, Algorithm 1) for the current gradients, which it clears.

    Written out because the first use of ``torch.optim`` imports torch's compiler, a second that the demo does not need.
    """
    import torch

    means = [torch.zeros_like(p) for p in parameters]
    squares = [torch.zeros_like(p) for p in parameters]
    n_steps = 0

    @torch.no_grad()
    def step(rate: float) -> None:
        nonlocal n_steps
        n_steps += 1
        for p, mean, square in zip(parameters, means, squares, strict=True):
            mean.lerp_(p.grad, 0.1)
            square.lerp_(p.grad * p.grad, 0.001)
            p -= rate / (1 - 0.9**n_steps) * mean / ((square / (1 - 0.999**n_steps)).sqrt() + 1e-8)
            p.grad = None

    return step
