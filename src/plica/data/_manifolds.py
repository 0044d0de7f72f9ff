"""Points on manifolds of known dimension, to measure dimension and what networks do to it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from plica._types import Array
from plica.data._dataset import Dataset
from plica.errors import InvalidInput

_ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "relu": lambda z: np.maximum(z, 0.0),
    "tanh": np.tanh,
    "sign": np.sign,
    "erf": lambda z: _erf(z),
    "linear": lambda z: z,
}


def sphere(
    *, n: int = 1000, dimension: int = 2, ambient: int | None = None, noise: float = 0.0, radius: float = 1.0, seed: int = 0
) -> Dataset:
    """Uniform points on the sphere of the given dimension, in ``dimension + 1`` coordinates or turned into ``ambient`` ones.

    Examples
    --------
    >>> data = sphere(n=100, dimension=3)
    >>> data.x.shape, data.dimension, bool(np.allclose((data.x**2).sum(axis=1), 1))
    ((100, 4), 3, True)
    """
    rng = _rng(n, noise, dimension, seed)
    g = rng.standard_normal((n, dimension + 1))
    points = radius * g / np.linalg.norm(g, axis=1, keepdims=True)
    return _embed("sphere", points, None, dimension, ambient, noise, rng, sphere)


def cube(*, n: int = 1000, dimension: int = 2, ambient: int | None = None, noise: float = 0.0, seed: int = 0) -> Dataset:
    """Uniform points of the unit cube of the given dimension, turned into ``ambient`` coordinates."""
    rng = _rng(n, noise, dimension, seed)
    points = rng.uniform(0, 1, (n, dimension))
    return _embed("cube", points, points, dimension, ambient, noise, rng, cube)


def gaussian(*, n: int = 1000, dimension: int = 2, ambient: int | None = None, noise: float = 0.0, seed: int = 0) -> Dataset:
    """Standard normal points of the given dimension, turned into ``ambient`` coordinates."""
    rng = _rng(n, noise, dimension, seed)
    points = rng.standard_normal((n, dimension))
    return _embed("gaussian", points, points, dimension, ambient, noise, rng, gaussian)


def swiss_roll(*, n: int = 1000, ambient: int | None = None, noise: float = 0.0, seed: int = 0) -> Dataset:
    """A rolled sheet: (t cos t, h, t sin t) with t in [3 pi / 2, 9 pi / 2] and h in [0, 21]."""
    rng = _rng(n, noise, 2, seed)
    t, h = rng.uniform(1.5 * np.pi, 4.5 * np.pi, n), rng.uniform(0, 21, n)
    points = np.stack([t * np.cos(t), h, t * np.sin(t)], axis=1)
    return _embed("swiss-roll", points, np.stack([t, h], axis=1), 2, ambient, noise, rng, swiss_roll)


def moebius(*, n: int = 1000, twists: int = 1, ambient: int | None = None, noise: float = 0.0, seed: int = 0) -> Dataset:
    """A strip of half-width 1/2 around the unit circle, turned by ``twists`` half turns on its way; one is Moebius' strip."""
    rng = _rng(n, noise, 2, seed)
    u, v = rng.uniform(0, 2 * np.pi, n), rng.uniform(-0.5, 0.5, n)
    reach = 1 + v * np.cos(twists * u / 2)
    points = np.stack([reach * np.cos(u), reach * np.sin(u), v * np.sin(twists * u / 2)], axis=1)
    return _embed("moebius", points, np.stack([u, v], axis=1), 2, ambient, noise, rng, moebius)


def torus(*, n: int = 1000, dimension: int = 2, ambient: int | None = None, noise: float = 0.0, seed: int = 0) -> Dataset:
    """The flat torus: ``dimension`` angles, each as a point of the unit circle."""
    rng = _rng(n, noise, dimension, seed)
    angles = rng.uniform(0, 2 * np.pi, (n, dimension))
    points = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
    return _embed("torus", points, angles, dimension, ambient, noise, rng, torus)


def helix(*, n: int = 1000, turns: float = 4.0, ambient: int | None = None, noise: float = 0.0, seed: int = 0) -> Dataset:
    """A curve that winds around an axis."""
    rng = _rng(n, noise, 1, seed)
    t = rng.uniform(0, 2 * np.pi * turns, n)
    points = np.stack([np.cos(t), np.sin(t), t / (2 * np.pi)], axis=1)
    return _embed("helix", points, t[:, None], 1, ambient, noise, rng, helix)


def hidden_manifold(
    *, n: int = 1000, dimension: int = 10, ambient: int = 100, activation: str = "tanh", teacher_units: int = 4, seed: int = 0
) -> Dataset:
    """The hidden manifold model: X = f(C F / sqrt(d)), latent C and features F standard normal, f entry by entry.

    Labels are the signs of a random two-layer teacher of the latent coordinates.

    References
    ----------
    S. Goldt, M. Mezard, F. Krzakala, L. Zdeborova, Modeling the Influence of Data Structure on Learning in Neural Networks:
    The Hidden Manifold Model, Physical Review X 10 (2020).
    """
    rng = _rng(n, 0.0, dimension, seed)
    if ambient < 1 or teacher_units < 1:
        raise InvalidInput(f"{ambient} ambient coordinates, {teacher_units} units of the teacher.", hint="at least one of each")
    f = _activation(activation)
    features = rng.standard_normal((dimension, ambient))
    teacher = rng.standard_normal((dimension, teacher_units))
    latent = rng.standard_normal((n, dimension))
    y = (_erf(latent @ teacher / np.sqrt(dimension)).sum(axis=1) > 0).astype(np.int64)
    x = f(latent @ features / np.sqrt(dimension))
    return Dataset("hidden-manifold", x, y, n_classes=2, dimension=dimension, latent=latent, about=_first(hidden_manifold))


def generator(
    *, n: int = 1000, dimension: int = 4, ambient: int = 64, layers: int = 1, activation: str = "relu", seed: int = 0
) -> Dataset:
    """Images of standard normal points under a random network with ``layers`` layers of ``ambient`` units."""
    rng = _rng(n, 0.0, dimension, seed)
    if layers < 1 or ambient < 1:
        raise InvalidInput(f"a generator of {layers} layers with {ambient} outputs.", hint="at least one of each")
    f = _activation(activation)
    latent = rng.standard_normal((n, dimension))
    x = latent
    for _ in range(layers):
        weight = rng.standard_normal((x.shape[1], ambient)) * np.sqrt(2 / x.shape[1])
        x = f(x @ weight + 0.1 * rng.standard_normal(ambient))
    return Dataset("generator", x, dimension=dimension, latent=latent, about=_first(generator))


def _embed(
    name: str,
    points: Array,
    latent: Array | None,
    dimension: int,
    ambient: int | None,
    noise: float,
    rng: np.random.Generator,
    maker: Callable[..., Dataset],
) -> Dataset:
    """Turn the points by a random isometry into ``ambient`` coordinates and add noise there."""
    if ambient is not None:
        if ambient < points.shape[1]:
            raise InvalidInput(f"{name!r} needs {points.shape[1]} coordinates, got ambient = {ambient}.", hint="a larger ambient")
        frame, _ = np.linalg.qr(rng.standard_normal((ambient, points.shape[1])))
        points = points @ frame.T
    if noise:
        points = points + noise * rng.standard_normal(points.shape)
    return Dataset(name, points, dimension=dimension, latent=latent, about=_first(maker))


def _rng(n: int, noise: float, dimension: int, seed: int) -> np.random.Generator:
    if n < 1 or dimension < 1 or not noise >= 0:
        raise InvalidInput(f"n = {n}, dimension = {dimension}, noise = {noise}.", hint="at least 1, at least 1, not negative")
    return np.random.default_rng(seed)


def _activation(name: str) -> Callable[[Array], Array]:
    if name not in _ACTIVATIONS:
        raise InvalidInput(f"unknown activation {name!r}.", hint=f"one of {', '.join(_ACTIVATIONS)}")
    return _ACTIVATIONS[name]


def _erf(z: Array) -> Array:
    from scipy.special import erf

    result: Array = erf(z)
    return result


def _first(maker: Callable[..., Dataset]) -> str:
    return (maker.__doc__ or "").strip().split("\n")[0]
