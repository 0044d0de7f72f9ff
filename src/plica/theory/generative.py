r"""Closed forms about models that make data: principal components with a likelihood, scores, games with known values."""

from __future__ import annotations

from math import log, pi

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput


def ppca_noise(eigenvalues: Array, n_latent: int) -> float:
    """The most likely noise variance of probabilistic principal components: the mean of what is left out [tipping1999]_.

    Examples
    --------
    >>> ppca_noise(np.array([4.0, 2.0, 1.0, 0.5]), 2)
    0.75
    """
    values = _sorted(eigenvalues, n_latent)
    return float(values[n_latent:].mean())


def ppca_log_likelihood(eigenvalues: Array, n_latent: int) -> float:
    r"""The largest mean log-likelihood of data whose covariance has these eigenvalues, in nats.

    .. math:: -\tfrac12 \Big( d \log 2\pi + \sum_{i \le k} \log \lambda_i + (d - k) \log \sigma^2 + d \Big)

    with the noise of :func:`ppca_noise`. It is also the largest bound of a linear variational autoencoder [lucas2019]_.

    Examples
    --------
    With all eigenvalues 1 it is that of a standard Gaussian:

    >>> round(float(ppca_log_likelihood(np.ones(4), 2) + 2 * np.log(2 * np.pi) + 2), 12)
    0.0
    """
    values = _sorted(eigenvalues, n_latent)
    d, noise = len(values), ppca_noise(eigenvalues, n_latent)
    return -0.5 * (d * log(2 * pi) + float(np.log(values[:n_latent]).sum()) + (d - n_latent) * log(noise) + d)


def _sorted(eigenvalues: Array, n_latent: int) -> Array:
    values = np.sort(np.asarray(eigenvalues, dtype=float))[::-1]
    if not 1 <= n_latent < len(values) or not (values > 0).all():
        raise InvalidInput(
            f"{n_latent} latent variables for {len(values)} eigenvalues.", hint="positive eigenvalues, more than latent variables"
        )
    return values


def mixture_density(x: Array, means: Array, std: float) -> Array:
    """The density of an equal mixture of Gaussians of one standard deviation on the line."""
    z = (np.asarray(x, dtype=float)[..., None] - np.asarray(means, dtype=float)) / std
    return np.asarray(np.exp(-0.5 * z**2).mean(axis=-1) / (std * np.sqrt(2 * pi)))


def mixture_score(x: Array, means: Array, std: float) -> Array:
    """The derivative of the logarithm of :func:`mixture_density`.

    Examples
    --------
    >>> mixture_score(np.array([1.0]), np.array([0.0]), 2.0)
    array([-0.25])
    """
    z = (np.asarray(x, dtype=float)[..., None] - np.asarray(means, dtype=float)) / std
    weights = np.exp(-0.5 * (z**2 - (z**2).min(axis=-1, keepdims=True)))
    return np.asarray(-(weights * z).sum(axis=-1) / weights.sum(axis=-1) / std)


def optimal_discriminator(p: Array, q: Array) -> Array:
    """p / (p + q): the discriminator that no other beats, for densities of data and of what is made [goodfellow2014]_.

    Examples
    --------
    >>> optimal_discriminator(np.array([3.0]), np.array([1.0]))
    array([0.75])
    """
    return np.asarray(p / (p + q))


def jensen_shannon(p: Array, q: Array, dx: float) -> float:
    """The Jensen-Shannon divergence of two densities on a grid of step dx, in nats; the game's value is twice it minus log 4.

    Examples
    --------
    >>> x = np.linspace(-30, 30, 6001)
    >>> near, far = mixture_density(x, np.array([0.0]), 1.0), mixture_density(x, np.array([15.0]), 1.0)
    >>> round(jensen_shannon(near, near, 0.01), 12), round(jensen_shannon(near, far, 0.01) / log(2), 6)
    (0.0, 1.0)
    """
    middle = (p + q) / 2

    def part(a: Array) -> float:
        safe = a > 0
        return float((a[safe] * np.log(a[safe] / middle[safe])).sum() * dx)

    return (part(p) + part(q)) / 2


def gaussian_frechet_distance(mean: Array, covariance: Array, other_mean: Array, other_covariance: Array) -> float:
    r"""The squared Frechet distance of two Gaussians: |m - n|^2 + tr(A + B - 2 (A B)^{1/2}) [heusel2017]_.

    Examples
    --------
    >>> gaussian_frechet_distance(np.zeros(2), np.eye(2), np.ones(2), 4 * np.eye(2))
    4.0
    """
    A, B = np.asarray(covariance, dtype=float), np.asarray(other_covariance, dtype=float)
    values, vectors = np.linalg.eigh(A)
    root = vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T
    cross = np.sqrt(np.maximum(np.linalg.eigvalsh(root @ B @ root), 0)).sum()
    difference = np.asarray(mean, dtype=float) - np.asarray(other_mean, dtype=float)
    return float(difference @ difference + np.trace(A) + np.trace(B) - 2 * cross)
