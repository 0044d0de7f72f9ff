"""Training in which masked weights do not exist: the same gradients and steps as with masks, whatever the density."""

import numpy as np
import pytest
import torch

import plica
from plica.errors import InvalidInput, UnsupportedLayer
from plica.learn import SGD, Adam, evaluate, fit, mlp
from plica.sparse import KeptChain, fit_kept, full_masks, kept, masks_of, n_kept, prune
from plica.sparse import _kept_kernels as kernels

DIGITS = plica.data.load("digits").split(0.8, seed=0)


def chain_and_gradients(share, n):
    """The gradient of a chain, and that of autograd times the masks, for n points."""
    model = mlp([64, 40, 30, 10], seed=3, flatten=True)
    masks = prune(model, "random", share, seed=1) if share < 1 else full_masks(model)
    chain = KeptChain(model, masks)
    x, y = DIGITS.x[:n].astype(np.float32), DIGITS.y[:n].astype(np.int64)
    with kept(model, masks):
        loss = torch.nn.functional.cross_entropy(model(torch.as_tensor(x)), torch.as_tensor(y))
        loss.backward()
    ours, (gradient,) = chain.gradient(np.ascontiguousarray(x.reshape(n, -1).T), y)
    return chain, model, float(loss.detach()), ours, gradient


@pytest.mark.parametrize("n", [1, 7, 60, 64])
@pytest.mark.parametrize("share", [0.01, 0.05, 0.3, 1.0])
def test_the_gradient_is_that_of_autograd_at_kept_weights(share, n):
    chain, model, theirs, ours, gradient = chain_and_gradients(share, n)
    assert ours == pytest.approx(theirs, rel=1e-5)
    parts = [p for layer in chain.linears for p in (layer.weight.grad, layer.bias.grad)]
    places = [p for layer in chain.layers for p in (layer.places, np.arange(len(layer.biases)))]
    expected = np.concatenate([p.numpy().reshape(-1)[at] for p, at in zip(parts, places, strict=True)])
    np.testing.assert_allclose(gradient, expected, atol=1e-6)
    with torch.no_grad():
        out = model(torch.as_tensor(DIGITS.x[:n].astype(np.float32))).numpy()
    columns = np.ascontiguousarray(DIGITS.x[:n].reshape(n, -1).T.astype(np.float32))
    np.testing.assert_allclose(chain.outputs(columns).T, out, atol=1e-5)


def test_sparse_layers_hold_no_masked_weight():
    chain = chain_and_gradients(0.01, 4)[0]
    assert all(layer.is_sparse for layer in chain.layers)
    assert len(chain.vector) == sum(int(layer.mask.sum()) for layer in chain.layers) + 80


@pytest.mark.parametrize("optimizer", [lambda: Adam(), lambda: SGD(momentum=0.9, weight_decay=1e-3)])
@pytest.mark.parametrize("share", [0.08, 0.5])
def test_steps_are_those_of_fit_with_masks(optimizer, share):
    models = [mlp([64, 50, 10], seed=0, flatten=True) for _ in range(2)]
    masks = prune(models[0], "magnitude", share)
    how = {"epochs": 2, "batch": 50, "rate": 0.01, "schedule": "cosine", "seed": 5}
    ours = fit_kept(models[0], masks, DIGITS, optimizer=optimizer(), **how)
    with kept(models[1], masks):
        theirs = fit(models[1], DIGITS, optimizer=optimizer(), **how)
    for a, b in zip(models[0].parameters(), models[1].parameters(), strict=True):
        torch.testing.assert_close(a, b, atol=2e-4, rtol=0)
    for column in ("loss", "test_loss"):
        assert ours.history.last[column] == pytest.approx(theirs.history.last[column], abs=1e-3)
    for column in ("accuracy", "test_accuracy"):
        assert ours.history.last[column] == pytest.approx(theirs.history.last[column], abs=0.006)
    assert n_kept(masks_of(models[0])) <= n_kept(masks)


def test_kernels_are_their_plain_definitions():
    rng = np.random.default_rng(0)
    mask = rng.random((5, 9)) < 0.4
    w = np.where(mask, rng.standard_normal((5, 9)), 0).astype(np.float32)
    offsets, columns = np.concatenate([[0], np.cumsum(mask.sum(1))]), np.nonzero(mask)[1].astype(np.int32)
    x, delta = (rng.standard_normal((k, 48)).astype(np.float32) for k in (9, 5))
    b = rng.standard_normal(5).astype(np.float32)
    out, back = np.empty((5, 48), np.float32), np.empty((9, 48), np.float32)
    kernels.forward.py_func(offsets, columns, w[mask], b, x, out)
    np.testing.assert_allclose(out, w @ x + b[:, None], atol=1e-5)
    gradient = np.empty(int(mask.sum()), np.float32)
    kernels.backward_weights.py_func(offsets, columns, delta, x, np.empty(48, np.float32), gradient)
    np.testing.assert_allclose(gradient, (delta @ x.T)[mask], atol=1e-5)
    kernels.backward_inputs.py_func(offsets, columns, w[mask], delta, x, back)
    np.testing.assert_allclose(back, (w.T @ delta) * (x > 0), atol=1e-5)
    rows, taken = np.array([3, 0]), np.empty((48, 2), np.float32)
    kernels.gather.py_func(delta, rows, taken)
    np.testing.assert_array_equal(taken, delta[rows].T)


def test_validation_and_looks_between_epochs():
    model = mlp([64, 20, 10], seed=0, flatten=True)
    held = (DIGITS.x[:50], DIGITS.y[:50])
    found = fit_kept(model, full_masks(model), (DIGITS.x[50:], DIGITS.y[50:]), steps=30, look_every=10, validation=held)
    assert found.history["step"] == [0, 10, 20, 30]
    assert found.history["validation_loss"][-1] < found.history["validation_loss"][0]
    assert found.network.n_inputs == 64


def test_the_best_look_is_kept_where_asked():
    """At a rate that is too long the loss on other points goes up and down: the module has the weights of the best look."""
    model, held = mlp([64, 20, 10], seed=0, flatten=True), (DIGITS.x[:300], DIGITS.y[:300])
    how = {"steps": 60, "look_every": 3, "rate": 0.2, "validation": held, "keep_best": True}
    found = fit_kept(model, full_masks(model), (DIGITS.x[300:], DIGITS.y[300:]), **how)
    losses = found.history["validation_loss"]
    assert min(losses) < losses[-1]
    assert evaluate(model, held).loss == pytest.approx(min(losses), rel=1e-4)
    with pytest.raises(InvalidInput, match="keep_best"):
        fit_kept(model, full_masks(model), DIGITS, keep_best=True)


def test_a_training_that_diverges_says_so():
    model = mlp([64, 20, 10], seed=0, flatten=True)
    found = fit_kept(model, full_masks(model), DIGITS, epochs=3, optimizer="sgd", rate=1e38)
    assert found.is_diverged


def test_what_is_no_chain_or_has_no_classes_is_refused():
    model = torch.nn.Sequential(torch.nn.Linear(64, 10), torch.nn.Tanh(), torch.nn.Linear(10, 10))
    with pytest.raises(UnsupportedLayer, match="not a chain"):
        KeptChain(model, full_masks(model))
    chain = mlp([64, 20, 10], seed=0, flatten=True)
    with pytest.raises(InvalidInput, match="targets"):
        fit_kept(chain, full_masks(chain), (DIGITS.x, DIGITS.x[:, 0, 0]))
    with pytest.raises(InvalidInput, match="penalty"):
        fit_kept(chain, full_masks(chain), DIGITS, penalty=None)
