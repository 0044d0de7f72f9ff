"""Attention of given queries, keys and values: the core, without projections."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout, scaled_dot_product_attention

from plica.errors import InvalidInput
from plica.models.attention._blocks import Tiling, tiled_attention, tiling
from plica.models.attention._features import feature_attention, feature_weights
from plica.models.attention._legal import require_legal
from plica.models.attention._masks import Mask, as_mask
from plica.models.attention._normalizers import FeatureMap, Linformer, Normalizer, Softmax
from plica.models.attention._positions import Absolute, Position, Relative, Rotary
from plica.models.attention._scores import Bilinear, Scaled, Score

_TILE = 64
_TILED_FROM = 512  # shorter sequences are faster in one piece
_TILED_BELOW = 0.4  # of the entries visible


@dataclass(frozen=True)
class Explanation:
    """What one call of attention did; the output is bit for bit that of the call itself.

    Attributes
    ----------
    output
        (..., L, d_v).
    scores, weights
        (..., L, S); scores are None for feature maps, which never form them, weights of a Linformer are those of its mixtures
        carried back to the keys (they may be negative).
    entropy
        (..., L) in nats, of the absolute weights of each row divided by their sum.
    """

    output: Tensor
    scores: Tensor | None
    weights: Tensor
    entropy: Tensor

    @classmethod
    def of_weights(cls, output: Tensor, weights: Tensor, scores: Tensor | None = None) -> Explanation:
        """An explanation with the entropy of the weights."""
        return cls(output, scores, weights, row_entropy(weights))


def row_entropy(weights: Tensor) -> Tensor:
    """Entropy in nats of each row, after division by its sum; 0 for a row of zeros."""
    size = weights.abs()
    total = size.sum(-1, keepdim=True)
    share = size / total.masked_fill(total == 0, 1.0)
    return -torch.special.xlogy(share, share).sum(-1)


class Attend(nn.Module):
    """Attention of queries (..., L, d), keys (..., S, d) and values (..., S, e), usually (batch, heads, length, d).

    Parameters
    ----------
    score, normalizer, position, mask
        The four choices; see :mod:`plica.models.attention`. Contradictions raise with the reason. Absolute positions belong to
        tokens, so here only relative ones are allowed; :class:`plica.models.attention.Attention` takes all.
    dropout
        Of the weights, in training mode.

    Examples
    --------
    >>> q, k, v = torch.randn(3, 1, 2, 5, 4, generator=torch.Generator().manual_seed(0))
    >>> attend = Attend(Scaled(), mask="causal")
    >>> attend(q, k, v).shape, attend.weights(q, k)[0, 0, 0]
    (torch.Size([1, 2, 5, 4]), tensor([1., 0., 0., 0., 0.]))
    """

    def __init__(
        self,
        score: Score | None = None,
        *,
        mask: Mask | Tensor | str | None = None,
        normalizer: Normalizer | None = None,
        position: Position | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.score = Scaled() if score is None else score
        self.normalizer = Softmax() if normalizer is None else normalizer
        self.position = Position() if position is None else position
        self.mask = as_mask(mask)
        self.dropout = float(dropout)
        if isinstance(self.position, Absolute):
            raise InvalidInput("absolute positions join tokens, not queries and keys.", hint="use Attention(position=...)")
        if not 0 <= self.dropout < 1:
            raise InvalidInput(f"dropout must be in [0, 1), got {dropout}.")
        if self.dropout and isinstance(self.normalizer, FeatureMap):
            raise InvalidInput("a feature map forms no weights, so none can be dropped.", hint="put dropout after the attention")
        require_legal(self.score, self.mask, self.normalizer, self.position)
        self._tilings: dict[tuple[int, int, int, str], Tiling] = {}

    def forward(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        *,
        mask: Mask | Tensor | str | None = None,
        bias: Tensor | None = None,
        offset: int = 0,
    ) -> Tensor:
        """The output (..., L, e).

        Parameters
        ----------
        mask
            Beside the attention's own: both must show a key.
        bias
            Added to the scores; broadcasts to (..., L, S).
        offset
            Query i is at position offset + i, key j at position j: what caches and memories need.
        """
        if mask is None and bias is None and not offset:
            found = self._direct(q, k, v)
            if found is not None:
                return found
        seen = self._mask(mask, bias)
        if isinstance(self.normalizer, FeatureMap):
            return feature_attention(self.normalizer, self._form(q, k, offset), v, seen, offset=offset)
        if isinstance(self.normalizer, Linformer):
            k = self._turned_keys(k)
            k, v = self.normalizer.mix(k, v)
        if isinstance(self.normalizer, Softmax | Linformer) and self.score.inner_product:
            return self._fused(q, k, v, seen, bias, offset)
        weights = self._weights(self._scores(q, k, bias, offset), seen, offset, q, k)
        return dropout(weights, self.dropout, self.training) @ v

    def scores(self, q: Tensor, k: Tensor, *, bias: Tensor | None = None, offset: int = 0) -> Tensor:
        """The scores before the mask, positions included: (..., L, S)."""
        if isinstance(self.normalizer, FeatureMap):
            return self._form(q, k, offset).scores()
        return self._scores(q, self._turned_keys(k), bias, offset)

    def weights(
        self, q: Tensor, k: Tensor, *, mask: Mask | Tensor | str | None = None, bias: Tensor | None = None, offset: int = 0
    ) -> Tensor:
        """The matrix with which the values are multiplied: (..., L, S), without dropout."""
        seen = self._mask(mask, bias)
        if isinstance(self.normalizer, FeatureMap):
            return feature_weights(self.normalizer, self._form(q, k, offset), seen, offset=offset)
        if isinstance(self.normalizer, Linformer):
            k = self._turned_keys(k)
            one = torch.eye(k.shape[-2], dtype=k.dtype, device=k.device)
            mixed, back = self.normalizer.mix(k, one)
            return self._weights(self._scores(q, mixed, bias, offset), seen, offset, q, mixed) @ back
        return self._weights(self._scores(q, k, bias, offset), seen, offset, q, k)

    def explain(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        *,
        mask: Mask | Tensor | str | None = None,
        bias: Tensor | None = None,
        offset: int = 0,
    ) -> Explanation:
        """The output with scores, weights and entropy."""
        return self.explained(self(q, k, v, mask=mask, bias=bias, offset=offset), q, k, mask=mask, bias=bias, offset=offset)

    def explained(
        self,
        output: Tensor,
        q: Tensor,
        k: Tensor,
        *,
        mask: Mask | Tensor | str | None = None,
        bias: Tensor | None = None,
        offset: int = 0,
    ) -> Explanation:
        """Scores, weights and entropy beside an output that is there already."""
        weights = self.weights(q, k, mask=mask, bias=bias, offset=offset)
        hidden = isinstance(self.normalizer, FeatureMap | Linformer)
        scores = None if hidden else self.scores(q, k, bias=bias, offset=offset)
        return Explanation.of_weights(output, weights, scores)

    def explain_call(self, output: Tensor, q: Tensor, k: Tensor, v: Tensor, **options: Any) -> Explanation:
        """What :func:`plica.record` keeps of a call that gave ``output``."""
        return self.explained(output, q, k, **options)

    @property
    def is_approximate(self) -> bool:
        """Whether :meth:`exact` is something else: features, mixtures, or a sparse mask in place of a dense one."""
        return self.normalizer.approximates_softmax or self.mask.exact is not self.mask

    def exact(self) -> Attend:
        """The softmax attention that this one approximates, with the same score and positions (shared, not copied)."""
        twin = copy(self)
        twin._modules = dict(self._modules)
        twin.mask = self.mask.exact
        twin._tilings = {}
        if self.normalizer.approximates_softmax:
            twin.normalizer = Softmax()
        return twin

    def error_against_exact(self, q: Tensor, k: Tensor, v: Tensor, **options: Any) -> float:
        """|output - exact output| / |exact output|, Frobenius norms: 0 for what is exact."""
        with torch.no_grad():
            exact = self.exact()(q, k, v, **options)
            return float((self(q, k, v, **options) - exact).norm() / exact.norm())

    def _mask(self, mask: Mask | Tensor | str | None, bias: Tensor | None) -> Mask:
        if mask is None and bias is None:
            return self.mask
        seen = self.mask if mask is None else self.mask & as_mask(mask)
        require_legal(self.score, seen, self.normalizer, self.position, biased=bias is not None)
        return seen

    def _turned_keys(self, k: Tensor) -> Tensor:
        """A Linformer mixes keys, so they must be turned before; elsewhere they are turned with the queries."""
        linformer = isinstance(self.normalizer, Linformer) and isinstance(self.position, Rotary)
        return self.position(k) if linformer else k

    def _form(self, q: Tensor, k: Tensor, offset: int) -> Bilinear:
        if isinstance(self.position, Relative):
            q = q + self.position.content
        form = self.score.bilinear(q, k)
        if isinstance(self.position, Rotary):
            turned = form.k if isinstance(self.normalizer, Linformer) else self.position(form.k)
            form = Bilinear(self.position(form.q, offset=offset), turned, form.scale, form.key_bias, form.query_bias)
        return form

    def _bias(self, q: Tensor, k: Tensor, bias: Tensor | None, offset: int) -> Tensor | None:
        """What is added to the scores: that of the positions and that of the caller."""
        if not self.position.biases_scores:
            return bias
        found: Tensor = self.position.bias(q, k.shape[-2], offset=offset)  # type: ignore[operator]
        if isinstance(self.position, Relative):
            found = found * self.score.bilinear(q[..., :1, :], k[..., :1, :]).scale
        return found if bias is None else found + bias

    def _scores(self, q: Tensor, k: Tensor, bias: Tensor | None, offset: int) -> Tensor:
        scores = self._form(q, k, offset).scores() if self.score.inner_product else self.score(q, k)
        added = self._bias(q, k, bias, offset)
        return scores if added is None else scores + added

    def _weights(self, scores: Tensor, seen: Mask, offset: int, q: Tensor, k: Tensor) -> Tensor:
        visible = None if seen.is_full else seen.matrix(q.shape[-2], k.shape[-2], offset=offset, device=q.device)
        normalizer = Softmax() if isinstance(self.normalizer, Linformer) else self.normalizer
        weights: Tensor = normalizer(scores, visible)
        return weights

    def _direct(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor | None:
        """The usual case, one call of the kernel: what :meth:`_fused` would do, without looking at other choices."""
        modules = self._modules
        score, name = modules["score"], self.mask.name
        if type(score) is not Scaled or type(modules["normalizer"]) is not Softmax or type(modules["position"]) is not Position:
            return None
        causal = name == "causal" and bool(q.shape[-2] == k.shape[-2])
        if name != "full" and not causal:
            return None
        p = self.dropout if self.training else 0.0
        return scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=causal, scale=q.shape[-1] ** -score.alpha)

    def _fused(self, q: Tensor, k: Tensor, v: Tensor, seen: Mask, bias: Tensor | None, offset: int) -> Tensor:
        form = self._form(q, k, offset)
        added = self._bias(q, k, bias, offset)
        if form.key_bias is not None:
            added = form.key_bias if added is None else added + form.key_bias
        p = self.dropout if self.training else 0.0
        L, S = q.shape[-2], k.shape[-2]
        if added is None:
            if seen.is_full:
                return scaled_dot_product_attention(form.q, form.k, v, dropout_p=p, scale=form.scale)
            if seen.is_causal and L == S and not offset:
                return scaled_dot_product_attention(form.q, form.k, v, dropout_p=p, is_causal=True, scale=form.scale)
            tiles = self._tiles(seen, q, S, offset) if not p else None
            if tiles is not None:
                return tiled_attention(form.q, form.k, v, tiles, scale=form.scale)
            visible = seen.matrix(L, S, offset=offset, device=q.device)
            return scaled_dot_product_attention(form.q, form.k, v, attn_mask=visible, dropout_p=p, scale=form.scale)
        if not seen.is_full:
            added = added.masked_fill(~seen.matrix(L, S, offset=offset, device=q.device), -torch.inf)
        return scaled_dot_product_attention(form.q, form.k, v, attn_mask=added, dropout_p=p, scale=form.scale)

    def _tiles(self, seen: Mask, q: Tensor, n_keys: int, offset: int) -> Tiling | None:
        """The tiles of a sparse mask, if they are few enough to be worth it."""
        if torch.compiler.is_compiling() or seen is not self.mask or not seen.is_static or n_keys < _TILED_FROM or q.dim() != 4:
            return None
        key = (q.shape[-2], n_keys, offset, str(q.device))
        if key not in self._tilings:
            if len(self._tilings) >= 4:
                self._tilings.pop(next(iter(self._tilings)))
            self._tilings[key] = tiling(seen, q.shape[-2], n_keys, size=_TILE, offset=offset, device=q.device)
        tiles = self._tilings[key]
        return tiles if tiles.density < _TILED_BELOW else None

    def extra_repr(self) -> str:
        return f"mask={self.mask.name!r}"
