"""Bounds for networks: known values, the order between them, and the definitions spelled out by brute force."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import comb, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plica.errors import InvalidInput
from plica.exact import solve
from plica.theory import regions

architectures = st.lists(st.integers(1, 9), min_size=2, max_size=6).map(lambda w: (*w, 1))


def serra_by_definition(widths: tuple[int, ...]) -> int:
    n0, *hidden = widths[:-1]
    total = 0
    for js in product(*(range(n + 1) for n in hidden)):
        caps = [n0, *(n - j for n, j in zip(hidden, js, strict=True))]
        if all(j <= min(*caps[: i + 1], hidden[i]) for i, j in enumerate(js)):
            total += prod(comb(n, j) for n, j in zip(hidden, js, strict=True))
    return total


@pytest.mark.parametrize(
    ("widths", "serra", "montufar"),
    [
        ((2, 3, 3, 3, 1), 208, 343),
        ((4, 5, 5, 5, 1), 12316, 29791),
        ((10, 10, 10, 1), 616666, 1048576),
        ((784, 10, 10, 10, 1), 365139905, 2**30),
    ],
)
def test_serra_is_tighter_than_montufar_where_layers_are_narrow(widths: tuple[int, ...], serra: int, montufar: int) -> None:
    assert regions.serra_2018_upper_bound(widths) == serra
    assert regions.montufar_2017_upper_bound(widths) == montufar


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 6), min_size=2, max_size=4).map(lambda w: (*w, 1)))
def test_the_recursion_of_serra_is_its_definition(widths: tuple[int, ...]) -> None:
    assert regions.serra_2018_upper_bound(widths) == serra_by_definition(widths)


@settings(max_examples=200, deadline=None)
@given(architectures)
def test_upper_bounds_are_ordered(widths: tuple[int, ...]) -> None:
    chain = [
        regions.hinz_van_de_geer_2019_upper_bound(widths),
        regions.serra_2018_upper_bound(widths),
        regions.montufar_2017_upper_bound(widths),
        regions.raghu_2017_upper_bound(widths),
        regions.patterns_upper_bound(widths),
    ]
    assert chain == sorted(chain)


@settings(max_examples=200, deadline=None)
@given(architectures)
def test_the_binomial_histogram_gives_back_serra(widths: tuple[int, ...]) -> None:
    hinz = regions.hinz_van_de_geer_2019_upper_bound(widths, histogram=regions.binomial_histogram)
    assert hinz == regions.serra_2018_upper_bound(widths)


@settings(max_examples=200, deadline=None)
@given(architectures)
def test_no_lower_bound_exceeds_an_upper_bound(widths: tuple[int, ...]) -> None:
    table = regions.bounds(widths)
    assert table.lower <= table.upper
    assert {row.kind for row in table} <= {"upper", "lower"}


def test_one_input_is_settled_by_serra() -> None:
    for hidden in ((3,), (3, 5), (4, 4, 7)):
        widths = (1, *hidden, 1)
        assert regions.serra_2018_lower_bound(widths) == regions.serra_2018_upper_bound(widths) == prod(n + 1 for n in hidden)


@pytest.mark.parametrize(("d", "n"), [(d, n) for d in range(1, 9) for n in range(1, 12)])
def test_histograms_count_all_cells_and_grow_with_the_dimension(d: int, n: int) -> None:
    for histogram in (regions.binomial_histogram, regions.antipodal_histogram):
        here, above = histogram(d, n), histogram(d + 1, n)
        assert sum(here) == regions.zaslavsky(n, d)
        assert all(k >= 0 for k in here)
        assert all(sum(here[j:]) <= sum(above[j:]) for j in range(n + 1))


def patterns(n: int, d: int, seed: int) -> set[tuple[int, ...]]:
    """Sign patterns of n random hyperplanes with integer normals: the 2^d cells around each vertex, exactly."""
    import random

    rng = random.Random(seed)
    planes = [[rng.randint(-99, 99) for _ in range(d + 1)] for _ in range(n)]
    found = set()
    for chosen in combinations(range(n), d):
        point = solve([planes[i][:d] for i in chosen], [-planes[i][d] for i in chosen])
        signs = [sum((a * x for a, x in zip(p, point, strict=False)), Fraction(p[d])) for p in planes]
        assert sum(s == 0 for s in signs) == d, "not in general position"
        for corner in product((0, 1), repeat=d):
            pattern = [int(s > 0) for s in signs]
            for i, c in zip(chosen, corner, strict=True):
                pattern[i] = c
            found.add(tuple(pattern))
    return found


@pytest.mark.parametrize(("n", "d"), [(4, 2), (5, 2), (5, 3), (6, 3), (7, 4)])
def test_every_arrangement_and_every_orientation_stays_below_both_histograms(n: int, d: int) -> None:
    for seed in range(4):
        cells = patterns(n, d, seed)
        assert len(cells) == regions.zaslavsky(n, d)
        for flip in product((0, 1), repeat=n):  # all orientations of the neurons
            active = [sum(a ^ f for a, f in zip(cell, flip, strict=True)) for cell in cells]
            for j in range(n + 1):
                at_least = sum(a >= j for a in active)
                assert at_least <= sum(regions.binomial_histogram(d, n)[j:])
                assert at_least <= sum(regions.antipodal_histogram(d, n)[j:])


def test_the_antipodal_histogram_first_differs_at_five_planes_in_space() -> None:
    different = [
        (d, n)
        for d in range(1, 6)
        for n in range(1, 8)
        if regions.antipodal_histogram(d, n) != regions.binomial_histogram(d, n) and d > n / 2
    ]
    assert different[0] == (3, 5)


def test_telgarsky_by_layers_is_below_telgarsky_by_size() -> None:
    for hidden in ((4,), (4, 4), (2, 6), (1, 2, 9)):
        by_size = regions.telgarsky_2015_upper_bound_by_size(sum(hidden), len(hidden))
        assert regions.telgarsky_2015_upper_bound((1, *hidden, 1)) <= by_size


def test_arora_needs_the_pieces_of_its_sawtooth() -> None:
    for k in range(2, 6):
        needed = regions.arora_2018_size_lower_bound(k) + 1
        assert regions.telgarsky_2015_upper_bound_by_size(int(needed), k) <= k ** (k * k) if needed % 1 else True
        assert Fraction(2 * needed, k) ** k == k ** (k * k)


def test_bounds_that_do_not_apply_are_left_out_or_refused() -> None:
    names = {(row.kind, row.name) for row in regions.bounds((4, 3, 3, 1))}
    assert ("lower", "Montúfar 2014") not in names
    assert ("upper", "Telgarsky 2015") not in names
    with pytest.raises(InvalidInput, match="wide as the input"):
        regions.montufar_2014_lower_bound((4, 3, 3, 1))
    with pytest.raises(InvalidInput, match="one input"):
        regions.telgarsky_2015_upper_bound((2, 3, 1))
    with pytest.raises(InvalidInput, match="convex"):
        regions.montufar_2014_maxout_lower_bound(1, depth=2, rank=3)


@pytest.mark.parametrize("widths", [[], [3], [2, 0, 1], [2, -1, 1], [2, 2.5, 1]])
def test_widths_that_cannot_be_are_refused(widths: list[int]) -> None:
    with pytest.raises(InvalidInput):
        regions.bounds(widths)


def test_the_table_prints_huge_numbers_short_and_keeps_them_exact() -> None:
    table = regions.bounds((784, 512, 512, 10))
    assert next(row for row in table if row.name == "2^N patterns").value == 2**1024
    assert "e308" in str(table)
    assert table.to_dict()["widths"] == [784, 512, 512, 10]
    assert "1.07e301" in str(regions.bounds((1, 1000, 1))) and "e6020" in str(regions.bounds((1, 20000, 1)))
    assert "<table>" in table._repr_html_()


def test_a_network_without_hidden_layers_has_one_region() -> None:
    table = regions.bounds((3, 2))
    assert table.upper == table.lower == 1


def test_a_unit_without_a_partner_adds_nothing_to_a_zonotope() -> None:
    """The first layer makes |v . x| of two units each: of 2 m + 1 units m generators are made."""
    for m in (1, 2, 4):
        assert regions.arora_2018_lower_bound([2, 2 * m + 1, 3, 1]) == regions.arora_2018_lower_bound([2, 2 * m, 3, 1])


@pytest.mark.parametrize("widths", [(2, 6, 6, 1), (1, 5, 4, 1), (3, 5, 5, 1), (4, 2, 8, 1)])
def test_the_table_names_its_sharpest_bounds(widths: tuple[int, ...]) -> None:
    table = regions.bounds(widths)
    upper = [row.value for row in table if row.kind == "upper"]
    lower = [row.value for row in table if row.kind == "lower"]
    assert table.upper == min(upper) and table.lower == max(lower, default=1) <= table.upper
    assert len(set(upper)) > 1, "a table of equal bounds does not tell the smallest from the largest"
    assert upper == sorted(upper, reverse=True) and lower == sorted(lower)


def test_the_histogram_bound_is_left_out_of_large_networks_with_narrow_layers_only() -> None:
    def is_there(widths: list[int]) -> bool:
        return any("antipodal" in row.name for row in regions.bounds(widths))

    assert is_there([1000, 500, 1])  # 500,000 pairs of an input and a neuron are not too many
    assert not is_there([1000, 501, 1]) and not is_there([1000, 1999, 1])
    assert is_there([1000, 2000, 1])  # no layer loses a dimension: a product


def test_folds_of_layers_that_the_inputs_do_not_divide_are_rounded_down() -> None:
    """Five or three units fold two coordinates twice or once, and so do four or two."""
    for bound in (regions.pascanu_2014_lower_bound, regions.montufar_2014_lower_bound):
        assert bound([2, 5, 4, 1]) == bound([2, 4, 4, 1]) < bound([2, 6, 4, 1])
        assert bound([2, 3, 4, 1]) == bound([2, 2, 4, 1])
    assert regions.montufar_2014_lower_bound([2, 5, 4, 1]) == 2**2 * 11
    assert regions.serra_2018_lower_bound([2, 7, 6, 1]) == (3 + 1) ** 2 * 22


def test_a_histogram_is_asked_for_dimensions_that_a_layer_can_have() -> None:
    asked = []

    def histogram(d: int, n: int) -> tuple[int, ...]:
        asked.append((d, n))
        return regions.binomial_histogram(d, n)

    widths = [5, 3, 4, 2, 6, 1]
    assert regions.hinz_van_de_geer_2019_upper_bound(widths, histogram=histogram) == regions.serra_2018_upper_bound(widths)
    assert asked and all(d <= n for d, n in asked)


def test_arora_at_one_layer_and_layers_too_narrow_for_serra() -> None:
    assert regions.arora_2018_size_lower_bound(1) == Fraction(-1, 2)
    with pytest.raises(InvalidInput, match="3 times"):
        regions.serra_2018_lower_bound([2, 5, 6, 1])


def test_one_narrow_layer_is_enough_to_leave_out_the_histogram_bound() -> None:
    names = {row.name for row in regions.bounds([600, 1300, 700, 1])}
    assert not any("Hinz" in name for name in names)
