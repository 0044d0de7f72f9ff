"""Costs against sums that are written out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import floor, log10

import pytest

from plica.errors import InvalidInput
from plica.theory.costs import (
    TRANSLATION_TABLE,
    attention_core_multiply_adds,
    layer_cost,
    tiles_multiply_adds,
    training_cost,
    window_attention_multiply_adds,
)


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


@pytest.mark.parametrize(("T", "d", "heads", "size"), [(7, 12, 1, 5), (6, 12, 3, 4), (5, 8, 4, 9)])
def test_products_of_attention_are_counted_matrix_by_matrix(T: int, d: int, heads: int, size: int) -> None:
    """Head by head: rows times columns times what is summed over."""
    inner = d // heads
    full = heads * (T * T * inner + T * inner * T)  # scores, averages
    linformer = 2 * size * d * T + heads * (T * size * inner + T * inner * size)  # keys and values mixed, then as above
    features = 2 * heads * T * size * inner  # of queries and of keys
    performer = features + heads * (size * (inner + 1) * T + T * (inner + 1) * size)  # one more column sums the rows
    linear = heads * (inner * (inner + 1) * T + T * (inner + 1) * inner)
    found = [
        attention_core_multiply_adds(v, T, d, n_heads=heads, size=size) for v in ("full", "linformer", "performer", "linear")
    ]
    assert found == [full, linformer, performer, linear]


def layers_until_all_is_seen(n: int, steps: Sequence[Callable[[int], Iterable[int]]]) -> int:
    """How many layers it takes until the last token has a path from the first; ``steps[l]`` is what a token sees in layer l."""
    seen, layers = {n - 1}, 0
    while 0 not in seen:
        seen = {j for i in seen for j in steps[layers](i) if 0 <= j < n}
        layers += 1
    return layers


@pytest.mark.parametrize("n", [2, 3, 7, 10, 16, 23])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_paths_are_those_of_signals_that_travel(n: int, k: int) -> None:
    plain = [lambda i: range(i - k + 1, i + 1)] * n
    apart = [lambda i, gap=k**level: range(i - (k - 1) * gap, i + 1, gap) for level in range(n)]
    window = [lambda i: range(i - k, i + k + 1)] * n
    assert layer_cost("convolution", n, 1, kernel=k).path == layers_until_all_is_seen(n, plain)
    assert layer_cost("dilated", n, 1, kernel=k).path == layers_until_all_is_seen(n, apart)
    assert layer_cost("window", n, 1, radius=k).path == layers_until_all_is_seen(n, window)


def test_costs_of_single_layers_are_those_of_their_matrices() -> None:
    n, d, k = 11, 6, 4
    recurrent, convolution, attention = (layer_cost(kind, n, d, kernel=k) for kind in ("recurrent", "convolution", "attention"))
    assert (recurrent.multiply_adds, recurrent.steps, recurrent.path) == (sum(d * d + d * d for _ in range(n)), n, n)
    assert (convolution.multiply_adds, convolution.steps) == (sum(d * d for _ in range(n) for _ in range(k)), 1)
    assert (attention.multiply_adds, attention.steps, attention.path) == (n * n * d + n * d * n, 2, 1)


@pytest.mark.parametrize(("h", "w", "d", "window"), [(4, 6, 5, 2), (6, 6, 3, 3)])
def test_attention_in_windows_is_attention_of_each_window(h: int, w: int, d: int, window: int) -> None:
    def attended(tokens: int) -> int:
        return 4 * tokens * d * d + tokens * tokens * d + tokens * d * tokens

    assert window_attention_multiply_adds(h, w, d) == attended(h * w)
    n_windows = (h // window) * (w // window)
    assert window_attention_multiply_adds(h, w, d, window=window) == n_windows * attended(window * window)


def test_printed_costs_are_days_times_processors_in_two_digits() -> None:
    for line in TRANSLATION_TABLE:
        for cost in filter(None, (line.cost_german, line.cost_french)):
            assert abs(training_cost(cost) - cost.printed) <= 0.051 * 10 ** floor(log10(cost.printed)), line.name


def test_scores_are_those_of_the_paper() -> None:
    """Table 2 of Vaswani et al. as others quote it: English to German, English to French."""
    german = [23.75, None, 24.6, 25.16, 26.03, None, 26.30, 26.36, 27.3, 28.4]
    french = [None, 39.2, 39.92, 40.46, 40.56, 40.4, 41.16, 41.29, 38.1, 41.8]
    assert [line.bleu_german for line in TRANSLATION_TABLE] == german
    assert [line.bleu_french for line in TRANSLATION_TABLE] == french


def test_names_are_names_and_usual_layers_have_three_places_and_one_neighbor() -> None:
    assert len({line.name for line in TRANSLATION_TABLE if isinstance(line.name, str)}) == 10
    assert layer_cost("convolution", 9, 2) == layer_cost("convolution", 9, 2, kernel=3)
    assert layer_cost("window", 9, 2) == layer_cost("window", 9, 2, radius=1)
