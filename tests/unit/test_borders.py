"""No private name crosses the border of a top-level package: what is needed elsewhere is public, in its package's door.

A module says what it imports. What an object is, it does not say; so a private attribute of an object other than ``self`` is
foreign when no class of the own package has it and a class of another package does.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "src" / "plica"
NAMED_TUPLES = {"_asdict", "_fields", "_make", "_replace"}  # public, by the convention of the standard library


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in NAMED_TUPLES


def modules(root: Path) -> Iterator[tuple[str, str, ast.Module]]:
    """The package, the path and the tree of every module."""
    for path in sorted(root.rglob("*.py")):
        inside = path.relative_to(root)
        yield inside.parts[0].removesuffix(".py"), str(inside), ast.parse(path.read_text(encoding="utf-8"))


def own_attributes(tree: ast.Module) -> set[str]:
    """Private names that classes of a module have: methods, fields, what they set on ``self``."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
        if not isinstance(node, ast.ClassDef):
            continue
        for entry in node.body:
            if isinstance(entry, ast.FunctionDef | ast.AsyncFunctionDef):
                found.add(entry.name)
            elif isinstance(entry, ast.AnnAssign) and isinstance(entry.target, ast.Name):
                found.add(entry.target.id)
            elif isinstance(entry, ast.Assign):
                found |= {name.id for target in entry.targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    return {name for name in found if is_private(name)}


def foreign_imports(package: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            home, *rest = name.split(".")
            if home == "plica" and rest and rest[0] != package and any(map(is_private, rest[1:])):
                yield node.lineno, f"imports {name}"


def looked_up(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Private attributes of objects other than ``self``, also by ``getattr``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
                yield node.lineno, node.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "setattr", "hasattr"):
            for value in node.args[1:2]:
                if isinstance(value, ast.Constant) and isinstance(value.value, str) and is_private(value.value):
                    yield node.lineno, value.value


def crossings(root: Path) -> list[str]:
    """Every private name that crosses a border, as ``path: what``."""
    trees = list(modules(root))
    owners: dict[str, set[str]] = defaultdict(set)
    for package, _, tree in trees:
        for name in own_attributes(tree):
            owners[name].add(package)
    found = []
    for package, path, tree in trees:
        found += [f"{path}:{line} {what}" for line, what in foreign_imports(package, tree)]
        for line, name in looked_up(tree):
            if owners[name] and package not in owners[name]:
                found.append(f"{path}:{line} reads .{name} of {', '.join(sorted(owners[name]))}")
    return found


def test_no_private_name_crosses_a_package_border() -> None:
    found = crossings(SOURCES)
    assert not found, "make it public in its package's door:\n" + "\n".join(found)


@pytest.mark.parametrize(
    "line",
    [
        "from plica.house._cellar import wine",
        "from plica.house import _cellar",
        "import plica.house._cellar",
        "x = make()._wine",
        "x = getattr(make(), '_wine')",
        "import plica.house as h; h.Cellar._bottle",
    ],
)
def test_a_look_into_another_package_is_found(tmp_path: Path, line: str) -> None:
    for package, text in {
        "house": "class Cellar:\n    _bottle = 1\n    def __init__(self):\n        self._wine = 2\n",
        "street": f"class Own:\n    _bread = 1\n{line}\n",
    }.items():
        (tmp_path / package).mkdir()
        (tmp_path / package / "_cellar.py").write_text(text)
    assert len(crossings(tmp_path)) == 1


@pytest.mark.parametrize(
    "line", ["from plica.house import Cellar", "x = Own()._bread", "from plica._tools import saw", "p._replace(a=1)"]
)
def test_public_names_own_names_and_shared_tools_are_not(tmp_path: Path, line: str) -> None:
    for package, text in {"house": "class Cellar:\n    _wine = 1\n", "street": f"class Own:\n    _bread = 1\n{line}\n"}.items():
        (tmp_path / package).mkdir()
        (tmp_path / package / "_cellar.py").write_text(text)
    assert crossings(tmp_path) == []
