"""Errors that people make, written by hand: a file for each package, each error with the claim or the tests that must notice."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from error import Error

PACKAGES = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))

ERRORS: tuple[Error, ...] = tuple(error for package in PACKAGES for error in import_module(f"handmade.{package}").ERRORS)
