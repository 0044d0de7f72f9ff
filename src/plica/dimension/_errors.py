"""Data that no dimension can be read off."""

from __future__ import annotations

from plica.errors import InvalidInput


class InvalidData(InvalidInput, ValueError):
    """Data that say nothing about a dimension; a ValueError too, as scikit-learn's pipelines expect."""


class InvalidDataType(InvalidInput, TypeError):
    """Data that are not numbers in a dense array; a TypeError too."""
