"""Prove a property, or get a counterexample in fractions.

A property in VNN-LIB says which inputs are meant and which outputs would violate it. The answer is *sat* with a point that
rational arithmetic confirms, *unsat* with a proof by outward-rounded bounds and integer linear programs, or that time was over.
"""

import csv
from pathlib import Path
from statistics import median

import matplotlib.pyplot as plt
import numpy as np

import plica
from plica.measure import extremes, volume_above
from plica.robust import parse_vnnlib, verify, violating_volume

net = plica.random_network([2, 10, 10, 1], seed=5, weights="he-normal", bias_std=0.5)
cx = plica.decompose(net, plica.Box([-1, -1], [1, 1]))
top = float(extremes(cx).maximum)
print(f"the largest value on the box is {top:.6f}")


def above(level: float) -> str:
    """The property that the output reaches a level somewhere."""
    inputs = "".join(f"(declare-const X_{i} Real)(assert (>= X_{i} -1))(assert (<= X_{i} 1))" for i in range(2))
    return f"{inputs}(declare-const Y_0 Real)(assert (>= Y_0 {level:.17f}))"


# A little below the maximum there is a counterexample, a little above there is none. On the command line: `plica verify
# net.onnx property.vnnlib --timeout 60`, with the words and exit codes of the competition of verifiers.

for level in (0.999 * top, 1.001 * top):
    print(f"reaches {level:.6f}?", verify(net, parse_vnnlib(above(level))).status)

# How much of the box violates it? For few cells the volume is exact.

(part,) = violating_volume(net, parse_vnnlib(above(0.5 * top)))
print(f"above half of the maximum: between {part.low:.15f} and {part.high:.15f} of the area {part.volume}")

levels = np.linspace(0.05, 0.98, 24)
shares = [float(volume_above(cx, top * v)) / 4 for v in levels]
figure, ax = plt.subplots(figsize=(5, 3.4), layout="constrained")
ax.plot(levels, shares, color="#0072B2")
ax.set(xlabel="level, as a share of the maximum", ylabel="share of the box above it", ylim=(0, None))
alt = "The share of the box on which the output exceeds a level, falling to zero as the level approaches the maximum."

# How far does it go? `benchmarks/bench_verify.py` runs the instances of the competition of verifiers and keeps what they took in
# processor seconds (the machine was shared: the clock says little). ACAS Xu, lattices, controllers and reachability are decided
# well within the competition's limits. The networks 784-256xn-10 of mnist_fc are not in the table. Of twelve instances that were
# tried for seconds, seven were decided, in less than two seconds of a processor, where an attack or bounds of a few boxes decide.
# The others stayed open, two of 784-256x4-10 for ten seconds and more: with 784 inputs halving a box helps little.

with (Path(__file__).parents[1] / "verify.csv").open(encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
for name in dict.fromkeys(r["benchmark"] for r in rows):
    own = [r for r in rows if r["benchmark"] == name]
    known = [r for r in own if r["expected"]]
    agree, decided = sum(r["expected"] == r["verdict"] for r in known), sum(r["verdict"] in ("sat", "unsat") for r in own)
    times = [float(r["processor_s"]) for r in own]
    print(f"{name}: {decided} of {len(own)} decided, {agree} of {len(known)} known verdicts agree;", end=" ")
    print(f"processor seconds: median {median(times):.2f}, largest {max(times):.1f}")
