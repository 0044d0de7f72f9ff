r"""Digits from wavelets that nobody trained.

Claim
    A linear classifier on scattering coefficients of second order errs on at most 1 percent of the test images of MNIST, and on
    fewer images than a linear classifier on pixels, with few training images, too.
Source
    After J. Bruna, S. Mallat, Invariant Scattering Convolution Networks, IEEE TPAMI 35 (2013), Table 4 [bruna2013]: 0.43 percent
    with 3 scales, chosen by cross-validation, and an affine model of principal components for each digit. The classifier is in
    the abstract, 3 scales and 8 angles are in the authors' script for a digit; 0.43 is what lists of benchmarks give for the
    paper, no copy of the table was found.
Prediction
    1 percent; an error below that on pixels for 300 to 3,000 training images
Measurement
    plica.models.scattering.Scattering with 2 scales and 8 angles, 3,969 coefficients; softmax regression by plica.learn.fit on
    all training images, least squares with a penalty on few of them
Stand-in
    On 8 x 8 digits least squares on scattering coefficients errs less than two thirds as often as on pixels, with 100 to 400
    training images.
Remark
    The numbers of images of the stand-in were chosen while looking at another division of the digits into two halves than the one
    used here, which was chosen before it was run. Measured on MNIST with another order of the training images: 0.72 percent with
    softmax regression, 1.12 with least squares on all of them. What is different from the printed 0.43: fewer scales, and one
    linear classifier.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import plica.data
from plica._palette import CONTROL, MEASUREMENT
from plica._types import Array
from plica.claims import Evidence, row
from plica.data import Dataset

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "exact"
SEE = ("mallat-2012-non-expansive", "mnist-subspaces")
SEED = 90_433
PENALTIES = (1e-4, 1e-3, 1e-2, 1e-1)


def coefficients(images: Array, n_scales: int) -> Array:
    """Scattering coefficients as rows."""
    import torch

    from plica.models.scattering import Scattering, ScatteringConfig

    model = Scattering(ScatteringConfig(images.shape[1:], n_scales=n_scales))
    x = torch.from_numpy(images)
    with torch.no_grad():
        parts = [model(x[i : i + 250]).flatten(1) for i in range(0, len(x), 250)]
    return np.asarray(torch.cat(parts).numpy())


def least_squares_error(x: Array, y: Array, x_test: Array, y_test: Array) -> float:
    """The share of test images that least squares gets wrong; its penalty is chosen on a fourth of the training images."""
    cut = len(x) - len(x) // 4

    def wrong(penalty: float, n: int, asked: Array, labels: Array) -> float:
        a = x[:n].astype(float)
        mean = a.mean(axis=0)
        a = a - mean
        size = float(np.square(a).sum()) / n
        dual = np.linalg.solve(a @ a.T + penalty * size * np.eye(n), np.eye(10)[y[:n]] - 0.1)
        told = ((asked - mean) @ (a.T @ dual)).argmax(axis=1)
        return float((told != labels).mean())

    best = min(PENALTIES, key=lambda penalty: wrong(penalty, cut, x[cut:], y[cut:]))
    return wrong(best, len(x), x_test, y_test)


def check(scale: str) -> Evidence:
    data = plica.data.load("mnist") if scale == "full" else plica.data.load("digits").split(0.5, seed=SEED)
    assert data.x_test is not None and data.y is not None and data.y_test is not None
    n_scales = 2 if scale == "full" else 1
    seen, asked = (coefficients(np.asarray(part, dtype=np.float32), n_scales) for part in (data.x, data.x_test))
    rows = []
    curve: list[tuple[int, float, float]] = []
    for n in (300, 1000, 3000) if scale == "full" else (100, 200, 400):
        labels = np.asarray(data.y)[:n], np.asarray(data.y_test)
        errors = [
            least_squares_error(x[:n], labels[0], x_test, labels[1]) for x, x_test in ((data.flat, data.flat_test), (seen, asked))
        ]
        curve.append((n, errors[0], errors[1]))
        rows.append(row(errors[1], "<", (1.0 if scale == "full" else 2 / 3) * errors[0], what="error, against pixels", images=n))
    if scale == "full":
        rows.append(row(_softmax_error(data, seen, asked), "<=", 0.01, what="error with all training images", images=len(seen)))
    return Evidence(rows, draw=partial(draw, curve), seed=SEED)


def _softmax_error(data: Dataset, seen: Array, asked: Array) -> float:
    """Softmax regression on coefficients of mean 0 and nearly equal spread."""
    import torch

    from plica.learn import fit

    mean, spread = seen.mean(axis=0), seen.std(axis=0)
    spread = spread + 0.01 * spread.max()
    model = torch.nn.Linear(seen.shape[1], 10)
    for parameter in model.parameters():
        torch.nn.init.zeros_(parameter)
    settings: dict[str, Any] = {"epochs": 15, "batch": 256, "rate": 1e-3, "schedule": "cosine", "seed": SEED}
    fit(model, ((seen - mean) / spread, np.asarray(data.y)), **settings)
    with torch.no_grad():
        told = model(torch.from_numpy((asked - mean) / spread)).argmax(dim=1).numpy()
    return float((told != np.asarray(data.y_test)).mean())


def draw(curve: list[tuple[int, float, float]], ax: Axes) -> None:
    """Errors on test images by the number of training images."""
    n, pixels, scattering = zip(*curve, strict=True)
    ax.plot(n, pixels, "s-", color=CONTROL, label="pixels")
    ax.plot(n, scattering, "o-", color=MEASUREMENT, label="scattering coefficients")
    ax.set(xscale="log", yscale="log", xlabel="training images", ylabel="share of test images that are wrong")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
