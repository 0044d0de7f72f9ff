"""Plica: the exact geometry of piecewise-linear networks."""

__version__ = "0.1.0"
