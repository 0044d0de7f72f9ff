"""For lecturers: a lecture that runs.

Slides state; Plica measures. A lecture is a page in the order of its slides, a figure of it is a file for your own slides, a
scene is a picture to play with in front of a class, and an exercise grades what students hand in, exactly.
"""

import matplotlib.pyplot as plt
import numpy as np

import plica
from plica.exercises import exercise, exercises
from plica.lectures import lectures
from plica.network import Linear, Rectifier

# Five lectures have outlines: which claims stand behind which slide. `plica lecture 4 --out lecture4.html` runs one and writes
# a page that needs no server; `plica figure CLAIM --out f.pdf` writes one figure with its numbers beside it.

for name, lecture in lectures().items():
    print(f"{name}: {lecture.title} ({len(list(lecture.claims()))} claims)")

# A statement from a slide, checked before the lecture. Refuted statements come with what is true instead.

for claim in ("telgarsky-2015-pieces", "slide-binomial-sum"):
    outcome = plica.check(claim)
    print(claim, "->", outcome.verdict)

# In the lecture hall: `plica explore` and a scene. The sawtooth below is such a scene; each layer doubles the teeth.


def tooth(depth: int) -> plica.Network:
    """A hat on [0, 1], into itself so often."""
    hat = [Linear(np.array([[2.0], [4.0]]), np.array([0.0, -2.0])), Rectifier(), Linear(np.array([[1.0, -1.0]]))]
    return plica.Network.sequential(1, hat * depth)


for depth in (1, 2, 3, 4):
    print("depth", depth, "has", plica.count_regions(tooth(depth), plica.Segment([0.0], [1.0])).n_regions, "pieces")

# After it: exercises. Students hand in a network or a number; the engine grades it, and solutions are kept apart.

print(len(exercises()), "exercises, for example", exercises()[0].id)
print(exercise("sixteen-pieces").grade(tooth(4)))

figure, axes = plt.subplots(1, 4, figsize=(11, 2.6), layout="constrained", sharey=True)
for depth, ax in zip((1, 2, 3, 4), axes, strict=True):
    plica.decompose(tooth(depth), plica.Segment([0.0], [1.0])).plot(ax=ax)
    ax.set_title(f"{2**depth} pieces")
alt = "Sawtooth functions of one, two, three and four layers with two, four, eight and sixteen pieces."
