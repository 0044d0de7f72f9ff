r"""Positions: how attention learns of order.

*Absolute* ones (:class:`Sinusoidal`, :class:`Learned`) join the tokens before the projections, added or concatenated; *relative*
ones act on pairs: :class:`Rotary` turns queries and keys, :class:`Alibi`, :class:`Relative` and :class:`Buckets` add to the
scores.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

from plica.errors import InvalidInput

COMBINE = ("add", "concatenate")
INDEXINGS = ("vaswani", "lecture")


class Position(nn.Module):
    """Base of all positions; itself: none. Without positions and causal mask attention is permutation-equivariant."""

    name = "none"
    biases_scores = False


class Absolute(Position):
    """A row for each position, added to the tokens or concatenated with them.

    ``into="tokens"`` is Vaswani's and BERT's x + p before the projections; ``into="projections"`` is the lecture's q + p, k + p,
    v + p after them, which gives values that differ between equal tokens even where queries ignore positions.
    """

    def __init__(self, d: int, *, combine: str = "add", into: str = "tokens") -> None:
        super().__init__()
        if combine not in COMBINE:
            raise InvalidInput(f"unknown way to combine {combine!r}.", hint=f"one of {', '.join(COMBINE)}")
        if into not in ("tokens", "projections") or (into == "projections" and combine == "concatenate"):
            raise InvalidInput(
                f"positions cannot {combine} into {into!r}.", hint="into='tokens', or into='projections' with combine='add'"
            )
        self.d, self.combine, self.into = d, combine, into

    @property
    def extra(self) -> int:
        """How much wider the tokens get."""
        return self.d if self.combine == "concatenate" else 0

    def table(self, n: int, *, offset: int = 0, like: Tensor | None = None) -> Tensor:
        """(n, d): the rows of the positions offset ... offset + n - 1, in the dtype and on the device of ``like``."""
        raise NotImplementedError

    def forward(self, x: Tensor, *, offset: int = 0) -> Tensor:
        """Tokens (..., n, d_model) with their positions."""
        rows = self.table(x.shape[-2], offset=offset, like=x)
        if self.combine == "concatenate":
            return torch.cat([x, rows.expand(*x.shape[:-1], self.d)], -1)
        if x.shape[-1] != self.d:
            raise InvalidInput(f"positions of dimension {self.d} cannot be added to tokens of dimension {x.shape[-1]}.")
        return x + rows

    def extra_repr(self) -> str:
        return f"{self.d}, combine={self.combine!r}, into={self.into!r}"


class Sinusoidal(Absolute):
    r"""Entries 2i and 2i + 1 are :math:`\sin(t / 10000^{2i/d})` and :math:`\cos(t / 10000^{2i/d})`.

    Parameters
    ----------
    indexing
        ``vaswani``: i = 0 ... d/2 - 1. ``lecture``: i = 1 ... d/2, which drops the frequency 1 and adds 1/10000.

    Examples
    --------
    >>> Sinusoidal(4).table(2)
    tensor([[0.0000, 1.0000, 0.0000, 1.0000],
            [0.8415, 0.5403, 0.0100, 0.9999]])
    """

    name = "sinusoidal"

    def __init__(self, d: int, *, indexing: str = "vaswani", combine: str = "add", into: str = "tokens") -> None:
        super().__init__(d, combine=combine, into=into)
        if indexing not in INDEXINGS:
            raise InvalidInput(f"unknown indexing {indexing!r}.", hint=f"one of {', '.join(INDEXINGS)}")
        sinusoid_frequencies(d)
        self.indexing = indexing

    def table(self, n: int, *, offset: int = 0, like: Tensor | None = None) -> Tensor:
        like = torch.empty(0) if like is None else like
        t = torch.arange(offset, offset + n, device=like.device)
        return sinusoids(t, self.d, first=int(self.indexing == "lecture")).to(like)


class Learned(Absolute):
    """A trained row for each of at most ``n_positions`` positions; longer sequences are refused."""

    name = "learned"

    def __init__(self, n_positions: int, d: int, *, combine: str = "add", into: str = "tokens", std: float = 0.02) -> None:
        super().__init__(d, combine=combine, into=into)
        self.weight = nn.Parameter(torch.randn(n_positions, d) * std)

    def table(self, n: int, *, offset: int = 0, like: Tensor | None = None) -> Tensor:
        if offset + n > len(self.weight):
            raise InvalidInput(f"{offset + n} positions, only {len(self.weight)} were learned.")
        rows = self.weight[offset : offset + n]
        return rows if like is None else rows.to(like)


class Rotary(Position):
    """Pairs of coordinates of queries and keys turn by t / base^(2i/d): scores depend on differences of positions.

    The i-th pair is (2i, 2i + 1), or with ``pairs="halves"`` (i, i + d/2), the order of Llama's weights.
    """

    name = "rotary"

    def __init__(self, d_head: int, *, base: float = 10000.0, pairs: str = "neighbors") -> None:
        super().__init__()
        sinusoid_frequencies(d_head, base=base)
        if pairs not in ("neighbors", "halves"):
            raise InvalidInput(f"unknown pairs {pairs!r}.", hint="'neighbors' or 'halves'")
        self.d_head, self.base, self.pairs = d_head, base, pairs

    def forward(self, x: Tensor, *, offset: int = 0) -> Tensor:
        """Rows (..., n, d_head) at positions offset ..., turned."""
        if x.shape[-1] != self.d_head:
            raise InvalidInput(f"rotary positions for heads of dimension {self.d_head}, got {x.shape[-1]}.")
        t = torch.arange(offset, offset + x.shape[-2], device=x.device)
        angles = t[:, None].double() * sinusoid_frequencies(self.d_head, base=self.base, device=x.device)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        if self.pairs == "halves":
            a, b = x.chunk(2, -1)
            return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


class Alibi(Position):
    """-m_h |i - j| is added to the scores of head h; the slopes m_h are geometric."""

    name = "alibi"
    biases_scores = True

    def __init__(self, n_heads: int) -> None:
        super().__init__()
        self.slopes = alibi_slopes(n_heads)

    def bias(self, q: Tensor, n_keys: int, *, offset: int = 0) -> Tensor:
        """(heads, n_queries, n_keys)."""
        i = torch.arange(offset, offset + q.shape[-2], device=q.device)[:, None]
        j = torch.arange(n_keys, device=q.device)[None, :]
        return torch.tensor(self.slopes, dtype=q.dtype, device=q.device)[:, None, None] * -(i - j).abs()


def alibi_slopes(n_heads: int) -> list[float]:
    """2^(-8h/H), h = 1 ... H, for powers of two; otherwise those of the lower power, then every other one of the higher.

    Examples
    --------
    >>> alibi_slopes(4), alibi_slopes(3)
    ([0.25, 0.0625, 0.015625, 0.00390625], [0.0625, 0.00390625, 0.25])
    """
    if n_heads < 1:
        raise InvalidInput(f"at least one head is needed, got {n_heads}.")
    lower = 2 ** (n_heads.bit_length() - 1)
    slopes = [2.0 ** (-8 * h / lower) for h in range(1, lower + 1)]
    between = [2.0 ** (-8 * h / (2 * lower)) for h in range(1, 2 * lower + 1, 2)]
    return slopes + between[: n_heads - lower]


class Buckets(Position):
    """T5: a learned number for each head and each bucket of the difference of positions is added to the scores.

    Half of the buckets are for keys before the query, half for those after it (all for those before, if ``causal``); in each
    half the first ones hold one distance each, the others grow like the logarithm up to ``farthest``.

    Examples
    --------
    >>> Buckets(4, n_buckets=8, farthest=16).bucket(torch.tensor([-9, -2, 0, 1, 2, 5, 100])).tolist()
    [3, 2, 0, 5, 6, 6, 7]
    """

    name = "buckets"
    biases_scores = True

    def __init__(self, n_heads: int, *, n_buckets: int = 32, farthest: int = 128, causal: bool = False) -> None:
        super().__init__()
        if n_buckets < 4 or n_buckets % 4 or farthest <= n_buckets:
            raise InvalidInput(
                f"{n_buckets} buckets up to distance {farthest}.", hint="a multiple of 4, below the farthest distance"
            )
        self.n_buckets, self.farthest, self.causal = n_buckets, farthest, causal
        self.weight = nn.Parameter(torch.randn(n_buckets, n_heads) * 0.02)

    def bucket(self, difference: Tensor) -> Tensor:
        """The bucket of each difference, key minus query."""
        side = self.n_buckets if self.causal else self.n_buckets // 2
        first = torch.zeros_like(difference) if self.causal else side * (difference > 0).long()
        distance = (-difference).clamp(min=0) if self.causal else difference.abs()
        exact = side // 2
        far = torch.log(distance.clamp(min=1).float() / exact) / math.log(self.farthest / exact) * (side - exact)
        far = (exact + far.long()).clamp(max=side - 1)
        return first + torch.where(distance < exact, distance, far)

    def bias(self, q: Tensor, n_keys: int, *, offset: int = 0) -> Tensor:
        """(heads, n_queries, n_keys)."""
        i = torch.arange(offset, offset + q.shape[-2], device=q.device)[:, None]
        j = torch.arange(n_keys, device=q.device)[None, :]
        return self.weight[self.bucket(j - i)].permute(2, 0, 1).to(q.dtype)


class Relative(Position):
    r"""Transformer-XL: :math:`s_{ij} = c\,[(q_i + u) \cdot k_j + (q_i + v) \cdot W_R r_{i-j}]`, r sinusoidal."""

    name = "relative"
    biases_scores = True

    def __init__(self, d_head: int, n_heads: int) -> None:
        super().__init__()
        d = d_head * n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.project = nn.Linear(d, d, bias=False)
        self.content = nn.Parameter(torch.randn(n_heads, 1, d_head) * 0.02)
        self.place = nn.Parameter(torch.randn(n_heads, 1, d_head) * 0.02)

    def rows(self, distances: Tensor) -> Tensor:
        """W_R r for some differences i - j: (heads, n, d_head)."""
        table = sinusoids(distances, self.n_heads * self.d_head).to(self.project.weight)
        return self.project(table).view(-1, self.n_heads, self.d_head).transpose(0, 1)

    def bias(self, q: Tensor, n_keys: int, *, offset: int = 0) -> Tensor:
        """(q_i + v) . W_R r_{i-j}: (..., heads, n_queries, n_keys)."""
        n = q.shape[-2]
        distances = torch.arange(offset - n_keys + 1, offset + n, device=q.device)
        products = (q + self.place) @ self.rows(distances).transpose(-1, -2)
        i, j = torch.arange(n, device=q.device)[:, None], torch.arange(n_keys, device=q.device)[None, :]
        index = (i - j + n_keys - 1).expand(*products.shape[:-1], n_keys)
        return products.gather(-1, index)


def sinusoid_frequencies(d: int, *, first: int = 0, base: float = 10000.0, device: Any = None) -> Tensor:
    """base^(-2i/d) for i = first ... first + d/2 - 1, in double precision."""
    if d < 2 or d % 2:
        raise InvalidInput(f"sines and cosines come in pairs: the dimension must be even, got {d}.")
    i = torch.arange(first, first + d // 2, dtype=torch.float64, device=device)
    return base ** (-2 * i / d)


def sinusoids(t: Tensor, d: int, *, first: int = 0) -> Tensor:
    """Rows (sin, cos, sin, cos, ...) of the positions t, in double precision."""
    angles = t[:, None].double() * sinusoid_frequencies(d, first=first, device=t.device)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(-2)


POSITIONS = ("none", "sinusoidal", "learned", "rotary", "alibi", "buckets", "relative")


def as_position(position: Position | str | None, *, d_model: int, d_head: int, n_heads: int) -> Position:
    """Positions from what people write: a Position, or one of ``POSITIONS`` with its defaults."""
    if isinstance(position, Position):
        return position
    if position in (None, "none"):
        return Position()
    if position == "sinusoidal":
        return Sinusoidal(d_model)
    if position == "rotary":
        return Rotary(d_head)
    if position == "alibi":
        return Alibi(n_heads)
    if position == "buckets":
        return Buckets(n_heads)
    if position == "relative":
        return Relative(d_head, n_heads)
    if position == "learned":
        raise InvalidInput("learned positions need the largest length.", hint="position=Learned(n_positions, d_model)")
    raise InvalidInput(f"unknown positions {position!r}.", hint=f"one of {', '.join(POSITIONS)}")
