"""Errors in ``plica.exercises``."""

from __future__ import annotations

from error import COUNT, Error, within

ERRORS: tuple[Error, ...] = (
    *within(
        "exercises._talk",
        ("where_they_differ", "apart >= 0.01", "apart >= 0.001", "exercises/test_exercises", COUNT),
    ),
)
