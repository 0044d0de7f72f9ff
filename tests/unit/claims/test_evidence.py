"""Rows, verdicts and what evidence looks like."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from plica.claims import Evidence, Row, catalog, control, counterexample, row, rows_table
from plica.claims._values import plain, show
from plica.errors import InvalidInput


def test_a_row_reads_measured_relation_predicted() -> None:
    assert row(3, "<=", 4).holds
    assert not row(5, "<=", 4).holds
    assert row(5, "!=", 4).holds
    assert row("3 x 4", "=", "3 x 4").holds


def test_huge_integers_are_compared_exactly() -> None:
    assert not row(2**2000 + 1, "<=", 2**2000).holds
    assert row(Fraction(1, 3), "<", Fraction(10**40 + 1, 3 * 10**40)).holds


def test_an_estimate_contradicts_only_beyond_four_standard_errors() -> None:
    assert row(1.3, "=", 1.0, kind="estimated", standard_error=0.1).holds
    assert not row(1.5, "=", 1.0, kind="estimated", standard_error=0.1).holds
    assert not row(1.3, "!=", 1.0, kind="estimated", standard_error=0.1).holds


@pytest.mark.parametrize(
    ("measured", "relation", "status"),
    [
        (1.5, "<", "fails"),
        (1.3, "<", "inconclusive"),
        (0.7, "<", "inconclusive"),
        (0.5, "<", "holds"),
        (0.5, ">=", "fails"),
        (0.7, ">=", "inconclusive"),
        (1.3, ">=", "inconclusive"),
        (1.5, ">=", "holds"),
        (float("nan"), "<", "fails"),
        (float("nan"), "!=", "fails"),
    ],
)
def test_an_estimated_inequality_holds_by_four_standard_errors_or_is_inconclusive(
    measured: float, relation: str, status: str
) -> None:
    assert row(measured, relation, 1.0, kind="estimated", standard_error=0.1).status == status


def test_strict_is_strict_at_the_bound() -> None:
    assert not row(1.0, "<", 1.0).holds and row(1.0, "<=", 1.0).holds
    at = {"kind": "estimated", "standard_error": 0.125}
    assert row(0.5, "<=", 1.0, **at).status == "holds" and row(0.5, "<", 1.0, **at).status == "inconclusive"


def test_a_bound_has_no_tolerance() -> None:
    with pytest.raises(InvalidInput, match="tolerance"):
        row(1.0, "<=", 1.0, tolerance=0.1)


def test_an_equality_states_its_slack() -> None:
    assert row(1.0, "=", 2.0, kind="estimated", standard_error=0.05, tolerance=0.05).slack == pytest.approx(0.15)
    assert row(3, "=", 3).slack == 0 and row(3, "<=", 3).slack is None
    assert row(0.0, "=", 0.0, kind="estimated", standard_error=0.1).slack == float("inf")
    assert row(0.0, "=", 0.0, kind="estimated", standard_error=0.1, unit=8.0).slack == pytest.approx(0.05)
    assert counterexample(3.0, "=", 8.0, truth=4.0, tolerance=0.25).slack == pytest.approx(0.25)


def test_a_counterexample_must_fail_and_by_the_declared_amount() -> None:
    assert counterexample(11, ">=", 16, truth=11).status == "holds"
    assert counterexample(12, ">=", 16, truth=11).status == "fails"  # an error elsewhere
    assert counterexample(17, ">=", 16, truth=17).status == "fails"  # not a counterexample
    near = counterexample(0.9, ">=", 1.0, truth=0.8, kind="estimated", standard_error=0.05)
    assert near.status == "inconclusive" and not near.holds
    assert counterexample(0.5, ">=", 1.0, truth=0.7, truth_relation="<", kind="estimated", standard_error=0.01).status == "holds"


def test_a_bug_elsewhere_does_not_refute() -> None:
    refuting, sound, broken = counterexample(11, ">=", 16, truth=11), row(2, "=", 2), row(2, "=", 3)
    assert Evidence([refuting, sound]).verdict == "refuted"
    assert Evidence([refuting, broken]).verdict == "fails"
    assert Evidence([refuting, control(1, "=", 2)]).verdict == "fails"
    assert Evidence([broken]).verdict == "fails"
    assert Evidence([counterexample(10, ">=", 16, truth=11), sound]).verdict == "fails"


def test_a_stand_in_never_says_more_than_that_it_agrees() -> None:
    claim = catalog()["lenet-5"]
    good, bad = row(1, "=", 1), row(1, "=", 2)
    assert Evidence([good]).attach(claim=claim, scale="quick", seconds=0).verdict == "stand-in agrees"
    assert Evidence([bad]).attach(claim=claim, scale="quick", seconds=0).verdict == "stand-in disagrees"
    assert Evidence([good]).attach(claim=claim, scale="full", seconds=0).verdict == "reproduced"
    assert Evidence([bad]).attach(claim=claim, scale="full", seconds=0).verdict == "fails"


def test_a_question_is_answered() -> None:
    claim = catalog()["pruning-spectral-norm"]
    assert Evidence([row(1, "=", 1)]).attach(claim=claim, scale="quick", seconds=0).verdict == "answered"


def test_a_tolerance_is_relative_to_the_prediction() -> None:
    assert row(102, "=", 100, tolerance=0.02).holds
    assert not row(103, "=", 100, tolerance=0.02).holds


def test_an_estimate_without_its_error_is_refused() -> None:
    with pytest.raises(InvalidInput, match="standard error"):
        row(1.0, "=", 1.0, kind="estimated")
    with pytest.raises(InvalidInput, match="standard error"):
        row(1.0, "=", 1.0, standard_error=0.1)
    with pytest.raises(InvalidInput, match="relation"):
        row(1.0, "~", 1.0)


def test_the_verdict_follows_from_the_rows() -> None:
    good, bad = row(1, "=", 1, n=1), row(1, "=", 2, n=2)
    assert Evidence([good]).verdict == "holds"
    unsure = row(1.0, "<", 1.1, kind="estimated", standard_error=1.0)
    assert Evidence([good, bad]).verdict == "fails"
    assert Evidence([good, unsure]).verdict == "inconclusive"
    assert Evidence([good, bad, unsure]).verdict == "fails"
    assert Evidence([good, bad]).counterexample is bad
    assert Evidence([good]).counterexample is None


def test_the_kind_is_that_of_the_weakest_number() -> None:
    estimate = row(1.0, "=", 1.0, kind="estimated", standard_error=0.1)
    assert Evidence([row(1, "=", 1)]).kind == "exact"
    assert Evidence([row(1, "=", 1), row(1, "<=", 2, kind="certified")]).kind == "certified"
    assert Evidence([row(1, "=", 1), estimate, row(1, "<=", 2, kind="certified")], seed=0).kind == "estimated"


def test_evidence_without_rows_is_refused() -> None:
    with pytest.raises(InvalidInput, match="without rows"):
        Evidence([])


def test_evidence_is_frozen_and_its_dict_is_json() -> None:
    evidence = Evidence([row(Fraction(1, 3), "<", 2**2000, n=(1, 2)), row(float("inf"), ">", 1.0)], seed=3, note="a note")
    with pytest.raises(AttributeError):
        evidence.seed = 4  # type: ignore[misc]
    document = json.loads(json.dumps(evidence.to_dict(), allow_nan=False))
    assert document["rows"][0]["measured"] == "1/3"
    assert document["rows"][1]["measured"] == "inf"
    assert document["seed"] == 3


def test_numbers_are_shown_short_and_stay_numbers_in_json() -> None:
    assert show(2**200) == "1.60e60"
    assert show(True) == "yes"
    assert show(Fraction(22, 7)) == "22/7"
    assert plain(2**100) == 2**100
    assert plain((1, 2.5, Fraction(1, 2))) == [1, 2.5, "1/2"]


def test_a_figure_is_drawn_without_touching_the_settings_of_matplotlib() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    evidence = Evidence([row(2, "<=", 3, n=1), row(5, "<=", 4, n=2)])
    ax = evidence.plot()
    assert ax.lines and ax.get_xlabel() == "value, predicted and measured"
    svg = evidence.svg()
    assert svg.startswith("<svg") and svg.endswith("</svg>")
    assert "<!DOCTYPE" not in svg and "<metadata" not in svg
    assert dict(matplotlib.rcParams) == before


def test_a_claim_draws_its_own_figure_on_the_given_axes() -> None:
    from matplotlib.figure import Figure

    seen = []
    ax = Figure().add_subplot()
    assert Evidence([row(1, "=", 1)], draw=seen.append).plot(ax) is ax
    assert seen == [ax]


def test_words_make_no_figure_but_no_error_either() -> None:
    assert "the rows are words" in Evidence([row("a", "=", "a")]).svg()


def test_a_notebook_shows_the_table_escaped() -> None:
    shown = Evidence([row("<b>", "=", "&", network="<script>")])._repr_html_()
    assert "<script>" not in shown and "<b>&" not in shown
    assert "fails" in shown and "<svg" in shown


def test_rows_are_values() -> None:
    assert row(1, "=", 1, n=2) == Row({"n": 2}, 1, 1)


def test_a_table_shows_slack_only_where_there_is_some_and_sets_letters_with_indices() -> None:
    exact = rows_table(Evidence([row(3, "=", 3, n_1=2)]))
    assert "slack" not in exact and "n 1" not in exact and "<msub>" in exact
    formulas = rows_table(Evidence([row(3, "=", 3, what="error of x^2 < sigma_w", **{"sigma_w^2": 2})]))
    assert "msubsup" in formulas and "_w" not in formulas and "^2" not in formulas
    loose = rows_table(Evidence([row(1.0, "=", 1.0, kind="estimated", standard_error=0.01, n_terms=2)]))
    assert "<th>slack</th>" in loose and "<th>n terms</th>" in loose
