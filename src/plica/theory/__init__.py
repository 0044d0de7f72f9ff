"""Closed forms: what the theorems say, as functions of numbers. Knows no networks."""

from plica.theory import approximation, attention, lengths, parameters, regions

__all__ = ["approximation", "attention", "lengths", "parameters", "regions"]
