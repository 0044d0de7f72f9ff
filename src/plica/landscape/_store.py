"""Finished parts of a line in a folder: a computation that was interrupted continues there."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from plica._npy import read_npz
from plica._whole import whole_file
from plica.errors import InvalidInput
from plica.landscape._entropy_cell import EntropyCell
from plica.landscape._polynomial_cell import PolynomialCell
from plica.landscape._targets import Samples
from plica.network import Network

FORMAT = b"plica line 1"


class CellStore:
    """Parts by number, in files named after everything that they depend on."""

    def __init__(self, folder: Path, start: Network, end: Network, samples: Samples, n_cells: int) -> None:
        if folder.exists() and not folder.is_dir():
            raise InvalidInput(f"{folder} is not a folder.", hint="store=FOLDER keeps one small file for each part of a line")
        folder.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256(FORMAT + f"{samples.loss} {n_cells}".encode())
        for network in (start, end):
            for node in network.nodes:
                digest.update(f"{node.op.kind} {node.inputs} {node.shape} {node.op.settings()}".encode())
                for name, array in sorted(node.op.arrays().items()):
                    digest.update(name.encode() + np.ascontiguousarray(array).tobytes())
        for array in (samples.x, samples.targets):
            digest.update(str(array.shape).encode() + np.ascontiguousarray(array).tobytes())
        self._folder, self._key = folder, digest.hexdigest()[:24]
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
