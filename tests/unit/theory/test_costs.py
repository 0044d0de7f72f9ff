"""Costs against sums that are written out."""

from __future__ import annotations

import pytest

from plica.errors import InvalidInput
from plica.theory.costs import TRANSLATION_TABLE, attention_core_multiply_adds, layer_cost, tiles_multiply_adds, training_cost


@pytest.mark.parametrize(("n", "radius"), [(5, 1), (6, 2), (4, 9)])
def test_pairs_of_a_window_are_counted(n: int, radius: int) -> None:
    pairs = sum(abs(i - j) <= radius for i in range(n) for j in range(n))
    assert layer_cost("window", n, 3, radius=radius).multiply_adds == 2 * 3 * pairs


@pytest.mark.parametrize(("n", "tile", "radius"), [(8, 2, 2), (12, 3, 4), (16, 4, 1)])
def test_tiles_of_a_window_are_counted(n: int, tile: int, radius: int) -> None:
    seen = {(i // tile, j // tile) for i in range(n) for j in range(n) if abs(i - j) <= radius}
    assert tiles_multiply_adds(n, 5, radius=radius, tile=tile) == 2 * 5 * tile * tile * len(seen)


def test_paths_of_dilated_convolutions() -> None:
    assert [layer_cost("dilated", n, 1, kernel=3).path for n in (3, 4, 9, 10, 27, 28)] == [1, 2, 2, 3, 3, 4]


def test_a_table_without_gaps_where_there_is_a_cost() -> None:
    assert len(TRANSLATION_TABLE) == 10
    assert all(training_cost(c) > 1e18 for line in TRANSLATION_TABLE for c in (line.cost_german, line.cost_french) if c)


def test_unknown_layers_are_refused() -> None:
    with pytest.raises(InvalidInput):
        layer_cost("capsule", 3, 3)
    with pytest.raises(InvalidInput):
        attention_core_multiply_adds("reformer", 3, 3)
