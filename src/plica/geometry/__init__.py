"""Domains, and the exact complexes of networks over them."""

from plica.geometry._budget import Budget
from plica.geometry._complex import Cell, Complex, RegionCount
from plica.geometry._decompose import count_regions, decompose
from plica.geometry.domains import Box, Domain, Path, Plane, Polytope, Segment, Space

__all__ = [
    "Box",
    "Budget",
    "Cell",
    "Complex",
    "Domain",
    "Path",
    "Plane",
    "Polytope",
    "RegionCount",
    "Segment",
    "Space",
    "count_regions",
    "decompose",
]
