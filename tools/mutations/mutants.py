"""Errors: one change at a time to the source of a function, generated from its syntax tree."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PACKAGES = ("theory", "construct", "models", "measure", "dimension", "learn", "landscape", "robust", "sparse", "data")

#: What people read, and what is drawn: words, not mathematics.
_WORDS = {
    "__repr__",
    "__str__",
    "_repr_html_",
    "to_dict",
    "extra_repr",
    "plot",
    "cite",
    "describe",
    "summary",
    "rows",
    "__hash__",
}
_SKIPPED_CALLS = {
    "isinstance",
    "warn",
    "progress",
    "cast",
    "hasattr",
    "getattr",
    "zip",
    "Literal",
    "TypeVar",
    "field",
    "dataclass",
}
_SKIPPED_KEYWORDS = {"hint", "dtype", "device", "strict", "stacklevel", "copy", "keepdims", "keepdim", "repr", "order"}
_OTHER_COMPARISON = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip
_OTHER_OPERATION = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
_OTHER_NAME = {
    "min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "sin": "cos", "cos": "sin", "mean": "sum",
    "ceil": "floor", "floor": "ceil", "argmax": "argmin", "argmin": "argmax", "amax": "amin", "tril": "triu", "any": "all",
    "all": "any", "log": "log2", "log2": "log",
}  # fmt: skip
_DROPPED = {"sqrt", "exp", "log", "abs", "square", "sorted", "softmax", "relu", "T", "transpose"}


@dataclass(frozen=True)
class Mutant:
    """One error. ``function`` is the outermost function, or method of a class, or the name of a constant."""

    module: str
    function: str
    line: int
    before: str
    after: str
    start: tuple[int, int]
    end: tuple[int, int]
    reason: str = ""

    @property
    def key(self) -> str:
        """A name that changes with the text of the function and the error, and not with the lines above."""
        text = f"{self.module}\0{self.function}\0{function_text(self.module, self.function)}\0{self._place}\0{self.after}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def _place(self) -> str:
        first = first_line(self.module, self.function)
        return f"{self.start[0] - first}:{self.start[1]}-{self.end[0] - first}:{self.end[1]}"

    @property
    def place(self) -> str:
        return f"{self.module.replace('.', '/')}.py:{self.line}"

    def __str__(self) -> str:
        return f"{self.place} {self.function}: {self.before} -> {self.after}"

    def tree(self) -> ast.Module:
        """The module with the error in it."""
        changed = _Replace(self).visit(ast.parse(source(self.module)))
        return ast.fix_missing_locations(changed)


class _Replace(ast.NodeTransformer):
    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant
        self.new = ast.parse(mutant.after, mode="eval").body

    def visit(self, node: ast.AST) -> ast.AST:
        here = isinstance(node, ast.expr) and (node.lineno, node.col_offset) == self.mutant.start
        if here and (node.end_lineno, node.end_col_offset) == self.mutant.end:  # type: ignore[attr-defined]
            return ast.copy_location(self.new, node)
        return self.generic_visit(node)


@cache
def source(module: str) -> str:
    spec = find_spec(module)
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).read_text(encoding="utf-8")


def modules(packages: tuple[str, ...] = PACKAGES) -> list[str]:
    """The modules of some packages, by name."""
    found = []
    for package in packages:
        spec = find_spec(f"plica.{package}")
        assert spec is not None and spec.origin is not None
        folder = Path(spec.origin).parent
        for path in sorted(folder.rglob("*.py")):
            if path.name != "__init__.py":
                parts = path.relative_to(folder).with_suffix("").parts
                found.append(".".join(("plica", package, *parts)))
    return found


@cache
def _tops(module: str) -> dict[str, ast.stmt]:
    """Functions, methods of classes and constants of a module, by name."""
    found: dict[str, ast.stmt] = {}
    for node in ast.parse(source(module)).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{inner.name}": inner for inner in node.body if isinstance(inner, ast.FunctionDef)}
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and not target.id.startswith("__"):
                found[target.id] = node
    return found


def function_text(module: str, function: str) -> str:
    return ast.get_source_segment(source(module), _tops(module)[function]) or ""


def first_line(module: str, function: str) -> int:
    return _tops(module)[function].lineno


def locate(module: str, function: str, before: str, after: str, nth: int = 0) -> Mutant:
    """An error by its text: the expression in the function that reads ``before``; of several, the one with this number."""
    nodes = _alike(module, function, before)
    if nth >= len(nodes):
        raise LookupError(f"{module}.{function} has no {before!r} any more; write the error anew")
    node = nodes[nth]
    start, end = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
    return Mutant(module, function, node.lineno, before, after, start, end)


def number_of(mutant: Mutant) -> int:
    """Which of the expressions with its text an error is in."""
    places = [(node.lineno, node.col_offset) for node in _alike(mutant.module, mutant.function, mutant.before)]
    return places.index(mutant.start)


def mutant_of(entry: Mapping[str, Any]) -> Mutant:
    """An error as it is kept in a file."""
    names = ("module", "function", "line", "before", "after")
    return Mutant(**{name: entry[name] for name in names}, start=tuple(entry["start"]), end=tuple(entry["end"]))


def _alike(module: str, function: str, text: str) -> list[ast.expr]:
    wanted = ast.unparse(ast.parse(text, mode="eval").body)
    top = _tops(module).get(function)
    inside = ast.walk(top) if top is not None else iter(())
    return [node for node in inside if isinstance(node, ast.expr) and ast.unparse(node) == wanted]


@cache
def mutants_of(module: str) -> tuple[Mutant, ...]:
    """All errors that are made of a module's functions and constants."""
    found = []
    for name, node in _tops(module).items():
        plain = name.rpartition(".")[2]
        if plain in _WORDS or plain.startswith(("plot", "draw")) or _is_compiled(node) or _is_overload(node):
            continue
        statements = (
            [node] if not isinstance(node, ast.FunctionDef) else [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        )
        if isinstance(node, ast.FunctionDef):
            statements += node.body  # type: ignore[arg-type]
        else:
            statements = [node.value] if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value else []  # type: ignore[list-item]
        for statement in statements:
            for place in _places(statement):
                before = ast.unparse(place)
                for after in _changes(place):
                    text = ast.unparse(after)
                    if text != before:
                        start = (place.lineno, place.col_offset)
                        end = (place.end_lineno or 0, place.end_col_offset or 0)
                        found.append(Mutant(module, name, place.lineno, before, text, start, end))
    return tuple(dict.fromkeys(found))  # a + a without its first or second term is the same


def _is_compiled(node: ast.stmt) -> bool:
    """Compiled kernels have plain twins in their tests; they cannot be exchanged in a running process."""
    return isinstance(node, ast.FunctionDef) and any(ast.unparse(d).startswith("compiled") for d in node.decorator_list)


def _is_overload(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and any("overload" in ast.unparse(d) for d in node.decorator_list)


def _places(node: ast.AST) -> Iterator[ast.expr]:
    """Expressions that compute: not messages, types, guards against bad input, or texts."""
    if isinstance(node, (ast.Raise, ast.Assert, ast.JoinedStr, ast.Import, ast.ImportFrom)):
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.Call) and _called(node) in _SKIPPED_CALLS:
        return
    if isinstance(node, ast.keyword) and node.arg in _SKIPPED_KEYWORDS:
        return
    if isinstance(node, ast.If) and all(isinstance(s, ast.Raise) for s in node.body):
        for inner in node.orelse:
            yield from _places(inner)
        return
    if isinstance(node, ast.expr):
        yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_comment", "ctx"):
            continue
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, ast.AST):
                yield from _places(inner)


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else node.func.attr if isinstance(node.func, ast.Attribute) else ""


def _changes(node: ast.expr) -> Iterator[ast.expr]:
    """What may be put in an expression's place: constants, exponents, dropped terms, exchanged roles, other comparisons."""
    if isinstance(node, ast.Constant):
        yield from _constants(node.value)
    elif isinstance(node, ast.BinOp):
        yield from _operations(node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        yield node.operand
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OTHER_COMPARISON:
        yield ast.Compare(node.left, [_OTHER_COMPARISON[type(node.ops[0])]()], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values)
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)


def _constants(value: object) -> Iterator[ast.expr]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
        if value >= 2:
            yield ast.Constant(value - 1)
    elif isinstance(value, float) and value == value and abs(value) < 1e100:
        yield ast.Constant(1.2 * value if value else 0.1)


def _operations(node: ast.BinOp) -> Iterator[ast.expr]:
    kind = type(node.op)
    if kind in _OTHER_OPERATION:
        yield ast.BinOp(node.left, _OTHER_OPERATION[kind](), node.right)
    if kind in (ast.Add, ast.Sub, ast.Mult):
        yield node.left
    if kind in (ast.Add, ast.Mult):
        yield node.right
    if kind in (ast.Sub, ast.Div, ast.FloorDiv, ast.MatMult):
        yield ast.BinOp(node.right, node.op, node.left)
    if kind is ast.Pow:
        yield ast.BinOp(node.left, node.op, ast.BinOp(node.right, ast.Add(), ast.Constant(1)))
        yield node.left
    if kind is ast.Mod:
        yield node.left


def _calls(node: ast.Call) -> Iterator[ast.expr]:
    name, plain = _called(node), [a for a in node.args if not isinstance(a, ast.Starred)]
    if name in _OTHER_NAME:
        other = _OTHER_NAME[name]
        function = (
            ast.Name(other, ast.Load()) if isinstance(node.func, ast.Name) else ast.Attribute(node.func.value, other, ast.Load())
        )  # type: ignore[attr-defined]
        if not (isinstance(node.func, ast.Name) and other not in ("min", "max", "any", "all")):
            yield ast.Call(function, node.args, node.keywords)
    if name in _DROPPED and len(plain) >= 1:
        yield plain[0]
    if len(plain) >= 2 and len(plain) == len(node.args) and name not in ("range", "min", "max", "maximum", "minimum"):
        yield ast.Call(node.func, [plain[1], plain[0], *plain[2:]], node.keywords)
    if name == "range" and len(plain) == 1:
        yield ast.Call(node.func, [ast.BinOp(plain[0], ast.Sub(), ast.Constant(1))], [])
