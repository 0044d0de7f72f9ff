"""Putting an error into a running process: the code of a function is exchanged, files stay as they are."""

from __future__ import annotations

import ast
import functools
import gc
import sys
import types
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from mutants import Mutant


class NotApplicable(Exception):
    """The error is in something that a running process cannot exchange."""


def apply(mutant: Mutant) -> None:
    """Make the error, for the rest of this process."""
    module = import_module(mutant.module)
    tree = mutant.tree()
    node = next(n for n in _named(tree) if n[0] == mutant.function)[1]
    if isinstance(node, ast.FunctionDef):
        function = _function(module, mutant.function)
        code = compile(tree, module.__file__ or "", "exec")
        function.__code__ = next(
            c for c in _codes(code) if c.co_qualname == mutant.function and _covers(c, node) and _same_cells(c, function)
        )
        function.__defaults__, function.__kwdefaults__ = _defaults(node, module)
    else:
        _exchange_constant(module, mutant.function, node)
    for cached in _caches():
        cached.cache_clear()


@functools.cache
def _caches() -> tuple[Any, ...]:
    """Functions that remember results; asked for once before processes fork: looking at all objects copies their pages."""
    wrappers = (found for found in gc.get_objects() if type(found) is functools._lru_cache_wrapper)
    return tuple(found for found in wrappers if (found.__module__ or "").startswith("plica"))


def prepare() -> None:
    """What children need of this process, before they are forked: caches known, objects out of the collector's sight."""
    _caches()
    gc.collect()
    gc.freeze()


def _named(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{inner.name}", inner) for inner in node.body if isinstance(inner, ast.FunctionDef))
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name):
                yield target.id, node


def _function(module: types.ModuleType, name: str) -> types.FunctionType:
    """The plain function behind decorators, properties and caches."""
    found: Any = module
    for part in name.split("."):
        found = vars(found)[part]
    for _ in range(8):
        if isinstance(found, types.FunctionType) and not hasattr(found, "__wrapped__"):
            return found
        for attribute in ("__wrapped__", "__func__", "fget", "func", "py_func"):
            if getattr(found, attribute, None) is not None:
                found = getattr(found, attribute)
                break
    raise NotApplicable(name)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _codes(constant)


def _covers(code: types.CodeType, node: ast.FunctionDef) -> bool:
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return first <= code.co_firstlineno <= node.lineno


def _same_cells(code: types.CodeType, function: types.FunctionType) -> bool:
    if code.co_freevars != function.__code__.co_freevars:
        raise NotApplicable(function.__qualname__)
    return True


def _defaults(node: ast.FunctionDef, module: types.ModuleType) -> tuple[tuple[Any, ...] | None, dict[str, Any] | None]:
    """The defaults of a definition, evaluated where it stands."""
    stub = ast.FunctionDef("stub", node.args, [ast.Pass()], [], None, None)
    for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
        argument.annotation = None
    for argument in filter(None, (node.args.vararg, node.args.kwarg)):
        argument.annotation = None
    space = dict(vars(module))
    exec(compile(ast.fix_missing_locations(ast.Module([stub], [])), "stub", "exec"), space)  # noqa: S102  our own source
    return space["stub"].__defaults__, space["stub"].__kwdefaults__


def _exchange_constant(module: types.ModuleType, name: str, node: ast.stmt) -> None:
    """Everyone who imported the constant gets the other value."""
    if isinstance(node, ast.AnnAssign):
        node = ast.Assign([node.target], node.value or ast.Constant(None))
    space = dict(vars(module))
    exec(compile(ast.fix_missing_locations(ast.Module([node], [])), "stub", "exec"), space)  # noqa: S102  our own source
    old, new = vars(module)[name], space[name]
    for other in list(sys.modules.values()):
        if getattr(other, "__name__", "").startswith("plica") and vars(other).get(name) is old:
            setattr(other, name, new)
