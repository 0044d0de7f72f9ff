"""y = W x + b."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any, ClassVar

import numpy as np

from plica._parallel import look
from plica._types import Array
from plica.errors import InvalidNetwork
from plica.network.operations._affine import Affine, looked_product
from plica.network.operations._op import Shape, Stored, largest_magnitude


@dataclass(frozen=True, eq=False)
class Linear(Affine):
    """y = W x + b on the last axis."""

    kind: ClassVar[str] = "linear"
    stored: ClassVar[dict[str, Stored]] = {"weight": Stored.FLOATS, "bias": Stored.OPTIONAL_FLOATS}
    weight: Array
    bias: Array | None = None

    def output_shape(self, *shapes: Shape) -> Shape:
        (shape,) = shapes
        if self.weight.ndim != 2 or (self.bias is not None and self.bias.shape != (len(self.weight),)):
            bias = "" if self.bias is None else f" and a bias of shape {self.bias.shape}"
            raise InvalidNetwork(f"a linear layer has a weight of shape {self.weight.shape}{bias}.", hint="(out, in) and (out,)")
        if not shape or shape[-1] != self.weight.shape[1]:
            raise InvalidNetwork(
                f"a linear layer with {self.weight.shape[1]} inputs got a tensor of shape {shape}.",
                hint="flatten the tensor first, or check the widths",
            )
        return (*shape[:-1], self.weight.shape[0])

    @property
    def coefficients(self) -> Array:
        return self.weight

    @property
    def offset(self) -> Array | None:
        return self.bias

    @property
    def dense(self) -> Array:
        return self.weight

    def with_numbers(self, coefficients: Array, offset: Array | None) -> Linear:
        return replace(self, weight=coefficients, bias=offset)

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        assert coefficients is not None
        if xs[0].dtype != object and coefficients.dtype != object:
            return xs[0] @ coefficients.T
        rows = xs[0].reshape(-1, xs[0].shape[-1])
        return looked_product(coefficients, rows.T).T.reshape(*xs[0].shape[:-1], len(coefficients))

    def stacks(self, shape: Shape) -> bool:
        return len(shape) == 1

    def transpose(self, g: Array, shapes: list[Shape], coefficients: Array | None = None) -> list[Array]:
        return [g @ (self.weight if coefficients is None else coefficients)]

    def matrix(self, shape: Shape) -> Any:
        from scipy import sparse

        block = sparse.csc_matrix(self.weight)
        n_blocks = prod(shape[:-1])
        return block if n_blocks == 1 else sparse.block_diag([block] * n_blocks, format="csc")

    def gathered(self, shape: Shape) -> tuple[Array, Array] | None:
        return (self.weight, np.arange(shape[0], dtype=np.int32)[None]) if len(shape) == 1 else None

    def gain(self) -> float:
        return spectral_norm_bound(self.weight)

    def absolute_gain(self) -> float:
        return float(np.linalg.norm(self.weight)) * (1 + 1e-6)

    def n_terms(self) -> int:
        return self.weight.shape[1]

    def row_norms(self, shape: Shape) -> Array:
        norms = np.sqrt(np.einsum("ij,ij->i", self.weight, self.weight)) * (1 + 1e-6)
        return np.broadcast_to(norms, shape).reshape(-1)


_SMALL = 256  # rows of matrices that are squared more often
_LARGE = 2048  # rows of those that are multiplied at all
_AT_ONCE = 2**20  # entries of a matrix that are looked at together: a large one is never copied


def spectral_norm_bound(matrix: Array) -> float:
    """An upper bound of the largest singular value, within 20 % of it for matrices up to a few thousand, 3 % for small ones.

    With G = A A^T (or A^T A, the smaller): ||A||^2 = ||G|| and ||G||^k = ||G^k|| <= ||G^k||_inf for k = 8 or 64.
    """
    scale = largest_magnitude(matrix)
    if scale == 0.0:
        return 0.0
    a = matrix if matrix.shape[0] >= matrix.shape[1] else matrix.T  # the long side down, and strips of it
    n = a.shape[1]
    g = np.zeros((n, n)) if 1 < n <= _LARGE else None
    squares, row, columns = 0.0, 0.0, np.zeros(n)
    step = max(1, _AT_ONCE // n)
    for start in range(0, len(a), step):
        look()
        strip = a[start : start + step] / scale
        if g is not None:
            g += strip.T @ strip
        np.abs(strip, out=strip)
        squares += float(np.einsum("ij,ij->", strip, strip))
        row, columns = max(row, float(strip.sum(1).max())), columns + strip.sum(0)
    crude = float(np.sqrt(squares))
    if n > 1:
        crude = min(crude, float(np.sqrt(columns.max() * row)))
    if g is not None:
        crude = min(crude, float(np.sqrt(norms_by_powers(g[None], 6 if n <= _SMALL else 3)[0])))
    return crude * scale * (1 + 1e-6)


def norms_by_powers(g: Array, n_squarings: int) -> Array:
    """Upper bounds of the norms of Hermitian matrices (matrices, n, n): a norm is the root of the norm of a power.

    Examples
    --------
    >>> norms_by_powers(np.array([[[2.0, 1.0], [1.0, 2.0]]]), 6).round(3)
    array([3.])
    """
    log_norm = np.zeros(len(g))
    for _ in range(n_squarings):
        look()  # a matrix of 2,048 rows takes a third of a second
        top = np.maximum(np.abs(g).sum(2).max(1), 1e-300)
        log_norm = 2 * (log_norm + np.log(top))
        g = g / top[:, None, None]
        # symmetric: half of the work where the product sees that its factors are one array
        g = g @ g if np.iscomplexobj(g) else g @ g.swapaxes(1, 2)
    log_norm += np.log(np.maximum(np.abs(g).sum(2).max(1), 1e-300))
    return np.asarray(np.exp(log_norm / 2**n_squarings))
