"""p4 convolutions: a quarter turn before equals a quarter turn after, bit for bit on integers."""

from __future__ import annotations

import pytest
import torch

from plica.errors import InvalidInput
from plica.models import build
from plica.models.equivariant import (
    GroupConvolution,
    LiftingConvolution,
    P4Classifier,
    P4Config,
    turn_group_function,
    turn_image,
)


def whole_numbers(layer: torch.nn.Module, seed: int) -> torch.nn.Module:
    """Integer weights in float64: sums are exact, so equality is equality."""
    generator = torch.Generator().manual_seed(seed)
    layer = layer.double()
    with torch.no_grad():
        for p in layer.parameters():
            p.copy_(torch.randint(-9, 10, p.shape, generator=generator))
    return layer


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize(("size", "padding"), [(3, 1), (3, 0), (5, 2), (1, 0), (2, 0)])
def test_lifting_and_group_convolutions_commute_with_turns_exactly(times: int, size: int, padding: int) -> None:
    lift = whole_numbers(LiftingConvolution(2, 3, size, padding=padding), 0)
    group = whole_numbers(GroupConvolution(3, 2, size, padding=padding), 1)
    image = torch.randint(-9, 10, (2, 2, 9, 9), generator=torch.Generator().manual_seed(2)).double()
    lifted = lift(image)
    assert torch.equal(lift(turn_image(image, times)), turn_group_function(lifted, times))
    assert torch.equal(group(turn_group_function(lifted, times)), turn_group_function(group(lifted), times))


def test_both_commute_with_translations_exactly() -> None:
    lift = whole_numbers(LiftingConvolution(1, 2, 3), 0)
    image = torch.zeros(1, 1, 12, 12).double()
    image[:, :, 3:8, 3:8] = torch.randint(-9, 10, (5, 5), generator=torch.Generator().manual_seed(0)).double()
    assert torch.equal(lift(image.roll((1, 2), (2, 3))), lift(image).roll((1, 2), (3, 4)))


def test_an_ordinary_convolution_does_not_commute() -> None:
    plain = torch.nn.Conv2d(1, 1, 3, bias=False).double()
    image = torch.rand(1, 1, 7, 7).double()
    assert not torch.allclose(plain(turn_image(image)), turn_image(plain(image)))


def test_four_turns_are_none() -> None:
    x = torch.rand(1, 2, 4, 5, 5)
    assert torch.equal(turn_group_function(x, 4), x) and not torch.equal(turn_group_function(x, 1), x)


@pytest.mark.parametrize("side", [28, 9])
def test_a_classifier_does_not_see_turns(side: int) -> None:
    model = build(P4Classifier, P4Config(n_channels=4, n_layers=4), seed=0).double()
    image = torch.rand(2, 1, side, side).double()
    for times in (1, 2, 3):
        torch.testing.assert_close(model(turn_image(image, times)), model(image), rtol=0, atol=1e-12)
    assert not torch.allclose(model(image), model(image.flip(-1)))


def test_what_is_not_square_is_refused() -> None:
    with pytest.raises(InvalidInput, match="squares"):
        LiftingConvolution(1, 2, 3)(torch.zeros(1, 1, 4, 5))
    with pytest.raises(InvalidInput, match="squares"):
        GroupConvolution(1, 2, 3)(torch.zeros(1, 1, 3, 5, 5))


def test_without_padding_a_filter_of_side_three_takes_two_off_every_side() -> None:
    lifted = LiftingConvolution(1, 2, 3)(torch.zeros(1, 1, 7, 7))
    assert lifted.shape == (1, 2, 4, 5, 5)
    assert GroupConvolution(2, 3, 3)(lifted).shape == (1, 3, 4, 3, 3)
