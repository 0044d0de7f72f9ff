"""The same numbers as other tools, where these are installed: eigenvalues by PyHessian, surfaces by loss-landscapes."""

import copy

import numpy as np
import pytest
import torch
from torch import nn

from plica.landscape import Curvature, loss_surface, moved, random_direction, spectrum, top_eigenpairs
from plica.learn import mlp

pytestmark = pytest.mark.peer


def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 5)), rng.integers(0, 3, 60)


@pytest.mark.filterwarnings("ignore:Using backward")
def test_eigenvalues_and_the_trace_are_those_of_pyhessian() -> None:
    pyhessian = pytest.importorskip("pyhessian")
    x, y = data()
    model = mlp([5, 8, 3], seed=0).double()
    torch.manual_seed(0)
    theirs = pyhessian.hessian(model, nn.CrossEntropyLoss(), data=(torch.from_numpy(x), torch.from_numpy(y)), cuda=False)
    values, _ = theirs.eigenvalues(maxIter=2000, tol=1e-9, top_n=2)
    curvature = Curvature(model, x, y, loss="cross-entropy")
    np.testing.assert_allclose(values, top_eigenpairs(curvature, 2).values, rtol=1e-5)
    draws = np.array(theirs.trace(maxIter=400, tol=0.0))
    error = draws.std(ddof=1) / len(draws) ** 0.5
    ours = spectrum(curvature, n_vectors=curvature.n_parameters, seed=1).mean(lambda v: v)
    exact = np.trace(curvature.matrix()) / curvature.n_parameters
    assert abs(ours.value - exact) < 4 * ours.standard_error + 1e-9
    assert abs(draws.mean() / curvature.n_parameters - exact) < 4 * error / curvature.n_parameters + 1e-9


def test_surfaces_are_those_of_loss_landscapes() -> None:
    tool = pytest.importorskip("loss_landscapes")
    x, y = data()
    model, steps = mlp([5, 8, 3], seed=0), 9
    directions = (random_direction(model, seed=0), random_direction(model, seed=1))
    metric = tool.metrics.Loss(nn.functional.cross_entropy, torch.from_numpy(x).float(), torch.from_numpy(y))
    ends = [moved(model, (1.0, d)).float() for d in directions]
    with torch.no_grad():
        theirs = tool.planar_interpolation(copy.deepcopy(model), *ends, metric, steps=steps)
    ours = loss_surface(model, x, y, directions, loss="cross-entropy", coarse=2 * steps, levels=0)
    for i, j in ((0, 0), (2, 5), (7, 3), (8, 8)):
        shift = 1 if i % 2 == 0 else 0  # it begins one step along the second direction, and turns round in every other row
        if j + shift < steps:
            assert abs(theirs[i, j] - ours.values[steps + i, steps + j + shift]) < 1e-5
