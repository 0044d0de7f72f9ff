"""The training behind ``plica demo``: two spirals, a small network, and a look at its geometry after every epoch."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from plica.errors import InvalidNetwork

if TYPE_CHECKING:
    from plica._types import Array
    from plica.geometry import Box
    from plica.learn import Look
    from plica.network import Network
    from plica.report import Moment

WIDTHS = (2, 16, 16, 16, 1)
BATCH, LEARNING_RATE = 30, 8e-3


def spirals(*, seed: int, noise: float = 0.025) -> tuple[Array, Array]:
    """Points on two spirals that wind around each other in the unit disc, and which of the two each is on."""
    import plica.data

    data = plica.data.load("spirals", seed=seed, noise=noise)
    return data.x, data.y


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
    import plica
    from plica.learn import Measure, Run, Settings, mlp
    from plica.report import Moment

    box = window()
    seen: dict[str, Any] = {}

    def look(now: Look) -> dict[str, int | None]:
        seen["network"] = now.network
        seen["complex"] = plica.decompose(now.network, box) if now.epoch in drawn else None
        count = seen["complex"] or plica.count_regions(now.network, box)
        return {"n_regions": count.n_regions, "n_cells": count.n_cells}

    settings = Settings(
        epochs=epochs,
        batch=BATCH,
        rate=LEARNING_RATE,
        schedule="cosine",
        seed=seed,
        validation=(points, labels),
        probes=[Measure(name="plane", function=look)],
    )
    run = Run(mlp(WIDTHS, seed=seed), (points, labels), settings)
    for row in run:
        loss, accuracy = row["validation_loss"], row["validation_accuracy"]
        moment = Moment(row["epoch"], loss, accuracy, row["plane_n_regions"], row["plane_n_cells"], seen["complex"])
        yield moment, seen["network"]
    if run.stopped != "finished":
        raise InvalidNetwork(f"the training {run.stopped}.", hint="try another --seed")
