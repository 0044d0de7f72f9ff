"""Finished parts of a line or a surface in a folder: a computation that was interrupted continues there."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from plica._npy import read_npz
from plica._types import Array, Integers
from plica._whole import whole_file
from plica.errors import InvalidInput
from plica.landscape._entropy_cell import EntropyCell
from plica.landscape._polynomial_cell import PolynomialCell
from plica.landscape._targets import Samples
from plica.network import Network

FORMAT = b"plica line 2"


class CellStore:
    """Parts by number, in files named after everything that they depend on."""

    def __init__(self, folder: Path, start: Network, end: Network, samples: Samples, n_cells: int) -> None:
        self._folder, self._key = _made(folder), _key(f"{samples.loss} {n_cells}", (start, end), samples)
        self._kind: type[PolynomialCell] | type[EntropyCell] = EntropyCell if samples.loss == "cross-entropy" else PolynomialCell

    def _path(self, part: int) -> Path:
        return self._folder / f"line-{self._key}-{part:04d}.npz"

    def load(self, part: int) -> PolynomialCell | EntropyCell | None:
        """A part, or None if it is not there or broken."""
        try:
            return self._kind.from_arrays(read_npz(self._path(part), self._kind.STORED))
        except (InvalidInput, ValueError, IndexError, OverflowError):
            return None

    def save(self, part: int, cell: PolynomialCell | EntropyCell) -> None:
        with whole_file(self._path(part)) as file:
            np.savez(file, **cell.arrays())  # type: ignore[arg-type]


class RowStore:
    """The losses in rows of a grid, by the grid's size and the row."""

    def __init__(self, folder: Path, networks: tuple[Network, ...], samples: Samples, settings: str) -> None:
        self._folder, self._key = _made(folder), _key(f"surface {samples.loss} {settings}", networks, samples)

    def _path(self, size: int, row: int) -> Path:
        return self._folder / f"surface-{self._key}-{size:05d}-{row:05d}.npz"

    def load(self, size: int, row: int, places: Integers) -> Array | None:
        """The losses at some places of a row, or None if these are not there."""
        try:
            found = read_npz(self._path(size, row), ("places", "values"))
        except InvalidInput:
            return None
        known = np.array_equal(found["places"], places) and found["values"].shape == places.shape
        return found["values"] if known and np.isfinite(found["values"]).all() else None

    def save(self, size: int, row: int, places: Integers, values: Array) -> None:
        with whole_file(self._path(size, row)) as file:
            np.savez(file, places=places, values=values)  # type: ignore[arg-type]


def _made(folder: Path) -> Path:
    if folder.exists() and not folder.is_dir():
        raise InvalidInput(f"{folder} is not a folder.", hint="store=FOLDER keeps one small file for each part")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _key(settings: str, networks: tuple[Network, ...], samples: Samples) -> str:
    """A name for everything that parts depend on."""
    digest = hashlib.sha256(FORMAT + settings.encode())
    for network in networks:
        for node in network.nodes:
            digest.update(f"{node.op.kind} {node.inputs} {node.shape} {node.op.settings()}".encode())
            for name, array in sorted(node.op.arrays().items()):
                digest.update(name.encode() + np.ascontiguousarray(array).tobytes())
    for array in (samples.x, samples.targets):
        digest.update(str(array.shape).encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:24]
