"""Plica: the exact geometry of piecewise-linear networks.

This is the front door: every public name that most people need, loaded on first use, so that ``import plica`` costs
nothing. To add a name, put it in three places: ``_ROOMS``, ``__all__`` and the imports for type checkers.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_ROOMS = {
    "plica.errors": (
        "BudgetExceeded",
        "InvalidDomain",
        "InvalidInput",
        "InvalidNetwork",
        "MissingExtra",
        "PlicaError",
        "UnsupportedLayer",
    ),
    "plica.network": ("Network", "from_onnx", "from_sklearn", "from_torch", "load", "random_network", "sandwich", "save"),
    "plica.models.attention": ("record",),
    "plica.measure": ("circle", "trajectory_length"),
    "plica.claims": ("catalog", "check", "cite"),
    "plica.notebook": ("explore",),
    "plica.geometry": (
        "Ball",
        "Box",
        "Budget",
        "Complex",
        "Path",
        "Plane",
        "Polytope",
        "RegionCount",
        "Segment",
        "Space",
        "count_regions",
        "decision_boundary",
        "decompose",
        "decompose_many",
        "estimate_cost",
        "level_set",
    ),
}

__all__ = [
    "Ball",
    "Box",
    "Budget",
    "BudgetExceeded",
    "Complex",
    "InvalidDomain",
    "InvalidInput",
    "InvalidNetwork",
    "MissingExtra",
    "Network",
    "Path",
    "Plane",
    "PlicaError",
    "Polytope",
    "RegionCount",
    "Segment",
    "Space",
    "UnsupportedLayer",
    "__version__",
    "catalog",
    "check",
    "circle",
    "cite",
    "count_regions",
    "decision_boundary",
    "decompose",
    "decompose_many",
    "estimate_cost",
    "explore",
    "from_onnx",
    "from_sklearn",
    "from_torch",
    "level_set",
    "load",
    "random_network",
    "record",
    "sandwich",
    "save",
    "trajectory_length",
]

if TYPE_CHECKING:
    from plica.claims import catalog, check, cite
    from plica.errors import (
        BudgetExceeded,
        InvalidDomain,
        InvalidInput,
        InvalidNetwork,
        MissingExtra,
        PlicaError,
        UnsupportedLayer,
    )
    from plica.geometry import (
        Ball,
        Box,
        Budget,
        Complex,
        Path,
        Plane,
        Polytope,
        RegionCount,
        Segment,
        Space,
        count_regions,
        decision_boundary,
        decompose,
        decompose_many,
        estimate_cost,
        level_set,
    )
    from plica.measure import circle, trajectory_length
    from plica.models.attention import record
    from plica.network import Network, from_onnx, from_sklearn, from_torch, load, random_network, sandwich, save
    from plica.notebook import explore

_HOME = {name: room for room, names in _ROOMS.items() for name in names}
# Rooms that are reached by their own name: plica.theory.regions.zaslavsky(6, 2)
_OPEN_ROOMS = ("claims", "construct", "data", "dimension", "landscape", "learn", "models", "robust", "sparse", "theory")


def __getattr__(name: str) -> Any:
    if name in _OPEN_ROOMS:
        return import_module(f"plica.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'plica' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value  # the next access is an ordinary one
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
