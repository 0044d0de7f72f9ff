"""plica claims and plica check: output, exit codes, the scoreboard."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from plica.claims import Claim, Evidence, catalog, control, row
from plica.claims._outcome import Outcome, outcome_of
from plica.cli import app
from plica.report import scoreboard_page

runner = CliRunner()
CHEAP = ["gpt3-table-heads", "binomial-sum", "hinz-van-de-geer-2019"]


def test_claims_are_listed_and_filtered() -> None:
    result = runner.invoke(app, ["claims", "--topic", "parameters"])
    assert result.exit_code == 0
    assert "gpt3-table-heads" in result.stdout and "zaslavsky-1975" not in result.stdout
    found = json.loads(runner.invoke(app, ["claims", "gpt-3", "contradict", "--json"]).stdout)
    assert {c["id"] for c in found["claims"]} >= {"gpt3-table-heads"}
    assert runner.invoke(app, ["claims", "--topic", "nothing"]).exit_code == 2


def test_one_claim_is_shown_with_mathematics_and_bibtex() -> None:
    result = runner.invoke(app, ["claims", "show", "zaslavsky-1975"])
    assert result.exit_code == 0
    assert "Σ_{k≤d} C(n, k)" in result.stdout
    assert "@article{zaslavsky1975," in result.stdout
    assert runner.invoke(app, ["claims", "show", "nobody-0000"]).exit_code == 2
    assert runner.invoke(app, ["claims", "show"]).exit_code == 2


def test_json_of_a_check_has_the_agreed_form() -> None:
    result = runner.invoke(app, ["check", *CHEAP, "--json"])
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["schema"] == 1
    assert [c["id"] for c in document["claims"]] == CHEAP
    for claim in document["claims"]:
        assert {"id", "topic", "verdict", "expected", "kind", "rows", "seconds"} <= set(claim)
        assert claim["verdict"] == claim["expected"]


def test_nothing_to_check_is_a_usage_error() -> None:
    for arguments in ([], ["--all", "binomial-sum"], ["binomial-sum", "--scale", "huge"], ["no-such-claim"]):
        result = runner.invoke(app, ["check", *arguments])
        assert result.exit_code == 2, arguments
        assert "Traceback" not in result.output


def test_a_verdict_that_differs_makes_the_exit_code_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Claim, "check", lambda self, scale: Evidence([row(1, "=", 2)], claim=self))
    result = runner.invoke(app, ["check", "binomial-sum"])
    assert result.exit_code == 1
    assert "expected holds" in result.output


def test_rows_that_break_the_rules_make_the_exit_code_one_whatever_the_verdict(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def lax(self: Claim, scale: Any) -> Evidence:
        loose = row(1.0, "=", 1.5, tolerance=0.5) if scale == "quick" else control(1, "=", 1)
        return Evidence([loose], claim=self, scale=scale)

    monkeypatch.setattr(Claim, "check", lax)
    result = runner.invoke(app, ["check", "binomial-sum"])
    assert result.exit_code == 1 and "1 of 1 verdicts as expected" in result.output
    assert "breaks the rules of the catalog: row 1 accepts 50 %" in result.output
    full = runner.invoke(app, ["check", "binomial-sum", "--scale", "full", "--record", str(tmp_path / "records")])
    assert full.exit_code == 1 and "every row is a control" in full.output
    assert not list(tmp_path.rglob("*.json"))


def test_one_failing_check_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = Claim.check

    def fail_once(self: Claim, scale: str) -> Evidence:
        if self.id == "binomial-sum":
            raise ZeroDivisionError("<b>division</b>")
        return real(self, scale)  # type: ignore[arg-type]

    monkeypatch.setattr(Claim, "check", fail_once)
    result = runner.invoke(app, ["check", "binomial-sum", "gpt3-table-heads", "--json", "--out", str(tmp_path)])
    assert result.exit_code == 1
    first, second = json.loads(result.stdout)["claims"]
    assert first["verdict"] == "error" and "ZeroDivisionError" in first["error"] and first["rows"] == []
    assert second["verdict"] == "refuted"
    page = (tmp_path / "scoreboard.html").read_text()
    assert "&lt;b&gt;division&lt;/b&gt;" in page and "<b>division</b>" not in page


def test_an_interruption_reports_what_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Claim.check

    def interrupted(self: Claim, scale: str) -> Evidence:
        if self.id == "binomial-sum":
            raise KeyboardInterrupt
        return real(self, scale)  # type: ignore[arg-type]

    monkeypatch.setattr(Claim, "check", interrupted)
    result = runner.invoke(app, ["check", "gpt3-table-heads", "binomial-sum", "--json"])
    assert result.exit_code == 130
    assert [c["id"] for c in json.loads(result.stdout)["claims"]] == ["gpt3-table-heads"]


class Resources(HTMLParser):
    """Collects what a page would load, and the nesting of its elements."""

    VOID = ("meta", "link", "img", "br", "hr", "input", "path", "use", "rect", "circle", "line", "polyline", "polygon", "image")

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if values.get("id"):
            self.ids.append(str(values["id"]))
        self.loads += [str(values[name]) for name in ("src", "href", "xlink:href") if values.get(name)]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if self.open and tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_the_scoreboard_is_one_file_that_loads_nothing(tmp_path: Path) -> None:
    result = runner.invoke(app, ["check", *CHEAP, "slide-general-position", "--out", str(tmp_path)])
    assert result.exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["scoreboard.html"]
    page = (tmp_path / "scoreboard.html").read_text()
    seen = Resources()
    seen.feed(page)
    assert seen.open == []
    assert seen.loads and all(target.startswith("#") for target in seen.loads)
    assert len(seen.ids) == len(set(seen.ids)), "two figures share an identifier"
    assert {target[1:] for target in seen.loads} <= set(seen.ids) | {"content"}
    assert "url(http" not in page and "@import" not in page
    for claim in CHEAP:
        assert f'id="{claim}"' in page
    assert page.count("<svg role") == 4
    assert "BibTeX" in page and "refuted" in page and re.search(r"seed \d+", page)


def test_exact_certified_and_estimated_have_colors_of_their_own_on_the_scoreboard() -> None:
    chosen = [next(c for c in catalog() if c.kind == kind) for kind in ("exact", "certified", "estimated")]
    page = scoreboard_page([Outcome(claim, None, 0.1, "not run") for claim in chosen], scale="quick")
    colors = dict(re.findall(r"\.kind\.(certified|estimated) { color: (var\(--\w+\));", page))
    plain = re.search(r"\.kind {[^}]*color: (var\(--\w+\));", page)
    assert plain is not None and len({plain[1], *colors.values()}) == 3
    assert all(f'<em class="kind {claim.kind}">{claim.kind}</em>' in page for claim in chosen)


def test_the_scoreboard_escapes_everything_it_is_given() -> None:
    claim = catalog()["binomial-sum"]
    nasty = "<script>alert(1)</script>"
    evidence = Evidence([row(nasty, "=", nasty, name=nasty)], note=nasty, claim=claim)
    page = scoreboard_page([Outcome(claim, evidence, 0.1), Outcome(claim, None, 0.1, nasty)], scale="quick")
    assert nasty not in page


def test_an_outcome_tells_its_counterexample_in_one_line() -> None:
    assert outcome_of(catalog()["slide-binomial-sum"], "quick").summary() == "n_1 = 4, n_0 = 2; predicted >= 16, measured 11"
    with pytest.raises(ZeroDivisionError):
        outcome_of(_Failing(), "quick", strict=True)  # type: ignore[arg-type]


class _Failing:
    id, kind, topic, expected = "x", "exact", "t", "holds"

    def check(self, scale: str) -> Evidence:
        raise ZeroDivisionError
