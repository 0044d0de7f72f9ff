"""Quantized modules of torch: weights as stored, without rounding; what torch rounds besides is refused, or left out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import plica
from plica.errors import InvalidInput, InvalidNetwork
from plica.network._torch_quantized import stored


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch about its own future
        yield


def dynamic() -> nn.Module:
    torch.manual_seed(0)
    plain = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 2)).eval()
    return torch.ao.quantization.quantize_dynamic(plain, {nn.Linear}, dtype=torch.qint8)


class Images(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.begin, self.end = torch.ao.quantization.QuantStub(), torch.ao.quantization.DeQuantStub()
        self.conv, self.relu = nn.Conv2d(1, 2, 3, padding=1, stride=2), nn.ReLU()
        self.flat, self.sum = nn.Flatten(), torch.ao.nn.quantized.FloatFunctional()
        self.head = nn.Linear(8, 3)

    def forward(self, x: Any) -> Any:
        h = self.relu(self.conv(self.begin(x)))
        return self.end(self.head(self.flat(self.sum.add(h, h))))


def static() -> nn.Module:
    torch.manual_seed(0)
    model = Images().eval()
    model.qconfig = torch.ao.quantization.get_default_qconfig("fbgemm")
    torch.ao.quantization.fuse_modules(model, [["conv", "relu"]], inplace=True)
    prepared = torch.ao.quantization.prepare(model)
    prepared(torch.randn(32, 1, 4, 4))
    return torch.ao.quantization.convert(prepared)


def exact(weight: torch.Tensor) -> list[Fraction]:
    """The stored numbers one by one, in fractions."""
    per_channel = weight.qscheme() == torch.per_channel_affine
    out = []
    for place, integer in np.ndenumerate(weight.int_repr().numpy()):
        channel = place[0]
        scale = float(weight.q_per_channel_scales()[channel]) if per_channel else weight.q_scale()
        zero = int(weight.q_per_channel_zero_points()[channel]) if per_channel else weight.q_zero_point()
        out.append((int(integer) - zero) * Fraction(scale))
    return out


def test_stored_weights_are_integers_times_scales_without_rounding() -> None:
    x = torch.randn(4, 5, generator=torch.Generator().manual_seed(1))
    zero_and_scale = torch.quantize_per_tensor(x, float(np.float32(0.013)), 7, torch.qint8)
    scales, zeros = torch.rand(4, generator=torch.Generator().manual_seed(2)) / 50 + 0.01, torch.tensor([0, 1, -3, 12])
    for weight in (zero_and_scale, torch.quantize_per_channel(x, scales, zeros, 0, torch.qint8)):
        assert [Fraction(v) for v in stored(weight, "w").reshape(-1).tolist()] == exact(weight)


def test_a_scale_that_float64_cannot_multiply_is_refused() -> None:
    weight = torch.quantize_per_tensor(torch.tensor([0.5, 0.7]), 0.1, 0, torch.qint8)
    with pytest.raises(InvalidNetwork, match="more digits"):
        stored(weight, "w")


def test_quantized_layers_are_refused_unless_weights_are_asked_for() -> None:
    model = dynamic()
    with pytest.raises(InvalidNetwork, match="rounds what goes in") as caught:
        plica.from_torch(model)
    assert 'quantized="weights"' in str(caught.value)
    with pytest.raises(InvalidInput, match="quantized="):
        plica.from_torch(model, quantized="all")


def test_weights_of_a_dynamic_model_make_the_network_it_approximates() -> None:
    model = dynamic()
    network = plica.from_torch(model, quantized="weights")
    first, last = model[0], model[2]
    x = torch.randn(20, 3, generator=torch.Generator().manual_seed(3))
    hidden = torch.relu(x.double() @ torch.from_numpy(stored(first.weight(), "")).T + first.bias().double())
    there = hidden @ torch.from_numpy(stored(last.weight(), "")).T + last.bias().double()
    np.testing.assert_allclose(network(x.double().numpy()), there.detach().numpy(), rtol=1e-12, atol=1e-12)
    assert type(model[0]).__name__ == "Linear" and callable(model[0].weight)  # the model is left as it was


def test_convolutions_sums_and_stubs_are_read() -> None:
    model = static()
    network = plica.from_torch(model, example_input=torch.zeros(1, 1, 4, 4), quantized="weights")
    x = torch.randn(16, 1, 4, 4, generator=torch.Generator().manual_seed(4))
    weight = torch.from_numpy(stored(model.conv.weight(), ""))
    h = torch.relu(nn.functional.conv2d(x.double(), weight, model.conv.bias().double(), stride=2, padding=1))
    there = (2 * h).flatten(1) @ torch.from_numpy(stored(model.head.weight(), "")).T + model.head.bias().double()
    found = network(x.double().numpy())
    np.testing.assert_allclose(found, there.detach().numpy(), rtol=1e-12, atol=1e-12)
    assert np.abs(found - model(x).detach().numpy()).max() < 0.3  # torch's own, with its rounding, is near
