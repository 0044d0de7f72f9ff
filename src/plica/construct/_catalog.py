"""What can be built by name: every public function that returns a construction."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from plica.construct._construction import Construction
from plica.construct._texts import parse_argument
from plica.errors import InvalidInput

UNWRITABLE = ("Network", "Branch", "Callable", "Perceptron", "Spectrum")  # arguments that no line of text stands for


def builders() -> dict[str, Callable[..., Construction]]:
    """The builders of networks by name, those whose arguments can be written on a line.

    Names are those of the functions, without ``_network`` at the end.

    Examples
    --------
    >>> sorted(builders())[:3]
    ['bernstein', 'box', 'chebyshev']
    """
    import plica.construct as room

    found = {name: getattr(room, name) for name in room.__all__}
    return {
        name.removesuffix("_network"): f
        for name, f in sorted(found.items())
        if inspect.isfunction(f)
        and f.__name__ != build.__name__
        and inspect.signature(f).return_annotation in (Construction, "Construction", "UnitConstruction")
        and not any(word in str(p.annotation) for p in _required(f) for word in UNWRITABLE)
    }


def _required(f: Callable[..., Any]) -> list[inspect.Parameter]:
    return [p for p in inspect.signature(f).parameters.values() if p.default is inspect.Parameter.empty]


def usage(name: str) -> str:
    """The options of a builder in one line."""
    parts = []
    for key, parameter in inspect.signature(builders()[name]).parameters.items():
        default = parameter.default
        option = f"--{key.replace('_', '-')} {key.upper()}"
        parts.append(option if default is inspect.Parameter.empty else f"[{option}, {default} unless given]")
    return f"plica build {name} " + " ".join(parts)


def build(name: str, arguments: dict[str, str]) -> Construction:
    """Build by name, with arguments as texts.

    Examples
    --------
    >>> build("squaring", {"m": "3"})
    <Construction squaring(m=3): 6 units, 20 weights, depth 3, error <= 0.00391>
    """
    known = builders()
    key = name.replace("-", "_").removesuffix("_network")
    if key not in known:
        raise InvalidInput(f"there is no construction {name!r}.", hint=", ".join(known))
    signature = inspect.signature(known[key])
    values: dict[str, Any] = {}
    for option, text in arguments.items():
        parameter = option.replace("-", "_")
        if parameter not in signature.parameters:
            raise InvalidInput(f"{key} has no option --{option}.", hint=usage(key))
        values[parameter] = parse_argument(text)
        if _wants_list(signature.parameters[parameter]) and not isinstance(values[parameter], list):
            values[parameter] = [values[parameter]]
    missing = [p.name for p in _required(known[key]) if p.name not in values]
    if missing:
        raise InvalidInput(f"{key} needs {', '.join('--' + p.replace('_', '-') for p in missing)}.", hint=usage(key))
    try:
        return known[key](**values)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{key} cannot be built from these options: {error}.", hint=usage(key)) from None


def _wants_list(parameter: inspect.Parameter) -> bool:
    return str(parameter.annotation).startswith(("Sequence", "collections.abc.Sequence", "ArrayLike"))
