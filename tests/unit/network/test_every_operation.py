"""Every operation: the network equals the module's own float64 forward, through torch.fx, torch.export and ONNX."""

import copy
import math
import warnings

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch import nn

from plica.network import from_onnx, from_torch
from plica.network._torch import _lowered
from plica.network._torch_trace import by_export


class Apply(nn.Module):
    """A function as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class WithConstants(nn.Module):
    """A function of x and stored tensors: a weight, a mask and an index."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.weight = nn.Parameter(torch.randn(5, 6))
        self.bias = nn.Parameter(torch.randn(5))
        self.register_buffer("mask", torch.tensor([1.0, -2.0, 0.0, 0.5, 3.0, 1.0]))
        self.register_buffer("index", torch.tensor([4, 0, 0, 2]))

    def forward(self, x):
        return self.function(self, x)


class Tricky(nn.Module):
    """In-place changes seen under other names, a module used twice, sizes of every kind."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3, padding=1)
        self.relu = nn.ReLU(inplace=True)
        self.head = nn.Linear(4, 3)

    def forward(self, x):
        y = self.conv(x)
        other_name = y
        y = self.relu(y)  # changes other_name too
        y = y + other_name
        z = y
        z += 1.0  # changes y too
        y = self.relu(y - z * 0.5)
        y = y.mean(dim=(-2, -1))
        return self.head(y).view(y.size(0), -1)


VECTOR, SEQUENCE, IMAGE = (6,), (4, 9), (4, 7, 8)

MODULES = {
    "linear": (nn.Linear(6, 3), VECTOR),
    "linear without bias": (nn.Linear(6, 3, bias=False), VECTOR),
    "linear on the last axis": (nn.Linear(9, 3), SEQUENCE),
    "conv1d": (nn.Conv1d(4, 6, 3, stride=2, padding=1, dilation=2, groups=2), SEQUENCE),
    "conv2d": (nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2), groups=2, bias=False), IMAGE),
    "conv2d same": (nn.Conv2d(4, 3, (4, 3), padding="same", dilation=(1, 2)), IMAGE),
    "conv2d valid": (nn.Conv2d(4, 3, 3, padding="valid"), IMAGE),
    "conv2d depthwise": (nn.Conv2d(4, 8, 3, padding=1, groups=4), IMAGE),
    "conv2d reflecting": (nn.Conv2d(4, 3, 3, padding=1, padding_mode="reflect"), IMAGE),
    "conv1d circular": (nn.Conv1d(4, 3, 3, padding=1, padding_mode="circular"), SEQUENCE),
    "batch norm of vectors": (nn.BatchNorm1d(6), VECTOR),
    "batch norm of sequences": (nn.BatchNorm1d(4), SEQUENCE),
    "batch norm of images": (nn.BatchNorm2d(4, eps=0.125), IMAGE),
    "batch norm without weights": (nn.BatchNorm2d(4, affine=False), IMAGE),
    "dropout": (nn.Sequential(nn.Dropout(0.5), nn.Linear(6, 2), nn.AlphaDropout(0.2)), VECTOR),
    "dropout of channels": (nn.Sequential(nn.Dropout2d(0.5), nn.ReLU()), IMAGE),
    "flatten and unflatten": (nn.Sequential(nn.Flatten(), nn.Unflatten(1, (2, -1)), nn.ReLU()), SEQUENCE),
    "average pool 1-D": (nn.AvgPool1d(3, 2, padding=1), SEQUENCE),
    "average pool": (nn.AvgPool2d((3, 2), stride=(2, 3), padding=(1, 1)), IMAGE),
    "average pool without padding": (nn.AvgPool2d(3, 2, padding=1, count_include_pad=False), IMAGE),
    "average pool ceil": (nn.AvgPool2d(3, 2, padding=1, ceil_mode=True), IMAGE),
    "average pool ceil without padding": (nn.AvgPool2d(3, 2, ceil_mode=True, count_include_pad=False), IMAGE),
    "average pool with divisor": (nn.AvgPool2d(2, divisor_override=3), IMAGE),
    "adaptive average pool 1-D": (nn.AdaptiveAvgPool1d(4), SEQUENCE),
    "adaptive average pool": (nn.AdaptiveAvgPool2d((3, None)), IMAGE),
    "global average pool": (nn.AdaptiveAvgPool2d(1), IMAGE),
    "max pool 1-D": (nn.MaxPool1d(3, 2, padding=1, dilation=2), SEQUENCE),
    "max pool": (nn.MaxPool2d(2), IMAGE),
    "max pool overlapping": (nn.MaxPool2d((3, 2), stride=(1, 2), padding=(1, 1)), IMAGE),
    "max pool dilated": (nn.MaxPool2d(2, stride=1, dilation=(2, 3)), IMAGE),
    "max pool ceil": (nn.MaxPool2d(3, 2, ceil_mode=True), IMAGE),
    "max pool of single entries": (nn.MaxPool2d(1, stride=2), IMAGE),
    "max pool of 144 entries": (nn.MaxPool2d(12, stride=12, padding=3), (1, 12, 20)),
    "adaptive max pool 1-D": (nn.AdaptiveMaxPool1d(4), SEQUENCE),
    "adaptive max pool": (nn.AdaptiveMaxPool2d((3, 5)), IMAGE),
    "relu": (nn.ReLU(), VECTOR),
    "leaky relu": (nn.LeakyReLU(0.25), VECTOR),
    "prelu": (nn.PReLU(), VECTOR),
    "prelu by channel": (nn.PReLU(4, init=-0.2), IMAGE),
    "rrelu": (nn.RReLU(0.1, 0.4), VECTOR),
    "relu6": (nn.ReLU6(), VECTOR),
    "hardtanh": (nn.Hardtanh(-0.5, 2.0), VECTOR),
    "hardsigmoid": (nn.Hardsigmoid(), VECTOR),
    "softshrink": (nn.Softshrink(0.7), VECTOR),
    "threshold": (nn.Threshold(0.5, 0.5), VECTOR),
    "zero pad 1-D": (nn.ZeroPad1d((1, 2)), SEQUENCE),
    "zero pad": (nn.ZeroPad2d((1, 0, 2, 3)), IMAGE),
    "constant pad": (nn.ConstantPad2d((1, 2, 0, 1), -1.5), IMAGE),
    "pad that cuts": (nn.ZeroPad2d((-1, 2, 1, -2)), IMAGE),
    "reflection pad": (nn.ReflectionPad2d((1, 2, 0, 1)), IMAGE),
    "replication pad": (nn.ReplicationPad1d((2, 1)), SEQUENCE),
    "circular pad": (nn.CircularPad2d(1), IMAGE),
    "upsample": (nn.Upsample(scale_factor=2), IMAGE),
    "upsample to a size": (nn.Upsample(size=(14, 24)), IMAGE),
    "upsample by a fraction": (nn.Upsample(scale_factor=1.7), IMAGE),
    "upsample to any size": (nn.Upsample(size=(5, 13)), IMAGE),
    "upsample nearest exact": (nn.Upsample(size=(5, 13), mode="nearest-exact"), IMAGE),
    "upsample linear": (nn.Upsample(scale_factor=2, mode="linear"), SEQUENCE),
    "upsample bilinear": (nn.Upsample(scale_factor=2, mode="bilinear"), IMAGE),
    "upsample bilinear to corners": (nn.Upsample(size=(11, 5), mode="bilinear", align_corners=True), IMAGE),
    "upsample bilinear by a fraction": (nn.Upsample(scale_factor=(1.3, 0.6), mode="bilinear"), IMAGE),
    "upsample bicubic": (nn.Upsample(size=(10, 9), mode="bicubic"), IMAGE),
    "upsample bicubic to corners": (nn.Upsample(scale_factor=2, mode="bicubic", align_corners=True), IMAGE),
    "interpolate by areas": (Apply(lambda x: F.interpolate(x, size=(3, 5), mode="area")), IMAGE),
    "transposed conv1d": (nn.ConvTranspose1d(4, 6, 3, stride=3, padding=1, output_padding=2, groups=2), SEQUENCE),
    "transposed conv2d": (nn.ConvTranspose2d(4, 3, (3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2)), IMAGE),
    "transposed conv2d by groups": (nn.ConvTranspose2d(4, 8, 4, stride=2, padding=3, output_padding=1, groups=4), IMAGE),
    "transposed conv2d padded away": (nn.ConvTranspose2d(4, 2, 1, stride=3, padding=2, bias=False), IMAGE),
    "decoder": (
        nn.Sequential(
            nn.Linear(6, 12),
            nn.ReLU(),
            nn.Unflatten(1, (3, 2, 2)),
            nn.ConvTranspose2d(3, 4, 4, 2, 1),
            nn.ReLU(),
            nn.PixelShuffle(2),
        ),
        VECTOR,
    ),
    "pixel shuffle": (nn.PixelShuffle(2), IMAGE),
    "pixel unshuffle": (nn.PixelUnshuffle(2), (2, 4, 6)),
    "channel shuffle": (nn.ChannelShuffle(2), IMAGE),
    "identity": (nn.Sequential(nn.Identity(), nn.ReLU()), VECTOR),
    "nested containers": (nn.Sequential(nn.Sequential(nn.Linear(6, 4), nn.Sequential(nn.ReLU())), nn.Linear(4, 2)), VECTOR),
    "in-place changes": (Tricky(), (2, 5, 5)),
}

FUNCTIONS = {
    "functional activations": (
        lambda x: F.leaky_relu(F.relu6(F.hardtanh(x) * 2.0) - 0.3, 0.125) + torch.relu(x) + x.relu(),
        VECTOR,
    ),
    "in-place activations": (
        lambda x: F.relu(x * 2.0, inplace=True) + torch.relu_(x + 1.0) + F.leaky_relu_(x + 0.1, 0.5),
        VECTOR,
    ),
    "in-place methods": (lambda x: (x * 1.0).clamp_(-0.5, 0.5) + (x + 0.0).abs_().neg_().add_(2.0), VECTOR),
    "clamps": (lambda x: torch.clamp(x, min=-0.3) + x.clamp(max=0.4) + x.clamp_min(0.0) + torch.clip(x, -1, 1), VECTOR),
    "absolute values": (lambda x: abs(x) + torch.abs(x - 1) + x.abs(), VECTOR),
    "maximum and minimum": (lambda x: torch.maximum(x, -x * 0.5) + torch.minimum(x, x.flip(1)) + torch.max(x, x + 0.5), VECTOR),
    "maximum with zeros": (lambda x: torch.maximum(x, torch.zeros_like(x)) - torch.min(x, torch.ones_like(x)), VECTOR),
    "maxout": (lambda x: x.view(x.size(0), 2, 3).max(dim=2).values + x.reshape(-1, 2, 3).max(-1)[0], VECTOR),
    "maxout by amax": (
        lambda x: x.unflatten(1, (3, 2)).amax(dim=-1, keepdim=True) - x.reshape(-1, 3, 2).amin(2, keepdim=True),
        VECTOR,
    ),
    "maximum over two axes": (lambda x: x.amax((1, 3)), IMAGE),
    "maximum over 300 entries": (lambda x: x.max(1, keepdim=True)[0], (300,)),
    "minimum": (lambda x: x.min(dim=1, keepdim=True).values + torch.amin(x, 1, True), VECTOR),
    "arithmetic": (lambda x: (2 - x) * 3 / 4 + x / 0.3 - (-x) + x.sub(1).mul(0.5).div(2) + torch.add(x, x, alpha=0.5), VECTOR),
    "sum with itself": (lambda x: x + x, VECTOR),
    "broadcast sum": (lambda x: x[:, :, :1] + x[:, 1:2] - x, SEQUENCE),
    "python sum": (lambda x: sum([x, x * 2, x.relu()]), VECTOR),
    "means": (lambda x: x.mean(dim=(2, 3)) + torch.mean(x, [-1, -2]) + x.mean(3).mean(2), IMAGE),
    "means of separate axes": (lambda x: x.mean((1, 3), keepdim=True), IMAGE),
    "sums": (lambda x: x.sum(1) + torch.sum(x, dim=1), SEQUENCE),
    "permutations": (lambda x: x.permute(0, 2, 1).relu().transpose(1, 2) + torch.permute(x, (0, 1, 2)), SEQUENCE),
    "last axes swapped": (lambda x: x.mT.relu(), SEQUENCE),
    "flattening": (lambda x: torch.flatten(x, 1) + x.flatten(1) + x.view(x.shape[0], -1) + x.reshape(x.size(0), 36), SEQUENCE),
    "partial flattening": (lambda x: x.flatten(2).flatten(1, 2) + x.flatten(start_dim=1), IMAGE),
    "squeezing": (lambda x: x.unsqueeze(1).unsqueeze(-1).squeeze(-1).squeeze(1).relu() + x.unsqueeze(2).squeeze(), VECTOR),
    "one number": (lambda x: x.sum(1, keepdim=True).squeeze(-1).relu(), VECTOR),
    "one number by view": (lambda x: x.sum(1, keepdim=True).view(-1), VECTOR),
    "slices": (lambda x: x[:, 1:5:2, ::3] + x[:, :2, -3:], SEQUENCE),
    "indices": (lambda x: x[:, 0] + x[:, -1, :] + x[:, [2, 2, 1]].sum(1) + x[..., 0:1].sum(1), SEQUENCE),
    "new axis": (lambda x: x[:, None, :].relu() + x[:, :, None].permute(0, 2, 1), VECTOR),
    "select and narrow": (lambda x: x.select(1, 2) + x.narrow(1, 1, 2).sum(1), SEQUENCE),
    "chunks": (lambda x: torch.cat(x.chunk(4, dim=1)[::-1], dim=1), (7,)),
    "splits": (lambda x: torch.cat([p.relu() for p in torch.split(x, 2, dim=1)] + list(x.split([1, 5], dim=1)), 1), VECTOR),
    "unbind": (lambda x: torch.stack([t * 2.0 for t in x.unbind(1)], dim=2), SEQUENCE),
    "stack": (lambda x: torch.stack((x, x.relu(), x * 0.5), dim=1), VECTOR),
    "stack at the end": (lambda x: torch.stack((x, x.relu()), dim=-1), VECTOR),
    "concatenation": (lambda x: torch.cat((x, x.abs(), torch.zeros_like(x)), dim=-1), VECTOR),
    "concatenation with new zeros": (lambda x: torch.cat((x, x.new_zeros(x.size(0), 2)), 1), VECTOR),
    "concatenation with zeros": (lambda x: torch.cat((x, torch.zeros(x.shape[0], 2, dtype=x.dtype)), 1), VECTOR),
    "expand": (lambda x: x.unsqueeze(1).expand(-1, 3, -1) + x.unsqueeze(1).expand(x.size(0), 3, 6), VECTOR),
    "repeat": (lambda x: x.repeat(1, 2), VECTOR),
    "flip and roll": (lambda x: x.flip(1) + torch.roll(x, 1, dims=2) + x.flip((1, 2)), SEQUENCE),
    "functional pads": (lambda x: F.pad(x, (1, 2)) + F.pad(x, (1, 2), value=3.0) + F.pad(x, (2, 1), mode="reflect"), SEQUENCE),
    "functional pools": (lambda x: F.max_pool2d(x, 2) + F.avg_pool2d(x, 2) + F.adaptive_max_pool2d(x, (3, 4)), IMAGE),
    "functional pools 1-D": (lambda x: F.max_pool1d(x, 3, 2) + F.avg_pool1d(x, 3, 2) + F.adaptive_avg_pool1d(x, 4), SEQUENCE),
    "interpolate": (lambda x: F.interpolate(x, scale_factor=(2, 3), mode="nearest"), IMAGE),
    "functional dropout": (lambda x: F.dropout(x, 0.5, training=False) + F.dropout(x, 0.0, training=False), VECTOR),
    "copies": (lambda x: x.contiguous().clone().detach().to(x.dtype) + x.double(), VECTOR),
    "sizes": (lambda x: x.view(x.size(0), x.size(1) * x.shape[2]) * (1.0 / math.sqrt(2)) / x.dim() + x.ndim, SEQUENCE),
    "swapped axes": (lambda x: x.movedim(1, 2).swapaxes(1, 2) * 2.0, SEQUENCE),
    "moved axes": (lambda x: x.movedim(1, 3) * 2.0, IMAGE),
    "softshrink and hardsigmoid": (lambda x: F.softshrink(x) + F.hardsigmoid(x) + F.threshold(x, 0.0, 0.0), VECTOR),
}

WITH_CONSTANTS = {
    "functional linear": lambda m, x: F.linear(x, m.weight, m.bias),
    "masked linear": lambda m, x: F.linear(x, m.weight * m.mask, m.bias + 1),
    "matmul": lambda m, x: x @ m.weight.t() + m.bias,
    "matmul by a vector": lambda m, x: torch.matmul(x, m.mask) + x.matmul(m.weight[0]),
    "addmm": lambda m, x: torch.addmm(m.bias, x, m.weight.T, beta=0.5, alpha=2.0),
    "constant on the left": lambda m, x: m.weight @ x.unsqueeze(2).expand(-1, -1, 2),
    "product with a buffer": lambda m, x: m.mask * x + x * m.mask - m.mask,
    "division by a buffer": lambda m, x: x / (m.mask + 5.0),
    "difference from a buffer": lambda m, x: m.mask - x,
    "maximum with a buffer": lambda m, x: torch.maximum(x, m.mask) + torch.minimum(m.mask, x * 2),
    "clamp by buffers": lambda m, x: torch.clamp(x, m.mask - 1, m.mask + 1),
    "index by a buffer": lambda m, x: x[:, m.index] + torch.index_select(x, 1, m.index),
    "prelu": lambda m, x: F.prelu(x, m.mask),
    "batch norm": lambda m, x: F.batch_norm(x, m.mask, m.mask.abs() + 1, m.weight[0], m.weight[1], False),
    "buffer with a batch axis": lambda m, x: x + m.mask.unsqueeze(0),
    "outer sum": lambda m, x: x.unsqueeze(2) + m.bias,
}

NOT_IN_ONNX = {
    # torch's exporter has no symbol for these shapes or operators, or leaves the divisor out
    "average pool with divisor",
    "adaptive average pool 1-D",
    "adaptive average pool",
    "adaptive max pool 1-D",
    "adaptive max pool",
    "threshold",
    "channel shuffle",
    "last axes swapped",
    "functional pools",
    "functional pools 1-D",
    # it writes 1/6 as a float32 attribute
    "hardsigmoid",
    "upsample nearest exact",
    "interpolate by areas",
    # it writes a comparison of activations
    "softshrink",
    "softshrink and hardsigmoid",
    # it writes the factor in single precision
    "upsample by a fraction",
    "upsample bilinear by a fraction",
}

ZOO = {
    **MODULES,
    **{name: (Apply(function), shape) for name, (function, shape) in FUNCTIONS.items()},
    **{f"constants: {name}": (WithConstants(function), VECTOR) for name, function in WITH_CONSTANTS.items()},
}


def prepared(name):
    """The module in eval mode with random statistics, and random inputs."""
    module, shape = ZOO[name]
    module = copy.deepcopy(module).eval()
    generator = torch.Generator().manual_seed(0)
    for part in module.modules():
        if isinstance(part, nn.modules.batchnorm._BatchNorm):
            part.running_mean = torch.randn(part.num_features, generator=generator)
            part.running_var = torch.rand(part.num_features, generator=generator) + 0.1
            if part.affine:
                part.weight.data = torch.randn(part.num_features, generator=generator)
                part.bias.data = torch.randn(part.num_features, generator=generator)
    return module, 2 * torch.randn(5, *shape, dtype=torch.float64, generator=generator)


def assert_same_function(network, module, x):
    with torch.no_grad():
        expected = copy.deepcopy(module).double()(x.clone()).numpy()
    found = network(x.numpy())
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max())


@pytest.mark.filterwarnings("ignore:Using padding='same'")
@pytest.mark.parametrize("name", ZOO)
def test_the_network_read_by_fx_equals_the_module(name):
    module, x = prepared(name)
    assert_same_function(from_torch(module, example_input=x), module, x)


@pytest.mark.filterwarnings("ignore:Using padding='same'")
@pytest.mark.parametrize("name", ZOO)
def test_the_network_read_by_export_equals_the_module(name):
    module, x = prepared(name)
    assert_same_function(_lowered(by_export(module, x), tuple(x.shape[1:]), None), module, x)


@pytest.mark.parametrize("name", [n for n in ZOO if n not in NOT_IN_ONNX])
def test_the_network_read_from_onnx_equals_the_module(name, tmp_path):
    pytest.importorskip("onnx")
    module, x = prepared(name)
    module, path = module.double(), tmp_path / "model.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, (x,), str(path), dynamo=False, input_names=["x"], dynamic_axes={"x": {0: "batch"}})
    assert_same_function(from_onnx(path), module, x)


LAYERS = st.one_of(
    st.builds(
        lambda out, k, s, p, g: ("conv", out, k, s, min(p, k // 2), g),
        st.sampled_from([2, 4]),
        st.integers(1, 3),
        st.integers(1, 2),
        st.integers(0, 1),
        st.sampled_from([1, 2]),
    ),
    st.builds(
        lambda kind, k, s, ceil: (kind, k, s, ceil),
        st.sampled_from(["max", "avg"]),
        st.integers(1, 3),
        st.integers(1, 2),
        st.booleans(),
    ),
    st.sampled_from([("relu",), ("norm",), ("leaky",), ("hardtanh",), ("skip",), ("twice",)]),
)


class Stack(nn.Module):
    """Convolutions, pools, activations, residual and concatenating edges in a random order."""

    def __init__(self, layers):
        super().__init__()
        self.kinds, self.parts, channels, size = [], nn.ModuleList(), 2, 9
        for kind, *options in layers:
            part = nn.Identity()
            if kind == "conv":
                out, k, stride, padding, groups = options
                part = nn.Conv2d(channels, out, k, stride, padding, groups=groups)
                channels = out
            elif kind in ("max", "avg"):
                k, stride, ceil = options
                part = (nn.MaxPool2d if kind == "max" else nn.AvgPool2d)(k, stride, padding=k // 2, ceil_mode=ceil)
            elif kind == "norm":
                part = nn.BatchNorm2d(channels)
            elif kind in ("relu", "leaky", "hardtanh"):
                part = {"relu": nn.ReLU(inplace=True), "leaky": nn.LeakyReLU(0.1), "hardtanh": nn.Hardtanh()}[kind]
            elif kind == "twice":
                if channels > 8:
                    continue
                channels *= 2
            probe = part.eval()(
                torch.zeros(1, channels if kind not in ("conv", "twice") else self.n_in(part, channels), size, size)
            )
            size = probe.shape[-1]
            self.kinds.append(kind)
            self.parts.append(part)

    @staticmethod
    def n_in(part, channels):
        return part.in_channels if isinstance(part, nn.Conv2d) else channels

    def forward(self, x):
        for kind, part in zip(self.kinds, self.parts, strict=True):
            y = part(x)
            x = torch.cat([y, torch.relu(y)], 1) if kind == "twice" else y + torch.abs(x) if kind == "skip" else y
        return x.flatten(1)


@settings(max_examples=40, deadline=None)
@given(layers=st.lists(LAYERS, min_size=1, max_size=7), seed=st.integers(0, 2**31))
def test_random_stacks_of_layers_compute_the_same(layers, seed):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        try:
            module = Stack(layers).eval()
        except RuntimeError:  # the image became smaller than a window
            assume(False)
        x = torch.randn(3, 2, 9, 9, dtype=torch.float64)
    assert_same_function(from_torch(module, example_input=x), module, x)


@pytest.mark.parametrize("windows", ["regular", "overlapping", "irregular", "padded"])
def test_a_maximum_over_windows_is_that_of_its_members(windows: str) -> None:
    from plica.network import Max

    index = np.arange(2 * 6 * 6).reshape(2, 6, 6)
    step = 1 if windows == "overlapping" else 2
    seen = np.lib.stride_tricks.sliding_window_view(index, (2, 2), axis=(1, 2))[:, ::step, ::step]
    groups = seen.reshape(*seen.shape[:3], 4).copy()
    if windows == "irregular":
        groups[0, 1, 1] = groups[1, 0, 2]
    elif windows == "padded":
        groups[:, -1, :, 2:] = -1
    x = np.random.default_rng(0).normal(size=(5, 2, 6, 6))
    flat = x.reshape(5, -1)
    expected = [[max(row[i] for i in group if i >= 0) for group in groups.reshape(-1, 4)] for row in flat]
    np.testing.assert_array_equal(Max(groups).apply([x]).reshape(5, -1), expected)
