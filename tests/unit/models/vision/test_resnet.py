"""Residual networks: published sizes, exact networks, and highways whose gates are open or closed."""

import numpy as np
import pytest
import torch

import plica
from plica.errors import InvalidInput
from plica.models.deep import DeepConfig, DeepNetwork, HighwayLayer
from plica.models.vision import ResNet, ResNetConfig
from plica.theory.parameters import resnet_multiply_adds, resnet_parameters


@pytest.mark.parametrize("depth", [18, 34, 50, 101, 152])
def test_published_networks_have_their_layers_and_parameters(depth: int) -> None:
    config = ResNetConfig.preset(f"resnet-{depth}")
    assert config.n_weight_layers == depth and ResNet.count_parameters(config) == resnet_parameters(depth)


@pytest.mark.parametrize(("depth", "millions"), [(20, 0.27), (32, 0.46), (44, 0.66), (56, 0.85), (110, 1.7)])
def test_networks_for_small_images_have_the_sizes_of_the_paper(depth: int, millions: float) -> None:
    config = ResNetConfig.preset(f"resnet-{depth}")
    assert config.n_weight_layers == depth
    assert ResNet.count_parameters(config) / 1e6 == pytest.approx(millions, rel=0.03)


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("shortcut", ["padding", "projection"])
@pytest.mark.parametrize("bottleneck", [True, False])
def test_a_residual_network_is_an_exact_network(residual: bool, shortcut: str, bottleneck: bool) -> None:
    torch.manual_seed(0)
    config = ResNetConfig(
        (1, 1), width=4, n_channels=2, n_classes=3, stem="small", residual=residual, shortcut=shortcut, bottleneck=bottleneck
    )
    model = ResNet(config).double()
    x = torch.randn(4, 2, 6, 6, dtype=torch.float64)
    model(x)  # batch norm looks at something
    model.eval()
    net = plica.from_torch(model, example_input=x[:1])
    assert np.allclose(net(x.numpy()), model(x).detach().numpy(), rtol=1e-12, atol=1e-12)


def test_the_small_stem_is_refused_other_images() -> None:
    model = ResNet(ResNetConfig.preset("resnet-20"))
    with pytest.raises(InvalidInput, match="expected"):
        model(torch.rand(2, 1, 8, 8))


def test_an_open_gate_is_a_plain_layer_and_a_closed_one_the_identity() -> None:
    x = torch.randn(7, 5)
    opened, closed = HighwayLayer(5, gate_bias=1e4), HighwayLayer(5, gate_bias=-1e4)
    assert torch.equal(opened(x), torch.relu(opened.transform(x))) and torch.equal(closed(x), x)


@pytest.mark.parametrize("layers", ["plain", "residual"])
def test_deep_networks_are_exact_networks(layers: str) -> None:
    torch.manual_seed(1)
    model = DeepNetwork(DeepConfig(2, 1, width=5, n_layers=4, layers=layers)).double().eval()
    x = torch.randn(9, 2, dtype=torch.float64)
    assert np.allclose(plica.from_torch(model)(x.numpy()), model(x).detach().numpy(), rtol=1e-12, atol=1e-12)
    assert plica.count_regions(plica.from_torch(model), plica.Box([-1, -1], [1, 1])).n_cells > 1


@pytest.mark.parametrize("depth", [18, 50])
@pytest.mark.parametrize("shortcut", ["padding", "projection"])
def test_multiply_adds_of_the_module_are_those_of_its_dimensions(depth: int, shortcut: str) -> None:
    counted = ResNet.count_multiply_adds(f"resnet-{depth}", 224, shortcut=shortcut)
    assert counted == resnet_multiply_adds(depth, projection=shortcut == "projection")


def test_halving_in_the_first_convolution_of_a_bottleneck_saves_three_quarters_of_it() -> None:
    config = ResNetConfig((1, 1), bottleneck=True, width=4, n_classes=3, stem="small")
    first = ResNetConfig((1, 1), bottleneck=True, width=4, n_classes=3, stem="small", bottleneck_stride="first")
    # the first convolution of the second stage, 16 to 8 channels, on 4 x 4 in place of 8 x 8 pixels
    assert ResNet.count_multiply_adds(config, 8) - ResNet.count_multiply_adds(first, 8) == 16 * 8 * (64 - 16)
    x = torch.randn(2, 3, 8, 8)
    assert ResNet(first).eval()(x).shape == (2, 3)
    with pytest.raises(InvalidInput):
        ResNetConfig(bottleneck_stride="last")
