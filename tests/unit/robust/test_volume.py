"""Volumes of counterexamples: triangles by hand, samples, unions of conjunctions, numbers that are no floats."""

from fractions import Fraction

import numpy as np
import pytest

import plica
from plica.errors import PlicaError
from plica.geometry import Budget
from plica.network import Linear, Network
from plica.robust import parse_vnnlib, verify, violating_volume
from plica.robust._property import Property, Query, Row

TEXT = """(declare-const X_0 Real) (declare-const X_1 Real) (declare-const Y_0 Real)
(assert (>= X_0 -1)) (assert (<= X_0 {high})) (assert (>= X_1 -1)) (assert (<= X_1 1)) {rows}"""


def asked(rows: str, high: str = "1"):
    return parse_vnnlib(TEXT.format(rows=rows, high=high))


def total() -> Network:
    return Network.sequential(2, [Linear(np.array([[1.0, 1.0]]))])


def test_a_union_counts_what_both_hold_once():
    """x + y >= 1 or x + y >= 3/2, on a square: the larger triangle alone."""
    (found,) = violating_volume(total(), asked("(assert (or (>= Y_0 1) (>= Y_0 1.5)))"))
    assert found.exact == Fraction(1, 2) and found.volume == 4


def test_a_conjunction_is_an_intersection():
    (found,) = violating_volume(total(), asked("(assert (<= Y_0 1)) (assert (>= Y_0 -1)) (assert (>= X_0 0))"))
    assert found.exact == Fraction(3, 2)


def test_decimals_are_enclosed():
    """x <= 1/10 and x + y >= 1: the triangle over [0, 1/10], 1/200."""
    (found,) = violating_volume(total(), asked("(assert (>= Y_0 1))", high="0.1"))
    assert found.exact is None and Fraction(found.low) <= Fraction(1, 200) <= Fraction(found.high)
    assert found.high - found.low < 1e-15


@pytest.mark.parametrize("seed", range(4))
def test_samples_agree(seed):
    network = plica.random_network([2, 6, 6, 1], seed=seed)
    x = np.random.default_rng(seed).uniform(-1, 1, size=(40_000, 2))
    y = network(x)[:, 0]
    bound = float(np.quantile(y, 0.3))
    prop = asked(f"(assert (<= Y_0 {bound!r})) (assert (<= X_0 0.5))")
    (found,) = violating_volume(network, prop)
    share = float(((y <= bound) & (x[:, 0] <= 0.5)).mean())
    assert abs(found.low / 4 - share) < 4 * np.sqrt(0.25 / len(x))
    assert (found.high > 0) == (verify(network, prop).status == "sat")


def test_nothing_and_everything():
    assert violating_volume(total(), asked("(assert (<= Y_0 -5))"))[0].exact == 0
    assert violating_volume(total(), asked("(assert (<= Y_0 5))"))[0].exact == 4


def test_a_budget_that_does_not_suffice_is_an_error():
    with pytest.raises(PlicaError):
        violating_volume(plica.random_network([2, 40, 40, 1], seed=0), asked("(assert (<= Y_0 0))"), budget=Budget(max_cells=20))


def test_the_share_is_that_of_the_box():
    (found,) = violating_volume(total(), asked("(assert (>= Y_0 1))"))
    assert found.exact == Fraction(1, 2) and found.share == 1 / 8


def test_coordinates_that_are_fixed_have_no_length():
    """x + 1/4 >= 1/2 for x in [-1, 1]: three quarters of a length, of two."""
    text = TEXT.format(rows="(assert (>= Y_0 0.5))", high="1")
    text = text.replace("(>= X_1 -1)", "(>= X_1 0.25)").replace("(<= X_1 1)", "(<= X_1 0.25)")
    (found,) = violating_volume(total(), parse_vnnlib(text))
    assert found.exact == Fraction(3, 4) and found.volume == 2 and found.share == 3 / 8


def test_numbers_between_two_floats_are_rounded_to_both_sides() -> None:
    # around 1e16 floats are 2 apart: the box [1/3, 7] above it is [2, 6] inside and [0, 8] outside
    far = Fraction(10**16)
    net = Network.sequential(1, [Linear(np.array([[1.0]]))])
    always = (Row((), ((0, Fraction(-1)),), Fraction(0)),)  # -y <= 0
    query = Query((far + Fraction(1, 3),), (far + 7,), (always,))
    (found,) = violating_volume(net, Property(1, 1, (query,)))
    assert found.exact is None and found.low <= 4 * (1 + 1e-9) and found.low <= 7 - 1 / 3 <= found.high


def test_a_row_that_holds_by_itself_violates_everywhere_and_one_that_does_not_nowhere() -> None:
    net = Network.sequential(1, [Linear(np.array([[1.0]]))])
    for bound, share in ((Fraction(0), 1), (Fraction(1), 1), (Fraction(-1), 0)):
        query = Query((Fraction(0),), (Fraction(2),), ((Row((), (), bound),),))
        (found,) = violating_volume(net, Property(1, 1, (query,)))
        assert found.exact == 2 * share and found.volume == 2
