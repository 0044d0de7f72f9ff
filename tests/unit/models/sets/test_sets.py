"""Functions of sets."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from plica.errors import InvalidInput
from plica.models import build
from plica.models.sets import (
    DeepSets,
    DeepSetsConfig,
    EquivariantLayer,
    InducedBlock,
    Pooling,
    SetBlock,
    SetTransformer,
    SetTransformerConfig,
)

MODELS = [
    (DeepSets, DeepSetsConfig(3, 2, d_hidden=8)),
    (DeepSets, DeepSetsConfig(3, 2, d_hidden=8, sum=True)),
    (SetTransformer, SetTransformerConfig(3, 2, d_model=8, n_heads=2, n_points=4)),
    (SetTransformer, SetTransformerConfig(3, 2, d_model=8, n_heads=2, n_points=0, n_seeds=2)),
]


@pytest.mark.parametrize(("cls", "config"), MODELS)
def test_the_order_of_the_elements_does_not_matter(cls: Any, config: Any) -> None:
    model = build(cls, config, seed=0).double()
    x = torch.randn(2, 7, 3).double()
    order = torch.randperm(7, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(model(x[:, order]), model(x), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("cls", "config"), MODELS)
def test_absent_elements_do_not_count(cls: Any, config: Any) -> None:
    model = build(cls, config, seed=0).double()
    x = torch.randn(2, 7, 3).double()
    visible = (torch.arange(7) < 4).expand(2, 7)
    torch.testing.assert_close(model(x, visible), model(x[:, :4]), rtol=0, atol=1e-12)


def test_the_layer_is_lambda_identity_plus_gamma_ones() -> None:
    layer = EquivariantLayer(1, 1).double()
    matrix = (
        torch.stack([layer(e[None, :, None])[0, :, 0] for e in torch.eye(5).double()], 1)
        - layer(torch.zeros(1, 5, 1).double())[0]
    )
    off = matrix[~torch.eye(5, dtype=torch.bool)]
    torch.testing.assert_close(off, off[:1].expand(20))
    torch.testing.assert_close(off[0], layer.mean.weight[0, 0] / 5)
    torch.testing.assert_close(matrix.diagonal(), (layer.own.weight + layer.mean.weight / 5)[0].expand(5))


@pytest.mark.parametrize("layer", [EquivariantLayer(4, 4), SetBlock(4, 2), InducedBlock(4, 2, 3)], ids=lambda m: type(m).__name__)
def test_a_permutation_before_the_layer_is_one_after_it(layer: torch.nn.Module) -> None:
    layer, x = layer.double(), torch.randn(1, 6, 4).double()
    order = torch.tensor([3, 1, 5, 0, 2, 4])
    torch.testing.assert_close(layer(x[:, order]), layer(x)[:, order], rtol=0, atol=1e-12)


def test_a_sum_tells_multiplicities_that_an_average_does_not() -> None:
    once = torch.randn(1, 3, 2).double()
    twice = torch.cat([once, once], 1)
    average = build(DeepSets, DeepSetsConfig(2, 1, d_hidden=8), seed=0).double()
    total = build(DeepSets, DeepSetsConfig(2, 1, d_hidden=8, sum=True), seed=0).double()
    torch.testing.assert_close(average(once), average(twice))
    assert not torch.allclose(total(once), total(twice))


@pytest.mark.parametrize(("cls", "config"), MODELS)
def test_what_is_no_set_is_refused(cls: Any, config: Any) -> None:
    model = build(cls, config, seed=0)
    with pytest.raises(InvalidInput, match="elements"):
        model(torch.zeros(2, 3))
    with pytest.raises(InvalidInput, match="True = present"):
        model(torch.zeros(2, 5, 3), torch.ones(2, 5))


def test_what_is_learned_to_look_at_a_set_begins_with_expected_length_one() -> None:
    """Entries of variance 1/d: the squared length of a row has mean 1 and variance 2/d, whatever d is."""
    torch.manual_seed(0)
    for d in (4, 64):
        for rows in (Pooling(d, 1, n_seeds=4000).seeds, InducedBlock(d, 1, 4000).points):
            squares = rows.detach().square().sum(1)
            assert abs(float(squares.mean()) - 1) < 5 * (2 / d / len(rows)) ** 0.5
