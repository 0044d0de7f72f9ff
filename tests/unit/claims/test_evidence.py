"""Rows, verdicts and what evidence looks like."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from plica.claims import Evidence, Row, row
from plica.claims._evidence import plain, show
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
    assert row(1.3, "<=", 1.0, kind="estimated", standard_error=0.1).holds
    assert not row(1.5, "<", 1.0, kind="estimated", standard_error=0.1).holds
    assert row(0.7, ">=", 1.0, kind="estimated", standard_error=0.1).holds
    assert not row(1.3, "!=", 1.0, kind="estimated", standard_error=0.1).holds


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
    assert Evidence([good, bad]).verdict == "refuted"
    assert Evidence([good], reproduction=True).verdict == "reproduced"
    assert Evidence([bad], reproduction=True).verdict == "not reproduced"
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
    assert ax.lines
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
    assert "refuted" in shown and "<svg" in shown


def test_rows_are_values() -> None:
    assert row(1, "=", 1, n=2) == Row({"n": 2}, 1, 1)
