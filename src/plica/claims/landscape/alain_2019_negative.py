r"""Negative curvature along a training: how much of it there is, and when it goes.

Claim
    While a network learns, negative eigenvalues of its Hessian lose their weight: their share of all magnitudes is smaller at the
    end than at the beginning, by half at least. Their number does not vanish.
Source
    After G. Alain, N. Le Roux, P.-A. Manzagol, Negative Eigenvalues of the Hessian in Deep Neural Networks, arXiv:1902.02366
    [alain2019], who follow the smallest eigenvalues along a training; L. Sagun et al. [sagun2018] on the end of it. How much
    falls was not printed: the half is ours, declared before the run.
Prediction
    the mass of negative eigenvalues at the end below half of that at the beginning; their share of the number above zero
Measurement
    all eigenvalues of the Hessian of cross-entropy at seven states of trainings from several seeds, on principal components of
    8 x 8 digits (plica.landscape.curvature_path); by quadrature with random vectors the same numbers within four standard errors
    (plica.landscape.spectrum)
Remark
    That their number falls as well was asked first, and was so for all eight trainings of this page. It is not so in general: for
    a network 6-12-10 after 143 steps (the gallery's page on valleys) it rose from 28 to 33 percent of the eigenvalues.
"""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import plica.data
from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, control, row
from plica.landscape import Curvature, CurvaturePath, curvature_path, spectrum
from plica.learn import fit, mlp

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("sagun-2018-outliers", "pennington-2017-index")
SEED = 2018
STEPS = (2, 6, 12, 30, 80, 200)


def states(width: int, seed: int) -> tuple[list[Any], Any, Any]:
    """A network at the beginning and after some steps, with the data it learns."""
    data = plica.data.load("digits")
    x = data.flat - data.flat.mean(axis=0)
    x = (x @ np.linalg.eigh(x.T @ x)[1][:, -6:]).astype(np.float32)
    x, y = x / x.std(), np.asarray(data.y)
    model = mlp([6, width, 10], seed=seed)
    found, done = [deepcopy(model)], 0
    for step in STEPS:
        fit(model, (x, y), steps=step - done, batch=100, rate=1e-2, seed=seed + step)
        found.append(deepcopy(model))
        done = step
    return found, x.astype(float), y


def check(scale: str) -> Evidence:
    is_full = scale == "full"
    paths = []
    for seed in range(SEED, SEED + (6 if is_full else 2)):
        models, x, y = states(16 if is_full else 8, seed)
        chosen = models if is_full else [models[0], models[-1]]
        x, y = x[: 300 if is_full else 120], y[: 300 if is_full else 120]
        paths.append(curvature_path(chosen, x, y, loss="cross-entropy"))
    first, last = (np.array([[getattr(p, name)[i] for p in paths] for name in ("index", "negative_mass")]) for i in (0, -1))
    rows = [
        row(float(last[1].max() / first[1].min()), "<", 0.5, what="negative mass at the end over that at the beginning, at most"),
        row(float(last[0].min()), ">", 0.0, what="index at the end, at least"),
    ]
    curvature = Curvature(models[0], x, y, loss="cross-entropy")
    seen = spectrum(curvature, n_vectors=48 if is_full else 12, n_steps=60 if is_full else 40, seed=SEED)
    mass, exact = seen.negative_mass, float(paths[-1].negative_mass[0])
    loose = "few random vectors" if 4 * mass.standard_error > 0.1 * exact else ""
    about: dict[str, Any] = {"kind": "estimated", "standard_error": mass.standard_error, "order_of_magnitude": loose}
    rows.append(control(mass.value, "=", exact, what="negative mass at the beginning, by random vectors", **about))
    middle = f"index {first[0].mean():.2f} to {last[0].mean():.2f}, negative mass {first[1].mean():.3f} to {last[1].mean():.3f}"
    return Evidence(rows, draw=partial(draw, paths), seed=SEED, note=f"means over seeds: {middle}")


def draw(paths: list[CurvaturePath], ax: Axes) -> None:
    """Index and negative mass against the loss, for each seed."""
    for k, path in enumerate(paths):
        label = ("share of negative eigenvalues", "their share of all magnitudes") if k == 0 else (None, None)
        ax.plot(path.losses, path.index, "o-", color=MEASUREMENT, markersize=3, linewidth=0.8, label=label[0])
        ax.plot(path.losses, path.negative_mass, "s-", color=BOUND, markersize=3, linewidth=0.8, label=label[1])
    ax.set(xlabel="loss (training goes to the left)", ylim=(0, None))
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
