"""The functional dimension of a pruned network: the rank over the parameters that it keeps."""

import numpy as np
import pytest
import torch

import plica
from plica.errors import InvalidInput
from plica.learn import mlp
from plica.measure import functional_dimension
from plica.sparse import apply_masks, prune


def pruned(share, seed):
    """A network with random masks, its complex over the plane, and which of its parameters are kept."""
    model = mlp([2, 5, 4, 2], seed=seed, dtype=torch.float64)
    masks = prune(model, "random", share, seed=seed)
    apply_masks(model, masks)
    kept = [masks[name].numpy() if p.dim() > 1 else np.ones(len(p), bool) for name, p in model.named_parameters()]
    cx = plica.decompose(plica.from_torch(model), plica.Space(2))
    return model, cx, np.concatenate([part.reshape(-1) for part in kept])


def derivatives(model, cx):
    """Of the outputs of each cell's affine continuation at 0, (1, 0) and (0, 1) by all parameters: autograd with fixed states."""
    patterns = [torch.as_tensor(np.asarray(x).reshape(cx.n_cells, -1).astype(float)) for x in cx.patterns()]
    points, rows = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], dtype=torch.float64), []
    for cell in range(cx.n_cells):
        h = model[2](model[0](points) * patterns[0][cell])
        for value in model[4](h * patterns[1][cell]).reshape(-1):
            parts = torch.autograd.grad(value, list(model.parameters()), retain_graph=True)
            rows.append(torch.cat([part.reshape(-1) for part in parts]).numpy())
    return np.array(rows)


@pytest.mark.parametrize(("share", "seed"), [(0.3, 0), (0.6, 0), (0.6, 1), (1.0, 1)])
def test_the_rank_over_kept_parameters_is_that_of_derivatives_on_all_cells(share, seed):
    model, cx, kept = pruned(share, seed)
    found = functional_dimension(cx, among=kept)
    assert found.value == np.linalg.matrix_rank(derivatives(model, cx)[:, kept], tol=1e-9)
    assert found.value <= found.bound == int(kept.sum()) - 9 and found.n_parameters == int(kept.sum())


def test_all_parameters_are_the_default():
    _, cx, kept = pruned(1.0, 0)
    assert functional_dimension(cx).value == functional_dimension(cx, among=kept).value


def test_parameters_that_may_not_move_must_be_zero():
    _, cx, kept = pruned(1.0, 0)
    with pytest.raises(InvalidInput, match="not zero"):
        functional_dimension(cx, among=np.arange(len(kept)) > 0)
    with pytest.raises(InvalidInput, match="shape"):
        functional_dimension(cx, among=kept[1:])
