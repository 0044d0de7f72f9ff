r"""Textures: a wave with a bent phase costs the logarithm of its frequency.

Claim
    Oscillatory textures cos(a g(x)) h(x) on [-1, 1], g and h smooth, are approximated within eps by ReLU networks of bounded
    width and a depth of O(log^2(1/eps) + log^2 a), hence with an error that falls exponentially in a root of the number of
    weights. One hidden layer needs a unit for each oscillation, of the order of a.
Source
    D. Elbrächter, D. Perekrestenko, P. Grohs, H. Bölcskei, IEEE Trans. Inf. Theory 67 (2021) [elbraechter2021]; the abstract says
    that errors fall exponentially in the number of weights for "one-dimensional oscillatory textures". The exponent of log a is
    from memory, since no copy of the theorem was found; that of the networks here is measured.
Prediction
    an error of at most eps, at most the certified one and at least two sevenths of it; a frequency four times as high adds two
    folds, and a layer to every square of the phase: 2 + 1 layers and 4 + 2 units for x^2, 2 + 2 and 4 + 4 for x^4 - x^2, and no
    width; every turn of the wave followed where h exceeds eps, at sqrt(k pi / a) for the phase x^2
Measurement
    plica.construct.texture_network: depth, units, width, certified bound; the error at 40,001 points against the C library's
    cosine; the sign of the network at the turns
Remark
    A function of straight pieces that has another sign at each of K turns has K - 1 pieces or more, and one hidden layer as many
    units, less one. How far the certificate lies above the error is no part of the theorem; the row is there to notice a
    certificate that forgets a term. A factor of 2 was expected at first and 2.4 found (0.037 certified, 0.016 seen); then the
    phase got squares of its own, and 3.1 was found: worst cases of phase, half period and product are added, and do not meet.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, INK, MEASUREMENT
from plica.claims import Evidence, row
from plica.construct import Construction, Polynomial, texture_network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("elbraechter-2021-cosine", "elbraechter-2021-weierstrass", "elbraechter-2021-exponent")
HALF = Fraction(1, 2)
#: Phases with the layers and the units that a frequency four times as high adds.
PHASES = {"x^2": ([0, 0, 1], 3, 6), "x^4 - x^2": ([0, 0, -1, 0, 1], 4, 8)}
HEIGHT: list[int | float | Fraction] = [HALF, 0, -HALF]  # (1 - x^2) / 2


@cache
def texture(phase: str, frequency: int, digits: int) -> Construction:
    return texture_network(Polynomial(PHASES[phase][0]), Polynomial(HEIGHT), frequency, Fraction(1, 10**digits))


def true_error(net: Construction, phase: str, frequency: int) -> float:
    """The largest deviation at points, by a formula of its own."""
    x = np.linspace(-1, 1, 40_001)
    g = x**2 if phase == "x^2" else x**4 - x**2
    return float(np.abs(net(x[:, None])[:, 0] - np.cos(frequency * g) * (1 - x**2) / 2).max())


def turns(frequency: int, eps: float) -> np.ndarray:
    """Places x > 0 of extrema of cos(a x^2) where (1 - x^2) / 2 exceeds eps; the k-th has the sign of (-1)^k."""
    places = np.sqrt(np.arange(1, int(frequency / pi) + 1) * pi / frequency)
    return np.asarray(places[(1 - places**2) / 2 > eps])


def followed(net: Construction, places: np.ndarray) -> int:
    """At how many of the turns, on both sides of 0, the network has the sign of the wave."""
    signs = (-1.0) ** np.arange(1, len(places) + 1)
    return sum(int((np.sign(net(x[:, None])[:, 0]) == signs).sum()) for x in (places, -places))


def check(scale: str) -> Evidence:
    is_full = scale == "full"
    rows = []
    for phase, (_, layers, further) in PHASES.items():
        for digits in (1, 2, 4) if is_full else (1, 2):
            for frequency in (16, 64, 256, 1024, 4096) if is_full else (16, 64, 256):
                net, faster = texture(phase, frequency, digits), texture(phase, 4 * frequency, digits)
                about: dict[str, Any] = {"phase": phase, "a": frequency, "eps": f"1e-{digits}"}
                assert net.certificate is not None
                bound, error = float(net.certificate.bound), true_error(net, phase, frequency)
                rows.append(row(bound, "<=", 10.0**-digits, kind="certified", what="certified error", **about))
                rows.append(row(error, "<=", bound, what="error at points, certified", **about))
                rows.append(row(bound, "<=", 3.5 * error, kind="certified", what="certified, 7/2 of that at points", **about))
                rows.append(row(faster.depth - net.depth, "=", layers, what="further layers at 4 a", **about))
                rows.append(row(faster.n_units - net.n_units, "=", further, what="further units at 4 a", **about))
                width = max(faster.network.widths) - max(net.network.widths)
                rows.append(row(width, "=", 0, what="further width at 4 a", **about))
    for frequency in (64, 1024, 16_384) if is_full else (64, 1024):
        places = turns(frequency, 0.01)
        found = followed(texture("x^2", frequency, 2), places)
        rows.append(row(found, "=", 2 * len(places), phase="x^2", a=frequency, eps="1e-2", what="turns that it follows"))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """The texture with a = 64, and below it the units of its networks and the turns of the wave against the frequency."""
    ax.set_axis_off()
    above, below = ax.inset_axes((0.1, 0.62, 0.88, 0.36)), ax.inset_axes((0.1, 0.12, 0.88, 0.36))
    x = np.linspace(-1, 1, 2001)
    above.plot(x, texture("x^2", 64, 2)(x[:, None])[:, 0], color=MEASUREMENT, linewidth=1, label=r"network, $\varepsilon$ = 0.01")
    above.plot(x[::20], (np.cos(64 * x**2) * (1 - x**2) / 2)[::20], ".", color=INK, markersize=2, label="cos(64 x²) (1 - x²) / 2")
    above.legend(frameon=False, fontsize=7, loc="lower center", ncols=2)
    above.set_ylim(-0.85, 0.6)
    frequencies = [16, 64, 256, 1024, 4096]
    below.loglog(frequencies, [texture("x^2", a, 2).n_units for a in frequencies], "o-", color=MEASUREMENT, label="ReLUs")
    below.loglog(frequencies, [2 * len(turns(a, 0.01)) for a in frequencies], "s--", color=BOUND, label="turns of the wave")
    below.set_xticks(frequencies, [str(a) for a in frequencies])
    below.xaxis.minorticks_off()
    below.set_xlabel("frequency a")
    below.legend(frameon=False, fontsize=7)
    for panel in (above, below):
        panel.spines[["top", "right"]].set_visible(False)
        panel.tick_params(labelsize=7)
