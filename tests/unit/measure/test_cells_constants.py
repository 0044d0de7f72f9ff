"""Lipschitz constants and integrated gradients: against singular values, autograd and rationals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch

import plica
from plica.errors import InvalidInput
from plica.exact import Dyadic
from plica.geometry import Box, Plane, Segment, Space, decompose
from plica.measure import integrated_gradients, lipschitz, local_lipschitz
from plica.measure._pullback import exact_pullback, pullback
from plica.measure.cells._lipschitz import NORMS, _norms, largest_eigenvalue, product_bound
from plica.network import Linear, Max, Network, Rectifier

NETS = {
    "plane": (plica.random_network([2, 12, 8, 3], seed=0), Box([-1, -1], [1, 1])),
    "space": (plica.random_network([3, 8, 6, 2], seed=1), Box([-1] * 3, [1] * 3)),
    "one output": (plica.random_network([3, 8, 6, 1], seed=2), Box([-1] * 3, [1] * 3)),
    "slice": (plica.random_network([6, 10, 4], seed=3), Plane.through(np.zeros(6), np.eye(6)[0], np.eye(6)[1] + 0.5)),
    "line": (plica.random_network([1, 20, 1], seed=4), Segment([-1], [1])),
    "R^2": (plica.random_network([2, 6, 2], seed=5), Space(2)),
}
ORDERS = {"l1": 1, "l2": 2, "linf": np.inf}


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", NETS)
def test_constants_are_the_largest_norms_of_all_cells(name: str, norm: str) -> None:
    net, domain = NETS[name]
    cx = decompose(net, domain)
    norms = [np.linalg.norm(cell.affine_map[0], ORDERS[norm]) for cell in cx.cells]
    found = lipschitz(cx, norm=norm)
    assert found.value.middle == pytest.approx(max(norms), rel=1e-12)
    assert norms[found.cell] == pytest.approx(max(norms), rel=1e-12)
    np.testing.assert_allclose(found.cell_norms, norms, rtol=1e-10)
    assert found.value.high - found.value.low <= 1e-12 * found.value.high
    assert found.value.exact is not None or norm == "l2"
    assert found.product_bound >= found.value.low and found.gap >= 1 - 1e-12


@pytest.mark.parametrize("norm", NORMS)
def test_no_two_points_are_stretched_more(norm: str) -> None:
    net, domain = NETS["plane"]
    found = lipschitz(decompose(net, domain), norm=norm)
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-1, 1, (2, 5000, 2))
    ratio = np.linalg.norm(net(a) - net(b), ORDERS[norm], axis=1) / np.linalg.norm(a - b, ORDERS[norm], axis=1)
    assert ratio.max() <= found.value.high
    assert 0.5 * found.value.high < found.sampled(2000, seed=0) <= found.value.high * (1 + 1e-12)


def test_constants_of_known_maps_are_exact() -> None:
    net = Network.sequential(2, [Linear(np.array([[3.0, 4.0]])), Rectifier()])
    cx = decompose(net, Box([-1, -1], [1, 1]))
    assert [lipschitz(cx, norm=n).value.exact for n in NORMS] == [4, 5, 7]


def test_eigenvalues_are_enclosed() -> None:
    rng = np.random.default_rng(2)
    for n in (2, 3, 6):
        a = rng.integers(-9, 10, (n, n)).tolist()
        gram = [[sum(Fraction(x * y) for x, y in zip(p, q, strict=True)) for q in a] for p in a]
        low, high = largest_eigenvalue(gram)
        top = np.linalg.eigvalsh(np.array(gram, dtype=float))[-1]
        assert float(low) <= top * (1 + 1e-12) and top * (1 - 1e-12) <= float(high) and high - low < Fraction(1, 10**10) * high


def test_a_double_eigenvalue_is_enclosed() -> None:
    low, high = largest_eigenvalue([[Fraction(7), Fraction(0)], [Fraction(0), Fraction(7)]])
    assert low <= 7 <= high


def test_local_constants_are_largest_on_folds() -> None:
    net, domain = NETS["plane"]
    cx = decompose(net, domain)
    v = int(np.argmax(np.bincount(cx.cell_vertices)))
    p = [float(c) for c in cx.exact_vertex(v)]
    inner = local_lipschitz(cx, cx.center(3))
    assert inner.middle == pytest.approx(np.linalg.norm(cx.cells[3].affine_map[0], 2))
    assert local_lipschitz(cx, p).high <= lipschitz(cx).value.high * (1 + 1e-15)
    crossing = Network.sequential(2, [Linear(np.eye(2)), Rectifier(), Linear(np.array([[1.0, 2.0]]))])
    cross = decompose(crossing, Box([-1, -1], [1, 1]))
    assert len(cross.cells_at([0.0, 0.0])) == 4 and local_lipschitz(cross, [0.0, 0.0], norm="linf").exact == 3
    assert len(decompose(crossing, Space(2)).cells_at([5.0, 0.0])) == 2


def test_product_bounds_hold_for_convolutions_and_residuals() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Unflatten(1, (1, 4, 4)), torch.nn.Conv2d(1, 2, 3, padding=1), torch.nn.ReLU(), torch.nn.AvgPool2d(2),
        torch.nn.MaxPool2d(2, stride=1), torch.nn.Flatten(), torch.nn.Linear(2, 2),
    ).double()  # fmt: skip
    net = plica.from_torch(model, example_input=torch.zeros(1, 16, dtype=torch.float64))
    cx = decompose(net, Plane.through(np.zeros(16), np.ones(16), np.arange(16) / 8))
    for norm in NORMS:
        assert lipschitz(cx, norm=norm).value.low <= product_bound(net, norm)


def test_bad_questions_are_refused() -> None:
    net, domain = NETS["line"]
    cx = decompose(net, domain)
    with pytest.raises(InvalidInput, match="no norm"):
        lipschitz(cx, norm="l3")
    with pytest.raises(InvalidInput, match="outside the domain"):
        local_lipschitz(cx, [3.0])
    with pytest.raises(InvalidInput, match="one point"):
        integrated_gradients(net, [0.0])
    with pytest.raises(InvalidInput, match="has 2 numbers"):
        integrated_gradients(net, [0.0, 1.0])
    with pytest.raises(InvalidInput, match="no output"):
        integrated_gradients(net, [1.0], output=1)
    with pytest.raises(InvalidInput, match="steps"):
        integrated_gradients(net, [1.0]).riemann(0)


@pytest.mark.parametrize("seed", range(4))
def test_attributions_are_complete_to_the_last_bit(seed: int) -> None:
    net = plica.random_network([5, 12, 9, 2], seed=seed)
    rng = np.random.default_rng(seed)
    x, b = rng.normal(size=(2, 5))
    exact, floats = integrated_gradients(net, x, b, output=1, exact=True), integrated_gradients(net, x, b, output=1)
    assert exact.defect == 0 and exact.kind == "exact" and exact.change == floats.change
    assert sum(exact.exact) == exact.change
    for value, bound, truth in zip(floats.values, floats.error, exact.exact, strict=True):
        assert abs(Fraction(float(value)) - truth) <= Fraction(float(bound))
    assert floats.error.max() < 1e-9


def test_attributions_are_the_limit_of_sums_by_autograd() -> None:
    net = plica.random_network([4, 16, 16, 1], seed=7)
    module = plica.network.to_torch(net)
    x, b = np.random.default_rng(1).normal(size=(2, 4))
    found = integrated_gradients(net, x, b)

    def by_autograd(steps: int) -> np.ndarray:
        t = (torch.arange(steps, dtype=torch.float64) + 0.5) / steps
        points = (torch.tensor(b) + t[:, None] * torch.tensor(x - b)).requires_grad_()
        module(points).sum().backward()
        return (x - b) * points.grad.mean(dim=0).numpy()

    errors = [np.abs(by_autograd(n) - found.values).max() for n in (10, 100, 20_000)]
    assert errors[2] < 1e-4 and errors[2] < errors[0]
    for n in (10, 50, 300):
        np.testing.assert_allclose(found.riemann(n), by_autograd(n), rtol=1e-9, atol=1e-12)


def test_exact_gradients_go_through_every_operation() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Unflatten(1, (1, 4, 4)), torch.nn.Conv2d(1, 2, 3, padding=1, stride=1), torch.nn.LeakyReLU(0.25),
        torch.nn.AvgPool2d(2), torch.nn.Hardtanh(), torch.nn.MaxPool2d(2, stride=1), torch.nn.Flatten(), torch.nn.Linear(2, 2),
    ).double()  # fmt: skip
    net = plica.from_torch(model, example_input=torch.zeros(1, 16, dtype=torch.float64))
    states = net.pattern(np.random.default_rng(0).normal(size=16))
    last, weights = len(net.nodes) - 1, np.array([1.0, -0.5])
    exact = exact_pullback(net, states, last, Dyadic.from_floats(weights)).fractions()
    floats, error = pullback(net, states, last, weights)
    matrix, _ = net.linearize(states)
    np.testing.assert_allclose([float(f) for f in exact], weights @ matrix, atol=1e-14)
    assert sum((Fraction(float(a)) - f) ** 2 for a, f in zip(floats, exact, strict=True)) <= Fraction(error) ** 2


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_the_interval_bound_is_between_the_constant_and_what_no_state_is_known_of(seed: int, norm: str) -> None:
    from plica.network import Clip, Linear, Max, Network, Rectifier

    rng = np.random.default_rng(seed)
    first, second = Linear(rng.normal(size=(6, 2)), rng.normal(size=6)), Linear(rng.normal(size=(4, 6)), rng.normal(size=4))
    folds = [Rectifier(), Rectifier(np.array(0.25)), Clip(-1.0, 1.0), Max(np.array([[0, 1], [2, 3]]))]
    net = Network.sequential(2, [first, folds[seed % 3], second, folds[3 if seed % 2 else 0]])
    cx = plica.decompose(net, plica.Box([-1, -1], [1, 1]))
    found = plica.measure.lipschitz(cx, norm=norm)
    assert float(found) <= found.interval_bound * (1 + 1e-9)
    small = plica.measure.lipschitz(plica.decompose(net, plica.Box([0.2, 0.2], [0.2001, 0.2001])), norm=norm)
    if small.complex.n_cells == 1 and seed % 2 == 0 and seed % 3 != 2:
        assert small.interval_bound == pytest.approx(float(small), rel=1e-9)  # every state is known: nothing is lost


@pytest.mark.parametrize(
    "name",
    [
        "critical_points",
        "discrete_gradient",
        "distribution",
        "dual_graph",
        "extremes",
        "functional_dimension",
        "lipschitz",
        "moments",
        "persistence",
        "region_definitions",
        "symmetries",
    ],
)
def test_a_network_in_the_place_of_a_complex_is_refused(name):
    with pytest.raises(InvalidInput, match="a complex is expected, got Network"):
        getattr(plica.measure, name)(plica.random_network([2, 3, 1], seed=0))


@pytest.mark.parametrize("norm", ["l1", "linf", "l2"])
def test_the_error_of_a_norm_holds_where_columns_are_off_in_the_worst_way(norm: str) -> None:
    m, n, off = 4, 3, 1e-3  # every column off by at most so much in the 2-norm
    matrix = np.ones((1, m, n))
    worst = {"l1": np.full((m, n), off / np.sqrt(m)), "linf": np.eye(m, 1) * np.full((1, n), off)}
    worst["l2"] = worst["l1"]
    order = {"l1": 1, "linf": np.inf, "l2": 2}[norm]
    values, slip = _norms(matrix, np.full((1, n), off), norm)
    true = np.linalg.norm(matrix[0] + worst[norm], order)
    assert np.linalg.norm(worst[norm], axis=0).max() <= off * (1 + 1e-12)
    assert abs(true - values[0]) <= slip[0] <= 1.001 * abs(true - values[0])


def test_an_entry_in_many_maxima_moves_all_of_them():
    """x_0 is in four groups: where it is the largest, a step of it is four steps in l1, two in l2, one in linf."""
    network = Network.sequential(5, [Max(np.array([[0, k] for k in range(1, 5)]))])
    cx = decompose(network, Segment([2.0, 0, 0, 0, 0], [3.0, 0, 0, 0, 0]))
    for norm, moved in (("l1", 4.0), ("l2", 2.0), ("linf", 1.0)):
        found = lipschitz(cx, norm=norm)
        assert float(found) == pytest.approx(moved) and found.product_bound >= moved * (1 - 1e-12)
        assert norm == "linf" or found.product_bound == pytest.approx(moved)
