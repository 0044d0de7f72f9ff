"""The complex as filtered simplices, for gudhi."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry.export._missing import imported

if TYPE_CHECKING:
    from plica.geometry._bounded import BoundedComplex


def to_gudhi(cx: BoundedComplex, output: int) -> Any:
    """A ``gudhi.SimplexTree``; a vertex has the value of the output there, a simplex the largest of its vertices."""
    gudhi = imported("gudhi")
    if not 0 <= output < cx.network.n_outputs:
        raise InvalidInput(f"there is no output {output}; the network has outputs 0 to {cx.network.n_outputs - 1}.")
    values: Array = cx.outputs[:, output]
    tree = gudhi.SimplexTree()
    for simplex in cx.triangulation().vertices.tolist():
        tree.insert(simplex, filtration=float("-inf"))
    for v, value in enumerate(values.tolist()):
        tree.assign_filtration([v], value)
    tree.make_filtration_non_decreasing()
    return tree
