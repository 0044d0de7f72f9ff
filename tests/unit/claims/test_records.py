"""Records of checks at full scale: what they hold, when they are stale, and that work is not done twice."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path

import pytest
from typer.testing import CliRunner

from plica.claims import catalog
from plica.claims._fingerprint import fingerprint, modules_of
from plica.claims._record import read_record, record_of
from plica.cli import app
from plica.errors import InvalidInput


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module with a helper, outside of the package; its fingerprint is read from the file."""
    (tmp_path / "some_page.py").write_text(
        textwrap.dedent('''
            """Words."""
            from plica.claims import Evidence, row

            N = 3

            def check(scale):
                return Evidence([row(N, "=", 3)])

            def draw(ax: Axes):
                ax.plot([0], [0])
            ''')
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path / "some_page.py"


def changed(page: Path, old: str, new: str) -> bool:
    from plica.claims import _fingerprint

    def read() -> str:
        _fingerprint._tree.cache_clear()
        _fingerprint._code.cache_clear()
        return fingerprint("some_page")

    before = read()
    text = page.read_text()
    assert old in text
    page.write_text(text.replace(old, new))
    sys.path_importer_cache.clear()
    return read() != before


def test_a_fingerprint_sees_code_and_not_words_or_pictures(page: Path) -> None:
    assert not changed(page, '"""Words."""', '"""Other words."""')
    assert not changed(page, "ax.plot([0], [0])", "ax.plot([1], [1])")
    assert not changed(page, "    return", "    # why\n    return")
    assert changed(page, "N = 3", "N = 4")


def test_a_fingerprint_covers_the_helpers_of_a_claim_and_not_the_frame() -> None:
    found = modules_of("plica.claims.regions.raghu_2017_upper")
    assert "plica.claims.regions._random_counts" in found
    assert not any(name.count(".") == 2 for name in found)


def test_every_claim_has_a_fingerprint_of_its_own() -> None:
    found = [fingerprint(claim.module) for claim in catalog()]
    assert len(set(found)) == len(catalog())


def test_a_record_keeps_what_was_measured(tmp_path: Path) -> None:
    claim = catalog()["slide-binomial-sum"]
    record = record_of(claim.check("full"))
    assert record.verdict == "refuted" and record.rows[4]["truth"] == 11 and not record.is_stale(claim)
    again = read_record(json.loads(record.save(tmp_path).read_text(encoding="utf-8")))
    assert again == record
    assert again.is_stale(catalog()["binomial-sum"])
    with pytest.raises(InvalidInput, match="full scale"):
        record_of(claim.check("quick"))
    with pytest.raises(InvalidInput, match="not a record"):
        read_record({"id": "x"})


def test_full_checks_are_recorded_and_not_run_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, folder = str(tmp_path / "checks.db"), tmp_path / "records"
    command = ["check", "slide-binomial-sum", "--scale", "full", "--resume", "--store", store, "--record", str(folder), "--json"]
    first = CliRunner().invoke(app, command)
    assert first.exit_code == 0, first.output
    assert json.loads((folder / "slide-binomial-sum.json").read_text())["verdict"] == "refuted"

    def explode(*_: object) -> None:
        raise AssertionError("run again")

    monkeypatch.setattr("plica.claims._claim.Claim.check", explode)
    second = CliRunner().invoke(app, command)
    assert second.exit_code == 0, second.output
    assert json.loads(first.stdout)["claims"] == json.loads(second.stdout)["claims"]


def test_records_are_of_full_scale_only(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["check", "slide-binomial-sum", "--record", str(tmp_path)])
    assert result.exit_code != 0
