r"""Most of it can be proved again: sawteeth of leaky rectifiers, moduli and hard-tanh.

Claim
    What depth does for rectifiers it does for other activations: for each of leaky ReLU, |x| and hard-tanh there are networks
    as deep as the sawtooth's, with at most twice as many units, that have 2^n affine pieces on [0, 1]. One hidden layer of m
    units has at most m + 1 pieces on the line, for hard-tanh 2 m + 1.
Source
    University of Washington lecture, "most results can be re-proven" for other non-linearities [washington-lecture]; for
    rectifiers M. Telgarsky, 2015 [telgarsky2015].
Prediction
    2^n pieces; no difference from the sawtooth of rectifiers (for leaky ones only that of rounding); m + 1 or 2 m + 1 pieces,
    attained
Measurement
    exact pieces (plica.decompose) of plica.construct.with_activation applied to plica.construct.sawtooth, and of hidden
    layers with alternating slopes; values at all multiples of 2^-(n+2)
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, SERIES
from plica.claims import Evidence, row
from plica.construct import sawtooth, with_activation
from plica.geometry import Segment, decompose
from plica.network import Clip, Linear, Network, Rectifier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("sawtooth-unit-interval", "one-hidden-layer-pieces", "telgarsky-2016-separation")
UNITS = {"leaky": 2, "abs": 2, "hard-tanh": 1}
FOLDS = {"leaky": Rectifier(np.array(0.5)), "abs": Rectifier(np.array(-1.0)), "hard-tanh": Clip(-1.0, 1.0)}


def hidden_layer(activation: str, m: int) -> Network:
    """Units whose folds are at different places, with signs that alternate."""
    offsets = np.array([-4.0 * k for k in range(m)])
    signs = np.array([[(-1.0) ** k * (k + 1) for k in range(m)]])
    return Network.sequential(1, [Linear(np.ones((m, 1)), offsets), FOLDS[activation], Linear(signs)])


def check(scale: str) -> Evidence:
    depths = (1, 2, 4, 7) + ((10,) if scale == "full" else ())
    unit, rows = Segment([0.0], [1.0]), []
    counts: dict[str, list[tuple[int, int]]] = {}
    for activation, times in UNITS.items():
        for n in depths:
            plain = sawtooth(n).network
            other = with_activation(plain, activation)
            pieces = decompose(other, unit).n_regions
            counts.setdefault(activation, []).append((n, pieces))
            rows.append(row(pieces, "=", 2**n, what="pieces", activation=activation, n=n))
            rows.append(row(other.n_neurons, "=", times * plain.n_neurons, what="units", activation=activation, n=n))
            x = np.arange(2 ** (n + 2) + 1)[:, None] / 2 ** (n + 2)
            off = float(np.abs(other(x) - plain(x)).max())
            about: dict[str, Any] = {"what": "largest difference", "activation": activation, "n": n}
            if activation == "leaky":
                rows.append(row(off, "=", 0.0, kind="estimated", standard_error=1e-15 * 2**n, unit=1.0, **about))
            else:
                rows.append(row(off, "=", 0.0, **about))
        for m in (1, 3, 8):
            found = decompose(hidden_layer(activation, m), Segment([-100.0], [100.0])).n_regions
            most = 2 * m + 1 if activation == "hard-tanh" else m + 1
            rows.append(row(found, "=", most, what="pieces of one hidden layer", activation=activation, units=m))
    return Evidence(rows, draw=partial(draw, counts))


def draw(counts: dict[str, list[tuple[int, int]]], ax: Axes) -> None:
    """Pieces against depth: all activations on one line."""
    depths = [n for n, _ in counts["abs"]]
    ax.plot(depths, [2**n for n in depths], color=SERIES[-1], linewidth=1, label="$2^n$, rectifiers")
    for marker, size, (activation, found) in zip("osx", (13, 8, 6), counts.items(), strict=False):
        label = f"{activation}, {UNITS[activation]} for one"
        ax.plot(*zip(*found, strict=True), marker, color=MEASUREMENT, markerfacecolor="none", markersize=size, label=label)
    ax.set_yscale("log", base=2)
    ax.set(xlabel="tents composed, n", ylabel="affine pieces on [0, 1]")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
