"""Errors in the library are noticed: a few of those written by hand, and the machinery that puts them in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "mutations"
SEED = 1


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(TOOL), "--folder", str(folder), "--jobs", "2", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=TOOL.parents[1], check=False)


def test_a_few_errors_are_noticed_by_the_claims_they_name(tmp_path: Path) -> None:
    found = run("--few", "12", "--seed", str(SEED), folder=tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr
    assert "12 errors, 12 noticed" in found.stdout


def script(text: str) -> str:
    """A process of its own, which an error may spoil."""
    code = f"import sys; sys.path.insert(0, {str(TOOL)!r})\n{text}"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=TOOL.parents[1], check=False)
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_an_error_is_made_in_a_process_and_not_in_its_files() -> None:
    told = script("""
from plica.theory.regions import zaslavsky
from plica.theory.parameters import GPT3_TABLE
import plica.theory.regions._arrangements as arrangements
from apply import apply
from handmade import ERRORS
from mutants import mutants_of, source
before = source("plica.theory.regions._arrangements")
assert zaslavsky(5, 2) == 16
apply(next(e for e in ERRORS if e.function == "zaslavsky").mutant())
assert zaslavsky(5, 2) == 6, "everyone who imported the function has the error"
assert open(arrangements.__file__, encoding="utf-8").read() == before
constant = next(m for m in mutants_of("plica.theory.parameters") if m.function == "GPT3_TABLE" and m.before == "12")
apply(constant)
from plica.theory import parameters
assert parameters.GPT3_TABLE != GPT3_TABLE
print("done")
""")
    assert told.strip() == "done"


def test_every_error_written_by_hand_still_applies_and_names_who_notices() -> None:
    script("""
from importlib import import_module
from pathlib import Path
from handmade import ERRORS, PACKAGES
from plica.claims import catalog
assert len(ERRORS) >= 500
assert len({(e.module, e.function, e.old, e.new) for e in ERRORS}) == len(ERRORS), "an error is written down once"
for package in PACKAGES:
    own = import_module(f"handmade.{package}").ERRORS
    assert own and all(error.module.split(".")[0] == package for error in own), package
for error in ERRORS:
    mutant = error.mutant()
    assert mutant.tree() and mutant.key
    assert set(error.claims) <= set(catalog().ids), error
    assert all(Path(file).is_file() for file in error.tests) and bool(error.tests) != bool(error.claims), error
""")


def test_the_errors_that_claims_noticed_still_apply() -> None:
    told = script("""
from mutants import mutants_of
from power import error_of, is_verdict, read
from plica.claims import catalog
table = read()
for id, entry in table.items():
    mutant = error_of(entry)
    assert mutant.tree() and mutant.before != mutant.after
    assert is_verdict(entry["told"]), f"{id}: an exception is no verdict"
assert set(table) <= set(catalog().ids)
print(len(table))
""")
    assert int(told) >= 100


@pytest.mark.slow
def test_every_claim_notices_an_error_of_its_subject_or_says_why_not() -> None:
    told = script("""
from equivalent import NO_SUBJECT
from power import read
from plica.claims import catalog
ids, known = set(catalog().ids), set(read())
assert set(NO_SUBJECT) <= ids - known, "a claim that notices an error has a subject"
print(*sorted(ids - known - set(NO_SUBJECT)))
""")
    assert not told.strip(), f"run python tools/mutations --power: nothing is known of {told}"


def test_every_reason_excuses_one_error_and_no_other() -> None:
    script("""
from equivalent import LIMITS, REASONS
from mutants import locate, mutants_of, number_of
for module, function, before, after, *number in REASONS:
    alike = [m for m in mutants_of(f"plica.{module}") if (m.function, m.before, m.after) == (function, before, after)]
    alike = alike or [locate(f"plica.{module}", function, before, after)]  # one written by hand
    meant = [m for m in alike if not number or number_of(m) == number[0]]
    assert len(meant) == 1, (module, function, before, after, number, [number_of(m) for m in alike])
for module, name in LIMITS:
    assert any(m.function == name for m in mutants_of(f"plica.{module}")), (module, name)
""")


def test_generated_errors_are_of_every_kind_and_differ_from_the_source() -> None:
    told = script("""
import json
from mutants import modules, mutants_of
found = [m for module in modules(("theory",)) for m in mutants_of(module)]
assert len({m.key for m in found}) == len(found) > 1000
assert all(m.before != m.after for m in found)
print(json.dumps([[m.before, m.after] for m in mutants_of("plica.theory.lengths")]))
""")
    changes = {tuple(change) for change in json.loads(told)}
    assert ("2 * n_in", "n_in") in changes and ("2 * n_in", "2 / n_in") in changes  # a constant dropped, an operation
    assert ("n / (n + 1)", "(n + 1) / n") in changes  # roles exchanged
    assert ("n + 1", "n") in changes and ("sqrt(n)", "n") in changes


@pytest.mark.slow
def test_a_sample_is_tried_once_and_survivors_are_listed(tmp_path: Path) -> None:
    arguments = ("--packages", "theory", "--modules", "parameters", "--sample", "6", "--no-tests", "--seed", "3", "--report")
    first = run(*arguments, folder=tmp_path)
    assert first.returncode == 0 and "6 errors, 0 known" in first.stdout, first.stderr
    assert "6 errors, 6 known" in run(*arguments, folder=tmp_path).stdout
