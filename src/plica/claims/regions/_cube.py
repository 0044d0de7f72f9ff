"""The unit cube as a domain."""

from __future__ import annotations

from plica.geometry import Box, Segment


def unit_cube(d: int) -> Segment | Box:
    """[0, 1]^d."""
    return Segment([0.0], [1.0]) if d == 1 else Box([0.0] * d, [1.0] * d)
