"""Which files of tests may notice an error in a module: those that name something of it, or of the modules that import it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from mutants import Mutant

import plica

_ROOT = Path(plica.__file__).parent
STEPS = 2  # of imports from an error to a name in a test
MOST = 6


@cache
def _importers() -> dict[str, set[str]]:
    """Module -> those that import from it."""
    found: dict[str, set[str]] = {}
    for path in _ROOT.rglob("*.py"):
        name = ".".join(("plica", *path.relative_to(_ROOT).with_suffix("").parts))
        if not name.endswith("__init__") and ".claims." not in name:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module:
                    found.setdefault(node.module, set()).add(name)
    return found


def _path(module: str) -> Path:
    return _ROOT / Path(*module.split(".")[1:]).with_suffix(".py")


@cache
def _names(module: str) -> frozenset[str]:
    """What a module defines: functions, classes and constants."""
    tree = ast.parse(_path(module).read_text(encoding="utf-8"))
    found = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    found |= {t.id for node in tree.body if isinstance(node, ast.Assign) for t in node.targets if isinstance(t, ast.Name)}
    return frozenset(name for name in found if len(name) > 2)


def relevant(mutant: Mutant, files: Iterable[Path]) -> list[Path]:
    """The files of tests that come first for an error, the nearest first: those that name what it is in come before others."""
    module, package = mutant.module, mutant.module.split(".")[1]
    own = {part for part in mutant.function.split(".") if not part.startswith("__")}
    files = sorted(files, key=lambda file: (package not in file.parts, not own & _words(file)))
    found = [file for file in files if file == _path(module)]
    level, seen = {module}, {module}
    for _ in range(STEPS + 1):
        names = {name for m in level for name in _names(m)}
        for file in files:
            if file not in found and file.name.startswith("test_") and names & _words(file):
                found.append(file)
        level = {other for m in level for other in _importers().get(m, ())} - seen
        seen |= level
    return found[:MOST]


@cache
def _words(file: Path) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", file.read_text(encoding="utf-8")))
