"""Families of random networks, most of them the kind that breaks floating-point geometry.

A family is a function of a random generator and widths; :func:`draw_network` calls it with a seed. The networks of one
family and seed are the same everywhere and always.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from types import MappingProxyType

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.network import Network
from plica.testing._build import Widths, chain, drawn, gaussian, integers

Family = Callable[[np.random.Generator, Widths], Network]
_KNOWN: dict[str, Family] = {}
FAMILIES = MappingProxyType(_KNOWN)

_HIDDEN = {
    "tiny": ((3,), (2, 2), (3, 2)),
    "small": ((5,), (4, 4), (5, 3), (3, 3, 2)),
    "medium": ((10,), (7, 6), (6, 7), (5, 5, 4), (4, 3, 3, 3)),
}


def family(name: str) -> Callable[[Family], Family]:
    """Register a family under a name."""

    def register(make: Family) -> Family:
        _KNOWN[name] = make
        return make

    return register


def generator(*key: str | int) -> np.random.Generator:
    """A random generator that depends on names and numbers only."""
    return np.random.default_rng([zlib.crc32(k.encode()) if isinstance(k, str) else k for k in key])


def draw_network(name: str, *, seed: int, size: str = "small") -> Network:
    """A network of the named family.

    Parameters
    ----------
    name
        One of ``plica.testing.FAMILIES``.
    seed
        Which one.
    size
        ``"tiny"``, ``"small"`` or ``"medium"``: how wide and deep. The widths are drawn too.

    Examples
    --------
    >>> draw_network("dyadic", seed=0, size="tiny").n_inputs
    2
    """
    if name not in FAMILIES:
        raise InvalidInput(f"there is no family {name!r}.", hint="families: " + ", ".join(sorted(FAMILIES)))
    if size not in _HIDDEN:
        raise InvalidInput(f"there is no size {size!r}.", hint="sizes: " + ", ".join(_HIDDEN))
    rng = generator(name, seed, size)
    hidden = _HIDDEN[size][int(rng.integers(len(_HIDDEN[size])))]
    widths = (2, *hidden, int(rng.choice([1, 1, 2, 3])))
    return FAMILIES[name](rng, widths)


def _pick(rng: np.random.Generator, n: int, k: int) -> list[int]:
    """k of the numbers below n (fewer if there are fewer), in random order."""
    return [int(i) for i in rng.permutation(n)[:k]]


@family("gaussian")
def _gaussian(rng: np.random.Generator, widths: Widths) -> Network:
    return chain(*drawn(widths, gaussian(rng)))


@family("integer")
def _integer(rng: np.random.Generator, widths: Widths) -> Network:
    return chain(*drawn(widths, integers(rng, 2)))


@family("dyadic")
def _dyadic(rng: np.random.Generator, widths: Widths) -> Network:
    return chain(*drawn(widths, integers(rng, 8, 8)))


@family("decimal")
def _decimal(rng: np.random.Generator, widths: Widths) -> Network:
    return chain(*drawn(widths, integers(rng, 10, 10)))


@family("float16")
def _float16(rng: np.random.Generator, widths: Widths) -> Network:
    return chain(*drawn(widths, lambda shape: rng.normal(size=shape).astype(np.float16).astype(np.float64)))


@family("duplicated")
def _duplicated(rng: np.random.Generator, widths: Widths) -> Network:
    weights, biases = drawn(widths, gaussian(rng) if rng.integers(2) else integers(rng, 3, 2))
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        i, *copies = _pick(rng, len(b), 3)
        w[copies], b[copies] = w[i], b[i]
    return chain(weights, biases)


@family("minus two")
def _minus_two(rng: np.random.Generator, widths: Widths) -> Network:
    """A neuron and its multiples by -2 and 4: one fold, several rectifiers on both sides of it."""
    weights, biases = drawn(widths, gaussian(rng))
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        i, *copies = _pick(rng, len(b), 3)
        for j, factor in zip(copies, (-2.0, 4.0), strict=False):
            w[j], b[j] = factor * w[i], factor * b[i]
    return chain(weights, biases)


@family("minus three")
def _minus_three(rng: np.random.Generator, widths: Widths) -> Network:
    """As minus two, but the multiple is rounded: two folds that differ in the last bit."""
    weights, biases = drawn(widths, gaussian(rng))
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        i, *copies = _pick(rng, len(b), 2)
        w[copies], b[copies] = -3.0 * w[i], -3.0 * b[i]
    return chain(weights, biases)


@family("zero neurons")
def _zero_neurons(rng: np.random.Generator, widths: Widths) -> Network:
    """Neurons that are zero everywhere, constant, or have no way to the output."""
    weights, biases = drawn(widths, gaussian(rng) if rng.integers(2) else integers(rng, 2))
    for layer, (w, b) in enumerate(zip(weights[:-1], biases[:-1], strict=True)):
        zero, constant, unread = (*_pick(rng, len(b), 3), 0)[:3]
        w[zero], b[zero] = 0.0, 0.0
        w[constant], b[constant] = 0.0, rng.choice([-1.0, 0.5])
        weights[layer + 1][:, unread] = 0.0
    return chain(weights, biases)


@family("dead neurons")
def _dead(rng: np.random.Generator, widths: Widths) -> Network:
    weights, biases = drawn(widths, gaussian(rng))
    for b in biases[:-1]:
        b[_pick(rng, len(b), int(rng.integers(1, len(b) + 1)))] = -100.0
    return chain(weights, biases)


@family("zero weights")
def _zero_weights(rng: np.random.Generator, widths: Widths) -> Network:
    weights, biases = drawn(widths, gaussian(rng))
    weights[int(rng.integers(len(weights)))][:] = 0.0
    return chain(weights, biases)


@family("zero biases")
def _zero_biases(rng: np.random.Generator, widths: Widths) -> Network:
    weights, biases = drawn(widths, gaussian(rng) if rng.integers(2) else integers(rng, 3))
    return chain(weights, [0 * b for b in biases])


@family("corners and edges")
def _corners(rng: np.random.Generator, widths: Widths) -> Network:
    """First-layer folds through corners of [-1, 1]^2 and along its edges."""
    weights, biases = drawn(widths, integers(rng, 2))
    for i in range(widths[1]):
        if rng.integers(3):
            weights[0][i] = rng.integers(1, 4, 2) * rng.choice([-1.0, 1.0], 2)
            biases[0][i] = -(weights[0][i] @ rng.choice([-1.0, 1.0], 2))
        else:
            weights[0][i] = np.eye(2)[int(rng.integers(2))] * rng.choice([-2.0, 1.0])
            biases[0][i] = abs(weights[0][i]).max() * rng.choice([-1.0, 1.0])
    return chain(weights, biases)


@family("pencil")
def _pencil(rng: np.random.Generator, widths: Widths) -> Network:
    """All folds of the first layer, and some of the second, through one point."""
    weights, biases = drawn(widths, gaussian(rng))
    center = rng.integers(-4, 5, 2) / 8
    weights[0] = np.asarray(rng.integers(-16, 17, weights[0].shape) / 16)
    biases[0] = -(weights[0] @ center)
    if len(widths) > 3:  # at the center the first layer is zero
        biases[1][: widths[2] // 2] = 0.0
    return chain(weights, biases)


@family("collinear layers")
def _collinear(rng: np.random.Generator, widths: Widths) -> Network:
    """Folds of later layers that lie along folds of earlier ones, or are zero on whole cells."""
    weights, biases = drawn(widths, integers(rng, 2))
    for w, b in zip(weights[1:-1], biases[1:-1], strict=True):
        for i in range(len(b)):
            if rng.integers(2):
                w[i], b[i] = 0.0, 0.0
                w[i, _pick(rng, w.shape[1], 2)] = rng.choice([-2.0, -1.0, 1.0, 2.0])
    return chain(weights, biases)


@family("parallel")
def _parallel(rng: np.random.Generator, widths: Widths) -> Network:
    weights, biases = drawn(widths, gaussian(rng))
    for i in range(1, widths[1], 2):
        weights[0][i], biases[0][i] = weights[0][i - 1], biases[0][i - 1] + rng.choice([1e-9, -1e-9, 1e-13])
    return chain(weights, biases)


@family("one ulp")
def _one_ulp(rng: np.random.Generator, widths: Widths) -> Network:
    """Copies of neurons that differ in the last bit of some numbers."""

    def nudged(x: Array) -> Array:
        return np.where(x == 0, x, np.nextafter(x, x + rng.integers(-1, 2, x.shape)))  # beside zero lie the subnormals

    weights, biases = drawn(widths, gaussian(rng) if rng.integers(2) else integers(rng, 3, 2))
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        i, *copies = _pick(rng, len(b), 3)
        for j in copies:
            w[j], b[j] = nudged(w[i]), nudged(b[i : i + 1])[0]
    return chain(weights, biases)


def _scaled(rng: np.random.Generator, widths: Widths, scales: list[float]) -> Network:
    draw = gaussian(rng) if rng.integers(2) else integers(rng, 4, 4)
    weights, biases = drawn(widths, draw)
    return chain([w * s for w, s in zip(weights, scales, strict=True)], [b * s for b, s in zip(biases, scales, strict=True)])


@family("first layer x 1e-6")
def _small_first(rng: np.random.Generator, widths: Widths) -> Network:
    return _scaled(rng, widths, [1e-6, *[1.0] * (len(widths) - 2)])


@family("all layers x 1e6")
def _large(rng: np.random.Generator, widths: Widths) -> Network:
    return _scaled(rng, widths, [1e6] * (len(widths) - 1))


@family("all layers x 1e150")
def _huge(rng: np.random.Generator, widths: Widths) -> Network:
    return _scaled(rng, widths, [1e150] * (len(widths) - 1))


@family("all layers x 1e-150")
def _minute(rng: np.random.Generator, widths: Widths) -> Network:
    return _scaled(rng, widths, [1e-150] * (len(widths) - 1))


@family("uneven rows")
def _uneven(rng: np.random.Generator, widths: Widths) -> Network:
    """Neurons of very different magnitude side by side, each with a copy in its own magnitude."""
    weights, biases = drawn(widths, gaussian(rng))
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        scale = 10.0 ** rng.choice([-250, -170, -158, -30, 0, 0, 40, 120], len(b))
        w *= scale[:, None]
        b *= scale
        if rng.integers(2):
            i, j = (*_pick(rng, len(b), 2), 0)[:2]
            w[j], b[j] = w[i], np.nextafter(b[i], np.inf)
    return chain(weights, biases)


@family("subnormal")
def _subnormal(rng: np.random.Generator, widths: Widths) -> Network:
    """Weights of a few units of 5e-324, in one layer or among ordinary ones."""
    weights, biases = drawn(widths, integers(rng, 3))
    layer = int(rng.integers(len(weights)))
    tiny = rng.random(weights[layer].shape[0]) < rng.choice([0.3, 1.0])
    weights[layer][tiny] *= 5e-324
    biases[layer][tiny] *= 5e-324
    return chain(weights, biases)


@family("sawtooth")
def _sawtooth(rng: np.random.Generator, widths: Widths) -> Network:
    """Hat functions composed in both coordinates: 2^depth teeth, folds exactly on dyadic lines."""
    depth = min(len(widths) - 2, 3)
    hat = np.array([[2.0, 0.0], [4.0, 0.0], [0.0, 2.0], [0.0, 4.0]])  # 2 relu(2 x) - ... of x and of y
    start = np.array([0.0, -2.0, 0.0, -2.0])
    read = np.kron(np.eye(2), np.array([[1.0, -1.0]]))
    weights = [hat] + [hat @ read] * (depth - 1) + [rng.integers(-2, 3, (widths[-1], 2)) @ read]
    return chain(weights, [start] * depth + [np.zeros(widths[-1])])


@family("lattice")
def _lattice(rng: np.random.Generator, widths: Widths) -> Network:
    """A maximum of minima of few affine functions, by four ReLUs for each pair: functions tie on whole cells, everywhere."""
    n, depth = int(rng.integers(3, 5)), min(len(widths) - 1, 3)
    single = rng.normal(size=(n, widths[0] + 1)).astype(np.float32)
    functions = single.astype(np.float64) if rng.integers(2) else rng.integers(-2, 3, (n, widths[0] + 1)) / 2
    chosen = np.eye(n)[rng.integers(0, n, 2**depth * widths[-1])]
    pairs = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    minimum, maximum = np.array([[0.5, -0.5, -0.5, -0.5]]), np.array([[0.5, -0.5, 0.5, 0.5]])
    weights, biases = [functions[:, :-1]], [functions[:, -1]]
    read = chosen
    for level in range(depth):
        blocks = np.eye(2 ** (depth - 1 - level) * widths[-1])
        weights.append(np.kron(blocks, pairs) @ read)
        biases.append(np.zeros(len(weights[-1])))
        read = np.kron(blocks, maximum if level == depth - 1 else minimum)
    weights[1], biases[1] = weights[1] @ weights[0], weights[1] @ biases[0]
    return chain([*weights[1:], read], [*biases[1:], np.zeros(widths[-1])])


@family("width one")
def _width_one(rng: np.random.Generator, widths: Widths) -> Network:
    return chain(*drawn((2, *[1] * (len(widths) - 2), widths[-1]), gaussian(rng) if rng.integers(2) else integers(rng, 2, 2)))


@family("one layer")
def _one_layer(rng: np.random.Generator, widths: Widths) -> Network:
    return chain(*drawn((2, sum(widths[1:-1]), widths[-1]), gaussian(rng) if rng.integers(2) else integers(rng, 3, 2)))


@family("no hidden layer")
def _no_hidden(rng: np.random.Generator, widths: Widths) -> Network:
    return chain(*drawn((2, widths[-1]), gaussian(rng)))
