"""Maxima, narrow networks, parity, sum-product networks and trees."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plica import Box, decompose, random_network
from plica.construct import (
    Branch,
    balanced_tree,
    cos,
    estimate_effective_dimension,
    few_layers,
    lattice_form,
    max_min,
    max_min_string,
    maximum,
    narrow,
    narrow_convex,
    narrow_line,
    parity,
    parity_terms,
    serialized,
    sin,
    spline,
    sum_product_f,
    sum_product_g,
    tree,
    triangulation,
    variables,
)
from plica.construct.representations._parity import prime_implicants, smallest_dnf
from plica.errors import BudgetExceeded, InvalidDomain, InvalidInput, UnsupportedLayer

(x,) = variables(1)
u, v = variables(2)


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=9))
def test_the_maximum_is_the_maximum(values: list[int]) -> None:
    m = maximum(len(values))
    assert m(np.array(values, dtype=float))[0] == max(values)
    assert m.depth == m.theorem["depth"] == max(0, (len(values) - 1).bit_length())


def test_a_network_taken_apart_is_put_together_again() -> None:
    net = random_network([2, 4, 1], seed=5, bias_std=0.5)
    forms, groups = lattice_form(decompose(net, Box([-2, -2], [2, 2])))
    points = np.random.default_rng(0).uniform(-2, 2, (300, 2))
    assert np.allclose(max_min(forms, groups)(points), net(points))
    assert np.allclose(few_layers(forms, groups)(points), net(points))


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4), st.integers(-4, 4)), min_size=1, max_size=7), st.data())
def test_chains_of_maxima_and_minima_are_computed_exactly_in_width_d_plus_one(
    forms: list[tuple[int, ...]], data: st.DataObject
) -> None:
    ops = data.draw(st.lists(st.sampled_from(["max", "min"]), min_size=len(forms) - 1, max_size=len(forms) - 1))
    chain = max_min_string(forms, ops, low=[-1, -2], high=[2, 1])
    assert set(chain.network.widths[1:-1]) <= {3} and chain.depth == len(ops)
    for p in np.random.default_rng(1).integers(-4, 5, (20, 2)) / np.array([4.0, 4.0]):
        value = forms[0][0] * p[0] + forms[0][1] * p[1] + forms[0][2]
        for form, op in zip(forms[1:], ops, strict=True):
            other = form[0] * p[0] + form[1] * p[1] + form[2]
            value = max(value, other) if op == "max" else min(value, other)
        assert chain(p)[0] == value


def test_narrow_lines_and_tangents_keep_their_certificates() -> None:
    line = narrow_line(sin(6 * x), error=0.4, lipschitz=6)
    assert set(line.network.widths[1:-1]) == {2} and line.certificate.true_error.high <= line.certificate.bound <= 0.4 * (
        1 + 1e-8
    )
    bowl = narrow_convex(u * u + v * v, 4, low=[-1, -1], high=[1, 1])
    assert set(bowl.network.widths[1:-1]) == {3} and bowl.certificate.true_error.high <= float(bowl.certificate.bound) * (
        1 + 1e-5
    )


def test_a_shallow_network_is_serialized_without_change() -> None:
    net = spline(sin(5 * x), 12)
    deep = serialized(net, low=[0.0], high=[1.0])
    grid = np.linspace(0, 1, 101)[:, None]
    assert deep.network.widths == (1, *[3] * 12, 1) and np.allclose(deep(grid), net(grid), atol=1e-12)
    with pytest.raises(UnsupportedLayer):
        serialized(random_network([1, 2, 2, 1], seed=0), low=[0.0], high=[1.0])


@pytest.mark.parametrize("form", ["shallow", "tree", "folded"])
def test_parity_is_right_at_every_vertex_of_the_cube(form: str) -> None:
    for n in range(1, 9):
        p = parity(n, form=form)
        bits = np.array(list(product([0.0, 1.0], repeat=n)))
        assert np.array_equal(p(bits)[:, 0], bits.sum(1) % 2)
        assert p.n_units <= p.theorem["units"] and p.depth <= p.theorem["depth"]


def test_no_two_odd_points_share_a_term() -> None:
    assert [parity_terms(n) for n in range(1, 8)] == [2 ** (n - 1) for n in range(1, 8)]
    assert all(free == 0 for _, free in prime_implicants(5, {i for i in range(32) if i.bit_count() % 2}))


def test_the_smallest_normal_form_of_a_cyclic_table_is_found() -> None:
    assert smallest_dnf(3, {1, 2, 3, 4, 5, 6}) == 3  # every prime implicant covers two of six rows, none is essential
    assert smallest_dnf(2, {0, 1, 2, 3}) == 1 and smallest_dnf(2, set()) == 0


@pytest.mark.parametrize("net", [sum_product_f(1), sum_product_f(2), sum_product_g(3, 2), sum_product_g(4, 1)], ids=repr)
def test_expanded_sum_product_networks_have_the_same_values(net: object) -> None:
    rng = np.random.default_rng(2)
    for _ in range(5):
        point = [Fraction(int(k), 3) for k in rng.integers(-5, 6, net.n_inputs)]  # type: ignore[attr-defined]
        total = Fraction(0)
        for exponents, c in net.expand().items():  # type: ignore[attr-defined]
            term = Fraction(c)
            for value, k in zip(point, exponents, strict=True):
                term *= value**k
            total += term
        assert net(point) == total  # type: ignore[operator]


def test_sum_product_families_have_the_sizes_of_the_paper() -> None:
    for levels in (1, 2, 3):
        f = sum_product_f(levels)
        assert (f.n_units, f.depth, f.n_monomials) == (4**levels - 1, 2 * levels, 2 ** (2**levels - 1))
    for n, levels in ((3, 1), (3, 3), (4, 2), (5, 2)):
        g = sum_product_g(n, levels)
        assert g.n_units == 2 * n * levels + 1 and g.n_monomials >= (n - 1) ** levels


def test_errors_of_a_tree_add_up_along_slopes() -> None:
    h = (1 + sin(2 * u + v)) / 2
    root = Branch(h, Branch(u * v, 0, 1), Branch((u + cos(v)) / 2, 2, 3))
    f = tree(root, 8)
    points = np.random.default_rng(0).random((3000, 4))
    deviation = np.abs(f(points)[:, 0] - root(points)).max()
    assert 0 < deviation <= f.certificate.bound
    exact = root.formula()(points)
    assert np.allclose(exact, root(points))
    assert tree(balanced_tree(u * v, 4), error=0.02).certificate.bound <= 0.02


def test_any_constituent_can_be_given() -> None:
    made = []

    def constituent(target: object, n: int) -> object:
        from plica.construct import triangulation

        made.append(n)
        return triangulation(target, 2 * n)

    f = tree(balanced_tree(u * v, 4), 2, constituent=constituent)  # type: ignore[arg-type]
    assert made == [2] and f.parameters["n"] == 2  # one network for the three equal nodes


@settings(max_examples=20)
@given(st.floats(0.3, 4.0), st.floats(0.5, 50.0))
def test_the_effective_dimension_of_a_power_law_is_its_exponent(d: float, c: float) -> None:
    n = np.array([8.0, 32.0, 128.0, 512.0])
    found = estimate_effective_dimension(n, c * n ** (-1 / d))
    assert found.value == pytest.approx(d, rel=1e-6) and found.slope == pytest.approx(-1 / d, rel=1e-6)


def test_what_cannot_be_built_is_refused_with_the_numbers() -> None:
    with pytest.raises(InvalidInput, match="values in"):
        tree(balanced_tree(2 * u + v, 2), 4)
    with pytest.raises(InvalidInput, match=r"2, 4, 8"):
        balanced_tree(u * v, 6)
    with pytest.raises(BudgetExceeded, match="not reached"):
        tree(balanced_tree(u * v, 2), error=1e-9, most=4)
    with pytest.raises(InvalidInput, match="either"):
        tree(balanced_tree(u * v, 2))
    with pytest.raises(InvalidInput, match="1 to 2048 bits, got 0"):
        parity(0)
    with pytest.raises(InvalidInput, match="unknown form"):
        parity(3, form="round")
    with pytest.raises(InvalidInput, match="truth table"):
        parity_terms(40)
    with pytest.raises(InvalidInput, match="max and min"):
        max_min_string([[1, 0], [0, 0]], ["mean"], low=[0], high=[1])
    with pytest.raises(InvalidDomain, match="empty"):
        max_min_string([[1, 0], [0, 0]], ["max"], low=[1], high=[0])
    with pytest.raises(InvalidInput, match="forms"):
        max_min([[1, 0]], [[1]])
    with pytest.raises(InvalidInput, match="family G"):
        sum_product_g(2, 1)
    with pytest.raises(BudgetExceeded, match="monomials"):
        sum_product_g(8, 3).expand()
    with pytest.raises(InvalidInput, match="three or more"):
        estimate_effective_dimension([1, 2], [1.0, 0.5])


@pytest.mark.parametrize(("target", "n", "d"), [(sin(4 * x), 6, 1), (sin(2 * u) * cos(v), 3, 2), (u * v + 0.5, 4, 2)])
def test_hats_in_a_row_are_the_interpolant_in_width_d_plus_two(target: object, n: int, d: int) -> None:
    f = narrow(target, n)
    assert set(f.network.widths[1:-1]) == {d + 2}
    vertices = np.array(list(product(np.arange(n + 1) / n, repeat=d)))
    assert np.allclose(f(vertices)[:, 0], target(vertices), atol=1e-12)  # type: ignore[operator]
    points = np.random.default_rng(0).random((500, d))
    assert np.abs(f(points)[:, 0] - target(points)).max() <= f.certificate.bound  # type: ignore[operator]


def test_narrow_hats_and_the_triangulation_are_one_function() -> None:
    points = np.random.default_rng(1).random((300, 2))
    target = sin(2 * u) * cos(v)
    assert np.allclose(narrow(target, 3)(points), triangulation(target, 3)(points), atol=1e-12)


def test_the_certificate_of_a_tree_is_checked_node_by_node() -> None:
    f = tree(balanced_tree((u + v * v) / 2, 4), 1)
    assert f.certificate.verify(f.module())
    assert f.certificate.true_error.low <= f.certificate.bound
    import torch

    module = f.module()
    with torch.no_grad():
        next(p for p in module.parameters() if p.numel() > 8).view(-1)[5] += 1e-6
    assert not f.certificate.verify(module)


def test_a_maximum_of_many_forms_is_a_signed_sum_of_maxima_of_few() -> None:
    rng = np.random.default_rng(7)
    for n, depth in ((1, 1), (2, 2), (3, 2), (4, 3)):
        forms = rng.integers(-9, 10, (n + 4, n + 1)).astype(float)
        groups = [list(range(n + 4)), [0, 2], [1, 3, n + 2]]
        built = few_layers(forms, groups)
        points = rng.normal(size=(300, n)) * 3
        values = points @ forms[:, :-1].T + forms[:, -1]
        truth = np.max([values[:, g].min(1) for g in groups], axis=0)
        assert len(built.network.layers) == depth
        assert np.allclose(built(points)[:, 0], truth)
