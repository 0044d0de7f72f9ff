"""Enclosures on cells hold whatever their inputs may be within the errors that are stated, and fractions without a tolerance."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb, factorial, isqrt
from unittest.mock import patch

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.exact import determinant
from plica.geometry import Box, Path, Segment, decompose
from plica.measure import (
    class_volumes,
    distribution,
    fold_distance,
    integrated_gradients,
    lipschitz,
    moments,
)
from plica.measure._attention_tokens import equivariance_defect
from plica.measure._fold_distance_cell import layers_at
from plica.measure.cells import _levels
from plica.measure.cells._classes import label_volumes
from plica.measure.cells._convex_regions import convex_regions
from plica.measure.cells._integrals import Enclosed, Moments, _integrals, added, enclosed_exactly
from plica.measure.cells._lipschitz import _is_definite, _norms, _root, product_bound
from plica.measure.cells._lipschitz_interval import derivative_ranges
from plica.measure.cells._sharp import Sharp
from plica.measure.cells._streamed import StreamedValues
from plica.network import Builder, Clip, Concat, Linear, Max, Network, Rectifier, random_network

SQUARE = Box([-1.0, -1.0], [1.0, 1.0])


def exact_integral(points: list[list[Fraction]], values: list[Fraction], k: int) -> Fraction:
    """The integral of f^k over a simplex, by the sum over all products of k corner values."""
    d = len(points) - 1
    volume = abs(determinant([[a - b for a, b in zip(p, points[0], strict=True)] for p in points[1:]])) / factorial(d)
    table = [Fraction(1)] + [Fraction(0)] * k
    for v in values:
        for i in range(1, k + 1):
            table[i] += v * table[i - 1]
    return volume * table[k] / comb(d + k, k)


def fractions(x: np.ndarray) -> list[Fraction]:
    return [Fraction(float(v)) for v in x]


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize(("apart", "off"), [(0.0, 0.02), (0.02, 0.0), (0.01, 0.01)])
def test_integrals_hold_for_all_positions_and_values_within_their_errors(d: int, apart: float, off: float) -> None:
    rng = np.random.default_rng(d)
    n = d + 2
    points, values = rng.normal(size=(n, d)), rng.uniform(0.5, 2, size=n) * rng.choice([-1.0, 1.0])
    simplices = np.array([range(d + 1), range(1, d + 2)])
    s = Sharp(points, np.full(n, apart), values, np.full(n, off))
    found = _integrals(s, simplices, 3, d)
    for draw in range(60):
        step = rng.normal(size=(n, d))
        step *= apart * (1 - 1e-9) / np.linalg.norm(step, axis=1, keepdims=True)
        if draw < 2:  # all away from the middle, or all toward it
            away = points - points.mean(0)
            step = (1 - 2 * draw) * apart * (1 - 1e-9) * away / np.linalg.norm(away, axis=1, keepdims=True)
        moved, changed = (
            points + step,
            values + off * (1 - 1e-9) * (rng.choice([-1.0, 1.0], size=n) if draw > 1 else 1 - 2 * draw),
        )
        for k, enclosed in enumerate(found, start=1):
            total = sum(exact_integral([fractions(moved[v]) for v in row], fractions(changed[row]), k) for row in simplices)
            assert Fraction(enclosed.low) <= total <= Fraction(enclosed.high)


@pytest.mark.parametrize("d", [1, 2])
def test_powers_of_values_that_cancel_are_enclosed(d: int) -> None:
    rng = np.random.default_rng(7)
    for _ in range(200):
        values = rng.normal(size=d + 1) * 1e3
        values[-1] = -values[0] * (1 + rng.choice([0.0, 2.0**-40]))  # odd powers nearly cancel
        points = np.concatenate([np.zeros((1, d)), np.eye(d)])
        s = Sharp(points, np.zeros(d + 1), values, np.zeros(d + 1))
        for k, found in enumerate(_integrals(s, np.arange(d + 1)[None], 5, d), start=1):
            true = exact_integral([fractions(p) for p in points], fractions(values), k)
            assert Fraction(found.low) <= true <= Fraction(found.high)


def test_the_variance_is_as_vague_as_the_second_moment() -> None:
    found = Moments(Fraction(1), (Enclosed(1.0, 1.0), Enclosed(3.0, 3.5))).variance
    assert found.low <= 2.0 and found.high >= 2.5 and found.high - found.low < 0.5 + 1e-9


def test_a_sum_of_enclosures_is_rounded_outward() -> None:
    crumb = Enclosed(2.0**-54, 2.0**-54)
    total = added([Enclosed(1.0, 1.0), crumb])
    assert Fraction(total.low) <= 1 + Fraction(2.0**-54) <= Fraction(total.high)
    total = added([Enclosed(-1.0, -1.0), Enclosed(-(2.0**-55), -(2.0**-55))])
    assert Fraction(total.low) <= -1 - Fraction(2.0**-55) <= Fraction(total.high)


def test_a_fraction_lies_between_its_floats() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        value = Fraction(int(rng.integers(-(2**62), 2**62)), int(rng.integers(1, 2**62)))
        found = enclosed_exactly(value)
        assert Fraction(found.low) <= value <= Fraction(found.high) and found.exact == value and value in found


def test_a_path_is_measured_by_its_segments() -> None:
    net = Network.sequential(2, [Linear(np.array([[0.0, 1.0]]), np.array([2.0]))])
    path = Path(np.array([[0.0, 0.0], [5.0, 0.0], [5.0, 1.0], [6.0, 3.0]]))
    cx = decompose(net, path)
    assert moments(cx, exact=True).mean.exact == (2 + Fraction(5, 2) + 4) / 3  # each segment has the same weight
    found = class_volumes(Network.sequential(2, [Linear(np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([-0.5, 0.0]))]), path)
    assert found.volume == 3 and found.shares == pytest.approx([0.5, 0.5])  # y > 1/2 on half of the second and all of the third


def test_a_distribution_is_as_vague_as_its_values() -> None:
    known = distribution(decompose(random_network([2, 5, 1], seed=0), SQUARE))
    off = 0.05
    vague = replace(known, _sharp=replace(known._sharp, value_error=known._sharp.value_error + off))
    for t in np.linspace(float(known.knots[0]), float(known.knots[-1]), 9):
        low, high = (float(b[0]) for b in vague.cdf_bounds(t))
        assert low <= float(known.cdf(t - off)[0]) + 1e-12 and float(known.cdf(t + off)[0]) <= high + 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_a_distribution_holds_its_fractions(seed: int) -> None:
    found = distribution(decompose(random_network([2, 5, 1], seed=seed), SQUARE))
    for t in [*found.knots[:6], *np.linspace(found.knots[0], found.knots[-1], 7)]:
        low, high = (float(b[0]) for b in found.cdf_bounds(t))
        exact = found.exact_cdf(float(t)).exact
        assert exact is not None and Fraction(low) <= exact <= Fraction(high) and high - low < 1e-9


def test_an_atom_belongs_to_its_value_and_to_no_piece_beside_it() -> None:
    # min(x, 0): half of the square has the value 0
    net = Network.sequential(2, [Linear(np.array([[-1.0, 0.0]])), Rectifier(), Linear(np.array([[-1.0]]))])
    found = distribution(decompose(net, SQUARE))
    assert found.piece(0)[:2] == (Fraction(1, 2), Fraction(1, 2)) and found.exact_cdf(0).exact == 1
    low, high = (float(b[0]) for b in found.cdf_bounds(0.0))
    assert low > 1 - 1e-9 and high == 1.0
    low, high = (float(b[0]) for b in found.cdf_bounds(-1e-9))
    assert low <= (1 - 1e-9) / 2 <= high < 0.5 + 1e-6


# -- constants of Lipschitz ----------------------------------------------------------------------------------------------------


def test_norms_move_by_no_more_than_they_say_and_by_as_much() -> None:
    rng = np.random.default_rng(0)
    for m, n in ((4, 3), (3, 5), (1, 4), (6, 1)):
        A, e = rng.normal(size=(1, m, n)), rng.uniform(0.01, 0.1, size=(1, n))
        sign = np.sign(A[0])
        worst = {"l1": sign * e / np.sqrt(m), "linf": np.zeros((m, n)), "l2": np.zeros((m, n))}
        row = np.abs(A[0]).sum(1).argmax()
        worst["linf"][row] = sign[row] * e[0]
        u, _, vt = np.linalg.svd(A[0])
        worst["l2"] = np.outer(u[:, 0], np.sign(vt[0]) * e[0])
        for norm, order in (("l1", 1), ("linf", np.inf), ("l2", 2)):
            value, slip = (x[0] for x in _norms(A, e, norm))
            assert value == pytest.approx(np.linalg.norm(A[0], order), rel=1e-12)
            assert np.linalg.norm(A[0] + worst[norm], order) <= value + slip
            for _ in range(50):
                step = rng.normal(size=(m, n))
                step *= e / np.linalg.norm(step, axis=0)
                assert abs(np.linalg.norm(A[0] + step, order) - value) <= slip


def test_floats_of_norms_are_known_up_to_their_rounding() -> None:
    rng = np.random.default_rng(1)
    A = rng.normal(size=(300, 7, 9))
    for norm, axis in (("l1", 0), ("linf", 1)):
        values, slip = _norms(A, np.zeros((300, 9)), norm)
        for a, v, s in zip(A, values, slip, strict=True):
            lines = a.T if axis == 0 else a
            true = max(sum(map(abs, fractions(line)), Fraction(0)) for line in lines)
            assert abs(true - Fraction(float(v))) <= Fraction(float(s)) and s < 1e-10 * v


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_the_largest_cell_is_found_among_all_that_may_be_largest(norm: str) -> None:
    cx = decompose(random_network([2, 6, 2], seed=4), SQUARE)
    truth = lipschitz(cx, norm=norm)
    columns, error = cx.bounded_input_maps()
    best = truth.cell_norms.max()
    vague = np.full_like(error, best)
    smaller = columns.copy()
    smaller[cx.regions == cx.regions[truth.cell]] *= 0.1  # the largest does not look so, and nothing is known well
    with patch.object(type(cx), "bounded_input_maps", lambda self: (smaller, vague)):
        found = lipschitz(cx, norm=norm)
    assert int(cx.regions[found.cell]) == int(cx.regions[truth.cell]) and found.value == truth.value


def test_roots_are_between_their_floats() -> None:
    rng = np.random.default_rng(2)
    for _ in range(300):
        square = Fraction(int(rng.integers(1, 2**60)), int(rng.integers(1, 2**60))) * Fraction(2) ** int(rng.integers(-40, 40))
        low, high = (Fraction(x) for x in _root(square))
        assert low**2 <= square <= high**2 and high <= low * (1 + Fraction(1, 2**50))
    for k in range(1, 200):
        low, high = _root(Fraction(k * k))
        assert low <= k <= high and isqrt(k * k) == k


def test_a_matrix_with_a_kernel_is_not_definite() -> None:
    one = Fraction(1)
    assert not _is_definite([[one, one], [one, one]]) and not _is_definite([[Fraction(0)]])
    assert _is_definite([[2 * one, one], [one, one]]) and not _is_definite([[one, 2 * one], [2 * one, one]])


def test_parts_side_by_side_have_the_larger_constant_in_the_maximum_norm() -> None:
    b = Builder((2,))
    first = b.add(Linear(np.array([[3.0, -1.0]])), 0)
    second = b.add(Linear(np.array([[1.0, 0.5], [0.0, 2.0]])), 0)
    b.add(Concat(0), first, second)
    net = b.build()
    assert product_bound(net, "linf") == 4.0 and product_bound(net, "l1") == 3.0 + 2.5
    truth = {norm: float(lipschitz(decompose(net, SQUARE), norm=norm)) for norm in ("l1", "linf")}
    assert truth["linf"] == pytest.approx(4.0) and truth["l1"] == pytest.approx(4.0) and truth["l1"] <= product_bound(net, "l1")


def test_cells_are_drawn_by_their_size() -> None:
    # 1000 |x - 0.999| / 1000: the steep cell is a two thousandth of the line
    net = Network.sequential(
        1, [Linear(np.array([[1.0], [1.0]]), np.array([2.0, -0.999])), Rectifier(), Linear(np.array([[1.0, 50.0]]))]
    )
    found = lipschitz(decompose(net, Segment([-1.0], [1.0])), norm="l1")
    assert float(found) == pytest.approx(51.0)
    assert [found.sampled(20, seed=s) for s in range(5)].count(pytest.approx(1.0)) >= 4


def drawn(seed: int, *shape: int) -> Linear:
    return Linear(np.random.default_rng(seed).normal(size=shape))


RANGED = {
    "relu": [drawn(0, 5, 2), Rectifier(), drawn(1, 3, 5)],
    "leaky": [drawn(2, 5, 2), Rectifier(np.array(0.2)), drawn(9, 1, 5)],
    "clip": [drawn(3, 5, 2), Clip(-0.2, 0.4), drawn(4, 2, 5)],
    "max": [drawn(5, 6, 2), Max(np.arange(6).reshape(2, 3)), Linear(np.array([[1.0, -2.0]]))],
    "deep": [drawn(6, 4, 2), Rectifier(), drawn(7, 4, 4), Rectifier(), drawn(8, 2, 4)],
}


@pytest.mark.parametrize("name", RANGED)
def test_intervals_of_derivatives_hold_those_of_all_cells(name: str) -> None:
    cx = decompose(Network.sequential(2, RANGED[name]), SQUARE)
    low, high = derivative_ranges(cx)
    columns, _ = cx.bounded_input_maps()
    slopes = columns[:, :-1]
    assert (low - 1e-12 <= slopes).all() and (slopes <= high + 1e-12).all()
    if name in ("relu", "leaky"):  # of one layer of units that all fold, every sum of signs by itself is the bound
        first, last = RANGED[name][0].weight, RANGED[name][2].weight
        products = last[:, :, None] * first[None]  # (outputs, units, inputs)
        slope = 0.2 if name == "leaky" else 0.0
        ends = np.stack([products, slope * products])
        assert high == pytest.approx(ends.max(0).sum(1).T) and low == pytest.approx(ends.min(0).sum(1).T)


# -- other bounds --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_attributions_are_within_their_errors(seed: int) -> None:
    rng = np.random.default_rng(seed)
    net = random_network([4, 9, 9, 1], seed=seed)
    found = integrated_gradients(net, rng.normal(size=4), rng.normal(size=4), exact=True)
    rough = integrated_gradients(net, found.x, found.baseline)
    assert found.exact is not None
    for value, error, true in zip(rough.values, rough.error, found.exact, strict=True):
        assert abs(Fraction(float(value)) - true) <= Fraction(float(error)) and error < 1e-10


def test_attributions_are_as_vague_as_the_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    from plica.measure.cells import _attributions

    net = Network.sequential(2, [Linear(np.array([[3.0, -1.0]]))])
    plain = _attributions.pullback
    monkeypatch.setattr(_attributions, "pullback", lambda *a: (plain(*a)[0], 0.25))
    found = integrated_gradients(net, [1.0, 2.0], [0.0, 0.0])
    assert (found.error >= 0.25 * np.array([1.0, 2.0])).all() and (found.error < 0.26 * np.array([1.0, 2.0])).all()


def test_a_wide_bound_ties_all_vertices_below_it_together() -> None:
    low, high = np.array([0.0, 1.0, 2.0, 9.5, 20.0]), np.array([10.0, 1.1, 2.1, 9.6, 20.1])
    assert _levels._clusters(low, high).tolist() == [0, 0, 0, 0, 1]
    assert _levels._clusters(np.array([3.0, 1.0, 1.0]), np.array([3.0, 1.0, 1.5])).tolist() == [1, 0, 0]


def test_values_that_floats_cannot_tell_apart_have_their_order() -> None:
    # 0.1 + 0.2 - (0.1 + 0.2) as floats is -2.8e-17: hardly a slope, and one all the same
    third = np.array([[0.1, 0.2, -(0.1 + 0.2)]])
    net = Network.sequential(2, [Linear(np.array([[1.0, 0.0]] * 3)), Linear(third)])
    cx = decompose(net, SQUARE)
    exact = sum(map(Fraction, third[0].tolist()))
    values = _levels._ranks(cx, np.ones(1))
    truth = [exact * cx.exact_vertex(v)[0] for v in range(cx.n_vertices)]
    assert np.array_equal(values, np.unique([float(t) for t in truth], return_inverse=True)[1])


def test_volumes_of_labels_are_as_vague_as_positions() -> None:
    cx = decompose(random_network([2, 5, 2], seed=0), SQUARE)
    labels = (np.arange(cx.n_cells) % 2).astype(int)
    exact = label_volumes(cx, labels, 2, exact=True)
    rough = label_volumes(cx, labels, 2, exact=False)
    for a, b in zip(exact, rough, strict=True):
        assert a.exact is not None and Fraction(b.low) <= a.exact <= Fraction(b.high) and b.high - b.low < 1e-9
    from plica.measure.cells import _classes

    plain = _classes.simplex_volumes
    with patch.object(_classes, "simplex_volumes", lambda p, e: (plain(p, e)[0], plain(p, e)[1] + 1e-3)):
        vague = label_volumes(cx, labels, 3, exact=False)
    n = np.bincount(labels[cx.triangulation().cells], minlength=3)
    for k, volume in enumerate(vague):
        assert volume.high - volume.low >= 2e-3 * n[k] * (1 - 1e-9) or volume.low == 0.0
        assert volume.low >= 0.0
    assert vague[2].low == 0.0


# -- distances to folds --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["cell", "bounds", "exact"])
def test_distances_to_folds_hold_their_squares(method: str) -> None:
    for seed in range(5):
        net = random_network([3, 7, 6, 1], seed=seed, bias_std=0.4)
        x = np.random.default_rng(seed).normal(size=(4, 3))
        truth, found = fold_distance(net, x, method="exact").squared, fold_distance(net, x, method=method)
        for square, low, high in zip(truth, found.lower, found.upper, strict=True):
            assert square is not None and Fraction(float(low)) ** 2 <= square <= Fraction(float(high)) ** 2


def test_gradients_that_are_hardly_known_do_not_bring_folds_nearer(monkeypatch: pytest.MonkeyPatch) -> None:
    from plica.measure import _fold_distance_bounds

    net = Network.sequential(2, [Linear(np.array([[3.0, 4.0]]), np.array([10.0])), Rectifier(), Linear(np.ones((1, 1)))])
    plain = _fold_distance_bounds.pullback
    monkeypatch.setattr(_fold_distance_bounds, "pullback", lambda *a: (plain(*a)[0], 1.0))
    found = fold_distance(net, [0.0, 0.0], method="bounds")
    assert found.lower[0] <= 2.0 and found.upper[0] >= 10 / 4.0  # the gradient may be as short as 4


def test_weights_far_below_one_ask_for_fractions() -> None:
    for size in (1e-45, 1e-140):  # three of them are below 2^-400, one alone of the second is
        layers = [op for _ in range(3) for op in (Linear(np.array([[size]]), np.array([0.0])), Rectifier())]
        tiny = Network.sequential(1, [*layers, Linear(np.ones((1, 1)))])
        with pytest.raises(InvalidInput, match="range of floats"):
            fold_distance(tiny, [1.0])
        assert fold_distance(tiny, [3.0], method="exact").squared[0] == 9  # the only fold is at 0


def dot(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))


def test_values_of_layers_at_points_are_within_their_bounds() -> None:
    # a second layer with large weights makes much of what the first one lost
    rng = np.random.default_rng(0)
    W1, b1, W2, b2 = rng.normal(size=(20, 5)), rng.normal(size=20), 1e6 * rng.normal(size=(4, 20)), rng.normal(size=4)
    net = Network.sequential(5, [Linear(W1, b1), Rectifier(), Linear(W2, b2), Rectifier(), Linear(np.ones((1, 4)))])
    x = rng.normal(size=(30, 5))
    first, second = layers_at(net, x)
    for k in range(30):
        z = [dot(fractions(w), fractions(x[k])) + Fraction(float(c)) for w, c in zip(W1, b1, strict=True)]
        h = [max(v, Fraction(0)) for v in z]
        y = [dot(fractions(w), h) + Fraction(float(c)) for w, c in zip(W2, b2, strict=True)]
        for layer, truth in ((first, z), (second, y)):
            for value, bound, true in zip(layer.values[k], layer.bounds[k], truth, strict=True):
                assert abs(Fraction(float(value)) - true) <= Fraction(float(bound))


def test_a_histogram_has_a_bin_for_everything() -> None:
    below = (Enclosed(0.2, 0.25), Enclosed(0.6, 0.6))
    found = StreamedValues(None, None, None, np.zeros(2), below, 1, 1).histogram()  # type: ignore[arg-type]
    assert [(round(b.low, 9), round(b.high, 9)) for b in found] == [(0.2, 0.25), (0.35, 0.4), (0.4, 0.4)]
    assert sum(b.low for b in found) <= 1 <= sum(b.high for b in found)


def test_a_region_in_space_with_a_notch_is_no_convex_one() -> None:
    # relu(min(x, y)): zero where either is negative, which is not convex; x and y where both are positive
    first = Linear(np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [1.0, -1.0, 0.0]]))
    net = Network.sequential(3, [first, Rectifier(), Linear(np.array([[1.0, -1.0, -1.0]])), Rectifier(), Linear(np.ones((1, 1)))])
    cx = decompose(net, Box([-1.0] * 3, [1.0] * 3))
    assert cx.n_regions == 3 and convex_regions(cx)[0] == 4


def test_every_token_takes_part_in_an_order() -> None:
    torch = pytest.importorskip("torch")
    x = torch.randn(1, 5, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    places = torch.arange(5.0, dtype=torch.float64)[:, None]
    generator = torch.Generator().manual_seed(3)
    expected = []
    for _ in range(6):
        order = torch.randperm(5, generator=generator)
        while order.tolist() == list(range(5)):
            order = torch.randperm(5, generator=generator)
        expected.append(((x[:, order] + places) - (x + places)[:, order]).norm() / (x + places).norm())
    assert equivariance_defect(lambda t: t + places, x, n_orders=6, seed=3) == pytest.approx(max(expected).item(), rel=1e-12)
    assert equivariance_defect(lambda t: t * 2, x) == 0.0
