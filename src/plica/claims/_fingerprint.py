"""The fingerprint of a claim's code: its own module and what it uses of its neighbors, without words and pictures."""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

_CLAIMS = "plica.claims"


def fingerprint(module: str) -> str:
    """Sixteen digits that change when the code behind a claim does.

    It covers the module of the claim and the modules below ``plica.claims`` that it imports, directly or not, except the frame
    that all claims share. Comments, docstrings, layout and functions that draw on axes do not count.

    Examples
    --------
    >>> fingerprint("plica.claims.regions.zaslavsky_1975") == fingerprint("plica.claims.regions.zaslavsky_1975")
    True
    """
    digest = hashlib.sha256()
    for name in sorted(modules_of(module)):
        digest.update(f"{name}\0{_code(name)}\0".encode())
    return digest.hexdigest()[:16]


def modules_of(module: str) -> set[str]:
    """The module, and those below ``plica.claims`` that it imports, directly or not; without the shared frame."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _imports(name)
    return found


@cache
def _tree(name: str) -> ast.Module:
    spec = find_spec(name)
    assert spec is not None and spec.origin is not None
    return ast.parse(Path(spec.origin).read_text(encoding="utf-8"))


def _imports(name: str) -> list[str]:
    """Modules inside topics; ``plica.claims._row`` and its like are the frame."""
    found = []
    for node in ast.walk(_tree(name)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(_CLAIMS + "."):
            if node.module.split(".")[2].startswith("_"):
                continue
            candidates = [node.module] if node.module.count(".") >= 3 else [f"{node.module}.{a.name}" for a in node.names]
            found += [c for c in candidates if c.count(".") == 3]
    return found


@cache
def _code(name: str) -> str:
    return ast.dump(_Bare().visit(ast.parse(ast.unparse(_tree(name)))))


class _Bare(ast.NodeTransformer):
    """Without docstrings, without functions that draw, without imports for type checkers."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | None:
        draws = any(isinstance(a.annotation, ast.Name) and a.annotation.id == "Axes" for a in node.args.args)
        return None if draws else self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | None:
        is_for_types = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return None if is_for_types else self.generic_visit(node)


#: Packages that show or run claims and are used by none.
_ABOVE = frozenset({"cli", "exercises", "lectures", "notebook", "report", "sweeps", "testing", "web"})


def digest(module: str) -> str:
    """Sixteen digits that change when any file does that a claim's check may use, words and pictures included.

    Wider than :func:`fingerprint`: it covers the library below the claims and the versions of what that stands on.

    Examples
    --------
    >>> digest("plica.claims.regions.zaslavsky_1975") == digest("plica.claims.regions.zaslavsky_bounded")
    False
    """
    found = hashlib.sha256(_library().encode())
    for name in sorted(modules_of(module)):
        found.update(f"{name}\0{ast.unparse(_tree(name))}\0".encode())
    return found.hexdigest()[:16]


@cache
def _library() -> str:
    """Of all files that are no claim's own and above which the claims stand."""
    top = Path(__file__).parents[1]
    found = hashlib.sha256()
    for path in sorted(top.rglob("*.py")):
        parts = path.relative_to(top).parts
        is_page = parts[0] == "claims" and len(parts) > 2
        if parts[0] not in _ABOVE and not is_page:
            found.update("/".join(parts).encode() + b"\0" + path.read_bytes() + b"\0")
    for package in ("numpy", "scipy", "matplotlib", "torch"):
        try:
            found.update(f"{package} {version(package)}".encode())
        except PackageNotFoundError:
            continue
    return found.hexdigest()
