"""Claims: statements about networks that run. One file for each, grouped by topic; they are found by themselves.

A claim's file is a page: a docstring with the headings Claim, Source, Prediction and Measurement, a few constants, and a
function ``check(scale)`` that returns :class:`Evidence`. Put it into a topic's folder and it is in the catalog, the tests, the
scoreboard and the documentation. ``plica claims new ID --topic TOPIC`` writes a page to fill in; a file in the wrong place or
not complete is an error that says what to do. Claims of your own need no copy of this package: ``PLICA_CLAIMS`` names
folders with topics in them, and a ``references.bib`` for their sources.

**Constants.** ``STATEMENT`` says who says it: ``"theorem"``, ``"published result"`` (an experiment), ``"misprint (text)"``,
``"misprint (picture)"`` or ``"misprint (reading)"`` (our reading of a loose sentence), ``"question"`` (nobody said it; measured).
``EXPECTED`` is the verdict of the statement: *holds* or *refuted*, *reproduced* or *not reproduced*, *answered*. ``KIND`` is that
of the weakest number: *exact*, *certified*, *estimated*. ``SEE`` names related claims.

**Rows** have roles. ``row(measured, "<=", predicted)`` is a prediction of the statement. ``control(...)`` is something known that
must hold for the measurement to be trusted. ``counterexample(measured, ">=", 16, truth=11)`` states what is refuted and what is
true instead, the latter from another path: it must fail where the statement is wrong, and by that amount. *Refuted* needs every
counterexample to be so and every other row to hold; anything else *fails*.

**Slack.** An equality may miss by its ``tolerance`` and four standard errors, together a tenth at most in a quick check, unless
the statement is an order of magnitude and the row says why (``order_of_magnitude="..."``). Where the prediction is 0, ``unit``
says what is small. An inequality has no tolerance: it must hold by four standard errors, and on the bound it is *inconclusive*.

**Scales.** A verdict belongs to what was measured. Where ``check("quick")`` cannot measure the statement, the heading Stand-in
says what it measures instead, and the verdict is *stand-in agrees* or *stand-in disagrees*. What ``check("full")`` found is kept
in ``records/ID.json`` with its day, machine and a fingerprint of the claim's code (``Claim.record``); ``plica check --all --scale
full --resume --record FOLDER`` makes the records anew.
"""

from plica.claims._bibliography import bibliography, cite
from plica.claims._claim import Claim
from plica.claims._evidence import SCALES, Evidence
from plica.claims._export import figure_format, write_figure
from plica.claims._fingerprint import digest, fingerprint
from plica.claims._folders import UnfinishedClaim
from plica.claims._mathematics import to_html, to_unicode
from plica.claims._new import new_claim
from plica.claims._notebook import rows_table
from plica.claims._outcome import Outcome, outcome_of
from plica.claims._record import Record, read_record, record_of
from plica.claims._registry import Catalog, catalog, check
from plica.claims._row import Row, control, counterexample, row
from plica.claims._values import show

__all__ = [
    "SCALES",
    "Catalog",
    "Claim",
    "Evidence",
    "Outcome",
    "Record",
    "Row",
    "UnfinishedClaim",
    "bibliography",
    "catalog",
    "check",
    "cite",
    "control",
    "counterexample",
    "digest",
    "figure_format",
    "fingerprint",
    "new_claim",
    "outcome_of",
    "read_record",
    "record_of",
    "row",
    "rows_table",
    "show",
    "to_html",
    "to_unicode",
    "write_figure",
]
