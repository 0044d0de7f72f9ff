"""Growth of circles through ensembles of random networks, shared by the claims of this folder."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import REFERENCE
from plica.geometry import Segment
from plica.measure import Curve, Ensemble, EnsembleLengths, circle

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def random_circle(width: int, *, seed: int, mean_square: float = 1.0, n_points: int = 100) -> Curve:
    """A circle around zero in a random plane, whose points have entries with the given mean square."""
    u, v = np.random.default_rng([seed, 1611]).standard_normal((2, width)) if width > 1 else np.eye(2)
    return circle(u, v, radius=float(np.sqrt(len(u) * mean_square)), n_points=n_points)


@cache
def circle_growth(
    width: int,
    depth: int,
    *,
    weight_std: float,
    n_networks: int,
    seed: int,
    activation: str = "relu",
    bias_std: float = 0.0,
    density: float = 1.0,
    weights: str = "normal",
    mean_square: float = 1.0,
    n_points: int = 100,
) -> EnsembleLengths:
    """Lengths of the images of a random circle in networks of equal widths."""
    path = random_circle(width, seed=seed, mean_square=mean_square, n_points=n_points)
    ensemble = Ensemble(
        (path.n_inputs, *[width] * depth),
        n_networks=n_networks,
        seed=seed,
        weights=weights,
        weight_std=weight_std,
        bias_std=bias_std,
        density=density,
        activation=activation,
    )
    return ensemble.estimate_lengths(path, n_points=n_points)


def one_unit(
    direction: list[float], *, weight_std: float, n_networks: int, seed: int, density: float = 1.0, weights: str = "normal"
) -> tuple[float, float]:
    """The mean factor by which one random ReLU unit stretches a segment through zero in a direction, and its standard error."""
    end = np.array(direction)
    ensemble = Ensemble(
        (len(end), 1),
        n_networks=n_networks,
        seed=seed,
        weights=weights,
        weight_std=weight_std,
        density=density,
        activation="relu",
    )
    lengths = ensemble.estimate_lengths(Segment(-end, end), n_points=2)
    return float(lengths.ratios[0]), float(lengths.ratio_errors[0])


def factor_axes(ax: Axes, xlabel: str, ylabel: str = "factor of one layer", **options: Any) -> None:
    """Labels, a line at one, a legend."""
    ax.axhline(1.0, color=REFERENCE, linewidth=0.8)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.set(**options)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize=7)
