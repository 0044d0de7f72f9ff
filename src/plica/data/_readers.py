"""From the files of a published data set to its object. Every byte was compared with the published hash before."""

from __future__ import annotations

import hashlib
import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np

from plica._npy import parse_npy
from plica._types import Array
from plica.data._dataset import Dataset, LabeledGraph, Text, Translation
from plica.data._entries import Entry
from plica.data._errors import DatasetDamaged
from plica.data._files import File, read_verified
from plica.data._idx import read_idx
from plica.data._planetoid import read_planetoid

_CORA_ARRAYS = {
    "indptr.npy": (10_964, "3f89606fee83e724c13115e4fdc410175a971b50dd92550d74f8a9f96909b4b2"),
    "indices.npy": (98_560, "be7d7188d6f79fbf8c887084ab22aa7c8c8f037c4e099071acc75a6ac8b87284"),
    "n_features.npy": (132, "76729bc25827e5fe17bae8b19e211e8c11e516a300e66c514fad7cff9cc6aa74"),
    "edges.npy": (42_352, "48ea99345cc3809307af98bf559cc3677ffb7a75d5774ce6e8c95c392106d604"),
    "labels.npy": (2_836, "644bcb26668cc78cc3602ea5492491d0d44ee807a7a28b562f59ccb98e5b0c2b"),
    "train.npy": (688, "6070f6fb2f1f1151a40b49d270368a3b3bf518d3c09b18ef4faf1c4dcd515b7b"),
    "val.npy": (2_128, "7aae9df250556c7d49380f56d7a8468b1a52d1c77daed933795ae305ec881efa"),
    "test.npy": (4_128, "75770f49be1b027b1be8f0ef2ad355468ced2be81e277f3aaee56b7da5772396"),
}

Loaded = Dataset | Text | Translation | LabeledGraph


def read(entry: Entry, folder: Path) -> Loaded:
    """The data set whose files are in ``folder``."""
    if entry.name == "cora":
        return _cora(entry, folder)
    contents = {file.name: read_verified(file, _path(file, folder)) for file in entry.files}
    if entry.name in ("mnist", "fashion-mnist"):
        return _images(entry, contents)
    if entry.name == "cifar10":
        return _photographs(entry, contents)
    if entry.name == "tinyshakespeare":
        return Text(entry.name, contents["input.txt"].decode("ascii"), about=entry.title)
    return _pairs(entry, contents)


def verify(entry: Entry, folder: Path) -> None:
    """Compare every file with its published hash."""
    if _is_packed(entry, folder):
        _packed_cora(folder / entry.packed)
    else:
        for file in entry.files:
            read_verified(file, _path(file, folder))


def _is_packed(entry: Entry, folder: Path) -> bool:
    return bool(entry.packed) and not all(file.within(folder) for file in entry.files)


def _path(file: File, folder: Path) -> Path:
    path = file.within(folder)
    assert path is not None, "locate() found all files"
    return path


def _images(entry: Entry, contents: dict[str, bytes]) -> Dataset:
    def pair(part: str) -> tuple[Array, Array]:
        images = read_idx(contents[f"{part}-images-idx3-ubyte"]).astype(np.float32)
        images /= 255
        return images, read_idx(contents[f"{part}-labels-idx1-ubyte"]).astype(np.int64)

    (x, y), (x_test, y_test) = pair("train"), pair("t10k")
    return Dataset(entry.name, x, y, x_test, y_test, n_classes=10, about=entry.title)


def _photographs(entry: Entry, contents: dict[str, bytes]) -> Dataset:
    """Records of a label and 3 x 32 x 32 bytes, one color after the other."""

    def pair(names: list[str]) -> tuple[Array, Array]:
        records = np.concatenate([np.frombuffer(contents[name], np.uint8).reshape(-1, 3073) for name in names])
        images = records[:, 1:].reshape(-1, 3, 32, 32).astype(np.float32)
        images /= 255
        return images, records[:, 0].astype(np.int64)

    names = [file.name for file in entry.files]
    (x, y), (x_test, y_test) = pair(names[:-1]), pair(names[-1:])
    return Dataset(entry.name, x, y, x_test, y_test, n_classes=10, about=entry.title)


def _pairs(entry: Entry, contents: dict[str, bytes]) -> Translation:
    splits = {}
    for split, stem in (("train", "train"), ("val", "val"), ("test2016", "test_2016_flickr"), ("test2017", "test_2017_flickr")):
        german, english = (contents[f"{stem}.{language}"].decode("utf-8").split("\n") for language in ("de", "en"))
        splits[split] = [(g, e) for g, e in zip(german, english, strict=True) if g or e]  # the last line is empty
    return Translation(entry.name, ("de", "en"), splits, about=entry.title)


def _cora(entry: Entry, folder: Path) -> LabeledGraph:
    arrays = _packed_cora(folder / entry.packed) if _is_packed(entry, folder) else _upstream_cora(entry, folder)
    n_nodes, n_features = len(arrays["labels"]), int(arrays["n_features"])
    features = np.zeros((n_nodes, n_features), dtype=np.float32)
    features[np.repeat(np.arange(n_nodes), np.diff(arrays["indptr"])), arrays["indices"]] = 1.0
    parts = {name: arrays[name].astype(np.int64) for name in ("edges", "labels", "train", "val", "test")}
    return LabeledGraph(entry.name, features, about=entry.title, **parts)


def _packed_cora(path: Path) -> dict[str, Array]:
    """The arrays of ``cora.npz``; each member's bytes are compared with their hash before they are read as an array."""
    arrays = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for name, (n_bytes, sha256) in _CORA_ARRAYS.items():
                with archive.open(name) as member:
                    contents = member.read(n_bytes + 1)
                found = hashlib.sha256(contents).hexdigest()
                if found != sha256:
                    raise DatasetDamaged(
                        f"{path} is not the published one: the SHA-256 of {name} is {found}, expected {sha256}.",
                        hint="remove it and fetch the data again: plica data fetch cora",
                    )
                arrays[name.removesuffix(".npy")] = parse_npy(contents, name)
    except (OSError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise DatasetDamaged(f"{path} cannot be read: {error}.", hint="plica data fetch cora") from None
    return arrays


def _upstream_cora(entry: Entry, folder: Path) -> dict[str, Array]:
    """The same arrays from the eight files of Planetoid: test nodes come in the order of ``test.index``."""
    contents = {file.name.removeprefix("ind.cora."): read_verified(file, _path(file, folder)) for file in entry.files}
    order = np.array(contents["test.index"].split(), dtype=np.int64)
    n_known = len(read_planetoid(contents["ally"]))
    row_of = np.arange(n_known + len(order))  # the row of (allx, tx) that belongs to each node
    row_of[order] = n_known + np.arange(len(order))
    labels = np.concatenate([read_planetoid(contents["ally"]), read_planetoid(contents["ty"])])[row_of].argmax(axis=1)
    rows: list[Array] = []
    for part in ("allx", "tx"):
        indptr, indices, shape = read_planetoid(contents[part])
        rows += [np.sort(indices[a:b]) for a, b in pairwise(indptr)]
    rows = [rows[i] for i in row_of]
    pairs = {(min(a, b), max(a, b)) for a, near in read_planetoid(contents["graph"]).items() for b in near if a != b}
    n_train = len(read_planetoid(contents["y"]))
    return {
        "indptr": np.cumsum([0, *map(len, rows)]),
        "indices": np.concatenate(rows),
        "n_features": np.array(shape[1]),
        "edges": np.array(sorted(pairs)),
        "labels": labels,
        "train": np.arange(n_train),
        "val": np.arange(n_train, n_train + 500),
        "test": np.sort(order),
    }
