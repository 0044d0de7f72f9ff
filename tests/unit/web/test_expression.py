"""Expressions: arithmetic is understood, everything else is refused quickly."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plica.errors import InvalidInput, PlicaError
from plica.web._expression import Expression

POINTS = np.array([[0.5, -0.25], [-1.0, 2.0], [0.0, 0.0]])


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("x", lambda x, y: x),
        ("2*x^2 - y/4", lambda x, y: 2 * x * x - y / 4),
        ("-x^2", lambda x, y: -(x * x)),
        ("2^-1", lambda x, y: 0.5),
        ("2^3^2", lambda x, y: 512.0),
        ("1 - 2 - 3", lambda x, y: -4.0),
        ("8/4/2", lambda x, y: 1.0),
        ("sin(3*x)*y", lambda x, y: math.sin(3 * x) * y),
        ("max(abs(x), min(y, 1)) + pi", lambda x, y: max(abs(x), min(y, 1)) + math.pi),
        ("1.5e-1 + .5", lambda x, y: 0.65),
        ("relu(x) + sign(y) + floor(1.7) + mod(5, 3)", lambda x, y: max(x, 0) + (y > 0) - (y < 0) + 1 + 2),
        ("x ** 2", lambda x, y: x * x),
        ("((((x))))", lambda x, y: x),
    ],
)
def test_arithmetic_means_what_it_says(text, function):
    values = Expression.parse(text)(POINTS)
    assert np.allclose(values, [function(x, y) for x, y in POINTS.tolist()], rtol=1e-14)


@pytest.mark.parametrize("text", ["z", "x + w", "x2", "x" * 201, "x+" * 100 + "x", ""])
def test_functions_of_more_than_two_variables_and_long_texts_are_refused(text):
    with pytest.raises(InvalidInput):
        Expression.parse(text)


@pytest.mark.parametrize("text", ["9^9^9", "exp(exp(exp(9)))", "1/x", "log(x-5)", "1/0", "9999999*9999999"])
def test_values_that_are_huge_or_undefined_are_refused_with_their_place(text):
    with pytest.raises(InvalidInput, match="at \\("):
        Expression.parse(text)(POINTS)


@settings(max_examples=120)
@given(st.text("xy0123456789.+-*/^(), sincoexplgqrtabmd", max_size=60))
def test_any_text_is_a_function_or_is_refused(text):
    try:
        values = Expression.parse(text)(POINTS)
    except PlicaError:
        return
    assert values.shape == (3,) and np.isfinite(values).all()
