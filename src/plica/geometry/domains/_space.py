"""All of R^n."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidDomain


class Space:
    """All of R^n. A complex over it says which of its cells are bounded.

    Examples
    --------
    >>> Space(2)
    <Space R^2>
    """

    size = float("inf")

    def __init__(self, dimension: int) -> None:
        if isinstance(dimension, bool) or not isinstance(dimension, (int, np.integer)) or dimension < 1:
            raise InvalidDomain(f"a space has one or more dimensions, got {dimension!r}.")
        self.dimension = int(dimension)

    @property
    def n_inputs(self) -> int:
        return self.dimension

    def to_input(self, parameters: Any) -> Array:
        """The points themselves."""
        return np.atleast_2d(np.asarray(parameters, dtype=np.float64))

    def __repr__(self) -> str:
        return f"<Space R^{self.dimension}>"
