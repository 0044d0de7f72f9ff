r"""Light mathematics, as docstrings write it, for the terminal and for pages.

``sum_{k<=d} C(n, k) >= 2^n`` becomes ``Σ_{k≤d} C(n, k) ≥ 2ⁿ`` in a terminal; on a page formulas inside the text are found
(``_formulas.py``) and set as MathML.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from itertools import zip_longest

from plica._mathml import to_mathml
from plica.claims._formulas import split_formulas

Script = Callable[[str], str]

_SUPER = str.maketrans(
    "0123456789+-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVW", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂ"
)
_SUB = str.maketrans("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_WORDS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "eps": "ε", "epsilon": "ε", "eta": "η", "theta": "θ", "kappa": "κ",
    "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "chi": "χ",
    "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Sigma": "Σ", "Phi": "Φ", "Omega": "Ω", "infinity": "∞",
}  # fmt: skip
_SYMBOLS = {"<=": "≤", ">=": "≥", "!=": "≠", "->": "→", "~~": "≈", " * ": " · "}
_WORD = re.compile(r"(?<![\w.])(" + "|".join(_WORDS) + r")(?=[^a-zA-Z.]|\.(?!\w)|$)")
_CODE = re.compile(r"\bplica(?:\.\w+)+(?:\((?:[^()]|\([^()]*\))*\))?")
_RULES = (
    (re.compile(r"\bsum(?=_)"), "Σ"),
    (re.compile(r"\bprod(?=_)"), "Π"),
    (re.compile(r"\bint(?=_)"), "∫"),
    (re.compile(r"\bfloor\(((?:[^()]|\([^()]*\))*)\)"), r"⌊\1⌋"),
    (re.compile(r"\bceil\(((?:[^()]|\([^()]*\))*)\)"), r"⌈\1⌉"),
    (re.compile(r"\bsqrt\((\w+)\)"), r"√\1"),
    (re.compile(r"\bsqrt\("), "√("),
    (re.compile(r"(?<![A-Za-z])R(?=\^)"), "ℝ"),
)
_LETTER = r"(?<![A-Za-z_.])([A-Za-zα-ωΓΔΘΣΠΦΩ∫]|\))"
_SIMPLE, _GROUP = r"(-?\d+|[A-Za-z](?![A-Za-z]))", r"\{([^{}]*)\}"
_SCRIPTS = [  # the inner ones first: n_{l_0} is n with the index l₀
    (re.compile(_LETTER + "_" + _SIMPLE + r"(?!_)"), re.compile(r"\^" + _SIMPLE)),
    (re.compile(_LETTER + "_" + _GROUP), re.compile(r"\^" + _GROUP)),
]


def to_unicode(text: str) -> str:
    """The text for a terminal; names of this library are left as they are.

    Examples
    --------
    >>> to_unicode("sum_{k<=d} C(n, k) >= 2^n in R^d, floor(n_l / n_0)^{n_0}; see plica.theory.regions.zaslavsky(n_1, d)")
    'Σ_{k≤d} C(n, k) ≥ 2ⁿ in ℝᵈ, ⌊nₗ / n₀⌋^{n₀}; see plica.theory.regions.zaslavsky(n_1, d)'
    """
    return _convert(text, lambda piece: _convert_piece(piece, _unicode_below, _unicode_above), str)


def to_html(text: str) -> str:
    """The text for a page, escaped: formulas as MathML, names of this library as code.

    Examples
    --------
    >>> to_html("n_0 of them, plica.decompose")
    '<math><mrow><msub><mi>n</mi><mrow><mn>0</mn></mrow></msub></mrow></math> of them, <code>plica.decompose</code>'
    """
    return _convert(text, _prose_html, lambda name: f"<code>{html.escape(name)}</code>")


def _prose_html(text: str) -> str:
    parts = []
    for is_formula, piece in split_formulas(text):
        parts.append(to_mathml(piece) if is_formula else _convert_piece(html.escape(piece), _html_below, _html_above))
    return "".join(parts)


def _convert(text: str, prose: Script, code: Script) -> str:
    pieces, names = _CODE.split(text), _CODE.findall(text)
    converted = [prose(piece) for piece in pieces]
    return "".join(piece + name for piece, name in zip_longest(converted, map(code, names), fillvalue=""))


def _convert_piece(text: str, below: Script, above: Script) -> str:
    for symbol, sign in _SYMBOLS.items():
        text = text.replace(symbol, sign).replace(html.escape(symbol), sign)
    for pattern, sign in _RULES:
        text = pattern.sub(sign, text)
    text = _WORD.sub(lambda m: _WORDS[m[1]], text)
    for lower, upper in _SCRIPTS:
        text = lower.sub(lambda m: m[1] + below(m[2]), text)
        text = upper.sub(lambda m: above(m[1]), text)
    return text


def _unicode_below(script: str) -> str:
    small = script.translate(_SUB)
    return small if _changed(script, small) else f"_{{{script}}}" if len(script) > 1 else f"_{script}"


def _unicode_above(script: str) -> str:
    small = script.translate(_SUPER)
    return small if _changed(script, small) else f"^{{{script}}}" if len(script) > 1 else f"^{script}"


def _changed(before: str, after: str) -> bool:
    return all(a != b for a, b in zip(before, after, strict=True))


def _html_below(script: str) -> str:
    return f"<sub>{script.replace('-', '−')}</sub>"


def _html_above(script: str) -> str:
    return f"<sup>{script.replace('-', '−')}</sup>"
