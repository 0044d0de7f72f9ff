"""The catalog finds claims by itself, and a claim's page is read from its source."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import plica
from plica.claims import Catalog, _registry, bibliography, catalog, check, cite
from plica.claims._page import parse_claim
from plica.errors import InvalidInput, PlicaError

PAGE = '''
r"""A title.

Claim
    Every n is at most
    2^n.
Source
    Somebody, 1999 [zaslavsky1975].
Prediction
    2^n
Measurement
    n
"""
STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("zaslavsky-1975",)


def check(scale):
    raise RuntimeError("not run by reading")
'''


def test_a_page_is_parsed_without_running_it() -> None:
    claim = parse_claim(textwrap.dedent(PAGE), "plica.claims.topic.small_page")
    assert (claim.id, claim.topic, claim.title) == ("small-page", "topic", "A title.")
    assert claim.statement == "Every n is at most\n2^n."
    assert claim.see == ("zaslavsky-1975",)
    assert "2ⁿ" in str(claim)
    assert "zaslavsky1975" in claim.citation


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Measurement\n    n\n", "", "Measurement"),
        ("Prediction\n", "Predictions\n", "Prediction"),
        ('EXPECTED = "holds"', "", "EXPECTED"),
        ('EXPECTED = "holds"', 'EXPECTED = "true"', "EXPECTED"),
        ('EXPECTED = "holds"', 'EXPECTED = "reproduced"', "EXPECTED"),
        ('STATEMENT = "theorem"', 'STATEMENT = "rumor"', "STATEMENT"),
        ('KIND = "exact"', 'KIND = "precise"', "KIND"),
        ("Claim\n    Every n is at most\n    2^n.\n", "Claim\n", "Claim"),
        ("[zaslavsky1975]", "", "cites no source"),
        ("[zaslavsky1975]", "[nobody1900]", r"\[nobody1900\], which references.bib lacks"),
        ("def check(scale):", "def checks(scale):", "no function check"),
        ("def check(scale):", "def check():", "line 20: check takes 0 arguments"),
        ("def check(scale):", "def check(scale, seed):", "check takes 2 arguments"),
        ('KIND = "exact"', 'KIND = str("exact")', "line 16: KIND is computed"),
        ("Every n is at most", "FILL IN", "not finished: lines 5"),
        ("def check(scale):", "def check(scale:", "line 20"),
    ],
)
def test_an_incomplete_page_is_refused_by_name(old: str, new: str, message: str) -> None:
    with pytest.raises(PlicaError, match=message):
        parse_claim(textwrap.dedent(PAGE).replace(old, new), "plica.claims.topic.small_page")


def test_a_stand_in_has_a_heading_of_its_own() -> None:
    page = textwrap.dedent(PAGE).replace("Measurement\n    n\n", "Measurement\n    n\nStand-in\n    for n = 1\n")
    claim = parse_claim(page, "plica.claims.topic.small_page")
    assert (
        claim.stand_in == "for n = 1" and claim.expected_at("quick") == "stand-in agrees" and claim.expected_at("full") == "holds"
    )


def test_the_catalog_is_sorted_and_searchable() -> None:
    everything = catalog()
    assert len(everything) >= 60
    assert list(everything.ids) == [c.id for c in sorted(everything, key=lambda c: (c.topic, c.id))]
    assert {c.topic for c in catalog(topic="attention")} == {"attention"}
    assert {c.kind for c in catalog(kind="estimated")} == {"estimated"}
    assert "montufar-2014" in catalog(search="montúfar fold")
    assert len(catalog(search="no such words anywhere")) == 0
    assert everything["zaslavsky-1975"] is everything[everything.ids.index("zaslavsky-1975")]
    assert isinstance(everything[:3], Catalog) and len(everything[:3]) == 3
    assert "zaslavsky-1975" in everything._repr_html_()


def test_a_typing_error_gets_a_suggestion() -> None:
    with pytest.raises(InvalidInput) as caught:
        check("zaslavski-1975")
    assert "zaslavsky-1975" in caught.value.hint
    with pytest.raises(InvalidInput, match="topic"):
        catalog(topic="region")
    with pytest.raises(InvalidInput, match="kind"):
        catalog(kind="sharp")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="scale"):
        check("zaslavsky-1975", scale="huge")  # type: ignore[arg-type]


def test_a_new_file_is_a_new_claim(tmp_path: Path) -> None:
    """A topic folder placed on the package's path is found, with nothing registered anywhere."""
    folder = tmp_path / "topic"
    folder.mkdir()
    (folder / "__init__.py").write_text('"""A topic."""\n')
    page = PAGE.replace(
        '    raise RuntimeError("not run by reading")',
        "    from plica.claims import Evidence, row\n    return Evidence([row(1, '=', 1)])",
    )
    (folder / "small_page.py").write_text(textwrap.dedent(page).strip())
    (folder / "_helper.py").write_text("")
    script = f"""
import plica.claims
plica.claims.__path__.append({str(tmp_path)!r})
from plica.claims import catalog
claim = catalog()["small-page"]
assert claim.check().verdict == "holds"
assert claim.topic == "topic" and len(catalog(topic="topic")) == 1
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_listing_claims_imports_none_of_them() -> None:
    script = """
import sys
import plica
assert len(plica.catalog()) > 60
heavy = {"torch", "numba", "matplotlib", "plica.geometry", "plica.claims.regions.zaslavsky_1975"} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_citations_are_found_for_claims_evidence_and_formulas() -> None:
    from plica.theory import regions

    assert cite("montufar-2014").startswith("@inproceedings{montufar2014")
    assert cite(plica.check("gpt3-table-heads")).startswith("@inproceedings{brown2020")
    assert "zaslavsky1975" in cite(regions.zaslavsky)
    assert "@software{plica" in cite()
    with pytest.raises(InvalidInput, match="names no source"):
        cite(len)


def test_every_reference_of_a_docstring_is_in_the_bibliography() -> None:
    source = Path(plica.__file__).parent
    missing = {}
    for path in source.rglob("*.py"):
        found = set(re.findall(r"\[([a-z][a-z0-9-]+)\]_", path.read_text(encoding="utf-8")))
        if found - set(bibliography()):
            missing[path.name] = found - set(bibliography())
    assert not missing


def test_formulas_are_reached_through_the_front_door() -> None:
    script = "import plica\nassert plica.theory.regions.zaslavsky(6, 2) == 22\nassert len(plica.claims.catalog()) > 60"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_threads_that_ask_at_the_same_time_share_one_reading(monkeypatch):
    asked, started = [], threading.Barrier(4)

    def slow_pages():
        asked.append(threading.get_ident())
        time.sleep(0.2)  # so that all would be reading at once
        return []

    def ask(_):
        started.wait()
        return _registry._all_claims()

    monkeypatch.setattr(_registry, "pages", slow_pages)
    monkeypatch.setattr(_registry, "_read_claims", functools.cache(_registry._read_claims.__wrapped__))
    with ThreadPoolExecutor(4) as pool:
        catalogs = list(pool.map(ask, range(4)))
    assert len(asked) == 1
    assert all(catalog is catalogs[0] for catalog in catalogs)
