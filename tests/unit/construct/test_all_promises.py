"""What holds for each construction of smooth, step and narrow networks: sizes, sources, torch, tampering, ramps."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import torch

from plica import Segment, decompose
from plica.construct import (
    Construction,
    GaussianSpectrum,
    Perceptron,
    Polynomial,
    UnitConstruction,
    approximation_error,
    balanced_tree,
    barron,
    bernstein,
    box_network,
    deep_monomial,
    exp,
    few_layers,
    integral_network,
    max_min,
    max_min_string,
    maximum,
    multiplication,
    narrow,
    narrow_convex,
    narrow_line,
    parity,
    partition_of_unity,
    product,
    ramps,
    sawtooth,
    serialized,
    shallow_monomial,
    sin,
    spline,
    squaring,
    teeth,
    threshold,
    tree,
    triangulation,
    variables,
    wavelets,
)
from plica.errors import InvalidInput, PlicaError

(x,) = variables(1)
u, v = variables(2)

BUILT: dict[str, Callable[[], Construction]] = {
    "barron": lambda: barron(GaussianSpectrum(3), 20),
    "box_network": lambda: box_network(sin(2 * x), error=0.5),
    "deep_monomial": lambda: deep_monomial([2, 1]),
    "integral": lambda: integral_network(exp(x), 8),
    "integral of steps": lambda: integral_network(exp(x), 8, units="step"),
    "few_layers": lambda: few_layers([[1.0, 0.0], [-1.0, 1.0], [0.0, 0.0]], [[0, 1], [2]]),
    "max_min": lambda: max_min([[1.0, 0.0], [-1.0, 1.0], [0.0, 0.0]], [[0, 1], [2]]),
    "max_min_string": lambda: max_min_string([[1.0, 0.0], [-1.0, 1.0]], ["min"], low=[0.0], high=[1.0]),
    "maximum": lambda: maximum(3),
    "multiplication": multiplication,
    "narrow": lambda: narrow(sin(2 * x), 3),
    "narrow_convex": lambda: narrow_convex(u * u + v * v, 2, low=[-1, -1], high=[1, 1]),
    "narrow_line": lambda: narrow_line(sin(2 * x), error=0.5),
    "parity": lambda: parity(4),
    "ramps": lambda: ramps(threshold(sin(2 * x), error=0.5), width=2**-8),
    "serialized": lambda: serialized(spline(sin(2 * x), 4), low=[0.0], high=[1.0]),
    "shallow_monomial": lambda: shallow_monomial([2, 1]),
    "spline": lambda: spline(sin(2 * x), 4),
    "threshold": lambda: threshold(sin(2 * x), error=0.25),
    "tree": lambda: tree(balanced_tree(u * v, 4), 1),
    "triangulation": lambda: triangulation(u * v, 2),
    "wavelets": lambda: wavelets(sin(2 * x), 5, levels=6),
}


@pytest.mark.parametrize("name", BUILT)
def test_it_keeps_the_promises_of_its_theorem_and_is_the_same_in_torch(name: str) -> None:
    c = BUILT[name]()
    for promise, size in (("units", c.n_units), ("depth", c.depth)):
        assert size <= c.theorem.get(promise, size) or name == "tree"  # the depth of a tree counts its nodes
    assert c.n_weights > 0 and c.to_dict()["n_units"] == c.n_units and "<table>" in c._repr_html_()
    assert all(f"{{{key}," in c.cite() for key in c.sources) and c.sources
    points = np.random.default_rng(0).random((64, c.network.n_inputs))
    with torch.no_grad():
        there = c.module()(torch.from_numpy(points)).numpy()
    scale = 1e-9 if not isinstance(c, UnitConstruction) else 1e-9 * (1 + float(np.abs(c.network.output[0]).sum()))
    assert np.allclose(there, c(points), atol=scale)


@pytest.mark.parametrize(
    "name", ["box_network", "integral", "narrow", "narrow_line", "spline", "triangulation", "wavelets", "tree"]
)
def test_a_weight_that_moved_by_a_millionth_is_found(name: str) -> None:
    certificate = BUILT[name]().certificate
    assert certificate is not None
    rng = np.random.default_rng(7)
    for _ in range(12):
        module = BUILT[name]().module()
        parameters = [p for p in module.parameters() if p.ndim]  # a slope of zero has no dimension and no effect
        chosen = parameters[rng.integers(len(parameters))]
        with torch.no_grad():
            chosen.view(-1)[rng.integers(chosen.numel())] += 1e-6 * rng.choice([-1.0, 1.0])
        assert not certificate.verify(module)


@pytest.mark.parametrize("name", ["integral", "narrow", "wavelets"])
def test_one_unit_in_the_last_place_is_fine(name: str) -> None:
    c = BUILT[name]()
    module = c.module()
    with torch.no_grad():
        for p in (p for p in module.parameters() if p.ndim):
            p.copy_(torch.from_numpy(np.nextafter(p.numpy(), np.inf)))
            p[p.abs() < 1e-300] = 0.0
    assert c.certificate is not None and c.certificate.verify(module)


def test_ramps_agree_with_steps_away_from_their_thresholds() -> None:
    steps = threshold(sin(5 * x), error=0.25, lipschitz=5)
    r = ramps(steps, width=2**-12)
    grid = np.linspace(0.01, 0.99, 300)
    thresholds = -steps.network.hidden[0][1]
    far = np.min(np.abs(grid[:, None] - thresholds), axis=1) > 2**-11
    assert far.sum() > 200 and np.allclose(r(grid[far, None]), steps(grid[far, None]), atol=1e-9)
    assert decompose(r.network, Segment([0.0], [1.0])).n_regions >= 2 * steps.n_units - 2
    error = approximation_error(r.network, sin(5 * x), Segment([0.0], [1.0]), norm="L1")
    assert error.high <= 0.25 * (1 + 1e-6)


def test_ramps_need_steps_and_a_width() -> None:
    with pytest.raises(InvalidInput, match="step networks"):
        ramps(multiplication(), width=0.1)
    with pytest.raises(InvalidInput, match="positive, got 0"):
        ramps(Perceptron.shallow([[1.0]], [0.0], [1.0], activation="step"), width=0)
    assert threshold(Polynomial([0, 1]), error=Fraction(1, 3), lipschitz=1).n_units == 3


@pytest.mark.parametrize(
    "build",
    [
        lambda: parity("5"),  # type: ignore[arg-type]
        lambda: maximum(2.5),  # type: ignore[arg-type]
        lambda: spline("abc", 4),
        lambda: spline(sin(x), error=float("nan")),
        lambda: threshold(sin(x), error=0.1, interval=("a", "b")),  # type: ignore[arg-type]
        lambda: threshold(sin(x), error=0.1, interval=(0.0,)),  # type: ignore[arg-type]
        lambda: threshold(sin(x), error=0.1, lipschitz=float("nan")),
        lambda: box_network(None, error=0.1),
        lambda: triangulation(variables(3)[2], 2),
        lambda: deep_monomial([1.5]),  # type: ignore[list-item]
        lambda: max_min_string("a", ["max"], low=[0], high=[1]),
        lambda: narrow_convex(u * u, 2, low=[1, 1], high=[0, 0]),
        lambda: narrow(sin(x), -1),
        lambda: serialized(3, low=[0], high=[1]),  # type: ignore[arg-type]
        lambda: ramps(3, width=0.1),  # type: ignore[arg-type]
        lambda: barron(3, 4),  # type: ignore[arg-type]
        lambda: GaussianSpectrum(0),
        lambda: wavelets(sin(x), 0),
        lambda: tree(balanced_tree(u * v, 2), 0),
    ],
)
def test_arguments_that_make_no_sense_are_refused_with_a_sentence(build: Callable[[], object]) -> None:
    with pytest.raises(PlicaError):
        build()


PRINTED = [
    (squaring(5), {"units": 15, "depth": 5, "error": Fraction(1, 4**6)}),  # three units for each tooth
    (product(5), {"units": 3 * 17, "depth": 6, "error": Fraction(1, 4**5)}),
    (product(5, form="four", size=2), {"units": 2 * 17, "depth": 6, "error": Fraction(4, 4**6)}),
    (sawtooth(4), {"pieces": 16, "units": 12, "depth": 8, "error": 0}),
    (teeth([3, 2, 4]), {"pieces": 24, "units": 9, "depth": 3, "error": 0}),
    (parity(9, form="shallow"), {"units": 9, "depth": 1}),
    (parity(9, form="tree"), {"units": 16, "depth": 4}),
    (parity(9, form="folded"), {"units": 8, "depth": 4}),
    (maximum(9), {"depth": 4, "regions": 9, "error": 0}),
    (partition_of_unity(3, dimension=2), {"outputs": 16}),
    (bernstein(Polynomial([0, 1]), 5, 0.1), {"products": 10}),
    (box_network(Polynomial({(1, 1): 1}), error=0.5, lipschitz=2), {"units": 4 * 2 * 4 + 16, "depth": 2}),
]


@pytest.mark.parametrize(("built", "printed"), PRINTED, ids=lambda v: getattr(v, "name", ""))
def test_a_theorem_is_quoted_with_its_numbers(built: Construction, printed: dict[str, object]) -> None:
    assert {name: built.theorem[name] for name in printed} == printed
