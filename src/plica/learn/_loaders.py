"""Loaders of torch: batches in the order of a seed, to train on and to hold out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from plica._lazy import cached_property
from plica.errors import InvalidInput
from plica.learn._batches import step_seed
from plica.learn._points import Points, fingerprint, take, tensors

_EPOCHS = 2**40  # seeds of epochs are other ones than those of steps


def is_loader(data: Any) -> bool:
    """Whether something is a ``DataLoader``, or the like of it."""
    return hasattr(data, "__iter__") and hasattr(data, "__len__") and hasattr(data, "dataset")


def n_batches(loader: Any) -> int:
    """How many batches an epoch has; a loader that cannot say is refused, as a run could not go on in its middle."""
    try:
        found = len(loader)
    except TypeError:
        raise InvalidInput(
            "the loader has no length: its data are a stream.", hint="a function from the number of a step to its batch"
        ) from None
    if not found:
        raise InvalidInput("the loader is empty.", hint="more points, or drop_last=False")
    if getattr(loader, "batch_size", 1) is None and getattr(loader, "batch_sampler", None) is None:
        raise InvalidInput("the loader gives single points.", hint="DataLoader(..., batch_size=32)")
    return found


class HeldLoader:
    """Batches that are held out, in the same order every time."""

    def __init__(self, loader: Any, as_points: Callable[[Any], Any]) -> None:
        n_batches(loader)
        self.loader, self._as_points = loader, as_points

    def parts(self, size: int) -> Iterator[Any]:
        """The batches as the loader makes them."""
        import torch

        with torch.random.fork_rng(devices=[]):
            torch.random.default_generator.manual_seed(0)
            if getattr(self.loader, "generator", None) is not None:
                self.loader.generator.manual_seed(0)
            for batch in self.loader:
                yield self._as_points(batch)


class Loaded:
    """Batches of a ``DataLoader``, epoch after epoch.

    Its order is that of the seed of the run and the epoch: torch's generators are set before an epoch is begun, so a run that
    goes on finds the batches that it would have had.
    """

    def __init__(self, loader: Any, *, seed: int, as_points: Callable[[Any], Any]) -> None:
        self.loader, self.seed, self._as_points = gathered(loader), seed, as_points
        self.per_epoch = n_batches(loader)
        self._epoch, self._place = -1, 0
        self._rest: Iterator[Any] = iter(())

    def batch(self, step: int) -> Any:
        import torch

        epoch, place = divmod(step, self.per_epoch)
        if epoch != self._epoch or place < self._place:
            self._begin(epoch)
        while self._place < place:
            with torch.random.fork_rng(devices=[]):  # what is passed over takes no random numbers from what is not
                next(self._rest)
            self._place += 1
        self._place += 1
        return self._as_points(next(self._rest))

    def _begin(self, epoch: int) -> None:
        import torch

        seed = step_seed(self.seed, _EPOCHS + epoch)
        with torch.random.fork_rng(devices=[]):
            torch.random.default_generator.manual_seed(seed)
            if getattr(self.loader, "generator", None) is not None:
                self.loader.generator.manual_seed(seed)
            batches = iter(self.loader)
            self._rest = chain([next(batches)], batches)  # a sampler draws the order with its first batch
            self._epoch, self._place = epoch, 0

    @cached_property
    def _start(self) -> Any:
        found = self.batch(0)
        self._epoch = -1  # the epoch begins anew when it is trained on
        return found

    @property
    def example(self) -> Any:
        start = self._start
        if isinstance(start, Points):
            return take(start.x, slice(0, 1))
        found = next(tensors(start), None)
        return None if found is None else found[:1]

    def first(self, n: int) -> Any:
        start = self._start
        return start.take(slice(0, n)) if isinstance(start, Points) else start

    def fingerprint(self) -> str:
        return fingerprint(self._start)


class Gathered:
    """The batches of a loader of tensors, in its order: rows that it would stack one by one are taken together."""

    def __init__(self, loader: Any, parts: Sequence[Any]) -> None:
        self.parts, self.batch_sampler, self.generator = parts, loader.batch_sampler, loader.generator

    def __iter__(self) -> Iterator[Any]:
        import torch

        torch.empty((), dtype=torch.int64).random_(generator=self.generator)  # torch's loader draws a seed for its workers first
        for rows in self.batch_sampler:
            index = torch.tensor(rows)
            yield [part.index_select(0, index) for part in self.parts]


def gathered(loader: Any) -> Any:
    """The loader, or, where it is a plain one of tensors, what gives the same batches in less time."""
    from torch.utils.data import DataLoader, TensorDataset, default_collate

    plain = type(loader) is DataLoader and type(loader.dataset) is TensorDataset and loader.collate_fn is default_collate
    if not plain or loader.num_workers or loader.pin_memory or loader.batch_sampler is None:
        return loader
    parts = loader.dataset.tensors
    if any(part.device.type != "cpu" or part.is_sparse or part.requires_grad for part in parts):
        return loader
    return Gathered(loader, parts)
