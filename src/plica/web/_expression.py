"""Functions that a user writes, evaluated in floating point on arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._formula import Formula, Node
from plica._types import Array
from plica.errors import InvalidInput

MAX_CHARACTERS = 200
MAX_EXPONENT = 64.0
MAX_VALUE = 1e6
OPERATIONS: dict[str, Callable[..., Array]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": lambda a, b: np.power(a, np.clip(b, -MAX_EXPONENT, MAX_EXPONENT)),
    "negative": np.negative,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "sign": np.sign,
    "floor": np.floor,
    "relu": lambda a: np.maximum(a, 0.0),
    "min": np.minimum,
    "max": np.maximum,
    "mod": np.mod,
    "pi": lambda: np.asarray(np.pi),
    "e": lambda: np.asarray(np.e),
}


@dataclass(frozen=True)
class Expression:
    """A function of x, or of x and y.

    Examples
    --------
    >>> f = Expression.parse("2*x^2 - y/4")
    >>> f.n_inputs, f(np.array([[1.0, 2.0]]))
    (2, array([1.5]))
    >>> Expression.parse("__import__('os')")
    Traceback (most recent call last):
    ...
    plica.errors.InvalidInput: the formula has an unexpected '_' at character 1.
      hint: use x, y, ...
    """

    formula: Formula

    @staticmethod
    def parse(text: str) -> Expression:
        """Read an expression; anything outside the grammar is refused with its place."""
        formula = Formula.parse(text, max_characters=MAX_CHARACTERS)
        if formula.n_variables > 2:
            raise InvalidInput(f"the explorer shows functions of x and y, got {formula.n_variables} variables.", hint="x and y")
        return Expression(formula)

    @property
    def n_inputs(self) -> int:
        """2 if y occurs, else 1."""
        return max(1, self.formula.n_variables)

    def __call__(self, points: Array) -> Array:
        """The values at rows of points."""

        def meaning(node: Node, parts: list[Any]) -> Any:
            if node.operation == "number":
                return np.asarray(float(node.number))
            if node.operation == "variable":
                return points[:, int(node.number)]
            return OPERATIONS[node.operation](*parts)

        with np.errstate(all="ignore"):
            values = np.broadcast_to(self.formula.fold(meaning), len(points)).astype(np.float64)
        wrong = np.flatnonzero(~np.isfinite(values) | (np.abs(values) > MAX_VALUE))
        if len(wrong):
            where = ", ".join(f"{c:.3g}" for c in points[wrong[0]])
            raise InvalidInput(
                f"the expression is {values[wrong[0]]:.3g} at ({where}).",
                hint=f"values must be finite and at most {MAX_VALUE:g}",
            )
        return values
