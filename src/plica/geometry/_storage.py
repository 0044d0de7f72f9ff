"""Complexes in files: plain arrays for any reader, and the network and domain, from which the complex is computed again.

A decomposition is exact and takes milliseconds, so loading repeats it and compares the counts: nothing in a file is trusted, and
a loaded complex answers every question that a fresh one does.
"""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any

import numpy as np

from plica._npy import read_npz
from plica._types import Array
from plica._whole import whole_file
from plica.errors import InvalidInput
from plica.geometry._complex import Complex
from plica.geometry._decompose import decompose
from plica.geometry.domains import Box, Domain, Path, Plane, Polytope, Segment, Space
from plica.network import from_bytes, to_bytes

_MAX_BYTES = 512 * 2**20
_NEEDED = ("network", "domain_kind", "domain_points", "domain_window", "n_cells")


def save(cx: Complex, path: Any) -> None:
    """Write the complex to an ``.npz`` file."""
    target = FilePath(path)
    if target.suffix != ".npz":
        raise InvalidInput(f"{target.name!r} does not end in .npz.")
    arrays = _domain_arrays(cx.domain) | {
        "network": np.frombuffer(to_bytes(cx.network), np.uint8),
        "n_cells": np.array(cx.n_cells),
    }
    arrays |= {"vertices": cx.vertices, "outputs": cx.outputs, "regions": cx.regions, "sizes": cx.sizes()}
    arrays["facet_layer"] = cx.facet_layer
    arrays |= {"cell_offsets": cx.cell_offsets, "cell_vertices": cx.cell_vertices, "facet_cells": cx.facet_cells}
    arrays |= {"facet_offsets": cx.facet_offsets, "facet_vertices": cx.facet_vertices}
    with whole_file(target) as stream:
        np.savez_compressed(stream, allow_pickle=False, **arrays)


def load(path: Any) -> Complex:
    """Read a complex: its network and domain, decomposed again."""
    arrays = _read(FilePath(path))
    cx = decompose(from_bytes(arrays["network"].tobytes(), name=f"the network in {FilePath(path).name!r}"), _domain(arrays))
    if cx.n_cells != int(arrays["n_cells"]):
        raise InvalidInput(
            f"the file says {int(arrays['n_cells'])} cells, its network has {cx.n_cells}.",
            hint="the file is damaged; compute it anew",
        )
    return cx


def _domain_arrays(domain: Domain | Path | Space) -> dict[str, Array]:
    kind = type(domain).__name__
    if isinstance(domain, Space):
        return {"domain_kind": np.array(kind), "domain_points": np.eye(domain.dimension), "domain_window": np.zeros((0, 1))}
    if isinstance(domain, Path):
        return {"domain_kind": np.array(kind), "domain_points": domain.points, "domain_window": np.zeros((0, 1))}
    if isinstance(domain, Polytope):
        return {
            "domain_kind": np.array(kind),
            "domain_points": np.column_stack([domain.A, domain.b]),
            "domain_window": domain.window,
        }
    kind += "-through" if domain.chart.is_through else ""
    return {"domain_kind": np.array(kind), "domain_points": domain.chart.points, "domain_window": domain.window}


def _domain(arrays: dict[str, Array]) -> Domain | Path | Space:
    kind, points, window = str(arrays["domain_kind"]), arrays["domain_points"], arrays["domain_window"]
    if kind == "Space" and len(points):
        return Space(len(points))
    if kind == "Path":
        return Path(points)
    if kind == "Segment-through" and points.shape[0] == 2:
        return Segment(points[1], points[0])
    if kind == "Box" and window.ndim == 2 and len(window):
        low, high = points[-1].copy(), points[-1].copy()
        free = points[:-1].any(axis=0)
        if free.sum() != window.shape[1]:
            raise InvalidInput("the file describes no box: its free coordinates are not those of its window.")
        low[free], high[free] = window.min(axis=0), window.max(axis=0)
        return Box(low, high)
    if kind == "Polytope" and points.shape[1] > 2:
        return Polytope(points[:, :-1], points[:, -1])
    if kind == "Plane" and points.shape[0] == 3:
        return Plane(points[2], points[:2], window=window)
    if kind == "Plane-through" and points.shape[0] == 3:
        plane = Plane.through(points[2], points[0], points[1])
        return Plane._with_window(plane.chart, window)
    raise InvalidInput(f"the file describes no domain (kind {kind[:40]!r}).")


def _read(path: FilePath) -> dict[str, Array]:
    try:
        arrays = read_npz(path, _NEEDED, max_bytes=_MAX_BYTES)
    except InvalidInput as error:
        raise InvalidInput(f"{path.name!r} is not a complex: {error.message}", hint=error.hint) from None
    if arrays["n_cells"].shape != () or arrays["n_cells"].dtype.kind not in "iu" or arrays["network"].dtype != np.uint8:
        raise InvalidInput(f"{path.name!r} is not a complex.")
    for name in ("domain_points", "domain_window"):
        if arrays[name].dtype != np.float64 or arrays[name].ndim != 2:
            raise InvalidInput(f"{path.name!r} describes no domain.")
    return arrays
