"""Floats with bounds of their errors, and the affine maps of all cells as arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plica._types import Array
from plica.geometry._budget import tick


class Bounded(NamedTuple):
    """Rows of floats, and for each row a rigorous bound of the 2-norm of its error (infinite where nothing is known)."""

    values: Array
    error: Array


class AffineMaps(NamedTuple):
    """One affine map for each cell i: ``matrices[i] @ x + offsets[i]``."""

    matrices: Array
    offsets: Array


def as_maps(columns: Array) -> AffineMaps:
    """Maps from columns (cells, inputs + 1, outputs), the constant last."""
    tick(columns.nbytes)
    return AffineMaps(np.ascontiguousarray(columns[:, :-1].transpose(0, 2, 1)), columns[:, -1].copy())
