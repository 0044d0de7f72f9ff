"""What a network is asked to learn: points with labels or values, and the window they are looked at in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from plica._types import Array
from plica.web._expression import Expression
from plica.web._state import State
from plica.web._table import read_table

Files = Callable[[str], bytes]
"""The content of a file that was given before, by its digest."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Points, targets (classes from 0 on, or numbers), the function behind them if there is one, and a window around them."""

    points: Array
    targets: Array
    is_classes: bool
    function: Callable[[Array], Array] | None
    window: tuple[float, float, float, float]
    n_held: int = 0
    names: tuple[str, ...] = ()
    """Of the classes, where they have some."""

    @property
    def taught(self) -> slice:
        """The points that are learned from."""
        return slice(0, len(self.points) - self.n_held)

    @property
    def held(self) -> slice:
        """The points that are kept for testing: the last ones, in an order that the seed has mixed."""
        return slice(len(self.points) - self.n_held, None)

    @property
    def n_inputs(self) -> int:
        return int(self.points.shape[1])

    @property
    def n_outputs(self) -> int:
        """One, or a score for each class if there are more than two."""
        return len(self.names) if len(self.names) > 2 else 1


def tents(x: Array, depth: int = 3) -> Array:
    """The tent map of [0, 1] composed with itself, 2^depth pieces; 0 outside."""
    for _ in range(depth):
        x = np.maximum(1 - np.abs(2 * x - 1), 0.0)
    return x


FUNCTIONS: dict[str, tuple[Callable[[Array], Array], float, float]] = {
    "sine": (lambda p: np.sin(2 * np.pi * p[:, 0]), -1.0, 1.0),
    "abs": (lambda p: np.abs(p[:, 0]), -1.0, 1.0),
    "square": (lambda p: p[:, 0] ** 2, -1.0, 1.0),
    "sawtooth": (lambda p: tents(p[:, 0]), 0.0, 1.0),
}
UNIT = ("sawtooth", "square", "folding", "zigzag")
"""Initializations that live on the unit interval or square."""


def problem_of(state: State, files: Files) -> Problem:
    """The problem that a state describes, with the points that it holds out.

    Examples
    --------
    >>> def no_files(digest): raise KeyError(digest)
    >>> problem = problem_of(State(data="circles", n=20), no_files)
    >>> problem.points.shape, problem.is_classes
    ((20, 2), True)
    >>> problem_of(State(data="circles", n=20, split=25), no_files).n_held
    5
    """
    problem = _whole(state, files)
    n_held = min(round(len(problem.points) * state.split / 100), len(problem.points) - 1)
    if not n_held:
        return problem
    order = np.random.default_rng(state.seed).permutation(len(problem.points))
    return replace(problem, points=problem.points[order], targets=problem.targets[order], n_held=n_held)


def _whole(state: State, files: Files) -> Problem:
    if state.data == "csv":
        x, y, names = read_table(files(state.csv))
        return Problem(x, y, bool(names), None, _around(x, y), names=names)
    if state.data == "expression":
        expression = Expression.parse(state.expr)
        return _sampled(state, expression, expression.n_inputs, -1.0, 1.0)
    if state.data in FUNCTIONS:
        function, low, high = FUNCTIONS[state.data]
        if state.data == state.init == "sawtooth":  # as many teeth as the network has
            depth = len(state.widths)
            return _sampled(state, lambda p: tents(p[:, 0], depth), 1, low, high)
        return _sampled(state, function, 1, low, high)
    from plica.data import load

    given = load(state.data, n=state.n, noise=state.noise, seed=state.seed)
    x, y = np.asarray(given.x, dtype=np.float64), np.asarray(given.y, dtype=np.float64)
    x = x - (0.5, 0.25) if state.data == "moons" else x  # the moons' center to the origin
    reach = 1.75 if state.data == "moons" else 1.4
    window = (0.0, 1.0, 0.0, 1.0) if state.init in UNIT else (-reach, reach, -reach, reach)
    return Problem(x, y, True, None, window)


def _sampled(state: State, function: Callable[[Array], Array], n_inputs: int, low: float, high: float) -> Problem:
    if state.init in UNIT:
        low, high = 0.0, 1.0
    rng = np.random.default_rng(state.seed)
    x = rng.uniform(low, high, (state.n, n_inputs))
    y = np.asarray(function(x), dtype=np.float64)
    noisy = y + state.noise * rng.standard_normal(len(y))
    if n_inputs == 2:
        return Problem(x, noisy, False, function, (low, high, low, high))
    grid = np.asarray(function(np.linspace(low, high, 201)[:, None]))
    return Problem(x, noisy, False, function, (low, high, *_padded(grid)))


def _padded(values: Array) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    pad = 0.3 * (high - low) or 1.0
    return low - pad, high + pad


def _around(x: Array, y: Array) -> tuple[float, float, float, float]:
    sides = [_padded(x[:, 0]), _padded(x[:, 1] if x.shape[1] == 2 else y)]
    return (*sides[0], *sides[1])
