"""What was computed for many cells is kept while it is useful: their maps for their children, and forms by their names.

A layer asks about children of the cells that the layer before asked about, and a breakpoint keeps its place. Without memory
every layer would begin at the input again, and the work would grow with the square of the depth.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry._budget import share_of_budget

Maps = tuple[Array, Array]  # columns (cells, d + 1, size) and the error of each column in the 2-norm
Forms = tuple[Array, Array, Array]  # keys in order, the parts of coefficients (forms, parts, d + 1), bounds of their errors
_MOST_BYTES = 2**28
_SHARE = 16  # of the budget: one part in so many
_MOST_FORMS = 2**21


class RecentMaps:
    """The maps of blocks of cells, by layer, within a limit; the first layers are let go first.

    Examples
    --------
    >>> kept = RecentMaps()
    >>> def compute(cells):
    ...     print("computing", cells.tolist())
    ...     return {0: (np.ones((len(cells), 1, 1)) * cells[:, None, None], np.zeros((len(cells), 1)))}
    >>> kept.maps(3, np.array([2, 5]), compute)[0][0].ravel().tolist()
    computing [2, 5]
    [2.0, 5.0]
    >>> kept.maps(3, np.array([1, 5]), compute)[0][0].ravel().tolist()
    computing [1]
    [1.0, 5.0]
    """

    def __init__(self) -> None:
        self._blocks: dict[int, list[tuple[Array, dict[int, Maps]]]] = {}
        self._bytes = 0

    def maps(self, layer: int, cells: Array, compute: Callable[[Array], dict[int, Maps]]) -> dict[int, Maps]:
        """All tensors on cells, given in order; what is not kept is computed, and kept."""
        missing, found = np.ones(len(cells), np.bool_), []
        for known, maps in self._blocks.get(layer, []):
            place = np.minimum(np.searchsorted(known, cells), len(known) - 1)
            rows = np.flatnonzero(missing & (known[place] == cells))
            if len(rows):
                found.append((rows, {i: (x[place[rows]], e[place[rows]]) for i, (x, e) in maps.items()}))
                missing[rows] = False
        rows = np.flatnonzero(missing)
        if len(rows):
            maps = compute(cells[rows])
            self._keep(layer, cells[rows], maps)
            found.append((rows, maps))
        return found[0][1] if len(found) == 1 else _joined(found, len(cells))

    def missing(self, layer: int, cells: Array) -> Array:
        """The cells that are not kept."""
        for known, _ in self._blocks.get(layer, []):
            cells = cells[~_contains(known, cells)]
        return cells

    def _keep(self, layer: int, cells: Array, maps: dict[int, Maps]) -> None:
        size, most = _nbytes(maps), min(_MOST_BYTES, share_of_budget(_SHARE))
        while self._blocks and self._bytes + size > most:
            first = min(self._blocks)
            self._bytes -= _nbytes(self._blocks[first].pop(0)[1])
            if not self._blocks[first]:
                del self._blocks[first]
        if size <= most:
            self._blocks.setdefault(layer, []).append((cells, maps))
            self._bytes += size

    def forget(self, layer: int) -> None:
        """Let go of the cells before this layer and later ones."""
        for gone in [key for key in self._blocks if key >= layer]:
            self._bytes -= sum(_nbytes(maps) for _, maps in self._blocks.pop(gone))


def _nbytes(maps: dict[int, Maps]) -> int:
    return sum(x.nbytes + e.nbytes for x, e in maps.values())


def _joined(found: list[tuple[Array, dict[int, Maps]]], n: int) -> dict[int, Maps]:
    out = {i: (np.empty((n, *x.shape[1:]), x.dtype), np.empty((n, *e.shape[1:]), e.dtype)) for i, (x, e) in found[0][1].items()}
    for rows, maps in found:
        for i, (x, e) in maps.items():
            out[i][0][rows], out[i][1][rows] = x, e
    return out


class KeptForms:
    """Affine forms by their names (layer, cell, code), each computed once."""

    def __init__(self) -> None:
        self._layers: dict[int, tuple[Array, Array, Array]] = {}  # keys in order, forms, errors

    def forms(
        self, layer: int, cells: Array, codes: Array, compute: Callable[[Array, Array], tuple[Array, Array]]
    ) -> tuple[Array, Array]:
        """The forms with these codes on these cells, and bounds of their errors."""
        keys, which = np.unique(keys_of(cells, codes), return_inverse=True)
        known = self._layers.get(layer)
        is_new: Any = np.ones(len(keys), np.bool_) if known is None else ~_contains(known[0], keys)
        if is_new.any():
            new = keys[is_new]
            made = (new, *compute(new >> 32, new & 0xFFFFFFFF))
            if known is None or len(known[0]) + len(new) > _MOST_FORMS:
                if not is_new.all():
                    made = (keys, *compute(keys >> 32, keys & 0xFFFFFFFF))
                known = made
            else:
                known = _merged(known, made)
            self._layers[layer] = known
        assert known is not None
        place = np.asarray(np.searchsorted(known[0], keys))[which]
        return known[1][place], known[2][place]

    def take_over(self, layer: int, keys: Array, forms: Array, errors: Array) -> None:
        """Keep these forms, whatever is known of them."""
        known = self._layers.get(layer)
        if known is not None and len(known[0]) + len(keys) <= _MOST_FORMS:
            other = ~_contains(keys, known[0])
            known = _merged((known[0][other], known[1][other], known[2][other]), (keys, forms, errors))
        else:
            known = (keys, forms, errors)
        self._layers[layer] = known

    def missing(self, layer: int, cells: Array, codes: Array) -> Array:
        """The cells of those forms that are not kept."""
        keys = np.unique(keys_of(cells, codes))
        known = self._layers.get(layer)
        return (keys if known is None else keys[~_contains(known[0], keys)]) >> 32

    def forget(self, layer: int) -> None:
        """Let go of forms on the cells before this layer and later ones."""
        for gone in [key for key in self._layers if key >= layer]:
            del self._layers[gone]


def keys_of(cells: Array, codes: Array) -> Array:
    """The names of forms of one layer as numbers."""
    return np.asarray(cells.astype(np.int64) << 32 | codes.astype(np.int64))


def _merged(some: tuple[Array, Array, Array], others: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
    """Both in the order of their keys, of which none is in both."""
    order = np.argsort(np.concatenate([some[0], others[0]]), kind="stable")
    keys, forms, errors = (np.concatenate([a, b])[order] for a, b in zip(some, others, strict=True))
    return keys, forms, errors


def _contains(keys: Array, wanted: Array) -> Array:
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.asarray(keys[place] == wanted)
