"""Colors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plica.plot import palette

byte = st.integers(0, 255)


@given(byte, byte, byte)
def test_oklab_and_back_is_the_same_color(r, g, b):
    color = f"#{r:02x}{g:02x}{b:02x}"
    assert palette.from_oklab(palette.to_oklab(color)) == color


@pytest.mark.parametrize("n", [3, 21])
def test_the_signed_scale_has_its_ends_and_middle_and_even_steps(n):
    colors = palette.diverging(n)
    assert colors[0] == palette.OKABE_ITO["blue"].lower() and colors[-1] == palette.OKABE_ITO["vermilion"].lower()
    assert colors[n // 2] == "#f7f5f0"
    labs = np.array([palette.to_oklab(c) for c in colors])
    steps = np.linalg.norm(np.diff(labs, axis=0), axis=1)
    for half in (steps[: n // 2], steps[n // 2 :]):
        assert half.max() / half.min() < 1.2


def test_every_layer_has_a_color():
    assert {palette.layer_color(i) for i in range(20)} == set(palette.LAYERS)
