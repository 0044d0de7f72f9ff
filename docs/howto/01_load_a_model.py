"""Load a model from torch, ONNX, safetensors or scikit-learn.

Models from outside are data, never code: nothing is unpickled, nothing is run. What is not piecewise linear is refused with the
name of the layer, or put between two piecewise-linear networks if you ask for it.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import torch
from sklearn.neural_network import MLPRegressor
from torch import nn

import plica

# From torch: any module of the layers in the README, in eval mode. Convolutions want an example input for its shape.

model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(18, 3)).double().eval()
net = plica.from_torch(model, example_input=torch.zeros(1, 1, 8, 8, dtype=torch.float64))
print(net)

# To a file and back: safetensors with the graph in its header. `plica.load` knows ONNX files, and gzip files of both, as well.

folder = Path(tempfile.mkdtemp())
plica.save(net, folder / "model.safetensors")
again = plica.load(folder / "model.safetensors")
x = np.random.default_rng(0).normal(size=64)
print("same outputs:", np.array_equal(net(x), again(x)))

# From scikit-learn: MLPRegressor and MLPClassifier with ReLU.

points = np.random.default_rng(1).uniform(-1, 1, (200, 2))
learned = MLPRegressor(hidden_layer_sizes=(16, 16), random_state=0, max_iter=2000).fit(points, np.abs(points).sum(axis=1))
from_sklearn = plica.from_sklearn(learned)
print(plica.count_regions(from_sklearn, plica.Box([-1, -1], [1, 1])))

# What is not piecewise linear says so, with what to do.

smooth = nn.Sequential(nn.Linear(2, 8), nn.GELU(), nn.Linear(8, 1)).double()
try:
    plica.from_torch(smooth)
except plica.UnsupportedLayer as refused:
    print(str(refused).splitlines()[0])
print(plica.sandwich(smooth, pieces=16))

figure, ax = plt.subplots(figsize=(4.4, 4), layout="constrained")
plica.decompose(from_sklearn, plica.Box([-1, -1], [1, 1])).plot(ax=ax)
ax.set_title("a scikit-learn regressor of |x| + |y|")
alt = "The cells of a network that scikit-learn fitted to the sum of the absolute values of two coordinates."
