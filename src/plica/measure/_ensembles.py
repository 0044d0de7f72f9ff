"""Many random networks at once: fully connected, equal in shape, each with its own generator."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.measure._activations import Activation, activation

if TYPE_CHECKING:
    from plica.geometry import Domain, Path
    from plica.measure._ensemble_forward import Forward
    from plica.measure._ensemble_jacobians import Jacobians
    from plica.measure._ensemble_kernels import Kernels
    from plica.measure._ensemble_lengths import EnsembleLengths
    from plica.measure._ensemble_signal import Signal
    from plica.network import Network

WEIGHTS = ("normal", "uniform", "discrete", "orthogonal")
CHUNK_ENTRIES = 200_000  # entries of the arrays that one chunk of networks needs at a time: they stay in the cache
GEMM_ENTRIES = 2**18  # below this product of sizes BLAS uses one thread; waking others for small products costs more


@dataclass(frozen=True)
class Ensemble:
    r"""Random networks :math:`h^{l+1} = s\,h^l + \sigma_w W^{l+1} \varphi(h^l) + b^{l+1}`, evaluated many at a time.

    Network i draws from ``numpy.random.default_rng(seed).spawn(n)[i]``, so it does not depend on how many others there are, and
    is independent of numbers that a caller draws from ``default_rng(seed)``.

    Parameters
    ----------
    widths
        Of the input and of every layer; each layer is followed by the activation.
    n_networks, seed
        How many, and from which seed.
    weights
        ``"normal"`` N(0, 1/n_in), ``"uniform"`` U(-1, 1)/sqrt(n_in), ``"discrete"`` +-1/sqrt(n_in), ``"orthogonal"``; as in
        :func:`plica.random_network`.
    weight_std
        A factor for all weights: sigma_w, if they are normal.
    bias_std
        Standard deviation of Gaussian biases.
    density
        Each weight is kept with this probability and is zero otherwise.
    activation, slope
        ``"relu"``, ``"leaky-relu"`` (with ``slope``), ``"abs"``, ``"hard-tanh"``, ``"tanh"``, ``"erf"``, ``"sigmoid"``,
        ``"sine"``, ``"gelu"``, ``"identity"``.
    keep
        Dropout keeps each unit with this probability and divides by it, independently for each input.
    skip
        Strength of a residual connection around each layer but the first.

    Examples
    --------
    >>> Ensemble([64] * 5, n_networks=100, seed=0, weight_std=2**0.5)
    <Ensemble of 100 relu networks 64-64-64-64-64, normal weights, weight_std=1.41421, bias_std=0, seed 0>
    """

    widths: tuple[int, ...]
    n_networks: int
    seed: int
    weights: str = "normal"
    weight_std: float = 1.0
    bias_std: float = 0.0
    density: float = 1.0
    activation: str = "relu"
    slope: float = 0.01
    keep: float = 1.0
    skip: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "widths", _whole_numbers(self.widths))
        if not _is_whole(self.n_networks) or self.n_networks < 1:
            raise InvalidInput(f"n_networks={self.n_networks!r} is not a positive integer.")
        if not _is_whole(self.seed) or self.seed < 0:
            raise InvalidInput(f"seed={self.seed!r} is not an integer from zero up.")
        if self.weights not in WEIGHTS:
            raise InvalidInput(f"weights={self.weights!r} is not known.", hint=f"choose one of {', '.join(WEIGHTS)}")
        for name in ("weight_std", "bias_std"):
            if not 0 <= getattr(self, name) < inf:
                raise InvalidInput(f"{name}={getattr(self, name)!r} is not a finite number from zero up.")
        for name in ("density", "keep"):
            if not 0 < getattr(self, name) <= 1:
                raise InvalidInput(f"{name}={getattr(self, name)!r} is outside (0, 1].", hint="1.0 keeps everything")
        if not (isfinite(self.skip) and isfinite(self.slope)):
            raise InvalidInput(f"skip={self.skip!r} and slope={self.slope!r} must be finite.")
        if self.skip and len(set(self.widths[1:])) > 1:
            raise InvalidInput(f"skip connections need layers of equal widths, got {self.widths[1:]}.")
        activation(self.activation, self.slope)

    @property
    def depth(self) -> int:
        """Number of layers."""
        return len(self.widths) - 1

    @property
    def phi(self) -> Activation:
        """The activation and its derivative."""
        return activation(self.activation, self.slope)

    def estimate_lengths(self, path: Domain | Path, *, n_points: int = 200, method: str = "tangents") -> EnsembleLengths:
        """Lengths of the images of a path after each layer, for every network.

        ``"tangents"`` integrates the speed of the image at ``n_points`` points of the path; for ReLU layers with Gaussian weights
        its mean over networks has no bias. ``"chords"`` adds up the distances between the images of ``n_points`` + 1 points,
        which is never more than the length.
        """
        from plica.measure._ensemble_lengths import estimate_lengths

        return estimate_lengths(self, path, n_points=n_points, method=method)

    def estimate_signal(self, x: Any, y: Any = None) -> Signal:
        """Mean squares and correlations of the pre-activations at one or two inputs, and of the gradients sent back."""
        from plica.measure._ensemble_signal import estimate_signal

        return estimate_signal(self, x, y)

    def estimate_forward(self, points: Any) -> Forward:
        """Mean products of the pre-activations at m inputs, layer by layer, for networks as wide as one likes.

        With normal weights the units of a layer are independent Gaussians once the layer before is known, with its mean products
        as covariance: this draws them, not the matrices, and has the same law. A layer costs as much as its width.

        Examples
        --------
        >>> found = Ensemble([2, 4000, 4000], n_networks=20, seed=0, weight_std=2**0.5).estimate_forward([[1.0, 1.0]])
        >>> found.mean(found.lengths).round(1)
        array([2., 2.])
        """
        from plica.measure._ensemble_forward import estimate_forward

        return estimate_forward(self, points)

    def estimate_jacobians(self, x: Any) -> Jacobians:
        """Singular values of the Jacobian of every network at an input."""
        from plica.measure._ensemble_jacobians import estimate_jacobians

        return estimate_jacobians(self, x)

    def estimate_kernels(self, points: Any) -> Kernels:
        """Kernels of a further random linear output layer on top of every network: covariance (NNGP) and tangent kernel (NTK)."""
        from plica.measure._ensemble_kernels import estimate_kernels

        return estimate_kernels(self, points)

    def network(self, i: int) -> Network:
        """Network i as a :class:`plica.Network`, for piecewise-linear activations."""
        from plica.measure._ensemble_network import build

        return build(self, i)

    # -- drawing ---------------------------------------------------------------------------------------------------------

    def in_chunks(self, work: Callable[[list[np.random.Generator]], Any], *, entries: int) -> list[Any]:
        """``work(generators)`` for as many networks at a time as fit if each needs ``entries`` numbers; results in order.

        Chunks of small networks run in threads: numpy lets go of the interpreter in its loops. Wide networks leave the threads
        to BLAS.
        """
        largest = max(a * b for a, b in pairwise(self.widths))
        size = max(1, CHUNK_ENTRIES // max(entries, largest))
        starts = range(0, self.n_networks, size)

        def chunk(first: int) -> Any:
            return work([self.generator(i) for i in range(first, min(first + size, self.n_networks))])

        n_threads = min(os.cpu_count() or 1, len(starts)) if largest <= GEMM_ENTRIES // 8 else 1
        if n_threads == 1:
            return [chunk(first) for first in starts]
        with ThreadPoolExecutor(n_threads) as pool:
            return list(pool.map(chunk, starts))

    def generator(self, i: int) -> np.random.Generator:
        """The source of network i."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(i,)))

    def draw(self, rngs: list[np.random.Generator], layer: int) -> tuple[Array, Array | None]:
        """Weights (networks, n_out, n_in) and biases (networks, n_out) of a layer; layers must be drawn in order."""
        n_in, n_out = self.widths[layer], self.widths[layer + 1]
        W = np.empty((len(rngs), n_out, n_in))
        b = np.empty((len(rngs), n_out)) if self.bias_std else None
        for i, rng in enumerate(rngs):
            self._fill(rng, W[i])
            if b is not None:
                rng.standard_normal(out=b[i])
        W *= self.weight_std
        if b is not None:
            b *= self.bias_std
        return W, b

    def _fill(self, rng: np.random.Generator, out: Array) -> None:
        n_out, n_in = out.shape
        if self.weights == "normal":
            rng.standard_normal(out=out)
            out *= 1 / sqrt(n_in)
        elif self.weights == "orthogonal":
            rng.standard_normal(out=out)
            q, r = np.linalg.qr(out if n_out >= n_in else out.T)
            q = q * np.where(np.diag(r) < 0, -1.0, 1.0)  # makes the distribution Haar's
            out[...] = q if n_out >= n_in else q.T
        else:
            rng.random(out=out)
            if self.weights == "uniform":
                out *= 2
                out -= 1
                out *= 1 / sqrt(n_in)
            else:
                out[...] = np.where(out < 0.5, -1.0, 1.0) / sqrt(n_in)
        if self.density < 1:
            out[rng.random((n_out, n_in)) >= self.density] = 0.0

    def __repr__(self) -> str:
        usual = {"density": 1.0, "keep": 1.0, "skip": 0.0}
        more = "".join(f", {name}={getattr(self, name):g}" for name, value in usual.items() if getattr(self, name) != value)
        widths = (
            "-".join(map(str, self.widths)) if self.depth <= 8 else f"{self.widths[0]}-...-{self.widths[-1]} (depth {self.depth})"
        )
        return (
            f"<Ensemble of {self.n_networks} {self.activation} networks {widths}, {self.weights} weights, "
            f"weight_std={self.weight_std:g}, bias_std={self.bias_std:g}{more}, seed {self.seed}>"
        )


def apply(W: Array, z: Array) -> Array:
    """W z for every network and row: (networks, rows, n_in) -> (networks, rows, n_out)."""
    k, rows, n_in = z.shape
    n_out = W.shape[1]
    step = GEMM_ENTRIES // (n_in * n_out)
    if rows <= step or step < 8:
        return np.asarray(z @ W.transpose(0, 2, 1))
    out = np.empty((k, rows, n_out))
    for first in range(0, rows, step):
        part = slice(first, first + step)
        np.matmul(z[:, part], W.transpose(0, 2, 1), out=out[:, part])
    return out


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _whole_numbers(widths: Any) -> tuple[int, ...]:
    try:
        numbers = tuple(widths)
    except TypeError:
        numbers = ()
    if len(numbers) < 2 or not all(_is_whole(w) and w >= 1 for w in numbers):
        raise InvalidInput(f"widths={widths!r} is not a list of at least two positive integers.", hint="for example [2, 64, 64]")
    return tuple(int(w) for w in numbers)
