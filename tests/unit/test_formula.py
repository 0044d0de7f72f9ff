"""Formulas: one grammar, understood alike where floats are computed and where values are enclosed; everything else is refused."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plica._formula import FUNCTIONS, MAX_CHARACTERS, MAX_NESTING, MAX_PARTS, Formula
from plica.construct.targets._formulas import parse_expression
from plica.construct.targets._intervals import Interval
from plica.errors import InvalidInput, PlicaError
from plica.web._expression import OPERATIONS, Expression

POINTS = np.array([[0.5, 0.25], [0.75, 2.0], [0.125, 0.625]])


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("2*x^2 - y/4", lambda x, y: 2 * x * x - y / 4),
        ("-x^2", lambda x, y: -(x * x)),
        ("+x - -y", lambda x, y: x + y),
        ("2^-1", lambda x, y: Fraction(1, 2)),
        ("2^3^2", lambda x, y: 512),
        ("1 - 2 - 3", lambda x, y: -4),
        ("8/4/2", lambda x, y: 1),
        ("2 + 3*4", lambda x, y: 14),
        ("(2 + 3)*4", lambda x, y: 20),
        ("1.5e-1 + .5", lambda x, y: Fraction(13, 20)),
        ("x ** 2 * x0 + x1", lambda x, y: x**3 + y),
        ("max(abs(-x), min(y, 1))", lambda x, y: max(x, min(y, Fraction(1)))),
        ("relu(x - 1) + relu(y - x)", lambda x, y: max(x - 1, Fraction(0)) + max(y - x, Fraction(0))),
        ("((((x))))", lambda x, y: x),
    ],
)
def test_arithmetic_means_what_it_says_in_rationals_and_in_floats(text, function):
    f, g = parse_expression(text), Expression.parse(text)
    for x, y in POINTS.tolist():
        exact = function(Fraction(x), Fraction(y))
        assert f.exact([Fraction(x), Fraction(y)]) == exact
        assert g(np.array([[x, y]]))[0] == pytest.approx(float(exact), rel=1e-15)


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("sin(3*x)*y + cos(y)", lambda x, y: math.sin(3 * x) * y + math.cos(y)),
        ("tan(x) - tanh(2*y)", lambda x, y: math.tan(x) - math.tanh(2 * y)),
        ("exp(-x) + log(y) * sqrt(x)", lambda x, y: math.exp(-x) + math.log(y) * math.sqrt(x)),
        ("cos(pi*x) + e^2", lambda x, y: math.cos(math.pi * x) + math.e**2),
        ("pi - y", lambda x, y: math.pi - y),
    ],
)
def test_functions_are_those_of_the_c_library_and_their_enclosures_are_narrow(text, function):
    f, g = parse_expression(text), Expression.parse(text)
    expected = np.array([function(x, y) for x, y in POINTS.tolist()])
    assert np.allclose(g(POINTS), expected, rtol=1e-14)
    assert np.allclose(f(POINTS), expected, rtol=1e-13)
    box = f.enclose([Interval.of(POINTS[:, 0]), Interval.of(POINTS[:, 1])])
    assert (box.low <= expected + 1e-13).all() and (expected - 1e-13 <= box.high).all()
    assert (box.high - box.low < 1e-12).all()


def test_pi_lies_strictly_inside_its_enclosure():
    mpmath = pytest.importorskip("mpmath")
    box = parse_expression("pi").enclose([])
    with mpmath.workprec(200):
        assert mpmath.mpf(float(box.low)) < mpmath.pi < mpmath.mpf(float(box.high))


def test_every_function_of_the_grammar_has_a_meaning_or_a_refusal_everywhere():
    for name, arity in FUNCTIONS.items():
        text = f"{name}({', '.join(['x'] * arity)})"
        assert name in OPERATIONS and np.isfinite(Expression.parse(text)(POINTS)).all()
        if name in ("sign", "floor", "mod"):
            with pytest.raises(InvalidInput, match="not continuous"):
                parse_expression(text)
        else:
            assert np.allclose(parse_expression(text)(POINTS), Expression.parse(text)(POINTS))


@st.composite
def trees(draw, depth=3):
    """A fully bracketed text and its value at x = 3/4, computed beside it."""
    kind = draw(st.sampled_from("nx" if depth == 0 else "nx+-*/^u"))
    if kind == "n":
        digits = draw(st.integers(0, 999))
        return f"{digits / 8}", Fraction(digits, 8)
    if kind == "x":
        return "x", Fraction(3, 4)
    if kind == "u":
        text, value = draw(trees(depth - 1))
        return f"(-{text})", -value
    a, left = draw(trees(depth - 1))
    if kind == "^":
        n = draw(st.integers(0, 3))
        return f"({a})^{n}", left**n
    b, right = draw(trees(depth - 1))
    if kind == "/" and right == 0:
        kind = "*"
    value = {"+": left + right, "-": left - right, "*": left * right}.get(kind)
    return f"({a} {kind} {b})", left / right if value is None else value


@given(trees())
def test_bracketed_formulas_have_the_value_that_was_built_beside_them(tree):
    text, value = tree
    assert parse_expression(text).exact([Fraction(3, 4)]) == value


HOSTILE = [
    "", "  ", "x +", "(x", "x)", "x y", "2x", "sin x", "sin(x, y)", "min(x)", "sin()", "import os", "__import__('os')",
    "x.__class__", "lambda: 1", "[x]", "x if x else y", "'a'", "x;y", "x=1", "os.system", "1e999", "x" * (MAX_CHARACTERS + 1),
    "(" * 50 + "x" + ")" * 50, "-" * 60 + "x", "^".join("9" * 60), "x @ y", "exec(x)", "\u0445", "x\0", "x\n+1", "x100", "x-1x",
    "sin(" * 30 + "x" + ")" * 30, "1_000", "0x10", "1j", "\uff11", "x\u00b2", "\u0661", "True", "nan", "inf", "x1.5", "y2",
    "x+" * 999 + "x", "x*" * 999 + "x", "x/" * 999 + "x",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_everything_outside_the_grammar_is_refused(text):
    for read in (Formula.parse, parse_expression, Expression.parse):
        with pytest.raises(InvalidInput) as refused:
            read(text)
        assert len(str(refused.value)) < 400


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x + foo", "unexpected 'foo' at character 5"),
        ("sqr(x)", "did you mean sqrt"),
        ("3 x", "write \\* between factors"),
        ("(x)(y)", "write \\* between factors"),
        ("x + sin y", "sin at character 5 needs brackets"),
        ("y*max(x)", "max at character 3 takes 2 values, got 1"),
        ("x *", "ends too early, after character 3"),
        ("x + 1e400", "number at character 5 is too large"),
        ("1 + " + "(" * MAX_NESTING + "x" + ")" * MAX_NESTING, f"nested more than {MAX_NESTING} times at character"),
    ],
)
def test_errors_say_where_and_what_to_do(text, message):
    with pytest.raises(InvalidInput, match=message):
        Formula.parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x/(1 - 1)", "divides by zero at character 2"),
        ("0^-2", "divides by zero at character 2"),
        ("x^y", "power at character 2 is not an integer"),
        ("x^0.5", "hint: sqrt"),
        ("x^65", "up to 64"),
        ("((9^64)^64)^64", "bits"),
        ("1e300*1e300*1e300*1e300*1e300", "bits"),
        ("x + floor(y)", "floor at character 5 is not continuous"),
    ],
)
def test_what_has_no_certified_meaning_is_refused_with_its_place(text, message):
    with pytest.raises(InvalidInput, match=message):
        parse_expression(text)


@pytest.mark.parametrize("sign", "+-*/")
def test_the_longest_formulas_are_differentiated_and_enclosed(sign):
    f = parse_expression(sign.join(["(x+2)"] * (MAX_PARTS // 4)))
    assert np.isfinite(f.derivative(0).enclose([Interval.of(np.array([1.0]))]).high).all()


@settings(max_examples=200)
@given(st.one_of(st.text(max_size=30), st.text("xyzwe0123456789.+-*/^(), sincoexplgqrtabmd", max_size=60)))
def test_any_text_is_a_formula_or_is_refused(text):
    for read in (Formula.parse, parse_expression):
        try:
            read(text)
        except PlicaError:
            continue
