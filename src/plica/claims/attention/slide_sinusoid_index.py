r"""What if the sinusoids start at i = 1?

Claim
    The positions sin(t / 10000^{2i/d}), cos(t / 10000^{2i/d}) with i = 1 ... d/2 have no wavelength 2 pi: their shortest is
    longer by the factor 10000^{2/d}.
Source
    The indices are those of the University of Washington lecture [washington-lecture], the wavelengths those of A. Vaswani
    et al., NeurIPS 2017, section 3.5, whose i starts at 0 [vaswani2017].
Prediction
    10000^{2/d}, the shortest wavelength divided by 2 pi; 1 where i starts at 0
Measurement
    the angle between the positions t = 0 and t = 1 in the fastest pair, from the sines and cosines themselves, for the printed
    indices; 1 / plica.theory.attention.sinusoid_frequencies(d)[0] for i = 0 ... d/2 - 1
Remark
    For d = 2 the only printed wavelength is 10000 2 pi: neighboring positions differ by an angle of 0.0001.
"""

from __future__ import annotations

from math import atan2, cos, sin

from plica.claims import Evidence, row
from plica.theory.attention import sinusoid_frequencies

STATEMENT = "question"
EXPECTED = "answered"
KIND = "exact"
SEE = ("sinusoid-positions",)


def check(scale: str) -> Evidence:
    rows = []
    for d in (2, 4, 8, 512):
        rows.append(row(1 / sinusoid_frequencies(d)[0], "=", 1.0, d=d, indices="0 ... d/2 - 1"))
        angles = [atan2(sin(1 / 10000 ** (2 * i / d)), cos(1 / 10000 ** (2 * i / d))) for i in range(1, d // 2 + 1)]
        rows.append(row(1 / max(angles), "=", 100.0 ** (4 / d), tolerance=1e-12, d=d, indices="1 ... d/2, printed"))
    return Evidence(rows)
