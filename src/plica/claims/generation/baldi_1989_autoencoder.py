r"""A linear autoencoder finds the principal components, and its loss has no other minimum.

Claim
    The least loss of a linear autoencoder with k hidden units is attained where the decoder spans the first k principal
    components, and is the sum of the other eigenvalues of the covariance. Other sets of k components give critical points, which
    are saddles.
Source
    P. Baldi, K. Hornik, Neural Networks and Principal Component Analysis, Neural Networks 2 (1989), Facts 3 and 4 [baldi1989].
Prediction
    the eigenvectors and eigenvalues of the covariance of the data
Measurement
    plica.models.generative.Autoencoder without hidden layers, trained from a random start (plica.learn.fit); its gradient at
    other components, and its loss where one of them is turned a little towards a better one
"""

from __future__ import annotations

from functools import partial
from itertools import combinations
from math import cos, sin
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, REFERENCE, SERIES
from plica._types import Array
from plica.claims import Evidence, row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("lucas-2019-linear-vae", "slide-pca-is-svd")
SEED = 1989
D, K = 6, 2
SPECTRUM = (4.0, 2.0, 0.6, 0.4, 0.2, 0.1)
ANGLE = 0.05


def data(n: int, rng: np.random.Generator) -> Array:
    """Points with a mean and a covariance that is not diagonal."""
    turn = np.linalg.qr(rng.normal(size=(D, D)))[0]
    return np.asarray((rng.normal(size=(n, D)) * np.sqrt(SPECTRUM)) @ turn + rng.normal(size=D))


def check(scale: str) -> Evidence:
    import torch

    from plica.learn import fit, reconstruction
    from plica.models import build
    from plica.models.generative import Autoencoder, AutoencoderConfig

    rng = np.random.default_rng(SEED)
    points = data(300, rng)
    x = torch.from_numpy(points)
    values, vectors = np.linalg.eigh(np.cov(points.T, bias=True))
    values, vectors = values[::-1], vectors[:, ::-1]
    rows = []
    curves = []
    for seed in range(5 if scale == "full" else 1):
        model = build(Autoencoder, AutoencoderConfig((D,), n_latent=K), seed=seed).double()
        found = fit(
            model,
            lambda step: (x,),
            steps=1300,
            objective=reconstruction,
            optimizer="nesterov",
            rate=0.01,
            seed=seed,
            log_every=20,
        )
        weight = dict(model.named_parameters())["decoder.0.weight"].detach().numpy()
        span = np.linalg.qr(weight)[0]
        off = np.linalg.norm(span - vectors[:, :K] @ (vectors[:, :K].T @ span), 2)  # sine of the largest angle
        rows.append(row(float(off), "<=", 1e-8, what="sine of the angle to the principal components", seed=seed))
        loss = float(reconstruction(model, (x,)).detach())
        rows.append(row(loss, "=", float(values[K:].sum()), tolerance=1e-9, what="loss", seed=seed))
        curves.append(([r["step"] for r in found.history.rows], [r["loss"] for r in found.history.rows]))
    model = build(Autoencoder, AutoencoderConfig((D,), n_latent=K), seed=0).double()
    for chosen in combinations(range(D), K) if scale == "full" else ((0, 2), (1, 2), (4, 5)):
        if chosen == (0, 1):
            continue
        about: dict[str, Any] = {"components": ", ".join(str(i + 1) for i in chosen)}
        loss, slope = _at(model, vectors[:, list(chosen)], points, x)
        expected = float(values.sum() - values[list(chosen)].sum())
        rows.append(row(loss, "=", expected, tolerance=1e-9, what="loss at other components", **about))
        rows.append(row(slope, "<=", 1e-9, what="gradient there", **about))
        better = next(i for i in range(D) if i not in chosen)
        turned = vectors[:, list(chosen)].copy()
        turned[:, -1] = cos(ANGLE) * turned[:, -1] + sin(ANGLE) * vectors[:, better]
        gained = sin(ANGLE) ** 2 * float(values[better] - values[chosen[-1]])
        lower = loss - _at(model, turned, points, x)[0]
        rows.append(row(lower, "=", gained, tolerance=1e-6, what="descent after a turn", **about))
    return Evidence(rows, draw=partial(draw, curves, values), seed=SEED)


def _at(model: Any, span: Array, points: Array, x: Any) -> tuple[float, float]:
    """Loss and length of the gradient where encoder and decoder are the projection on a span around the mean."""
    import torch

    from plica.learn import reconstruction

    mean = points.mean(axis=0)
    first, last = model.encoder[1], model.decoder[0]
    with torch.no_grad():
        for parameter, value in ((first.weight, span.T), (first.bias, -span.T @ mean), (last.weight, span), (last.bias, mean)):
            parameter.copy_(torch.from_numpy(np.ascontiguousarray(value)))
    model.zero_grad()
    loss = reconstruction(model, (x,))
    loss.backward()  # type: ignore[no-untyped-call]
    square = sum(float(p.grad.square().sum()) for p in model.parameters())
    return float(loss.detach()), square**0.5


def draw(curves: list[tuple[list[int], list[float]]], values: Array, ax: Axes) -> None:
    """The loss while training, and the levels of all critical points."""
    for chosen in combinations(range(D), K):
        level = float(values.sum() - values[list(chosen)].sum())
        is_least = chosen == (0, 1)
        ax.axhline(level, color=MEASUREMENT if is_least else REFERENCE, linewidth=1.5 if is_least else 0.6)
    for color, (steps, losses) in zip(SERIES[1:], curves, strict=False):
        ax.plot(steps[1:], losses[1:], color=color)
    ax.set(xscale="log", yscale="log", xlabel="step", ylabel="loss; lines: critical points")
    ax.spines[["top", "right"]].set_visible(False)
