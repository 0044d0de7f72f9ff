"""Approximation: networks that proofs build, their error where it is, and what the proof promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, log2
from typing import Any

import numpy as np

from plica import construct
from plica._types import Array
from plica.geometry import Segment, count_regions
from plica.theory import approximation as theory
from plica.web._limits import Limits
from plica.web._scene import Scene
from plica.web._state import State
from plica.web.views._sheet import Axis, Sheet

WAVE = 6.0
"""The target of most constructions is sin(6 x), whose second derivative is at most 36."""


@dataclass(frozen=True)
class Recipe:
    """A construction by size: what it approximates, how it is built, and what its theorem says of the error."""

    target: str
    of: Callable[[Array], Array]
    make: Callable[[int], Any]
    most: int
    promise: Callable[[int], float] | None = None
    is_attained: bool = False
    n_inputs: int = 1


def _wave() -> Any:
    (x,) = construct.variables(1)
    return construct.sin(WAVE * x)


RECIPES: dict[str, Recipe] = {
    "squaring": Recipe(
        "x²", lambda p: p[:, 0] ** 2, construct.squaring, 8, lambda m: 2.0 ** (-2 * m - 2), is_attained=True
    ),
    "product": Recipe(
        "x y", lambda p: p[:, 0] * p[:, 1], construct.product, 4, lambda m: 4.0**-m, is_attained=True, n_inputs=2
    ),
    "sawtooth": Recipe("the sawtooth", lambda p: _teeth(p[:, 0], 3), construct.sawtooth, 8),
    "spline": Recipe(
        "sin(6x)", lambda p: np.sin(WAVE * p[:, 0]), lambda n: construct.spline(_wave(), n), 24, lambda n: WAVE**2 / 8 / n**2
    ),
    "threshold": Recipe(
        "sin(6x)", lambda p: np.sin(WAVE * p[:, 0]),
        lambda n: construct.threshold(_wave(), error=Fraction(1, n), lipschitz=WAVE), 16, lambda n: 1 / n,
    ),
    "narrow": Recipe(
        "sin(6x)", lambda p: np.sin(WAVE * p[:, 0]), lambda n: construct.narrow(_wave(), n), 12, lambda n: WAVE**2 / 8 / n**2
    ),
    "wavelets": Recipe("sin(6x)", lambda p: np.sin(WAVE * p[:, 0]), lambda n: construct.wavelets(_wave(), n), 24),
    "cosine": Recipe(
        "cos(a x)", lambda p: p[:, 0], lambda a: construct.cosine_network(a, error=0.01), 12, lambda a: 0.01
    ),
    "maximum": Recipe("max(x, y)", lambda p: p.max(axis=1), lambda n: construct.maximum(2), 1, n_inputs=2),
}  # fmt: skip


def _teeth(x: Array, depth: int) -> Array:
    for _ in range(depth):
        x = 1 - np.abs(2 * x - 1)
    return x


def sheet(state: State, scene: Callable[[], Scene], limits: Limits) -> Sheet:
    recipe = RECIPES[state.build]
    size = min(state.size, recipe.most)
    built = _built(state.build, size)
    made = Sheet(
        f"The network that a proof builds for {recipe.target}, its error, and the bound that is certified for it. "
        f"This construction goes up to size {recipe.most} here."
    )
    (_plane if recipe.n_inputs == 2 else _line)(made, recipe, state, size, built)
    layers = "1 layer" if built.depth == 1 else f"{built.depth} layers"
    if built.certificate is not None and state.build != "sawtooth":
        low, high = _error(state.build, size)
        made.show(high, "largest error", "certified", f"{built.n_units} units in {layers}")
        _by_size(made, recipe, state.build, size)
        made.read("certificate", "error, beside the certified bound", "<=", float(built.certificate.bound), low)
        if recipe.promise is not None:
            relation = "=" if recipe.is_attained else "<="
            made.read(
                "promise", "error, as the theorem says it", relation, recipe.promise(size), high if recipe.is_attained else low
            )
    else:
        made.show(built.n_units, "units", "exact", f"{layers}, no error")
    _size_readings(made, state.build, size, built)
    return made


@lru_cache(maxsize=128)
def _built(name: str, size: int) -> Any:
    return RECIPES[name].make(size)


@lru_cache(maxsize=128)
def _error(name: str, size: int) -> tuple[float, float]:
    """The true error, enclosed."""
    found = _built(name, size).certificate.true_error
    return float(found.low), float(found.high)


def _goal(recipe: Recipe, state: State, size: int) -> Callable[[Array], Array]:
    if state.build == "cosine":
        return lambda p: np.cos(size * p[:, 0])
    if state.build == "sawtooth":
        return lambda p: _teeth(p[:, 0], size)
    return recipe.of


def _line(made: Sheet, recipe: Recipe, state: State, size: int, built: Any) -> None:
    x = np.linspace(0, 1, 801)[:, None]
    wanted, found = _goal(recipe, state, size)(x), built(x)[:, 0]
    panel = made.panel("Target and network", Axis("x", low=0, high=1), Axis("f(x)"), is_wide=True)
    panel.line(x[:, 0], wanted, recipe.target, "goal").line(x[:, 0], found, f"network of size {size}", "measured")
    if state.build == "sawtooth":
        return
    panel = made.panel("Error", Axis("x", low=0, high=1), Axis("network − target"))
    panel.line(x[:, 0], found - wanted, "error", "measured")
    bound = float(built.certificate.bound)
    panel.line([0, 1], [bound, bound], "certified bound", "bound", is_dashed=True)
    panel.line([0, 1], [-bound, -bound], "", "bound", is_dashed=True)


def _plane(made: Sheet, recipe: Recipe, state: State, size: int, built: Any) -> None:
    at = np.linspace(-1, 1, 81)
    grid = np.stack(np.meshgrid(at, at), axis=-1).reshape(-1, 2)
    found = built(grid)[:, 0].reshape(81, 81)
    apart = np.abs(found - recipe.of(grid).reshape(81, 81))
    panel = made.panel("Network", Axis("x", low=-1, high=1), Axis("y", low=-1, high=1))
    panel.heat(found, (-1, 1, -1, 1), "value", table="output", low=-1, high=1)
    panel = made.panel("Size of the error", Axis("x", low=-1, high=1), Axis("y", low=-1, high=1))
    panel.heat(apart, (-1, 1, -1, 1), "error")


def _by_size(made: Sheet, recipe: Recipe, name: str, size: int) -> None:
    sizes = sorted({1, 2, 3, size // 2 or 1, size} & set(range(1, recipe.most + 1)))
    panel = made.panel("Error against the size", Axis("size"), Axis("largest error", is_log=True))
    if recipe.promise is not None:
        all_sizes = np.arange(1, recipe.most + 1)
        panel.line(all_sizes, [recipe.promise(int(n)) for n in all_sizes], "theorem")
    panel.dots(sizes, [_error(name, n)[1] for n in sizes], "certified error")
    panel.movable("size", at=(size, _error(name, size)[1]), step=(1, 0))


def _size_readings(made: Sheet, name: str, size: int, built: Any) -> None:
    if name == "sawtooth":
        pieces = count_regions(built.network, Segment([0.0], [1.0])).n_regions or 0
        made.read("pieces", "pieces on [0, 1]", "=", 2.0**size, pieces)
        few = 2 ** (size // 2)
        least = float(theory.sawtooth_distance_lower_bound(size, few))
        made.read("separation", f"mean distance of the chord of {few} pieces", ">=", least, _chord_distance(size, few))
    if name == "spline":
        x = np.linspace(0, 1, 20_001)[:, None]
        mean = float(np.abs(built(x)[:, 0] - RECIPES[name].of(x)).mean())
        made.read("average", "mean error, beside the largest", "<=", _error(name, size)[1], mean)
        made.read("shallow", f"hidden layers of an interpolant with {size} pieces", "=", 1, built.depth)
    if name == "maximum":
        apart = np.abs(built(_grid()) - _grid().max(axis=1, keepdims=True)).max()
        made.read("maximum", "error of the maximum", "=", 0.0, float(apart), rounding=1e-15)
        made.read("maximum-depth", "hidden layers of the maximum of 2", "=", ceil(log2(2)), built.depth)
    if name == "threshold":
        made.read("steps", "threshold units", "<=", theory.threshold_units(WAVE, 1 / size), built.n_units)
    if name == "narrow":
        made.read("narrow", "widest layer", "<=", 3, max(built.network.widths[1:-1]))


def _grid() -> Array:
    return np.random.default_rng(0).uniform(-1, 1, (200, 2))


def _chord_distance(depth: int, pieces: int) -> float:
    """The mean distance of the sawtooth from its interpolant with so many pieces, by the midpoint rule."""
    x = (np.arange(200_000) + 0.5) / 200_000
    knots = np.linspace(0, 1, pieces + 1)
    return float(np.abs(_teeth(x, depth) - np.interp(x, knots, _teeth(knots, depth))).mean())
