"""Certificates where their terms are all there is: slopes at the border, ramps of high boxes, rounded lines, moved domains."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from plica.construct import Branch, Circuit, GaussianSpectrum, Polynomial, chebyshev, tree, variables
from plica.construct.errors._boxes import box_error
from plica.construct.errors._enclosure import along_chart
from plica.construct.interpolants._boxes import box_network
from plica.construct.interpolants._tree_certificate import TreeCertificate, node_slopes
from plica.construct.perceptrons import _certificate
from plica.construct.targets._intervals import Interval
from plica.construct.targets._targets import as_target
from plica.geometry import Box, Plane
from plica.network import Concat, Linear, Network, Rectifier


def test_the_slopes_of_a_node_count_at_the_border_of_its_square() -> None:
    u, v = variables(2)
    node = Branch((1 - u) * (1 - u) / 2 + (1 - v) * (1 - v) / 4, 0, 1)
    du, dv = node_slopes(node)[id(node)]  # largest at 0
    assert du >= 1 and dv >= 0.5
    node = Branch(u * u / 2 + v * v / 4, 0, 1)
    du, dv = node_slopes(node)[id(node)]  # largest at 1
    assert du >= 1 and dv >= 0.5


def test_a_tree_that_is_joined_wrongly_is_refused() -> None:
    u, v = variables(2)
    good = tree(Branch(u * v, Branch((u + v) / 2, 0, 1), 2), 2)
    certificate = good.certificate
    assert isinstance(certificate, TreeCertificate) and not certificate._joined_wrongly(good.network)
    last = good.network.nodes[-1]
    assert isinstance(last.op, Linear)
    offset = np.zeros(1) if last.op.bias is None else last.op.bias
    wrong = Network((*good.network.nodes[:-1], replace(last, op=Linear(last.op.weight, offset + 2.0**-10))))
    assert "away from the composition" in certificate._joined_wrongly(wrong)


def test_ramps_of_high_boxes_are_narrow() -> None:
    (x,) = variables(1)
    for height in (1, 16):
        found = box_network(height * x, error=0.5 * height)
        assert found.certificate is not None and found.certificate.bound <= Fraction(height) * (1 + Fraction(1, 2**30))
    flat = box_network(16 + x / 4, error=0.25)  # no change to speak of: the ramps are what costs
    assert flat.certificate is not None and flat.certificate.bound <= 2 * Fraction(0.25) * (1 + Fraction(1, 2**30))


def in_fractions(network: Network, x: Fraction) -> Fraction:
    """The first output at a number, without rounding."""
    values: list[list[Fraction]] = [[x]]
    for node in network.nodes[1:]:
        sources, op = [values[i] for i in node.inputs], node.op
        if isinstance(op, Linear):
            bias = np.zeros(len(op.weight)) if op.bias is None else op.bias
            rows = zip(op.weight.tolist(), bias.tolist(), strict=True)
            values.append([sum((Fraction(w) * u for w, u in zip(row, sources[0], strict=True)), Fraction(b)) for row, b in rows])
        elif isinstance(op, Rectifier):
            values.append([max(u, Fraction(0)) for u in sources[0]])
        else:
            assert isinstance(op, Concat)
            values.append([u for source in sources for u in source])
    return values[-1][0]


def test_sums_of_coefficients_that_are_rounded_are_within_the_bound() -> None:
    f = Polynomial([Fraction(1, 7), Fraction(1, 3), Fraction(1, 11)])
    found = chebyshev(f, 2, 1e-18)  # so many teeth that only rounding is left beside the interpolant
    missed = max(abs(in_fractions(found.network, Fraction(k, 32)) - f.exact([Fraction(k, 32)])) for k in range(-32, 33))
    assert found.certificate is not None
    assert Fraction(found.theorem["error"]) < missed <= Fraction(found.certificate.bound) < Fraction(1, 2**40)


def test_a_domain_that_is_only_moved_moves_the_target() -> None:
    target = Polynomial({(1, 0): Fraction(1), (0, 1): Fraction(2)})
    for origin in ([1.0, 0.0], [0.0, 1.0], [1.0, 3.0]):
        chart = Plane(origin, [[1.0, 0.0], [0.0, 1.0]])
        moved = along_chart(target, chart)
        assert moved.exact([Fraction(0), Fraction(0)]) == target.exact([Fraction(origin[0]), Fraction(origin[1])])


def test_a_search_on_boxes_keeps_to_its_number_of_parts() -> None:
    x, y = variables(2)
    net = Network.sequential(2, [Linear(np.array([[1.0, 1.0]])), Rectifier()])
    for most in (50, 500):
        box = Box([-1, -1], [1, 1])
        found = box_error(net, as_target(x * y, 2), box, norm="sup", tolerance=1e-9, max_parts=most)
        assert found.n_parts <= most and found.low <= 1 <= found.high


class Jump:
    """A stand-in for a target whose enclosures have no width: 5 below a third, 0 from there on."""

    n_variables = 1

    def enclose(self, x: list[Interval]) -> Interval:
        values = np.array([5.0 if Fraction(float(t)) < Fraction(1, 3) else 0.0 for t in np.atleast_1d(x[0].high)])
        return Interval(values, values)

    def first(self, x: list[Interval], i: int) -> Interval:
        return Interval(np.zeros(len(x[0].low)), np.zeros(len(x[0].low)))


def test_floats_beside_the_ends_of_an_interval_attain_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_certificate, "smooth", lambda target: target)
    low, _ = _certificate._deviation(Jump(), Fraction(0), Fraction(1, 3), Fraction(2, 3))
    assert low < 1
    low, _ = _certificate._deviation(Jump(), Fraction(0), Fraction(1, 4), Fraction(2, 3))
    assert low > 4


def test_wires_have_a_minimum_and_a_maximum() -> None:
    c = Circuit(2)
    x, y = c.inputs
    both = c.network(c.minimum(x, y), c.maximum(x, y))
    for point in ([1.0, 3.0], [3.0, 1.0], [-2.0, -5.0], [0.5, 0.5]):
        assert both(np.array(point)).tolist() == [min(point), max(point)]


@pytest.mark.parametrize("d", [1, 3, 8])
def test_frequencies_of_a_gaussian_are_drawn_by_their_lengths(d: int) -> None:
    # the density is |w| times a Gaussian's: |w sigma|^2 is chi-square with one degree more, of mean d + 1 and variance 2 (d + 1)
    n, sigma = 4000, 2.0
    frequencies, phases = GaussianSpectrum(d, sigma=sigma).sample(n, np.random.default_rng(0))
    squares = (sigma**2 * frequencies**2).sum(axis=1)
    assert abs(squares.mean() - (d + 1)) < 4.5 * np.sqrt(2 * (d + 1) / n) and not phases.any()
