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
x, y = np.asarray(digits.flat, dtype=np.float32) / 16, np.asarray(digits.y)
done = fit(mlp([64, 16, 16, 10], seed=0), (x, y), epochs=15, batch=64, optimizer="adam", rate=1e-2, seed=0)

start = x[0].astype(float)
found = class_distance(done.network, start, tolerance=1e-4)
print(f"{found.label} becomes {found.other}: at least {found.lower:.4f}, at most {found.upper:.4f}")

# Go twice as far as the boundary, and count the pieces on the way.

end = start + 2 * (found.point - start)
line = plica.decompose(done.network, plica.Segment(start, end))
print(f"{found.n_nodes} nodes were bounded to prove it")
print(line.n_cells, "pieces on the way")

t = np.linspace(0, 1, 400)
scores = done.network(start + t[:, None] * (end - start))

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(9, 3), width_ratios=(1, 1, 1.6), layout="constrained")
for ax, image, title in ((left, start, f"read as {found.label}"), (middle, found.point, f"tied with {found.other}")):
    ax.imshow(image.reshape(8, 8), cmap="cividis", vmin=0, vmax=1)
    ax.set(title=title, xticks=[], yticks=[])
right.plot(2 * found.upper * t, scores[:, found.label], color="#0072B2", label=f"score of {found.label}")
right.plot(2 * found.upper * t, scores[:, found.other], color="#D55E00", label=f"score of {found.other}")
for v in line.vertices[1:-1, 0]:
    right.axvline(2 * found.upper * float(v), color="#1B1B1B", linewidth=0.4)
right.set_xlabel("distance from the digit")
right.legend(frameon=False)
alt = "A digit, the nearest input of another class, and the two scores along the way, which cross at the proved distance."
