"""The linear map that one step of an optimizer is on a quadratic, by running the optimizer on a basis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plica._types import Array
from plica.learn import SGD


def step_matrix(eigenvalue: float, rate: float, momentum: float, *, nesterov: bool = False) -> Array:
    """(w, velocity) before a step to (w, velocity) after it, on F = eigenvalue w^2 / 2."""
    columns = []
    for w, velocity in ((1.0, 0.0), (0.0, 1.0)):
        optimizer = SGD(momentum=momentum, nesterov=nesterov)
        parameter = np.array([w])
        optimizer.start([parameter])
        optimizer.slots["velocity"][0][...] = velocity
        optimizer.step([parameter], rate, [eigenvalue * parameter])
        columns.append([parameter[0], optimizer.slots["velocity"][0][0]])
    return np.array(columns).T


def spectral_radius(eigenvalues: Sequence[float] | Array, rate: float, momentum: float, *, nesterov: bool = False) -> float:
    """The slowest coordinate's rate: the largest modulus of an eigenvalue of a step."""
    return max(
        float(np.abs(np.linalg.eigvals(step_matrix(value, rate, momentum, nesterov=nesterov))).max()) for value in eigenvalues
    )
