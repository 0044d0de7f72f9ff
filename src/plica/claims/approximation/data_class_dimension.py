r"""On a manifold of data the dimension that counts is the manifold's.

Claim
    Functions with m bounded derivatives, approximated only where the data are, on a manifold of dimension k in R^n, take
    N = O(eps^{-k/m}) pieces, constant for m = 1 and affine for m = 2: restricting a class to data lowers its effective dimension
    from n/m to k/m.
Source
    Theories of Deep Learning, lecture 4, on the effective dimension of data classes [oxford-lecture-4]; the definition of T.
    Poggio et al. [poggio2017].
Prediction
    plica.theory.approximation.effective_dimension(k, m), the slope of log N against log(1 / error); (k, m) = (1, 1), (2, 1),
    (2, 2), (3, 1), all in R^8
Measurement
    N centers spread over a flat torus of dimension k in R^8, turned at random; on the cell of each center, by distances in R^8,
    a function of R^8 is replaced by its value or its tangent; the largest error at other points of the torus. For comparison
    points of the cube of R^4, where the slope is 4
"""

from __future__ import annotations

from functools import partial
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial import cKDTree

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.construct import estimate_effective_dimension
from plica.theory.approximation import effective_dimension

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("effective-dimension", "hidden-manifold")
SEED = 4
AMBIENT = 8
SIZES = {1: (32, 128, 512), 2: (1024, 4096, 16384), 3: (4096, 13824, 32768), 4: (4096, 20736, 65536)}


def torus(angles: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Points of a product of circles in R^8, turned."""
    flat = np.concatenate([np.cos(angles), np.sin(angles)], 1)
    return np.asarray(np.pad(flat, ((0, 0), (0, AMBIENT - flat.shape[1]))) @ turn)


def lattice(n: int, k: int) -> np.ndarray:
    """About n points of [0, 1)^k, equally spaced."""
    side = round(n ** (1 / k))
    axis = (np.arange(side) + 0.5) / side
    return np.stack(np.meshgrid(*[axis] * k), -1).reshape(-1, k)


def f(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.sin(x.sum(1)) + 0.5 * np.cos(2 * x[:, 0] - x[:, -1]))


def gradient(x: np.ndarray) -> np.ndarray:
    g = np.repeat(np.cos(x.sum(1))[:, None], x.shape[1], 1)
    wave = -0.5 * np.sin(2 * x[:, 0] - x[:, -1])
    g[:, 0] += 2 * wave
    g[:, -1] -= wave
    return np.asarray(g)


def largest_error(centers: np.ndarray, points: np.ndarray, m: int) -> float:
    """Of the pieces around the centers, at the points."""
    nearest = cKDTree(centers).query(points)[1]
    value = f(centers)[nearest]
    if m == 2:
        value = value + (gradient(centers)[nearest] * (points - centers[nearest])).sum(1)
    return float(np.abs(f(points) - value).max())


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    turn = np.linalg.qr(rng.normal(size=(AMBIENT, AMBIENT)))[0]
    n_points = 200_000 if scale == "full" else 40_000
    rows, curves = [], {}
    for k, m in ((1, 1), (2, 1), (2, 2), (3, 1)):
        points = torus(rng.uniform(0, 2 * pi, (n_points, k)), turn)
        sizes, errors = [], []
        for n in SIZES[k]:
            centers = torus(2 * pi * lattice(n, k), turn)
            sizes.append(len(centers))
            errors.append(largest_error(centers, points, m))
        curves[f"torus of dimension {k}, m = {m}"] = (sizes, errors)
        found = estimate_effective_dimension(sizes, errors)
        about: dict[str, Any] = {"dimension": k, "m": m, "where": "torus in R^8", "kind": "estimated"}
        predicted = float(effective_dimension(k, m))
        rows.append(row(found.value, "=", predicted, standard_error=0.01 * predicted, tolerance=0.04, **about))
    points = rng.uniform(0, 1, (n_points, 4))
    cube = [lattice(n, 4) for n in SIZES[4]]
    errors = [largest_error(centers, points, 1) for centers in cube]
    curves["cube of R^4, m = 1"] = ([len(c) for c in cube], errors)
    found = estimate_effective_dimension([len(c) for c in cube], errors)
    about = {"dimension": 4, "m": 1, "where": "cube of R^4", "kind": "estimated"}
    rows.append(row(found.value, "=", 4.0, standard_error=0.04, tolerance=0.06, **about))
    return Evidence(rows, draw=partial(draw, curves), seed=SEED)


def draw(curves: dict[str, tuple[list[int], list[float]]], ax: Axes) -> None:
    """Error against pieces."""
    for color, (name, (sizes, errors)) in zip(SERIES, curves.items(), strict=False):
        ax.loglog(sizes, errors, "o-", color=color, markersize=4, label=name)
    ax.set(xlabel="pieces N", ylabel="largest error on the data")
    ax.legend(frameon=False, fontsize=7)
    ax.spines[["top", "right"]].set_visible(False)
