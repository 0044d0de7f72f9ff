r"""A variational autoencoder of handwritten digits, in nats.

Claim
    A variational autoencoder with one hidden layer and 20 latent variables bounds the log-likelihood of test images of MNIST, in
    black and white, by at least 80 nats more than pixels that are independent of each other have.
Source
    After D. Kingma, M. Welling, Auto-Encoding Variational Bayes, ICLR 2014, Figure 2 [kingma2014]: about -100 nats are reached
    on pixels between 0 and 1 (from memory: no copy of the figure was found). Nobody printed the numbers for pixels cut at one
    half, so that the prediction here is ours.
Prediction
    80 nats above the likelihood of independent pixels
Measurement
    plica.models.generative.VAE with 400 hidden units, 15 epochs of Adam (plica.learn.fit); standard errors are those of the test
    images
Stand-in
    On 8 x 8 digits of black and white pixels a variational autoencoder with 4 latent variables leaves pixels that are independent
    of each other behind by 2 nats at least.
Remark
    Measured on MNIST: -84.8 nats per image, standard error 0.3, where independent pixels have -205.8. Cutting at one half leaves
    less to explain than pixels between 0 and 1 do, so that this is not better than -100 there.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import plica.data
from plica._palette import MAGNITUDES
from plica._types import Array
from plica.claims import Evidence, row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEED = 2014


def check(scale: str) -> Evidence:
    import torch

    from plica.learn import fit, negative_bound
    from plica.models import build
    from plica.models.generative import VAE, VAEConfig

    digits = plica.data.load("mnist") if scale == "full" else plica.data.load("digits").split(0.8, seed=0)
    x, x_test = ((part > 0.5).astype(np.float32) for part in (digits.flat, digits.flat_test))
    n_latent, width, epochs = (20, 400, 15) if scale == "full" else (4, 48, 16)
    model = build(VAE, VAEConfig((x.shape[1],), n_latent=n_latent, widths=(width,)), seed=SEED)
    fit(
        model,
        (x, x),
        epochs=epochs,
        batch=128,
        rate=2e-3 if scale == "full" else 8e-3,
        schedule="cosine",
        objective=negative_bound,
    )
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        bounds = model.bound(torch.from_numpy(x_test)).double().numpy()
        shown = model.generate(torch.randn(40, n_latent)).numpy()
    p = np.clip(x.mean(axis=0, dtype=float), 1 / len(x), 1 - 1 / len(x))
    alone = (x_test * np.log(p) + (1 - x_test) * np.log(1 - p)).sum(axis=1)
    gain, error = _mean(bounds - alone)
    least = 80.0 if scale == "full" else 2.0
    about: dict[str, Any] = {"kind": "estimated", "standard_error": error}
    rows = [row(gain, ">", least, **about, what="above independent pixels, nats")]
    side = round(x.shape[1] ** 0.5)
    note = f"{bounds.mean():.1f} nats per image, independent pixels {alone.mean():.1f}"
    return Evidence(rows, draw=partial(draw, shown.reshape(4, 10, side, side)), seed=SEED, note=note)


def _mean(values: Array) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1)) / len(values) ** 0.5


def draw(images: Array, ax: Axes) -> None:
    """Digits that nobody wrote, from random latent variables."""
    ax.imshow(np.block([[np.pad(image, 1) for image in line] for line in images]), cmap=MAGNITUDES, vmin=0, vmax=1)
    ax.set_axis_off()
