"""The engines on every family, held to every invariant; and every invariant on an engine that breaks it."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.geometry import Segment, decompose
from plica.geometry.plane import _deferred as _bends
from plica.network import Linear, Network, Node
from plica.testing import DOMAIN_KINDS, FAMILIES, INVARIANTS, Case, check_engine, draw_case, draw_domain, draw_network

REPORTED = {"n_networks", "n_cells", "n_regions", "exact_fallbacks", "n_checks", "seconds"}


@pytest.fixture(params=[0, 10**9], ids=["bent", "multiplied"])
def _both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large layers are reached by the kinks of their input, small ones by products: every network here goes both ways."""
    monkeypatch.setattr(_bends, "LEAST_WEIGHTS", request.param)


@pytest.mark.usefixtures("_both_ways")
@pytest.mark.parametrize("family", FAMILIES)
def test_the_engines_satisfy_every_invariant(family: str) -> None:
    report = check_engine(families=[family], n_networks=8, size="tiny")
    assert report.n_checks == 8 * len(INVARIANTS)
    check_engine(families=[family], n_networks=4, size="small", seed=100)


@pytest.mark.usefixtures("_both_ways")
@pytest.mark.parametrize("domain", DOMAIN_KINDS)
def test_the_engines_satisfy_every_invariant_over_every_domain(domain: str) -> None:
    check_engine(families=["integer", "gaussian", "residual"], n_networks=3, size="tiny", domain=domain, seed=200)


@pytest.mark.slow
@pytest.mark.usefixtures("_both_ways")
@pytest.mark.parametrize("family", FAMILIES)
def test_the_engines_satisfy_every_invariant_on_many_networks(family: str) -> None:
    check_engine(families=[family], n_networks=60, size="small", seed=1000)
    check_engine(families=[family], n_networks=15, size="medium", seed=2000)


def test_a_family_and_a_seed_are_one_network() -> None:
    for family in FAMILIES:
        a, b, other = (draw_network(family, seed=s) for s in (7, 7, 8))
        arrays = [[x for n in net.nodes for x in n.op.arrays().values()] for net in (a, b)]
        assert all(np.array_equal(x, y) for x, y in zip(*arrays, strict=True))
        assert a.nodes is not other.nodes
    network = draw_network("gaussian", seed=0)
    windows = [draw_domain(network, seed=s).window for s in (3, 3)]
    assert np.array_equal(*windows)


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="no family 'wild'"):
        draw_network("wild", seed=0)
    with pytest.raises(InvalidInput, match="no size 'giant'"):
        draw_network("gaussian", seed=0, size="giant")
    with pytest.raises(InvalidInput, match="no invariant 'beauty'"):
        check_engine(invariants=["beauty"])


def test_the_report_counts_what_was_seen() -> None:
    report = check_engine(families=["sawtooth"], invariants=["euler"], n_networks=2)
    cells = sum(draw_case("sawtooth", seed=s).complex.n_cells for s in (0, 1))
    assert (report.n_networks, report.n_checks, report.n_cells) == (2, 2, cells)
    assert set(vars(report)) == REPORTED


def test_a_failure_names_the_case_and_the_invariant() -> None:
    def no_engine(network: Network, domain: Any) -> Any:
        raise RuntimeError("out of order")

    with pytest.raises(AssertionError, match=r"draw_case\('integer', seed=4, .*invariant 'euler': RuntimeError: out of order"):
        check_engine(no_engine, families=["integer"], invariants=["euler"], n_networks=1, seed=4)


# -- engines that break one thing each -----------------------------------------------------------------------------------


class Altered:
    """A complex with some answers replaced."""

    def __init__(self, cx: Any, **answers: Any) -> None:
        self._cx, self._answers = cx, answers

    def __getattr__(self, name: str) -> Any:
        if name in self._answers:
            return self._answers[name](self._cx)
        return getattr(self._cx, name)


def altered(**answers: Callable[[Any], Any]) -> Any:
    return lambda network, domain: Altered(decompose(network, domain), **answers)


def nudged(network: Network) -> Network:
    """The network with the folds of its first layer elsewhere."""
    nodes = list(network.nodes)
    i = next(i for i, n in enumerate(nodes) if isinstance(n.op, Linear) and n.op.bias is not None)
    op = nodes[i].op
    assert isinstance(op, Linear) and op.bias is not None
    nodes[i] = Node(Linear(op.weight, op.bias + 0.0625), nodes[i].inputs, nodes[i].shape, nodes[i].name)
    return Network(tuple(nodes))


def nudged_when(condition: Callable[[Network, Any], bool]) -> Any:
    return lambda network, domain: decompose(nudged(network) if condition(network, domain) else network, domain)


def swap_sides(cx: Any) -> Any:
    sides = cx.edge_cells.copy()
    sides[0] = sides[0, ::-1]
    return sides


def first_map_for_all(cx: Any) -> Any:
    return lambda cell: cx.exact_map(0)


def shifted(cell: Any) -> Any:
    A, c = cell.affine_map
    return A, c + 1


def steeper(cell: Any) -> Any:
    A, c = cell.slice_map
    return A * (1 + 1e-5), c


BASE = draw_case("gaussian", seed=11, size="medium", domain="unit box")
SABOTAGE: dict[str, Any] = {
    "reference": nudged_when(lambda network, domain: True),
    "line": nudged_when(lambda network, domain: isinstance(domain, Segment)),
    "areas": altered(exact_vertex=lambda cx: lambda v: tuple(c / (2 if v == 0 else 1) for c in cx.exact_vertex(v))),
    "euler": altered(edges=lambda cx: cx.edges[1:]),
    "edges": altered(edge_cells=swap_sides),
    "patterns": altered(pattern=lambda cx: lambda cell: cx.pattern(max(cell, 1))),
    "folds": altered(fold_edges=lambda cx: lambda *unit: cx.fold_edges(*unit)[1:]),
    "maps": altered(exact_map=first_map_for_all),
    "outputs": altered(vertices=lambda cx: cx.vertices + 1e-3),
    "floats": altered(cells=lambda cx: [Altered(c, slice_map=steeper) for c in cx.cells]),
    "continuity": altered(exact_map=lambda cx: lambda cell: cx.exact_map((cell + 1) % cx.n_cells)),
    "regions": altered(regions=lambda cx: np.zeros(cx.n_cells, int)),
    "completeness": altered(cell_at=lambda cx: lambda x: (cx.cell_at(x) + 1) % cx.n_cells),
    "restriction": nudged_when(lambda network, domain: isinstance(domain, Segment)),
    "splitting": nudged_when(lambda network, domain: domain is not BASE.domain),
    "permutation": nudged_when(lambda network, domain: network is not BASE.network),
    "rescaling": nudged_when(lambda network, domain: network is not BASE.network),
    "dead neuron": nudged_when(lambda network, domain: network is not BASE.network),
    "doubled neuron": nudged_when(lambda network, domain: network is not BASE.network),
    "chart": nudged_when(lambda network, domain: network is not BASE.network),
    "level set": altered(level_set=lambda cx: lambda value, output: cx.level_set(value + 0.5, output)),
    "decision boundary": altered(decision_boundary=lambda cx: lambda: np.array([[[0.1, 0.2], [0.7, 0.3]]])),
}


def test_every_invariant_has_its_saboteur() -> None:
    assert set(SABOTAGE) == set(INVARIANTS)


@pytest.mark.parametrize("invariant", INVARIANTS)
def test_an_invariant_holds_for_the_engine_and_fails_for_its_saboteur(invariant: str) -> None:
    check = INVARIANTS[invariant]
    check(Case(BASE.network, BASE.domain, seed=BASE.seed))
    with pytest.raises(AssertionError, match="a saboteur"):
        # a single random point or segment may miss the damage; one of a few does not
        for seed in range(20):
            check(Case(BASE.network, BASE.domain, SABOTAGE[invariant], seed=seed, label="a saboteur"))


@pytest.mark.parametrize(
    ("invariant", "engine"),
    [
        ("areas", altered(exact_vertex=lambda cx: lambda v: (Fraction(0), Fraction(0)))),
        ("euler", altered(exact_vertex=lambda cx: lambda v: cx.exact_vertex(max(v, 1)))),
        ("euler", altered(edges=lambda cx: cx.edges[:0], n_vertices=lambda cx: cx.n_vertices - len(cx.edges))),
        ("edges", altered(neighbors=lambda cx: lambda i: [])),
        ("edges", altered(edge_layer=lambda cx: cx.edge_layer * 0)),
        ("edges", altered(edges=lambda cx: cx.edges[:-1])),
        ("regions", altered(regions=lambda cx: np.arange(cx.n_cells) + 1)),
        ("regions", altered(regions=lambda cx: np.arange(cx.n_cells), n_regions=lambda cx: cx.n_cells)),
        ("outputs", altered(outputs=lambda cx: cx.outputs + 1.0)),
        ("maps", altered(cells=lambda cx: [Altered(c, affine_map=shifted) for c in cx.cells])),
        ("floats", altered(cells=lambda cx: [Altered(c, affine_map=shifted) for c in cx.cells])),
        (
            "floats",
            altered(bounded_maps=lambda cx: lambda: cx.bounded_maps()._replace(values=cx.bounded_maps().values * (1 + 1e-7))),
        ),
        ("floats", altered(sizes=lambda cx: lambda: cx.sizes() * 1.001)),
        ("reference", altered(n_regions=lambda cx: cx.n_regions + 1)),
        ("reference", altered(exact_vertex=lambda cx: lambda v: tuple(c * 2 for c in cx.exact_vertex(v)))),
    ],
)
def test_other_damage_is_seen_too(invariant: str, engine: Any) -> None:
    case = draw_case("zero neurons", seed=0, size="small", domain="unit box", engine=engine)
    with pytest.raises((AssertionError, IndexError)):
        INVARIANTS[invariant](case)
