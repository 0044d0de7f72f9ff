"""Weights that others stored under their own names: what comes out is what they compute, written down with loops."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file
from safetensors.torch import save_file as save_tensors

from plica.errors import InvalidInput, InvalidNetwork
from plica.network import from_names, load

RNG = np.random.default_rng(0)
IMAGES = """
weights = "w.safetensors"
input = [5, 6, 2]
channels = "last"
[[layers]]
kind = "conv"
weight = "conv/kernel"
bias = "conv/bias"
padding = "same"
activation = "relu"
[[layers]]
kind = "batch-norm"
gamma = "bn/gamma"
beta = "bn/beta"
mean = "bn/mean"
variance = "bn/variance"
[[layers]]
kind = "max-pool"
size = 2
[[layers]]
kind = "flatten"
[[layers]]
kind = "dense"
weight = "dense/kernel"
bias = "dense/bias"
transposed = true
activation = "leaky-relu"
slope = 0.25
"""


def written(folder: Path, text: str, **tensors: Any) -> Path:
    save_file({name.replace("__", "/"): np.asarray(value) for name, value in tensors.items()}, folder / "w.safetensors")
    (folder / "model.toml").write_text(text)
    return folder / "model.toml"


def test_a_convolutional_network_with_channels_last_is_what_keras_computes(tmp_path: Path) -> None:
    kernel, bias = RNG.normal(size=(3, 3, 2, 4)), RNG.normal(size=4)
    gamma, beta, mean, variance = RNG.normal(size=4), RNG.normal(size=4), RNG.normal(size=4), RNG.uniform(0.5, 2, 4)
    dense, offset = RNG.normal(size=(2 * 3 * 4, 3)), RNG.normal(size=3)
    path = written(
        tmp_path, IMAGES, conv__kernel=kernel, conv__bias=bias, bn__gamma=gamma, bn__beta=beta, bn__mean=mean,
        bn__variance=variance, dense__kernel=dense, dense__bias=offset,
    )  # fmt: skip
    net, x = load(path), RNG.normal(size=(5, 6, 2))
    padded = np.pad(x, ((1, 1), (1, 1), (0, 0)))
    z = np.zeros((5, 6, 4))
    for i in range(5):
        for j in range(6):
            z[i, j] = np.einsum("hwc,hwco->o", padded[i : i + 3, j : j + 3], kernel) + bias
    z = gamma * (np.maximum(z, 0) - mean) / np.sqrt(variance + 1e-3) + beta
    pooled = np.array([[z[2 * i : 2 * i + 2, 2 * j : 2 * j + 2].max(axis=(0, 1)) for j in range(3)] for i in range(2)])
    y = pooled.reshape(-1) @ dense + offset
    assert net.input_shape == (5, 6, 2)
    assert np.allclose(net(x), np.where(y > 0, y, 0.25 * y), rtol=1e-11, atol=1e-11)


def test_stored_numbers_are_taken_as_they_are(tmp_path: Path) -> None:
    """Integers times a scale for each output, and half precisions: no digit is lost or gained."""
    q = RNG.integers(-128, 128, (3, 4)).astype(np.int8)
    scale, zero = RNG.uniform(0.01, 0.1, (3, 1)).astype(np.float32), np.array([[3], [-1], [0]], np.int8)
    half, brain = torch.randn(2, 3, dtype=torch.float16), torch.randn(2, dtype=torch.bfloat16)
    tensors = {"q": torch.as_tensor(q), "s": torch.as_tensor(scale), "z": torch.as_tensor(zero), "h": half, "b": brain}
    save_tensors(tensors, tmp_path / "w.safetensors")
    (tmp_path / "m.toml").write_text(
        'weights = "w.safetensors"\ninput = 4\n[[layers]]\nkind = "dense"\nweight = "q"\nscale = "s"\nzero = "z"\n'
        'activation = "relu"\n[[layers]]\nkind = "dense"\nweight = "h"\nbias = "b"\n'
    )
    net = from_names(tmp_path / "m.toml")
    stored = [node.op.arrays() for node in net.nodes if node.op.kind == "linear"]
    assert np.array_equal(stored[0]["weight"], (q.astype(float) - zero) * scale.astype(float))
    assert np.array_equal(stored[1]["weight"], half.double().numpy())
    x = RNG.normal(size=4)
    hidden = np.maximum((q.astype(float) - zero) * scale.astype(float) @ x, 0)
    assert np.allclose(net(x), half.double().numpy() @ hidden + brain.double().numpy(), rtol=1e-13)


DENSE = 'weights = "w.safetensors"\ninput = 2\n[[layers]]\nkind = "dense"\nweight = "a"\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("weights = 3", "names no weights"),
        ("this is no TOML", "is not TOML"),
        ('weights = "w.pt"\ninput = 2\n[[layers]]\nkind = "dense"', "w.pt"),
        (DENSE.replace('"dense"', '"lstm"'), "layer 0 of model.toml: its kind is 'lstm'"),
        (DENSE.replace('"a"', '"kernel"'), "no weights 'kernel' .the file has a, c"),
        (DENSE + "stride = 2", "dense has no 'stride'"),
        (DENSE + 'activation = "gelu"', "activation 'gelu' is not one of"),
        (DENSE + 'bias = "a"', "a bias of shape"),
        (DENSE.replace("input = 2", "input = 7"), "7|shape"),
        (DENSE.replace("input = 2", "input = [0]"), "input = .0."),
        (DENSE + 'scale = "c"', "do not fit"),
        (DENSE.replace('weight = "a"', 'weight = "c"'), "two axes"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(tmp_path: Path, text: str, told: str) -> None:
    path = written(tmp_path, text, a=np.ones((3, 2)), c=np.ones((5, 7, 1)))
    with pytest.raises((InvalidNetwork, InvalidInput), match=told):
        load(path)


def test_a_missing_file_of_weights_is_named(tmp_path: Path) -> None:
    (tmp_path / "model.toml").write_text(DENSE)
    with pytest.raises(InvalidInput, match="there is no file"):
        load(tmp_path / "model.toml")
    (tmp_path / "w.safetensors").write_bytes(b"not one")
    with pytest.raises(InvalidNetwork, match="is not a safetensors file"):
        load(tmp_path / "model.toml")
