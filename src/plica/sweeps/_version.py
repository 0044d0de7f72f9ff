"""The version of a function's code: results of other code are never taken for its own.

The version covers the function's source, its closure and bound arguments, the functions, classes and immutable constants of
the same module that it names (and those that these name), and the version of Plica. It does not cover other modules.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

from plica.errors import InvalidInput
from plica.sweeps._canonical import digest, dumps, plain


def code_version(function: Callable[..., Any], *, label: str = "", constants: bool = True) -> str:
    """A digest of the code behind ``function``.

    Parameters
    ----------
    function
        A function, a ``functools.partial`` of one, or an object with ``__call__``.
    label
        The user's own version, mixed in.
    constants
        Whether the values of module constants and closures count. Without them the digest compares code on two machines.
    """
    from plica import __version__

    parts = [f"plica {__version__}", f"label {label}"]
    _collect(function, parts, set(), constants)
    return digest("\0".join(parts))[:16]


def _collect(thing: Any, parts: list[str], seen: set[int], constants: bool) -> None:
    if isinstance(thing, functools.partial):
        _collect(thing.func, parts, seen, constants)
        if constants:
            parts.append("bound " + _value({"args": thing.args, "keywords": thing.keywords}))
        return
    thing = inspect.unwrap(thing)
    if isinstance(thing, types.MethodType):
        if constants:
            parts.append("self " + _value(thing.__self__))
        thing = thing.__func__
    if not isinstance(thing, (types.FunctionType, type)):
        _collect(type(thing), parts, seen, constants)
        if constants:
            parts.append("self " + _value(vars(thing) if hasattr(thing, "__dict__") else {}))
        return
    if id(thing) in seen:
        return
    seen.add(id(thing))
    parts.append("source " + _source(thing))
    if isinstance(thing, type):
        functions = [member for _, member in sorted(vars(thing).items()) if isinstance(member, types.FunctionType)]
        for function in functions:
            _collect_named(function, parts, seen, constants)
    else:
        _collect_named(thing, parts, seen, constants)


def _collect_named(function: types.FunctionType, parts: list[str], seen: set[int], constants: bool) -> None:
    """What the function's body names: cells of its closure, and things of its own module."""
    space = function.__globals__
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        inner = cell.cell_contents
        if isinstance(inner, (types.FunctionType, type)):
            _collect(inner, parts, seen, constants)
        elif constants and not isinstance(inner, types.ModuleType):
            parts.append(f"closure {name} {_value(inner)}")
    for name in sorted(_names(function.__code__)):
        thing = space.get(name)
        if isinstance(thing, (types.FunctionType, type)) and thing.__module__ == space.get("__name__"):
            _collect(thing, parts, seen, constants)
        elif constants and name in space and _is_constant(thing):
            parts.append(f"constant {name} {thing!r}")


def _names(code: types.CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names


def _is_constant(thing: Any) -> bool:
    """Immutable, so its value at import is its value when the function runs."""
    if isinstance(thing, tuple):
        return all(_is_constant(item) for item in thing)
    return thing is None or type(thing) in (bool, int, float, str)


def _value(thing: Any) -> str:
    try:
        return dumps(plain(thing, where="the function's closure or bound arguments"))
    except InvalidInput as error:
        raise InvalidInput(
            f"the version of the function's code cannot be told: {error.message}",
            hint="give Sweep(..., version='1') and change it whenever the function changes, or use a plain module-level function",
        ) from None


def _source(thing: types.FunctionType | type) -> str:
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):  # typed in a console: there is no file, the compiled code stands for it
        functions = [thing] if isinstance(thing, types.FunctionType) else []
        if isinstance(thing, type):
            functions = [member for _, member in sorted(vars(thing).items()) if isinstance(member, types.FunctionType)]
        return "\0".join(_compiled(function.__code__) for function in functions)


def _compiled(code: types.CodeType) -> str:
    def told(constant: Any) -> str:
        if isinstance(constant, types.CodeType):
            return _compiled(constant)
        return repr(sorted(map(repr, constant))) if isinstance(constant, frozenset) else repr(constant)

    return "\0".join([code.co_code.hex(), *code.co_names, *code.co_varnames, *map(told, code.co_consts)])
