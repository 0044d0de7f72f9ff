"""Binary trees of functions of two variables, and what they compose to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.construct.targets._expressions import Expression, variables
from plica.errors import InvalidInput


@dataclass(frozen=True)
class Branch:
    """A node of a tree: a function of two variables of what is on its left and on its right, variables by number.

    The function maps the unit square into the unit interval.

    Examples
    --------
    >>> u, v = variables(2)
    >>> Branch(u * v, Branch((u + v) / 2, 0, 1), 2).n_inputs
    3
    """

    function: Expression
    left: Branch | int
    right: Branch | int

    @property
    def n_inputs(self) -> int:
        """One more than the largest number of a variable."""
        return max(side.n_inputs if isinstance(side, Branch) else side + 1 for side in (self.left, self.right))

    @property
    def n_nodes(self) -> int:
        return 1 + sum(side.n_nodes for side in (self.left, self.right) if isinstance(side, Branch))

    @property
    def depth(self) -> int:
        return 1 + max(side.depth if isinstance(side, Branch) else 0 for side in (self.left, self.right))

    def nodes(self) -> Iterator[Branch]:
        """All nodes, children first."""
        for side in (self.left, self.right):
            if isinstance(side, Branch):
                yield from side.nodes()
        yield self

    def formula(self) -> Expression:
        """The composition as one expression."""
        return self.substituted(variables(self.n_inputs))

    def substituted(self, x: Sequence[Expression]) -> Expression:
        """The composition with expressions in the place of the variables."""
        sides = [side.substituted(x) if isinstance(side, Branch) else x[side] for side in (self.left, self.right)]
        return self.function.substitute(sides)

    def __call__(self, x: Any) -> Array:
        """The composition at the rows of x."""
        points = np.atleast_2d(np.asarray(x, dtype=np.float64))
        sides = [side(points) if isinstance(side, Branch) else points[:, side] for side in (self.left, self.right)]
        return self.function(np.stack(sides, axis=1))


def balanced_tree(function: Expression, n_inputs: int) -> Branch:
    """The balanced binary tree of one function over a power of two of variables.

    Examples
    --------
    >>> u, v = variables(2)
    >>> balanced_tree(u * v, 8).n_nodes
    7
    """
    if n_inputs < 2 or n_inputs & (n_inputs - 1):
        raise InvalidInput(f"a balanced tree has 2, 4, 8, ... variables, got {n_inputs}.")
    row: list[Branch | int] = list(range(n_inputs))
    while len(row) > 1:
        row = [Branch(function, row[i], row[i + 1]) for i in range(0, len(row), 2)]
    root = row[0]
    assert isinstance(root, Branch)
    return root
