"""Lattice networks (tllverifybench): maxima of minima by ReLUs, which tie on whole cells, over [-2, 2]^2.

Needs the published networks under ``PLICA_DATA/vnncomp`` (skipped, saying so, without). Each is decomposed in full;
Euler's formula and the sum of the areas are checked beside the time. Goal: at most 10 processor seconds each. The last line says
how many of the 32 networks were looked at (the folder's 33rd file is a note without a network).
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import plica

FOLDER = Path(os.environ.get("PLICA_DATA", "")) / "vnncomp" / "tllverifybench_2023" / "onnx"
GOAL_S = 10.0
N_PUBLISHED = 32


def main() -> None:
    files = sorted(FOLDER.glob("*.onnx.gz"), key=lambda p: p.stat().st_size)
    if not files:
        print("  skipped: no folder vnncomp/tllverifybench_2023 in PLICA_DATA")
        return
    square = plica.Box([-2, -2], [2, 2])
    plica.decompose(plica.load(files[0]), square)  # compiles
    late: list[tuple[float, str]] = []
    for path in files:
        network = plica.load(path)
        wall, spent = time.perf_counter(), time.process_time()
        cx = plica.decompose(network, square)
        wall, spent = time.perf_counter() - wall, time.process_time() - spent
        v, e, f = cx.n_faces
        assert v - e + f == 1, path.name
        assert abs(cx.sizes().sum() - 16) < 1e-9, path.name
        print(
            f"  {path.name.removesuffix('.onnx.gz'):40} {network.n_neurons:6,} neurons {cx.n_cells:8,} cells "
            f"{cx.n_regions:3} regions "
            f"{cx.exact_fallbacks:8,} by integers  {spent:5.1f} processor seconds (goal {GOAL_S:.0f}), {wall:5.1f} s",
            flush=True,
        )
        late.append((spent, path.name.removesuffix(".onnx.gz")))
    n_late = sum(spent > GOAL_S for spent, _ in late)
    print(f"  {len(files)} networks of {N_PUBLISHED}, {n_late} beyond the goal; the longest {max(late)[0]:.1f} s, {max(late)[1]}")


if __name__ == "__main__":
    main()
