"""Errors in ``plica.exact``."""

from __future__ import annotations

from error import ROLE, Error, within

ERRORS: tuple[Error, ...] = (
    *within(
        "exact._hull",
        ("mixed_volume", "(-1) ** (d - k)", "(-1) ** (d - k + 1)", "tropical-bernstein", ROLE),
    ),
)
