"""A stranger adds a claim: the page to fill in, what is said about half-written and misplaced files, the worked example."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from plica.errors import InvalidInput

ROOT = Path(__file__).parents[3]
ID = "steiner-1826-grid"


def plica(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, with a catalog of its own beside the package's."""
    environment = os.environ | {"PLICA_CLAIMS": str(folder), "NO_COLOR": "1", "COLUMNS": "200"}
    command = [sys.executable, "-m", "plica", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def blocks(language: str) -> list[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_worked_example_of_contributing_is_a_claim_that_holds_and_can_fail(tmp_path: Path) -> None:
    (command,) = re.findall(r"^plica (claims new .*)$", "\n".join(blocks("sh")), re.MULTILINE)
    begun = plica(tmp_path, *command.split())
    assert begun.returncode == 0, begun.stderr
    page, references = tmp_path / "regions" / "steiner_1826_grid.py", tmp_path / "references.bib"
    assert page.is_file() and "@article{steiner1826," in references.read_text()

    unfinished = plica(tmp_path, "check", ID)
    assert unfinished.returncode == 2 and "is not finished: lines 1, 4," in unfinished.stderr

    (example,) = blocks("python")
    page.write_text(example, encoding="utf-8")
    without_source = plica(tmp_path, "check", ID)
    assert without_source.returncode == 2 and "steiner1826" in without_source.stderr and "FILL IN" in without_source.stderr

    (entry,) = blocks("bibtex")
    references.write_text(entry, encoding="utf-8")
    found = plica(tmp_path, "check", ID)
    assert found.returncode == 0, found.stderr
    assert "verdict: holds" in found.stdout
    assert "Theilung der Ebene" in plica(tmp_path, "claims", "show", ID).stdout

    page.write_text(example.replace('"=", (m + 1) * (n + 1), m=m', '"=", (m + 1) * (n + 2), m=m'), encoding="utf-8")
    wrong = plica(tmp_path, "check", ID)
    assert wrong.returncode == 1 and "fails, expected holds" in wrong.stderr


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("return Evidence(rows)", "return rows", "returned list, not Evidence"),
        ("return Evidence(rows)", "return Evidence([True])", "a row of evidence is a bool"),
        ('rows.append(row(count(normals, offsets), "=", (m + 1) * (n + 1), m=m, n=n))', "row(1)", "TypeError: row() missing 2"),
    ],
)
def test_an_error_in_a_check_names_the_claim_and_the_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    (example,), (entry,) = blocks("python"), blocks("bibtex")
    assert old in example
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "__init__.py").write_text('"""Own claims."""\n')
    (tmp_path / "references.bib").write_text(entry, encoding="utf-8")
    (tmp_path / "own" / "steiner_1826_grid.py").write_text(example.replace(old, new), encoding="utf-8")
    found = plica(tmp_path, "check", ID)
    assert found.returncode == 1 and message in found.stderr, found.stderr
    if "TypeError" in message:
        assert re.search(r"steiner_1826_grid\.py, line \d+", found.stderr)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("page.py", "lies beside the topics"),
        ("stray/page.py", "is in a folder that is no topic"),
        ("own/inner/page.py", "lies below a topic"),
        ("own/my-page.py", "rename it to my_page.py"),
        ("own/zaslavsky_1975.py", "is in own and in regions"),
    ],
)
def test_a_file_in_the_wrong_place_is_an_error_that_says_where_it_belongs(tmp_path: Path, place: str, message: str) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "__init__.py").write_text('"""Own claims."""\n')
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    source = ROOT / "src" / "plica" / "claims" / "regions" / "zaslavsky_1975.py"
    path.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    found = plica(tmp_path, "claims")
    assert found.returncode == 2 and message in " ".join(found.stderr.split()), found.stderr


def test_a_new_claim_needs_a_free_name_and_a_topic_or_what_it_is_about(tmp_path: Path) -> None:
    from plica.claims import new_claim

    for name in ("Hanin", "2019-line", "a--b", "a_b", "../../x"):
        with pytest.raises(InvalidInput, match="no name for a claim"):
            new_claim(name, topic="regions", folder=tmp_path)
    with pytest.raises(InvalidInput, match="already, in regions"):
        new_claim("zaslavsky-1975", topic="attention", folder=tmp_path)
    with pytest.raises(InvalidInput, match="no topic 'region'") as caught:
        new_claim("someone-2020", topic="region", folder=tmp_path)
    assert "regions" in caught.value.hint
    for topic, about in (("../x", "Elsewhere."), ("two words", "Words."), ("fine", 'a """quote""" ')):
        with pytest.raises(InvalidInput, match="topic"):
            new_claim("someone-2020", topic=topic, about=about, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []
    written = new_claim("someone-2020", topic="games", about="Games on networks.", folder=tmp_path)
    assert [path.name for path in written] == ["__init__.py", "someone_2020.py", "references.bib"]
    written = new_claim("montufar-2014-again", topic="games", folder=tmp_path)
    assert [path.name for path in written] == ["montufar_2014_again.py"], "its source is known"


def test_an_entry_of_the_bibliography_that_does_not_end_is_named(tmp_path: Path) -> None:
    (tmp_path / "references.bib").write_text("@book{one2000,\n  title = {One},\n@book{two2000,\n  title = {Two},\n}\n")
    found = plica(tmp_path, "claims")
    assert found.returncode == 2 and "the entry one2000 of references.bib does not end" in found.stderr
