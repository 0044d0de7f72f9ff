"""Regions by another way than the engine's: cells whose maps, as fractions, are the same are united across their borders."""

from __future__ import annotations

from plica.geometry import Complex


def united(cx: Complex) -> int:
    """How many classes of cells are left when neighbors with one affine map are one."""
    maps = [tuple(cx.exact_map(i).fractions()) for i in range(cx.n_cells)]
    seen: set[int] = set()
    classes = 0
    for start in range(cx.n_cells):
        if start in seen:
            continue
        classes += 1
        waiting = [start]
        while waiting:
            cell = waiting.pop()
            if cell not in seen:
                seen.add(cell)
                waiting += [int(other) for other in cx.neighbors(cell) if maps[other] == maps[cell]]
    return classes
