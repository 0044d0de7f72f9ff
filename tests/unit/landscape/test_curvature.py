"""Products with the Hessian, spectra, and what folds add to curvature."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from plica.errors import InvalidInput
from plica.landscape import (
    Curvature,
    connect,
    folded_curvature,
    loss_line,
    moved,
    random_direction,
    spectrum,
    top_eigenpairs,
    toward,
)
from plica.landscape._curvature import lanczos
from plica.landscape._spectrum import Spectrum
from plica.learn import mlp
from plica.network import Linear, Network, Rectifier, from_torch


def data(n: int = 20) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 3))
    return x, rng.integers(0, 3, n)


@pytest.mark.parametrize("loss", ["squared", "cross-entropy"])
def test_the_hessian_is_that_of_finite_differences_of_gradients(loss: str) -> None:
    x, labels = data()
    y = labels if loss == "cross-entropy" else np.eye(3)[labels]
    model = mlp([3, 5, 3], seed=1)
    H = Curvature(model, x, y, loss=loss).matrix()
    rng = np.random.default_rng(1)
    v = rng.normal(size=len(H))
    h = 1e-7

    def gradient(s: float) -> np.ndarray:
        c = Curvature(model, x, y, loss=loss)
        return Curvature(moved(model, (s, c.direction(v))), x, y, loss=loss).gradient()

    np.testing.assert_allclose((gradient(h) - gradient(-h)) / (2 * h), H @ v, atol=1e-5)


@pytest.mark.parametrize("loss", ["squared", "cross-entropy"])
def test_gauss_newton_is_the_jacobian_squared(loss: str) -> None:
    x, labels = data()
    y = labels if loss == "cross-entropy" else np.eye(3)[labels]
    model = mlp([3, 4, 3], seed=1).double()
    parameters = dict(model.named_parameters())
    inputs = torch.as_tensor(x)
    jacobian = torch.func.jacrev(lambda p: torch.func.functional_call(model, p, (inputs,)))(parameters)
    J = np.concatenate([jacobian[k].detach().numpy().reshape(len(x), 3, -1) for k in parameters], axis=2)
    f = model(inputs).detach().numpy()
    if loss == "squared":
        inner = np.broadcast_to(2 * np.eye(3) / 3, (len(x), 3, 3))
    else:
        p = np.exp(f - f.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        inner = np.stack([np.diag(q) - np.outer(q, q) for q in p])
    expected = np.einsum("nip,nij,njq->pq", J, inner, J) / len(x)
    gauss = Curvature(model, x, y, loss=loss, part="gauss-newton").matrix()
    np.testing.assert_allclose(gauss, expected, atol=1e-12)
    whole, rest = (Curvature(model, x, y, loss=loss, part=part).matrix() for part in ("hessian", "residual"))
    np.testing.assert_allclose(whole, gauss + rest, atol=1e-12)
    assert np.linalg.norm(rest) > 1e-3


def test_quadrature_knows_traces_and_the_index() -> None:
    rng = np.random.default_rng(0)
    Q, _ = np.linalg.qr(rng.normal(size=(60, 60)))
    values = np.concatenate([np.linspace(-3, -1, 15), np.linspace(0.5, 4, 45)])
    A = (Q * values) @ Q.T
    seen = spectrum(A, n_vectors=60, n_steps=60, seed=1)
    for f in (lambda x: x, lambda x: x**2, lambda x: (x < 0).astype(float)):
        found = seen.mean(f)
        assert abs(found.value - f(values).mean()) < 4 * found.standard_error + 1e-9
        assert found.standard_error < 0.1 * max(abs(f(values).mean()), 0.5)
    index = seen.share_below(0.0)
    assert abs(index.value - 0.25) < 4 * index.standard_error
    mass = seen.negative_mass
    assert abs(mass.value - np.maximum(-values, 0).sum() / np.abs(values).sum()) < 4 * mass.standard_error
    at = np.linspace(-5, 6, 400)
    density, error = seen.density(at, width=0.3)
    assert np.sum(density) * (at[1] - at[0]) == pytest.approx(1.0, abs=1e-6) and (error >= 0).all()


def test_top_eigenpairs_have_their_residuals() -> None:
    x, labels = data()
    c = Curvature(mlp([3, 6, 3], seed=1), x, labels, loss="cross-entropy")
    values = np.linalg.eigvalsh(c.matrix())
    for which, expected in (("largest", values[::-1][:3]), ("smallest", values[:3])):
        found = top_eigenpairs(c, 3, which=which)
        np.testing.assert_allclose(found.values, expected, atol=1e-9)
        assert found.residuals.max() < 1e-7
    few = top_eigenpairs(c, 1, n_steps=4)
    assert np.abs(values - few.values[0]).min() <= few.residuals[0] + 1e-12


def test_folds_carry_curvature_that_the_hessian_does_not_see() -> None:
    x, _ = data()
    y = np.sin(x[:, :1])
    model = mlp([3, 16, 1], seed=1)
    d = random_direction(model, seed=3)
    a, b = moved(model, (-1.0, d)), moved(model, (1.0, d))
    line = loss_line(a, b, x, y)
    split = folded_curvature(line)
    step = toward(a, b).vector
    # Gauss' rule between folds, with the Hessian of automatic differentiation
    ends = np.concatenate([[0.0], line.breakpoints().mean(axis=1), [1.0]])
    nodes, weights = np.polynomial.legendre.leggauss(3)
    integral = 0.0
    for low, high in pairwise(ends):
        for node, weight in zip(nodes, weights, strict=True):
            t = (low + high) / 2 + node * (high - low) / 2
            c = Curvature(moved(a, (t, toward(a, b))), x, y)
            integral += weight * (high - low) / 2 * float(step @ (c @ step))
    assert split.between_folds == pytest.approx(integral, rel=1e-6)
    assert abs(split.at_folds) > 1e-3 and split.n_folds == line.n_breakpoints


def test_jumps_of_both_signs_count_with_their_magnitudes() -> None:
    # relu(w) against 1 bends downward at 0, against -1 upward: the sum of the jumps is less than that of their magnitudes
    a, b = (Network.sequential(1, [Linear(np.array([[w]])), Rectifier(), Linear(np.eye(1))]) for w in (-1.0, 1.0))
    for targets, jump in (([1.0], -4.0), ([-1.0], 4.0), ([1.0, -1.0], 0.0)):
        split = folded_curvature(loss_line(a, b, np.ones((len(targets), 1)), np.array(targets)[:, None]))
        assert (split.at_folds, split.magnitude_at_folds, split.n_folds) == pytest.approx((jump, 4.0, len(targets)))


def test_a_trained_bend_lowers_the_exact_loss_of_a_chain() -> None:
    x, _ = data(40)
    y = np.sin(2 * x[:, :1])
    a, b = (mlp([3, 16, 1], seed=s) for s in (1, 2))
    straight = loss_line(a, b, x, y)
    curve = connect(a, b, x, y, loss="squared", steps=150, batch=40)
    lines = curve.lines(x, y)
    assert max(float(line.maximum.value) for line in lines) <= max(float(straight.maximum.value), 1.0) * 1.5
    middle = from_torch(curve.models[1])
    assert np.mean((middle(x) - y) ** 2) < 0.5 * float(straight.at(0.5))
    assert toward(curve.models[0], a).norm == 0 == toward(curve.models[-1], b).norm
    assert toward(curve.at(0.5), curve.models[1]).norm < 1e-12
    assert float(lines[0].at(1.0)) == pytest.approx(float(lines[1].at(0.0)), rel=1e-9)
    bezier = connect(a, b, x, y, loss="squared", kind="bezier", steps=5)
    weights = {
        k: (p + 2 * q + r) / 4
        for (k, p), q, r in zip(
            bezier.models[0].named_parameters(), bezier.models[1].parameters(), bezier.models[2].parameters(), strict=True
        )
    }
    for k, p in bezier.at(0.5).named_parameters():
        assert torch.allclose(p, weights[k])
    with pytest.raises(InvalidInput, match="no segments"):
        bezier.lines(x, y)


def test_wrong_questions_get_answers() -> None:
    x, labels = data()
    with pytest.raises(InvalidInput, match="unknown part"):
        Curvature(mlp([3, 4, 3]), x, labels, part="other")
    with pytest.raises(InvalidInput, match="unknown loss"):
        Curvature(mlp([3, 4, 3]), x, labels, loss="other")
    with pytest.raises(InvalidInput, match="eigenpairs"):
        top_eigenpairs(Curvature(mlp([3, 4, 3]), x, labels, loss="cross-entropy"), 5, n_steps=3)
    with pytest.raises(InvalidInput, match="vectors"):
        spectrum(np.eye(3), n_vectors=1)


def test_a_level_is_not_below_itself():
    seen = Spectrum((np.array([-1.0, 0.0, 2.0]), np.array([0.0, 0.0, 1.0])), (np.array([0.5, 0.25, 0.25]),) * 2, 3)
    assert seen.share_below(0.0).value == 0.25 and seen.share_below(1.0).value == 0.75
    assert seen.negative_mass.value == pytest.approx(0.25 / 0.625)
    assert seen.negative_mass.standard_error == pytest.approx(0.5 / 2)  # shares of 1/2 and 0
    bells = [(w * np.exp(-0.5 * x**2)).sum() / np.sqrt(2 * np.pi) for x, w in zip(seen.nodes, seen.weights, strict=True)]
    height, error = seen.density(np.zeros(1), width=1.0)
    assert height[0] == pytest.approx(np.mean(bells)) and error[0] == pytest.approx(abs(bells[0] - bells[1]) / 2)


def test_krylov_vectors_of_a_graded_matrix_stay_orthogonal():
    A = np.diag(10.0 ** -np.arange(30.0))
    run = lanczos(A, np.random.default_rng(0).normal(size=30), 24)
    n = run.Q.shape[1]
    np.testing.assert_allclose(run.Q.T @ run.Q, np.eye(n), atol=1e-14 * n)
