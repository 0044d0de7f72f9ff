"""Claims: statements about networks that run. One file for each, grouped by topic; they are found by themselves.

A claim's file is a page: a docstring with the headings Claim, Source, Prediction and Measurement, the constants ``EXPECTED``
and ``KIND``, and a function ``check(scale)`` that returns :class:`Evidence`. Put it into a topic's folder and it is in the
catalog, the tests, the scoreboard and the documentation.
"""

from plica.claims._bibliography import bibliography, cite
from plica.claims._claim import Claim
from plica.claims._evidence import SCALES, Evidence, Row, row, show
from plica.claims._mathematics import to_html, to_unicode
from plica.claims._notebook import rows_table
from plica.claims._outcome import Outcome, outcome_of
from plica.claims._registry import Catalog, catalog, check

__all__ = [
    "SCALES",
    "Catalog",
    "Claim",
    "Evidence",
    "Outcome",
    "Row",
    "bibliography",
    "catalog",
    "check",
    "cite",
    "outcome_of",
    "row",
    "rows_table",
    "show",
    "to_html",
    "to_unicode",
]
