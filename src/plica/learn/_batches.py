"""Data as tensors, and the order in which a seed deals them out."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from plica.data import Dataset
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Points:
    """Inputs and targets as tensors."""

    x: Tensor
    y: Tensor

    def __len__(self) -> int:
        return len(self.x)

    def fingerprint(self) -> str:
        """A hash of the contents: a run is resumed only on the data it began with."""
        digest = sha256()
        for part in (self.x, self.y):
            array = np.ascontiguousarray(part.cpu().numpy())
            digest.update(f"{array.dtype}{array.shape}".encode())
            digest.update(array.data)
        return digest.hexdigest()


def as_points(data: Any, model: Any, *, what: str = "data") -> Points:
    """A data set, or a pair of arrays or tensors, in the type of the model's parameters."""
    import torch

    if isinstance(data, Dataset):
        if data.y is None:
            raise InvalidInput(f"data set {data.name!r} has nothing to predict.", hint="give a pair (x, y)")
        data = (data.x, data.y)
    if not (isinstance(data, tuple | list) and len(data) == 2):
        raise InvalidInput(f"{what} is a {type(data).__name__}.", hint="a plica.data.Dataset, or a pair (x, y)")
    parameter = next(iter(model.parameters()), None)
    kind, device = (torch.get_default_dtype(), None) if parameter is None else (parameter.dtype, parameter.device)
    x, y = (part.detach() if isinstance(part, torch.Tensor) else torch.as_tensor(np.asarray(part)) for part in data)
    if x.is_floating_point() or x.dtype == torch.uint8:
        x = x.to(kind)
    y = y.to(kind) if y.is_floating_point() else y.long()
    x, y = x.to(device), y.to(device)
    if len(x) != len(y) or not len(x):
        raise InvalidInput(f"{what} has {len(x)} inputs and {len(y)} targets.", hint="the same number, at least one")
    for name, part in (("inputs", x), ("targets", y)):
        if part.is_floating_point() and not bool(torch.isfinite(part).all()):
            raise InvalidInput(f"the {name} of {what} hold NaN or infinity.", hint="remove these rows")
    return Points(x, y)


def divide(points: Points, share: float, seed: int) -> tuple[Points, Points]:
    """Training points and a validation set that holds ``share`` of them."""
    import torch

    n = round(share * len(points))
    if not 0 < n < len(points):
        raise InvalidInput(f"validation = {share} of {len(points)} points.", hint="a share in (0, 1) that leaves some of both")
    order = torch.as_tensor(np.random.default_rng((seed, 0x5EED)).permutation(len(points)))
    kept, held = order[n:], order[:n]
    return Points(points.x[kept], points.y[kept]), Points(points.x[held], points.y[held])


def batches(n_points: int, size: int, *, seed: int, epoch: int, at_least: int = 1) -> list[Any]:
    """The rows of each batch of an epoch: a permutation that depends on the seed and the epoch alone.

    A last batch with fewer than ``at_least`` rows joins the one before: batch normalization cannot do with one.

    Examples
    --------
    >>> [len(rows) for rows in batches(7, 3, seed=0, epoch=1)]
    [3, 3, 1]
    >>> [len(rows) for rows in batches(7, 3, seed=0, epoch=1, at_least=2)]
    [3, 4]
    """
    import torch

    order = torch.as_tensor(np.random.default_rng((seed, epoch)).permutation(n_points))
    parts = list(order.split(size))
    if len(parts) > 1 and len(parts[-1]) < at_least:
        last = parts.pop()
        parts[-1] = torch.cat([parts[-1], last])
    return parts


def step_seed(seed: int, step: int) -> int:
    """The seed of a step's random numbers (dropout), so that a run can go on from any step."""
    return int(np.random.SeedSequence((seed, step)).generate_state(1, np.uint64)[0] >> np.uint64(1))
