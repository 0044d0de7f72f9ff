"""Properties from VNN-LIB 1.0 files: declarations of X_i and Y_j, assertions of linear inequalities, ``and``, ``or``.

The files are SMT-LIB in small: nested lists of words. Nothing is evaluated; numbers become fractions. Declarations and bounds of
one variable, hundreds of thousands in files on images, are read as they stand; other statements are lists of words, limited in
number, depth and size when they are multiplied out.
"""

from __future__ import annotations

import gzip
import re
import zlib
from pathlib import Path

from plica.errors import InvalidInput
from plica.robust._property import Property
from plica.robust._vnnlib_formula import NAME, NUMBER, Formula, Node, number, shown

MAX_BYTES = 16 * 2**20
MAX_DEPTH = 200
MAX_VARIABLES = 2_000_000
MAX_WORDS = 1_000_000
"""Words and parentheses of statements that are not simple."""

_SPACE = re.compile(r"(?:\s+|;[^\n]*)*")
_TOKEN = re.compile(r"[()]|;[^\n]*|[^\s();]+")
_SIMPLE = re.compile(
    rf"\(\s*(?:declare-const\s+({NAME})\s+Real|assert\s*\(\s*([<>]=)\s+({NAME})\s+({NUMBER})\s*\))\s*\)", re.ASCII
)
"""A variable, or an inequality between a variable and a number."""


def read_vnnlib(path: str | Path) -> Property:
    """The property in a ``.vnnlib`` or ``.vnnlib.gz`` file."""
    path = Path(path)
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InvalidInput(f"{path.name} is not a gzip file: {error}.") from None
    if len(data) > MAX_BYTES:
        raise InvalidInput(f"{path.name} has more than {MAX_BYTES:,} bytes.")
    try:
        return parse_vnnlib(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise InvalidInput(f"{path.name} is not text.", hint="expected a VNN-LIB 1.0 property") from None


def parse_vnnlib(text: str) -> Property:
    """The property in a text.

    Examples
    --------
    >>> p = parse_vnnlib('''(declare-const X_0 Real) (declare-const Y_0 Real)
    ... (assert (>= X_0 -1)) (assert (<= X_0 0.5)) (assert (or (<= Y_0 0) (>= Y_0 3)))''')
    >>> q = p.queries[0]
    >>> [str(v) for v in (*q.low, *q.high)], [str(r.bound) for c in q.conjunctions for r in c]
    (['-1', '1/2'], ['0', '-3'])
    """
    reader = _Reader(text)
    reader.read()
    for letter, n in reader.counts.items():
        if not n or sum(name[0] == letter for name in reader.formula.declared) < n:
            raise InvalidInput(f"the variables {letter}_0, {letter}_1, ... are not declared without gaps.")
    return Property(reader.counts["X"], reader.counts["Y"], reader.formula.queries(reader.counts["X"]))


class _Reader:
    """One statement after the other."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.n_words = 0
        self.counts = {"X": 0, "Y": 0}
        self.formula = Formula()

    def read(self) -> None:
        text, at = self.text, 0
        while (at := self._behind_space(at)) < len(text):
            simple = _SIMPLE.match(text, at)
            if simple is None:
                statement, at = self._statement(at)
                self._obey(statement)
                continue
            at = simple.end()
            declared, relation, name, value = simple.groups()
            if declared is not None:
                self._declare(declared)
            else:
                self.formula.add_bound(relation, name, number(value))

    def _behind_space(self, at: int) -> int:
        space = _SPACE.match(self.text, at)
        return at if space is None else space.end()

    def _statement(self, at: int) -> tuple[Node, int]:
        """A list of lists and words that begins here, and where it ends."""
        stack: list[list[Node]] = [[]]
        for token in _TOKEN.finditer(self.text, at):
            word = token[0]
            self.n_words += 1
            if self.n_words > MAX_WORDS:
                raise InvalidInput(f"a property has more than {MAX_WORDS:,} words beside its bounds of single variables.")
            if word == "(":
                if len(stack) > MAX_DEPTH:
                    raise InvalidInput(f"a property nests more than {MAX_DEPTH} lists.")
                inner: list[Node] = []
                stack[-1].append(inner)
                stack.append(inner)
            elif word == ")":
                if len(stack) == 1:
                    raise InvalidInput("a property closes a list that it did not open.")
                stack.pop()
            elif word[0] != ";":
                stack[-1].append(word)
            if len(stack) == 1 and stack[0]:
                return stack[0][0], token.end()
        raise InvalidInput("a property ends inside a list.", hint="the file may be cut off")

    def _obey(self, statement: Node) -> None:
        head = statement[0] if isinstance(statement, list) and statement else statement
        if head in ("declare-const", "declare-fun"):
            name = statement[1] if len(statement) > 1 and isinstance(statement[1], str) else ""
            if re.fullmatch(NAME, name, re.ASCII) is None or statement[-1] != "Real":
                raise InvalidInput(f"{shown(statement)}: expected a real variable X_i or Y_j.")
            self._declare(name)
        elif head == "assert" and len(statement) == 2:
            self.formula.add(statement[1])
        elif head not in ("set-logic", "set-info", "set-option", "check-sat", "exit", "get-model"):
            raise InvalidInput(f"{shown(statement)} is no statement of VNN-LIB 1.0.", hint="declare-const, assert")

    def _declare(self, name: str) -> None:
        letter, number = name[0], int(name[2:])
        if number >= MAX_VARIABLES:
            raise InvalidInput(f"{name}: a property has at most {MAX_VARIABLES:,} variables.")
        canonical = f"{letter}_{number}"
        if canonical in self.formula.declared:
            raise InvalidInput(f"{name} is declared twice.")
        self.formula.declared.add(canonical)
        self.counts[letter] = max(self.counts[letter], number + 1)
