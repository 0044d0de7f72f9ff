"""Multi-head attention: projections around the core."""

from __future__ import annotations

from copy import copy
from typing import Any

import torch
from torch import Tensor, nn

from plica.errors import InvalidInput
from plica.models.attention._attend import Attend, Explanation
from plica.models.attention._cache import Cache
from plica.models.attention._masks import Mask, as_mask
from plica.models.attention._normalizers import Normalizer, as_normalizer
from plica.models.attention._positions import Absolute, Position, as_position
from plica.models.attention._scores import Score, as_score


class Attention(nn.Module):
    """Multi-head attention with four independent choices, batch first.

    Parameters
    ----------
    d_model
        Width of the queries' tokens and of the output.
    n_heads
        Heads; each has dimension ``d_head`` = d_model / n_heads unless given.
    n_kv_heads
        Heads of keys and values, each shared by n_heads / n_kv_heads heads of queries (grouped-query attention; 1: multi-query);
        n_heads unless given.
    d_context
        Width of the tokens that are looked at; d_model unless given.
    score, mask, normalizer, position
        Objects, or names with their defaults: see :mod:`plica.models.attention`.
    bias
        Of the four projections.
    dropout
        Of the weights, in training mode.

    Examples
    --------
    >>> attention = Attention(32, 4, mask="causal", position="rotary")
    >>> x = torch.randn(2, 7, 32)
    >>> attention(x).shape, attention.explain(x).weights.shape
    (torch.Size([2, 7, 32]), torch.Size([2, 4, 7, 7]))
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int = 1,
        *,
        d_head: int | None = None,
        n_kv_heads: int | None = None,
        d_context: int | None = None,
        score: Score | str | None = None,
        mask: Mask | Tensor | str | None = None,
        normalizer: Normalizer | str | None = None,
        position: Position | str | None = None,
        bias: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if d_model < 1 or n_heads < 1 or (d_head is None and d_model % n_heads):
            raise InvalidInput(
                f"{n_heads} heads do not divide the width {d_model}.", hint="choose d_head, or a number of heads that divides it"
            )
        self.d_model, self.n_heads = d_model, n_heads
        self.n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
        if self.n_kv_heads < 1 or n_heads % self.n_kv_heads:
            raise InvalidInput(
                f"{self.n_kv_heads} heads of keys and values do not divide {n_heads} heads.", hint="choose a divisor of n_heads"
            )
        self.d_head = d_model // n_heads if d_head is None else d_head
        inner, shared = self.d_head * n_heads, self.d_head * self.n_kv_heads
        d_context = d_model if d_context is None else d_context
        place = as_position(position, d_model=d_model, d_head=self.d_head, n_heads=n_heads)
        self.position: Absolute | None = place if isinstance(place, Absolute) else None
        extra = 0 if self.position is None else self.position.extra
        self.q_proj = nn.Linear(d_model + extra, inner, bias=bias)
        if self.position is not None and self.position.into == "projections" and shared != inner:
            raise InvalidInput("positions that join the projections need as many heads of keys as of queries.")
        self.k_proj = nn.Linear(d_context + extra, shared, bias=bias)
        self.v_proj = nn.Linear(d_context + extra, shared, bias=bias)
        self.out_proj = nn.Linear(inner, d_model, bias=bias)
        self.attend = Attend(
            as_score(score, d_head=self.d_head, n_heads=n_heads),
            mask=as_mask(mask),
            normalizer=as_normalizer(normalizer, d_head=self.d_head),
            position=None if self.position is not None else place,
            dropout=dropout,
        )

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        *,
        mask: Mask | Tensor | str | None = None,
        bias: Tensor | None = None,
        cache: Cache | None = None,
        offset: int = 0,
    ) -> Tensor:
        """Tokens (batch, L, d_model) to tokens (batch, L, d_model).

        Parameters
        ----------
        key, value
            Tokens (batch, S, d_context); without ``key`` the queries look at themselves, without ``value`` it is ``key``.
        mask
            Beside the attention's own: True = attend, (L, S) or (batch, heads or 1, L or 1, S).
        bias
            Added to the scores, broadcast to (batch, heads, L, S).
        cache
            Of earlier tokens; the new ones come after them and join them.
        offset
            Position of the first query, without a cache.
        """
        q, k, v, offset = self._project(query, key, value, cache, offset)
        return self._join(self.attend(q, self._for_queries(k), self._for_queries(v), mask=mask, bias=bias, offset=offset))

    def explain(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        *,
        mask: Mask | Tensor | str | None = None,
        bias: Tensor | None = None,
        offset: int = 0,
    ) -> Explanation:
        """The output of the same call with its scores, weights (batch, heads, L, S) and entropy (batch, heads, L)."""
        q, k, v, offset = self._project(query, key, value, None, offset)
        found = self.attend.explain(q, self._for_queries(k), self._for_queries(v), mask=mask, bias=bias, offset=offset)
        return Explanation(self._join(found.output), found.scores, found.weights, found.entropy)

    def exact(self) -> Attention:
        """The same attention, weights shared, with the softmax attention that its core approximates."""
        twin = copy(self)
        twin._modules = dict(self._modules)
        twin.attend = self.attend.exact()
        return twin

    def error_against_exact(self, query: Tensor, key: Tensor | None = None, value: Tensor | None = None, **options: Any) -> float:
        """|output - exact output| / |exact output|, Frobenius norms, of the heads before the last projection."""
        with torch.no_grad():
            q, k, v, offset = self._project(query, key, value, None, options.pop("offset", 0))
            k, v = self._for_queries(k), self._for_queries(v)
            return self.attend.error_against_exact(q, k, v, offset=offset, **options)

    @classmethod
    def from_torch(cls, module: nn.MultiheadAttention, **choices: Any) -> Attention:
        """The same attention as ``nn.MultiheadAttention``, with its weights.

        Masks have the other polarity there: convert them with :func:`plica.models.attention.from_torch_mask`.
        """
        from plica.models.attention._torch import from_multihead

        return from_multihead(cls, module, choices)

    def _project(
        self, query: Tensor, key: Tensor | None, value: Tensor | None, cache: Cache | None, offset: int
    ) -> tuple[Tensor, Tensor, Tensor, int]:
        _require_tokens(query, self.d_model, "query")
        if cache is not None and not cache.fixed:
            if key is not None:
                raise InvalidInput("a growing cache is for self-attention.", hint="Cache(fixed=True) keeps a memory")
            offset = len(cache)
        elif key is None and offset:
            raise InvalidInput("queries at an offset look at keys that were not given.", hint="give key=, or a cache")
        q = self._queries(query, offset)
        if cache is not None and cache.fixed and len(cache):
            assert cache.keys is not None and cache.values is not None
            return q, cache.keys, cache.values, offset
        start = 0 if key is not None else offset  # new tokens come after those of the cache
        key = query if key is None else key
        value = key if value is None else value
        k, v = self._keys_values(key, value, start)
        if cache is not None:
            k, v = cache.extend(k, v)
        return q, k, v, offset

    def _queries(self, query: Tensor, offset: int) -> Tensor:
        if self.position is None:
            return self._split(self.q_proj(query))
        if self.position.into == "tokens":
            return self._split(self.q_proj(self.position(query, offset=offset)))
        return self._split(self.position(self.q_proj(query), offset=offset))

    def _keys_values(self, key: Tensor, value: Tensor, start: int) -> tuple[Tensor, Tensor]:
        _require_tokens(key, self.k_proj.in_features - self._extra, "key")
        _require_tokens(value, self.v_proj.in_features - self._extra, "value")
        if self.position is None:
            return self._split(self.k_proj(key)), self._split(self.v_proj(value))
        if self.position.into == "tokens":
            key_rows = self.position(key, offset=start)
            value_rows = key_rows if value is key else self.position(value, offset=start)
            return self._split(self.k_proj(key_rows)), self._split(self.v_proj(value_rows))
        turned = (self.position(self.k_proj(key), offset=start), self.position(self.v_proj(value), offset=start))
        return self._split(turned[0]), self._split(turned[1])

    @property
    def _extra(self) -> int:
        return 0 if self.position is None else self.position.extra

    def _split(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:-1], -1, self.d_head).transpose(-3, -2)

    def _for_queries(self, x: Tensor) -> Tensor:
        """Keys or values (batch, n_kv_heads, S, d_head) as each head of the queries sees them."""
        return x if self.n_kv_heads == self.n_heads else x.repeat_interleave(self.n_heads // self.n_kv_heads, -3)

    def _join(self, heads: Tensor) -> Tensor:
        out: Tensor = self.out_proj(heads.transpose(-3, -2).flatten(-2))
        return out

    def extra_repr(self) -> str:
        return f"{self.d_model}, n_heads={self.n_heads}"


def _require_tokens(x: Tensor, width: int, name: str) -> None:
    if x.dim() != 3 or x.shape[-1] != width:
        raise InvalidInput(f"{name} must have the shape (batch, length, {width}), got {tuple(x.shape)}.")
