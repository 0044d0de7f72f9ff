"""Lengths of the images of a path in many random networks at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Domain, Path
from plica.measure._ensembles import Ensemble, apply


@dataclass(frozen=True, eq=False)
class EnsembleLengths:
    """Lengths (networks, layers) before and after the activation of each layer, and the length of the path itself."""

    ensemble: Ensemble
    input: float
    pre: Array
    post: Array
    method: str
    n_points: int
    seconds: float

    @property
    def mean(self) -> Array:
        """The mean length after each layer over the networks."""
        return np.asarray(self.post.mean(0))

    @property
    def standard_error(self) -> Array:
        """Of the mean."""
        return _standard_error(self.post)

    @property
    def ratios(self) -> Array:
        """The factor of each layer: the mean length after it over the mean length after the layer before."""
        means = np.concatenate([[self.input], self.mean])
        return means[1:] / means[:-1]

    @property
    def ratio_errors(self) -> Array:
        """Standard errors of the ratios (first order)."""
        before = np.concatenate([np.full((len(self.post), 1), self.input), self.post[:, :-1]], axis=1)
        residuals = self.post - self.ratios * before
        return _standard_error(residuals) / before.mean(0)

    @property
    def growth(self) -> tuple[float, float]:
        """(mean length after the last layer / length of the path)^(1 / depth), and its standard error."""
        depth = self.ensemble.depth
        rate = float((self.mean[-1] / self.input) ** (1 / depth))
        return rate, rate * float(self.standard_error[-1] / self.mean[-1]) / depth

    def __repr__(self) -> str:
        rate, error = self.growth
        return f"<EnsembleLengths of {self.ensemble!r}: factor {rate:.4f} +- {error:.1g} a layer, {self.seconds:.2f} s>"

    def _repr_html_(self) -> str:
        from plica._show import rows_html

        columns = zip(self.mean.tolist(), self.standard_error.tolist(), self.ratios.tolist(), strict=True)
        rows = [{"layer": i, "mean": m, "standard_error": e, "factor": f} for i, (m, e, f) in enumerate(columns)]
        return rows_html(self, rows)


def _standard_error(values: Array) -> Array:
    n = len(values)
    return np.asarray(values.std(0, ddof=1) / np.sqrt(n)) if n > 1 else np.full(values.shape[1:], np.inf)


def estimate_lengths(ensemble: Ensemble, path: Domain | Path, *, n_points: int, method: str) -> EnsembleLengths:
    """See :meth:`Ensemble.estimate_lengths`."""
    start = perf_counter()
    if method not in ("tangents", "chords"):
        raise InvalidInput(f"method={method!r} is not known.", hint="'tangents' or 'chords'")
    if ensemble.keep < 1:
        raise InvalidInput("the image of a path under dropout is not a curve.", hint="leave keep at 1")
    knots = _sample(path, n_points)
    if knots.shape[1] != ensemble.widths[0]:
        raise InvalidInput(f"the networks take {ensemble.widths[0]} inputs, the path lies in R^{knots.shape[1]}.")
    measure = _by_tangents if method == "tangents" else _by_chords
    parts = ensemble.in_chunks(partial(measure, ensemble, knots), entries=2 * len(knots) * max(ensemble.widths))
    pre, post = (np.concatenate(part) for part in zip(*parts, strict=True))
    length = float(np.linalg.norm(np.diff(knots, axis=0), axis=1).sum())
    return EnsembleLengths(ensemble, length, pre, post, method, len(knots) - 1, perf_counter() - start)


def _by_chords(ensemble: Ensemble, knots: Array, rngs: list[np.random.Generator]) -> tuple[Array, Array]:
    phi = ensemble.phi
    z = np.broadcast_to(knots, (len(rngs), *knots.shape))
    h = None
    pre, post = [], []
    for layer in range(ensemble.depth):
        W, b = ensemble.draw(rngs, layer)
        new = apply(W, z)
        if b is not None:
            new += b[:, None, :]
        if ensemble.skip and h is not None:
            new += ensemble.skip * h
        h = new
        z = phi.function(h)
        pre.append(_norms(np.diff(h, axis=1)))
        post.append(_norms(np.diff(z, axis=1)))
    return np.stack(pre, axis=1), np.stack(post, axis=1)


def _by_tangents(ensemble: Ensemble, knots: Array, rngs: list[np.random.Generator]) -> tuple[Array, Array]:
    phi = ensemble.phi
    points, steps = (knots[1:] + knots[:-1]) / 2, np.diff(knots, axis=0)
    k = len(points)
    both = np.concatenate([points, steps])
    z = np.broadcast_to(both, (len(rngs), *both.shape))
    h = None
    pre, post = [], []
    for layer in range(ensemble.depth):
        W, b = ensemble.draw(rngs, layer)
        new = apply(W, z)
        if b is not None:
            new[:, :k] += b[:, None, :]
        if ensemble.skip and h is not None:
            new += ensemble.skip * h
        h = new
        z = np.empty_like(h)
        z[:, :k], slopes = phi.with_slope(h[:, :k])
        np.multiply(slopes, h[:, k:], out=z[:, k:])
        pre.append(_norms(h[:, k:]))
        post.append(_norms(z[:, k:]))
    return np.stack(pre, axis=1), np.stack(post, axis=1)


def _norms(steps: Array) -> Array:
    """The sum of the lengths of the steps of each network."""
    return np.asarray(np.sqrt(np.einsum("kpi,kpi->kp", steps, steps)).sum(1))


def _sample(path: Domain | Path, n_points: int) -> Array:
    """Points along the path, every knot among them: at least n_points chords, equally many on each segment."""
    if not isinstance(path, Domain | Path) or path.dimension != 1:
        raise InvalidInput(
            f"expected a path, got {type(path).__name__}.", hint="plica.Segment(a, b) or plica.measure.circle(u, v)"
        )
    if isinstance(n_points, bool) or not isinstance(n_points, int | np.integer) or n_points < 1:
        raise InvalidInput(f"n_points={n_points!r} is not a positive integer.")
    if isinstance(path, Path):
        n = len(path.segments)
        t = np.linspace(0.0, n, n * max(1, -(-int(n_points) // n)) + 1)
        return path.to_input(t)
    return path.to_input(np.linspace(path.window[0, 0], path.window[1, 0], int(n_points) + 1)[:, None])
