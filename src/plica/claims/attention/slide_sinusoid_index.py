r"""Sinusoidal positions, as printed: i from 1 to d/2.

Claim
    The positions sin(t / 10000^{2i/d}), cos(t / 10000^{2i/d}) with i = 1 ... d/2 have wavelengths from 2 pi to 10000 2 pi.
Source
    The indices are those of the University of Washington lecture [washington-lecture], the wavelengths those of A. Vaswani
    et al., NeurIPS 2017, section 3.5, whose i starts at 0 [vaswani2017].
Prediction
    1, the shortest wavelength divided by 2 pi
Measurement
    10000^{2/d} for the printed indices; 1 / plica.theory.attention.sinusoid_frequencies(d)[0] for i = 0 ... d/2 - 1
Remark
    For d = 2 the only printed wavelength is 10000 2 pi: neighboring positions differ by an angle of 0.0001.
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.theory.attention import sinusoid_frequencies

EXPECTED = "refuted"
KIND = "exact"
SEE = ("sinusoid-positions",)


def check(scale: str) -> Evidence:
    rows = []
    for d in (2, 4, 8, 512):
        rows.append(row(1 / sinusoid_frequencies(d)[0], "=", 1.0, d=d, indices="0 ... d/2 - 1"))
        rows.append(row(10000.0 ** (2 / d), "=", 1.0, d=d, indices="1 ... d/2, printed"))
    return Evidence(rows)
