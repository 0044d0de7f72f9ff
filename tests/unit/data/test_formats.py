"""IDX files and Planetoid files: read as data, refused when they are anything else."""

import pickle
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plica.data._idx import read_idx
from plica.data._planetoid import read_planetoid
from plica.errors import InvalidInput


@pytest.mark.parametrize(("code", "kind"), [(8, "u1"), (9, "i1"), (0x0B, "i2"), (0x0C, "i4"), (0x0D, "f4"), (0x0E, "f8")])
def test_idx_of_every_type_gives_the_array_back(code, kind):
    array = np.arange(24).reshape(2, 3, 4).astype(kind)
    contents = struct.pack(">BBBB3I", 0, 0, code, 3, 2, 3, 4) + array.astype(f">{kind}").tobytes()
    found = read_idx(contents)
    assert found.dtype == np.dtype(kind) and (found == array).all()


@pytest.mark.parametrize(
    "contents",
    [
        b"",
        b"\0\0",
        b"\0\0\x08",
        b"\1\0\x08\x01\0\0\0\0",
        b"\0\0\x07\x01\0\0\0\0",
        b"\0\0\x08\x02\0\0\0\1",
        b"\0\0\x08\x01\0\0\0\3ab",
    ],
)
def test_other_bytes_are_not_idx(contents):
    with pytest.raises(InvalidInput):
        read_idx(contents)


def test_an_idx_header_that_promises_terabytes_takes_no_memory():
    with pytest.raises(InvalidInput):
        read_idx(struct.pack(">BBBB3I", 0, 0, 8, 3, 2**32 - 1, 2**32 - 1, 2**32 - 1))


@given(st.binary(max_size=200))
def test_no_bytes_crash_the_reader_of_planetoid_files(contents):
    try:
        read_planetoid(b"\x80\x02" + contents)
    except InvalidInput:
        pass


class Touch:
    """An object whose pickle calls a function when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_a_pickle_that_would_run_something_runs_nothing(tmp_path):
    trap = tmp_path / "touched"
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(InvalidInput):
            read_planetoid(pickle.dumps(Touch(trap), protocol))
    assert not trap.exists()


def test_neighbors_are_read_from_instructions_written_by_hand():
    program = b"\x80\x02ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(K\x00]q\x01(K\x01M\x02\x01eK\x01]K\x00au."
    assert read_planetoid(program) == {0: [1, 258], 1: [0]}
