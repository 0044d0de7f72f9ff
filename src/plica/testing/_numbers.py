"""Families of networks as people store them: few bits, pruned, tied, normalized by almost nothing; and mixtures of all kinds."""

from __future__ import annotations

import itertools

import numpy as np

from plica._types import Array
from plica.network import Add, Builder, Clip, Linear, Max, Network, Rectifier, Scale
from plica.testing._build import Draw, Widths, chain, drawn, gaussian, integers
from plica.testing._families import family


def bfloat16(values: Array) -> Array:
    """Rounded to eight significant bits, to nearest."""
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.round(np.ldexp(mantissa, 8)), exponent - 8)


def ternary(rng: np.random.Generator, spread: int = 2) -> Draw:
    """-1, 0 and 1 times powers of two, one for the array or one for each row."""

    def draw(shape: tuple[int, ...]) -> Array:
        rows = (shape[0], *[1] * (len(shape) - 1)) if rng.integers(2) else ()
        return rng.integers(-1, 2, shape) * 2.0 ** rng.integers(-spread, spread + 1, rows)

    return draw


def int8(rng: np.random.Generator) -> Draw:
    """Bytes times a scale of single precision for each row, as quantizers store weights."""

    def draw(shape: tuple[int, ...]) -> Array:
        scale = rng.uniform(0.001, 0.02, (shape[0], *[1] * (len(shape) - 1))).astype(np.float32)
        return rng.integers(-127, 128, shape) * scale.astype(np.float64)

    return draw


def pruned(rng: np.random.Generator, draw: Draw) -> Draw:
    """Most entries zero."""
    return lambda shape: draw(shape) * (rng.random(shape) < rng.choice([0.1, 0.3, 0.5]))


@family("bfloat16")
def _bfloat16(rng: np.random.Generator, widths: Widths) -> Network:
    return chain(*drawn(widths, lambda shape: bfloat16(rng.normal(size=shape))))


@family("int8")
def _int8(rng: np.random.Generator, widths: Widths) -> Network:
    return chain(*drawn(widths, int8(rng)))


@family("ternary")
def _ternary(rng: np.random.Generator, widths: Widths) -> Network:
    """Deeper than others: the constants of -1, 0, 1 with powers of two outgrow the slopes by any factor."""
    hidden = widths[1:-1] * int(rng.integers(1, 4))
    return chain(*drawn((widths[0], *hidden[:6], widths[-1]), ternary(rng, int(rng.choice([1, 4, 20, 60])))))


@family("pruned")
def _pruned(rng: np.random.Generator, widths: Widths) -> Network:
    return chain(*drawn(widths, pruned(rng, gaussian(rng) if rng.integers(2) else integers(rng, 8, 8))))


@family("tied")
def _tied(rng: np.random.Generator, widths: Widths) -> Network:
    """Few different weights, used again and again: shared rows, shared layers, shared entries."""
    values = rng.normal(size=3) if rng.integers(2) else rng.integers(-3, 4, 3) / 2
    weights, biases = drawn(widths, lambda shape: rng.choice([-1.0, 1.0], shape) * rng.choice(values, shape))
    for i in range(1, len(weights) - 1):
        if weights[i].shape == weights[i - 1].shape:
            weights[i], biases[i] = weights[i - 1], biases[i - 1]
    return chain(weights, biases)


@family("tiny variance")
def _tiny_variance(rng: np.random.Generator, widths: Widths) -> Network:
    """Batch norms of channels that hardly vary: factors up to 300 beside factors of one, means that cancel."""
    builder = Builder(widths[0])
    for a, b in itertools.pairwise(widths[:-1]):
        builder.add(Linear(rng.normal(size=(b, a)), rng.normal(size=b)))
        factor = rng.normal(size=b) / np.sqrt(rng.choice([0.0, 1e-12, 1e-6, 1.0], b) + 1e-5)
        builder.add(Scale(factor, rng.normal(size=b) - rng.normal(size=b) * factor))
        builder.add(Rectifier())
    builder.add(Linear(rng.normal(size=widths[:-3:-1]), rng.normal(size=widths[-1])))
    return builder.build()


@family("cancelling")
def _cancelling(rng: np.random.Generator, widths: Widths) -> Network:
    """Pairs of neurons whose contributions cancel up to the last bits."""
    weights, biases = drawn(widths, gaussian(rng))
    for layer in range(len(weights) - 1):
        for i in range(0, len(biases[layer]) - 1, 2):
            weights[layer][i + 1], biases[layer][i + 1] = weights[layer][i], biases[layer][i]
            column = weights[layer + 1][:, i]
            weights[layer + 1][:, i + 1] = -column if rng.integers(2) else -np.nextafter(column, np.inf)
    return chain(weights, biases)


def _any_draw(rng: np.random.Generator) -> Draw:
    draws: list[Draw] = [
        gaussian(rng),
        integers(rng, 2),
        integers(rng, 8, 8),
        integers(rng, 10, 10),
        lambda shape: rng.normal(size=shape).astype(np.float16).astype(np.float64),
        lambda shape: bfloat16(rng.normal(size=shape)),
        int8(rng),
        ternary(rng),
        pruned(rng, gaussian(rng)),
    ]
    return draws[int(rng.integers(len(draws)))]


def _damage(rng: np.random.Generator, w: Array, b: Array) -> None:
    """What makes neurons of one layer agree, almost agree, die, or differ in magnitude."""
    i, j = (int(k) for k in rng.integers(len(b), size=2))
    kind = int(rng.integers(8))
    if kind == 0:
        w[j], b[j] = w[i], b[i]
    elif kind == 1:
        factor = rng.choice([-1.0, -2.0, 4.0, -3.0, 1 / 3])
        w[j], b[j] = factor * w[i], factor * b[i]
    elif kind == 2:
        w[j], b[j] = w[i], np.nextafter(b[i], np.inf) if b[i] else b[i]
    elif kind == 3:
        w[j] = 0.0
    elif kind == 4:
        b[:] = 0.0
    elif kind == 5:
        scale = 2.0 ** rng.integers(-40, 41)
        w[j], b[j] = scale * w[j], scale * b[j]
    elif kind == 6:
        b[j] = -w[j].sum()  # through a corner of the unit box, or of what the layer before makes


def _any_fold(rng: np.random.Generator, builder: Builder, width: int) -> int:
    """One of the folds; returns how many entries it leaves."""
    kind = int(rng.integers(10))
    if kind == 0:
        builder.add(Clip(-1.0, 1.0))
    elif kind == 1:
        builder.add(Rectifier(np.array(rng.choice([0.01, 0.25, -1.0, 2.0]))))
    elif kind == 2:
        builder.add(Rectifier(rng.choice([-1.0, 0.0, 0.5, 1.0], width)))
    elif kind == 3 and width > 3:
        builder.add(Max(np.arange(width // 2 * 2).reshape(-1, 2)))
        return width // 2
    else:
        builder.add(Rectifier())
    return width


@family("composed")
def _composed(rng: np.random.Generator, widths: Widths) -> Network:
    """Every layer from another family: numbers, damage, norm, fold and skip connection are drawn one by one."""
    builder, size, before = Builder(widths[0]), widths[0], None
    for width in widths[1:-1]:
        draw = _any_draw(rng)
        w, b = np.asarray(draw((width, size)), np.float64), np.asarray(draw((width,)), np.float64)
        for _ in range(int(rng.integers(3))):
            _damage(rng, w, b)
        node = builder.add(Linear(w, b))
        if not rng.integers(5):
            factor = rng.normal(size=width) / np.sqrt(rng.choice([1e-6, 1.0], width) + 1e-5)
            node = builder.add(Scale(factor, rng.normal(size=width)))
        if before is not None and builder.shape(before) == (width,) and rng.integers(2):
            builder.add(Add(), node, before)
        size = _any_fold(rng, builder, width)
        before = len(builder) - 1
    draw = _any_draw(rng)
    builder.add(Linear(np.asarray(draw((widths[-1], size)), np.float64), np.asarray(draw((widths[-1],)), np.float64)))
    return builder.build()
