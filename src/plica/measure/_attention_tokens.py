r"""Numbers read off what a layer does to tokens: rank collapse, steepness, whether it respects the order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.measure._jacobian import jacobian


def rank_residual(tokens: Any) -> float:
    r"""|X - 1 m^T| / |X| with m the mean token, Frobenius norms: 0 when all tokens (L, d) are equal, that is, rank one collapse.

    Examples
    --------
    >>> rank_residual([[1.0, 0.0], [1.0, 0.0]]), rank_residual([[1.0], [-1.0]])
    (0.0, 1.0)
    """
    X = _array(tokens)
    if X.ndim != 2:
        raise InvalidInput(f"expected tokens (length, width), got shape {X.shape}.")
    size = np.linalg.norm(X)
    return float(np.linalg.norm(X - X.mean(0)) / size) if size else 0.0


def rank_residuals(layers: Sequence[Callable[[Any], Any]], tokens: Any) -> Array:
    """The rank residual before and after each of some layers, applied one after another to tensors (1, L, d).

    Without skip connections it falls doubly exponentially with depth (Dong, Cordonnier and Loukas).
    """
    import torch

    x = torch.as_tensor(tokens)
    x = x[None] if x.dim() == 2 else x
    found = [rank_residual(x[0])]
    with torch.no_grad():
        for layer in layers:
            x = layer(x)
            found.append(rank_residual(x[0]))
    return np.array(found)


def jacobian_norms(module: Any, tokens: Any, *, scales: Sequence[float]) -> Array:
    """The spectral norm of the derivative of a module on tokens (L, d), at c tokens for each scale c: local steepness.

    With dot-product scores it has no bound over all tokens; with cosine scores the attention itself does not see the scale.
    """
    X = _array(tokens)
    if X.ndim != 2 or not len(scales):
        raise InvalidInput(f"expected tokens (length, width) and scales, got shape {X.shape} and {len(scales)} scales.")
    return np.array([jacobian(module, c * X, input_shape=X.shape).norm for c in scales])


def equivariance_defect(function: Callable[[Any], Any], tokens: Any, *, n_orders: int = 4, seed: int = 0) -> float:
    """The largest |f(P X) - P f(X)| / |f(X)| over some random orders P of the tokens, for f on tensors (1, L, d).

    0 up to rounding means that the function is permutation-equivariant; positions and causal masks break it.
    """
    import torch

    x = torch.as_tensor(tokens)
    x = x[None] if x.dim() == 2 else x
    if x.shape[1] < 2 or n_orders < 1:
        raise InvalidInput(f"{x.shape[1]} tokens in {n_orders} orders say nothing.", hint="give at least two tokens, one order")
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        still = function(x)
        defects = []
        for _ in range(n_orders):
            order = torch.randperm(x.shape[1], generator=generator)
            while bool((order == torch.arange(len(order))).all()):
                order = torch.randperm(x.shape[1], generator=generator)
            defects.append(float((function(x[:, order]) - still[:, order]).norm() / still.norm()))
    return max(defects)


def _array(x: Any) -> Array:
    found = np.asarray(x.detach().cpu() if hasattr(x, "detach") else x, dtype=np.float64)
    if not found.size or not np.isfinite(found).all():
        raise InvalidInput("tokens must be finite numbers, at least one.")
    return found
