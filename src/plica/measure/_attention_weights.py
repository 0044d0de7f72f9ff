r"""Numbers read off matrices of attention weights: how spread, how collapsed, how alike the heads are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput


def attention_entropy(weights: Any) -> Array:
    """Entropy in nats of each row of weights (..., L, S), after division by its sum; 0 for a row of zeros.

    Uniform attention to S keys has log S; attention to one key has 0. Scores with variance b^2 over many keys give about
    log S - b^2 / 2 for b up to 1.

    Examples
    --------
    >>> attention_entropy([[0.5, 0.5], [1.0, 0.0]]).round(4)
    array([0.6931, 0.    ])
    """
    size = np.abs(_array(weights))
    total = size.sum(-1, keepdims=True)
    share = size / np.where(total == 0, 1.0, total)
    return np.asarray(0.0 - np.where(share > 0, share * np.log(np.where(share > 0, share, 1.0)), 0.0).sum(-1))


@dataclass(frozen=True)
class SpectralGap:
    """The two largest singular values of a matrix of weights.

    Attributes
    ----------
    first, second
        Singular values. The rows of softmax weights sum to one, so the first is near 1 for random scores.
    stable_rank
        Squared Frobenius norm divided by the squared first singular value.
    """

    first: float
    second: float
    stable_rank: float

    @property
    def gap(self) -> float:
        """first - second: what makes tokens collapse, in one layer and in the limit of many tokens."""
        return self.first - self.second


def spectral_gap(weights: Any) -> SpectralGap:
    """First and second singular value and stable rank of one matrix of weights (L, S).

    Examples
    --------
    >>> spectral_gap([[0.5, 0.5], [0.5, 0.5]]).gap, spectral_gap([[1, 0], [0, 1]]).stable_rank
    (1.0, 2.0)
    """
    A = _array(weights)
    if A.ndim != 2 or min(A.shape) < 2:
        raise InvalidInput(f"expected one matrix of at least 2 x 2 weights, got shape {A.shape}.", hint="choose batch and head")
    values = np.linalg.svd(A, compute_uv=False)
    if not values[0]:
        raise InvalidInput("a matrix of zeros has no gap.")
    return SpectralGap(float(values[0]), float(values[1]), float((values**2).sum() / values[0] ** 2))


def head_redundancy(weights: Any) -> Array:
    """How alike heads look at the keys: (H, H), 1 minus the mean total variation distance of rows, of (..., H, L, S).

    1 means equal rows, 0 means that the heads never look at the same key. Rows are divided by their sums.

    Examples
    --------
    >>> head_redundancy([[[1.0, 0.0]], [[0.5, 0.5]]])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    A = np.abs(_array(weights))
    if A.ndim < 3:
        raise InvalidInput(f"expected weights (..., heads, L, S), got shape {A.shape}.")
    total = A.sum(-1, keepdims=True)
    A = (A / np.where(total == 0, 1.0, total)).reshape(-1, *A.shape[-3:])
    n_heads = A.shape[1]
    found = np.eye(n_heads)
    for g in range(n_heads):
        for h in range(g):
            found[g, h] = found[h, g] = 1 - float(np.abs(A[:, g] - A[:, h]).sum(-1).mean()) / 2
    return found


def hull_distance(outputs: Any, values: Any) -> Array:
    """How far each output (L, e) is from the convex hull of the values (S, e), in the sup norm.

    Softmax attention gives 0 up to rounding: its outputs are convex combinations of values. Linear programs, solved in
    floating point.

    Examples
    --------
    >>> hull_distance([[0.5, 0.0], [2.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]]).round(9)
    array([0., 1.])
    """
    from scipy.optimize import linprog

    rows, V = _array(outputs), _array(values)
    if rows.ndim != 2 or V.ndim != 2 or rows.shape[1] != V.shape[1]:
        raise InvalidInput(f"expected outputs (L, e) and values (S, e), got shapes {rows.shape} and {V.shape}.")
    S, e = V.shape
    cost = np.append(np.zeros(S), 1.0)
    bounds_matrix = np.block([[V.T, -np.ones((e, 1))], [-V.T, -np.ones((e, 1))]])
    total = np.append(np.ones(S), 0.0)[None]
    found = []
    for row in rows:
        answer = linprog(cost, bounds_matrix, np.concatenate([row, -row]), total, [1.0], bounds=(0, None))
        if answer.status != 0:
            raise InvalidInput(f"the linear program was not solved: {answer.message}")
        found.append(float(answer.fun))
    return np.array(found)


def _array(x: Any) -> Array:
    found = np.asarray(x.detach().cpu() if hasattr(x, "detach") else x, dtype=np.float64)
    if not found.size or not np.isfinite(found).all():
        raise InvalidInput("weights must be finite numbers, at least one.")
    return found
