"""IDX files and Planetoid files: read as data, refused when they are anything else."""

import pickle
import struct
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plica.data import _readers as readers
from plica.data._entries import ENTRIES
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


def published(name: str, *files: str) -> SimpleNamespace:
    return SimpleNamespace(name=name, title="as published", files=[SimpleNamespace(name=file) for file in files])


def test_photographs_are_planes_of_color_row_by_row() -> None:
    """A label, then the 1,024 bytes of red, of green, of blue."""
    names = ["data_batch_1.bin", "data_batch_2.bin", "test_batch.bin"]

    def record(label: int) -> bytes:
        planes = (
            (label + 7 + 50 * color + 3 * row + column) % 256 for color in range(3) for row in range(32) for column in range(32)
        )
        return bytes([label, *planes])

    contents = {names[0]: record(3) + record(1), names[1]: record(4), names[2]: record(9)}
    found = readers._photographs(published("cifar10", *names), contents)
    assert found.y.tolist() == [3, 1, 4] and found.y_test.tolist() == [9] and found.x.shape == (3, 3, 32, 32)
    for label, image in ((1, found.x[1]), (9, found.x_test[0])):
        for color, row, column in ((0, 0, 0), (1, 5, 7), (2, 31, 30)):
            assert image[color, row, column] == np.float32((label + 7 + 50 * color + 3 * row + column) % 256) / np.float32(255)


def test_sentences_are_pairs_of_german_and_english() -> None:
    stems = {"train": "train", "val": "val", "test2016": "test_2016_flickr", "test2017": "test_2017_flickr"}
    contents = {}
    for split, stem in stems.items():
        contents[f"{stem}.de"] = f"ein {split}\nzwei\n\n".encode()
        contents[f"{stem}.en"] = f"one {split}\ntwo\nthree\n".encode()
    found = readers._pairs(published("multi30k"), contents)
    assert found.languages == ("de", "en")
    assert {split: found[split] for split in stems} == {
        s: [(f"ein {s}", f"one {s}"), ("zwei", "two"), ("", "three")] for s in stems
    }


def test_test_nodes_of_a_graph_come_in_the_order_of_their_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three known nodes and three test nodes, whose rows are given in the order 5, 3, 4."""
    rows = {"allx": [[1, 0], [2], []], "tx": [[3], [0, 2], [1]]}

    def sparse(part: list[list[int]]) -> tuple[np.ndarray, np.ndarray, tuple[int, int]]:
        return np.cumsum([0, *map(len, part)]), np.array([i for row in part for i in row]), (len(part), 4)

    held = {
        "allx": sparse(rows["allx"]),
        "tx": sparse(rows["tx"]),
        "ally": np.eye(3)[[0, 1, 2]],
        "ty": np.eye(3)[[2, 0, 1]],
        "y": np.eye(3)[[0, 1]],
        "graph": {0: [1, 0], 1: [0, 5], 2: [], 3: [4, 4], 4: [3], 5: [1]},
        "test.index": b"5\n3\n4\n",
    }
    monkeypatch.setattr(readers, "_path", lambda file, folder: file)
    monkeypatch.setattr(readers, "read_verified", lambda file, path: held[file.name.removeprefix("ind.cora.")])
    monkeypatch.setattr(readers, "read_planetoid", lambda contents: contents)
    found = readers._upstream_cora(published("cora", *(f"ind.cora.{part}" for part in held)), Path())
    features = [found["indices"][a:b].tolist() for a, b in pairwise(found["indptr"])]
    assert features == [[0, 1], [2], [], [0, 2], [1], [3]]
    assert found["labels"].tolist() == [0, 1, 2, 0, 1, 2] and int(found["n_features"]) == 4
    assert found["edges"].tolist() == [[0, 1], [1, 5], [3, 4]]
    assert found["train"].tolist() == [0, 1] and found["val"].tolist() == list(range(2, 502))
    assert found["test"].tolist() == [3, 4, 5]
    monkeypatch.setattr(readers, "_is_packed", lambda entry, folder: False)
    graph = readers._cora(published("cora", *(f"ind.cora.{part}" for part in held)), Path())
    expected = np.zeros((6, 4))
    for node, row in enumerate(features):
        expected[node, row] = 1
    assert (graph.features == expected).all() and graph.n_classes == 3 and graph.edges.tolist() == found["edges"].tolist()


def test_images_are_bytes_over_255_in_ten_classes() -> None:
    def idx(array: np.ndarray) -> bytes:
        return bytes([0, 0, 8, array.ndim]) + b"".join(n.to_bytes(4, "big") for n in array.shape) + array.tobytes()

    rng = np.random.default_rng(0)
    held = {
        (part, what): rng.integers(0, 256 if what == "images" else 10, (n, 28, 28) if what == "images" else n).astype(np.uint8)
        for part, n in (("train", 5), ("t10k", 3))
        for what in ("images", "labels")
    }
    contents = {f"{part}-{what}-idx{3 if what == 'images' else 1}-ubyte": idx(array) for (part, what), array in held.items()}
    found = readers._images(published("mnist"), contents)
    assert (found.x == held["train", "images"].astype(np.float32) / 255).all() and (found.y == held["train", "labels"]).all()
    assert (found.x_test == held["t10k", "images"].astype(np.float32) / 255).all() and (
        found.y_test == held["t10k", "labels"]
    ).all()
    assert found.n_classes == 10 and found.x.dtype == np.float32 and found.y.dtype == np.int64
    assert found.flat.shape == (5, 784) and (found.flat_test == found.x_test.reshape(3, 784)).all()


def test_sizes_of_published_files_follow_from_their_formats() -> None:
    """A header of 16 or 8 bytes and one for each pixel or label; records of a label and 3 x 32 x 32 bytes."""
    for name in ("mnist", "fashion-mnist"):
        sizes = {file.name: file.n_bytes for file in ENTRIES[name].files}
        assert sizes == {
            "train-images-idx3-ubyte": 16 + 60_000 * 28 * 28,
            "train-labels-idx1-ubyte": 8 + 60_000,
            "t10k-images-idx3-ubyte": 16 + 10_000 * 28 * 28,
            "t10k-labels-idx1-ubyte": 8 + 10_000,
        }
    assert [file.n_bytes for file in ENTRIES["cifar10"].files] == [10_000 * (1 + 3 * 32 * 32)] * 6
    assert all(len(file.sha256) == 64 and int(file.sha256, 16) >= 0 for entry in ENTRIES.values() for file in entry.files)
    assert len({file.sha256 for entry in ENTRIES.values() for file in entry.files}) == sum(len(e.files) for e in ENTRIES.values())


def number(n: int) -> bytes:
    return b"K" + bytes([n]) if n < 256 else b"M" + struct.pack("<H", n) if n < 65536 else b"J" + struct.pack("<i", n)


def text(value: bytes) -> bytes:
    return b"U" + bytes([len(value)]) + value if len(value) < 256 else b"T" + struct.pack("<i", len(value)) + value


def array_as_python_2_wrote_it(array: np.ndarray, *, known: bool = False) -> bytes:
    """The instructions for an array; the type is remembered under 0, or taken from there."""
    letters = f"{array.dtype.kind}{array.dtype.itemsize}".encode()
    made = b"cnumpy\ndtype\n" + text(letters) + number(0) + number(1) + b"\x87R(" + number(3) + text(b"<") + b"NNNtbq\x00"
    head = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n" + number(0) + b"\x85" + text(b"b") + b"tR"
    shape = b"(" + b"".join(map(number, array.shape)) + b"t"
    return head + b"(" + number(1) + shape + (b"h\x00" if known else made) + b"\x89" + text(array.tobytes()) + b"tb"


@pytest.mark.parametrize("kind", ["i4", "i8", "f4", "f8"])
@pytest.mark.parametrize("shape", [(3,), (2, 4), (300, 2)])
def test_arrays_in_planetoid_files_are_read(kind: str, shape: tuple[int, ...]) -> None:
    array = (np.arange(np.prod(shape)) * 1.5 - 2).reshape(shape).astype(kind)
    found = read_planetoid(b"\x80\x02" + array_as_python_2_wrote_it(array) + b".")
    assert found.dtype == np.dtype(kind) and found.shape == shape and (found == array).all()


def test_matrices_and_neighbors_in_planetoid_files_are_read() -> None:
    indptr, indices = np.array([0, 2, 3], dtype="i4"), np.array([5, 1, 70_000], dtype="i4")
    items = text(b"_shape") + number(2) + number(70_001) + b"\x86" + text(b"indptr") + array_as_python_2_wrote_it(indptr)
    items += text(b"indices") + array_as_python_2_wrote_it(indices, known=True) + text(b"maxprint") + number(50)
    found = read_planetoid(b"\x80\x02cscipy.sparse.csr\ncsr_matrix\n)\x81}(" + items + b"ub.")
    assert found[0].tolist() == [0, 2, 3] and found[1].tolist() == [5, 1, 70_000] and found[2] == (2, 70_001)
    graph = b"ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(" + number(0) + b"](" + number(3) + number(300) + b"e"
    graph += number(3) + b"]" + number(0) + b"a" + number(300) + b"]u."
    assert read_planetoid(b"\x80\x02" + graph) == {0: [3, 300], 3: [0], 300: []}
