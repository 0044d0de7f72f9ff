"""The answers of a network on a window whose cells are too many to draw: sampled colors first, the exact boundary behind them.

A map comes in parts. The part with the name "" is the window, a digit from 0 to 3 behind a name is a quarter of that part: lower
left, lower right, upper left, upper right. A page asks for the window first, then for quarters of what was not finished; each
answer is a pure function of the state and the name.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import BudgetExceeded, InvalidInput
from plica.geometry import Budget, decision_boundary
from plica.web._limits import Limits
from plica.web._picture import frame_facts, image_frame, normalized
from plica.web._scene import Scene, Window

SIDE = 64
"""Points along a side of a part at which the answer is asked."""
MAX_DEPTH = 12
"""Quarters of quarters; a side is then a 4096th of the window."""
PATIENCE_S = 3.0
"""What a part may take before its quarters are asked for."""
_BLOCK = 512


def map_part(scene: Scene, name: str, limits: Limits) -> tuple[dict[str, Any], dict[str, Array]]:
    """One part: answers at points (rows from below), and every segment of the decision boundary in it, if there was time for it.

    Points and segments are in units of the whole window. Where ``is_exact`` is false there are no segments, and the quarters are
    to be asked for. ``free`` is the share of the part's area that bounds proved to hold no boundary. With the whole window comes
    what it is a window of, such as the names of classes.
    """
    if scene.network is None or scene.dimension != 2:
        raise InvalidInput(
            "a map needs a piecewise-linear network on a plane.", hint="choose another activation or another model"
        )
    window = part_window(scene.window, name)
    domain = scene.domain_on(window)
    facts: dict[str, Any] = {"part": name, "side": SIDE, "window": list(window), "is_exact": False, "free": 0.0, "message": ""}
    arrays: dict[str, Array] = {"answers": _answers(scene, domain, window)}
    if not name:
        facts |= frame_facts(scene)
        arrays |= image_frame(scene)
    try:
        curves = decision_boundary(
            scene.network,
            domain,
            budget=Budget(max_cells=limits.max_cells, max_seconds=min(PATIENCE_S, limits.max_seconds / 2)),
        )
    except BudgetExceeded as stop:
        return facts | {"message": stop.message, "is_last": len(name) >= MAX_DEPTH}, arrays
    arrays["boundary"] = normalized(curves.segments.reshape(-1, 2), scene.window)
    return facts | {"is_exact": True, "free": curves.skipped, "n_segments": len(curves.segments)}, arrays


def part_window(window: Window, name: str) -> Window:
    """The window of a part.

    Examples
    --------
    >>> part_window((0.0, 4.0, 0.0, 2.0), "13")
    (3.0, 4.0, 0.5, 1.0)
    """
    if len(name) > MAX_DEPTH or not set(name) <= set("0123"):
        raise InvalidInput(f"there is no part {name[:40]!r}.", hint=f"at most {MAX_DEPTH} digits from 0 to 3")
    a, b, c, d = window
    for digit in map(int, name):
        x, y = a / 2 + b / 2, c / 2 + d / 2
        a, b = (x, b) if digit & 1 else (a, x)
        c, d = (y, d) if digit & 2 else (c, y)
    return a, b, c, d


def _answers(scene: Scene, domain: Any, window: Window) -> Array:
    """The largest output (whether a single one is positive) at the middles of small squares, in floating point."""
    a, b, c, d = window
    steps = (np.arange(SIDE) + 0.5) / SIDE
    points = np.stack(np.meshgrid(a + steps * (b - a), c + steps * (d - c)), axis=-1).reshape(-1, 2)
    network = scene.network
    assert network is not None
    rows = [network(domain.to_input(points[i : i + _BLOCK])) for i in range(0, len(points), _BLOCK)]
    outputs = np.concatenate([r.reshape(len(r), -1) for r in rows])
    found = outputs[:, 0] > 0 if outputs.shape[1] == 1 else outputs.argmax(axis=1)
    return np.asarray(found, dtype=np.int32).reshape(SIDE, SIDE)
