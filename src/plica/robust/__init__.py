"""Robust or not: bounds that are proved, verdicts on properties, distances to other classes, attacks."""

from plica.robust._certified import Method, certified_radius, proved_robust
from plica.robust._distance import ClassDistance, class_distance
from plica.robust._distances import class_distances, estimate_class_distances, most_fragile
from plica.robust._maximum import MaximizingInput, maximizing_input
from plica.robust._property import Property, Query, Row
from plica.robust._replay import Replay, replay
from plica.robust._search import Tally
from plica.robust._tie import Tie, nearest_tie
from plica.robust._verify import Verdict, verify
from plica.robust._vnnlib import parse_vnnlib, read_vnnlib
from plica.robust._volume import ViolatingVolume, violating_volume

__all__ = [
    "ClassDistance",
    "MaximizingInput",
    "Method",
    "Property",
    "Query",
    "Replay",
    "Row",
    "Tally",
    "Tie",
    "Verdict",
    "ViolatingVolume",
    "certified_radius",
    "class_distance",
    "class_distances",
    "estimate_class_distances",
    "maximizing_input",
    "most_fragile",
    "nearest_tie",
    "parse_vnnlib",
    "proved_robust",
    "read_vnnlib",
    "replay",
    "verify",
    "violating_volume",
]
