r"""How many pairs of a query and a key masks show.

Claim
    Of L queries and L keys a causal mask shows L (L + 1) / 2 pairs, a window of w keys on each side L (2w + 1) - w (w + 1), a
    causal window of w keys and the query's own L (w + 1) - w (w + 1) / 2.
Source
    Counting; windows as in M. Zaheer et al., Big Bird, NeurIPS 2020 [zaheer2020].
Prediction
    plica.theory.attention.visible_pairs
Measurement
    the pairs of the masks plica.models.attention.causal and plica.models.attention.window
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims.attention._curves import curves
from plica.models.attention import causal, full, window
from plica.theory.attention import visible_pairs

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("causal-mask",)


def check(scale: str) -> Evidence:
    rows, lengths = [], (1, 2, 8, 33, 128) + ((2048,) if scale == "full" else ())
    for L in lengths:
        for w in (0, 1, 7):
            masks = {"full": full(), "causal": causal(), "window": window(w), "causal window": window(w, causal=True)}
            for name, mask in masks.items():
                if w and name in ("full", "causal"):
                    continue
                rows.append(row(mask.n_pairs(L), "=", visible_pairs(name, L, w), mask=name, tokens=L, w=w))
    shown = [(lengths, [visible_pairs(name, L, 7) for L in lengths], name) for name in ("full", "causal", "window")]
    return Evidence(rows, draw=curves(shown, x="tokens", y="visible pairs"))
