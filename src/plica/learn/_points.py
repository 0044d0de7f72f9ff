"""Inputs and targets as tensors: one input, or a tuple or dictionary of inputs for models that take several."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from plica.data import Dataset
from plica.errors import InvalidInput
from plica.learn._state import all_finite

if TYPE_CHECKING:
    from torch import Tensor

Inputs = Any
"""A tensor, or a tuple or dictionary of tensors with one first axis: the arguments of the model."""


@dataclass(frozen=True)
class Points:
    """Inputs and targets as tensors."""

    x: Inputs
    y: Tensor

    def __len__(self) -> int:
        return len(self.y)

    def take(self, rows: Any) -> Points:
        """Some rows, by a slice or by their numbers."""
        return Points(take(self.x, rows), take(self.y, rows))

    def parts(self, size: int) -> Iterator[Points]:
        """All points in order, so many at a time."""
        return (self.take(slice(start, start + size)) for start in range(0, len(self), size))

    def fingerprint(self) -> str:
        """A hash of the contents: a run is resumed only on the data it began with."""
        return fingerprint((self.x, self.y))


def take(x: Inputs, rows: Any) -> Inputs:
    """Some rows of every input."""
    if isinstance(x, tuple):
        return tuple(take(part, rows) for part in x)
    if isinstance(x, dict):
        return {name: take(part, rows) for name, part in x.items()}
    return x[rows] if isinstance(rows, slice) else x.index_select(0, rows)


def call(model: Any, x: Inputs) -> Any:
    """The model's output: a tuple gives its arguments in order, a dictionary by name."""
    if isinstance(x, tuple):
        return model(*x)
    return model(**x) if isinstance(x, dict) else model(x)


def tensors(batch: Any) -> Iterator[Any]:
    """All arrays and tensors in nested tuples, lists, dictionaries and points, in order."""
    if isinstance(batch, Points):
        batch = (batch.x, batch.y)
    if isinstance(batch, dict):
        batch = [batch[name] for name in sorted(batch, key=str)]
    if isinstance(batch, tuple | list):
        for part in batch:
            yield from tensors(part)
    elif hasattr(batch, "shape"):
        yield batch


def fingerprint(batch: Any) -> str:
    """A hash of the contents of a batch."""
    digest = sha256()
    for part in tensors(batch):
        array = np.ascontiguousarray(part if isinstance(part, np.ndarray) else part.detach().cpu().numpy())
        digest.update(f"{array.dtype}{array.shape}".encode())
        digest.update(array.data)
    return digest.hexdigest()


def as_points(data: Any, model: Any, *, what: str = "data") -> Points:
    """A data set, or a pair of inputs and targets, in the type of the model's parameters."""
    import torch

    if isinstance(data, Points):
        return data
    if isinstance(data, Dataset):
        if data.y is None:
            raise InvalidInput(f"data set {data.name!r} has nothing to predict.", hint="give a pair (x, y)")
        data = (data.x, data.y)
    if not (isinstance(data, tuple | list) and len(data) == 2):
        raise InvalidInput(
            f"{what} is a {type(data).__name__}.",
            hint="a plica.data.Dataset, a pair (x, y), a DataLoader, or a function from the number of a step to its batch",
        )
    parameter = next(iter(model.parameters()), None)
    kind, device = (torch.get_default_dtype(), None) if parameter is None else (parameter.dtype, parameter.device)

    def as_tensor(part: Any, name: str) -> Any:
        found = part.detach() if isinstance(part, torch.Tensor) else _numbers(part, f"the {name} of {what}")
        if not found.ndim:
            raise InvalidInput(f"the {name} of {what} are one number.", hint="arrays with one row for each point")
        if found.is_floating_point() or (name != "targets" and found.dtype == torch.uint8):
            found = found.to(kind)
        if found.is_floating_point() and not all_finite(found):
            raise InvalidInput(f"the {name} of {what} hold NaN or infinity.", hint="remove these rows")
        return (found.long() if name == "targets" and not found.is_floating_point() else found).to(device)

    x, y = data
    if isinstance(x, dict):
        inputs: Inputs = {name: as_tensor(part, "inputs") for name, part in x.items()}
    else:
        inputs = tuple(as_tensor(part, "inputs") for part in x) if isinstance(x, tuple) else as_tensor(x, "inputs")
    target = as_tensor(y, "targets")
    sizes = {len(part) for part in tensors(inputs)}
    if sizes != {len(target)} or not len(target):
        shown = " and ".join(map(str, sorted(sizes))) or "no"
        raise InvalidInput(f"{what} has {shown} inputs and {len(target)} targets.", hint="the same number, at least one")
    return Points(inputs, target)


def _numbers(part: Any, where: str) -> Any:
    import torch

    try:
        return torch.as_tensor(np.asarray(part))
    except (TypeError, ValueError):
        raise InvalidInput(f"{where} are no numbers.", hint="numbers; a class is 0, 1, ...") from None


def batch_reader(model: Any) -> Callable[[Any], Points]:
    """What makes points of a batch; one that has the right types already is not looked at, as NaN shows in its loss."""
    import torch

    parameter = next(iter(model.parameters()))
    kind, device = parameter.dtype, parameter.device

    def read(batch: Any) -> Points:
        if isinstance(batch, list | tuple) and len(batch) == 2:
            x, y = batch
            if isinstance(x, torch.Tensor) and isinstance(y, torch.Tensor) and x.dtype == kind and y.dtype in (torch.int64, kind):
                if x.ndim and y.ndim and x.device == y.device == device and len(x) == len(y) > 0:
                    return Points(x, y)
            return as_points((tuple(x), y) if isinstance(x, list) else batch, model, what="a batch")  # of pairs torch makes lists
        size = f" of {len(batch)}" if isinstance(batch, list | tuple) else ""
        raise InvalidInput(
            f"the batches of the loader are a {type(batch).__name__}{size}, not a pair (x, y).",
            hint="objective=lambda model, batch: ... says what to make small",
        )

    return read


def check_finite(batch: Any) -> None:
    """Refuse points that no loss could be finite for."""
    if isinstance(batch, Points):
        for name, part in (("inputs", batch.x), ("targets", batch.y)):
            if not all(all_finite(t) for t in tensors(part) if t.is_floating_point()):
                raise InvalidInput(f"the {name} of data hold NaN or infinity.", hint="remove these rows")


def divide(points: Points, share: float, seed: int) -> tuple[Points, Points]:
    """Training points and a validation set that holds ``share`` of them."""
    import torch

    n = round(share * len(points))
    if not 0 < n < len(points):
        raise InvalidInput(f"validation = {share} of {len(points)} points.", hint="a share in (0, 1) that leaves some of both")
    order = torch.as_tensor(np.random.default_rng((seed, 0x5EED)).permutation(len(points)))
    return points.take(order[n:]), points.take(order[:n])
