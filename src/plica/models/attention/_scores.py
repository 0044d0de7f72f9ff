r"""Scores: how well a key fits a query.

All but the additive one are inner products in disguise: :math:`s_{ij} = c\, q'_i \cdot k'_j + b_j + a_i`. Fused kernels and
feature maps need that form (:class:`Bilinear`); the softmax does not see :math:`a_i`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from plica.errors import InvalidInput


@dataclass(frozen=True)
class Bilinear:
    """The score c q' . k' + key_bias + query_bias: (..., L, d'), (..., S, d'), a number or a tensor, (..., 1, S), (..., L, 1)."""

    q: Tensor
    k: Tensor
    scale: float
    key_bias: Tensor | None = None
    query_bias: Tensor | None = None

    def scores(self) -> Tensor:
        found = self.q @ self.k.transpose(-1, -2) * self.scale
        for bias in (self.key_bias, self.query_bias):
            if bias is not None:
                found = found + bias
        return found


class Score(nn.Module):
    """Scores of queries (..., L, d) and keys (..., S, d); subclasses give their bilinear form, or override ``forward``."""

    name = ""
    linear_in_query = False  # s(q + u, k) - s(q, k) does not depend on q: what relative positions need
    inner_product = True  # has a bilinear form

    def bilinear(self, q: Tensor, k: Tensor) -> Bilinear:
        raise InvalidInput(f"the {self.name} score is not an inner product.")

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        return self.bilinear(q, k).scores()


class Dot(Score):
    """q . k"""

    name = "dot"
    linear_in_query = True

    def bilinear(self, q: Tensor, k: Tensor) -> Bilinear:
        return Bilinear(q, k, 1.0)


class Scaled(Score):
    r""":math:`q \cdot k\, d^{-\alpha}`, d the dimension of the head: 1/2 keeps unit variance, 1 is the scaling of muP."""

    name = "scaled"
    linear_in_query = True

    def __init__(self, alpha: float = 0.5) -> None:
        super().__init__()
        self.alpha = float(alpha)

    def bilinear(self, q: Tensor, k: Tensor) -> Bilinear:
        return Bilinear(q, k, q.shape[-1] ** -self.alpha)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha:g}"


class Cosine(Score):
    r""":math:`\hat q \cdot \hat k\, \tau` with rows of unit length, as in the lecture.

    Without a temperature the factor is the lecture's :math:`\tau = d^{-\alpha}`: then two weights of a query differ at most by
    the factor :math:`e^{2 d^{-\alpha}}`, almost uniform averaging (the claim ``unit-rows-attend-uniformly``).

    Parameters
    ----------
    alpha
        Of the factor d^-alpha; used without ``temperature``.
    temperature
        The factor itself (10 is common), learned if ``learn``.
    """

    name = "cosine"

    def __init__(self, alpha: float = 0.5, *, temperature: float | None = None, learn: bool = False) -> None:
        super().__init__()
        if learn and temperature is None:
            raise InvalidInput("a learned temperature needs a value to start from.", hint="Cosine(temperature=10.0, learn=True)")
        self.alpha = float(alpha)
        self.temperature: Tensor | None = None
        if temperature is not None:
            if temperature <= 0:
                raise InvalidInput(f"the temperature must be positive, got {temperature}.")
            value = torch.tensor(float(temperature))
            if learn:
                self.temperature = nn.Parameter(value)
            else:
                del self.temperature
                self.register_buffer("temperature", value)

    def bilinear(self, q: Tensor, k: Tensor) -> Bilinear:
        q, k = nn.functional.normalize(q, dim=-1), nn.functional.normalize(k, dim=-1)
        if self.temperature is None:
            return Bilinear(q, k, q.shape[-1] ** -self.alpha)
        root = self.temperature.to(q.dtype).sqrt()  # shared, as feature maps need it
        return Bilinear(q * root, k * root, 1.0)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha:g}" if self.temperature is None else f"temperature={float(self.temperature):g}"


class Multiplicative(Score):
    r""":math:`q^T W k` with a learned W for each head (Luong's *general* score). It starts as the identity times d^-1/2."""

    name = "multiplicative"
    linear_in_query = True

    def __init__(self, d_head: int, *, n_heads: int = 1) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.eye(d_head).repeat(n_heads, 1, 1) * d_head**-0.5)

    def bilinear(self, q: Tensor, k: Tensor) -> Bilinear:
        return Bilinear(q @ self.weight, k, 1.0)

    def extra_repr(self) -> str:
        return f"{self.weight.shape[-1]}, n_heads={len(self.weight)}"


class Additive(Score):
    r""":math:`u^T \tanh(W_1 k + W_2 q)`, the score of Bahdanau, Cho and Bengio. No inner product: always computed densely."""

    name = "additive"
    inner_product = False

    def __init__(self, d_head: int, *, n_heads: int = 1, hidden: int | None = None) -> None:
        super().__init__()
        hidden = d_head if hidden is None else hidden
        bound = d_head**-0.5
        self.key_weight = nn.Parameter(torch.empty(n_heads, d_head, hidden).uniform_(-bound, bound))
        self.query_weight = nn.Parameter(torch.empty(n_heads, d_head, hidden).uniform_(-bound, bound))
        self.weight = nn.Parameter(torch.empty(n_heads, 1, 1, hidden).uniform_(-(hidden**-0.5), hidden**-0.5))

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        left, right = q @ self.query_weight, k @ self.key_weight
        weight = self.weight if q.dim() > 3 else self.weight[0]
        if q.dim() < 3:
            left, right, weight = left[0], right[0], weight[0]
        return (torch.tanh(left[..., :, None, :] + right[..., None, :, :]) * weight).sum(-1)

    def extra_repr(self) -> str:
        n_heads, d_head, hidden = self.key_weight.shape
        return f"{d_head}, n_heads={n_heads}, hidden={hidden}"


class Distance(Score):
    r""":math:`-|q - k|^2 d^{-\alpha}`: L2 attention, whose softmax is Lipschitz when queries and keys share their weights."""

    name = "distance"

    def __init__(self, alpha: float = 0.5) -> None:
        super().__init__()
        self.alpha = float(alpha)

    def bilinear(self, q: Tensor, k: Tensor) -> Bilinear:
        scale = q.shape[-1] ** -self.alpha
        keys = -scale * k.square().sum(-1)[..., None, :]
        queries = -scale * q.square().sum(-1)[..., :, None]
        return Bilinear(q, k, 2 * scale, keys, queries)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha:g}"


SCORES = ("dot", "scaled", "cosine", "multiplicative", "additive", "distance")


def as_score(score: Score | str | None, *, d_head: int, n_heads: int = 1) -> Score:
    """A score from what people write: a Score, or one of ``SCORES`` with its defaults."""
    if isinstance(score, Score):
        return score
    makers: dict[str, Callable[[], Score]] = {
        "dot": Dot,
        "scaled": Scaled,
        "cosine": Cosine,
        "distance": Distance,
        "multiplicative": lambda: Multiplicative(d_head, n_heads=n_heads),
        "additive": lambda: Additive(d_head, n_heads=n_heads),
    }
    name = "scaled" if score is None else score
    if name not in makers:
        raise InvalidInput(f"unknown score {score!r}.", hint=f"one of {', '.join(SCORES)}")
    return makers[name]()
