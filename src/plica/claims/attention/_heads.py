"""Attention in plain numpy, in float64: small enough to be read next to its formula."""

from __future__ import annotations

import numpy as np

from plica._types import Array


def softmax(scores: Array) -> Array:
    """Row by row; hidden scores are -inf. A row without visible entries is zero."""
    top = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(top), top, 0.0))
    total = weights.sum(-1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)


def attention(Q: Array, K: Array, V: Array, *, hidden: Array | None = None) -> Array:
    """softmax(Q K^T / sqrt(d)) V; ``hidden[i, j]`` hides key j from query i."""
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    return softmax(scores if hidden is None else np.where(hidden, -np.inf, scores)) @ V
