"""Hypothesis strategies: small networks and domains that shrink to the simplest failing one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica.errors import MissingExtra
from plica.geometry import Box, Plane, Segment
from plica.network import Clip, Fold, Linear, Max, Network, Op, Rectifier

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def _hypothesis() -> Any:
    try:
        from hypothesis import strategies
    except ImportError:
        raise MissingExtra("hypothesis is not installed.", hint="pip install 'plica[dev]'") from None
    return strategies


def _fold(kind: str) -> Fold:
    slopes = {"relu": 0.0, "leaky": 0.5, "abs": -1.0, "identity": 1.0}
    return Clip(-1.0, 1.0) if kind == "clip" else Rectifier(np.array(slopes[kind]))


def networks(*, max_layers: int = 2, max_width: int = 3, n_inputs: int = 2) -> SearchStrategy[Network]:
    """Chains with weights k / 4 (often zero, often tied), any fold between them, maxima included.

    Examples
    --------
    >>> strategy = networks(max_layers=1)  # give it to hypothesis.given
    """
    st = _hypothesis()
    number = st.integers(-8, 8).map(lambda k: k / 4)

    @st.composite
    def build(draw: Any) -> Network:
        ops: list[Op] = []
        width = n_inputs
        for _ in range(draw(st.integers(0, max_layers))):
            kind = draw(st.sampled_from(["relu", "relu", "leaky", "abs", "identity", "clip", "max"]))
            rows = draw(st.integers(1, max_width)) * (2 if kind == "max" else 1)
            ops.append(_linear(draw, number, rows, width, st))
            if kind == "max":
                ops.append(Max(np.arange(rows).reshape(-1, 2)))
                rows //= 2
            else:
                ops.append(_fold(kind))
            width = rows
        ops.append(_linear(draw, number, draw(st.integers(1, 2)), width, st))
        return Network.sequential(n_inputs, ops)

    strategy: SearchStrategy[Network] = build()
    return strategy


def _linear(draw: Any, number: Any, rows: int, columns: int, st: Any) -> Linear:
    entries = draw(st.lists(number, min_size=rows * (columns + 1), max_size=rows * (columns + 1)))
    table = np.array(entries).reshape(rows, columns + 1)
    return Linear(table[:, :-1].copy(), table[:, -1].copy())


def domains() -> SearchStrategy[Box | Plane]:
    """Boxes, triangles and quadrilaterals of the plane with corners on a grid of quarters."""
    st = _hypothesis()
    corner, size = st.integers(-8, 8).map(lambda k: k / 4), st.integers(1, 12).map(lambda k: k / 4)
    boxes = st.builds(lambda x, y, w, h: Box([x, y], [x + w, y + h]), corner, corner, size, size)
    triangles = st.builds(
        lambda x, y, w, h, s: Plane([0, 0], np.eye(2), window=[[x, y], [x + w, y], [x + s, y + h]]),
        corner, corner, size, size, corner,
    )  # fmt: skip
    sheared = st.builds(lambda box, s: Plane([0, 0], [[1, s], [0, 1]], window=box.window), boxes, corner)
    strategy: SearchStrategy[Box | Plane] = boxes | triangles | sheared
    return strategy


def segments(n_inputs: int = 2) -> SearchStrategy[Segment]:
    """Segments between different points of a grid of quarters."""
    st = _hypothesis()
    point = st.lists(st.integers(-8, 8).map(lambda k: k / 4), min_size=n_inputs, max_size=n_inputs)
    strategy: SearchStrategy[Segment] = (
        st.tuples(point, point).filter(lambda ends: ends[0] != ends[1]).map(lambda ends: Segment(*ends))
    )
    return strategy
