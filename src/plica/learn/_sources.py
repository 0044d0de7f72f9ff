"""Where the batch of a step comes from: points dealt out by the seed, a function of the step, or a loader of torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plica._lazy import cached_property
from plica.learn._batches import BatchSampler
from plica.learn._loaders import Loaded
from plica.learn._points import Points, fingerprint, take, tensors

Draw = Callable[[int], Any]
"""From the number of a step, counted from 0, to its batch."""


class Sampled:
    """Points, each once in every epoch."""

    def __init__(self, points: Points, size: int, *, seed: int, at_least: int) -> None:
        self.points = points
        self._sampler = BatchSampler(len(points), size, seed=seed, at_least=at_least)

    @property
    def per_epoch(self) -> int:
        return self._sampler.per_epoch

    @property
    def example(self) -> Any:
        """One input, with batch axis."""
        return take(self.points.x, slice(0, 1))

    def batch(self, step: int) -> Points:
        import torch

        return self.points.take(torch.from_numpy(self._sampler.rows(step)))

    def first(self, n: int) -> Points:
        """Some points to look at."""
        return self.points.take(slice(0, n))

    def fingerprint(self) -> str:
        return self.points.fingerprint()


class Drawn:
    """Batches that a function makes from the number of the step; there are no epochs."""

    per_epoch = 0

    def __init__(self, draw: Draw) -> None:
        self.batch = draw

    @cached_property
    def _start(self) -> Any:
        return self.batch(0)

    @property
    def example(self) -> Any:
        found = next(tensors(self._start), None)
        return None if found is None else found[:1]

    def first(self, n: int) -> Any:
        return self._start

    def fingerprint(self) -> str:
        return fingerprint(self._start)


Source = Sampled | Drawn | Loaded
