"""Attention on images."""

from __future__ import annotations

import pytest
import torch

from plica.errors import InvalidInput
from plica.models import build
from plica.models.attention import Attend, Dot, shifted_windows
from plica.models.vision import NonLocalBlock, Swin, SwinConfig, VisionTransformer, ViTConfig
from plica.models.vision._swin import Merging, WindowAttention


@pytest.mark.parametrize(("side", "window", "shift"), [(6, 3, 0), (6, 3, 1), (6, 2, 1), (8, 4, 2), (4, 4, 0)])
def test_attention_in_windows_is_dense_attention_with_a_mask_and_a_bias(side: int, window: int, shift: int) -> None:
    torch.manual_seed(0)
    layer = WindowAttention(8, 2, side=side, window=window, shift=shift).double()
    x = torch.randn(2, side * side, 8).double()
    q, k, v = layer.qkv(x).unflatten(-1, (3, 2, 4)).permute(2, 0, 3, 1, 4)
    rows, columns = torch.arange(side * side) // side, torch.arange(side * side) % side
    down = rows[:, None] - rows + window - 1
    across = columns[:, None] - columns + window - 1
    inside = (down >= 0) & (across >= 0) & (down < 2 * window - 1) & (across < 2 * window - 1)
    number = torch.where(inside, down * (2 * window - 1) + across, 0)
    bias = layer.table[number].permute(2, 0, 1)
    mask = shifted_windows((side, side), size=window, shift=shift)
    dense = Attend(mask=mask)(q, k, v, bias=bias)
    torch.testing.assert_close(layer(x), layer.out(dense.transpose(1, 2).flatten(2)), rtol=0, atol=1e-12)


def test_shifted_windows_connect_what_plain_ones_keep_apart() -> None:
    config = SwinConfig(side=8, patch=1, n_channels=1, n_classes=2, d_model=4, depths=(2,), n_heads=(1,), window=4)
    model = build(Swin, config, seed=0).double().eval()
    shifts = [stage.attention.shift for stage in model.stages]  # type: ignore[union-attr]
    assert shifts == [0, 2]
    assert model(torch.rand(3, 1, 8, 8).double()).shape == (3, 2)


def test_a_window_as_large_as_the_image_is_not_shifted() -> None:
    config = SwinConfig(side=8, patch=2, n_channels=1, n_classes=2, d_model=4, depths=(2,), n_heads=(1,), window=7)
    model = build(Swin, config, seed=0)
    assert [stage.attention.shift for stage in model.stages] == [0, 0]  # type: ignore[union-attr]


def test_a_vision_transformer_without_positions_does_not_see_the_order_of_patches() -> None:
    config = ViTConfig(side=4, patch=2, n_channels=1, n_classes=3, d_model=8, n_layers=2, n_heads=2)
    model = build(VisionTransformer, config, seed=0).double().eval()
    image = torch.rand(1, 1, 4, 4).double()
    turned = torch.cat([image[:, :, 2:], image[:, :, :2]], 2)
    assert not torch.allclose(model(image), model(turned))
    with torch.no_grad():
        model.position.zero_()
    torch.testing.assert_close(model(image), model(turned), rtol=0, atol=1e-12)


def test_a_non_local_block_is_self_attention_on_pixels() -> None:
    torch.manual_seed(0)
    block, x = NonLocalBlock(6, 4).double(), torch.randn(2, 6, 3, 5).double()
    torch.nn.init.normal_(block.out.weight)
    pixels = x.flatten(2).transpose(1, 2)
    q, k, v = (torch.einsum("bnc,dc->bnd", pixels, f.weight[:, :, 0, 0]) + f.bias for f in (block.theta, block.phi, block.g))
    mixed = Attend(Dot())(q[:, None], k[:, None], v[:, None])[:, 0]
    out = torch.einsum("bnd,cd->bnc", mixed, block.out.weight[:, :, 0, 0]) + block.out.bias
    torch.testing.assert_close(block(x), x + out.transpose(1, 2).reshape(x.shape), rtol=0, atol=1e-12)


def test_a_non_local_block_with_products_divides_by_the_number_of_pixels() -> None:
    torch.manual_seed(0)
    block, x = NonLocalBlock(4, 2, pairing="dot").double(), torch.randn(1, 4, 3, 3).double()
    torch.nn.init.normal_(block.out.weight)
    q, k, v = (f(x).flatten(2)[0] for f in (block.theta, block.phi, block.g))
    mixed = v @ (q.T @ k).T / 9
    expected = x + block.out(mixed.reshape(1, 2, 3, 3))
    torch.testing.assert_close(block(x), expected, rtol=0, atol=1e-12)
    with pytest.raises(InvalidInput, match="embedded-gaussian"):
        NonLocalBlock(4, pairing="euclid")


@pytest.mark.parametrize("shape", [(1, 1, 28, 27), (1, 3, 28, 28), (1, 28, 28)])
def test_images_of_a_wrong_shape_are_refused(shape: tuple[int, ...]) -> None:
    for model in (build(VisionTransformer, ViTConfig.preset("mnist"), seed=0), build(Swin, SwinConfig.preset("mnist"), seed=0)):
        with pytest.raises(InvalidInput, match="expected"):
            model(torch.rand(*shape))


def test_four_neighbors_are_merged_in_the_order_of_the_published_weights() -> None:
    """Column by column: above, below, then the same one to the right, as x0, x1, x2, x3 of Swin's own program."""
    merging = Merging(1, 4)
    merging.norm, merging.reduce = torch.nn.Identity(), torch.nn.Identity()
    image = torch.arange(16.0).reshape(4, 4)
    found = merging(image.reshape(1, 16, 1))
    expected = torch.stack([image[0::2, 0::2], image[1::2, 0::2], image[0::2, 1::2], image[1::2, 1::2]], -1)
    assert torch.equal(found, expected.reshape(1, 4, 4))
