r"""Normalizers: how scores become weights.

Three families. :class:`Softmax` and :class:`Pointwise` (the lecture's phi_1) turn a matrix of scores into a matrix of weights.
:class:`Performer` and :class:`Linear` are feature maps: the weight of a pair is :math:`\phi(q) \cdot \phi(k)` over its row sum,
and the matrix is never formed. :class:`Linformer` replaces the keys by a few mixtures of them before the softmax.
"""

from __future__ import annotations

from math import log

import torch
from torch import Tensor, nn

from plica.errors import InvalidInput

POINTWISE = ("relu", "relu2", "identity", "sigmoid")


class Normalizer(nn.Module):
    """Base of all normalizers."""

    name = ""
    approximates_softmax = False


class Softmax(Normalizer):
    """exp(s_ij) / sum_j exp(s_ij) over the visible keys; a row without visible keys is 0."""

    name = "softmax"

    def forward(self, scores: Tensor, visible: Tensor | None = None) -> Tensor:
        if visible is None:
            return scores.softmax(-1)
        weights = scores.masked_fill(~visible, -torch.inf)
        top = weights.amax(-1, keepdim=True).detach()
        weights = (weights - top.masked_fill(top == -torch.inf, 0.0)).exp()
        total = weights.sum(-1, keepdim=True)
        return weights / total.masked_fill(total == 0, 1.0)


class Pointwise(Normalizer):
    r"""The lecture's phi_1: every visible score goes through one function, hidden ones are 0. Rows do not sum to 1.

    Parameters
    ----------
    function
        ``relu``, ``relu2`` (its square), ``identity``, ``sigmoid``.
    divide
        Divide by the number of visible keys, so that the output does not grow with the length.
    """

    def __init__(self, function: str = "relu", *, divide: bool = False) -> None:
        super().__init__()
        if function not in POINTWISE:
            raise InvalidInput(f"unknown function {function!r}.", hint=f"one of {', '.join(POINTWISE)}")
        self.name = self.function = function
        self.divide = divide

    def forward(self, scores: Tensor, visible: Tensor | None = None) -> Tensor:
        if self.function == "sigmoid":
            weights = scores.sigmoid()
        else:
            weights = scores if self.function == "identity" else scores.relu()
            weights = weights.square() if self.function == "relu2" else weights
        if visible is not None:
            weights = weights.masked_fill(~visible, 0.0)
        if self.divide:
            count = scores.shape[-1] if visible is None else visible.sum(-1, keepdim=True).clamp(min=1)
            weights = weights / count
        return weights

    def extra_repr(self) -> str:
        return f"{self.function!r}, divide={self.divide}"


class FeatureMap(Normalizer):
    """Weights phi(q) . phi(k) / sum: linear cost in the length for full, padding and causal masks."""

    approximates_softmax = True
    is_exponential = False  # phi(q) . phi(k) stands for exp(q . k), so a bias of a key is a factor

    def features(self, x: Tensor, *, of_query: bool, one_sum: bool = False) -> Tensor:
        """Non-negative features (..., L, m); with ``one_sum`` all queries see the same keys, so a factor of all keys cancels."""
        raise NotImplementedError

    def log_features(self, x: Tensor) -> Tensor:
        """Logarithms of the features, without any factor left out: where the features themselves underflow or overflow."""
        return self.features(x, of_query=False).log()


class Performer(FeatureMap):
    r"""FAVOR+: :math:`\phi(x) = m^{-1/2} \exp(\omega_r \cdot x - |x|^2/2)` with Gaussian, by default orthogonal, directions.

    :math:`E[\phi(q) \cdot \phi(k)] = \exp(q \cdot k)`, without bias. **Regime**: the relative variance of one feature is
    :math:`\exp(|q + k|^2) - 1`, so the error falls like :math:`m^{-1/2}` only when the scaled queries and keys (here
    :math:`\sqrt{c}\, q`) are shorter than about 1. With unit Gaussian entries and d = 64 it is useless at any practical m:
    the output is off by more than its own size. Ask :meth:`plica.models.attention.Attend.error_against_exact`.

    Parameters
    ----------
    d_head
        Dimension of queries and keys.
    n_features
        m.
    orthogonal
        Directions orthogonal within blocks of d, with the lengths of Gaussian vectors.
    seed
        Of the directions, which are a buffer: they are saved with the model.
    """

    name = "performer"
    is_exponential = True
    directions: Tensor

    def __init__(self, d_head: int, n_features: int = 256, *, orthogonal: bool = True, seed: int = 0) -> None:
        super().__init__()
        if min(d_head, n_features) < 1:
            raise InvalidInput(f"dimension and number of features must be positive, got {d_head} and {n_features}.")
        self.orthogonal = orthogonal
        self.register_buffer("directions", _directions(d_head, n_features, orthogonal, seed))

    def redraw(self, seed: int) -> None:
        """New directions."""
        m, d = self.directions.shape
        self.directions.copy_(_directions(d, m, self.orthogonal, seed))

    def features(self, x: Tensor, *, of_query: bool, one_sum: bool = False) -> Tensor:
        exponent = self._exponent(x)
        if of_query:  # a factor of a query's whole row cancels
            exponent = exponent - exponent.amax(-1, keepdim=True).detach()
        elif one_sum:  # one of all keys too, but under a causal mask it would make the past depend on the future
            exponent = exponent - exponent.amax((-2, -1), keepdim=True).detach()
        return exponent.exp() * self.directions.shape[0] ** -0.5

    def log_features(self, x: Tensor) -> Tensor:
        return self._exponent(x) - log(self.directions.shape[0]) / 2

    def _exponent(self, x: Tensor) -> Tensor:
        if x.shape[-1] != self.directions.shape[1]:
            raise InvalidInput(f"the features are for dimension {self.directions.shape[1]}, got {x.shape[-1]}.")
        return x @ self.directions.to(x.dtype).T - x.square().sum(-1, keepdim=True) / 2

    def extra_repr(self) -> str:
        m, d = self.directions.shape
        return f"{d}, n_features={m}, orthogonal={self.orthogonal}"


def _directions(d: int, m: int, orthogonal: bool, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    gaussian = torch.randn(m, d, generator=generator, dtype=torch.float64)
    if orthogonal:
        lengths = gaussian.norm(dim=1, keepdim=True)
        squares = torch.randn(-(-m // d), d, d, generator=generator, dtype=torch.float64)
        Q, R = torch.linalg.qr(squares)
        Q = Q * R.diagonal(dim1=-2, dim2=-1).sign()[:, None, :]  # LAPACK's signs are not random: without this Q is not uniform
        gaussian = Q.transpose(-1, -2).reshape(-1, d)[:m] * lengths
    return gaussian.to(torch.get_default_dtype())


class Linear(FeatureMap):
    r""":math:`\phi(x) = \mathrm{elu}(x) + 1`. **Regime**: another similarity, no approximation; never as peaked as exp."""

    name = "linear"

    def features(self, x: Tensor, *, of_query: bool, one_sum: bool = False) -> Tensor:
        return nn.functional.elu(x) + 1


class Linformer(Normalizer):
    r"""softmax(s(q, E k)) F v: n keys and values become ``n_mixed`` learned mixtures.

    **Regime**: only trained projections are justified. With random E the output is *not* close to exact attention (error of
    the order of the output itself); with ``n_mixed`` = n and E = F = I it is exact. Every mixture holds every token, so no mask
    fits, and it is not permutation-equivariant. Shorter sequences use the first columns.

    Parameters
    ----------
    n_positions
        The largest number of keys.
    n_mixed
        The number of mixtures.
    share
        F = E.
    """

    name = "linformer"
    approximates_softmax = True

    def __init__(self, n_positions: int, n_mixed: int = 64, *, share: bool = False) -> None:
        super().__init__()
        if min(n_positions, n_mixed) < 1:
            raise InvalidInput(f"numbers of keys and of mixtures must be positive, got {n_positions} and {n_mixed}.")
        self.keys = nn.Parameter(torch.randn(n_mixed, n_positions) * n_mixed**-0.5)
        self.values = self.keys if share else nn.Parameter(torch.randn(n_mixed, n_positions) * n_mixed**-0.5)

    def mix(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        n, most = k.shape[-2], self.keys.shape[1]
        if n > most:
            raise InvalidInput(f"{n} keys, the projections are for at most {most}.", hint=f"Linformer({n}, ...)")
        return self.keys[:, :n] @ k, self.values[:, :n] @ v

    def extra_repr(self) -> str:
        n_mixed, n_positions = self.keys.shape
        return f"{n_positions}, n_mixed={n_mixed}"


NORMALIZERS = ("softmax", *POINTWISE, "performer", "linear", "linformer")


def as_normalizer(normalizer: Normalizer | str | None, *, d_head: int) -> Normalizer:
    """A normalizer from what people write: a Normalizer, or one of ``NORMALIZERS`` with its defaults."""
    if isinstance(normalizer, Normalizer):
        return normalizer
    if normalizer in (None, "softmax"):
        return Softmax()
    if normalizer in POINTWISE:
        return Pointwise(normalizer)
    if normalizer == "performer":
        return Performer(d_head)
    if normalizer == "linear":
        return Linear()
    if normalizer == "linformer":
        raise InvalidInput("a Linformer needs the largest number of keys.", hint="normalizer=Linformer(n_positions, n_mixed)")
    raise InvalidInput(f"unknown normalizer {normalizer!r}.", hint=f"one of {', '.join(NORMALIZERS)}")
