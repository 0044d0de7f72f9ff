r"""Scattering hardly notices small deformations.

Claim
    A deformation x(u - tau(u)) moves the scattering transform by at most a constant times the slope of tau, and another times tau
    over the width of the mean. Where tau is slow, the first constant is attained by tones and is that of dilations; the modulus
    of the Fourier transform of the same tones moves by (2 - 2 |J_0(w |tau|)|)^{1/2} times their norm, which does not get small.
Source
    S. Mallat, Group Invariant Scattering, CPAM 65 (2012), Theorem 2.12 [mallat2012], whose constants are not printed; those for
    Morlet wavelets on the line are worked out in plica.theory.scattering, where the first grows with the root of the number of
    scales, unlike the theorem's.
Prediction
    plica.theory.scattering.deformation_bound for any signal; plica.theory.scattering.dilation_constant times the root mean
    square of log(1 - tau') for tones under a slow wave tau
Measurement
    sums of tones, noise and bumps of a period of thousands of samples, evaluated at u - tau(u) without interpolation, through
    plica.models.scattering.Scattering with one wavelet in an octave, at every sample
Remark
    Signals are known between samples, since they are finite sums of waves; moduli are not, and their aliases are far below the
    bounds. The bounds are several times what was measured: sums of absolute values forget that wavelets cancel.
"""

from __future__ import annotations

from functools import partial
from math import pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, PREDICTION, SERIES
from plica._types import Array
from plica.claims import Evidence, Row, control, row
from plica.theory.scattering import deformation_bound, dilation_constant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.models.scattering import Scattering

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("bruna-2013-dilation", "mallat-2012-translation", "mallat-2012-non-expansive")
SEED = 2012
TOP = 0.14  # cycles per sample: above, a wavelet of a higher octave would be missing


def waves(coefficients: Array, at: Array) -> Array:
    """Real signals (n, samples) of period N = len(at): sums of waves with 0, 1, 2, ... periods, at any places."""
    n = len(at)
    found = np.zeros((len(coefficients), n))
    for k in np.flatnonzero(np.abs(coefficients).any(axis=0)):
        found += np.real(coefficients[:, k, None] * np.exp(2j * pi * k * at / n))
    return found


def signals(n: int, rng: np.random.Generator) -> dict[str, Array]:
    """Coefficients of noise, of a chord, and of bumps, below the highest frequency."""
    k = np.arange(int(TOP * n))
    noise = rng.normal(size=len(k)) + 1j * rng.normal(size=len(k))
    chord = np.isin(k, [int(TOP * n / f) for f in (1.1, 1.5, 2.3, 4.1)]).astype(complex)
    bumps = np.exp(-0.5 * (k / (0.02 * n)) ** 2) * np.exp(2j * pi * k * 0.3)
    return {"noise": noise[None], "chord": chord[None], "bumps": bumps[None]}


def check(scale: str) -> Evidence:
    from plica.models.scattering import Scattering, ScatteringConfig

    rng = np.random.default_rng(SEED)
    n, n_scales = (16_384, 6) if scale == "full" else (2048, 3)
    settings: dict[str, Any] = {"n_scales": n_scales, "padding": "periodic", "subsample": False, "normalized": True}
    model = Scattering(ScatteringConfig((n,), order=2, **settings))
    rows = bounded(model, n, (0.003, 0.01, 0.03) if scale == "full" else (0.005, 0.02), rng)
    rows += slow_tones(Scattering(ScatteringConfig((n,), order=1, **settings)), n, 3 if scale == "full" else 1)
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def moved(model: Scattering, x: Array, y: Array) -> Array:
    """|S x - S y| / |x|, row by row."""
    import torch

    a, b = (model(torch.from_numpy(part)).flatten(1).numpy() for part in (x, y))
    return np.asarray(np.linalg.norm(a - b, axis=1) / np.linalg.norm(x, axis=1))


def bounded(model: Scattering, n: int, slopes: tuple[float, ...], rng: np.random.Generator) -> list[Row]:
    """Signals under deformations of two wave lengths, against the bound."""
    bank, u = model.banks[0], np.arange(n, dtype=float)
    shapes = [(float(w.frequency[0]) * sqrt(float(w.covariance[0, 0])), w.gain) for w in bank.wavelets]
    sigma, gain = sqrt(float(bank.low_pass.covariance[0, 0])), bank.low_pass.gain
    rows: list[Row] = []
    for name, coefficients in signals(n, rng).items():
        x = waves(coefficients, u)
        for periods in (1, n // 128):
            for slope in slopes:
                shift = slope * n / (2 * pi * periods)
                y = waves(coefficients, u - shift * np.sin(2 * pi * periods * u / n))
                bound = deformation_bound(slope, shift, order=2, sigma=sigma, wavelets=shapes, gain=gain)
                about: dict[str, Any] = {"what": name, "slope": slope, "wave": n // periods}
                rows.append(row(float(moved(model, x, y)[0]), "<=", bound, **about))
    least = min(float(r.predicted) for r in rows)
    rows.append(control(least, "<", 0.5, what="the smallest bound says something: 2 would hold for any two signals"))
    return rows


def slow_tones(model: Scattering, n: int, octaves: int) -> list[Row]:
    """Tones under one slow wave: the most that they move, and how their Fourier transforms move."""
    from scipy.special import j0

    mother = model.banks[0].wavelets[0]
    constant = dilation_constant(float(mother.frequency[0]) * sqrt(float(mother.covariance[0, 0])))
    u, slope = np.arange(n, dtype=float), 0.01
    shift = slope * n / (2 * pi)
    tau, stretch = shift * np.sin(2 * pi * u / n), np.log(1 - slope * np.cos(2 * pi * u / n))
    expected = constant * sqrt(float((stretch**2).mean()))
    rows: list[Row] = []
    for octave in range(octaves):
        k = np.unique(np.geomspace(TOP * n / 2 ** (octave + 1), TOP * n / 2**octave, 24).astype(int))
        x, y = (np.cos(2 * pi * np.outer(k, at) / n) for at in (u, u - tau))
        most = float(moved(model, x, y).max())
        rows.append(row(most, "=", expected, tolerance=0.02, what="tones under a slow wave", slope=slope, octave=-octave))
        spectra = [np.abs(np.fft.fft(part, norm="ortho")) for part in (x, y)]
        change = np.linalg.norm(spectra[0] - spectra[1], axis=1) / np.linalg.norm(x, axis=1)
        law = np.sqrt(2 - 2 * np.abs(j0(2 * pi * k * shift / n)))
        rows.append(
            row(float(np.abs(change - law).max()), "<=", 1e-9, what="Fourier modulus: distance from its law", octave=-octave)
        )
        rows.append(control(float(change.min()), ">", 0.5, what="the Fourier modulus does not get small", octave=-octave))
    return rows


def draw(rows: list[Row], ax: Axes) -> None:
    """How far deformed signals move against the slope of the deformation, below their bounds; tones on their line."""
    mine = [r for r in rows if "wave" in r.parameters]
    waves = sorted({r.parameters["wave"] for r in mine}, reverse=True)
    for color, name in zip(SERIES, dict.fromkeys(r.parameters["what"] for r in mine), strict=False):
        for marker, wave in zip("os", waves, strict=True):
            of = [r for r in mine if r.parameters["what"] == name and r.parameters["wave"] == wave]
            slopes = [r.parameters["slope"] for r in of]
            ax.plot(slopes, [r.measured for r in of], marker, color=color, label=name if marker == "o" else None)
    for style, shape, wave in zip(("--", ":"), ("circles", "squares"), waves, strict=True):
        of = [r for r in mine if r.parameters["wave"] == wave][: len(slopes)]
        ax.plot(slopes, [r.predicted for r in of], style, color=BOUND, label=f"bound, waves of {wave:,} samples ({shape})")
    tones = [r for r in rows if r.parameters["what"] == "tones under a slow wave"]
    ends = np.array([slopes[0], slopes[-1]])
    law = float(tones[0].predicted) / tones[0].parameters["slope"]
    ax.plot(ends, law * ends, "-", color=PREDICTION, linewidth=0.9, label="tones, slow waves")
    ax.plot([r.parameters["slope"] for r in tones], [r.measured for r in tones], "x", color=PREDICTION)
    ax.set(xscale="log", yscale="log", xlabel="slope of the deformation", ylabel="moved by, relative to the signal")
    ax.set_ylim(top=40 * max(float(r.predicted) for r in mine))
    ax.set_xticks(slopes, [f"{s:g}" for s in slopes])
    ax.minorticks_off()
    ax.legend(frameon=False, fontsize=7, ncols=2, loc="upper left")
    ax.spines[["top", "right"]].set_visible(False)
