"""What is given to a report, checked: points as rows of finite numbers, classes or targets."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.network import Network


def checked_rows(points: Any, network: Network) -> Array:
    """Points as rows of finite numbers, one for each input."""
    found = np.asarray(points)
    if found.dtype.kind not in "fiub":
        raise InvalidInput(f"data of type {found.dtype}.", hint="an array of real numbers, one input in each row")
    rows = found.reshape(len(found), -1) if found.ndim and found.size else found.reshape(1, -1)
    if rows.shape[1] != network.n_inputs or len(rows) < 3:
        raise InvalidInput(
            f"data of shape {found.shape} for a network with {network.n_inputs} inputs.",
            hint="three or more inputs, one in each row",
        )
    if not np.isfinite(rows).all():
        raise InvalidInput(
            f"row {int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])} of the data holds a value that is not finite.",
            hint="remove such rows",
        )
    return rows


def checked_answers(
    labels: Any, n_points: int, network: Network, names: tuple[str, ...]
) -> tuple[Array, None] | tuple[None, Array]:
    """Classes, or targets."""
    found = np.asarray(labels).reshape(-1)
    is_whole = found.dtype.kind in "iub"
    if len(found) != n_points or not (is_whole or (found.dtype.kind == "f" and network.n_outputs == 1)):
        hint = "one integer for each row of the data" + (", or the number that it should give" if network.n_outputs == 1 else "")
        raise InvalidInput(f"{len(found)} labels of type {found.dtype} for {n_points} points.", hint=hint)
    if not np.isfinite(found).all():
        raise InvalidInput("a label is not finite.", hint="remove such rows")
    if names and not (len(names) == network.n_outputs or (len(names) <= 2 and network.n_outputs == 1)):
        raise InvalidInput(
            f"{len(names)} kinds of labels ({', '.join(names[:5])}) for a network with {network.n_outputs} outputs.",
            hint="words name the outputs in the order of the alphabet; where some are missing, give numbers from 0",
        )
    if network.n_outputs == 1:
        kinds = np.unique(found)
        if not (is_whole and (set(kinds.tolist()) <= {0, 1} or set(kinds.tolist()) <= {-1, 1})):
            return None, found.astype(np.float64)
        return (found > 0).astype(int), None
    if found.min() < 0 or found.max() >= network.n_outputs:
        wrong = found[(found < 0) | (found >= network.n_outputs)][0]
        raise InvalidInput(
            f"label {wrong} for a network with {network.n_outputs} outputs.", hint="labels count the outputs from 0"
        )
    return found.astype(int), None
