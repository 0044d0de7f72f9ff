"""What is said when the package that an export is for is not installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from plica.errors import MissingExtra


def imported(package: str) -> Any:
    """An optional package, or a :class:`plica.MissingExtra` that says how to get it."""
    try:
        return import_module(package)
    except ImportError:
        raise MissingExtra(f"this export needs the package {package}.", hint=f"pip install {package}") from None
