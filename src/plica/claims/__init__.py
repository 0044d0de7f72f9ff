"""Claims: statements about networks that run. One file for each, grouped by topic; they are found by themselves.

A claim's file is a page: a docstring with the headings Claim, Source, Prediction and Measurement, the constants ``EXPECTED``
and ``KIND``, and a function ``check(scale)`` that returns :class:`Evidence`. Put it into a topic's folder and it is in the
catalog, the tests, the scoreboard and the documentation.
"""

from plica.claims._bibliography import cite
from plica.claims._claim import Claim
from plica.claims._evidence import Evidence, Row, row
from plica.claims._registry import Catalog, catalog, check

__all__ = ["Catalog", "Claim", "Evidence", "Row", "catalog", "check", "cite", "row"]
