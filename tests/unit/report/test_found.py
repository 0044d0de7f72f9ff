"""What claims left for pages: read again while the code is the same, and run anew otherwise."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from plica.claims import catalog, digest, outcome_of
from plica.cli import app
from plica.report import _found as module
from plica.report import found_of, run_claim

CLAIM = catalog()["binomial-sum"]


@pytest.fixture
def runs(monkeypatch):
    """How often a claim was really run."""
    count: list[str] = []

    def counted(claim, scale, **options):
        count.append(claim.id)
        return outcome_of(claim, scale, **options)

    monkeypatch.setattr(module, "outcome_of", counted)
    return count


def test_what_was_run_is_read_again(tmp_path, runs) -> None:
    first = run_claim(CLAIM, "quick", store=tmp_path / "new")
    second = run_claim(CLAIM, "quick", store=tmp_path / "new")
    assert first == second and runs == [CLAIM.id]
    assert first.as_expected and first.table.startswith("<table>") and first.figure.startswith("<svg")
    assert run_claim(CLAIM, "quick") == replace(first, seconds=pytest.approx(first.seconds, abs=60)) and len(runs) == 2


@pytest.mark.parametrize(
    "spoiled",
    ["", "[]", "null", "{}", '{"code": "0"}', lambda kept: kept | {"code": "0" * 16}, lambda kept: kept | {"more": 1}],
)
def test_what_is_of_other_code_or_no_longer_whole_is_run_anew(tmp_path, runs, spoiled) -> None:
    first = run_claim(CLAIM, "quick", store=tmp_path)
    (path,) = tmp_path.iterdir()
    kept = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(spoiled if isinstance(spoiled, str) else json.dumps(spoiled(kept)), encoding="utf-8")
    again = run_claim(CLAIM, "quick", store=tmp_path)
    assert again.table == first.table and len(runs) == 2
    assert json.loads(path.read_text(encoding="utf-8"))["code"] == digest(CLAIM.module)


def test_a_check_that_did_not_finish_is_not_kept(tmp_path, monkeypatch) -> None:
    def broken(claim, scale, **options):
        return replace(outcome_of(claim, scale), evidence=None, error="no memory")

    monkeypatch.setattr(module, "outcome_of", broken)
    found = run_claim(CLAIM, "quick", store=tmp_path)
    assert found.verdict == "error" and not found.as_expected and not found.table and not list(tmp_path.iterdir())


def test_the_digest_is_of_the_page_and_of_the_library() -> None:
    ids = ("binomial-sum", "zaslavsky-1975", "slide-binomial-sum")
    assert len({digest(catalog()[id].module) for id in ids}) == len(ids)


def test_a_lecture_goes_on_from_its_store_and_a_file_is_no_store(tmp_path, runs) -> None:
    options = ["lecture", "5", "--part", "2", "--out", str(tmp_path / "page.html"), "--store", str(tmp_path / "kept")]
    pages = []
    for _ in range(2):
        done = CliRunner().invoke(app, options)
        assert done.exit_code == 0, done.output
        pages.append((tmp_path / "page.html").read_text(encoding="utf-8").partition("<nav")[2])
    assert runs == ["hyperplane-sweep"] and pages[0] == pages[1]
    refused = CliRunner().invoke(app, [*options[:-1], str(tmp_path / "page.html")])
    assert refused.exit_code == 2 and "is a file" in refused.output


def test_an_outcome_is_shown_as_it_was(tmp_path) -> None:
    outcome = outcome_of(CLAIM, "quick")
    found = found_of(outcome)
    assert (found.verdict, found.expected, found.kind) == (outcome.verdict, outcome.expected, outcome.kind)
