"""The loss as a function of the weights: exact along lines, sampled on surfaces, its curvature, and valleys that connect."""

from plica.landscape._along import CurvaturePath, curvature_path
from plica.landscape._connect import Connection, connect
from plica.landscape._critical import CriticalPoint, critical_point
from plica.landscape._curvature import Curvature, Eigenpairs, Lanczos, lanczos, top_eigenpairs
from plica.landscape._directions import (
    Direction,
    Trajectory,
    from_vector,
    moved,
    normalized,
    random_direction,
    toward,
    trajectory,
)
from plica.landscape._extremes import LineExtreme
from plica.landscape._folded import FoldedCurvature, folded_curvature
from plica.landscape._line import GridMiss, LossLine, loss_line
from plica.landscape._matching import Matching, balanced, match, permuted
from plica.landscape._plane import LossPlane, loss_plane, one_layer
from plica.landscape._spectrum import Estimate, Spectrum, spectrum
from plica.landscape._surface import LossSurface, loss_surface
from plica.landscape._survey import survey
from plica.landscape._view import WeightsView, weights_view

__all__ = [
    "Connection",
    "CriticalPoint",
    "Curvature",
    "CurvaturePath",
    "Direction",
    "Eigenpairs",
    "Estimate",
    "FoldedCurvature",
    "GridMiss",
    "Lanczos",
    "LineExtreme",
    "LossLine",
    "LossPlane",
    "LossSurface",
    "Matching",
    "Spectrum",
    "Trajectory",
    "WeightsView",
    "balanced",
    "connect",
    "critical_point",
    "curvature_path",
    "folded_curvature",
    "from_vector",
    "lanczos",
    "loss_line",
    "loss_plane",
    "loss_surface",
    "match",
    "moved",
    "normalized",
    "one_layer",
    "permuted",
    "random_direction",
    "spectrum",
    "survey",
    "top_eigenpairs",
    "toward",
    "trajectory",
    "weights_view",
]
