"""The first plane on a fresh installation: from ``import plica`` to its regions and its picture, with an empty cache of kernels.

    python benchmarks/bench_first_plane.py [--repeat 3]

Each run is a new process; "fresh" has an empty cache of kernels, "kept" one that an earlier process has filled.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REST_S = 8.0  # longer than any kernel takes
CASES = {"2-16-16-1": [2, 16, 16, 1], "2-64-64-64-1": [2, 64, 64, 64, 1]}
RUN = """
import json, sys, time
start, cpu = time.perf_counter(), time.process_time()
import plica
net = plica.random_network(json.loads(sys.argv[1]), seed=0, weights="he-normal", bias_std=0.5)
found = {}
def told(name):
    found[name] = [time.perf_counter() - start, time.process_time() - cpu]
cx = plica.decompose(net, plica.Box([-1, -1], [1, 1])); told("cells")
cx.n_regions; told("regions")
cx.plot().figure.savefig(sys.argv[2]); told("picture")
print(json.dumps(found))
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=3)
    repeat = parser.parse_args().repeat
    for name, widths in CASES.items():
        print(name)
        for way in ("fresh", "kept"):
            runs = []
            for _ in range(repeat):
                with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                    env = {**os.environ, "NUMBA_CACHE_DIR": f"{folder}/kernels", "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"}
                    command = [sys.executable, "-c", RUN, json.dumps(widths), f"{folder}/first.png"]
                    if way == "kept":
                        subprocess.run(command, env=env, check=True, capture_output=True)
                        while _is_compiling(folder):
                            time.sleep(0.5)
                    runs.append(json.loads(subprocess.run(command, env=env, check=True, capture_output=True).stdout))
            for what in runs[0]:
                wall, cpu = (statistics.median(run[what][i] for run in runs) for i in (0, 1))
                print(f"  {way:<6} {what:<8} {wall:6.2f} s by the clock   {cpu:6.2f} s of the processor")


def _is_compiling(folder: str) -> bool:
    """Whether something was kept in the last seconds: the process that compiles takes its lock for each kernel anew."""
    newest = max((path.stat().st_mtime for path in Path(folder).rglob("*.nb?")), default=0.0)
    return time.time() - newest < REST_S


if __name__ == "__main__":
    main()
