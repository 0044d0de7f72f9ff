"""Plain networks to train."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from plica.errors import InvalidInput

if TYPE_CHECKING:
    from torch import nn


def mlp(
    widths: Sequence[int],
    *,
    seed: int = 0,
    weights: str = "torch-default",
    bias_std: float | None = None,
    dropout: float = 0.0,
    batch_norm: bool = False,
    flatten: bool = False,
    dtype: Any = None,
) -> nn.Sequential:
    """A fully connected ReLU network as a torch module.

    Parameters
    ----------
    widths
        Of the input, the hidden layers and the output.
    seed, weights, bias_std
        As in :func:`plica.random_network`.
    dropout
        The probability of setting a hidden unit to zero while training.
    batch_norm
        Whether hidden pre-activations are normalized over the batch.
    flatten
        Whether inputs are images that are flattened first.
    dtype
        Of the parameters; ``torch.float32`` if not given.

    Examples
    --------
    >>> mlp([2, 3, 1])
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
      (2): Linear(in_features=3, out_features=1, bias=True)
    )
    """
    import torch
    from torch import nn

    from plica.network import random_network

    if not 0 <= dropout < 1:
        raise InvalidInput(f"dropout = {dropout}.", hint="a probability in [0, 1)")
    dtype = torch.float32 if dtype is None else dtype
    settings: dict[str, Any] = {} if bias_std is None else {"bias_std": bias_std}
    network = random_network(list(widths), seed=seed, weights=weights, **settings)
    drawn = network.dense_layers
    layers: list[nn.Module] = [nn.Flatten()] if flatten else []
    for i, ((n_in, n_out), op) in enumerate(zip(pairwise(widths), drawn, strict=True)):
        layer = nn.Linear(n_in, n_out, device="meta")  # nothing is drawn for it
        bias = np.zeros(n_out) if op.bias is None else op.bias
        layer.weight, layer.bias = (nn.Parameter(torch.tensor(x, dtype=dtype)) for x in (op.weight, bias))
        layers.append(layer)
        if i < len(drawn) - 1:
            layers += [nn.BatchNorm1d(n_out, dtype=dtype)] if batch_norm else []
            layers.append(nn.ReLU())
            layers += [nn.Dropout(dropout)] if dropout else []
    return nn.Sequential(*layers)
