"""Verdicts against maxima that polygons in fractions give; margins of one unit in the last place; hostile properties."""

from fractions import Fraction

import numpy as np
import pytest
from tally import tally

import plica
from plica.errors import InvalidInput, PlicaError
from plica.network import Linear, Max, Rectifier
from plica.robust import Property, Query, Row, parse_vnnlib, verify
from plica.testing._reference import cells

ONE = Fraction(1)
BOX = (Fraction(-1), Fraction(-1)), (Fraction(1), Fraction(1))


def small_network(seed: int) -> plica.Network:
    """Generic, leaky, with duplicated neurons, with small integer weights, or with maxima."""
    rng = np.random.default_rng(seed)
    kind = seed % 5
    if kind == 0:
        return plica.random_network([2, *rng.integers(2, 6, size=2), 1], seed=seed)
    n, m = rng.integers(2, 6, size=2)
    draw = (lambda *s: rng.integers(-2, 3, size=s).astype(float)) if kind in (2, 3) else (lambda *s: rng.normal(size=s))
    first, bias = draw(n, 2), draw(n)
    if kind == 3:
        first, bias = np.concatenate([first, first]), np.concatenate([bias, bias])
    if kind == 4:
        first, bias = np.concatenate([first, first + 1]), np.concatenate([bias, -bias])
    fold = Max(np.arange(2 * n).reshape(n, 2)) if kind == 4 else Rectifier(np.array(0.125 if kind == 1 else 0.0))
    width = n if kind == 4 else len(first)
    ops = [Linear(first, bias), fold, Linear(draw(m, width), draw(m)), Rectifier(), Linear(draw(1, m), draw(1))]
    return plica.Network.sequential(2, ops)


def extremes(network: plica.Network) -> tuple[Fraction, Fraction]:
    """The least and the largest output on the square, by the oracle that cuts polygons."""
    chart, window = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
    corners = [v[0] for cell in cells(network, chart, window) for v in cell.outputs]
    return min(corners), max(corners)


def at_least(bound: Fraction) -> Property:
    return Property(2, 1, (Query(*BOX, ((Row((), ((0, -ONE),), -bound),),)),))


def ulp(value: Fraction) -> Fraction:
    return Fraction(float(np.spacing(abs(float(value))))) if value else Fraction(1, 2**70)


def check_planted(seed: int) -> None:
    network = small_network(seed)
    _, most = extremes(network)
    touched = verify(network, at_least(most), seed=seed)
    assert touched.status == "sat" and touched.values[0] == most
    assert verify(network, at_least(most + ulp(most)), seed=seed).status == "unsat"
    assert verify(network, at_least(most - ulp(most)), seed=seed).status == "sat"


@pytest.mark.parametrize("seed", range(30))
def test_margins_of_one_ulp_are_seen(seed):
    check_planted(seed)


@pytest.mark.endurance
@pytest.mark.parametrize("part", range(10))
def test_300_networks_with_planted_counterexamples_and_margins(part):
    for seed in range(30 * part, 30 * part + 30):
        check_planted(1000 + seed)
        tally("networks with margins of one ulp", 1)


def test_a_conjunction_needs_all_its_rows():
    """y_0 = x, y_1 = -x: y_0 >= 1/2 and y_1 >= 1/2 exclude each other, though each can be had."""
    network = plica.Network.sequential(2, [Linear(np.array([[1.0, 0.0], [-1.0, 0.0]]))])
    rows = tuple(Row((), ((i, -ONE),), Fraction(-1, 2)) for i in (0, 1))
    both, either = Query(*BOX, (rows,)), Query(*BOX, ((rows[0],), (rows[1],)))
    assert verify(network, Property(2, 2, (both,))).status == "unsat"
    assert verify(network, Property(2, 2, (either,))).status == "sat"


def test_inequalities_may_join_inputs_and_outputs():
    network = plica.Network.sequential(1, [Linear(np.array([[2.0]]))])
    text = """(declare-const X_0 Real) (declare-const Y_0 Real) (assert (>= X_0 1)) (assert (<= X_0 2))
    (assert (<= Y_0 (+ X_0 {})))"""
    assert verify(network, parse_vnnlib(text.format("0.999999"))).status == "unsat"
    answer = verify(network, parse_vnnlib(text.format("1")))
    assert answer.status == "sat" and answer.point == (ONE,)


def test_decimal_ends_are_what_they_say():
    """x <= 0.1 in decimals: the float 0.1 lies beyond, and is no counterexample."""
    network = plica.Network.sequential(1, [Linear(np.array([[1.0]]))])
    text = "(declare-const X_0 Real) (declare-const Y_0 Real) (assert (>= X_0 0)) (assert (<= X_0 0.1)) (assert (>= Y_0 {}))"
    assert verify(network, parse_vnnlib(text.format("0.1"))).point == (Fraction(1, 10),)
    assert verify(network, parse_vnnlib(text.format("0.1000000000000000055"))).status == "unsat"


def test_a_flat_box_is_a_point():
    network = plica.random_network([2, 5, 1], seed=0)
    point = (Fraction(1, 3), Fraction(1, 7))
    query = Query(point, point, ((Row((), ((0, ONE),), Fraction(100)),),))
    assert verify(network, Property(2, 1, (query,))).point == point


def test_time_is_respected():
    network = plica.random_network([5, 50, 50, 50, 1], seed=0)
    box = (Fraction(-3),) * 5, (Fraction(3),) * 5
    values = network(np.random.default_rng(0).uniform(-3, 3, size=(4096, 5)))
    bound = Fraction(float(values.max() * 1.6))
    verdict = verify(network, Property(5, 1, (Query(*box, ((Row((), ((0, -ONE),), -bound),),)),)), timeout_s=0.5)
    assert verdict.status == "timeout" and "boxes" in verdict.proof()


def test_a_property_of_other_sizes_is_refused():
    with pytest.raises(InvalidInput, match="inputs"):
        verify(plica.random_network([3, 4, 1], seed=0), at_least(ONE))


HEAD = "(declare-const X_0 Real)(declare-const Y_0 Real)"
IN = "(assert (<= X_0 1))(assert (>= X_0 0))"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(",
        ")",
        "(" * 1000,
        "hello",
        HEAD,
        HEAD + "(assert (<= X_0 1))",
        HEAD + IN + "(assert (< Y_0 1))",
        HEAD + IN + "(assert (<= Y_1 1))",
        HEAD + IN + "(assert (<= (* Y_0 Y_0) 1))",
        HEAD + IN + "(assert (<= Y_0 1e999999))",
        HEAD + IN + "(assert (<= Y_0 0x10))",
        HEAD + IN + "(assert (<= Y_0))",
        HEAD + IN + "(assert ())",
        HEAD + IN + "(assert (<= Y_0 ()))",
        HEAD + IN + "(assert (or (and (<= Y_0 1)) (nand (<= Y_0 1))))",
        HEAD + "(declare-const X_0 Real)" + IN,
        "(declare-const X_1 Real)(declare-const Y_0 Real)",
        "(declare-const Z_0 Real)",
        "(declare-const X_999999999999 Real)",
        HEAD + IN + "(assert " + "(or (<= Y_0 1) (<= Y_0 2))" * 2 + ")",
        HEAD + IN + "(assert (or (<= Y_0 1) (<= Y_0 2)))" * 16,
        HEAD + IN + "(push 1)",
    ],
)
def test_broken_properties_get_an_error_of_ours(text):
    with pytest.raises(PlicaError):
        parse_vnnlib(text)


def test_a_contradiction_among_numbers_is_unsat():
    network = plica.Network.sequential(1, [Linear(np.array([[1.0]]))])
    assert verify(network, parse_vnnlib(HEAD + IN + "(assert (<= 1 0)) (assert (<= Y_0 5))")).status == "unsat"
    assert verify(network, parse_vnnlib(HEAD + IN + "(assert (>= X_0 2)) (assert (<= Y_0 5))")).status == "unsat"


def test_products_with_numbers_have_their_factors():
    network = plica.Network.sequential(1, [Linear(np.array([[1.0]]))])
    apart = "(assert (<= (* 3 Y_0) 2)) (assert (>= (* Y_0 0.5) {}))"  # y <= 2/3, and y >= 4/5 or 3/5
    assert verify(network, parse_vnnlib(HEAD + IN + apart.format("0.4"))).status == "unsat"
    assert verify(network, parse_vnnlib(HEAD + IN + apart.format("0.3"))).status == "sat"
