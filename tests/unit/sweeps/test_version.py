"""The version of a function's code changes when the code does."""

import functools
import importlib.util
import linecache

import pytest

from plica.errors import InvalidInput
from plica.sweeps import Sweep
from plica.sweeps._version import code_version

BASE = """
FACTOR = 2

class Model:
    def value(self):
        return helper(1)

def helper(x):
    return x * FACTOR

def unrelated():
    return 0

def f(n, seed):
    # a comment
    return {"x": Model().value() + n}
"""


@pytest.fixture
def version(tmp_path):
    """The version of f in a module with the given text."""

    def of(text, name="module_under_test"):
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        linecache.clearcache()
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return code_version(module.f)

    return of


def test_same_code_has_the_same_version_wherever_it_is(version):
    assert version(BASE) == version(BASE, name="elsewhere") == version("\n\n" + BASE)


@pytest.mark.parametrize(
    ("old", "new"),
    [("+ n", "- n"), ("x * FACTOR", "x + FACTOR"), ("FACTOR = 2", "FACTOR = 3"), ("helper(1)", "helper(2)")],
    ids=["the function", "a helper it calls", "a constant the helper names", "a class it uses"],
)
def test_version_changes_with(version, old, new):
    assert version(BASE) != version(BASE.replace(old, new))


def test_version_ignores_what_the_function_does_not_name(version):
    assert version(BASE) == version(BASE.replace("return 0", "return 1"))


def make(k):
    def f(seed):
        return {"x": k}

    return f


def test_closure_is_part_of_the_version():
    assert code_version(make(1)) == code_version(make(1)) != code_version(make(2))


def test_bound_arguments_are_part_of_the_version():
    first, second = (functools.partial(make, k=k) for k in (1, 2))
    assert code_version(first) != code_version(second)


def test_closure_that_cannot_be_compared_asks_for_a_version():
    with pytest.raises(InvalidInput, match="version"):
        code_version(make(object()))


def test_label_of_the_user_is_part_of_the_version():
    assert Sweep(make, grid={"k": [1]}).code != Sweep(make, grid={"k": [1]}, version="2").code


def test_function_without_source_has_a_version_that_follows_its_code():
    def compiled(text):
        space = {"__name__": "console"}
        code = compile(text, "<console>", "exec")
        import types

        return types.FunctionType(code.co_consts[0], space, "f")

    one, same, other = (code_version(compiled(f"def f(seed):\n    return {{'x': {k}}}")) for k in ("1", "1", "2"))
    assert one == same != other


def test_object_with_call_follows_its_class_and_attributes():
    class Model:
        def __init__(self, k):
            self.k = k

        def __call__(self, seed):
            return {"x": self.k}

    assert code_version(Model(1)) == code_version(Model(1)) != code_version(Model(2))
