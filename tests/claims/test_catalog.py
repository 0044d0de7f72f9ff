"""Every claim of the catalog: its page is complete, its names exist, and its quick check gives the verdict it expects."""

from __future__ import annotations

import importlib
import re
from importlib.resources import files
from typing import Any

import pytest

from plica.claims import Claim, catalog
from plica.claims._bibliography import bibliography, keys

CLAIMS = list(catalog())
NAME = re.compile(r"\bplica(?:\.\w+)+")
ID = re.compile(r"\bclaims? ([a-z0-9]+(?:-[a-z0-9]+)+)(?: and ([a-z0-9]+(?:-[a-z0-9]+)*))?")


def resolve(name: str) -> Any:
    """The object with a dotted name: attributes of the front door, or of a package below it."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError(name)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.id)
def test_every_name_on_the_page_exists(claim: Claim) -> None:
    text = " ".join(claim.sections().values())
    for name in NAME.findall(text):
        assert resolve(name) is not None


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.id)
def test_the_source_has_its_bibtex_and_related_claims_exist(claim: Claim) -> None:
    found = keys(claim.source)
    assert found and set(keys(f"{claim.source} {claim.remark}")) <= set(bibliography())
    assert claim.citation.count("@") >= len(found)
    ids = set(catalog().ids)
    assert set(claim.see) <= ids - {claim.id}
    mentioned = {id for match in ID.findall(" ".join(claim.sections().values())) for id in match if id}
    assert mentioned <= ids, mentioned - ids


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.expected == "refuted"], ids=lambda c: c.id)
def test_a_refuted_claim_says_what_is_true_instead(claim: Claim) -> None:
    assert claim.remark or claim.see


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.id)
def test_the_quick_check_gives_the_expected_verdict(claim: Claim) -> None:
    evidence = claim.check("quick")
    assert evidence.verdict == claim.expected_at("quick"), evidence.counterexample
    assert evidence.claim is claim
    assert evidence.objections == []
    assert evidence.svg().startswith("<svg")


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.record], ids=lambda c: c.id)
def test_what_is_recorded_at_full_scale_is_of_the_present_code_and_as_expected(claim: Claim) -> None:
    record = claim.record
    assert record is not None and record.id == claim.id
    assert not record.is_stale(claim), f"run `plica check {claim.id} --scale full --record src/plica/claims/records` again"
    assert record.verdict == claim.expected and record.rows and record.seconds >= 0


def test_every_record_belongs_to_a_claim() -> None:
    folder = files("plica.claims").joinpath("records")
    names = {path.name.removesuffix(".json") for path in folder.iterdir()} if folder.is_dir() else set()
    assert names <= set(catalog().ids)


def test_titles_and_statements_are_unique_and_end_as_sentences_do() -> None:
    assert len({c.title for c in CLAIMS}) == len({c.statement for c in CLAIMS}) == len(CLAIMS)
    assert all(c.title[-1] in ".?)" for c in CLAIMS)
