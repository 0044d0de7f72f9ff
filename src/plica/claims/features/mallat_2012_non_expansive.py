r"""Scattering moves no two images apart.

Claim
    If the Littlewood-Paley sum of a bank of wavelets is at most 1 then the scattering transform S has |S x - S y| <= |x - y|.
    Images that differ by a constant keep their distance times the gain of the mean, which is 1 if the sum is 1 at frequency 0.
Source
    S. Mallat, Group Invariant Scattering, CPAM 65 (2012), Proposition 2.5 [mallat2012].
Prediction
    1 for the largest ratio |S x - S y| / |x - y|; for constants one over the root of the largest sum, by which banks are divided
Measurement
    the Littlewood-Paley sum over all frequencies, enclosed (plica.models.scattering.littlewood_paley); images of digits, noise
    and tones through plica.models.scattering.Scattering, at every pixel; without a division by the sum's largest value, a bank
    of three scales lengthens the tone at which the sum is largest
Remark
    Means are taken by the same filter at the end of each path. At every second or fourth pixel only, aliases add to it.
"""

from __future__ import annotations

from functools import partial
from math import pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

import plica.data
from plica._palette import BOUND, MAGNITUDES
from plica._types import Array
from plica.claims import Evidence, control, row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("mallat-2012-translation", "bruna-2013-dilation")
SEED = 2012
ROUNDING = 1e-12
SIZE = 32


def images(n: int, rng: np.random.Generator) -> dict[str, Array]:
    """Digits four times as large, noise, and an image with a constant added."""
    digits = plica.data.load("digits").x[: 2 * n].astype(float).repeat(4, axis=1).repeat(4, axis=2)
    noise = rng.normal(size=(2 * n, SIZE, SIZE))
    lighter = np.concatenate([noise[:n], noise[:n] + 1.0])
    return {"digits": digits, "noise": noise, "constants": lighter}


def check(scale: str) -> Evidence:
    import torch

    from plica.models.scattering import Scattering, ScatteringConfig, littlewood_paley, wavelets_2d

    rng = np.random.default_rng(SEED)
    rows = []
    for n_scales in (2, 3) if scale == "full" else (2,):
        settings: dict[str, Any] = {"n_scales": n_scales, "n_angles": 8 if scale == "full" else 4, "padding": "periodic"}
        model = Scattering(ScatteringConfig((SIZE, SIZE), subsample=False, normalized=True, **settings))
        about: dict[str, Any] = {"scales": n_scales}
        most = littlewood_paley(model.banks[0], tolerance=1e-4).most
        rows.append(row(most[1], "<=", 1.0, kind="certified", what="largest Littlewood-Paley sum, from above", **about))
        rows.append(control(most[0], ">", 0.998, kind="certified", what="the same, from below", **about))
        for name, x in images(12 if scale == "full" else 4, rng).items():
            n = len(x) // 2
            s = model(torch.from_numpy(x)).flatten(1).numpy()
            ratios = np.linalg.norm(s[:n] - s[n:], axis=1) / np.linalg.norm((x[:n] - x[n:]).reshape(n, -1), axis=1)
            rows.append(row(float(ratios.max()), "<=", 1.0 + ROUNDING, what=f"largest ratio, {name}", **about))
        undivided = littlewood_paley(wavelets_2d(n_scales, n_angles=settings["n_angles"]), tolerance=1e-4).most
        gain = 1 / sqrt(sum(undivided) / 2)
        rows.append(row(float(ratios.min()), "=", gain, tolerance=1e-3, what="least ratio, constants", **about))
    # undivided, three scales lengthen the tone where the sum is largest
    bank = wavelets_2d(3)
    config = ScatteringConfig((SIZE, SIZE), n_scales=3, order=1, padding="periodic", subsample=False)
    near = 2 * pi / SIZE * np.arange(SIZE // 2)
    tones = np.stack(np.meshgrid(near, near, indexing="ij"), axis=-1).reshape(-1, 2)
    sums = bank.sum_of_squares(tones)
    w = tones[int(sums.argmax())]
    tone = np.cos(np.add.outer(w[0] * np.arange(SIZE), w[1] * np.arange(SIZE)))
    gain = _wavelet_gain(Scattering(config), tone)
    what = "a tone through three scales, undivided"
    rows.append(control(gain, "=", sqrt(float(sums.max())), tolerance=1e-9, what=what))
    rows.append(control(gain, ">", 1.0, what=what))
    return Evidence(rows, draw=partial(draw, wavelets_2d(2)), seed=SEED)


def _wavelet_gain(model: Any, tone: Array) -> float:
    """|W x| / |x| of one layer of wavelets, by convolution in space."""
    import torch

    total = 0.0
    spectrum = torch.fft.fft2(torch.from_numpy(tone))
    bank = model.banks[0]
    grid = 2 * pi * np.fft.fftfreq(SIZE)
    w = np.stack(np.meshgrid(grid, grid, indexing="ij"), axis=-1).reshape(-1, 2)
    for one in (bank.low_pass, *bank.wavelets):
        passed = torch.fft.ifft2(spectrum * torch.from_numpy(one.transform(w).reshape(SIZE, SIZE)))
        total += float(passed.abs().square().sum())
    return sqrt(total / float((tone**2).sum()))


def draw(bank: Any, ax: Axes) -> None:
    """The Littlewood-Paley sum over the frequencies, and where each wavelet is half as high as at its frequency."""
    n = 64
    grid = np.linspace(-pi, pi, n)
    w = np.stack(np.meshgrid(grid, grid, indexing="ij"), axis=-1).reshape(-1, 2)
    total = bank.sum_of_squares(w).reshape(n, n)
    picture = ax.imshow(total.T, origin="lower", extent=(-pi, pi, -pi, pi), cmap=MAGNITUDES, vmin=0, vmax=1)
    for one in bank.wavelets:
        ax.contour(grid, grid, one.transform(w).reshape(n, n).T, [0.5], colors=BOUND, linewidths=0.6)
    ax.figure.colorbar(picture, ax=ax, label="sum of squares")
    ax.set(xlabel="frequency", xticks=[-pi, 0, pi], yticks=[-pi, 0, pi])
    ax.set_xticklabels(["-π", "0", "π"])
    ax.set_yticklabels(["-π", "0", "π"])
