r"""Networks of cosines and exponentials: random Fourier features, least squares, and their closure under products."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.construct.perceptrons._perceptron import Perceptron
from plica.errors import InvalidInput


def fourier_features(n_inputs: int, n_features: int, *, sigma: float = 1.0, seed: int = 0) -> Perceptron:
    r"""Features :math:`\sqrt{2/n} \cos(\omega_k \cdot x + b_k)` whose products estimate the Gaussian kernel [rahimi2007]_.

    :math:`\omega \sim N(0, I/\sigma^2)` and b uniform: the mean of :math:`\phi(x) \cdot \phi(y)` is
    :math:`\exp(-|x - y|^2 / 2\sigma^2)`, its standard deviation at most :math:`\sqrt{2/n}`.

    Examples
    --------
    >>> fourier_features(3, 8).widths
    (3, 8, 8)
    """
    if n_inputs < 1 or n_features < 1 or not sigma > 0:
        raise InvalidInput(f"inputs, features and sigma must be positive, got {n_inputs}, {n_features} and {sigma}.")
    rng = np.random.default_rng(seed)
    weight, bias = rng.normal(size=(n_features, n_inputs)) / sigma, rng.uniform(0.0, 2 * np.pi, n_features)
    out = np.hstack([np.zeros((n_features, n_inputs)), np.sqrt(2 / n_features) * np.eye(n_features)])
    return Perceptron(n_inputs, ((weight, bias),), (out, np.zeros(n_features)), "cos", "random Fourier features")


def feature_regression(x: Any, y: Any, features: Perceptron, *, ridge: float = 0.0) -> Perceptron:
    """The network with the hidden layers of ``features`` whose output is fitted to y by (ridge) least squares, with a constant.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(0, 1, 50)[:, None]
    >>> net = feature_regression(x, x[:, 0] ** 2, fourier_features(1, 30, sigma=0.5), ridge=1e-9)
    >>> bool(np.abs(net(x)[:, 0] - x[:, 0] ** 2).max() < 1e-3)
    True
    """
    points, values = samples(x, y, features.n_inputs)
    phi = np.hstack([features(points), np.ones((len(points), 1))])
    coefficients = least_squares(phi, values, ridge)
    weight, bias = features.output
    out = (coefficients[:-1] @ weight)[None, :], np.array([coefficients[-1] + coefficients[:-1] @ bias])
    return Perceptron(features.n_inputs, features.hidden, out, features.activation, f"regression on {features.name}")


def samples(x: Any, y: Any, n_inputs: int | None = None) -> tuple[Array, Array]:
    """Points as rows and one value for each, checked."""
    points, values = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64).reshape(-1)
    if points.ndim != 2 or len(points) != len(values) or not len(points):
        raise InvalidInput(f"points of shape {np.shape(x)} and values of shape {np.shape(y)} do not belong together.")
    if n_inputs is not None and points.shape[1] != n_inputs:
        raise InvalidInput(f"the points have {points.shape[1]} coordinates, expected {n_inputs}.")
    if not (np.isfinite(points).all() and np.isfinite(values).all()):
        raise InvalidInput("points and values must be finite.")
    return points, values


def least_squares(phi: Array, values: Array, ridge: float) -> Array:
    """The coefficients with the smallest |phi c - values|^2 + ridge |c|^2, by orthogonal factorization."""
    if ridge < 0:
        raise InvalidInput(f"the ridge parameter cannot be negative, got {ridge}.")
    if ridge:
        n = phi.shape[1]
        phi, values = np.vstack([phi, np.sqrt(ridge) * np.eye(n)]), np.concatenate([values, np.zeros(n)])
    return np.linalg.lstsq(phi, values, rcond=None)[0]


def product_network(f: Perceptron, g: Perceptron) -> Perceptron:
    r"""The product of two networks of cosines, or of two of exponentials, as a network of the same kind [hornik1989]_.

    :math:`2 \cos a \cos b = \cos(a + b) + \cos(a - b)` and :math:`e^a e^b = e^{a+b}`: such networks are an algebra, to which the
    theorem of Stone and Weierstrass applies. Units are (2)kl for k and l units, constants counted among them.

    Examples
    --------
    >>> f = Perceptron.shallow([[2.0]], [0.5], [3.0], activation="cos")
    >>> fg = product_network(f, f)
    >>> fg.n_neurons, bool(abs(fg([0.7])[0] - f([0.7])[0] ** 2) < 1e-12)
    (2, True)
    """
    if f.activation != g.activation or f.activation not in ("cos", "exp"):
        raise InvalidInput(
            f"the product of {f.activation} and {g.activation} units is no network of either kind.",
            hint="cos or exp, both the same",
        )
    (wf, bf, cf), (wg, bg, cg) = _ridges(f), _ridges(g)
    if wf.shape[1] != wg.shape[1]:
        raise InvalidInput(f"the networks have {wf.shape[1]} and {wg.shape[1]} inputs.")
    n = wf.shape[1]
    coefficients = np.multiply.outer(cf, cg).ravel()
    both_w, both_b = (wf[:, None] + wg[None]).reshape(-1, n), np.add.outer(bf, bg).ravel()
    if f.activation == "exp":
        return Perceptron.shallow(both_w, both_b, coefficients, activation="exp", name="product")
    apart_w, apart_b = (wf[:, None] - wg[None]).reshape(-1, n), np.subtract.outer(bf, bg).ravel()
    return Perceptron.shallow(
        np.vstack([both_w, apart_w]),
        np.concatenate([both_b, apart_b]),
        np.concatenate([coefficients, coefficients]) / 2,
        activation="cos",
        name="product",
    )


def _ridges(f: Perceptron) -> tuple[Array, Array, Array]:
    """Weights, biases and coefficients of a network with one hidden layer; its constant is a unit with weight and bias zero."""
    if len(f.hidden) != 1 or f.n_outputs != 1 or f.output[0][0, : f.n_inputs].any():
        raise InvalidInput("products are taken of networks with one hidden layer and one output.")
    (weight, bias), coefficients = f.hidden[0], f.output[0][0, f.n_inputs :]
    constant = f.output[1][0]
    if not constant:
        return weight, bias, coefficients
    return np.vstack([weight, np.zeros((1, f.n_inputs))]), np.append(bias, 0.0), np.append(coefficients, constant)
