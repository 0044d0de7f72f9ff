"""The queries, keys and values of the attention view, and what is known about their scores."""

from __future__ import annotations

from math import sqrt

import numpy as np

from plica._types import Array
from plica.theory import attention as theory
from plica.web._state import State

N_HEADS = 48
"""Heads that are averaged over; the first one is drawn."""


def rows(state: State) -> tuple[Array, Array, Array]:
    """Queries, keys and values (heads, tokens, d)."""
    rng = np.random.default_rng(state.seed)
    q, k, v = rng.standard_normal((3, N_HEADS, state.tokens, state.dim))
    if state.rows_as == "unit":
        q, k = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (q, k))
    elif state.rows_as == "layer-norm" and state.dim > 1:
        q, k = (_layer_norm(x) for x in (q, k))
    if state.place == "sinusoidal" and state.dim % 2 == 0:
        q, k = (x + _sinusoids(state) for x in (q, k))
    return q, k, v


def _sinusoids(state: State) -> Array:
    import torch

    from plica.models.attention import Sinusoidal

    return Sinusoidal(state.dim).table(state.tokens, like=torch.zeros(1, dtype=torch.float64)).numpy()


def _layer_norm(x: Array) -> Array:
    import torch
    from torch.nn.functional import layer_norm

    return layer_norm(torch.from_numpy(x), x.shape[-1:], eps=0.0).numpy()


def deviation(state: State) -> float:
    """The standard deviation of scores of Gaussian rows."""
    exponent = state.alpha if state.score == "scaled" else 0.0
    return sqrt(theory.score_variance(state.dim, exponent=exponent)) / state.warmth
