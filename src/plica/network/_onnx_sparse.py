"""Weights of an ONNX file that are stored by their nonzero entries: read with every number checked, written where it pays."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from plica._types import Array
from plica.errors import InvalidNetwork

if TYPE_CHECKING:
    import onnx

INDEX_BYTES = 8  # ONNX has indices in int64 alone


def pays(array: Array, itemsize: int) -> bool:
    """Whether nonzero entries and their places need fewer bytes than all entries.

    Examples
    --------
    >>> pays(np.eye(4), 4), pays(np.eye(3), 4)  # a quarter and a third of the entries: 3 x 4 bytes for each
    (True, False)
    """
    return bool((itemsize + INDEX_BYTES) * np.count_nonzero(array) < itemsize * array.size)


def to_sparse(name: str, array: Array) -> onnx.SparseTensorProto:
    """Nonzero entries in order, with their places counted through the whole array."""
    from onnx import helper, numpy_helper

    flat = array.reshape(-1)
    places = np.flatnonzero(flat)
    values = numpy_helper.from_array(np.ascontiguousarray(flat[places]), name)
    return helper.make_sparse_tensor(values, numpy_helper.from_array(places.astype(np.int64)), list(array.shape))


def from_sparse(tensor: onnx.SparseTensorProto, *, max_entries: int) -> Array:
    """The whole array; its values and indices were checked as tensors before."""
    from onnx import numpy_helper

    name, shape = tensor.values.name, tuple(tensor.dims)
    if len(tensor.values.dims) != 1 or not shape or min(shape) < 0 or prod(shape) > max_entries:
        raise InvalidNetwork(f"sparse weights {name!r} declare a shape of {prod(shape)} entries.", hint="the file is damaged")
    if tensor.indices.data_type != 7:
        raise InvalidNetwork(f"the indices of sparse weights {name!r} are no int64.")
    values, places = numpy_helper.to_array(tensor.values), numpy_helper.to_array(tensor.indices)
    if places.ndim == 2 and places.shape == (len(values), len(shape)):
        inside = (places >= 0) & (places < np.array(shape))
        flat = np.ravel_multi_index(tuple(places.T), shape) if inside.all() and len(values) else np.zeros(0, np.int64)
        is_fine = bool(inside.all())
    else:
        flat = places
        is_fine = places.shape == (len(values),) and bool(((places >= 0) & (places < prod(shape))).all())
    if not is_fine or (np.diff(flat) <= 0).any():
        raise InvalidNetwork(f"sparse weights {name!r} have indices outside, twice or out of order.", hint="the file is damaged")
    out = np.zeros(prod(shape))
    out[flat] = values
    return out.reshape(shape)
