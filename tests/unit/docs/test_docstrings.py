"""Docstrings as HTML, formulas as MathML."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from plica_docs.docstrings import first_line, to_html

from plica._mathml import to_mathml


def nowhere(role: str, target: str) -> None:
    return None


def somewhere(role: str, target: str) -> str:
    return f"{role}/{target}"


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        (r"\frac{a}{b}", ["<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>"]),
        (r"\sigma_w^2", ["<msubsup><mi>σ</mi><mi>w</mi><mrow><mn>2</mn></mrow></msubsup>"]),
        (r"\sum_{k=1}^n k", ["<munderover><mo>∑</mo>", "<mi>n</mi>"]),
        (r"\binom{n}{k}", ['linethickness="0"', "<mo>(</mo>"]),
        (r"\mathrm{ReLU}(x - 1/2)", [">ReLU</mi>", "<mo>−</mo>"]),
        (r"\left( x \right)_+", [">)</mo>", "<msub>"]),
        (r"\hat f(\omega)", ['accent="true"', "<mi>ω</mi>"]),
        (r"2^{-2m-2}", ["<msup><mn>2</mn>", "<mn>2</mn>"]),
    ],
)
def test_formulas_become_mathml(source: str, parts: list[str]) -> None:
    text = to_mathml(source)
    ElementTree.fromstring(text)  # noqa: S314 well formed
    assert all(part in text for part in parts)


def test_every_formula_of_the_library_is_understood() -> None:
    import re
    from pathlib import Path

    import plica

    n = 0
    for path in Path(plica.__file__).parent.rglob("*.py"):
        for formula in re.findall(r":math:`([^`]+)`", path.read_text(encoding="utf-8")):
            text = to_mathml(formula.replace("\\\\", "\\"))
            ElementTree.fromstring(text)  # noqa: S314 well formed
            assert "\\" not in text.replace("\\setminus", ""), (path.name, formula)
            n += 1
    assert n > 100


def test_sections_parameters_and_examples_have_their_own_elements() -> None:
    html = to_html(
        """A sum.

        Parameters
        ----------
        x, y
            Numbers, :math:`x < y`.
        seed : int
            Of the draws.

        Examples
        --------
        >>> 1 < 2
        True
        """,
        nowhere,
    )
    assert html.startswith("<p>A sum.</p><h4>Parameters</h4><dl")
    assert "<dt><code>x, y</code></dt>" in html and "<dt><code>seed</code> : int</dt>" in html
    assert '<pre tabindex="0">&gt;&gt;&gt; 1 &lt; 2\nTrue</pre>' in html and "<mo>&lt;</mo>" in html


def test_everything_that_is_not_markup_is_escaped() -> None:
    assert to_html("a < b & ``<script>`` *so*", nowhere) == "<p>a &lt; b &amp; <code>&lt;script&gt;</code> <em>so</em></p>"


def test_names_and_sources_become_links_where_they_are_known() -> None:
    text = "See :func:`plica.decompose` and [zaslavsky1975]_."
    assert '<a href="func/plica.decompose"><code>plica.decompose</code></a>' in to_html(text, somewhere)
    assert '<a href="cite/zaslavsky1975">[zaslavsky1975]</a>' in to_html(text, somewhere)
    assert "<a" not in to_html(text, nowhere)


def test_tables_lists_and_literal_blocks_are_found() -> None:
    html = to_html(
        """Words:

        - one
          and a half
        - two

        ====  =======
        name  meaning
        ====  =======
        a     first
              still first
        ====  =======

            code = 1
        """,
        nowhere,
    )
    assert "<ul><li>one and a half</li><li>two</li></ul>" in html
    assert "<th>name</th><th>meaning</th>" in html and "<td>first still first</td>" in html
    assert '<pre tabindex="0">code = 1</pre>' in html


def test_the_first_line_is_the_first_paragraph() -> None:
    assert first_line("One\nsentence.\n\nAnother.", nowhere) == "One sentence."
    assert first_line(None, nowhere) == ""
