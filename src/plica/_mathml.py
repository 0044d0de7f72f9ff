r"""TeX, as docstrings write it, to MathML, which browsers draw and read aloud without help."""

from __future__ import annotations

import re
from html import escape

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[0-9]+(?:\.[0-9]+)?|\s+|.", re.DOTALL)
_LETTERS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "eta": "η", "theta": "θ",
    "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ",
    "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Sigma": "Σ",
    "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "infty": "∞", "emptyset": "∅", "partial": "∂", "nabla": "∇", "ell": "ℓ",
}  # fmt: skip
_OPERATORS = {
    "cdot": "·", "times": "×", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "ll": "≪",
    "gg": "≫", "approx": "≈", "sim": "∼", "in": "∈", "to": "→", "mapsto": "↦", "setminus": "∖", "odot": "⊙", "oplus": "⊕",
    "ldots": "…", "cdots": "⋯", "dots": "…", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "mid": "|", "circ": "∘",
    "subset": "⊂", "subseteq": "⊆", "cup": "∪", "cap": "∩", "langle": "⟨", "rangle": "⟩", "sum": "∑", "prod": "∏", "int": "∫",
    "top": "⊤",
}  # fmt: skip
_LARGE = {"sum", "prod", "max", "min", "sup", "inf", "lim"}
_NAMES = set("arccos arcsin arctan cos sin tan tanh exp log ln max min sup inf lim det Pr erf".split())
_SPACES = {",": "0.17em", ";": "0.28em", ":": "0.22em", " ": "0.3em", "!": "-0.17em", "quad": "1em", "qquad": "2em"}
_SIZES = {"left", "right", "Big", "big", "bigl", "bigr", "Bigl", "Bigr"}
_ACCENTS = {"hat": "^", "bar": "¯", "tilde": "~"}


def to_mathml(source: str, *, display: bool = False) -> str:
    r"""One formula; what is not understood is shown as it is written.

    Examples
    --------
    >>> to_mathml(r"2^n \le m")
    '<math><mrow><msup><mn>2</mn><mrow><mi>n</mi></mrow></msup><mo>≤</mo><mi>m</mi></mrow></math>'
    """
    return f"<math{' display=' + chr(34) + 'block' + chr(34) if display else ''}>{_Parser(source).row()}</math>"


class _Parser:
    def __init__(self, source: str) -> None:
        self.tokens = [sign for sign in _TOKEN.findall(source) if not sign.isspace()]
        self.at = 0

    def next(self) -> str:
        sign = self.tokens[self.at] if self.at < len(self.tokens) else ""
        self.at += 1
        return sign

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def row(self, end: str = "") -> str:
        """Everything up to a sign, in one row."""
        parts = []
        while self.at < len(self.tokens):
            if self.peek() == end:
                self.at += 1
                break
            parts.append(self.scripted())
        return f"<mrow>{''.join(parts)}</mrow>"

    def scripted(self) -> str:
        """An atom with what stands below and above it."""
        large = self.peek().lstrip("\\") in _LARGE and self.peek().startswith("\\")
        base, below, above = self.atom(), "", ""
        while self.peek() in ("_", "^", "'"):
            mark = self.next()
            if mark == "'":
                above += "<mo>′</mo>"
            elif mark == "_":
                below = self.atom()
            else:
                above += self.atom()
        above = f"<mrow>{above}</mrow>" if above else ""
        kinds = ("munder", "mover", "munderover") if large else ("msub", "msup", "msubsup")
        if below and above:
            return f"<{kinds[2]}>{base}{below}{above}</{kinds[2]}>"
        if below or above:
            kind = kinds[0] if below else kinds[1]
            return f"<{kind}>{base}{below or above}</{kind}>"
        return base

    def atom(self) -> str:
        sign = self.next()
        if sign == "{":
            return self.row("}")
        if sign.startswith("\\"):
            return self.command(sign[1:])
        if sign[:1].isdigit():
            return f"<mn>{sign}</mn>"
        if sign.isalpha():
            return f"<mi>{escape(sign)}</mi>"
        stretchy = ' stretchy="false"' if sign in "()[]|" else ""
        return f"<mo{stretchy}>{'−' if sign == '-' else escape(sign)}</mo>"

    def command(self, name: str) -> str:
        if name in _LETTERS:
            return f"<mi>{_LETTERS[name]}</mi>"
        if name in _OPERATORS:
            return f"<mo>{_OPERATORS[name]}</mo>"
        if name in _NAMES:
            return f"<mi>{name}</mi>" if name not in _LARGE else f"<mo>{name}</mo>"
        if name in _SPACES:
            return f'<mspace width="{_SPACES[name]}"></mspace>'
        if name in _SIZES:
            return self.atom() if self.peek() != "." else self.next() and ""
        if name in ("frac", "tfrac", "dfrac"):
            return f"<mfrac>{self.atom()}{self.atom()}</mfrac>"
        if name == "binom":
            inner = f'<mfrac linethickness="0">{self.atom()}{self.atom()}</mfrac>'
            return f"<mrow><mo>(</mo>{inner}<mo>)</mo></mrow>"
        if name == "sqrt":
            return f"<msqrt>{self.atom()}</msqrt>"
        if name in _ACCENTS:
            return f'<mover accent="true">{self.atom()}<mo>{_ACCENTS[name]}</mo></mover>'
        if name == "word":  # a word in a formula, as it is written
            return f"<mtext>{escape(self.words())}</mtext>"
        if name in ("mathrm", "text", "operatorname", "mathbb", "mathcal"):
            return f'<mi mathvariant="normal">{escape(self.words())}</mi>'
        return f"<mo>{'‖' if name == '|' else escape(name if len(name) == 1 else chr(92) + name)}</mo>"

    def words(self) -> str:
        """The letters of a group, as they are."""
        if self.peek() != "{":
            return self.next()
        self.next()
        found = []
        while self.peek() not in ("}", ""):
            found.append(self.next())
        self.next()
        return "".join(found)
