r"""Dropout makes hidden units sparse.

Claim
    In an autoencoder of MNIST with 256 rectified units and without a penalty for sparsity, hidden units trained with dropout (p =
    0.5) are active on fewer images and, on average, less than those trained without: the printed histograms of mean activations
    have their modes at about 0.7 and at about 2.0.
Source
    N. Srivastava et al., Dropout, JMLR 15 (2014), section 7.2, Figures 7 and 8 [srivastava2014]; the two modes as a reader of
    that section prints them.
Prediction
    a smaller share of active units, and less than half the mean activation (the modes are about one third of each other; the
    optimizer and the scale of the images are not printed)
Measurement
    activations on test images of two autoencoders from the same first weights (plica.learn.fit), where the weights of the network
    with dropout are those used in testing
Stand-in
    The same for the 8 x 8 digits and 64 units.
Remark
    Ten epochs of Adam on MNIST, minutes of one thread: the share of active units falls by 0.48, the mean activation to one sixth;
    the autoencoder with dropout leaves a quarter of the variance, the one without a twenty-fifth.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import plica.data
from plica._palette import SERIES
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.claims.optimization._chains import mean_and_error

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("srivastava-2014-mnist",)
SEED = 7


class Autoencoder(NamedTuple):
    """Activations (images, units) on test images, and the mean squared error per pixel over that of the mean image."""

    hidden: Array
    error: float


@cache
def autoencoder(scale: str, keep: float, seed: int) -> Autoencoder:
    import torch

    from plica.learn import fit, mlp

    data = plica.data.load("mnist") if scale == "full" else plica.data.load("digits").split(0.8, seed=0)
    x, x_test = data.flat.astype(np.float32), data.flat_test.astype(np.float32)
    units, epochs, batch, rate = (256, 10, 128, 1e-3) if scale == "full" else (64, 15, 50, 5e-3)
    network = mlp([x.shape[1], units, x.shape[1]], seed=seed, dropout=1 - keep)
    fit(network, (x, x), epochs=epochs, batch=batch, rate=rate, loss="squared", seed=seed)
    network.eval()
    with torch.no_grad():
        hidden = network[:2](torch.from_numpy(x_test))
        out = network(torch.from_numpy(x_test)).numpy()
    error = float(((out - x_test) ** 2).mean() / ((x_test - x.mean(0)) ** 2).mean())
    return Autoencoder(hidden.numpy().astype(np.float64), error)


def check(scale: str) -> Evidence:
    seeds = range(SEED, SEED + 2)
    rows, shown = [], {}
    ratios: list[float] = []
    for seed in seeds:
        plain, thinned = (autoencoder(scale, keep, seed) for keep in (1.0, 0.5))
        shown = {"without": plain.hidden.mean(0), "with": thinned.hidden.mean(0)}
        for what, of in (("share of active units", lambda h: (h > 0).mean(1)), ("mean activation", lambda h: h.mean(1))):
            less, error = mean_and_error(of(thinned.hidden) - of(plain.hidden))
            estimate: dict[str, Any] = {"kind": "estimated", "standard_error": error}
            rows.append(row(less, "<", 0.0, **estimate, what=f"{what}, with minus without", seed=seed))
        for name, one, most in (("without", plain, 0.1), ("with", thinned, 0.5)):
            about: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-6}
            rows.append(control(one.error, "<", most, **about, what=f"error {name}, that of the mean image is 1", seed=seed))
        ratios.append(float(thinned.hidden.mean() / plain.hidden.mean()))
    mean, error = mean_and_error(np.array(ratios))
    rows.append(row(mean, "<", 0.5, kind="estimated", standard_error=error, what="mean activation, with over without"))
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def draw(means: dict[str, Array], ax: Axes) -> None:
    """How many units have which mean activation."""
    top = max(float(values.max()) for values in means.values())
    for color, (name, values) in zip(SERIES, means.items(), strict=False):
        ax.hist(values, bins=[top * k / 29 for k in range(30)], color=color, alpha=0.6, label=f"{name} dropout")
    ax.set(xlabel="mean activation of a unit on test images", ylabel="units")
    ax.legend(frameon=False)
