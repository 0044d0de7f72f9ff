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


def self_attention(X: Array, weights: tuple[Array, Array, Array], *, hidden: Array | None = None) -> Array:
    WQ, WK, WV = weights
    return attention(X @ WQ, X @ WK, X @ WV, hidden=hidden)


def random_weights(rng: np.random.Generator, d: int) -> tuple[Array, Array, Array]:
    a, b, c = rng.normal(size=(3, d, d)) / np.sqrt(d)
    return a, b, c


def leaks(hidden: Array, *, seed: int, d: int = 8) -> int:
    """Pairs (t, s) with s > t such that changing token s changes the output at t, bit for bit."""
    rng = np.random.default_rng(seed)
    T = len(hidden)
    X, weights = rng.normal(size=(T, d)), random_weights(rng, d)
    before = self_attention(X, weights, hidden=hidden)
    count = 0
    for s in range(T):
        changed = X.copy()
        changed[s] += 1.0
        differs = (self_attention(changed, weights, hidden=hidden) != before).any(1)
        count += int(differs[:s].sum())
    return count
