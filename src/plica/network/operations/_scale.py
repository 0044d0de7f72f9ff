"""Entry by entry: factor * x + offset."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from plica._deprecated import renamed_field
from plica._types import Array
from plica.errors import InvalidNetwork
from plica.network.operations._affine import Affine
from plica.network.operations._op import Shape, Stored, numbered_rows


@renamed_field("shift", "offset")
@dataclass(frozen=True, eq=False)
class Scale(Affine):
    """y = factor * x + offset, entry by entry; both broadcast to the shape of x. Batch norm in eval mode is one."""

    kind: ClassVar[str] = "scale"
    stored: ClassVar[dict[str, Stored]] = {"factor": Stored.FLOATS, "offset": Stored.OPTIONAL_FLOATS}
    former_names: ClassVar[dict[str, str]] = {"shift": "offset"}
    factor: Array
    offset: Array | None = None  # type: ignore[assignment]

    def output_shape(self, *shapes: Shape) -> Shape:
        (shape,) = shapes
        for array in self.arrays().values():
            try:
                fits = np.broadcast_shapes(shape, array.shape) == shape
            except ValueError:
                fits = False
            if not fits:
                raise InvalidNetwork(f"a factor of shape {array.shape} does not broadcast to a tensor of shape {shape}.")
        return shape

    @property
    def coefficients(self) -> Array:
        return self.factor

    def with_numbers(self, coefficients: Array, offset: Array | None) -> Scale:
        return replace(self, factor=coefficients, offset=offset)

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        return xs[0] * coefficients

    def transpose(self, g: Array, shapes: list[Shape], coefficients: Array | None = None) -> list[Array]:
        return [g * (self.factor if coefficients is None else coefficients)]

    def matrix(self, shape: Shape) -> Any:
        from scipy import sparse

        return sparse.diags_array(np.broadcast_to(self.factor, shape).reshape(-1), format="csc")

    def entrywise(self, shape: Shape) -> Array:
        return np.broadcast_to(self.factor, shape).reshape(-1)

    def equal_entries(self, numbers: list[Array], shape: Shape) -> Array:
        x = numbers[0].reshape(-1)
        factor = np.broadcast_to(self.factor, shape).reshape(-1)
        offset = np.zeros(x.size) if self.offset is None else np.broadcast_to(self.offset, shape).reshape(-1)
        return numbered_rows(np.stack([x, factor * (x != 0), offset], axis=1)).reshape(shape)

    def gain(self) -> float:
        return float(np.abs(self.factor).max(initial=0.0))

    def n_terms(self) -> int:
        return 1

    def row_norms(self, shape: Shape) -> Array:
        return np.broadcast_to(np.abs(self.factor), shape).reshape(-1)
