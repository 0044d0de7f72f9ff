"""Networks of few functions: lattices of minima and maxima, whose forms tie on whole cells."""

import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import plica
from plica.errors import BudgetExceeded
from plica.exact import Dyadic
from plica.geometry import Box, Budget, Plane, count_regions, decompose
from plica.geometry.numbered import _condensed, _engine
from plica.geometry.numbered._condensed import Entries, Rows, Unsuited, condensed
from plica.geometry.numbered._forms import FormTable
from plica.geometry.signs._crossings import settled_order
from plica.network import Linear, Network, Rectifier
from plica.testing import Case, chain, check_areas, check_edges, check_euler, draw_network

PAIRS = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
MINIMUM = np.array([[0.5, -0.5, -0.5, -0.5]])
SQUARE = Box([-2, -2], [2, 2])


def lattice(functions: np.ndarray, groups: list[list[int]]) -> Network:
    """The least of the chosen functions in each group, then the least of these: 2, 4 or 8 functions in all."""
    chosen = np.array([i for group in groups for i in group])
    depth = int(np.log2(len(chosen)))
    weights, biases = [functions[:, :2]], [functions[:, 2]]
    read = np.eye(len(functions))[chosen]
    for level in range(depth):
        blocks = np.eye(2 ** (depth - 1 - level))
        weights.append(np.kron(blocks, PAIRS) @ read)
        biases.append(np.zeros(len(weights[-1])))
        read = np.kron(blocks, MINIMUM)
    ops: list = [Linear(weights[0], biases[0])]
    for w in weights[1:]:
        ops += [Linear(w), Rectifier()]
    return Network.sequential(2, [*ops, Linear(read)])


def drawn(seed: int, n: int = 5, chosen: int = 8) -> Network:
    rng = np.random.default_rng(seed)
    functions = rng.normal(size=(n, 3)).astype(np.float32).astype(float)
    return lattice(functions, [rng.integers(0, n, chosen).tolist()])


def both_ways(network: Network, domain: Plane | Box, monkeypatch: pytest.MonkeyPatch) -> tuple[plica.Complex, plica.Complex]:
    """The complex by numbered forms, and by the ordinary engine."""
    asked = []
    walk = _engine.walk_numbered
    monkeypatch.setattr(_engine, "walk_numbered", lambda *args: asked.append(1) or walk(*args))
    numbered = decompose(network, domain)
    assert asked == [1]

    def refuse(*_: object) -> None:
        raise Unsuited

    monkeypatch.setattr(_engine, "walk_numbered", refuse)
    return numbered, decompose(network, domain)


def as_sets(cx: plica.Complex) -> dict[bytes, tuple[tuple[Fraction, ...], ...]]:
    """Each cell by its pattern, with its corners as fractions."""
    patterns = np.concatenate([p.reshape(cx.n_cells, -1) for p in cx.patterns()], axis=1)
    return {patterns[c].tobytes(): tuple(sorted(cx.exact_vertex(int(v)) for v in cx.vertices_of(c))) for c in range(cx.n_cells)}


@pytest.mark.parametrize("seed", range(6))
def test_the_complex_is_that_of_the_ordinary_engine_cell_for_cell(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    domain = SQUARE if seed % 2 else Plane.through([0.0, 0.5], [1.0, 0.25], [-0.5, 2.0], margin=0.5)
    numbered, ordinary = both_ways(drawn(seed), domain, monkeypatch)
    assert as_sets(numbered) == as_sets(ordinary)
    assert numbered.n_regions == ordinary.n_regions
    assert np.allclose(np.sort(numbered.outputs, axis=0), np.sort(ordinary.outputs, axis=0))
    for cell in range(0, numbered.n_cells, 7):
        assert numbered.exact_map(cell).fractions() == numbered._walk.exact.output(cell).fractions()
        assert numbered.cell_at(numbered.domain.to_input(numbered.center(cell))[0]) == cell
    maps, others = numbered.bounded_input_maps(), ordinary.bounded_input_maps()
    assert maps.values.shape == others.values.shape


def test_a_lattice_needs_far_fewer_integer_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    numbered, ordinary = both_ways(drawn(11, n=6), SQUARE, monkeypatch)
    assert numbered.exact_fallbacks * 3 < ordinary.exact_fallbacks


def test_a_tie_on_a_whole_cell_leaves_both_neurons_inactive() -> None:
    # min(x, y) - min(x, y): the second layer compares a function with itself
    network = lattice(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), [[0, 1, 0, 1]])
    cx = decompose(network, SQUARE)
    second = cx.patterns()[1]
    assert cx.network is network
    assert not second[:, 2:].any()  # relu(m - m) and relu(m - m)
    assert (second[:, 0] + second[:, 1] == 1).all()  # relu(2 m) and relu(-2 m): m is zero on no cell
    assert cx.n_regions == 2


def test_networks_that_do_not_repeat_themselves_are_left_to_the_ordinary_engine() -> None:
    assert condensed(plica.random_network([2, 16, 16, 1], seed=0)) is None
    assert condensed(draw_network("residual", seed=0)) is None
    assert condensed(chain([np.eye(2)], [np.zeros(2)])) is None
    # each neuron twice, generic: functions are new on every cell, and the numbers are given up without harm
    rng = np.random.default_rng(0)
    w = rng.normal(size=(5, 2))
    network = chain([np.vstack([w, w, -w]), rng.normal(size=(12, 15)), rng.normal(size=(1, 12))],
                    [np.zeros(15), rng.normal(size=12), np.zeros(1)])  # fmt: skip
    assert condensed(network) is None  # the sums of those weights round


REPEATED = [
    [[1.0, 2.0], [-1.0, -2.0], [1.0, 2.0], [-1.0, -2.0]],
    [[1.0, 2.0], [-1.0, -2.0], [1.0, 2.0], [3.0, 2.0]],
    [[1.0, 0.0], [-1.0, -0.0], [0.0, 0.0], [0.0, -0.0]],
    [[1.0, 2.0], [-1.0, 2.0], [1.0, -2.0], [-1.0, -2.0]],
    [[0.0, 0.0]],
]


@pytest.mark.parametrize(
    "family", ["gaussian", "duplicated", "minus two", "zero neurons", "zero biases", "ternary", "tied", "lattice"]
)
def test_a_first_layer_is_told_apart_as_all_of_its_rows_would_be(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    networks = [draw_network(family, seed=seed) for seed in range(6)]
    networks += [
        Network.sequential(2, [Linear(np.array(rows)), Rectifier(), Linear(np.ones((1, len(rows))))]) for rows in REPEATED
    ]
    quick = [condensed(network) is None for network in networks]
    monkeypatch.setattr(_condensed, "_is_varied", lambda op: False)
    slow = [condensed(Network(network.nodes)) is None for network in networks]
    assert quick == slow


def test_too_many_functions_are_left_to_the_ordinary_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    network = drawn(3)
    expected = decompose(network, SQUARE).n_cells
    monkeypatch.setattr("plica.geometry.numbered._forms.MOST_FORMS", 12)
    again = decompose(network, SQUARE)
    assert again.n_cells == expected
    assert again._walk.output_forms is None


def test_cells_are_counted_by_number_too(monkeypatch: pytest.MonkeyPatch) -> None:
    numbered, _ = both_ways(drawn(4), SQUARE, monkeypatch)
    monkeypatch.undo()
    count = count_regions(drawn(4), SQUARE, cells_only=True)
    assert (count.n_cells, count.decisions) == (numbered.n_cells, numbered.decisions)


def test_budgets_hold() -> None:
    with pytest.raises(BudgetExceeded):
        decompose(drawn(5, n=8), SQUARE, budget=Budget(max_cells=10))


def test_sums_of_forms_are_exact() -> None:
    table = FormTable()
    a, b = table.number_columns(Dyadic.from_floats(np.array([[0.1, 0.3], [1e-9, 2.0], [-7.0, 0.0]]))).tolist()
    forms = [[Fraction(i) * Fraction(2) ** f[3] for i in f[:3]] for f in (table.exact[a], table.exact[b])]
    table._remember((a << 42) | (table._factor(-0.7) << 21) | b, 1)
    total = table.exact[-1]
    expected = [x - Fraction(0.7) * y for x, y in zip(*forms, strict=True)]
    assert [Fraction(i) * Fraction(2) ** total[3] for i in total[:3]] == expected
    assert table.line_number((2, 4, -6)) == table.line_number((-1, -2, 3)) != table.line_number((1, 2, 3))


@pytest.mark.parametrize("after_fold", [False, True])
def test_numbers_of_rows_are_those_of_sums_term_by_term(after_fold: bool) -> None:
    rng = np.random.default_rng(0)
    table = FormTable()
    ids = table.number_columns(Dyadic.from_floats(rng.integers(-2, 3, (3, 18)) / 4.0)).reshape(3, 6)  # three cells, six atoms
    n_before, parent = 12 if after_fold else 6, np.array([0, 0, 2, 1, 1, 0])
    positive = rng.integers(0, 2**6, (6, 1)).astype(np.uint64)
    offsets = np.array([0, 3, 3, 5, 9])
    atom, coefficient = rng.integers(0, n_before + 1, 9), rng.integers(-3, 4, 9) / 2.0
    rows = Rows(offsets, atom, coefficient, n_before, after_fold, Entries(np.arange(4), np.ones(4, np.int8), np.arange(4)))
    numbers = table.apply(rows, ids, parent, positive)

    def function(i: int) -> np.ndarray:
        return np.array([Fraction(c) * Fraction(2) ** table.exact[i][3] for c in table.exact[i][:3]], dtype=object)

    for c in range(6):
        for j in range(4):
            total = np.array([Fraction(0)] * 3, dtype=object)
            for a, factor in zip(atom[offsets[j] : offsets[j + 1]], coefficient[offsets[j] : offsets[j + 1]], strict=True):
                is_positive = bool(int(positive[c, 0]) >> int(a % 6) & 1)
                term = function(1) if a == n_before else function(ids[parent[c], a % 6])
                if after_fold and a < n_before:
                    term = (term if a < 6 else -term) * (is_positive == (a < 6))
                total = total + Fraction(factor) * term
            assert (function(numbers[c, j]) == total).all()


def test_an_order_is_settled_where_bounds_leave_it_open_and_nowhere_else() -> None:
    places, asked = [Fraction(1, 10), Fraction(1, 2), Fraction(1, 2), Fraction(9, 10)], []

    def place(i: int) -> Fraction:
        asked.append(i)
        return places[i]

    order, rank, *_ = settled_order(np.array([0.1, 0.5 + 1e-12, 0.5, 0.9]), np.full(4, 1e-9), place)
    assert sorted(asked) == [1, 2]
    assert rank.tolist() == [0, 1, 1, 2]
    assert [places[i] for i in order] == sorted(places)
    # a point that is known badly may be anywhere, also beyond its neighbor
    order, rank, *_ = settled_order(np.array([0.1, 0.2, 0.3]), np.array([1.0, 1e-9, 1e-9]),
                                      [Fraction(1, 2), Fraction(1, 5), Fraction(3, 10)].__getitem__)  # fmt: skip
    assert order.tolist() == [1, 2, 0]


def benchmark_network(n: int, instance: int = 0) -> Network:
    folder = Path(os.environ.get("PLICA_DATA", "")) / "vnncomp" / "tllverifybench_2023" / "onnx"
    path = folder / f"tllBench_n=2_N=M={n}_m=1_instance_{n // 8 - 1}_{instance}.onnx.gz"
    if not path.exists():
        pytest.skip(f"needs {path.name} of tllverifybench under PLICA_DATA/vnncomp")
    return plica.load(path)


@pytest.mark.parametrize(
    ("n", "n_cells", "n_regions"), [(8, 433, 5), (16, 3984, 21), pytest.param(24, 15652, 41, marks=pytest.mark.slow)]
)
def test_networks_of_the_lattice_benchmark(n: int, n_cells: int, n_regions: int) -> None:
    network = benchmark_network(n)
    case = Case(network, SQUARE, decompose, 0, f"tllverifybench {n}")
    for check in (check_euler, check_areas, check_edges):
        check(case)
    cx = decompose(network, SQUARE)
    assert cx.n_regions == n_regions
    assert cx.n_cells == n_cells
    x = np.random.default_rng(0).uniform(-2, 2, (200, 2))
    cells = [cx.cell_at(p) for p in x]
    maps = cx.affine_maps()
    assert np.allclose(np.einsum("ijk,ik->ij", maps.matrices[cells], x) + maps.offsets[cells], network(x), atol=1e-12)
