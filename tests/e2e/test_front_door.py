"""The front door: light, explicit, and the same in its three places."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import plica

HEAVY = ("torch", "numba", "matplotlib", "scipy", "onnx", "dask", "fastapi", "jinja2")


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def best_of(n: int, code: str) -> float:
    """The least processor time; wall time would measure what else the machine does."""
    return min(float(run_python(code)) for _ in range(n))


def test_importing_plica_imports_nothing_heavy():
    code = f"import sys, plica; print([m for m in {HEAVY} if m in sys.modules])"
    assert run_python(code) == "[]"


def test_importing_plica_takes_less_than_three_tenths_of_a_second():
    code = "import time; t = time.process_time(); import plica; print(time.process_time() - t)"
    assert best_of(3, code) < 0.3


def test_help_of_the_command_imports_nothing_heavy_and_starts_in_half_a_second():
    code = (
        "import sys, time, io, contextlib; t = time.process_time()\n"
        "from plica.cli import app\n"
        "with contextlib.redirect_stdout(io.StringIO()): app(['--help'], standalone_mode=False)\n"
        f"assert not [m for m in {HEAVY} if m in sys.modules]\n"
        "print(time.process_time() - t)"
    )
    assert best_of(3, code) < 0.5


def test_every_public_name_is_there():
    for name in plica.__all__:
        assert getattr(plica, name) is not None
    assert set(plica.__all__) <= set(dir(plica))


def test_a_name_is_the_object_of_its_room():
    import plica.errors

    assert plica.PlicaError is plica.errors.PlicaError


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'decomposse'"):
        _ = plica.decomposse


def test_table_list_and_type_imports_name_the_same_things():
    tree = ast.parse(Path(plica.__file__).read_text(encoding="utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    typed = {
        (imported.module, alias.name)
        for block in blocks
        for imported in block.body
        if isinstance(imported, ast.ImportFrom)
        for alias in imported.names
    }
    assert typed == {(room, name) for room, names in plica._ROOMS.items() for name in names}
    assert {name for _, name in typed} | {"__version__"} == set(plica.__all__)


def test_the_front_door_has_at_most_sixty_names():
    assert len(plica.__all__) <= 60


def test_rooms_below_plot_import_it_only_inside_a_method_named_plot():
    source = Path(plica.__file__).parent
    for room in (
        "network",
        "geometry",
        "measure",
        "dimension",
        "theory",
        "construct",
        "models",
        "data",
        "learn",
        "claims",
        "sweeps",
    ):
        for path in sorted((source / room).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            methods = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "plot"]
            allowed = {id(inner) for method in methods for inner in ast.walk(method)}
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("plica.plot"):
                    assert id(node) in allowed, f"{path.name}, line {node.lineno}"
