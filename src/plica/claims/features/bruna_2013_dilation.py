r"""Scattering is stable where the modulus of the Fourier transform is not.

Claim
    A dilation by 1 - s moves the scattering transform of a tone by at most K |log(1 - s)| times its norm, with one constant
    for all frequencies. The modulus of its Fourier transform moves by 2^{1/2} times its norm, however small s is.
Source
    J. Bruna, S. Mallat, Invariant Scattering Convolution Networks, IEEE TPAMI 35 (2013), Section 2 [bruna2013]; S. Mallat
    [mallat2012], Theorem 2.12. The constant for tones is worked out in plica.theory.scattering.
Prediction
    plica.theory.scattering.dilation_constant, in every octave; 2^{1/2}
Measurement
    tones of a whole number of periods and slightly slower ones, through plica.models.scattering.Scattering with one wavelet in
    an octave, at every sample
"""

from __future__ import annotations

from functools import partial
from math import pi, sqrt
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import CONTROL, MEASUREMENT, PREDICTION
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.theory.scattering import dilation_constant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("mallat-2012-non-expansive", "mallat-2012-translation")
TOP = 300  # periods in 2,048 samples: above, a wavelet of a higher octave would be missing


def check(scale: str) -> Evidence:
    import torch

    from plica.models.scattering import Scattering, ScatteringConfig

    n, octaves = (16_384, 4) if scale == "full" else (2048, 2)
    config = ScatteringConfig((n,), n_scales=6, order=1, padding="periodic", subsample=False, normalized=True)
    model = Scattering(config)
    mother = model.banks[0].wavelets[0]
    width = float(mother.frequency[0]) * sqrt(float(mother.covariance[0, 0]))
    top = TOP * n // 2048
    fast = np.unique(np.geomspace(top / 2**octaves, top, 16 * octaves).astype(int))
    slow = np.minimum(np.round(0.98 * fast).astype(int), fast - 1)
    tones, slower = (torch.from_numpy(np.cos(2 * pi * np.outer(m, np.arange(n)) / n)) for m in (fast, slow))
    shift = np.log(fast / slow)
    size = tones.norm(dim=1)
    change = ((model(tones) - model(slower)).flatten(1).norm(dim=1) / size).numpy() / shift
    spectra = [torch.fft.fft(x, norm="ortho").abs() for x in (tones, slower)]
    moved = ((spectra[0] - spectra[1]).norm(dim=1) / size).numpy()
    rows = []
    bound = dilation_constant(width)
    for k in range(octaves):
        mine = (fast > top / 2 ** (k + 1)) & (fast <= top / 2**k)
        rows.append(row(float(change[mine].max()), "=", bound, tolerance=0.01, what="largest change in an octave", octave=-k))
    rows.append(row(float(np.abs(moved - sqrt(2)).max()), "<=", 1e-9, what="Fourier modulus: distance from the root of 2"))
    least = float(change.min())
    rows.append(control(least, ">", bound / 4, what="least change: the transform does notice"))
    return Evidence(rows, draw=partial(draw, fast / n, change, moved / shift, bound))


def draw(frequency: Array, change: Array, fourier: Array, bound: float, ax: Axes) -> None:
    """Change over dilation against frequency."""
    ax.plot(frequency, change, ".-", color=MEASUREMENT, linewidth=0.8, label="scattering")
    ax.plot(frequency, fourier, ".", color=CONTROL, label="modulus of the Fourier transform")
    ax.axhline(bound, color=PREDICTION, linewidth=0.9, linestyle="--", label=f"constant {bound:.3f}")
    ax.set(xscale="log", yscale="log", xlabel="periods per sample", ylabel="change over dilation")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
