"""Folders for what passes: removed by their process, or by the next one if theirs was killed."""

import subprocess
import sys

import pytest
from patience import patient

from plica import _passing
from plica._passing import LOCK, PREFIX, passing_folder

HOLD = """
from plica._passing import passing_folder
with passing_folder() as folder:
    (folder / "a.txt").write_text("passing")
    print(folder, flush=True)
    input()
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(_passing.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def holder():
    process = subprocess.Popen([sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert PREFIX in process.stdout.readline()
    return process


def test_a_folder_lives_as_long_as_its_block(place):
    with passing_folder() as folder:
        assert folder.parent == place
        (folder / "a.txt").write_text("passing")
    assert not list(place.iterdir())
    with pytest.raises(ZeroDivisionError), passing_folder():
        raise ZeroDivisionError
    assert not list(place.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="needs locks of files that end with their process")
def test_the_folder_of_a_killed_process_is_removed_and_no_other(place):
    killed, alive = holder(), holder()
    try:
        killed.kill()
        killed.wait(patient(10))
        assert len(list(place.iterdir())) == 2
        other, young = place / "plica-other", place / f"{PREFIX}young"
        other.mkdir()
        young.mkdir()
        with passing_folder() as mine:
            left = set(place.iterdir())
            assert {mine, other, young} < left and len(left) == 4
            assert all((folder / LOCK).exists() for folder in left - {other, young})
        alive.communicate("\n", timeout=patient(10))
        assert set(place.iterdir()) == {other, young}
    finally:
        for process in (killed, alive):
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()
