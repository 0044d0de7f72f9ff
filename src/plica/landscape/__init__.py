"""The loss as a function of the weights: exact along lines, sampled on surfaces, its curvature, and valleys that connect."""

from plica.landscape._extremes import LineExtreme
from plica.landscape._line import GridMiss, LossLine, loss_line

__all__ = ["GridMiss", "LineExtreme", "LossLine", "loss_line"]
