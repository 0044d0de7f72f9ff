"""Networks with smooth activations between two piecewise-linear ones, at a distance that is proved."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.network._combine import extended
from plica.network._interpolants import LEAST, MOST, Interpolant, replacing
from plica.network._network import Network
from plica.network._walk import walk
from plica.network.operations import Affine, Fold, Scale

_UP = 1 + 1e-9  # covers the rounding of sums of positive numbers


@dataclass(frozen=True, eq=False)
class Sandwich:
    """``lower(x) <= model(x) <= upper(x)`` for every input x, in real arithmetic, output by output.

    Attributes
    ----------
    lower, upper
        The same piecewise-linear network, moved down and up by ``error``.
    middle
        The network itself.
    error
        For each output a proved bound of its distance from the model.
    """

    lower: Network
    upper: Network
    middle: Network
    error: Array

    @property
    def gap(self) -> float:
        """How far the upper network is above the lower one, at most."""
        return float(2 * self.error.max(initial=0.0))

    def __repr__(self) -> str:
        return f"<Sandwich of {self.middle!r}, gap {self.gap:.3g}>"


def sandwich(model: Any, *, pieces: int = 16, **options: Any) -> Sandwich:
    """Two piecewise-linear networks, one below and one above a model with GELU, SiLU, sigmoid or tanh.

    Every smooth activation is replaced by a piecewise-linear function that is close to it on the whole line; how close is proved
    in rational arithmetic. What these distances become at the outputs is bounded layer by layer: by absolute weights, and by the
    largest slopes of the activations. The model is what it computes in real arithmetic, with its weights as stored.

    Parameters
    ----------
    model
        A torch module, an ``.onnx`` file or a scikit-learn estimator.
    pieces
        Linear pieces of each activation between its two tails. The gap falls like one over their square.
    options
        For :func:`plica.from_torch`, :func:`plica.load` or :func:`plica.from_sklearn`.

    Examples
    --------
    >>> import plica, torch
    >>> from torch import nn
    >>> torch.manual_seed(0)
    <torch._C.Generator object at ...>
    >>> model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1)).double()
    >>> between = plica.sandwich(model, pieces=32)
    >>> x = torch.linspace(-3, 3, 10).reshape(5, 2).double()
    >>> y = model(x).detach().numpy()
    >>> bool((between.lower(x.numpy()) <= y).all() and (y <= between.upper(x.numpy())).all()), between.gap < 0.01
    (True, True)
    >>> plica.decompose(between.middle, plica.Box([-1, -1], [1, 1])).n_cells > 100
    True
    """
    if not isinstance(pieces, int) or not LEAST <= pieces <= MOST:
        raise InvalidInput(f"pieces is a number from {LEAST} to {MOST}, got {pieces!r}.")
    with replacing(pieces) as made:
        network = _read(model, options)
    error = distance_bounds(network, made.by_op())
    lower, upper = (extended(network, [Scale(np.ones(()), sign * error)]) for sign in (-1, 1))
    return Sandwich(lower, upper, network, error)


def _read(model: Any, options: dict[str, Any]) -> Network:
    if isinstance(model, (str, os.PathLike)):
        from plica.network._files import load

        return load(model, **options)
    if hasattr(model, "get_params"):
        from plica.network._sklearn import from_sklearn

        return from_sklearn(model, **options)
    from plica.network._torch import from_torch

    return from_torch(model, **options)


def distance_bounds(network: Network, replaced: dict[int, Interpolant]) -> Array:
    """For each output a bound of its distance from the model whose activations were replaced, given the ends of replacements."""
    start = {0: np.zeros((1, *network.input_shape))}
    return np.asarray(walk(network, _Distances(replaced), start)[len(network.nodes) - 1][0])


class _Distances:
    """A semantics: bounds of how far each entry is from that of the model."""

    def __init__(self, replaced: dict[int, Interpolant]) -> None:
        self._replaced = replaced

    def affine(self, index: int, op: Affine, xs: list[Array]) -> Array:
        if (unit := self._replaced.get(id(op))) is not None:
            # the copies of one entry are at one distance: the interpolant stretches it by its slope, and adds its own error
            return (unit.slope * xs[0][..., :1] + unit.error) * _UP
        coefficients = op.coefficients
        bound = np.abs(op.linear(xs, None if coefficients is None else np.abs(coefficients)))
        return bound * _UP if op.n_terms() else bound

    def fold(self, index: int, op: Fold, x: Array, layer: int) -> Array:
        if op.is_contest:  # the difference of two maxima is at most the largest difference
            return op.apply([x])
        return x * op.lipschitz()
