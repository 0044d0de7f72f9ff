"""Names that changed: the old one works for one version, and says what it is called now."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from typing import Any, TypeVar

_Class = TypeVar("_Class", bound=type[Any])


def renamed(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's ``__getattr__`` that gives old names their new objects, with a warning.

    Examples
    --------
    In a package's ``__init__.py``:

    >>> __getattr__ = renamed("fractions", {"Ratio": "Fraction"})
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     __getattr__("Ratio")
    <class 'fractions.Fraction'>
    >>> str(caught[0].message)
    'fractions.Ratio is now fractions.Fraction; the old name goes with the next version.'
    """

    def look_up(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warn(f"{module}.{name}", f"{module}.{names[name]}", stacklevel=3)
        return getattr(import_module(module), names[name])

    return look_up


def renamed_field(old: str, new: str) -> Callable[[_Class], _Class]:
    """For a class with a field that has a new name: the old one works as a keyword and as an attribute, with a warning.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @renamed_field("shift", "offset")
    ... @dataclass
    ... class Moved:
    ...     offset: int
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     Moved(shift=3), Moved(offset=2).shift
    (Moved(offset=3), 2)
    >>> [str(c.message).split(";")[0] for c in caught]
    ['Moved(shift=...) is now Moved(offset=...)', 'Moved.shift is now Moved.offset']
    """

    def change(cls: _Class) -> _Class:
        make = cls.__init__

        @wraps(make)
        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            if old in kwargs and new not in kwargs:
                warn(f"{cls.__name__}({old}=...)", f"{cls.__name__}({new}=...)")
                kwargs[new] = kwargs.pop(old)
            make(self, *args, **kwargs)

        def get(self: Any) -> Any:
            warn(f"{cls.__name__}.{old}", f"{cls.__name__}.{new}")
            return getattr(self, new)

        cls.__init__ = init
        setattr(cls, old, property(get, doc=f"Now called ``{new}``."))
        return cls

    return change


def warn(old: str, new: str, *, stacklevel: int = 2) -> None:
    """Say that something has a new name; ``stacklevel`` 2 points at the caller of the function that calls this."""
    message = f"{old} is now {new}; the old name goes with the next version."
    warnings.warn(message, DeprecationWarning, stacklevel=stacklevel + 1)
