"""Tropical forms: against the network itself, brute force over all terms, and the engine's regions."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.exact import maximize
from plica.geometry import Space, decompose
from plica.measure import newton_mixed_volume, tropical_form
from plica.measure._tropical import upper_terms
from plica.network import Linear, Network, Op, Rectifier


def network(widths: tuple[int, ...], seed: int, *, convex: bool = False) -> Network:
    """Weights that are multiples of 1/4; with ``convex`` those after the first layer are not negative."""
    rng = np.random.default_rng(seed)
    ops: list[Op] = []
    for i, (n_in, n_out) in enumerate(itertools.pairwise(widths)):
        weight = rng.integers(-6, 7, (n_out, n_in)) / 4
        ops += [Linear(np.abs(weight) if convex and i else weight, rng.integers(-6, 7, n_out) / 4), Rectifier()]
    return Network.sequential(widths[0], ops[:-1])


@pytest.mark.parametrize(("widths", "seed"), [((1, 3, 2, 1), 0), ((2, 3, 1), 1), ((2, 3, 2, 1), 2), ((3, 2, 2, 1), 3)])
def test_the_difference_is_the_network_at_every_point(widths: tuple[int, ...], seed: int) -> None:
    net = network(widths, seed)
    form = tropical_form(net)
    for x in np.random.default_rng(seed).integers(-40, 41, (60, widths[0])) / 8:
        assert form(x.tolist()) == Fraction(float(net(x)[0]))  # few bits: floats do not round


@pytest.mark.parametrize("seed", range(4))
def test_terms_are_kept_when_they_are_the_maximum_somewhere(seed: int) -> None:
    rng = np.random.default_rng(seed)
    terms = [tuple(Fraction(int(c)) for c in t) for t in rng.integers(-3, 4, (12, 3))]
    kept = set()
    for t in dict.fromkeys(terms):
        rows = [[int(o[0] - t[0]), int(o[1] - t[1]), 1] for o in terms if o != t]
        bounds = [int(t[2] - o[2]) for o in terms if o != t]
        found = maximize([0, 0, 1], [*rows, [0, 0, 1]], [*bounds, 1])
        if found.status == "optimal" and found.value > 0:
            kept.add(t)
    assert set(upper_terms(terms)) == kept


@pytest.mark.parametrize(("widths", "seed"), [((1, 5, 1), 0), ((2, 4, 1), 1), ((2, 3, 3, 1), 2), ((3, 3, 2, 1), 3)])
def test_a_convex_network_has_as_many_regions_as_terms(widths: tuple[int, ...], seed: int) -> None:
    net = network(widths, seed, convex=True)
    form = tropical_form(net)
    assert form.negative.n_regions == 1
    assert form.positive.n_regions == decompose(net, Space(widths[0])).n_regions


def test_one_layer_has_a_zonotope() -> None:
    weight = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    net = Network.sequential(2, [Linear(weight, np.array([0.0, 0.5, -0.25])), Rectifier(), Linear(np.ones((1, 3)))])
    form = tropical_form(net)
    assert form.positive.newton_polytope().volume == 3  # sums of |det| over pairs of generators
    assert newton_mixed_volume([form.positive, form.positive]) == 6


def test_large_networks_and_wrong_outputs_are_refused() -> None:
    with pytest.raises(InvalidInput, match="no output"):
        tropical_form(network((2, 2, 1), 0), output=1)
    with pytest.raises(InvalidInput, match="too large"):
        tropical_form(network((2, 6, 6, 1), 0), most_terms=40)
