"""torch's operations on shapes: views, slices, joins, paddings. Arguments are as in torch; see ``_torch_functions``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from plica._types import Array
from plica.network import _lowering_sampling as sampling
from plica.network import _torch_interpolate as interpolation
from plica.network._lowering import BATCH, CannotLower, Lowering, Operand, Wire

Functions = dict[str, Callable[..., Any]]


def _sizes(sizes: tuple[Any, ...]) -> list[int]:
    """``x.view(2, 3)`` and ``x.view((2, 3))`` mean the same."""
    if len(sizes) == 1 and isinstance(sizes[0], Sequence) and not isinstance(sizes[0], str):
        sizes = tuple(sizes[0])
    if not all(isinstance(n, int | np.integer) for n in sizes):
        raise CannotLower(f"sizes {sizes} are not numbers")
    return [int(n) for n in sizes]


def size(low: Lowering, input: Wire, dim: int | None = None) -> Any:
    return input.full_shape if dim is None else input.full_shape[dim]


def numel(low: Lowering, input: Wire) -> int:
    return prod(input.full_shape)


def rank(low: Lowering, input: Wire) -> int:
    return len(input.full_shape)


def same(low: Lowering, input: Wire, *args: Any, **kwargs: Any) -> Wire:
    """Copies and changes of device or precision: all arithmetic here is float64."""
    kinds = [str(a) for a in (*args, *kwargs.values()) if type(a).__name__ == "dtype"]
    if any("float" not in k for k in kinds):
        raise CannotLower(f"it casts to {kinds[0]}")
    return input


def reshape(low: Lowering, input: Wire, *shape: Any) -> Wire:
    return low.reshape(input, _sizes(shape))


def reshape_as(low: Lowering, input: Wire, other: Wire) -> Wire:
    return low.reshape(input, other.full_shape)


def flatten(low: Lowering, input: Wire, start_dim: int = 0, end_dim: int = -1) -> Wire:
    return low.flatten(input, start_dim, end_dim)


def unflatten(low: Lowering, input: Wire, dim: int, sizes: Any) -> Wire:
    axis = low.axis(input, dim)
    return low.reshape(input, [BATCH, *input.shape[:axis], *_sizes((sizes,)), *input.shape[axis + 1 :]])


def squeeze(low: Lowering, input: Wire, dim: int | Sequence[int] | None = None) -> Wire:
    return low.squeeze(input, [dim] if isinstance(dim, int) else dim)


def unsqueeze(low: Lowering, input: Wire, dim: int) -> Wire:
    return low.unsqueeze(input, [dim])


def permute(low: Lowering, input: Wire, *dims: Any) -> Wire:
    return low.permute(input, _sizes(dims))


def transpose(low: Lowering, input: Wire, dim0: int, dim1: int) -> Wire:
    dims = list(range(len(input.shape) + 1))
    dims[dim0], dims[dim1] = dims[dim1], dims[dim0]
    return low.permute(input, dims)


def movedim(low: Lowering, input: Wire, source: Any, destination: Any) -> Wire:
    n = len(input.shape) + 1
    return low.permute(input, np.moveaxis(np.empty(range(n)), source, destination).shape)


def matrix_transpose(low: Lowering, input: Wire) -> Wire:
    return transpose(low, input, -2, -1)


def expand(low: Lowering, input: Wire, *sizes: Any, implicit: bool = False) -> Wire:
    target = _sizes(sizes)
    if len(target) != len(input.shape) + 1 or target[0] not in (-1, BATCH, 1, low.batch):
        raise CannotLower("it puts axes before the batch or repeats the batch")
    return low.broadcast(input, tuple(n if m == -1 else m for n, m in zip(input.shape, target[1:], strict=True)))


def expand_as(low: Lowering, input: Wire, other: Wire) -> Wire:
    return expand(low, input, other.full_shape)


def repeat(low: Lowering, input: Wire, *repeats: Any) -> Wire:
    counts = _sizes(repeats)
    if len(counts) != len(input.shape) + 1 or counts[0] != 1:
        raise CannotLower("it puts axes before the batch or repeats the batch")
    return low.index(input, lambda i: np.tile(i, counts))


def _is_whole(part: slice) -> bool:
    return part.start in (None, 0) and part.step in (None, 1) and (part.stop is None or part.stop >= BATCH)


def getitem(low: Lowering, input: Wire, key: Any) -> Wire:
    """Slices, integers, None, Ellipsis and constant index arrays; the batch must stay as it is."""
    keys = list(key) if isinstance(key, tuple) else [key]
    if any(isinstance(k, Wire) for k in keys):
        raise CannotLower("it is indexed by an activation")
    first = keys[0] if keys else Ellipsis
    if not (first is Ellipsis or (isinstance(first, slice) and _is_whole(first))):
        raise CannotLower("it picks entries of the batch")
    if first is not Ellipsis:
        keys[0] = slice(None)
    elif sum(k is not None and k is not Ellipsis for k in keys) > len(input.shape):
        raise CannotLower("it picks entries of the batch")
    keys = [np.asarray(k) if isinstance(k, list) else k for k in keys]
    return _indexed(low, input, tuple(keys))


def index(low: Lowering, input: Wire, indices: Sequence[Any]) -> Wire:
    """``x[:, i]`` as torch.export writes it: one index array for each axis, None for the whole axis."""
    return getitem(low, input, tuple(slice(None) if i is None else i for i in indices))


def _indexed(low: Lowering, input: Wire, keys: tuple[Any, ...]) -> Wire:
    try:
        return low.index(input, lambda i: i[keys])
    except IndexError as error:
        raise CannotLower(str(error)) from None


def select(low: Lowering, input: Wire, dim: int, index: int) -> Wire:
    return low.take(input, dim, np.asarray(index))


def slice_(low: Lowering, input: Wire, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Wire:
    return low.slice(input, dim, start, end, step)


def narrow(low: Lowering, input: Wire, dim: int, start: int, length: int) -> Wire:
    return low.slice(input, dim, start, start + length)


def index_select(low: Lowering, input: Wire, dim: int, index: Array) -> Wire:
    return low.take(input, dim, index)


def unbind(low: Lowering, input: Wire, dim: int = 0) -> list[Wire]:
    return [low.take(input, dim, np.asarray(i)) for i in range(input.shape[low.axis(input, dim)])]


def split(low: Lowering, input: Wire, split_size_or_sections: Any, dim: int = 0) -> list[Wire]:
    n = input.shape[low.axis(input, dim)]
    step = split_size_or_sections
    sizes = [min(step, n - i) for i in range(0, n, step)] if isinstance(step, int) else [int(s) for s in step]
    return low.split(input, dim, sizes)


def chunk(low: Lowering, input: Wire, chunks: int, dim: int = 0) -> list[Wire]:
    return split(low, input, -(-input.shape[low.axis(input, dim)] // chunks), dim)


def tensor_split(low: Lowering, input: Wire, indices_or_sections: Any, dim: int = 0) -> list[Wire]:
    n = input.shape[low.axis(input, dim)]
    parts = np.array_split(np.arange(n), indices_or_sections)
    return low.split(input, dim, [len(p) for p in parts])


def cat(low: Lowering, tensors: Sequence[Operand], dim: int = 0) -> Wire:
    return low.concat(tensors, dim)


def stack(low: Lowering, tensors: Sequence[Operand], dim: int = 0) -> Wire:
    return low.stack(tensors, dim)


def flip(low: Lowering, input: Wire, *dims: Any) -> Wire:
    axes = tuple(low.axis(input, d) + 1 for d in _sizes(dims))
    return low.index(input, lambda i: np.flip(i, axes))


def roll(low: Lowering, input: Wire, shifts: Any, dims: Any = None) -> Wire:
    if dims is None:
        raise CannotLower("it rolls the batch axis")
    axes = tuple(low.axis(input, d) + 1 for d in _sizes((dims,) if isinstance(dims, int) else dims))
    return low.index(input, lambda i: np.roll(i, shifts, axes))


def pad(low: Lowering, input: Wire, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Wire:
    """torch lists (before, after) from the last axis backwards."""
    pairs = list(zip(pad[::2], pad[1::2], strict=True))[::-1]
    if len(pairs) > len(input.shape):
        raise CannotLower("it pads the batch axis")
    return low.pad(input, [(0, 0)] * (len(input.shape) - len(pairs)) + pairs, mode=mode, value=value or 0.0)


def constant_pad_nd(low: Lowering, input: Wire, pad_: Sequence[int], value: float = 0.0) -> Wire:
    return pad(low, input, pad_, value=value)


def pixel_shuffle(low: Lowering, input: Wire, upscale_factor: int) -> Wire:
    return sampling.pixel_shuffle(low, input, upscale_factor)


def pixel_unshuffle(low: Lowering, input: Wire, downscale_factor: int) -> Wire:
    return sampling.pixel_unshuffle(low, input, downscale_factor)


def channel_shuffle(low: Lowering, input: Wire, groups: int) -> Wire:
    c, *rest = input.shape
    dims = [0, 2, 1, *range(3, 3 + len(rest))]
    return low.reshape(low.permute(low.reshape(input, [BATCH, groups, c // groups, *rest]), dims), input.full_shape)


def zeros_like(low: Lowering, input: Wire, **_: Any) -> Array:
    return np.zeros((1, *input.shape))


def ones_like(low: Lowering, input: Wire, **_: Any) -> Array:
    return np.ones((1, *input.shape))


def full_like(low: Lowering, input: Wire, fill_value: float, **_: Any) -> Array:
    return np.full((1, *input.shape), float(fill_value))


def new_full(low: Lowering, input: Wire, size: Any, fill_value: float, **_: Any) -> Array:
    sizes = _sizes((size,))
    return np.full([1 if n == BATCH else n for n in sizes], float(fill_value))


def new_zeros(low: Lowering, input: Wire, *size: Any, **_: Any) -> Array:
    return new_full(low, input, _sizes(size), 0.0)


def new_ones(low: Lowering, input: Wire, *size: Any, **_: Any) -> Array:
    return new_full(low, input, _sizes(size), 1.0)


QUERIES: Functions = {"size": size, "sym_size": size, "numel": numel, "sym_numel": numel, "dim": rank, "ndimension": rank}
"""What is asked of a tensor without computing with it."""

VIEWS: Functions = {
    **dict.fromkeys("contiguous detach alias to float double half bfloat16 type type_as cpu requires_grad".split(), same),
    **dict.fromkeys(("lift_fresh_copy", "_to_copy", "view_of"), same),
    **dict.fromkeys(("view", "reshape", "_unsafe_view"), reshape),
    **dict.fromkeys(("view_as", "reshape_as"), reshape_as),
    "flatten": flatten,
    "ravel": flatten,
    "unflatten": unflatten,
    "squeeze": squeeze,
    "unsqueeze": unsqueeze,
    "permute": permute,
    **dict.fromkeys(("transpose", "swapaxes", "swapdims"), transpose),
    **dict.fromkeys(("movedim", "moveaxis"), movedim),
    **dict.fromkeys(("t", "T", "mT", "H", "mH", "adjoint"), matrix_transpose),
    "expand": expand,
    "expand_as": expand_as,
    "getitem": getitem,
    "select": select,
    "slice": slice_,
    "narrow": narrow,
    "unbind": unbind,
    **dict.fromkeys(("split", "split_with_sizes"), split),
    "chunk": chunk,
    "tensor_split": tensor_split,
}
"""Results that may share memory with the input: an in-place change of one is a change of the other."""

COPIES: Functions = {
    "clone": same,
    **dict.fromkeys(("repeat", "tile"), repeat),
    "index": index,
    "index_select": index_select,
    **dict.fromkeys(("cat", "concat", "concatenate"), cat),
    "stack": stack,
    "flip": flip,
    "roll": roll,
    "pad": pad,
    "constant_pad_nd": constant_pad_nd,
    "pixel_shuffle": pixel_shuffle,
    "pixel_unshuffle": pixel_unshuffle,
    **dict.fromkeys(("channel_shuffle", "native_channel_shuffle"), channel_shuffle),
    **interpolation.FUNCTIONS,
    "zeros_like": zeros_like,
    "ones_like": ones_like,
    "full_like": full_like,
    "new_zeros": new_zeros,
    "new_ones": new_ones,
    "new_full": new_full,
}
"""Results with memory of their own."""
