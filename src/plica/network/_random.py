"""Random networks: fully connected layers with independent random weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.network._network import Builder, Network
from plica.network.operations import Clip, Fold, Linear, Rectifier


class Stream(Protocol):
    """A source of random numbers."""

    def random(self, size: tuple[int, ...]) -> Array: ...

    def standard_normal(self, size: tuple[int, ...]) -> Array: ...


class TorchStream:
    """The float64 numbers of torch's CPU generator after ``torch.manual_seed(seed)``, without importing torch.

    Both start from the same Mersenne Twister. A uniform number takes the low 53 bits of two words; normal numbers come
    from Box and Muller, in blocks of sixteen (the last block overlaps the one before) or, below sixteen, in pairs.
    """

    def __init__(self, seed: int) -> None:
        self._words = np.random.RandomState(seed)
        self._spare: float | None = None

    def random(self, size: tuple[int, ...]) -> Array:
        words = self._words.randint(0, 2**32, size=(math.prod(size), 2), dtype=np.uint32).astype(np.uint64)
        bits = (words[:, 0] << np.uint64(32) | words[:, 1]) & np.uint64(2**53 - 1)
        return (bits.astype(np.float64) * 2.0**-53).reshape(size)

    def standard_normal(self, size: tuple[int, ...]) -> Array:
        n = math.prod(size)
        if n < 16:
            return np.array(self._few(n)).reshape(size)
        u = self.random((n,))
        values = np.empty(n)
        values[: n - n % 16] = _blocks(u[: n - n % 16])
        if n % 16:
            values[n - n % 16 :] = u[n - n % 16 :]
            values[-16:] = _blocks(self.random((16,)))
        return values.reshape(size)

    def _few(self, n: int) -> list[float]:
        """In pairs, the second of the last one kept for the next time."""
        values = [] if self._spare is None or n == 0 else [self._spare]
        if values:
            self._spare = None
        for a, b in self.random(((n - len(values) + 1) // 2, 2)).tolist():
            radius, angle = math.sqrt(-2.0 * math.log1p(-b)), 2.0 * math.pi * a
            values += (radius * math.cos(angle), radius * math.sin(angle))
        if len(values) > n:
            self._spare = values.pop()
        return values


def _blocks(u: Array) -> Array:
    """Box and Muller in blocks of sixteen: eight radii, eight angles; eight cosines, eight sines."""
    # math, not numpy: its log, cos and sin are those of the C library, as in torch; products and roots are the same everywhere
    first, second = u.reshape(-1, 2, 8).transpose(1, 0, 2)
    radii = np.sqrt(-2.0 * np.array(list(map(math.log, (1.0 - first).ravel().tolist()))))
    angles = (2.0 * math.pi * second).ravel().tolist()
    found = np.array([list(map(math.cos, angles)), list(map(math.sin, angles))]) * radii
    return found.reshape(2, -1, 8).transpose(1, 0, 2).reshape(-1)


def _uniform(stream: Stream, n_out: int, n_in: int, bound: float) -> Array:
    # one rounding, as torch's fused u * 2 bound - bound: 2 u - 1 is exact
    return (2 * stream.random((n_out, n_in)) - 1) * bound


def _normal(stream: Stream, n_out: int, n_in: int, std: float) -> Array:
    return stream.standard_normal((n_out, n_in)) * std


def _torch_default(stream: Stream, n_out: int, n_in: int) -> Array:
    # U(-1/sqrt(n_in), 1/sqrt(n_in)), with the rounding of torch.nn.init.kaiming_uniform_(a=sqrt(5))
    return _uniform(stream, n_out, n_in, math.sqrt(3.0) * (math.sqrt(2.0 / (1 + math.sqrt(5) ** 2)) / math.sqrt(n_in)))


def _orthogonal(stream: Stream, n_out: int, n_in: int) -> Array:
    a = stream.standard_normal((n_out, n_in))
    q, r = np.linalg.qr(a if n_out >= n_in else a.T)
    q = q * np.where(np.diag(r) < 0, -1.0, 1.0)  # makes the distribution Haar's
    return q if n_out >= n_in else q.T


def _discrete(stream: Stream, n_out: int, n_in: int) -> Array:
    return np.where(stream.random((n_out, n_in)) < 0.5, -1.0, 1.0) / math.sqrt(n_in)


SCHEMES: dict[str, Callable[[Stream, int, int], Array]] = {
    "torch-default": _torch_default,
    "he-normal": lambda s, n_out, n_in: _normal(s, n_out, n_in, math.sqrt(2 / n_in)),
    "he-uniform": lambda s, n_out, n_in: _uniform(s, n_out, n_in, math.sqrt(6 / n_in)),
    "glorot-normal": lambda s, n_out, n_in: _normal(s, n_out, n_in, math.sqrt(2 / (n_in + n_out))),
    "glorot-uniform": lambda s, n_out, n_in: _uniform(s, n_out, n_in, math.sqrt(6 / (n_in + n_out))),
    "orthogonal": _orthogonal,
    "normal": lambda s, n_out, n_in: _normal(s, n_out, n_in, 1 / math.sqrt(n_in)),
    "uniform": lambda s, n_out, n_in: _uniform(s, n_out, n_in, 1 / math.sqrt(n_in)),
    "discrete": _discrete,
}

ACTIVATIONS: dict[str, Callable[[float], Fold]] = {
    "relu": lambda slope: Rectifier(),
    "leaky-relu": lambda slope: Rectifier(np.array(slope)),
    "abs": lambda slope: Rectifier(np.array(-1.0)),
    "hard-tanh": lambda slope: Clip(-1.0, 1.0),
}


def random_network(
    widths: Sequence[int],
    *,
    seed: int | np.random.Generator,
    weights: str = "torch-default",
    bias_std: float | None = None,
    gain: float = 1.0,
    density: float = 1.0,
    activation: str = "relu",
    slope: float = 0.01,
) -> Network:
    r"""A fully connected network with random weights; the last layer is linear.

    Parameters
    ----------
    widths
        Input width, hidden widths, output width.
    seed
        An integer draws the float64 numbers that torch's CPU generator draws after ``torch.manual_seed(seed)`` (torch is not
        needed), for each layer the weights and then the biases. Or a numpy Generator.
    weights
        ======================= ===========================================================================
        ``"torch-default"``     as ``torch.nn.Linear(..., dtype=torch.float64)``, weights and biases alike
        ``"he-normal"``         :math:`N(0, 2 / n_{in})`; ``"he-uniform"`` has the same variance
        ``"glorot-normal"``     :math:`N(0, 2 / (n_{in} + n_{out}))`; ``"glorot-uniform"`` has the same variance
        ``"orthogonal"``        orthonormal rows or columns, Haar distributed
        ``"normal"``            :math:`N(0, 1 / n_{in})`
        ``"uniform"``           :math:`U(-1, 1) / \sqrt{n_{in}}`
        ``"discrete"``          :math:`\pm 1 / \sqrt{n_{in}}`
        ======================= ===========================================================================
    bias_std
        Standard deviation of Gaussian biases. None means no biases, or torch's own for ``"torch-default"``.
    gain
        A factor for all weights: ``weights="normal", gain=sigma_w`` is the ensemble of mean-field theory.
    density
        Each weight is kept with this probability and is zero otherwise; kept weights are not rescaled.
    activation
        ``"relu"``, ``"leaky-relu"`` (with ``slope``), ``"abs"`` or ``"hard-tanh"``.

    Examples
    --------
    >>> random_network([2, 16, 16, 1], seed=0)
    <Network 2 -> 16 -> 16 -> 1, 32 neurons, ... parameters>
    >>> net = random_network([2, 16, 16, 1], seed=0, weights="he-normal", bias_std=0.5)
    """
    widths = _checked_widths(widths)
    stream = _stream(seed)
    if weights not in SCHEMES:
        raise InvalidInput(f"weights={weights!r} is not a known scheme.", hint=f"choose one of {', '.join(SCHEMES)}")
    if activation not in ACTIVATIONS:
        raise InvalidInput(f"activation={activation!r} is not known.", hint=f"choose one of {', '.join(ACTIVATIONS)}")
    if not 0 < density <= 1:
        raise InvalidInput(f"density={density!r} is not a probability above zero.", hint="1.0 keeps every weight")
    if bias_std is not None and not 0 <= bias_std < math.inf:
        raise InvalidInput(f"bias_std={bias_std!r} is not a finite number from zero up.")
    if not (math.isfinite(gain) and math.isfinite(slope)):
        raise InvalidInput(f"gain={gain!r} and slope={slope!r} must be finite.")
    builder = Builder(widths[0])
    for i, (n_in, n_out) in enumerate(pairwise(widths)):
        if i:
            builder.add(ACTIVATIONS[activation](slope))
        matrix = SCHEMES[weights](stream, n_out, n_in)
        if density < 1:
            matrix = np.where(stream.random((n_out, n_in)) < density, matrix, 0.0)
        builder.add(Linear(matrix * gain, _bias(stream, n_out, n_in, weights, bias_std)))
    return builder.build()


def _bias(stream: Stream, n_out: int, n_in: int, weights: str, bias_std: float | None) -> Array | None:
    if bias_std is not None:
        return stream.standard_normal((n_out,)) * bias_std
    if weights == "torch-default":
        return _uniform(stream, n_out, 1, 1 / math.sqrt(n_in))[:, 0]
    return None


def _checked_widths(widths: Sequence[int]) -> list[int]:
    try:
        numbers = list(widths)
    except TypeError:
        numbers = []
    whole = all(isinstance(w, int | np.integer) and not isinstance(w, bool) and w >= 1 for w in numbers)
    if len(numbers) < 2 or not whole:
        raise InvalidInput(
            f"widths={widths!r} is not a list of at least two positive integers.", hint="for example widths=[2, 16, 16, 1]"
        )
    return [int(w) for w in numbers]


def _stream(seed: int | np.random.Generator) -> Stream:
    if isinstance(seed, np.random.Generator):
        return seed
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**32:
        raise InvalidInput(
            f"seed={seed!r} is neither an integer from 0 to 2**32 - 1 nor a numpy Generator.",
            hint="for example seed=0 or seed=numpy.random.default_rng(0)",
        )
    return TorchStream(int(seed))
