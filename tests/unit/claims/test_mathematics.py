"""Light mathematics: what a terminal and a page show."""

from __future__ import annotations

import pytest

from plica.claims import catalog
from plica.claims._formulas import split_formulas
from plica.claims._mathematics import to_html, to_unicode


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2^n pieces", "2ⁿ pieces"),
        ("n_1^{min(n_0, n_1/2)}", "n₁^{min(n₀, n₁/2)}"),
        ("sum_{j<=n_0} C(n_L, j)", "Σ_{j≤n₀} C(n_L, j)"),
        ("10^12 and 10^-3", "10¹² and 10⁻³"),
        ("sqrt(d) / sigma", "√d / σ"),
        ("sqrt(n + 1)", "√(n + 1)"),
        ("x -> floor(x)", "x → ⌊x⌋"),
        ("ceil(log2(n + 1)) layers", "⌈log2(n + 1)⌉ layers"),
        ("a != b", "a ≠ b"),
        ("p_{t+k}", "pₜ₊ₖ"),
        ("2 L eta / tau and xi_0", "2 L η / τ and ξ₀"),
        ("int_0^1 f(x) dx, an int or a hint_0", "∫₀¹ f(x) dx, an int or a hint_0"),
        ("the sum of the counts", "the sum of the counts"),
        ("a_snake_case_name stays", "a_snake_case_name stays"),
        ("plica.theory.lengths.relu_length_factor(n_0, pi)", "plica.theory.lengths.relu_length_factor(n_0, pi)"),
    ],
)
def test_mathematics_is_readable_in_a_terminal(text: str, shown: str) -> None:
    assert to_unicode(text) == shown


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("n lines cut a plane", []),
        ("widths 64-64-1 of L2-norm, and/or 2-dimensional (Theorem 1) in [brown2020]", []),
        ("a_snake_case_name of plica", []),
        ("with 2 ceil(log2(n + 1)) units", [r"\lceil \log _{2} (n+1) \rceil"]),
        ("(log2(1/eps))^2 + 3 of log2 lines", [r"(\log _{2} (1/\varepsilon ))^{2}+3"]),
        ("error^(-d/m) weights", [r"\word{error}^{(-d/m)}"]),
        ("a 2^n of I <= 5", ["2^{n}", r"I\le 5"]),
        ("R^d into sum_{k<=d} C(n, k) parts", ["ℝ^{d}", r"\sum _{k\le d}\,C(n,k)"]),
        ("|f - g| <= 2^{-2m-2} on [0, 1]^d.", [r"|f-g|\le 2^{-2m-2}", "[0,1]^{d}"]),
        ("floor(n_l / n_0)^{n_0}, sqrt(2 / pi)", [r"\lfloor n_{l}/n_{0} \rfloor^{n_{0}}", r"\sqrt{2/\pi }"]),
        ("variance 2 / (n_in + n_out) keeps", [r"2/(n_{\word{in}}+n_{\word{out}})"]),
        ("n = 5, d = 2", ["n=5", "d=2"]),
        ("1.11022e-15 of it. And 2e+20", []),
        ("a_j (w_j . x)^2 is", [r"a_{j}\,(w_{j}\cdot x)^{2}"]),
        ("20,000 > x_i", [r"20\word{,}000>x_{i}"]),
        ("the sum int_0^1 E[|z'(x)|] dx of it", [r"\int _{0}^{1}\,E[|z'(x)|]\,dx"]),
        ("int_X |f - g| dmu <= 1", [r"\int _{X}\,|f-g|\,d\mu \le 1"]),
        ("as in C_6 [xu2019] and dx is a step", ["C_{6}"]),
    ],
)
def test_formulas_are_found_inside_sentences(text: str, formulas: list[str]) -> None:
    parts = split_formulas(text)
    assert [tex for is_formula, tex in parts if is_formula] == formulas
    assert all(tex in text for is_formula, tex in parts if not is_formula)


def test_a_page_gets_mathml_and_code_and_no_markup_of_the_text() -> None:
    assert to_html("x_i^2 <= <script>") == (
        "<math><mrow><msubsup><mi>x</mi><mrow><mi>i</mi></mrow><mrow><mrow><mn>2</mn></mrow></mrow></msubsup></mrow></math>"
        " ≤ &lt;script&gt;"
    )
    assert to_html("plica.check('x') & more") == "<code>plica.check(&#x27;x&#x27;)</code> &amp; more"
    assert to_html("2^{<b>}").count("<b>") == 0 and "<math>" not in to_html("width of the eps-net")


def test_every_page_of_the_catalog_is_well_formed() -> None:
    from xml.etree import ElementTree

    for claim in catalog():
        for text in (claim.title, *claim.sections().values()):
            ElementTree.fromstring(f"<p>{to_html(text)}</p>")  # noqa: S314  our own


@pytest.mark.parametrize(("text", "script"), [("n g^{dn}", "dn"), ("2^{nd}", "nd"), ("x_{out}", "out")])
def test_a_word_in_braces_is_not_lost(text: str, script: str) -> None:
    assert f"<mtext>{script}</mtext>" in to_html(text)
