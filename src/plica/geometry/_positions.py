"""Coordinates of vertices where floating point lost them: two folds that differ in the last bit meet somewhere.

Topology never depends on coordinates, so they are repaired only when somebody asks for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica.exact import to_float
from plica.geometry._exactmap import ExactMap
from plica.geometry._tensors import Tensor

Array = np.ndarray[Any, np.dtype[Any]]
ACCURACY = 1e-6  # a coordinate known less well than this part of the window is computed exactly


def lost_vertices(parameters: Tensor, exact: ExactMap) -> Array:
    """Numbers of the vertices whose position floating point does not know well enough."""
    window = exact.domain.window
    size = 2 * float(np.ptp(window / 2, axis=0).min())  # the halves of any two floats have a difference
    return np.flatnonzero(~(parameters.error <= ACCURACY * size))


def settled_positions(parameters: Tensor, lines: Array, exact: ExactMap) -> Array:
    """The parameters of the vertices, each within ``ACCURACY`` of the window's size."""
    lost, values = lost_vertices(parameters, exact), parameters.values
    if len(lost):
        values = values.copy()
        for v in lost:
            p = exact.position(lines[v])
            values[v] = [to_float(c, p[-1]) for c in p[:-1]]
    return values


def settled_outputs(outputs: Tensor, parameters: Tensor, lines: Array, cells: Array, exact: ExactMap, unit: int) -> Array:
    """The outputs at the vertices in units of 2**unit, exact where the position was lost; ``cells[v]`` is a cell at v."""
    lost, values = lost_vertices(parameters, exact), outputs.values
    if len(lost):
        values = values.copy()
        for v in lost:
            p, columns = exact.position(lines[v]), exact.output(int(cells[v]))
            sums = sum(int(c) * columns.integers[j].astype(object) for j, c in enumerate(p))
            values[v] = [to_float(int(y), p[-1], columns.exponent - unit) for y in sums]
    return values
