"""Conformance suites that ship with the library: what every engine must satisfy, on networks that break most.

:func:`check_engine` holds an engine to all invariants on all families. Each invariant is also a function of one :class:`Case`.
:func:`check_estimator` holds an estimator of dimension to its manners.
"""

from plica.testing import _graphs as _graphs
from plica.testing import _numbers as _numbers
from plica.testing._against_reference import check_line, check_reference
from plica.testing._boundaries import check_decision_boundary, check_level_set
from plica.testing._build import chain
from plica.testing._case import Case
from plica.testing._domains import DOMAIN_KINDS, draw_domain, draw_segment
from plica.testing._engine import INVARIANTS, EngineReport, check_engine, draw_case
from plica.testing._estimator import EstimatorReport, check_estimator
from plica.testing._families import FAMILIES, draw_network
from plica.testing._floats import check_floats
from plica.testing._incidence import check_areas, check_edges, check_euler, check_folds, check_patterns
from plica.testing._invariance import check_chart, check_dead_neuron, check_doubled_neuron, check_permutation, check_rescaling
from plica.testing._restriction import check_completeness, check_restriction, check_splitting
from plica.testing._strategies import domains, networks, segments
from plica.testing._values import check_continuity, check_maps, check_outputs, check_regions

__all__ = [
    "DOMAIN_KINDS",
    "FAMILIES",
    "INVARIANTS",
    "Case",
    "EngineReport",
    "EstimatorReport",
    "chain",
    "check_areas",
    "check_chart",
    "check_completeness",
    "check_continuity",
    "check_dead_neuron",
    "check_decision_boundary",
    "check_doubled_neuron",
    "check_edges",
    "check_engine",
    "check_estimator",
    "check_euler",
    "check_floats",
    "check_folds",
    "check_level_set",
    "check_line",
    "check_maps",
    "check_outputs",
    "check_patterns",
    "check_permutation",
    "check_reference",
    "check_regions",
    "check_rescaling",
    "check_restriction",
    "check_splitting",
    "domains",
    "draw_case",
    "draw_domain",
    "draw_network",
    "draw_segment",
    "networks",
    "segments",
]
