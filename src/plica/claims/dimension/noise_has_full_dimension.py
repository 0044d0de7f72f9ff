r"""Noise has the dimension of the space, at the scale of the noise.

Claim
    Data near a surface look like the surface from afar and like the whole space from near: the estimate falls from more than
    twice the dimension to the dimension as the neighbors that are compared grow farther than the noise.
Source
    F. Denti, D. Doimo, A. Laio, A. Mira, Scientific Reports 12 (2022) [denti2022].
Prediction
    more than twice 2 at the first neighbors of a noisy roll in ten dimensions, less than half as much at the scale of neighbor
    128, and 2 at every scale without noise
Measurement
    the profile of plica.dimension.Gride on a rolled sheet with and without noise
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import plica.data
from plica._palette import REFERENCE, SERIES
from plica.claims import Evidence, row
from plica.dimension import Gride

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("manifold-dimensions",)
SEED = 2022
Profile = tuple[np.ndarray, np.ndarray]


def check(scale: str) -> Evidence:
    n = 10_000 if scale == "full" else 8000
    rows, profiles = [], {}
    for noise in (0.0, 0.4):
        data = plica.data.load("swiss-roll", n=n, ambient=10, noise=noise, seed=SEED)
        found = Gride(range_max=128).fit(data.x)
        profiles[noise] = found.radii_, found.profile_
        first, last = found.profile_[0], found.profile_[-1]
        errors = found.profile_errors_
        about: dict[str, Any] = {"noise": noise, "points": n}
        if noise:
            rows.append(row(first, ">", 4.0, kind="estimated", standard_error=errors[0], neighbors="1, 2", **about))
            rows.append(row(last, "<", first / 2, kind="estimated", standard_error=errors[-1], neighbors="64, 128", **about))
        else:
            for k, value, error in zip(found.scales_, found.profile_, errors, strict=True):
                label = f"{k}, {2 * k}"
                rows.append(row(value, "=", 2, kind="estimated", standard_error=error, tolerance=0.045, neighbors=label, **about))
    return Evidence(rows, draw=partial(draw, profiles), seed=SEED)


def draw(profiles: dict[float, Profile], ax: Axes) -> None:
    """Dimension against scale."""
    for color, (noise, (radii, dimensions)) in zip(SERIES[:2], profiles.items(), strict=True):
        ax.plot(radii, dimensions, "o-", color=color, label=f"noise {noise:g}")
    ax.axhline(2, color=REFERENCE, linestyle="--", linewidth=0.8)
    ax.set_xscale("log")
    ax.set_xlabel("distance to the farther neighbor")
    ax.set_ylabel("estimated dimension")
    ax.legend(frameon=False)
