r"""Layer norm, as printed: every row to unit length.

Claim
    Layer normalization scales each row to unit Euclidean length.
Source
    Theories of Deep Learning, lecture 4, on the queries and keys of a transformer [oxford-lecture-4].
Prediction
    1, the squared length of a normalized row
Measurement
    the squared length of (z - mean) / std for integer rows z, in exact rationals
Remark
    It is d, the length of the row. Unit rows are another method, query-key normalization [henry2020], with its own scale. And the
    transformer of 2017 normalizes after the residual sums, not queries and keys. See the claim layer-norm-length.
"""

from __future__ import annotations

from plica.claims import Evidence, counterexample
from plica.claims.attention.layer_norm_length import squared_length

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "exact"
SEE = ("layer-norm-length", "unit-rows-attend-uniformly")


def check(scale: str) -> Evidence:
    rows = [
        counterexample(squared_length(z), "=", 1, truth=len(z), d=len(z), z=str(z))
        for z in ((1, -1), (1, 2, 3), (3, 1, 4, 1, 5, 9, 2, 6))
    ]
    return Evidence(rows)
