r"""What if the sinusoids start at i = 1?

Claim
    The positions sin(t / 10000^{2i/d}), cos(t / 10000^{2i/d}) with i = 1 ... d/2 have no wavelength 2 pi: their shortest is
    longer by the factor 10000^{2/d}, and so is their longest.
Source
    The indices are those of the University of Washington lecture [washington-lecture], the wavelengths those of A. Vaswani
    et al., NeurIPS 2017, section 3.5, whose i starts at 0 [vaswani2017].
Prediction
    10000^{2/d}, the shortest wavelength divided by 2 pi, and 10000, the longest; 1 and 10000^{1 - 2/d} where i starts at 0
Measurement
    the angles between the positions t = 0 and t = 1 in the first and the last pair, from the sines and cosines that
    plica.models.attention.Sinusoidal adds, with both of its indexings
Remark
    For d = 2 the only printed wavelength is 10000 2 pi: neighboring positions differ by an angle of 0.0001.
"""

from __future__ import annotations

from math import atan2
from typing import Any

import torch

from plica.claims import Evidence, row
from plica.claims.attention._curves import curves
from plica.models.attention import Sinusoidal

STATEMENT = "question"
EXPECTED = "answered"
KIND = "exact"
SEE = ("sinusoid-positions",)


def wavelengths(d: int, indexing: str) -> list[float]:
    """Of all pairs, divided by 2 pi."""
    start, after = Sinusoidal(d, indexing=indexing).table(2, like=torch.empty(0, dtype=torch.float64)).tolist()
    angles = []
    for i in range(0, d, 2):
        angles.append(atan2(after[i], after[i + 1]) - atan2(start[i], start[i + 1]))
    return [1 / angle for angle in angles]


def check(scale: str) -> Evidence:
    rows = []
    for d in (2, 4, 8, 512):
        for indexing, first in (("vaswani", 0), ("lecture", 1)):
            found = wavelengths(d, indexing)
            name = "0 ... d/2 - 1" if first == 0 else "1 ... d/2, printed"
            about: dict[str, Any] = {"d": d, "indices": name}
            rows.append(row(found[0], "=", 100.0 ** (4 * first / d), tolerance=1e-9, wavelength="shortest", **about))
            rows.append(row(found[-1], "=", 10000 ** (1 - 2 * (1 - first) / d), tolerance=1e-9, wavelength="longest", **about))
    shown = [(range(8), wavelengths(16, which), f"i from {first}") for first, which in enumerate(("vaswani", "lecture"))]
    return Evidence(rows, draw=curves(shown, x="pair of coordinates, d = 16", y="wavelength / 2 pi", log="y"))
