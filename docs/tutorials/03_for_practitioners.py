"""For practitioners: what is inside the model you trained.

A classifier trained with PyTorch, its decision boundary between three images, the distance from an input to another class with
a proof, what half precision changes, and which units are not needed near an image: without leaving the training script.
"""

import matplotlib.pyplot as plt
import numpy as np

import plica
from plica.data import load
from plica.learn import fit, mlp
from plica.measure import compare
from plica.robust import class_distance
from plica.sparse import compress

# Any torch module of linear and convolutional layers, batch norm, pooling and ReLU-like activations can be read:
# `plica.from_torch(model.eval())`, or `plica.load("model.onnx")`. Here `fit` trains a small one, on one thread, seeded.

digits = load("digits").split(0.8, seed=0)
x, y = np.asarray(digits.flat, dtype=np.float32), np.asarray(digits.y)
model = mlp([64, 24, 24, 10], seed=0)
fit(model, (x, y), epochs=12, batch=64, optimizer="adam", rate=1e-2, seed=0)
net = plica.from_torch(model.eval())
print(net)

# Between two images the network is a chain of affine pieces, and on a plane through three it is a map of cells.

three = [np.flatnonzero(y == k)[0] for k in (3, 5, 8)]
line = plica.decompose(net, plica.Segment(x[three[0]], x[three[1]]))
plane = plica.Plane.through(*(x[i].astype(float) for i in three))
cx = plica.decompose(net, plane)
print(line.n_cells, "pieces between a 3 and a 5;", cx.n_cells, "cells on the plane through a 3, a 5 and an 8")

# How robust is it at this input? Both numbers are proved: nothing nearer exists, and the point that was found really ties.

near = class_distance(net, x[three[0]].astype(float), tolerance=1e-3)
print(f"another class is between {near.lower:.4f} and {near.upper:.4f} away")

# What does rounding the weights to float16 change on the line between the images? The largest change, exactly.

half = plica.from_torch(model.half().eval())
print(compare(net, half, plica.Segment(x[three[0]], x[three[1]])))

# Units that never switch on a box are not needed there. All images together need every unit; the images within a twentieth of
# this one do not, and the smaller network is the same function there, up to the rounding that is proved.

for low, high in ((np.zeros(64), np.ones(64)), (x[three[0]] - 0.05, x[three[0]] + 0.05)):
    print(compress(net, plica.Box(low.astype(float), high.astype(float))))

figure, ax = plt.subplots(figsize=(5, 4.2), layout="constrained")
cx.plot(ax=ax, boundary=True)
ax.set_title("the plane through a 3, a 5 and an 8")
alt = "The cells of a digit classifier on the plane through three images, with the boundary between its classes."
