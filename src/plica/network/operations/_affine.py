"""Affine operations: what each of them tells about itself.

Every operation acts on arrays with a leading batch axis. The affine ones are written so that the same code runs on
float64 arrays and on object arrays of Python integers or fractions: ``linear(xs, coefficients)`` uses only ``+``, ``*``,
``@`` and indexing. This is how the exact fallback evaluates the very network that floating point evaluates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plica._parallel import look
from plica._types import Array
from plica.network.operations._op import Op, Shape

_EXACT_AT_ONCE = 2**15  # products of integers or fractions between two looks: a microsecond each


def looked_product(a: Array, b: Array) -> Array:
    """``a @ b``; of integers and fractions in Python a few rows of a at a time, and between them whoever looks is asked.

    Examples
    --------
    >>> looked_product(np.array([[1, 2]], dtype=object), np.array([[3], [4]], dtype=object))
    array([[11]], dtype=object)
    """
    if a.dtype != object and b.dtype != object:
        return a @ b
    step = max(1, _EXACT_AT_ONCE // max(1, b.size))
    parts = []
    for start in range(0, max(1, a.shape[-2]), step):
        look()
        parts.append(a[..., start : start + step, :] @ b)
    return np.concatenate(parts, axis=-2)


@dataclass(frozen=True, eq=False)
class Affine(Op):
    """y = A x + c. ``coefficients`` are the stored numbers of A, ``offset`` is c (broadcast over the batch)."""

    is_plain: ClassVar[bool] = True  # y is a sum of products of entries and stored coefficients, as they are stored

    @property
    def coefficients(self) -> Array | None:
        return None

    @property
    def offset(self) -> Array | None:
        return None

    def with_numbers(self, coefficients: Array, offset: Array | None) -> Affine:
        """The same operation with other coefficients and another offset, both in the shapes of the present ones."""
        return self

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        """A x for a batch, with the given coefficients in the place of the stored ones."""
        raise NotImplementedError

    def apply(self, xs: list[Array]) -> Array:
        y = self.linear(xs, self.coefficients)
        return y if self.offset is None else y + self.offset

    def transpose(self, g: Array, shapes: list[Shape], coefficients: Array | None = None) -> list[Array]:
        """A^T g for one g of the output's shape: an array for each input, in the given shapes.

        ``coefficients`` stand in the place of the stored ones, as in :meth:`linear`: integers for exact transposes.
        """
        raise NotImplementedError

    def matrix(self, shape: Shape) -> Any:
        """A as a sparse matrix in columns, for one input of the given shape; None if it is not to be had."""
        return None

    def gathered(self, shape: Shape) -> tuple[Array, Array] | None:
        """A as one small matrix, (outputs, terms), applied at many positions: its weights, and for each position the entries of
        one input of this shape that it reads, -1 for none. Output k of position p is entry k * positions + p. None otherwise.
        """
        return None

    def stacks(self, shape: Shape) -> bool:
        """Whether coefficients below each other give outputs of this ``shape`` below each other."""
        return False

    def entrywise(self, shape: Shape) -> Array | None:
        """The factor of every entry, flattened, of an operation that multiplies entries one by one; None for others."""
        return None

    # Bounds used by the error analysis of the engine; all rigorous upper bounds.
    def gain(self) -> float:
        """An upper bound of the operator norm of A."""
        return 1.0

    def absolute_gain(self) -> float:
        """An upper bound of the operator norm of |A| (entrywise absolute values)."""
        return self.gain()

    def row_norms(self, shape: Shape) -> Array | None:
        """Upper bounds of the 2-norm of each row of A, flattened over the output ``shape``; None if unknown."""
        return None

    def joint_lipschitz(self, constants: list[float]) -> float:
        return sum(constants) * self.gain() * (1 + 1e-12)


def padded(x: Array, padding: Sequence[tuple[int, int]]) -> Array:
    """Zeros around each item of a batch, of the array's own kind (``np.pad`` puts fixed-size integers into object arrays)."""
    if not any(a or b for a, b in padding):
        return x
    out = np.zeros((len(x), *(n + a + b for n, (a, b) in zip(x.shape[1:], padding, strict=True))), dtype=x.dtype)
    out[(slice(None), *(slice(a, a + n) for n, (a, _) in zip(x.shape[1:], padding, strict=True)))] = x
    return out


def sparse_matrix(rows: Array, columns: Array, values: Array, shape: tuple[int, int]) -> Any:
    """A sparse matrix from its entries; a column numbered from 1 on, 0 where nothing is read."""
    from scipy import sparse

    rows, columns, values = (a.reshape(-1) for a in np.broadcast_arrays(rows, columns, values))
    inside = columns > 0
    return sparse.csc_matrix((values[inside], (rows[inside], columns[inside] - 1)), shape=shape)
