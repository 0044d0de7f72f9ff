"""Light mathematics: what a terminal and a page show."""

from __future__ import annotations

import pytest

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
        ("a != b", "a ≠ b"),
        ("p_{t+k}", "pₜ₊ₖ"),
        ("the sum of the counts", "the sum of the counts"),
        ("a_snake_case_name stays", "a_snake_case_name stays"),
        ("plica.theory.lengths.relu_length_factor(n_0, pi)", "plica.theory.lengths.relu_length_factor(n_0, pi)"),
    ],
)
def test_mathematics_is_readable_in_a_terminal(text: str, shown: str) -> None:
    assert to_unicode(text) == shown


def test_a_page_gets_scripts_and_code_and_no_markup_of_the_text() -> None:
    assert to_html("x_i^2 <= <script>") == "x<sub>i</sub><sup>2</sup> ≤ &lt;script&gt;"
    assert to_html("plica.check('x') & more") == "<code>plica.check(&#x27;x&#x27;)</code> &amp; more"
    assert to_html("n_{l-1}") == "n<sub>l−1</sub>"
