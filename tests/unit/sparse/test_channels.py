"""Channels of convolutions are units: dead, constant, repeated and unread ones go, with their kernels and all that reads them."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import plica
from plica.network import Conv, Network, from_torch, to_onnx
from plica.sparse import compress, prune_units

BOX = plica.Box(np.zeros(64), np.ones(64))


def planted(*, padding: int = 0, pool_first: bool = False) -> nn.Sequential:
    """Six channels of integers: 1 is dead, 2 constant, 4 twice 0, 5 is read by nobody; 0 and 3 are needed."""
    rng = np.random.default_rng(5)
    pool, relu = nn.MaxPool2d(2), nn.ReLU()
    first, second = nn.Conv2d(1, 6, 3), nn.Conv2d(6, 3, 2, padding=padding)
    model = nn.Sequential(
        nn.Unflatten(1, (1, 8)), first, *((pool, relu) if pool_first else (relu, pool)), second, nn.ReLU(), nn.Flatten(),
        nn.Linear(3 * (2 + 2 * padding) ** 2, 4), nn.ReLU(), nn.Linear(4, 2),
    ).double()  # fmt: skip
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.from_numpy(rng.integers(-3, 4, p.shape).astype(float)))
        first.bias[:] = torch.tensor([1.0, -40.0, 2.0, 0.0, 2.0, 1.0])
        first.weight[2] = 0
        first.weight[4] = 2 * first.weight[0]
        second.weight[:, 5] = 0
    return model


def channels(network: Network) -> list[int]:
    return [len(node.op.weight) for node in network.nodes if isinstance(node.op, Conv)]


@pytest.mark.parametrize("pool_first", [False, True])
@pytest.mark.parametrize("padding", [0, 1])
def test_planted_channels_are_found_and_the_function_stays(padding: int, pool_first: bool) -> None:
    f = from_torch(planted(padding=padding, pool_first=pool_first), example_input=torch.zeros(1, 8, 8))
    small = compress(f, BOX)
    assert channels(small.network)[0] == (2 if padding == 0 else 3)  # a constant beside zeros is no constant
    assert small.dead >= 1 and small.merged >= 1 and small.constant >= (padding == 0) and small.unread >= 1
    assert small.network.n_parameters < f.n_parameters and small.network.input_shape == f.input_shape
    x = np.random.default_rng(0).integers(0, 257, (200, 8, 8)) / 256  # nothing is rounded
    assert small.largest_error == 0.0
    np.testing.assert_array_equal(small.network(x), f(x))
    assert np.ptp(f(x)) > 0


def test_the_bound_covers_what_rounding_changed() -> None:
    """Weights that are no float32, a merged channel whose factor rounds; values in fractions."""
    model = planted()
    rng = np.random.default_rng(1)
    with torch.no_grad():
        for p in model.parameters():
            p.add_(torch.from_numpy(rng.normal(size=p.shape)) * (p != 0))
        model[1].weight[2] = 0
        model[1].bias[2] = 0.3
        model[1].weight[4], model[1].bias[4] = 4 * model[1].weight[0], 4 * model[1].bias[0]
    f = from_torch(model, example_input=torch.zeros(1, 8, 8))
    for dtype, most in (("float64", 1e-11), ("float32", 1e-2)):
        small = compress(f, BOX, dtype=dtype)
        assert small.merged >= 1 and small.constant >= 1 and 0 < small.largest_error < most
        worst = Fraction(0)
        for x in rng.integers(0, 257, (3, 8, 8)) / 256:
            gaps = [abs(a - b) for a, b in zip(exactly(f, x), exactly(small.network, x), strict=True)]
            assert all(gap <= Fraction(bound) for gap, bound in zip(gaps, small.error.tolist(), strict=True))
            worst = max(worst, *gaps)
        assert worst > Fraction(small.largest_error) / 10**5


def exactly(f: Network, x) -> list[Fraction]:
    """A chain of layers in fractions, entry by entry."""
    values = np.array([Fraction(float(v)) for v in np.ravel(x)], dtype=object).reshape(f.input_shape)
    for node in f.nodes[1:]:
        op = node.op
        if isinstance(op, Conv):
            w, (_, height, width) = op.weight, node.shape
            kernel = np.vectorize(Fraction, otypes=[object])(w)
            out = np.empty(node.shape, dtype=object)
            for c, i, j in np.ndindex(len(w), height, width):
                out[c, i, j] = (kernel[c] * values[:, i : i + w.shape[2], j : j + w.shape[3]]).sum() + Fraction(op.bias[c])
            values = out
        elif op.is_relu:
            values = np.vectorize(lambda v: max(v, Fraction(0)), otypes=[object])(values)
        elif op.kind == "max":
            values = values.reshape(-1)[op.groups].max(-1)
        elif op.kind == "linear":
            bias = [Fraction(b) for b in (op.bias if op.bias is not None else np.zeros(len(op.weight)))]
            values = np.array(
                [sum(map(lambda w, v: Fraction(w) * v, row, values), b) for row, b in zip(op.weight, bias, strict=True)]
            )
        else:
            values = values.reshape(node.shape)
    return list(values.reshape(-1))


def test_batch_norm_is_part_of_its_convolution() -> None:
    model = planted()
    norm = nn.BatchNorm2d(6).double().eval()
    with torch.no_grad():
        norm.weight[:], norm.running_mean[:] = torch.linspace(0.5, 3, 6), torch.linspace(-1, 1, 6)
        norm.running_mean[1] = 0
    model.insert(2, norm)
    f = from_torch(model.eval(), example_input=torch.zeros(1, 8, 8))
    small = compress(f, BOX)
    assert small.dead >= 1 and small.constant >= 1 and channels(small.network)[0] < 6
    x = np.random.default_rng(0).uniform(size=(50, 8, 8))
    assert np.abs(f(x) - small.network(x)).max() <= small.largest_error + 1e-11


def test_a_pruned_lenet_5_is_exported_smaller_and_answers_the_same(tmp_path: Path) -> None:
    from plica.data import load
    from plica.sparse import NETWORKS, apply_masks

    digits = load("digits")
    large = np.zeros((4, 28, 28), dtype=np.float32)
    large[:, :8, :8] = digits.x[:4]
    from dataclasses import replace

    model = NETWORKS["lenet-5"](replace(digits, x=large, y=np.arange(4) * 3), (), 0)
    apply_masks(model, prune_units(model, 0.2))
    f = from_torch(model, example_input=torch.zeros(1, 28, 28))
    small = compress(f, plica.Box(np.zeros(784), np.ones(784)))
    assert channels(small.network)[0] < 6 and channels(small.network)[1] < 16 and small.ratio > 3
    x = np.random.default_rng(0).uniform(size=(20, 28, 28))
    assert np.abs(f(x) - small.network(x)).max() <= small.largest_error + 1e-12 < 1e-4
    sizes = {}
    for name, network in (("whole", f), ("small", small.network)):
        to_onnx(network, tmp_path / f"{name}.onnx", dtype="float32")
        plica.save(network, tmp_path / f"{name}.safetensors")
        sizes[name] = [(tmp_path / f"{name}.{kind}").stat().st_size for kind in ("onnx", "safetensors")]
    assert all(3 * s < w for s, w in zip(sizes["small"], sizes["whole"], strict=True))
    read = plica.load(tmp_path / "small.onnx")
    assert np.abs(read(x) - small.network(x)).max() < 1e-5


def test_factors_of_entries_behind_a_flattened_map_are_not_those_of_channels() -> None:
    """A normalization of 27 entries, and not of 3 channels, stays where it is; the layers behind it are compressed."""
    model = nn.Sequential(
        nn.Conv2d(1, 3, 2), nn.Flatten(), nn.BatchNorm1d(27), nn.ReLU(), nn.Linear(27, 9), nn.ReLU(), nn.Linear(9, 2)
    ).double()  # fmt: skip
    with torch.no_grad():
        model[4].bias[3] = -1e3
    f = from_torch(model.eval(), example_input=torch.zeros(1, 1, 4, 4))
    small = compress(f, plica.Box(np.zeros(16), np.ones(16)))
    assert small.dead == 1
    x = np.random.default_rng(0).random((50, 1, 4, 4))
    assert np.abs(small.network(x) - f(x)).max() <= small.largest_error + 1e-12


def test_a_channel_goes_with_all_places_that_a_dense_layer_reads() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(1, 5, 2), nn.ReLU(), nn.Flatten(), nn.Linear(5 * 4, 3))  # 2 x 2 places of each channel
    made, read = prune_units(model, 0.5).values()
    stays = made.flatten(1).any(dim=1)
    assert 0 < int(stays.sum()) < 5
    assert torch.equal(read, stays.repeat_interleave(4).expand(3, -1))
