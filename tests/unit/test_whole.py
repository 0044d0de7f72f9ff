"""Files are whole or not there: full disks, kills, other processes."""

import os
import subprocess
import sys

import pytest

from plica import _whole
from plica._whole import whole_file, write_whole
from plica.errors import InvalidInput


def test_a_reader_sees_the_old_file_or_the_new_one(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    write_whole(path, "old")

    def full(_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(_whole.os, "fsync", full)
        with pytest.raises(InvalidInput, match="No space left"):
            write_whole(path, "new" * 1000)
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["a.txt"]
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"


def test_what_killed_writers_left_is_removed_and_nothing_else(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    alive, mine = tmp_path / f".a.txt.{os.getppid()}.part", tmp_path / ".b.txt.1.part"
    for path in (tmp_path / f".a.txt.{gone.pid}.part", alive, mine):
        path.write_text("half")
    write_whole(tmp_path / "a.txt", "whole")
    assert {path.name for path in tmp_path.iterdir()} == {"a.txt", alive.name, mine.name}


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(InvalidInput, match="nowhere"):
        write_whole(tmp_path / "nowhere" / "a.txt", "text")


def test_a_file_whose_writer_fails_keeps_what_it_was(tmp_path):
    path = tmp_path / "a.txt"
    write_whole(path, "old")

    def half():
        with whole_file(path) as stream:
            stream.write(b"half of it")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["a.txt"]
