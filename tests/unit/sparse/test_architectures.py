"""The networks that pruning is tried on: sizes as published, first weights by the seed alone, bad data refused."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import plica
from plica.errors import InvalidInput
from plica.sparse import NETWORKS, Protocol, density, masks_of, n_kept, sparse_fit, trial
from plica.theory.parameters import lenet5_parameters

DIGITS = plica.data.load("digits").split(0.8, seed=0)


def like(shape, n=20):
    """Images of another shape, with the classes of digits."""
    x = np.random.default_rng(0).random((n, *shape), dtype=np.float32)
    return replace(DIGITS, x=x, y=np.arange(n) % 10, x_test=x, y_test=np.arange(n) % 10)


def n_parameters(name, data):
    return sum(p.numel() for p in NETWORKS[name](data, (300, 100), 0).parameters())


def test_sizes():
    mnist = like((28, 28))
    assert n_parameters("lenet-5", mnist) == lenet5_parameters(original=False) == 61_706
    assert n_parameters("dense", mnist) == 266_610
    widths = [8, 8, 8, 16, 16, 32, 32]
    kernels = sum(9 * a * b for a, b in zip([3, *widths[:-1]], widths, strict=True))
    assert n_parameters("resnet-8", like((3, 32, 32))) == kernels + 2 * sum(widths) + 32 * 10 + 10


@pytest.mark.parametrize(("name", "shape"), [("lenet-5", (28, 28)), ("resnet-8", (3, 16, 16))])
@pytest.mark.parametrize("method", ["snip", "gradual", "trained-magnitude"])
def test_methods_work_on_convolutions(name, shape, method):
    data = like(shape)
    found = sparse_fit(NETWORKS[name](data, (), 0), data, method=method, density=0.2, protocol=Protocol(epochs=2, batch=10))
    assert density(found.masks) == pytest.approx(0.2, abs=1e-3) and n_kept(masks_of(found.model)) <= n_kept(found.masks)


def test_first_weights_depend_on_the_seed_alone():
    a, b, c = (next(NETWORKS["lenet-5"](like((28, 28)), (), seed).parameters()) for seed in (0, 0, 1))
    assert torch.equal(a, b) and not torch.equal(a, c)


def test_data_that_does_not_fit_is_refused():
    for name, shape in (("lenet-5", (8, 8)), ("lenet-5", (3, 32, 32)), ("resnet-8", (28, 28))):
        with pytest.raises(InvalidInput, match="on inputs of shape"):
            NETWORKS[name](like(shape), (), 0)
    with pytest.raises(InvalidInput, match="network"):
        trial("snip", 0.5, data="digits", network="vgg")
    with pytest.raises(InvalidInput, match="swiss-roll"):
        trial("snip", 0.5, data="swiss-roll")


def test_dense_layers_read_images_row_after_row():
    data = like((4, 3))
    model = NETWORKS["dense"](data, (5,), 0)
    images = torch.from_numpy(data.x)
    assert torch.equal(model(images), model[1:](images.reshape(len(images), -1))) and model(images).shape == (20, 10)
