r"""Multi-head attention, as printed: heads on top of one another, then W_O H.

Claim
    Concatenating h heads of T tokens and width d/h on top of one another gives H with W_O H of shape T x d, W_O being d x d.
Source
    Theories of Deep Learning, lecture 4, slide of multi-head attention [oxford-lecture-4].
Prediction
    the shape T x d
Measurement
    the shape of the product, where it exists; for heads side by side and H W_O [vaswani2017] as well
Remark
    With tokens as rows the heads stand side by side and W_O acts from the right.
"""

from __future__ import annotations

import numpy as np

from plica.claims import Evidence, control, counterexample

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "exact"
SEE = ("permutation-equivariance",)


def product_shape(left: tuple[int, int], right: tuple[int, int]) -> str:
    """The shape of a matrix product, from numpy's own rule; no entry is stored."""
    try:
        shape = np.broadcast_to(0, left).dot(np.broadcast_to(0, (right[0], 1))).shape
    except ValueError:
        return "not defined"
    return f"{shape[0]} x {right[1]}"


def check(scale: str) -> Evidence:
    rows = []
    cases = ((3, 4, 1, "not defined"), (3, 4, 2, "not defined"), (2, 4, 2, "4 x 2"), (2048, 12288, 96, "not defined"))
    for T, d, h, truth in cases:
        beside, above = (T, h * (d // h)), (h * T, d // h)
        wanted = f"{T} x {d}"
        rows.append(control(product_shape(beside, (d, d)), "=", wanted, T=T, d=d, h=h, heads="side by side, H W_O"))
        printed = product_shape((d, d), above)
        rows.append(counterexample(printed, "=", wanted, truth=truth, T=T, d=d, h=h, heads="on top of one another, W_O H"))
    return Evidence(rows)
