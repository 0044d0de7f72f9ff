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

from plica.claims import Evidence, row

EXPECTED = "refuted"
KIND = "exact"
SEE = ("permutation-equivariance",)


def product_shape(left: tuple[int, int], right: tuple[int, int]) -> str:
    """The shape of a matrix product."""
    return f"{left[0]} x {right[1]}" if left[1] == right[0] else "not defined"


def check(scale: str) -> Evidence:
    rows = []
    for T, d, h in ((3, 4, 1), (3, 4, 2), (2, 4, 2), (2048, 12288, 96)):
        beside, above = (T, h * (d // h)), (h * T, d // h)
        wanted = f"{T} x {d}"
        rows.append(row(product_shape(beside, (d, d)), "=", wanted, T=T, d=d, h=h, heads="side by side, H W_O"))
        rows.append(row(product_shape((d, d), above), "=", wanted, T=T, d=d, h=h, heads="on top of one another, W_O H"))
    return Evidence(rows)
