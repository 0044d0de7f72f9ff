"""One cell in full, for networks too large to send every map along with the picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica.errors import InvalidInput
from plica.web._limits import Limits
from plica.web._picture import decomposed
from plica.web._scene import Scene


def describe_cell(scene: Scene, index: int, limits: Limits) -> dict[str, Any]:
    """The affine map along the picture, the size, the gradient's norm in the input space and the pattern of one cell."""
    if scene.network is None:
        raise InvalidInput("a network with tanh has no cells.", hint="choose a piecewise-linear activation")
    cx = decomposed(scene, limits)
    if not 0 <= index < cx.n_cells:
        raise InvalidInput(f"there is no cell {index}; cells are numbered 0 to {cx.n_cells - 1}.")
    cell = cx.cells[index]
    k = scene.state.output
    slopes, constant = cell.slice_map
    active = [int((np.asarray(layer) > 0).sum()) for layer in cell.pattern]
    units = [int(np.asarray(layer).size) for layer in cell.pattern]
    facts = {"slopes": slopes[k].tolist(), "constant": float(constant[k]), "size": cell.size, "active": active, "units": units}
    if scene.n_inputs <= 4096:
        matrix, _ = cell.affine_map
        facts["input_gradient"] = float(np.linalg.norm(matrix[k]))
    if sum(units) <= 4096:
        facts["pattern"] = ["".join(map(str, np.asarray(layer).ravel().tolist())) for layer in cell.pattern]
    return facts
