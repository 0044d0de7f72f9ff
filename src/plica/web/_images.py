"""Rows of the user's data as small images, to choose the plane's three corners from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.web._picture import image_shape
from plica.web._scene import load_model, load_rows
from plica.web._state import State

MOST = 40
"""Images of one page."""
MOST_BYTES = 600_000


def images(state: State, first: int, file: Callable[[str], bytes]) -> tuple[dict[str, Any], dict[str, Array]]:
    """Some rows from ``first`` on as gray or red, green and blue values from 0 to 255, and the class that the model gives each.

    Raises
    ------
    InvalidInput
        There is no model, there are no rows, or they are no images.
    """
    if state.data != "model" or not state.rows:
        raise InvalidInput("there are no rows to choose from.", hint="drop a model and a .npy file with inputs for it")
    network = load_model(state.model, file)
    rows = load_rows(state.rows, file, network)
    shape = image_shape(network)
    if shape is None:
        raise InvalidInput(f"rows of {network.n_inputs} numbers are no images.", hint="name three rows under Plane through rows")
    few = min(MOST, max(3, MOST_BYTES // network.n_inputs))
    first = min(first, max(len(rows) - 1, 0)) // few * few
    shown = rows[first : first + few]
    low, high = float(rows.min()), float(rows.max())
    gray = np.clip(255 * (shown - low) / ((high - low) or 1.0), 0, 255).astype(np.uint8)
    outputs = network(shown).reshape(len(shown), -1)
    classes = outputs.argmax(axis=1) if outputs.shape[1] > 1 else (outputs[:, 0] > 0).astype(int)
    facts = {"image": list(shape), "first": first, "few": few, "n_rows": len(rows), "classes": classes.tolist()}
    return facts, {"images": gray}
