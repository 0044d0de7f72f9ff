"""Speed: what a run will cost.

Processor seconds and memory of exact complexes, measured by `benchmarks/bench_scale.py` and drawn from its record. On logarithmic
axes a power is a straight line; its slope is the exponent. For a network and a domain of your own, ask first:
`plica regions model.onnx --estimate`, or `plica.estimate_cost`; of a decision boundary alone,
`plica.geometry.estimate_boundary_cost`.
"""

import json
from pathlib import Path

import matplotlib.pyplot as plt

record = json.loads((Path(__file__).parents[1] / "scale.json").read_text(encoding="utf-8"))
print("measured on", record["machine"])

# The time of a plane grows with its cells, and their number with the square of the units; lines grow with their pieces.

figure, axes = plt.subplots(1, 2, figsize=(8, 3.9), sharex=True, layout="constrained")
marks = ("o", "s", "^", "D")
for mark, (title, curve) in zip(marks, record["curves"].items(), strict=True):
    seconds, megabytes = ([row[key] * unit for row in curve["rows"]] for key, unit in (("cpu", 1), ("bytes", 1e-6)))
    print(f"{title}: time ~ {curve['against']}^{curve['slopes'][0]:.2f}, memory ~ {curve['against']}^{curve['slopes'][1]:.2f}")
    for ax, values in zip(axes, (seconds, megabytes), strict=True):
        ax.loglog(curve["x"], values, marker=mark, linewidth=1, label=title.partition(" (")[0])
axes[0].set(xlabel="cells, units or inputs", ylabel="processor seconds")
axes[1].set(xlabel="cells, units or inputs", ylabel="megabytes")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize="small")

# What `plica.estimate_cost` said beforehand about cells, processor time and memory, against what was measured afterwards.

for title, row in record["estimates"].items():
    said, true = row["said"], row["measured"]
    ratios = [said[key] / true[key] for key in ("cells", "cpu", "bytes")]
    print(f"{title[:22]:<22} {true['cells']:>9,} cells;", "said / measured:", *(f"{r:.2f}" for r in ratios))

alt = "Processor seconds and megabytes of planes and lines against cells, units and inputs, on logarithmic axes: straight lines."
