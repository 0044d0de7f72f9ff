r"""Scattering hardly notices translations shorter than its mean.

Claim
    A scattering transform of order m whose Littlewood-Paley sum is at most 1, with a Gaussian mean of standard deviation sigma,
    moves under a translation by c by at most K |c| |x| with K = (m + 1)^{1/2} / (sigma e^{1/2}); for order 0 the constant is
    the best.
Source
    S. Mallat, Group Invariant Scattering, CPAM 65 (2012), Theorem 2.10 and its proof [mallat2012]; the constant for a Gaussian
    is worked out in plica.theory.scattering.
Prediction
    plica.theory.scattering.translation_constant
Measurement
    digits and noise, translated, through plica.models.scattering.Scattering at every pixel; for the best constant, tones of
    growing wave length, translated by one pixel
"""

from __future__ import annotations

from functools import partial
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, Row, row
from plica.claims.features.mallat_2012_non_expansive import SIZE, images
from plica.theory.scattering import translation_constant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("mallat-2012-non-expansive", "bruna-2013-dilation")
SEED = 2012


def check(scale: str) -> Evidence:
    import torch

    from plica.models.scattering import Scattering, ScatteringConfig

    rng = np.random.default_rng(SEED)
    rows: list[Row] = []
    n = 10 if scale == "full" else 2
    for n_scales in (2, 3, 4) if scale == "full" else (2,):
        sigma = 0.8 * 2.0 ** (n_scales - 1)
        settings: dict[str, Any] = {"padding": "periodic", "subsample": False, "n_scales": n_scales}
        model = Scattering(ScatteringConfig((SIZE, SIZE), n_angles=4, normalized=True, **settings))
        for name, x in images(n, rng).items():
            if name == "constants":
                continue
            signal = torch.from_numpy(x)
            s, size = model(signal).flatten(1), signal.flatten(1).norm(dim=1)
            for c in (1, 3):
                moved = model(torch.roll(signal, c, -1)).flatten(1)
                change = float(((moved - s).norm(dim=1) / size).max())
                rows.append(row(change, "<=", translation_constant(sigma, 2) * c, scales=n_scales, pixels=c, what=name))
        length = SIZE * 2**n_scales  # so that tones lie equally close to the one that moves most
        across = 2**n_scales
        mean = Scattering(ScatteringConfig((length, across), order=0, **settings))
        waves = torch.from_numpy(np.cos(2 * pi * np.outer(np.arange(1, length // 4), np.arange(length)) / length))
        tones = waves[:, :, None].expand(-1, -1, across).contiguous()
        change = (mean(torch.roll(tones, 1, 1)) - mean(tones)).flatten(1).norm(dim=1) / tones.flatten(1).norm(dim=1)
        # a translation by one pixel instead of an infinitely short one: 2 sin(w/2) for w, at w = 1/sigma
        slack = (1 / sigma) ** 2 / 24 + 2e-3
        rows.append(row(float(change.max()), "=", translation_constant(sigma, 0), tolerance=slack, scales=n_scales, what="tones"))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """How far translated images move, against the translation, below the bounds."""
    for color, n_scales in zip(SERIES, sorted({r.parameters["scales"] for r in rows}), strict=False):
        for marker, name in (("o", "digits"), ("s", "noise")):
            mine = [r for r in rows if r.parameters["scales"] == n_scales and r.parameters["what"] == name]
            pixels = [r.parameters["pixels"] for r in mine]
            label = f"{n_scales} scales, {name}"
            ax.plot(pixels, [r.measured for r in mine], marker, color=color, label=label)
        ax.plot(pixels, [r.predicted for r in mine], "--", color=color, linewidth=0.9)
    ax.plot([], [], "--", color=PREDICTION, linewidth=0.9, label="bounds")
    ax.set(xscale="log", yscale="log", xlabel="pixels", ylabel="moved by, relative to the image")
    ax.set_xticks([1, 3], ["1", "3"])
    ax.minorticks_off()
    ax.legend(frameon=False, fontsize=7)
    ax.spines[["top", "right"]].set_visible(False)
