"""Families with other folds than ReLU and with graphs that are not chains."""

from __future__ import annotations

import numpy as np

from plica.network import (
    Add,
    Builder,
    Clip,
    Concat,
    Conv,
    Gather,
    Linear,
    Max,
    Network,
    Pad,
    Permute,
    Rectifier,
    Reshape,
    Scale,
    WindowSum,
)
from plica.testing._build import Draw, Widths, chain, drawn, gaussian, integers, leaky
from plica.testing._families import family


def _draw(rng: np.random.Generator) -> Draw:
    return gaussian(rng) if rng.integers(2) else integers(rng, 3, 2)


def _linear(draw: Draw, inputs: int, outputs: int) -> Linear:
    return Linear(np.asarray(draw((outputs, inputs)), np.float64), np.asarray(draw((outputs,)), np.float64))


@family("leaky")
def _leaky(rng: np.random.Generator, widths: Widths) -> Network:
    return chain(*drawn(widths, _draw(rng)), fold=leaky(rng.choice([0.01, 0.25, 2.0])))


@family("leaky with slope one")
def _identity(rng: np.random.Generator, widths: Widths) -> Network:
    """Folds that cut cells and change no map: one region."""
    return chain(*drawn(widths, _draw(rng)), fold=leaky(1.0))


@family("prelu")
def _prelu(rng: np.random.Generator, widths: Widths) -> Network:
    return chain(*drawn(widths, _draw(rng)), fold=leaky(rng.choice([-1.0, 0.0, 0.5, 1.0, 0.1], max(widths))))


@family("abs")
def _abs(rng: np.random.Generator, widths: Widths) -> Network:
    return chain(*drawn(widths, _draw(rng)), fold=leaky(-1.0))


@family("hard-tanh")
def _hard_tanh(rng: np.random.Generator, widths: Widths) -> Network:
    return chain(*drawn(widths, _draw(rng)), fold=lambda _: Clip(-1.0, 1.0))


@family("relu6")
def _relu6(rng: np.random.Generator, widths: Widths) -> Network:
    weights, biases = drawn(widths, integers(rng, 3))
    return chain([3 * weights[0], *weights[1:]], [3 * biases[0], *biases[1:]], fold=lambda _: Clip(0.0, 6.0))


@family("maxout")
def _maxout(rng: np.random.Generator, widths: Widths) -> Network:
    """Maxima over two or three linear forms, some of them equal."""
    builder, size = Builder(2), 2
    for width in widths[1:-1]:
        n = max(1, width // 2)
        k = int(rng.integers(2, 4))
        linear = _linear(_draw(rng), size, n * k)
        if rng.integers(2):
            linear.weight[-1], linear.bias[-1] = linear.weight[0], linear.bias[0]  # type: ignore[index]
        builder.add(linear)
        builder.add(Max(np.arange(n * k).reshape(n, k)))
        size = n
    builder.add(_linear(_draw(rng), size, widths[-1]))
    return builder.build()


@family("overlapping maxima")
def _overlapping(rng: np.random.Generator, widths: Widths) -> Network:
    """Groups of different sizes that share members, after a rectifier whose zeros tie."""
    draw = _draw(rng)
    builder = Builder(2)
    builder.add(_linear(draw, 2, 4))
    if rng.integers(2):
        builder.add(Rectifier())
    builder.add(Max(np.array([[0, 1, 2], [3, 1, -1], [2, -1, -1]])))
    builder.add(_linear(draw, 3, 3))
    builder.add(Max(np.array([[0, 1, 2], [2, 0, -1]])))
    builder.add(_linear(draw, 2, widths[-1]))
    return builder.build()


@family("residual")
def _residual(rng: np.random.Generator, widths: Widths) -> Network:
    """A rectified branch added to its own input, then folded again."""
    draw, width = _draw(rng), widths[1]
    builder = Builder(2)
    builder.add(_linear(draw, 2, width))
    x = builder.add(Rectifier())
    builder.add(_linear(draw, width, width))
    builder.add(Rectifier())
    branch = _linear(draw, width, width)
    y = builder.add(Linear(branch.weight * rng.choice([1.0, 1e-8]), branch.bias))
    builder.add(Add(), x, y)
    builder.add(Clip(-0.5, 1.0) if rng.integers(2) else Rectifier())
    builder.add(_linear(draw, width, widths[-1]))
    return builder.build()


@family("concat")
def _concat(rng: np.random.Generator, widths: Widths) -> Network:
    """Input, a layer and the next layer side by side, read and folded together."""
    draw, width = _draw(rng), max(2, widths[1] - 1)
    builder = Builder(2)
    builder.add(_linear(draw, 2, width))
    x = builder.add(Rectifier())
    builder.add(_linear(draw, width, 2))
    y = builder.add(Clip(-1.0, 1.0) if rng.integers(2) else Rectifier(np.array(0.5)))
    builder.add(Concat(0), 0, x, y)
    if rng.integers(2):
        builder.add(_linear(draw, 4 + width, 3))
    last = builder.add(Rectifier())
    builder.add(_linear(draw, builder.shape(last)[0], widths[-1]))
    return builder.build()


@family("bare folds")
def _bare(rng: np.random.Generator, widths: Widths) -> Network:
    """Folds on the input itself, on shifted and on picked entries, with no matrix before them."""
    draw = _draw(rng)
    builder = Builder(2)
    x = builder.add(Rectifier())
    y = builder.add(Scale(rng.choice([-1.0, 2.0, 0.3], 2), np.asarray(draw((2,)))), 0)
    y = builder.add(Clip(-0.5, 0.25), y)
    z = builder.add(Add(), x, y)
    z = builder.add(Gather(np.array([1, 0, 1])), z)
    builder.add(Scale(np.ones(1), np.asarray(draw((3,)))), z)
    builder.add(Rectifier(np.array(-1.0)))
    builder.add(_linear(draw, 3, widths[-1]))
    return builder.build()


def _picture(rng: np.random.Generator) -> tuple[Builder, Draw]:
    """A 2 x 2 convolution of a 4 x 4 picture."""
    draw = _draw(rng)
    builder = Builder((1, 4, 4))
    kernel, bias = np.asarray(draw((1, 1, 2, 2)), np.float64), np.asarray(draw((1,)), np.float64)
    builder.add(Conv(kernel, bias, (1, 1), ((0, 0), (0, 0)), (1, 1)))
    return builder, draw


@family("max-pool")
def _max_pool(rng: np.random.Generator, widths: Widths) -> Network:
    """Convolution, rectifier, maxima over 2 x 2 windows that end at the border: windows that are zero everywhere tie."""
    builder, draw = _picture(rng)
    if rng.integers(2):
        builder.add(Rectifier())
    builder.add(Max(np.array([[[0, 1, 3, 4], [2, 5, -1, -1]], [[6, 7, -1, -1], [8, -1, -1, -1]]])))
    builder.add(Reshape((4,)))
    builder.add(_linear(draw, 4, 2))
    builder.add(Rectifier())
    builder.add(_linear(draw, 2, widths[-1]))
    return builder.build()


@family("average pool")
def _average_pool(rng: np.random.Generator, widths: Widths) -> Network:
    """Convolution, leaky rectifier, averages by window sums, a grouped 1-D convolution with padding."""
    builder, draw = _picture(rng)
    builder.add(Rectifier(np.array(rng.choice([0.0, 0.125]))))
    builder.add(WindowSum(1, (0, 2), (2, 3)))
    builder.add(WindowSum(2, (0, 1), (2, 3)))
    builder.add(Scale(np.array(0.25)))
    builder.add(Permute((1, 0, 2)))
    builder.add(Reshape((2, 2)))
    builder.add(Pad(((0, 0), (1, 0))))
    builder.add(Conv(np.asarray(draw((2, 1, 2)), np.float64), None, (1,), ((0, 0),), (1,), groups=2))
    builder.add(Rectifier())
    builder.add(Reshape((4,)))
    builder.add(_linear(draw, 4, widths[-1]))
    return builder.build()


@family("channel slopes")
def _channel_slopes(rng: np.random.Generator, widths: Widths) -> Network:
    """A slope for each channel of a picture, and channels that differ in the last bit."""
    builder, draw = Builder((1, 2, 2)), _draw(rng)
    kernel, bias = np.asarray(draw((3, 1, 1, 2)), np.float64), np.asarray(draw((3,)), np.float64)
    kernel[2], bias[2] = np.nextafter(kernel[0], 9.0), -3 * bias[1]
    kernel[1] = -3 * kernel[0] if rng.integers(2) else kernel[1]
    builder.add(Conv(kernel, bias, (1, 1), ((0, 0), (0, 0)), (1, 1)))
    builder.add(Rectifier(rng.choice([-1.0, 0.0, 0.3, 0.5], (3, 1, 1))))
    kernel, bias = np.asarray(draw((2, 3, 1, 1)), np.float64), np.asarray(draw((2,)), np.float64)
    builder.add(Conv(kernel, bias, (1, 1), ((0, 0), (0, 0)), (1, 1)))
    builder.add(Rectifier(rng.choice([0.0, 0.3, -1.0], (2, 1, 1))))
    builder.add(Reshape((4,)))
    builder.add(_linear(draw, 4, 3))
    builder.add(Rectifier())
    builder.add(_linear(draw, 3, widths[-1]))
    return builder.build()


@family("many inputs")
def _many_inputs(rng: np.random.Generator, widths: Widths) -> Network:
    """Three to ten inputs, looked at on a plane; some neurons copied."""
    weights, biases = drawn((int(rng.integers(3, 11)), *widths[1:]), _draw(rng))
    if rng.integers(2):
        weights[0][-1], biases[0][-1] = -2 * weights[0][0], -2 * biases[0][0]
    return chain(weights, biases)


@family("random graph")
def _random_graph(rng: np.random.Generator, widths: Widths) -> Network:
    """Operations of all kinds, each reading any earlier tensor."""
    draw, width = _draw(rng), min(3, widths[1])
    builder = Builder(2)
    nodes = [builder.add(_linear(draw, 2, width)), builder.add(_linear(draw, 2, width), 0)]
    n_folds = len(widths) - 1
    while n_folds:
        x, y = (int(i) for i in rng.choice(nodes, 2))
        kind = int(rng.integers(8))
        if kind < 4:
            folds = (Rectifier(), Rectifier(np.array(rng.choice([-1.0, 0.25]))), Clip(-0.5, 1.0), Max(_rotations(width)))
            nodes.append(builder.add(folds[kind], x))
            n_folds -= 1
        elif kind == 4:
            nodes.append(builder.add(Add(), x, y))
        elif kind == 5:
            both = builder.add(Concat(0), x, y)
            nodes.append(builder.add(_linear(draw, 2 * width, width), both))
        elif kind == 6:
            nodes.append(builder.add(Gather(rng.integers(0, width, width)), x))
        else:
            nodes.append(builder.add(Scale(np.asarray(draw((width,))), np.asarray(draw((1,)))), x))
    builder.add(Add(), *nodes[-3:])
    builder.add(_linear(draw, width, widths[-1]))
    return builder.build()


def _rotations(width: int) -> np.ndarray:  # type: ignore[type-arg]
    """Each entry against the next one."""
    return np.stack([np.arange(width), (np.arange(width) + 1) % width], axis=1)
