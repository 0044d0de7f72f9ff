"""Where to look: boxes, segments, paths, planes, polytopes, all of R^n, and the charts that place them in the input space."""

from plica.geometry.domains._ball import Ball
from plica.geometry.domains._box import Box
from plica.geometry.domains._chart import Chart
from plica.geometry.domains._domain import Domain
from plica.geometry.domains._path import Path
from plica.geometry.domains._plane import Plane
from plica.geometry.domains._polytope import Polytope
from plica.geometry.domains._segment import Segment
from plica.geometry.domains._space import Space

__all__ = ["Ball", "Box", "Chart", "Domain", "Path", "Plane", "Polytope", "Segment", "Space"]
