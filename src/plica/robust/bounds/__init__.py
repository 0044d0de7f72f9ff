"""Proved ranges of what a network does on boxes: intervals, linear bounds forward and backward, duals, linear programs."""

from plica.robust.bounds._backward import Pulled, backward_bounds, mixed_bounds, pulled_back
from plica.robust.bounds._boxes import Boxes, Ranges
from plica.robust.bounds._forward import forward_bounds
from plica.robust.bounds._interval import interval_bounds
from plica.robust.bounds._merged import merged
from plica.robust.bounds._relaxation import Lines, lines_around
from plica.robust.bounds._steps import AffineStep, RectifierStep, Steps, steps_of

__all__ = [
    "AffineStep",
    "Boxes",
    "Lines",
    "Pulled",
    "Ranges",
    "RectifierStep",
    "Steps",
    "backward_bounds",
    "forward_bounds",
    "interval_bounds",
    "lines_around",
    "merged",
    "mixed_bounds",
    "pulled_back",
    "steps_of",
]
