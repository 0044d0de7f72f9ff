"""Colors."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plica
import plica.claims
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
    assert colors[n // 2] == palette.MIDDLE.lower()
    labs = np.array([palette.to_oklab(c) for c in colors])
    steps = np.linalg.norm(np.diff(labs, axis=0), axis=1)
    for half in (steps[: n // 2], steps[n // 2 :]):
        assert half.max() / half.min() < 1.2


def test_every_layer_has_a_color():
    assert {palette.layer_color(i) for i in range(20)} == set(palette.LAYERS)


SOURCES = Path(plica.__file__).parent
LITERAL = re.compile(r"""#[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}(?=["'])|(?<![\w.])["']C\d["']""")
NAMED = re.compile(r"""colors?=\(?["'](?!none["']|inherit["'])[a-z]+["']""")


@pytest.mark.parametrize("pattern", ["*.py", "*.j2"])
def test_colors_come_from_the_palette(pattern):
    found = [
        f"{path.relative_to(SOURCES)}:{number}: {line.strip()}"
        for path in sorted(SOURCES.rglob(pattern))
        if path.name != "_palette.py"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if LITERAL.search(line) or (path.suffix == ".py" and ("ax." in line or "ax=" in line) and NAMED.search(line))
    ]
    assert not found, "take these colors from plica/_palette.py:\n" + "\n".join(found)


def test_the_search_for_literals_finds_them():
    for line in ('color="#0072B2"', "color='C0'", 'fill:#fff"', 'ax.plot(x, y, color="red")'):
        assert LITERAL.search(line) or NAMED.search(line), line
    for line in ('href="#top"', 'color="none"', "color=MEASUREMENT", '"C10"'):
        assert not LITERAL.search(line) and not NAMED.search(line), line


@pytest.mark.parametrize("paper", ["#ffffff", "#fbfaf7"])
def test_lines_are_seen_on_light_paper(paper):
    """Non-text contrast of WCAG is 3; orange, sky and purple are Okabe and Ito's and are drawn with markers or labels."""
    for color in (palette.PREDICTION, palette.MEASUREMENT, palette.BOUND, palette.ALTERNATIVE, palette.REFERENCE):
        assert palette.contrast(color, paper) >= 3


@pytest.mark.parametrize("paper", ["#101115", "#181a20", "#1d2026"])
def test_every_line_is_seen_on_dark_paper(paper):
    for color in {palette.PREDICTION, palette.BOUND, palette.REFERENCE, palette.CONTROL, *palette.SERIES, *palette.LAYERS}:
        assert palette.contrast(palette.ON_DARK[color], paper) >= 4.5


def test_categories_stay_apart_on_both_papers():
    for colors in (palette.SERIES, [palette.ON_DARK[c] for c in palette.SERIES]):
        labs = [palette.to_oklab(c) for c in colors]
        assert min(np.linalg.norm(a - b) for i, a in enumerate(labs) for b in labs[:i]) > 0.07


def test_figures_of_claims_follow_the_paper():
    evidence = plica.claims.catalog()["zaslavsky-1975"].check("quick")
    svg = evidence.svg()
    assert "light-dark(#1b1b1b, #edebe5)" in svg
    drawn = set(re.findall(r"(?:stroke|fill): (#[0-9a-f]{6})", svg))
    assert "#000000" not in drawn, "letters and axes are in ink, which turns with the paper"
