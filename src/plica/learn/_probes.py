"""Looks at the geometry of a network while it trains, each at its own cadence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter as clock
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from torch import nn

    from plica.geometry import Budget, Complex, Domain
    from plica.network import Network

Numbers = dict[str, Any]
UNITS = ("epoch", "step")


@dataclass
class Look:
    """A moment of a training: the model in eval mode, and the network it is then."""

    model: nn.Module
    step: int
    epoch: int
    example: Any

    @cached_property
    def network(self) -> Network:
        """The exact network; made when the first probe asks, and shared by all."""
        return exact_network(self.model, self.example)


def exact_network(model: nn.Module, example: Any) -> Network:
    """The module as an exact network of its one input."""
    import torch

    from plica.network import from_torch

    if not isinstance(example, torch.Tensor):
        raise InvalidInput("a model of several inputs is no exact network.", hint="probe it with Measure(function=...)")
    return from_torch(model, example_input=example)


def _share(text: str) -> float:
    """The share of the time in "5 %" or "5 % of the time"."""
    number = text.partition("%")[0].strip()
    try:
        share = float(number) / 100
    except ValueError:
        share = 0.0
    if "%" not in text or not 0 < share < 1:
        raise InvalidInput(f"every = {text!r}.", hint="a number of epochs or steps, or a share of the time such as '5 %'")
    return share


@contextmanager
def resting(model: nn.Module) -> Iterator[None]:
    """The model in eval mode and without gradients; afterwards every module is in the mode it was in."""
    import torch

    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for module, mode in modes:
            module.training = mode


@dataclass(kw_only=True)
class Probe:
    """Something to measure now and then.

    Parameters
    ----------
    name
        The prefix of its columns in the history.
    every, unit
        The cadence: every ``every`` epochs or steps, from the start on; also at the end. ``every="5 %"`` looks when all looks,
        with one more as dear as the last, take at most that share of the time since the first: after every look but the first
        the share is kept, up to how much dearer that look was than the one before.
    at
        Epochs or steps to look at instead, at chosen moments.
    """

    name: str = ""
    every: int | str = 1
    unit: str = "epoch"
    at: Collection[int] | None = None
    n_looks: int = field(default=0, init=False, repr=False)
    seconds: float = field(default=0.0, init=False, repr=False)  # that the looks took

    default_name: ClassVar[str] = "probe"

    def __post_init__(self) -> None:
        self.name = self.name or self.default_name
        self._share = _share(self.every) if isinstance(self.every, str) else None
        self._since = self._last = 0.0
        if self.unit not in UNITS or (not isinstance(self.every, str) and self.every < 1):
            raise InvalidInput(
                f"probe {self.name!r} looks every {self.every} {self.unit}.", hint="every 1 or more, epoch or step; or '5 %'"
            )

    def is_due(self, count: int) -> bool:
        """Whether to look after ``count`` epochs or steps."""
        if self.at is not None:
            return count in self.at
        if self._share is not None:
            return not self.n_looks or self.seconds + self._last <= self._share * (clock() - self._since + self._last)
        assert isinstance(self.every, int)
        return count % self.every == 0

    def numbers(self, look: Look) -> Numbers:
        """What it finds, as columns of a history; the look is counted and timed."""
        start = clock()
        if not self.n_looks:
            self._since = start
        found = self.measure(look)
        self.n_looks += 1
        self._last = clock() - start
        self.seconds += self._last
        return {f"{self.name}_{key}" if key else self.name: value for key, value in found.items()}

    def look(self, model: nn.Module, x: Any, *, step: int = 0, epoch: int = 0) -> Numbers:
        """Look at a model from a loop of one's own: its columns, at this moment.

        The model is put into eval mode and afterwards back, module by module; no gradients are kept.

        Parameters
        ----------
        x
            A batch of inputs, or one with its batch axis; only the first is used, for its shape.

        Examples
        --------
        >>> import torch, plica
        >>> from plica.learn import Regions, mlp
        >>> Regions(domain=plica.Box([-1, -1], [1, 1])).look(mlp([2, 8, 1], seed=0), torch.zeros(1, 2))
        {'regions_n_cells': ..., 'regions_n_regions': ...}
        """
        with resting(model):
            return self.numbers(Look(model, step, epoch, x[:1] if hasattr(x, "shape") else x))

    def begin(self) -> None:
        """Forget everything of an earlier run."""
        self.n_looks, self.seconds = 0, 0.0
        self.reset()

    def reset(self) -> None:
        """Forget what was kept from an earlier run."""

    def memory(self) -> dict[str, Array]:
        """What a checkpoint must keep for the next look."""
        return {}

    def recall(self, memory: dict[str, Array]) -> None:
        """The inverse of :meth:`memory`."""

    def measure(self, look: Look) -> Numbers:
        """The numbers of this moment."""
        raise NotImplementedError


@dataclass(kw_only=True)
class Regions(Probe):
    """Cells and regions on a domain, counted exactly.

    With ``keep`` the complexes stay in ``frames``, as (step, epoch, complex), for pictures and animations.
    """

    domain: Domain
    keep: bool = False
    cells_only: bool = False
    budget: Budget | None = None
    frames: list[tuple[int, int, Complex]] = field(default_factory=list, repr=False)

    default_name = "regions"

    def reset(self) -> None:
        self.frames.clear()

    def measure(self, look: Look) -> Numbers:
        from plica.geometry import count_regions, decompose

        if self.keep:
            cx = decompose(look.network, self.domain, budget=self.budget)
            self.frames.append((look.step, look.epoch, cx))
            return {"n_cells": cx.n_cells, "n_regions": cx.n_regions}
        count = count_regions(look.network, self.domain, cells_only=self.cells_only, budget=self.budget)
        return {"n_cells": count.n_cells} | ({} if count.n_regions is None else {"n_regions": count.n_regions})


@dataclass(kw_only=True)
class FoldDistance(Probe):
    """The distance from points to the nearest fold, certified."""

    points: Any
    method: str = "auto"

    default_name = "fold_distance"

    def measure(self, look: Look) -> Numbers:
        from plica.measure import fold_distance

        found = fold_distance(look.network, np.asarray(self.points, dtype=np.float64), method=self.method).distance
        return {"mean": float(found.mean()), "median": float(np.median(found)), "min": float(found.min())}


@dataclass(kw_only=True)
class PathLength(Probe):
    """The length of a path's image, at the last layer and at the output, over its own length."""

    path: Any

    default_name = "length"

    def measure(self, look: Look) -> Numbers:
        from plica.measure import trajectory_length

        found = trajectory_length(look.network, self.path)
        last = {"last_layer": float(found.post[-1] / found.input)} if len(found.post) else {}
        return last | {"output": found.output / found.input}


@dataclass(kw_only=True)
class Patterns(Probe):
    """Activation patterns of points: how many differ, how many changed since the last look, how many units are never on."""

    points: Any

    default_name = "patterns"

    _before: Array | None = field(default=None, init=False, repr=False)

    def reset(self) -> None:
        self._before = None

    def memory(self) -> dict[str, Array]:
        return {} if self._before is None else {"before": self._before}

    def recall(self, memory: dict[str, Array]) -> None:
        self._before = memory.get("before")

    def measure(self, look: Look) -> Numbers:
        points = np.asarray(self.points, dtype=np.float64).reshape(len(self.points), -1)
        states = np.stack([np.concatenate([np.ravel(s) for s in look.network.pattern(x)]) for x in points]) != 0
        distinct = len({row.tobytes() for row in states})
        changed = None if self._before is None else float((states != self._before).mean())
        self._before = states
        return {"n_distinct": distinct, "share_changed": changed, "n_never_on": int((~states.any(axis=0)).sum())}


@dataclass(kw_only=True)
class Jacobians(Probe):
    """Singular values of the Jacobians at points: the mean largest one, the largest, and the mean squared Frobenius norm."""

    points: Any

    default_name = "jacobian"

    def measure(self, look: Look) -> Numbers:
        from plica.measure import jacobian

        points = np.asarray(self.points, dtype=np.float64).reshape(len(self.points), -1)
        spectra = [jacobian(look.network, x).singular_values for x in points]
        top = np.array([s[0] for s in spectra])
        return {
            "mean_norm": float(top.mean()),
            "max_norm": float(top.max()),
            "mean_square": float(np.mean([float((s**2).sum()) for s in spectra])),
        }


@dataclass(kw_only=True)
class Measure(Probe):
    """Any function of a :class:`Look` that returns a number or a dict of numbers."""

    function: Callable[[Look], Any]

    default_name = "measure"

    def measure(self, look: Look) -> Numbers:
        found = self.function(look)
        return found if isinstance(found, dict) else {"": found}
