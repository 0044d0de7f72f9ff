"""Dependencies are true to use: what src imports is declared, what is declared is imported, extras only where they are used."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DISTRIBUTIONS = {  # where a package is imported by another name than it is installed by
    "PIL": "pillow",
    "dask_jobqueue": "dask-jobqueue",
    "distributed": "dask",  # dask[distributed]
    "google": "protobuf",
    "skdim": "scikit-dimension",
    "sklearn": "scikit-learn",
}
NOT_IMPORTED = {
    "websockets": "the server's sockets: src/plica/web/_serve.py asks uvicorn for them by name",
    "ruff": "make lint",
    "mypy": "make lint",
    "import-linter": "make lint",
    "pytest-xdist": "make test",
}
EXTRAS_AT_TOP = {"src/plica/web": {"fastapi", "starlette"}}  # modules that only `plica explore` imports


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> frozenset[tuple[str, bool]]:
    """The packages that a file imports, by distribution, and whether it does so when it is itself imported."""
    return frozenset(imported(tree_of(path)))


def called(node: ast.Call) -> str:
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))


def imported(tree: ast.AST) -> Iterator[tuple[str, bool]]:
    waiting: list[tuple[ast.AST, bool]] = [(tree, True)]
    while waiting:
        node, at_top = waiting.pop()
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        elif isinstance(node, ast.Call) and called(node) in ("import_module", "importorskip") and node.args:
            first = node.args[0]
            names = [first.value] if isinstance(first, ast.Constant) and isinstance(first.value, str) else []
        for name in names:
            package = name.split(".")[0]
            if package not in sys.stdlib_module_names and package not in ("plica", ""):
                yield DISTRIBUTIONS.get(package, package), at_top
        is_lazy = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        is_for_types = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        waiting += [(child, at_top and not is_lazy and not is_for_types) for child in ast.iter_child_nodes(node)]


def used(*folders: str) -> set[str]:
    return {name for folder in folders for path in (ROOT / folder).rglob("*.py") for name, _ in imports(path)}


def name_of(requirement: str) -> str:
    return re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0].lower()


REQUIRED = {name_of(r) for r in PROJECT["dependencies"]}
EXTRAS = {extra: {name_of(r) for r in rs} for extra, rs in PROJECT["optional-dependencies"].items() if extra != "all"}


def test_what_the_package_imports_is_declared() -> None:
    declared = REQUIRED | set().union(*EXTRAS.values())
    assert used("src") <= declared, used("src") - declared


def test_importing_the_package_needs_no_extra() -> None:
    for path in (ROOT / "src").rglob("*.py"):
        place = path.relative_to(ROOT).as_posix()
        allowed = {name for folder, names in EXTRAS_AT_TOP.items() if place.startswith(folder) for name in names}
        at_top = {name for name, is_at_top in imports(path) if is_at_top}
        assert at_top <= REQUIRED | allowed, (place, at_top - REQUIRED - allowed)


def test_what_is_required_is_imported_by_the_package() -> None:
    assert used("src") >= REQUIRED, REQUIRED - used("src")


def test_every_extra_is_used_by_what_it_is_for() -> None:
    for extra, names in EXTRAS.items():
        folders = ("src", "tests", "docs", "benchmarks") if extra in ("dev", "browser", "peers") else ("src",)
        unused = names - used(*folders) - set(NOT_IMPORTED)
        assert not unused, (extra, unused)


def test_nothing_is_declared_twice_and_all_extras_are_in_all() -> None:
    for extra, names in EXTRAS.items():
        assert not names & REQUIRED, (extra, names & REQUIRED)
    (everything,) = PROJECT["optional-dependencies"]["all"]
    listed = set(everything.removeprefix("plica[").removesuffix("]").split(","))
    assert listed == set(EXTRAS) - {"browser"}  # browsers are only for the tests


def test_nothing_speaks_of_the_absence_of_what_is_required() -> None:
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Try) and any(
                handler.type is not None and re.search("ImportError|ModuleNotFoundError", ast.unparse(handler.type))
                for handler in node.handlers
            ):
                tried = {name for part in node.body for name, _ in imported(part)}
                assert not tried & REQUIRED, (path.name, tried & REQUIRED)
