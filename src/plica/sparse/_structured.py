"""Whole units: hidden units and channels of a chain of layers, with all that reads them. These can really be taken out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plica.errors import InvalidInput
from plica.sparse._masks import Masks, full_masks, weights

if TYPE_CHECKING:
    from torch import Tensor, nn


@dataclass(frozen=True)
class Hidden:
    """A layer of units: the parameter whose rows make them, and the one whose columns read them, ``block`` for each unit."""

    made_by: str
    read_by: str
    n_units: int
    block: int


def hidden_layers(model: nn.Module) -> list[Hidden]:
    """The hidden layers of a chain of linear layers and convolutions, in the order of the module's parameters.

    Examples
    --------
    >>> from plica.learn import mlp
    >>> hidden_layers(mlp([4, 8, 2]))
    [Hidden(made_by='0.weight', read_by='2.weight', n_units=8, block=1)]
    """
    names, ws = zip(*weights(model).items(), strict=True)
    found = []
    for a, b, before, after in zip(names, names[1:], ws, ws[1:], strict=False):
        block, rest = divmod(after.shape[1], before.shape[0])
        if rest or not block:
            raise InvalidInput(
                f"{b!r} does not read the units of {a!r}: the model is not a chain of layers.", hint="prune single weights"
            )
        found.append(Hidden(a, b, before.shape[0], block))
    return found


def unit_scores(model: nn.Module) -> dict[str, Tensor]:
    """For each hidden layer, by the name of the parameter that makes it: |incoming weights| |outgoing weights| of its units.

    The product does not change when a unit is scaled up and its readers are scaled down.
    """
    ws, found = weights(model), {}
    for layer in hidden_layers(model):
        incoming = ws[layer.made_by].detach().flatten(1).norm(dim=1)
        columns = ws[layer.read_by].detach().flatten(2) if ws[layer.read_by].dim() > 2 else ws[layer.read_by].detach()[:, :, None]
        grouped = columns.reshape(len(columns), layer.n_units, -1)
        found[layer.made_by] = incoming * grouped.permute(1, 0, 2).flatten(1).norm(dim=1)
    return found


def prune_units(model: nn.Module, density: float) -> Masks:
    """Masks without whole units: every hidden layer keeps the same share of them, as large as the density allows.

    The units with the largest :func:`unit_scores` stay, at least one in each layer. The density counts weights, as everywhere.

    Examples
    --------
    >>> from plica.learn import mlp
    >>> from plica.sparse import density
    >>> masks = prune_units(mlp([784, 300, 100, 10]), 0.1)
    >>> [int(m.any(dim=1).sum()) for m in masks.values()], density(masks) <= 0.1
    ([33, 11, 10], True)
    """
    if not 0 < density <= 1:
        raise InvalidInput(f"density = {density}.", hint="a share of the weights, in (0, 1]")
    layers, scores = hidden_layers(model), unit_scores(model)
    if not layers:
        raise InvalidInput("the model has no hidden units.", hint="at least two layers")
    total = sum(w.numel() for w in weights(model).values())
    shares = sorted({k / h.n_units for h in layers for k in range(1, h.n_units + 1)}, reverse=True)
    for share in shares:
        masks = _without(model, layers, scores, share)
        if sum(int(m.sum()) for m in masks.values()) <= density * total:
            return masks
    return _without(model, layers, scores, 0.0)


def _without(model: nn.Module, layers: list[Hidden], scores: dict[str, Tensor], share: float) -> Masks:
    import torch

    masks = full_masks(model)
    for layer in layers:
        n = max(1, int(share * layer.n_units + 1e-9))
        gone = torch.argsort(scores[layer.made_by], descending=True, stable=True)[n:]
        masks[layer.made_by][gone] = False
        for j in range(layer.block):
            masks[layer.read_by][:, gone * layer.block + j] = False
    return masks
