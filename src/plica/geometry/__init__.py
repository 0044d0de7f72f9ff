"""Domains, and the exact complexes of networks over them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from plica.geometry._affine_maps import AffineMaps, Bounded
from plica.geometry._bounded import BoundedComplex, FaceLists, Simplices
from plica.geometry._budget import Budget, Meter, measuring, reading, tick, watched
from plica.geometry._cell import Cell
from plica.geometry._complex import Complex
from plica.geometry._curves import Curves
from plica.geometry._decompose import count_regions, decompose
from plica.geometry._estimate import Cost, estimate_cost
from plica.geometry._estimate_curves import estimate_boundary_cost
from plica.geometry._many import decompose_many
from plica.geometry._nearby import CellsAlong, NearbyCells, cells_along, cells_near
from plica.geometry._parts import Part, parts
from plica.geometry._questions import decision_boundary, level_set
from plica.geometry._region_count import RegionCount
from plica.geometry.domains import Ball, Box, Domain, Path, Plane, Polytope, Segment, Space

if TYPE_CHECKING:
    from plica.geometry.line._complex import LineComplex
    from plica.geometry.plane._complex import PlaneComplex
    from plica.geometry.space._complex import SpaceComplex
    from plica.geometry.unbounded._complex import UnboundedComplex

__all__ = [
    "AffineMaps",
    "Ball",
    "Bounded",
    "BoundedComplex",
    "Box",
    "Budget",
    "Cell",
    "CellsAlong",
    "Complex",
    "Cost",
    "Curves",
    "Domain",
    "FaceLists",
    "LineComplex",
    "Meter",
    "NearbyCells",
    "Part",
    "Path",
    "Plane",
    "PlaneComplex",
    "Polytope",
    "RegionCount",
    "Segment",
    "Simplices",
    "Space",
    "SpaceComplex",
    "UnboundedComplex",
    "cells_along",
    "cells_near",
    "count_regions",
    "decision_boundary",
    "decompose",
    "decompose_many",
    "estimate_boundary_cost",
    "estimate_cost",
    "level_set",
    "measuring",
    "parts",
    "reading",
    "tick",
    "watched",
]

# their engines are compiled code, loaded when they are needed
_ENGINES = {"LineComplex": "line", "PlaneComplex": "plane", "SpaceComplex": "space", "UnboundedComplex": "unbounded"}


def __getattr__(name: str) -> Any:
    if name not in _ENGINES:
        raise AttributeError(f"module 'plica.geometry' has no attribute {name!r}")
    value = getattr(import_module(f"plica.geometry.{_ENGINES[name]}._complex"), name)
    globals()[name] = value
    return value
