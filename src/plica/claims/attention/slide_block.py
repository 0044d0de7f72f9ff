r"""The transformer block, as printed: X + ReLU(W_1 ReLU(W_2 H)).

Claim
    The output of a transformer block with input X and attention H is X + ReLU(W_1 ReLU(W_2 H)).
Source
    Theories of Deep Learning, lecture 4, slide of the transformer block [oxford-lecture-4].
Prediction
    at least 1 entry of X that the block lowers, for random weights, as a transformer block does
Measurement
    entries of the output below those of X, exactly, for the printed block and for X' + W_1 ReLU(W_2 X'), X' = X + H [vaswani2017]
Remark
    The outer ReLU lets the printed block only add: no entry of the stream can ever decrease, whatever the weights and the depth.
    It also drops the residual sum around the attention and both normalizations.
"""

from __future__ import annotations

import numpy as np

from plica.claims import Evidence, control, counterexample
from plica.claims.attention._heads import random_weights, self_attention

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "exact"
SEED = 4


def relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0.0)


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows = []
    for d in (2, 8, 64) + ((512,) if scale == "full" else ()):
        X = rng.normal(size=(16, d))
        H = self_attention(X, random_weights(rng, d))
        W1, W2 = rng.normal(size=(4 * d, d)) / np.sqrt(4 * d), rng.normal(size=(d, 4 * d)) / np.sqrt(d)
        printed = X + relu(relu(H @ W2) @ W1)
        residual = X + H
        block = residual + relu(residual @ W2) @ W1
        rows.append(control(int((block < X).sum()), ">=", 1, block="with two residual sums", d=d, entries=X.size))
        lowered = int((printed < X).sum())
        rows.append(counterexample(lowered, ">=", 1, truth=0, block="printed", d=d, entries=X.size))
    return Evidence(rows, seed=SEED)
