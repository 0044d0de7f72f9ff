"""Combined rows exclude no point that satisfies them, and as much as the best linear program; supposed states are below zero."""

import numpy as np
import pytest
from scipy.optimize import linprog

import plica
from plica.robust._contract import combined_margin, shrunk_together
from plica.robust._falsify import values
from plica.robust._nodes import Nodes, Supposed
from plica.robust.bounds import Boxes, mixed_bounds, steps_of


def rows(seed: int, n_boxes: int = 30) -> tuple[Boxes, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    d, n = int(rng.integers(1, 6)), int(rng.integers(2, 8))
    low = rng.normal(size=(n_boxes, d))
    high = low + rng.uniform(0, 2, size=(n_boxes, d)) * 10.0 ** rng.integers(-3, 2, size=(n_boxes, 1))
    slope = rng.normal(size=(n_boxes, n, d)) * 10.0 ** rng.integers(-3, 3, size=(n_boxes, n, 1))
    reach = (np.abs(slope) * (high - low)[:, None]).sum(axis=2) / 2
    return Boxes(low, high), rng.uniform(-0.5, 0.9, size=(n_boxes, n)) * reach, slope


def program(objective, middle, slope, radius):
    """The least objective . (x - center) under the rows, by another solver; None if they exclude each other."""
    size = np.abs(slope * radius).sum(axis=1)
    result = linprog(objective, A_ub=slope * radius / size[:, None], b_ub=-middle / size, bounds=(-1, 1), method="highs")
    return None if result.status == 2 else result.fun * float(np.abs(objective) @ radius)


@pytest.mark.parametrize("seed", range(6))
def test_rows_exclude_a_box_where_the_program_has_no_point(seed):
    boxes, middle, slope = rows(seed)
    found = combined_margin(middle, slope, boxes.radius) > 0
    expected = [program(np.zeros(boxes.dimension), m, s, r) is None for m, s, r in zip(middle, slope, boxes.radius, strict=True)]
    assert found.tolist() == expected and 0 < found.sum() < len(found)


@pytest.mark.parametrize("seed", range(6))
def test_boxes_shrink_to_the_hull_of_what_rows_leave(seed):
    boxes, middle, slope = rows(seed)
    low, high = shrunk_together(boxes, middle, slope)
    for b in range(len(boxes)):
        for j in range(boxes.dimension):
            unit = np.eye(boxes.dimension)[j]
            least = program(unit, middle[b], slope[b], boxes.radius[b])
            if least is None:
                continue
            most = -program(-unit, middle[b], slope[b], boxes.radius[b])
            size = boxes.radius[b, j] + 1e-300
            center = boxes.center[b, j]
            assert abs(low[b, j] - (center + least)) < 1e-6 * size and low[b, j] <= center + least + 1e-9 * size
            assert abs(high[b, j] - (center + most)) < 1e-6 * size and high[b, j] >= center + most - 1e-9 * size


@pytest.mark.parametrize("seed", range(4))
def test_what_is_supposed_holds_at_points_that_have_the_states(seed):
    network = plica.random_network([3, 7, 7, 2], seed=seed)
    steps, rng = steps_of(network), np.random.default_rng(seed)
    boxes = Boxes.of([-1.0] * 3, [1.0] * 3)
    points = rng.uniform(-1, 1, size=(2000, 3))
    tensors = values(steps, points)
    before = np.concatenate([tensors[steps.steps[i - 1].parents[0]] for i in steps.rectifiers], axis=1)
    states = (before[0] > 0).astype(np.int8)
    chosen = rng.choice(14, 5, replace=False)
    known = np.full((1, 14), -1, np.int8)
    known[0, chosen] = states[chosen]
    own = points[((before > 0)[:, chosen] == states[chosen].astype(bool)).all(axis=1)]
    assert len(own) > 0
    supposed = Supposed(steps, known)
    ranges = mixed_bounds(steps, boxes, cut=supposed.cut)
    middle, slope = supposed.rows(boxes, ranges)
    assert not supposed.is_empty[0] and middle.shape == (1, 5)
    below = middle[0] + (own - boxes.center) @ slope[0].T
    assert (below <= 1e-9).all() and below.max() > -2
    out = values(steps, own)[-1]
    assert (ranges[-1].low[0] <= out).all() and (out <= ranges[-1].high[0]).all()


def test_supposing_what_bounds_exclude_leaves_nothing():
    network = plica.random_network([2, 3, 1], seed=1)
    steps = steps_of(network)
    boxes = Boxes.of([0.3, 0.3], [0.3 + 1e-6, 0.3 + 1e-6])
    on = values(steps, boxes.center)[1][0] > 0
    node = Nodes.root(boxes, steps).supposed(np.array([1]))
    supposed = Supposed(steps, node.known)
    mixed_bounds(steps, node.boxes, cut=supposed.cut)
    assert supposed.is_empty.tolist() == [bool(on[1]), not on[1]]
