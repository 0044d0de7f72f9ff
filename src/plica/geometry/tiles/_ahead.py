"""Which tiles of a large network come first: those that a curve enters, and those where a few samples say that one is.

The order changes nothing of what is found, only what is found first: a window through a network of images has tiles for hours,
and its curves pass few of them. Who wants no more than those stops when no tile comes first any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.geometry._budget import tick
from plica.geometry.domains._domain import Domain
from plica.geometry.domains._tile import Tile
from plica.network import Network

_SIDE = 12  # points along the sides of the window at which the network is sampled
_HALVINGS = 16
_MOST_POINTS = 6
_AT_ONCE = 16  # points at which a large network is computed


class Ends(Protocol):
    """What was found so far."""

    def ends(self) -> Iterator[tuple[int, float, float]]:
        """Divisions, where on them a curve goes on in a tile that is missing, and within what error that is known."""


class Ahead:
    """Chooses the tiles that come first."""

    def __init__(
        self, network: Network, domain: Domain, found: Ends, n_along: int = _SIDE, *, most: int | None = _MOST_POINTS
    ) -> None:
        self._network, self._domain, self._found, self._n_along, self._most = network, domain, found, n_along, most

    def first(self, tiles: list[Tile]) -> list[bool]:
        """Which tiles a curve enters from one that is finished, or hold a sampled point of one."""
        ends: dict[int, list[tuple[float, float]]] = {}
        for number, at, error in self._found.ends():
            ends.setdefault(number, []).append((at, error))
        return [self._is_entered(tile, ends) or self._has_sample(tile) for tile in tiles]

    def _is_entered(self, tile: Tile, ends: dict[int, list[tuple[float, float]]]) -> bool:
        corners, follow = tile.window, np.roll(tile.window, -1, axis=0)
        for k, cut in enumerate(tile.cuts):
            if cut in ends:
                axis = int(np.argmax(np.abs(follow[k] - corners[k])))
                low, high = sorted((float(corners[k, axis]), float(follow[k, axis])))
                if any(low - error <= at <= high + error for at, error in ends[cut]):
                    return True
        return False

    def _has_sample(self, tile: Tile) -> bool:
        along, off = np.roll(tile.window, -1, axis=0) - tile.window, self._points[:, None] - tile.window
        return bool(((along[:, 0] * off[..., 1] - along[:, 1] * off[..., 0]) >= 0.0).all(axis=1).any())

    @cached_property
    def _points(self) -> Array:
        """Points on both sides of curves, by bisection between samples with different states of the last fold."""
        low, high = self._domain.window.min(axis=0), self._domain.window.max(axis=0)
        n = self._n_along
        steps = np.linspace(0.0, 1.0, n)
        grid = low + (high - low) * np.stack(np.meshgrid(steps, steps, indexing="ij"), axis=-1)
        states = self._states(grid.reshape(-1, 2)).reshape(n, n)
        pairs = [np.empty((0, 2, 2))]
        for p, q in ((np.s_[:-1], np.s_[1:]), (np.s_[:, :-1], np.s_[:, 1:])):
            differ = states[p] != states[q]
            pairs.append(np.stack([grid[p][differ], grid[q][differ]], axis=1))
        a, b = np.concatenate(pairs)[:: max(1, -(-sum(map(len, pairs)) // (self._most or 2**62)))].swapaxes(0, 1)
        first = self._states(a)
        for _ in range(_HALVINGS):
            middle = (a + b) / 2
            is_same = (self._states(middle) == first)[:, None]
            a, b = np.where(is_same, middle, a), np.where(is_same, b, middle)
        return np.concatenate([a, b])  # the curve may be in the tile of either

    def _states(self, points: Array) -> Array:
        """The state of the last fold, in floating point, a few points at a time."""
        fold = self._network.folds[-1]
        found = [np.empty(0, fold.state_type)]
        for i in range(0, len(points), _AT_ONCE):
            tick()
            x = self._domain.to_input(points[i : i + _AT_ONCE])
            states: dict[int, Array] = {}  # of the last fold, by its number
            self._network.tensors(x.reshape(len(x), *self._network.input_shape), at_fold=states.__setitem__)
            found.append(states[len(self._network.folds) - 1].reshape(-1).astype(fold.state_type))
        return np.concatenate(found)
