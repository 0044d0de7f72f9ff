r"""Formulas inside sentences: where they begin and end, and how TeX would write them.

A formula is the longest run of letters, numbers, functions, brackets and signs that can be read as one, and that has what only
formulas have: an index, an exponent, a relation, an operation between two operands, a root. ``n lines`` has none; ``n <= 5`` has.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(r"[A-Za-z]+|\d+(?:,\d{3})+(?!\d)|\d+(?:\.\d+)?(?:e[+-]?\d+)?|<=|>=|!=|->|~~|\s+|.", re.DOTALL)
_GREEK = {
    "alpha", "beta", "gamma", "delta", "eps", "epsilon", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi", "pi", "rho",
    "sigma", "tau", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Sigma", "Phi", "Omega", "infinity",
}  # fmt: skip
_TEX_NAMES = {"eps": r"\varepsilon", "epsilon": r"\varepsilon", "infinity": r"\infty"}
_FUNCTIONS = {"log", "ln", "exp", "sin", "cos", "tan", "tanh", "max", "min", "sup", "inf", "lim", "det", "erf", "Pr"}
_LARGE = {"sum": r"\sum", "prod": r"\prod", "Sum": r"\sum", "int": r"\int"}
_WRAPPED = {"sqrt": r"\sqrt{%s}", "floor": r"\lfloor %s \rfloor", "ceil": r"\lceil %s \rceil"}
_RELATIONS = {
    "<=": r"\le ",
    ">=": r"\ge ",
    "!=": r"\ne ",
    "->": r"\to ",
    "~~": r"\approx ",
    "=": "=",
    "<": "<",
    ">": ">",
    "~": r"\sim ",
}
_OPERATIONS = {"+": "+", "-": "-", "*": r"\cdot ", "/": "/", "·": r"\cdot ", "×": r"\times "}
_CLOSING = {"(": ")", "[": "]", "|": "|"}
_ARTICLES = {"a", "A", "I"}


def split_formulas(text: str) -> list[tuple[bool, str]]:
    r"""The text in parts: prose as it is, formulas as TeX.

    Examples
    --------
    >>> split_formulas("n lines cut R^d into sum_{k<=d} C(n, k) parts")
    [(False, 'n lines cut '), (True, 'ℝ^{d}'), (False, ' into '), (True, '\\sum _{k\\le d}\\,C(n,k)'), (False, ' parts')]
    """
    tokens = _TOKEN.findall(text)
    parts: list[tuple[bool, str]] = []
    prose, i = "", 0
    while i < len(tokens):
        found = None if i and _continues_a_word(tokens[i - 1], tokens[i]) else _Reader(tokens, i).formula()
        if found is None:
            prose += tokens[i]
            i += 1
            continue
        if prose:
            parts.append((False, prose))
        parts.append((True, found[0]))
        prose, i = "", found[1]
    return [*parts, (False, prose)] if prose else parts


def _continues_a_word(before: str, token: str) -> bool:
    """Parts of names and words: the 2 of L2-norm, the d of 2-d, snake_case."""
    return before in "-_'’." or (before.isalnum() and token.isalnum())


def _is_differential(token: str) -> bool:
    return token[:1] == "d" and (token[1:] in _GREEK or (len(token) == 2 and token[1].isalpha()))


class _Unreadable(Exception):
    pass


class _Reader:
    """One formula from a place on; ``strong`` once it has what only formulas have."""

    def __init__(self, tokens: list[str], start: int) -> None:
        self.tokens, self.i, self.strong = tokens, start, False

    def formula(self) -> tuple[str, int] | None:
        if self.tokens[self.i].isspace():
            return None
        try:
            tex = self.expression()
        except _Unreadable:
            return None
        after = self.peek()
        if not self.strong or (after and (after.isalnum() or after == "_")):
            return None
        return tex, self.i

    def peek(self, skip: bool = False) -> str:
        i = self.i
        while skip and i < len(self.tokens) and self.tokens[i].isspace():
            i += 1
        return self.tokens[i] if i < len(self.tokens) else ""

    def skip(self) -> None:
        while self.i < len(self.tokens) and self.tokens[self.i].isspace():
            self.i += 1

    def expression(self, inside: bool = False) -> str:
        """Terms with signs between them; what cannot go on as a formula is left to the prose."""
        tex = self.term()
        while True:
            back, strong = self.i, self.strong
            spaced = self.peek().isspace()
            self.skip()
            sign = self.peek()
            try:
                if sign in _RELATIONS or sign in _OPERATIONS:
                    self.i += 1
                    if sign in "-/~" and spaced != self.peek().isspace():
                        raise _Unreadable  # a dash, a hyphen, and/or
                    if sign == "-" and not spaced and not inside and tex[-1].isdigit() and self.peek()[:1].isdigit():
                        raise _Unreadable  # widths: 64-64-1
                    self.skip()
                    tex += (_RELATIONS | _OPERATIONS)[sign] + self.term()
                    self.strong = True
                elif sign == "." and spaced and self.tokens[self.i + 1 : self.i + 2] == [" "]:  # an inner product
                    self.i += 1
                    self.skip()
                    tex += r"\cdot " + self.term()
                elif sign == "," and inside:
                    self.i += 1
                    self.skip()
                    tex += "," + self.term()
                elif sign and tex not in _ARTICLES and self.follows(sign, spaced, inside):
                    tex += r"\," * spaced + self.term()
                elif spaced and sign == "|" and r"\int" in tex:
                    tex += r"\," + self.term()
                elif spaced and r"\int" in tex and _is_differential(sign):  # dx, dmu
                    self.i += 1
                    tex += r"\,d" + (rf"\{sign[1:]} " if sign[1:] in _GREEK else sign[1:])
                else:
                    raise _Unreadable
            except _Unreadable:
                self.i, self.strong = back, strong
                return tex

    def follows(self, sign: str, spaced: bool, inside: bool) -> bool:
        """Whether a product without a sign goes on: ``2 n``, ``C(n, k)``, ``(m + 1) (n + 1)``."""
        if sign == "(" or (sign == "[" and not spaced):
            return True
        scripted = self.tokens[self.i + 1 : self.i + 2] in (["_"], ["^"], ["("], ["["])
        return spaced and sign[0].isalpha() and (inside or scripted) and (len(sign) == 1 or sign in _GREEK or sign in _LARGE)

    def term(self) -> str:
        minus = ""
        if self.peek() == "-":
            self.i += 1
            minus = "-"
        return minus + self.scripts(self.atom())

    def atom(self) -> str:
        sign = self.peek()
        self.i += 1
        if sign in _LARGE and self.peek() == "_":
            self.strong = True
            return _LARGE[sign] + " "
        if sign in _WRAPPED and self.peek() == "(":
            self.strong = True
            return _WRAPPED[sign] % self.group("(")[1:-1]
        if sign == "log" and self.peek() in ("2", "10"):
            self.i += 1
            return rf"\log _{{{self.tokens[self.i - 1]}}} "
        if sign in _FUNCTIONS:
            return rf"\{sign} "
        if sign in _GREEK:
            return _TEX_NAMES.get(sign, rf"\{sign}") + " "
        if len(sign) == 1 and sign.isalpha():
            return "ℝ" if sign == "R" and self.peek() == "^" else sign
        if sign.isalpha() and self.tokens[self.i : self.i + 2] == ["^", "("]:  # error^(-d / m)
            return rf"\word{{{sign}}}"
        if sign[:1].isdigit():
            number = sign.replace(",", r"\word{,}")
            return number + (self.atom() if len(self.peek()) == 1 and self.peek().isalpha() else "")  # 2m
        if sign in _CLOSING:
            self.i -= 1
            return self.group(sign)
        raise _Unreadable

    def scripts(self, base: str) -> str:
        seen = ""
        while self.peek() in ("_", "^", "!", "'"):
            mark = self.peek()
            if mark in seen and mark in "_^":
                raise _Unreadable  # snake_case_names
            seen += mark
            self.i += 1
            if mark in "!'":
                base += mark
                continue
            self.strong = True
            base += mark + "{" + self.script() + "}"
        return base

    def script(self) -> str:
        sign = self.peek()
        if sign == "{":
            return self.braces()
        if sign == "-":
            self.i += 1
            return "-" + self.script()
        if sign == "(":
            return self.group("(")
        if sign and (sign[0].isdigit() or (len(sign) == 1 and sign.isalpha()) or sign in _GREEK):
            return self.atom().strip()
        if sign in _FUNCTIONS and self.tokens[self.i + 1 : self.i + 2] == ["{"]:  # n^min{a, b}
            self.i += 1
            return rf"\{sign} \{{{self.braces()}\}}"
        if sign.isalpha():  # n_in, d_head
            self.i += 1
            return rf"\word{{{sign}}}"
        raise _Unreadable

    def braces(self) -> str:
        """What stands in braces; words are kept as words."""
        depth, j = 0, self.i
        while j < len(self.tokens):
            depth += {"{": 1, "}": -1}.get(self.tokens[j], 0)
            if depth == 0:
                break
            j += 1
        else:
            raise _Unreadable
        inner = self.tokens[self.i + 1 : j]
        self.i = j + 1
        reader = _Reader(inner, 0)
        try:
            tex = reader.expression(inside=True)
        except _Unreadable:
            tex = ""
        return tex if tex and reader.i == len(inner) else rf"\word{{{''.join(inner)}}}"

    def group(self, opening: str) -> str:
        """Something in brackets, all of it a formula."""
        self.i += 1
        self.skip()
        tex = self.expression(inside=True)
        self.skip()
        if self.peek() != _CLOSING[opening]:
            raise _Unreadable
        self.i += 1
        return f"{opening}{tex}{_CLOSING[opening]}"
