"""Networks of Keras and JAX by the names of their weights, or by ONNX: equal outputs, as the page on them says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from patience import patient
from safetensors.numpy import save_file

import plica

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]  # of libraries, about their own future


def stored(folder: Path, weights: dict[str, np.ndarray], text: str) -> plica.Network:
    save_file({name: np.ascontiguousarray(array) for name, array in weights.items()}, folder / "w.safetensors")
    (folder / "model.toml").write_text('weights = "w.safetensors"\n' + text)
    return plica.load(folder / "model.toml")


def layer(kind: str, **options: Any) -> str:
    lines = [f"{name} = {str(value).lower() if not isinstance(value, str) else repr(value)}" for name, value in options.items()]
    return "\n".join(["[[layers]]", f"kind = {kind!r}", *lines, ""])


def test_a_convolutional_network_of_keras(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jax")
    monkeypatch.setenv("KERAS_BACKEND", "jax")
    keras = pytest.importorskip("keras")
    make = keras.layers
    model = keras.Sequential(
        [
            keras.Input((8, 8, 2)),
            make.Conv2D(3, 3, activation="relu", padding="same", name="a"),
            make.BatchNormalization(name="norm"),
            make.MaxPooling2D(2),
            make.Flatten(),
            make.Dense(6, activation="relu", name="b"),
            make.Dense(3, name="c"),
        ],
        name="m",
    )
    rng = np.random.default_rng(0)
    model.set_weights([rng.uniform(0.5, 1.5, w.shape) * rng.choice([-1, 1], w.shape) for w in model.get_weights()])
    for w in model.weights:
        if w.path.endswith("moving_variance"):
            w.assign(np.abs(np.asarray(w)))
    text = 'input = [8, 8, 2]\nchannels = "last"\n' + "\n".join(
        [
            layer("conv", weight="m/a/kernel", bias="m/a/bias", padding="same", activation="relu"),
            layer(
                "batch-norm", mean="m/norm/moving_mean", variance="m/norm/moving_variance", gamma="m/norm/gamma",
                beta="m/norm/beta", epsilon=1e-3,
            ),
            layer("max-pool", size=2),
            layer("flatten"),
            layer("dense", transposed=True, weight="m/b/kernel", bias="m/b/bias", activation="relu"),
            layer("dense", transposed=True, weight="m/c/kernel", bias="m/c/bias"),
        ]
    )  # fmt: skip
    net = stored(tmp_path, {w.path: np.asarray(w) for w in model.weights}, text)
    x = rng.normal(size=(5, 8, 8, 2)).astype(np.float32)
    theirs = np.asarray(model(x, training=False))
    assert np.abs(net(x.astype(float)) - theirs).max() <= 1e-5 * np.abs(theirs).max()


def test_a_tree_of_parameters_of_jax(tmp_path: Path) -> None:
    jax = pytest.importorskip("jax")
    keys = jax.random.split(jax.random.PRNGKey(0), 3)
    widths = [2, 16, 16, 3]
    params = {
        f"layer{i}": {"w": jax.random.normal(keys[i], (widths[i], widths[i + 1])), "b": jax.numpy.ones(widths[i + 1]) / 3}
        for i in range(3)
    }

    def apply(params: Any, x: Any) -> Any:
        for i in range(3):
            x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
            x = jax.nn.relu(x) if i < 2 else x
        return x

    leaves = jax.tree_util.tree_leaves_with_path(params)
    weights = {jax.tree_util.keystr(path, simple=True, separator="/"): np.asarray(leaf) for path, leaf in leaves}
    text = "input = 2\n" + "\n".join(
        layer("dense", transposed=True, weight=f"layer{i}/w", bias=f"layer{i}/b", **({"activation": "relu"} if i < 2 else {}))
        for i in range(3)
    )
    net = stored(tmp_path, weights, text)
    x = np.random.default_rng(1).normal(size=(20, 2)).astype(np.float32)
    theirs = np.asarray(apply(params, x))
    assert np.abs(net(x.astype(float)) - theirs).max() <= 1e-5 * np.abs(theirs).max()
    jacobian = np.asarray(jax.jacobian(lambda v: apply(params, v))(x[0]))
    cx = plica.decompose(net, plica.Box([-3, -3], [3, 3]))
    gradient, _ = cx.cells[cx.cell_at(x[0].astype(float))].slice_map
    assert np.allclose(gradient, jacobian, rtol=1e-4, atol=1e-5)


EXPORT = """
import keras, numpy as np
make = keras.layers
model = keras.Sequential([keras.Input((8, 8, 2)), make.Conv2D(3, 3, activation="relu", padding="same"), make.MaxPooling2D(2),
                          make.Flatten(), make.Dense(6, activation="relu"), make.Dense(3)])
rng = np.random.default_rng(0)
model.set_weights([rng.uniform(0.5, 1.5, w.shape) * rng.choice([-1, 1], w.shape) for w in model.get_weights()])
x = rng.normal(size=(5, 8, 8, 2)).astype(np.float32)
np.savez("seen.npz", x=x, y=keras.ops.convert_to_numpy(model(x)))
model.export("m.onnx", format="onnx", verbose=False)
"""


def test_a_network_that_keras_exported(tmp_path: Path) -> None:
    """As the page says: what Keras writes as ONNX is read as it is. With torch behind Keras no other framework is needed."""
    pytest.importorskip("keras")
    environment = {**os.environ, "KERAS_BACKEND": "torch", "PYTHONWARNINGS": "ignore"}
    subprocess.run(
        [sys.executable, "-c", EXPORT], cwd=tmp_path, env=environment, check=True, capture_output=True, timeout=patient(60)
    )
    seen = np.load(tmp_path / "seen.npz")
    net = plica.load(tmp_path / "m.onnx")
    assert np.abs(net(seen["x"].astype(float)) - seen["y"]).max() <= 1e-5 * np.abs(seen["y"]).max()
