"""A digit, the nearest input of another class, and the way between them.

How little must change before a classifier gives another answer? The search proves that nothing nearer exists, and the complex of
the segment shows every affine piece on the way.
"""

import matplotlib.pyplot as plt
import numpy as np

import plica
from plica.data import load
from plica.learn import fit, mlp
from plica.robust import class_distance

digits = load("digits").split(0.8, seed=0)
x, y = np.asarray(digits.flat, dtype=np.float32), np.asarray(digits.y)
done = fit(mlp([64, 16, 16, 10], seed=0), (x, y), epochs=15, batch=64, optimizer="adam", rate=1e-2, seed=0)

start = x[0].astype(float)
found = class_distance(done.network, start, tolerance=1e-4)
print(f"{found.label} becomes {found.other}: at least {found.lower:.4f}, at most {found.upper:.4f}")

# The nearest digit of the data with another label is farther away. On the way to it the answer changes, at the earliest at the
# proved distance; every vertical line is a fold, so the scores are straight between two of them.

others = x[y != y[0]].astype(float)
end = others[((others - start) ** 2).sum(axis=1).argmin()]
label = int(done.network(end).argmax())
line = plica.decompose(done.network, plica.Segment(start, end))
far = float(np.linalg.norm(end - start))
print(f"{found.n_nodes} nodes were bounded to prove it; the nearest other digit, a {label}, is {far:.4f} away")
print(line.n_cells, "pieces on the way")

t = np.linspace(0, 1, 400)
scores = done.network(start + t[:, None] * (end - start))

images = ((start, f"read as {found.label}"), (found.point, f"tied with {found.other}"), (end, f"a {label} of the data"))
figure, axes = plt.subplots(1, 4, figsize=(11, 3), width_ratios=(1, 1, 1, 1.9), layout="constrained")
for ax, (image, title) in zip(axes, images, strict=False):
    ax.imshow(image.reshape(8, 8), cmap="cividis", vmin=0, vmax=1)
    ax.set(title=title, xticks=[], yticks=[])
way = axes[3]
way.plot(far * t, scores[:, found.label], color="#0072B2", label=f"score of {found.label}")
way.plot(far * t, scores[:, label], color="#D55E00", label=f"score of {label}")
for v in line.vertices[1:-1, 0]:
    way.axvline(far * float(v), color="#1B1B1B", linewidth=0.4)
way.axvspan(0, found.lower, color="#0072B2", alpha=0.15, linewidth=0)
way.text(found.lower, way.get_ylim()[0], " nothing nearer", va="bottom", fontsize=8)
way.set_xlabel("distance from the digit")
way.legend(frameon=False)
alt = "A digit, the nearest input of another class, the nearest other digit, and two scores on the way to it, with all pieces."
