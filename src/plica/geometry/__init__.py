"""Domains, and the exact complexes of networks over them."""

from plica.geometry._budget import Budget
from plica.geometry._complex import Cell, Complex, RegionCount
from plica.geometry._decompose import count_regions, decompose
from plica.geometry.domains._domains import Box, Domain, Path, Plane, Segment, Space
from plica.geometry.domains._polytope import Polytope

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
