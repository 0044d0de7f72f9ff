"""Inputs with given lengths and angles, and the axes of figures, shared by the claims of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def pair(width: int, *, mean_square: float, correlation: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two inputs whose entries have the given mean square, at the given cosine of their angle."""
    u, v = np.random.default_rng([seed, 1606]).standard_normal((2, width))
    u /= np.linalg.norm(u)
    v -= (u @ v) * u
    v /= np.linalg.norm(v)
    size = np.sqrt(width * mean_square)
    return size * u, size * (correlation * u + np.sqrt(max(0.0, 1 - correlation**2)) * v)


def relative(slack: float, predicted: float) -> float:
    """A relative tolerance that allows an absolute deviation: wide networks are not infinitely wide."""
    return slack / abs(predicted) if predicted else 0.0


def clean(ax: Axes, xlabel: str, ylabel: str, *, legend: bool = True, **options: Any) -> None:
    """Labels and a legend, no frame."""
    ax.set(xlabel=xlabel, ylabel=ylabel, **options)
    ax.spines[["top", "right"]].set_visible(False)
    if legend:
        ax.legend(frameon=False, fontsize=7)
