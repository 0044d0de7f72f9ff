"""Bring a network from Keras or JAX.

Both keep weights under names. Write these names and numbers into a safetensors file, and beside it a TOML file that says which
layer each belongs to: neither framework is needed to read them. Where a model can be exported to ONNX (`model.export("m.onnx",
format="onnx")` in Keras), `plica.load("m.onnx")` reads that as it is.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from safetensors.numpy import save_file

import plica

# In Keras, `weights = {w.path: np.asarray(w) for w in model.weights}`; here are arrays of the shapes and names that it has for
# two dense layers. Kernels are stored inputs first, which the TOML file calls transposed.

rng = np.random.default_rng(0)
weights = {
    "sequential/dense/kernel": rng.normal(size=(2, 12)).astype(np.float32),
    "sequential/dense/bias": rng.normal(size=12).astype(np.float32),
    "sequential/dense_1/kernel": rng.normal(size=(12, 1)).astype(np.float32),
    "sequential/dense_1/bias": np.zeros(1, np.float32),
}
folder = Path(tempfile.mkdtemp())
save_file(weights, folder / "weights.safetensors")
dense = '[[layers]]\nkind = "dense"\ntransposed = true\nweight = "sequential/{0}/kernel"\nbias = "sequential/{0}/bias"\n'
(folder / "model.toml").write_text(
    'weights = "weights.safetensors"\ninput = 2\n' + dense.format("dense") + 'activation = "relu"\n' + dense.format("dense_1")
)
net = plica.load(folder / "model.toml")
print((folder / "model.toml").read_text())
print(net)

# In JAX parameters are a tree of arrays. One line gives its leaves names: `weights = {jax.tree_util.keystr(path, simple=True,
# separator="/"): np.asarray(leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(params)}`; the TOML file is the same.
# Images have `channels = "last"` there, at the top of the file. Half precision and whole numbers with a scale are read as stored.

x = np.array([0.3, -0.7])
by_hand = np.maximum(x @ weights["sequential/dense/kernel"] + weights["sequential/dense/bias"], 0)
by_hand = by_hand @ weights["sequential/dense_1/kernel"].astype(float)
print("as computed by hand:", bool(np.allclose(net(x), by_hand)))
cx = plica.decompose(net, plica.Box([-2, -2], [2, 2]))
print(cx)

figure, ax = plt.subplots(figsize=(4.4, 4), layout="constrained")
cx.plot(ax=ax)
alt = "The cells of a small network whose weights were stored under the names that Keras gives them."
