"""When two machines pay.

`--cluster local:4`, `--cluster tcp://host:8786` or a TOML file for SLURM: one flag of `plica regions`, `sweep run`, `radius`,
`verify` and `check --scale full`. A cluster costs before it helps. With m workers and n parts a work of W seconds takes about

    start + W / m + n (task + bytes / rate)

seconds. The constants below were measured by `benchmarks/bench_cluster.py` with workers on one machine, and come from its record.
"""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

record = json.loads((Path(__file__).parents[1] / "cluster.json").read_text(encoding="utf-8"))
two = record["workers"]["2"]
start, task, rate = two["start_s"], two["task_s"], two["bytes_per_s"]
print(f"start {start:.1f} s, a task {1000 * task:.1f} ms, {rate / 1e6:.0f} MB each second")

# Two workers pay when W > 2 (start + n (task + bytes / rate)). A count sends a few numbers for each part, a complex its cells.


def break_even(n_parts: int, part_bytes: float, workers: int = 2, rate: float = rate, start: float = start) -> float:
    """Seconds of work from which workers pay."""
    return workers / (workers - 1) * (start + n_parts * (task + part_bytes / rate))


largest = max(row["part_bytes"] for row in record["examples"])
print(f"counts in 8 parts: from {break_even(8, 0):.1f} s of work on")
print(f"complexes in 8 parts of {largest / 1e6:.1f} MB: from {break_even(8, largest):.1f} s on")
print(f"the same over a network of 100 Mbit/s: from {break_even(8, largest, rate=12.5e6):.1f} s on")
print(f"claims or radii in 1,000 parts: from {break_even(1000, 0):.1f} s on")
print(f"the same on a cluster that runs already: from {break_even(1000, 0, start=0):.1f} s on")

# So planes of a network with a hundred thousand cells, which take a fraction of a second, are not worth a second machine. Radii
# over a test set, verification in boxes, sweeps and claims at full scale are: minutes of work, in parts that send back little.

for row in record["examples"]:
    alone, one, both = (row["seconds"][m] for m in ("0", "1", "2"))
    print(f"{row['what']} of {row['cells']:,} cells: here {alone:.2f} s, one worker {one:.2f} s, two {both:.2f} s")
n_parts, part = record["parts"]
for m in ("1", "2"):
    said = n_parts * part / int(m) + n_parts * task
    seen = record["workers"][m]["parts_s"]
    print(f"{n_parts} parts of {part} s, workers that run: {m}; {seen:.2f} s, the formula says {said:.2f} s")

figure, ax = plt.subplots(figsize=(4.8, 3.4), layout="constrained")
work = np.geomspace(0.1, 1000, 60)
for workers, style in ((1, "-"), (2, "--"), (8, ":")):
    time = work if workers == 1 else start + work / workers + 8 * workers * task
    ax.loglog(work, time, style, color="black", label="here" if workers == 1 else f"{workers} workers")
ax.set(xlabel="seconds of work", ylabel="seconds until it is done")
ax.legend(frameon=False)
alt = "Time until a work is done, here and with 2 and 8 workers: the lines cross at a few seconds of work."
