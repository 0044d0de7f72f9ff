"""Names that changed: the old one works for one version, and says what it is called now."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


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


def warn(old: str, new: str, *, stacklevel: int = 2) -> None:
    """Say that something has a new name; ``stacklevel`` 2 points at the caller of the function that calls this."""
    message = f"{old} is now {new}; the old name goes with the next version."
    warnings.warn(message, DeprecationWarning, stacklevel=stacklevel + 1)
