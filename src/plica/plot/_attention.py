"""Where attention looks: weights as a picture, with the names of queries and keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MAGNITUDES
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NAMES = 60  # more would lie on one another


def plot_attention(
    weights: Any, *, queries: Sequence[str] | None = None, keys: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """The weights (queries, keys) of one head, darker where it looks; the scale is from 0 to the largest.

    Examples
    --------
    >>> import torch, plica
    >>> from plica.models.attention import Block
    >>> model = torch.nn.Sequential(Block(8, 2))
    >>> with plica.record(model) as seen:
    ...     _ = model(torch.randn(1, 3, 8))
    >>> plot_attention(seen[0].weights[0, 1], keys=["a", "b", "c"]).get_xlabel()
    'keys'
    """
    import matplotlib.pyplot as plt

    values = np.asarray(weights.detach().cpu() if hasattr(weights, "detach") else weights, dtype=np.float64)
    if values.ndim != 2 or not np.isfinite(values).all():
        raise InvalidInput(f"weights of shape {values.shape}.", hint="give those of one head: record[layer].weights[batch, head]")
    for name, names, n in (("queries", queries, values.shape[0]), ("keys", keys, values.shape[1])):
        if names is not None and len(names) != n:
            raise InvalidInput(f"{len(names)} names for {n} {name}.")
    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    ax.imshow(values, cmap=MAGNITUDES, aspect="auto", vmin=min(0.0, float(values.min())))
    if keys is not None and len(keys) <= MOST_NAMES:
        ax.set_xticks(range(len(keys)), keys, rotation=60 if max(map(len, keys)) > 1 else 0, ha="center", fontsize=7)
    if queries is not None and len(queries) <= MOST_NAMES:
        ax.set_yticks(range(len(queries)), queries, fontsize=7)
    ax.set_xlabel("keys")
    ax.set_ylabel("queries")
    return ax
