r"""Directions in the space of weights: random, by eigenvectors, by an optimizer's path; normalized by filters.

Filter normalization (Li et al. 2018) gives every filter of a random direction the norm of the filter in the model. And biases?
When the layer before is scaled by c and a filter by 1/c, the filter's bias stays as it is: the two must not share one norm.
A bias is a filter of its own here, which keeps its magnitude and gets a random sign (all biases of a layer together, where whole
layers are normalized). Then scaling whole layers changes no picture. Parameters of batch norms do not move. Scaling single
units changes rows of the next layer unevenly: for these, take the model in its balanced form first
(:func:`plica.landscape.balanced`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.network import Network, to_torch

if TYPE_CHECKING:
    from torch import nn

Normalize = Literal["filter", "layer", "none"]


@dataclass(frozen=True, eq=False)
class Direction:
    """A direction: an array for each named parameter of a module.

    Attributes
    ----------
    parts
        Arrays by the names of the parameters.
    name
        What it is.
    """

    parts: Mapping[str, Array]
    name: str = ""

    @property
    def vector(self) -> Array:
        """All entries in a row."""
        return np.concatenate([p.reshape(-1) for p in self.parts.values()])

    @property
    def norm(self) -> float:
        return float(np.linalg.norm(self.vector))

    def __mul__(self, factor: float) -> Direction:
        return Direction({k: factor * v for k, v in self.parts.items()}, self.name)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"<Direction {self.name or 'in'} {len(self.vector):,} parameters, norm {self.norm:.4g}>"


def as_module(model: Any) -> nn.Module:
    """A torch module in eval mode and double precision; networks are converted, modules copied."""
    module = to_torch(model) if isinstance(model, Network) else deepcopy(model)
    module.eval()
    module.double()
    return module


def parameters_of(model: Any) -> dict[str, Array]:
    """The parameters by name, as float64 arrays."""
    module = as_module(model)
    return {name: p.detach().numpy().astype(np.float64) for name, p in module.named_parameters()}


def moved(model: Any, *steps: tuple[float, Direction]) -> nn.Module:
    """A copy of the model, in double precision, moved along directions.

    Examples
    --------
    >>> from plica.learn import mlp
    >>> model = mlp([2, 3, 1])
    >>> d = random_direction(model, seed=0)
    >>> there = moved(model, (2.0, d))
    >>> bool(np.allclose(there[0].bias.detach().numpy(), model[0].bias.detach().numpy() + 2 * d.parts["0.bias"]))
    True
    """
    import torch

    module = as_module(model)
    with torch.no_grad():
        for name, p in module.named_parameters():
            for s, d in steps:
                p.add_(torch.as_tensor(s * d.parts[name], dtype=p.dtype))
    return module


def from_vector(model: Any, vector: Array, name: str = "") -> Direction:
    """A direction from all its entries in a row."""
    parts, first = {}, 0
    for key, p in parameters_of(model).items():
        parts[key] = np.asarray(vector[first : first + p.size], dtype=np.float64).reshape(p.shape)
        first += p.size
    if first != len(vector):
        raise InvalidInput(f"{len(vector)} entries for {first} parameters.")
    return Direction(parts, name)


def random_direction(model: Any, *, seed: int, normalize: Normalize = "filter") -> Direction:
    """A Gaussian direction, normalized by filters unless told otherwise.

    Examples
    --------
    >>> from plica.learn import mlp
    >>> model = mlp([2, 3, 1])
    >>> d = random_direction(model, seed=0)
    >>> sizes = [np.linalg.norm(v, axis=1) for v in (model[0].weight.detach().numpy(), d.parts["0.weight"])]
    >>> bool(np.allclose(*sizes)), bool(np.allclose(model[0].bias.abs().detach(), np.abs(d.parts["0.bias"])))
    (True, True)
    """
    parameters = parameters_of(model)
    rng = np.random.default_rng(seed)
    drawn = Direction({k: np.asarray(rng.normal(size=p.shape)) for k, p in parameters.items()}, "random")
    return normalized(drawn, parameters, normalize)


def normalized(direction: Direction, parameters: Mapping[str, Array], how: Normalize = "filter") -> Direction:
    """The direction with the norms of the parameters: filter by filter, or layer by layer."""
    if how not in ("filter", "layer", "none"):
        raise InvalidInput(f"unknown normalization {how!r}.", hint="'filter', 'layer' or 'none'")
    if how == "none":
        return direction
    parts: dict[str, Array] = {}
    for name, p in parameters.items():
        d = direction.parts[name]
        weight = parameters.get(name.removesuffix("bias") + "weight") if name.endswith("bias") else None
        if p.ndim < 2 and (weight is None or weight.ndim < 2):
            parts[name] = np.zeros_like(p)  # of a norm
            continue
        rows = (1, -1) if how == "layer" else (len(p), -1)
        sizes = [np.sqrt((a.reshape(rows) ** 2).sum(axis=1)) for a in (p, d)]
        factor = sizes[0] / np.where(sizes[1] > 0, sizes[1], 1.0)
        parts[name] = (factor[:, None] * d.reshape(rows)).reshape(p.shape)
    return Direction(parts, f"{direction.name}, {how} normalized".lstrip(", "))


def toward(a: Any, b: Any) -> Direction:
    """The difference of two models: 0 is a, 1 is b."""
    p, q = parameters_of(a), parameters_of(b)
    if {k: v.shape for k, v in p.items()} != {k: v.shape for k, v in q.items()}:
        raise InvalidInput("models with different parameters have no difference.")
    return Direction({k: q[k] - p[k] for k in p}, "toward another model")


@dataclass(frozen=True, eq=False)
class Trajectory:
    """An optimizer's path in the plane that explains most of it.

    Attributes
    ----------
    directions
        Principal directions of the steps seen from the last state, of length 1.
    path
        The states in these coordinates (states, directions); the last one is 0.
    explained
        The share of the squared distances to the last state that each direction explains.
    """

    directions: tuple[Direction, ...]
    path: Array
    explained: Array

    def __repr__(self) -> str:
        return (
            f"<Trajectory of {len(self.path)} states: {self.explained.sum():.1%} explained by {len(self.directions)} directions>"
        )


def trajectory(states: Sequence[Any], *, n_directions: int = 2) -> Trajectory:
    """Principal directions of models on the way to the last of them.

    Examples
    --------
    >>> from plica.learn import mlp
    >>> path = trajectory([mlp([2, 3, 1], seed=s) for s in range(5)])
    >>> path.path.shape, bool(np.allclose(path.path[-1], 0)), bool(0 < path.explained.sum() <= 1)
    ((5, 2), True, True)
    """
    if len(states) < 2:
        raise InvalidInput(f"{len(states)} states are no path.", hint="give the models, or their copies, in order")
    vectors = np.stack([np.concatenate([p.reshape(-1) for p in parameters_of(s).values()]) for s in states])
    centered = vectors - vectors[-1]
    _, sizes, rows = np.linalg.svd(centered, full_matrices=False)
    k = min(n_directions, len(rows))
    total = float((sizes**2).sum())
    found = tuple(from_vector(states[-1], rows[i], f"principal direction {i + 1}") for i in range(k))
    return Trajectory(found, centered @ rows[:k].T, sizes[:k] ** 2 / (total if total > 0 else 1.0))
