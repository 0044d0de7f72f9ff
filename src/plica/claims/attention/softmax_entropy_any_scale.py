r"""Does log L - b^2/2 hold for larger scores?

Claim
    The entropy of softmax weights with independent Gaussian scores of standard deviation b is log L - b^2/2 for every b, with
    512 keys.
Source
    The same sums as for small b, without their condition [vaswani2017].
Prediction
    plica.theory.attention.softmax_entropy(L, b), within 0.05
Measurement
    the mean of plica.measure.attention_entropy over random queries, for b from 1 to 4
Remark
    The law needs e^{b^2} to be much smaller than L. At b = 2 the entropy is larger by 0.14, at b = 4 the law is negative while
    the entropy is about 2: a few keys hold most of the weight. For b <= 1 it is the claim softmax-entropy.
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims.attention.softmax_entropy import SEED, mean_entropy
from plica.theory.attention import softmax_entropy

EXPECTED = "refuted"
KIND = "estimated"
SEE = ("softmax-entropy",)


def check(scale: str) -> Evidence:
    rows = []
    for b in (1.0, 2.0, 3.0, 4.0):
        measured, error = mean_entropy(512, b, 5_000 if scale == "full" else 500)
        rows.append(row(measured, "<=", softmax_entropy(512, b) + 0.05, kind="estimated", standard_error=error, b=b))
    return Evidence(rows, seed=SEED)
