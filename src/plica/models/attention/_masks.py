"""Masks: which keys a query sees. One polarity everywhere: True means *attend*."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from plica.errors import InvalidInput


class Span(NamedTuple):
    """Queries at the positions start ... stop - 1 and keys at 0 ... n_keys - 1, known without looking into a tensor."""

    start: int
    stop: int
    n_keys: int


Rule = Callable[[Tensor, Tensor, Span], Tensor]
_KEPT_MATRICES = 4


class Mask:
    """Which keys a query sees; masks combine with ``&``, ``|`` and ``~``.

    Make one with the functions of :mod:`plica.models.attention`: :func:`full`, :func:`causal`, :func:`padding`, :func:`window`,
    :func:`dilated`, :func:`block`, :func:`big_bird`, :func:`shifted_windows`, :func:`order`, :func:`graph`, :func:`explicit`.

    Attributes
    ----------
    name
        For people.
    n_positions
        The only number of keys it fits, or None for any.
    exact
        The mask of which this one is a sparse approximation (a window of full attention, say); itself if it is none.

    Examples
    --------
    >>> causal().matrix(3, 3).int()
    tensor([[1, 0, 0],
            [1, 1, 0],
            [1, 1, 1]], dtype=torch.int32)
    >>> (window(1) & causal()).n_pairs(5)
    9
    """

    def __init__(
        self,
        name: str,
        rule: Rule | None = None,
        *,
        tensor: Tensor | None = None,
        n_positions: int | None = None,
        exact: Mask | None = None,
        past: Mask | None = None,
    ) -> None:
        if (rule is None) == (tensor is None):
            raise InvalidInput("a mask is a rule or a tensor.", hint="causal(), window(3), explicit(tensor), ...")
        self.name = name
        self.n_positions = n_positions
        self.exact = self if exact is None else exact
        self._past = past
        self._rule = rule
        self._tensor = tensor
        self._kept: dict[tuple[int, int, int, str], Tensor] = {}

    @property
    def is_full(self) -> bool:
        return self.name == "full"

    @property
    def is_causal(self) -> bool:
        return self.name == "causal"

    @property
    def is_static(self) -> bool:
        """The same for every sequence of the batch and every head: a rule of positions."""
        return self._rule is not None

    @property
    def hides_keys_only(self) -> bool:
        """Every query sees the same keys, as with padding."""
        return self._tensor is not None and self._tensor.dim() >= 2 and self._tensor.shape[-2] == 1

    def rows(self, start: int, stop: int, n_keys: int, *, device: Any = None) -> Tensor:
        """The rows of the queries at positions start ... stop - 1."""
        self._require(n_keys)
        i = torch.arange(start, stop, device=device)[:, None]
        j = torch.arange(n_keys, device=device)[None, :]
        assert self._rule is not None
        return self._rule(i, j, Span(start, stop, n_keys)).expand(stop - start, n_keys)

    def matrix(self, n_queries: int, n_keys: int, *, offset: int = 0, device: Any = None) -> Tensor:
        """A boolean tensor (..., n_queries, n_keys) or one that broadcasts to it; query i sits at position offset + i."""
        if self._tensor is not None:
            self._require(n_keys)
            found = self._tensor.to(device)
            if found.shape[-2] not in (1, n_queries):
                if offset + n_queries > found.shape[-2]:
                    raise InvalidInput(f"the mask {self.name!r} has {found.shape[-2]} rows, there are {n_queries} queries.")
                found = found[..., offset : offset + n_queries, :]
            return found
        if torch.compiler.is_compiling():  # a tensor of the graph is none of the model
            return self.rows(offset, offset + n_queries, n_keys, device=device)
        key = (n_queries, n_keys, offset, str(device))
        if key not in self._kept:
            if len(self._kept) >= _KEPT_MATRICES:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = self.rows(offset, offset + n_queries, n_keys, device=device)
        return self._kept[key]

    def _require(self, n_keys: int) -> None:
        if self.n_positions not in (None, n_keys):
            raise InvalidInput(f"the mask {self.name!r} is for {self.n_positions} keys, there are {n_keys}.")

    def n_pairs(self, n: int) -> int:
        """Visible pairs of n queries and n keys."""
        return int(self.matrix(n, n).sum())

    def hidden(self, n_queries: int, n_keys: int, *, offset: int = 0) -> Tensor:
        """The other polarity, True = hide, which ``nn.MultiheadAttention`` and ``nn.Transformer`` expect."""
        return ~self.matrix(n_queries, n_keys, offset=offset)

    def __and__(self, other: Mask) -> Mask:
        if self.is_full or other.is_full:
            return other if self.is_full else self
        for mask, restriction in ((self, other), (other, self)):
            if restriction.is_causal and mask._past is not None:
                return mask._past
        return _combined(self, other, torch.logical_and, "&")

    def __or__(self, other: Mask) -> Mask:
        return _combined(self, other, torch.logical_or, "|")

    def __invert__(self) -> Mask:
        name = f"~({self.name})"
        if self._tensor is not None:
            return Mask(name, tensor=~self._tensor, n_positions=self.n_positions)
        rule = self._rule
        assert rule is not None
        return Mask(name, lambda i, j, span: ~rule(i, j, span), n_positions=self.n_positions)

    def __repr__(self) -> str:
        return f"<Mask {self.name}>"


class _Pair(Mask):
    """Two masks, at least one of which is a tensor, combined when their size is known."""

    def __init__(
        self, name: str, first: Mask, second: Mask, operation: Callable[[Tensor, Tensor], Tensor], past: Mask | None = None
    ) -> None:
        size = first.n_positions or second.n_positions
        super().__init__(name, tensor=torch.ones(1, 1, dtype=torch.bool), n_positions=size, past=past)
        self._parts = (first, second)
        self._operation = operation

    @property
    def hides_keys_only(self) -> bool:
        return all(part.hides_keys_only for part in self._parts)

    def matrix(self, n_queries: int, n_keys: int, *, offset: int = 0, device: Any = None) -> Tensor:
        first, second = (part.matrix(n_queries, n_keys, offset=offset, device=device) for part in self._parts)
        return self._operation(first, second)

    def __invert__(self) -> Mask:
        operation = self._operation
        return _Pair(f"~({self.name})", *self._parts, lambda a, b: ~operation(a, b))


def _combined(first: Mask, second: Mask, operation: Callable[[Tensor, Tensor], Tensor], sign: str) -> Mask:
    sizes = {n for n in (first.n_positions, second.n_positions) if n is not None}
    if len(sizes) > 1:
        raise InvalidInput(f"{first.name!r} and {second.name!r} are masks for {' and '.join(map(str, sorted(sizes)))} keys.")
    name = f"{first.name} {sign} {second.name}"
    past = None
    if not (first._past is None and second._past is None):
        past = _combined(first & causal(), second & causal(), operation, sign)
    if first._rule is not None and second._rule is not None:
        a, b = first._rule, second._rule
        return Mask(
            name, lambda i, j, span: operation(a(i, j, span), b(i, j, span)), n_positions=next(iter(sizes), None), past=past
        )
    return _Pair(name, first, second, operation, past)


def full() -> Mask:
    """Every query sees every key."""
    return Mask("full", lambda i, j, span: torch.ones_like(i * j, dtype=torch.bool))


def causal() -> Mask:
    """Query i sees the keys j <= i."""
    return Mask("causal", lambda i, j, span: j <= i)


def window(radius: int, *, causal: bool = False) -> Mask:
    """Query i sees keys at most ``radius`` away, on both sides or only before it.

    In place of full attention it is exact when keys farther away would get no weight; cost grows linearly with the length.
    """
    at_least(radius, 0, "radius")
    near: Rule = (lambda i, j, span: (j <= i) & (i - j <= radius)) if causal else (lambda i, j, span: (i - j).abs() <= radius)
    return Mask(f"window {radius}{', causal' if causal else ''}", near, exact=_causal() if causal else full())


def dilated(radius: int, *, step: int, causal: bool = False) -> Mask:
    """Query i sees the keys i - radius step, ..., i - step, i, i + step, ..., i + radius step (those that exist)."""
    at_least(radius, 0, "radius")
    at_least(step, 1, "step")

    def rule(i: Tensor, j: Tensor, span: Span) -> Tensor:
        visible = ((i - j).abs() <= radius * step) & ((i - j) % step == 0)
        return visible & (j <= i) if causal else visible

    name = f"dilated {radius} x {step}{', causal' if causal else ''}"
    return Mask(name, rule, exact=_causal() if causal else full())


def block(size: int) -> Mask:
    """Positions are cut into blocks of ``size``; a query sees the keys of its own block."""
    at_least(size, 1, "size")
    return Mask(f"block {size}", lambda i, j, span: i // size == j // size, exact=full())


def shifted_windows(grid: tuple[int, int], *, size: int, shift: int = 0) -> Mask:
    """Swin: pixels of a grid, in reading order, see those of their ``size`` x ``size`` window, displaced by ``shift``.

    Windows do not wrap around: at the border they are smaller.
    """
    height, width = grid
    at_least(min(height, width), 1, "grid")
    at_least(size, 1, "size")
    if not 0 <= shift < size:
        raise InvalidInput(f"shift must be in [0, {size}), got {shift}.")

    def cell(p: Tensor) -> tuple[Tensor, Tensor]:
        down = torch.div(p // width - shift, size, rounding_mode="floor")
        return down, torch.div(p % width - shift, size, rounding_mode="floor")

    def rule(i: Tensor, j: Tensor, span: Span) -> Tensor:
        (a, b), (c, d) = cell(i), cell(j)
        return (a == c) & (b == d)

    name = f"windows {size} of {height} x {width}, shifted by {shift}"
    return Mask(name, rule, n_positions=height * width, exact=full())


def order(sequence: Sequence[int], *, strict: bool = False) -> Mask:
    """Positions come in the order of ``sequence``: a query sees what comes before it, and itself unless ``strict``.

    Examples
    --------
    >>> order([2, 0, 1]).matrix(3, 3).int()
    tensor([[1, 0, 1],
            [1, 1, 1],
            [0, 0, 1]], dtype=torch.int32)
    """
    places = [int(p) for p in sequence]
    if sorted(places) != list(range(len(places))):
        raise InvalidInput(f"an order of {len(places)} positions must name each of 0 ... {len(places) - 1} once.")
    rank = torch.tensor(places, dtype=torch.long, device="cpu").argsort()

    def rule(i: Tensor, j: Tensor, span: Span) -> Tensor:
        a, b = rank.to(i.device)[i], rank.to(j.device)[j]
        return b < a if strict else b <= a

    return Mask("order", rule, n_positions=len(places))


def graph(adjacency: Any, *, loops: bool = True) -> Mask:
    """Node i sees the nodes j with ``adjacency[i, j]`` != 0, and itself: A + I."""
    A = torch.as_tensor(adjacency) != 0
    if A.dim() != 2 or A.shape[0] != A.shape[1]:
        raise InvalidInput(f"an adjacency matrix is square, got shape {tuple(A.shape)}.")
    seen = A | torch.eye(len(A), dtype=torch.bool) if loops else A
    return Mask("graph", lambda i, j, span: seen.to(i.device)[i, j], n_positions=len(A))


def padding(lengths: Any, n_keys: int) -> Mask:
    """Sequence b of a batch has ``lengths[b]`` tokens; the keys after them are hidden from every query.

    Examples
    --------
    >>> padding([1, 3], 3).matrix(3, 3).shape
    torch.Size([2, 1, 1, 3])
    """
    n = torch.as_tensor(lengths)
    if n.dim() != 1 or n.is_floating_point() or bool((n < 0).any()) or bool((n > n_keys).any()):
        raise InvalidInput(f"lengths must be integers between 0 and {n_keys}, one for each sequence.")
    return Mask("padding", tensor=(torch.arange(n_keys) < n[:, None])[:, None, None, :], n_positions=n_keys)


def explicit(visible: Any) -> Mask:
    """A boolean tensor, True = attend: (queries, keys) or (batch, heads or 1, queries or 1, keys)."""
    tensor = torch.as_tensor(visible)
    if tensor.dtype is not torch.bool:
        raise InvalidInput(
            f"a mask is boolean, got {tensor.dtype}.", hint="True = attend; additive masks of torch: from_torch_mask(mask)"
        )
    if tensor.dim() not in (2, 4):
        raise InvalidInput(
            f"a mask has the shape (queries, keys) or (batch, heads, queries, keys), got {tuple(tensor.shape)}.",
            hint="add an axis for heads: mask[:, None]; hidden keys of a batch: mask[:, None, None, :]",
        )
    return Mask("explicit", tensor=tensor, n_positions=tensor.shape[-1])


def from_torch_mask(hidden: Tensor) -> Mask:
    """From the polarity of ``nn.MultiheadAttention``: a boolean tensor with True = hide, or an additive one with -inf = hide.

    Examples
    --------
    >>> from_torch_mask(torch.nn.Transformer.generate_square_subsequent_mask(2)).matrix(2, 2).int()
    tensor([[1, 0],
            [1, 1]], dtype=torch.int32)
    """
    if hidden.is_floating_point():
        if not bool(((hidden == 0) | (hidden == -torch.inf)).all()):
            raise InvalidInput("an additive mask with entries other than 0 and -inf is a bias.", hint="give it as bias=")
        return explicit(hidden == 0)
    return explicit(~hidden)


def as_mask(mask: Mask | Tensor | str | None) -> Mask:
    """A mask from what people write: a Mask, a boolean tensor, ``"causal"``, ``"full"`` or None."""
    if mask is None:
        return full()
    if isinstance(mask, Mask):
        return mask
    if isinstance(mask, str):
        if mask not in ("full", "causal"):
            raise InvalidInput(f"unknown mask {mask!r}.", hint="'full', 'causal', or a mask such as window(8), block(16)")
        return full() if mask == "full" else causal()
    return explicit(mask)


_causal = causal


def at_least(value: int, least: int, name: str) -> None:
    """Refuse what is no integer, or a smaller one."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InvalidInput(f"{name} must be an integer of at least {least}, got {value!r}.")
