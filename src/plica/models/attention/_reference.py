r"""The definition of attention: dense, in float64, pair by pair. Every fast path is compared with it.

It shares no arithmetic with the core: parameters are read as numpy arrays, everything else is written out again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.models.attention._attention import Attention
from plica.models.attention._masks import Mask, as_mask
from plica.models.attention._normalizers import FeatureMap, Linformer, Performer, Pointwise
from plica.models.attention._positions import Absolute, Alibi, Buckets, Learned, Relative, Rotary, Sinusoidal
from plica.models.attention._scores import Additive, Cosine, Distance, Dot, Multiplicative, Scaled


def reference(
    attention: Attention, query: Any, key: Any = None, value: Any = None, *, mask: Any = None, offset: int = 0
) -> Array:
    """The output of an :class:`Attention`, from its definition: (batch, L, d_model) in float64.

    Examples
    --------
    >>> import torch
    >>> attention, x = Attention(8, 2, mask="causal").double(), torch.randn(1, 5, 8, dtype=torch.float64)
    >>> bool(np.allclose(attention(x).detach(), reference(attention, x), atol=1e-14))
    True
    """
    X = _array(query)
    context = X if key is None else _array(key)
    values = context if value is None else _array(value)
    H, d = attention.n_heads, attention.d_head
    q = _projected(attention, attention.q_proj, X, offset)
    k = _projected(attention, attention.k_proj, context, 0)
    v = _projected(attention, attention.v_proj, values, 0)
    (B, L, _), S = q.shape, k.shape[1]
    seen = attention.attend.mask if mask is None else attention.attend.mask & as_mask(mask)
    visible = _visible(seen, B, H, L, S, offset)
    out = np.zeros((B, L, H * d))
    for b in range(B):
        for h in range(H):
            head = slice(h * d, (h + 1) * d)
            g = h // (H // attention.n_kv_heads)  # the group of this head
            group = slice(g * d, (g + 1) * d)
            out[b, :, head] = _head(attention, h, q[b, :, head], k[b, :, group], v[b, :, group], visible[b, h], offset)
    return _linear(attention.out_proj, out)


def _head(attention: Attention, h: int, q: Array, k: Array, v: Array, visible: Array, offset: int) -> Array:
    normalizer, position = attention.attend.normalizer, attention.attend.position
    if isinstance(normalizer, FeatureMap):
        weights = _feature_kernel(attention, h, q, k, offset) * visible
        total = weights.sum(1, keepdims=True)
        return weights @ v / np.where(total == 0, 1.0, total)
    if isinstance(normalizer, Linformer):
        S = len(k)
        E, F = _array(normalizer.keys)[:, :S], _array(normalizer.values)[:, :S]
        turned = _turned(k, position, 0) if isinstance(position, Rotary) else k
        scores = np.array([[_score(attention, h, a, b, i + offset, None) for b in E @ turned] for i, a in enumerate(q)])
        return _softmax(scores, np.ones_like(scores, dtype=bool)) @ (F @ v)
    scores = np.array([[_score(attention, h, a, b, i + offset, j) for j, b in enumerate(k)] for i, a in enumerate(q)])
    if isinstance(normalizer, Pointwise):
        functions = {
            "relu": lambda s: np.maximum(s, 0),
            "relu2": lambda s: np.maximum(s, 0) ** 2,
            "identity": lambda s: s,
            "sigmoid": lambda s: 1 / (1 + np.exp(-s)),
        }
        weights = np.where(visible, functions[normalizer.function](scores), 0.0)
        count = np.maximum(visible.sum(1, keepdims=True), 1) if normalizer.divide else 1
        return weights / count @ v
    return _softmax(scores, visible) @ v


def _score(attention: Attention, h: int, q: Array, k: Array, i: int, j: int | None) -> float:
    """The score of one pair at positions i and j; j is None for a mixture, whose keys were turned before."""
    score, position = attention.attend.score, attention.attend.position
    d = len(q)
    if isinstance(score, Additive):
        W1, W2, u = (_array(p)[h] for p in (score.key_weight, score.query_weight, score.weight))
        found = float(u.ravel() @ np.tanh(k @ W1 + q @ W2))
    elif isinstance(position, Relative):
        u, w, R = _array(position.content)[h, 0], _array(position.place)[h, 0], _array(position.project.weight)
        assert j is not None
        row = (R @ _sinusoid(i - j, R.shape[1]))[h * d : (h + 1) * d]
        left, factor = _left(score, h, q + u, d)
        found = factor * float(left @ k + (q + w) @ row)
    else:
        if isinstance(position, Rotary):
            left, factor = _left(score, h, q, d)
            left, right = _turn(left, i, position), k if j is None else _turn(k, j, position)
        else:
            (left, factor), right = _left(score, h, q, d), k
        if isinstance(score, Cosine):
            found = factor * float(left @ right) / float(np.linalg.norm(left) * np.linalg.norm(right))
        elif isinstance(score, Distance):
            found = -factor * float(((left - right) ** 2).sum())
        else:
            found = factor * float(left @ right)
    if isinstance(position, Alibi):
        assert j is not None
        found -= position.slopes[h] * abs(i - j)
    if isinstance(position, Buckets):
        assert j is not None
        found += float(_array(position.weight)[_bucket(j - i, position), h])
    return found


def _left(score: Any, h: int, q: Array, d: int) -> tuple[Array, float]:
    """The query's side of an inner product, and the factor before it."""
    if isinstance(score, Dot):
        return q, 1.0
    if isinstance(score, Multiplicative):
        return q @ _array(score.weight)[h], 1.0
    if isinstance(score, Cosine) and score.temperature is not None:
        return q, float(score.temperature.detach())
    assert isinstance(score, Scaled | Cosine | Distance)
    return q, float(d**-score.alpha)


def _feature_kernel(attention: Attention, h: int, q: Array, k: Array, offset: int) -> Array:
    """phi(q_i) . phi(k_j), up to a factor of each row."""
    score, position, normalizer = attention.attend.score, attention.attend.position, attention.attend.normalizer
    d = q.shape[1]
    sides = [_left(score, h, row, d) for row in q]
    left, factor = np.array([side for side, _ in sides]), sides[0][1]
    right, lengths = k, np.zeros(len(k))
    if isinstance(score, Cosine):
        left, right = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (left, right))
    if isinstance(score, Distance):
        lengths, factor = -factor * (k**2).sum(1), 2 * factor
    if isinstance(position, Rotary):
        left, right = _turned(left, position, offset), _turned(right, position, 0)
    left, right = left * np.sqrt(factor), right * np.sqrt(factor)
    if isinstance(normalizer, Performer):
        directions = _array(normalizer.directions)
        a = np.exp(left @ directions.T - (left**2).sum(1, keepdims=True) / 2)
        b = np.exp(right @ directions.T - (right**2).sum(1, keepdims=True) / 2)
        return a @ b.T * np.exp(lengths)
    a, b = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for x in (left, right))
    return a @ b.T


def _projected(attention: Attention, projection: Any, X: Array, offset: int) -> Array:
    place = attention.position
    if place is None:
        return _linear(projection, X)
    rows = np.array([_absolute(place, offset + t) for t in range(X.shape[1])])
    if place.into == "projections":
        return _linear(projection, X) + rows
    if place.combine == "add":
        return _linear(projection, X + rows)
    return _linear(projection, np.concatenate([X, np.broadcast_to(rows, (*X.shape[:2], place.d))], -1))


def _absolute(place: Absolute, t: int) -> Array:
    if isinstance(place, Learned):
        return _array(place.weight)[t]
    assert isinstance(place, Sinusoidal)
    return _sinusoid(t, place.d, first=1 if place.indexing == "lecture" else 0)


def _sinusoid(t: int, d: int, *, first: int = 0) -> Array:
    row = np.empty(d)
    for i in range(d // 2):
        angle = t / 10000.0 ** (2 * (i + first) / d)
        row[2 * i], row[2 * i + 1] = np.sin(angle), np.cos(angle)
    return row


def _turned(X: Array, position: Rotary, offset: int) -> Array:
    return np.array([_turn(row, offset + t, position) for t, row in enumerate(X)])


def _turn(x: Array, t: int, position: Rotary) -> Array:
    """Pairs as complex numbers, multiplied by e^{i t w}."""
    d = len(x)
    real, imaginary = (x[: d // 2], x[d // 2 :]) if position.pairs == "halves" else (x[0::2], x[1::2])
    turned = (real + 1j * imaginary) * np.exp(1j * t * position.base ** (-np.arange(0, d, 2) / d))
    if position.pairs == "halves":
        return np.concatenate([turned.real, turned.imag])
    return np.stack([turned.real, turned.imag], 1).ravel()


def _bucket(difference: int, position: Buckets) -> int:
    """T5's bucket of key minus query, one by one."""
    side = position.n_buckets if position.causal else position.n_buckets // 2
    start = side if difference > 0 and not position.causal else 0
    distance = max(-difference, 0) if position.causal else abs(difference)
    if distance < side // 2:
        return start + distance
    share = np.log(np.float32(distance / (side // 2))) / np.log(position.farthest / (side // 2))
    return start + min(side - 1, side // 2 + int(share * (side - side // 2)))


def _visible(mask: Mask, B: int, H: int, L: int, S: int, offset: int) -> Array:
    return np.broadcast_to(mask.matrix(L, S, offset=offset).numpy(), (B, H, L, S))


def _softmax(scores: Array, visible: Array) -> Array:
    weights = np.where(visible, np.exp(scores - scores.max()), 0.0)
    total = weights.sum(1, keepdims=True)
    return weights / np.where(total == 0, 1.0, total)


def _linear(layer: Any, X: Array) -> Array:
    found = X @ _array(layer.weight).T
    return found if layer.bias is None else found + _array(layer.bias)


def _array(x: Any) -> Array:
    return np.asarray(x.detach().cpu() if hasattr(x, "detach") else x, dtype=np.float64)
