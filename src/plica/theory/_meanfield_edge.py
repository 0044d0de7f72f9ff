r"""The edge of chaos, chi_1 = 1, and the phase diagram around it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.theory._meanfield_activations import Activation
from plica.theory._meanfield_closed import activation as find_activation

_GRID = np.geomspace(1e-9, 1e4, 391)  # lengths among which the edge is looked for


@dataclass(frozen=True)
class Edge:
    """A point on the edge of chaos: sigma_w for a sigma_b, and the length q* there."""

    activation: str
    weight_std: float
    bias_std: float
    length: float


def edge_of_chaos(
    activation: str | Activation = "tanh", *, bias_std: float, density: float = 1.0, slope: float | None = None
) -> Edge:
    r"""The weight scale at which chi_1 = 1 for a bias scale [schoenholz2017]_.

    On the edge :math:`\alpha\sigma_w^2 = 1 / E\varphi'(\sqrt q z)^2` and :math:`\sigma_b^2 = q - E\varphi^2 / E\varphi'^2`, so
    the curve is known by its length q; the q of a given sigma_b is found by bisection. Where several q fit, the smallest that
    is a stable length is taken.

    Examples
    --------
    >>> edge = edge_of_chaos("tanh", bias_std=0.05**0.5)
    >>> round(edge.weight_std**2, 5), round(edge.length, 4)
    (1.76095, 0.57)
    >>> round(edge_of_chaos("erf", bias_std=0.0).weight_std ** 2 * 4 / np.pi, 12)
    1.0
    """
    phi = find_activation(activation, slope=slope)
    if not 0 <= bias_std < inf:
        raise InvalidInput(f"bias_std={bias_std!r} is not a finite number from zero up.")
    if not 0 < density <= 1:
        raise InvalidInput(f"density={density!r} is outside (0, 1].", hint="1.0 keeps every weight")
    if phi.homogeneous and bias_std == 0:
        return Edge(phi.name, sqrt(1 / (float(phi.slope_power(1.0)) * density)), 0.0, 1.0)
    if phi.homogeneous:
        raise InvalidInput(
            f"{phi.name} has its edge of chaos only at bias_std=0, got {bias_std!r}.",
            hint="with biases its lengths reach no fixed point where chi_1 = 1",
        )

    def excess(q: Any) -> Any:
        return q - phi.energy(q) / phi.slope_power(q) - bias_std**2

    values = excess(_GRID)
    growth = phi.energy_growth(_GRID) / phi.slope_power(_GRID)  # of the length map on the edge: below one where stable
    if bias_std == 0 and float(phi.energy(0.0)) == 0 and growth[_GRID > 0.1][0] < 1:
        return Edge(phi.name, sqrt(1 / (float(phi.slope_power(0.0)) * density)), 0.0, 0.0)
    for i in np.flatnonzero((values[:-1] > 0) != (values[1:] > 0)):
        if growth[i] < 1 or growth[i + 1] < 1:
            from scipy.optimize import brentq

            q = float(brentq(excess, _GRID[i], _GRID[i + 1], xtol=1e-300, rtol=1e-15))
            return Edge(phi.name, sqrt(1 / (float(phi.slope_power(q)) * density)), float(bias_std), q)
    raise InvalidInput(
        f"{phi.name} has no stable length at an edge of chaos with bias_std={bias_std!r}.", hint="try another bias_std"
    )


def edge_of_chaos_curve(activation: str | Activation = "tanh", *, bias_stds: Any, density: float = 1.0) -> Array:
    """sigma_w on the edge for many sigma_b.

    Examples
    --------
    >>> edge_of_chaos_curve("tanh", bias_stds=[0.0, 0.1, 0.3]).round(4)
    array([1.    , 1.1934, 1.3956])
    """
    return np.array([edge_of_chaos(activation, bias_std=float(b), density=density).weight_std for b in np.atleast_1d(bias_stds)])


@dataclass(frozen=True, eq=False)
class PhaseDiagram:
    """chi_1 and q* over a grid: row i has bias_stds[i], column j has weight_stds[j]. Above one it is chaotic."""

    activation: str
    weight_stds: Array
    bias_stds: Array
    lengths: Array
    chi_1: Array

    def __repr__(self) -> str:
        n = self.chi_1.size
        return f"<PhaseDiagram of {self.activation}: {n} points, {100 * (self.chi_1 > 1).mean():.0f} % chaotic>"


def phase_diagram(
    activation: str | Activation = "tanh", *, weight_stds: Any, bias_stds: Any, start: float = 1.0, slope: float | None = None
) -> PhaseDiagram:
    """chi_1 and q* for all pairs of scales, at once; lengths start at ``start`` and may end at 0 or inf.

    Examples
    --------
    >>> phase_diagram("tanh", weight_stds=[0.5, 1.0, 2.0], bias_stds=[0.1, 0.3])
    <PhaseDiagram of tanh: 6 points, 33 % chaotic>
    """
    phi = find_activation(activation, slope=slope)
    sw, sb = (np.atleast_1d(np.asarray(v, dtype=float)) for v in (weight_stds, bias_stds))
    for name, values in (("weight_stds", sw), ("bias_stds", sb)):
        if values.ndim != 1 or not values.size or not (np.isfinite(values).all() and (values >= 0).all()):
            raise InvalidInput(f"{name} must be finite numbers from zero up, got {values!r}.")
    gain, offset = np.broadcast_arrays(sw[None, :] ** 2, sb[:, None] ** 2)
    q = _lengths(phi, gain, offset, start)
    finite = np.where(np.isinf(q), 1e30, np.where((q == 0) & phi.homogeneous, 1.0, q))
    return PhaseDiagram(phi.name, sw, sb, q, gain * phi.slope_power(finite))


def _lengths(phi: Activation, gain: Array, offset: Array, start: float) -> Array:
    """The fixed lengths that the maps q -> gain * energy(q) + offset reach from ``start``, by a common grid and bisection."""
    grid = np.unique(np.concatenate([np.geomspace(1e-12, 1e8, 801), [start]]))
    excess = gain[..., None] * phi.energy(grid) + offset[..., None] - grid
    flat = 4e-16 * grid
    here = int(np.searchsorted(grid, start))
    up = excess[..., here] > 0
    # walk from the start in the direction of the first step until the excess changes its sign
    blocked = np.where(up[..., None], excess <= flat, excess > flat)
    steps = np.arange(len(grid))
    after = np.where(blocked & (steps >= here), steps, len(grid)).min(-1)
    before = np.where(blocked & (steps <= here), steps, -1).max(-1)
    high = np.where(up, after, before + 1)
    low = high - 1
    a, b = grid[np.clip(low, 0, len(grid) - 1)], grid[np.clip(high, 0, len(grid) - 1)]
    for _ in range(46):
        middle = np.sqrt(a * b)
        rises = gain * phi.energy(middle) + offset > middle
        a, b = np.where(rises, middle, a), np.where(rises, b, middle)  # the excess is positive at a, not at b
    q = np.sqrt(a * b)
    q = np.where(up & (after == len(grid)), inf, np.where(~up & (before < 0), 0.0, q))
    return np.where(np.abs(excess[..., here]) <= flat[here], start, q)


def weight_std_of(scheme: str, *, n_in: int = 1, n_out: int = 1, slope: float = 0.0) -> float:
    r"""sigma_w of a named initialization: the standard deviation of a weight times :math:`\sqrt{n_{in}}`.

    ==================  =========================================================================
    ``"glorot"``        :math:`\sqrt{2 n_{in} / (n_{in} + n_{out})}` [glorot2010]_, one for equal widths
    ``"he"``            :math:`\sqrt{2 / (1 + a^2)}` for slope a [he2015]_: ReLU's edge of chaos
    ``"lecun"``         1 [lecun1998]_
    ``"torch-default"`` :math:`1/\sqrt 3`, uniform on :math:`\pm 1/\sqrt{n_{in}}`
    ==================  =========================================================================

    Examples
    --------
    >>> weight_std_of("he") ** 2 / 2
    1.0000000000000002
    """
    if n_in < 1 or n_out < 1:
        raise InvalidInput(f"widths must be positive, got {n_in} and {n_out}.")
    table = {
        "glorot": sqrt(2 * n_in / (n_in + n_out)),
        "he": sqrt(2 / (1 + slope**2)),
        "lecun": 1.0,
        "torch-default": 1 / sqrt(3),
    }
    if scheme not in table:
        raise InvalidInput(f"scheme={scheme!r} is not known.", hint=f"one of {', '.join(table)}")
    return table[scheme]
