"""``prune_network``: a network with fewer weights, trained again if asked: the same for files from anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from plica.errors import InvalidInput
from plica.learn import evaluate, fit
from plica.network import Network, from_torch, to_torch
from plica.sparse._masks import Masks, apply_masks, densities, density, is_collapsed, kept, n_kept
from plica.sparse._prune import METHODS, prune
from plica.sparse._structured import prune_units

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True, eq=False)
class Pruned:
    """A network that lost weights.

    Attributes
    ----------
    network, original
        After and before.
    masks
        Which of the matrices' and kernels' entries stay, by the names of layers.
    accuracy
        Before, after pruning, and after training again, on the given data; None where there are no labels.
    """

    network: Network
    original: Network
    method: str
    masks: Masks
    accuracy: tuple[float | None, float | None, float | None] = (None, None, None)

    @property
    def density(self) -> float:
        """The share of the weights that stays."""
        return density(self.masks)

    def to_dict(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "density": self.density,
            "n_kept": n_kept(self.masks),
            "n_weights": sum(m.numel() for m in self.masks.values()),
            "densities": densities(self.masks),
            "is_collapsed": is_collapsed(self.masks),
            "accuracy": list(self.accuracy),
        }

    def __repr__(self) -> str:
        return f"<Pruned by {self.method}: {n_kept(self.masks):,} weights stay, {self.density:.2%}>"

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        return facts_html(self, self.to_dict())


def prune_network(
    network: Network,
    method: str,
    density: float,
    *,
    scope: str = "global",
    data: tuple[Any, Any] | None = None,
    epochs: int = 0,
    rate: float = 1e-3,
    seed: int = 0,
) -> Pruned:
    """Take weights out of a network and, if asked, train those that stay.

    Parameters
    ----------
    network
        Any; for ``"units"`` a chain of layers.
    method
        ``"magnitude"``, ``"random"``, ``"snip"``, ``"grasp"``, ``"synflow"``, or ``"units"`` for whole hidden units and channels.
    density
        The share of matrices and kernels that stays.
    scope
        As in :func:`prune`.
    data
        Inputs and classes: the batch of SNIP and GraSP, what accuracy is measured on, and what is trained with.
    epochs, rate
        Of Adam, on weights that stay; in float32.
    seed
        Of random scores and of the order of batches.

    Examples
    --------
    >>> import plica
    >>> prune_network(plica.random_network([8, 32, 16, 4], seed=0), "magnitude", 0.1)
    <Pruned by magnitude: 83 weights stay, 9.98%>
    """
    import torch

    if method not in (*METHODS, "units"):
        raise InvalidInput(f"method = {method!r}.", hint=f"one of {', '.join((*METHODS, 'units'))}")
    if epochs < 0 or (epochs and data is None):
        raise InvalidInput(f"{epochs} epochs without data.", hint="data=(x, y), or epochs=0")
    module = to_torch(network)
    pair = None if data is None else _points(network, data)
    before = _accuracy(module, pair)
    batch = None if pair is None else (torch.as_tensor(pair[0]), torch.as_tensor(pair[1]))
    if batch is None and method == "synflow":
        batch = (torch.zeros(1, *network.input_shape), torch.zeros(1))
    if method == "units":
        masks = prune_units(module, density)
        _silence(module, masks)
    else:
        masks = prune(module, method, density, scope=scope, data=batch, seed=seed)
    apply_masks(module, masks)
    after, trained = _accuracy(module, pair), None
    if epochs:
        module = module.float()
        with kept(module, masks):
            fit(module, pair, epochs=epochs, rate=rate, seed=seed)
        trained = _accuracy(module, pair)
    example = torch.zeros(1, *network.input_shape, dtype=next(module.parameters()).dtype)
    return Pruned(from_torch(module.eval(), example_input=example), network, method, masks, (before, after, trained))


def _points(network: Network, data: tuple[Any, Any]) -> tuple[Any, Any]:
    x, y = np.asarray(data[0], dtype=np.float64), np.asarray(data[1])
    if len(x) != len(y) or not len(x) or x[0].size != network.n_inputs or y.dtype.kind not in "iu":
        raise InvalidInput(
            f"data of shape {x.shape} with targets {y.shape} of {y.dtype}.",
            hint=f"inputs of shape {network.input_shape}, and the number of a class for each",
        )
    return x.reshape(len(x), *network.input_shape), y.astype(np.int64)


def _accuracy(module: nn.Module, pair: tuple[Any, Any] | None) -> float | None:
    return None if pair is None else evaluate(module, pair).accuracy


def _silence(module: nn.Module, masks: Masks) -> None:
    """Units without weights have no biases either: their outputs are 0 and nothing reads them."""
    parameters = dict(module.named_parameters())
    for name, mask in masks.items():
        bias = parameters.get(name.removesuffix("weight") + "bias")
        if bias is not None and bias.dim() == 1 and name.endswith("weight"):
            bias.data.masked_fill_(~mask.flatten(1).any(dim=1), 0.0)
