"""The weights a training starts from, and the network that weights make."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.network import Clip, Fold, Linear, Network, Op, Rectifier, random_network
from plica.web._state import State

Layer = tuple[Array, Array]
"""Weights (out, in) and biases."""

LEAK = 0.1
PROOFS = ("sawtooth", "square", "folding", "zigzag")
"""Initializations whose weights come from a proof."""

FOLDS: dict[str, Fold] = {
    "relu": Rectifier(),
    "leaky-relu": Rectifier(np.array(LEAK)),
    "abs": Rectifier(np.array(-1.0)),
    "hard-tanh": Clip(-1.0, 1.0),
}


def initial_layers(state: State, n_inputs: int, n_outputs: int = 1) -> list[Layer]:
    """The layers at step 0: random ones, or those of a proof, padded with silent neurons."""
    widths = (n_inputs, *state.widths, n_outputs)
    if state.features and state.init in PROOFS:
        raise InvalidInput(f"the weights of the {state.init} take plain inputs.", hint="choose no features, or He")
    if n_outputs > 1 and state.init in PROOFS:
        raise InvalidInput(
            f"the weights of the {state.init} have one output, the data has {n_outputs} classes.", hint="choose He"
        )
    if state.init == "sawtooth":
        return _sawtooth(state, n_inputs)
    if state.init == "square":
        return _square(state, n_inputs)
    if state.init in ("folding", "zigzag"):
        from plica.construct import folding

        _needs(state, n_inputs, 2, 2)
        return _spread(linear_layers(folding(widths, fold="accordion" if state.init == "folding" else "zigzag").network))
    bias = None if state.init == "torch-default" else state.bias
    return linear_layers(random_network(widths, seed=state.seed, weights=state.init, bias_std=bias))


def linear_layers(network: Network) -> list[Layer]:
    """The weights of a chain of linear layers."""
    ops = network.dense_layers
    return [(np.array(op.weight), np.zeros(len(op.weight)) if op.bias is None else np.array(op.bias)) for op in ops]


def network_of(layers: Sequence[Layer], activations: Sequence[str], *, name: str = "") -> Network:
    """The piecewise-linear network with these weights and activations; the last layer is linear.

    Examples
    --------
    >>> layers = initial_layers(State(widths=(4, 3)), 2)
    >>> network_of(layers, ("relu", "abs")).widths
    (2, 4, 3, 1)
    """
    ops: list[Op] = []
    for (weight, bias), activation in zip(layers[:-1], activations, strict=True):
        ops += [Linear(weight, bias), FOLDS[activation]]
    ops.append(Linear(*layers[-1]))
    return Network.sequential(int(layers[0][0].shape[1]), ops, name=name)


def two_scores(layers: Sequence[Layer], activations: Sequence[str]) -> Network:
    """The network with a score for each class: one output y becomes the scores 0 and y.

    >>> two_scores([(np.ones((1, 2)), np.zeros(1))], ())([[1.0, 2.0]])
    array([[0., 3.]])
    """
    (weight, bias), inner = layers[-1], layers[:-1]
    if len(weight) > 1:
        return network_of(layers, activations)
    last = (np.vstack([np.zeros_like(weight), weight]), np.concatenate([[0.0], bias]))
    return network_of([*inner, last], activations)


def _needs(state: State, n_inputs: int, inputs: int, width: int) -> None:
    if n_inputs != inputs:
        data = "sine, x^2 or a sawtooth" if inputs == 1 else "moons, circles or spirals"
        raise InvalidInput(
            f"the weights of the {state.init} take {inputs} input{'s' if inputs > 1 else ''}, the data has {n_inputs}.",
            hint=f"choose {data}",
        )
    if min(state.widths) < width or set(state.activations) != {"relu"}:
        raise InvalidInput(f"the weights of the {state.init} need ReLU layers of width {width} or more.")


def _spread(layers: list[Layer]) -> list[Layer]:
    """A folding whose last layer cuts every folded square with lines that one can see: tangents of a circle around its center.

    The construction of the proof puts all its lines near one corner. What is folded is the same; the coordinates of the folded
    square are whole combinations of the units below, so that they are read off the weights without rounding.
    """
    from plica.construct import general_position

    weight, bias = layers[-2]
    normals, offsets = general_position(len(weight), 2)
    back = np.rint(np.linalg.lstsq(normals, weight, rcond=None)[0])
    shift = np.rint(np.linalg.lstsq(normals, bias - offsets, rcond=None)[0])
    if not np.array_equal(normals @ back, weight) or not np.array_equal(normals @ shift + offsets, bias):
        return layers  # other coordinates than whole ones: as the proof has it
    n = len(weight)
    angle = np.pi * (np.arange(n) + 0.3) / n
    turned = np.rint(1024 * np.stack([np.cos(angle), np.sin(angle)], axis=1)) / 1024
    radius = 0.45 * np.sin(np.pi / (2 * n))  # then all crossings are within 0.45 of the center
    distances = np.rint(1024 * (turned.sum(axis=1) / 2 + radius)) / 1024
    sign = (-1.0) ** np.arange(n)[:, None]
    return [*layers[:-2], ((sign * turned) @ back, sign[:, 0] * (turned @ shift - distances)), layers[-1]]


def _padded(parts: list[Layer], widths: Sequence[int]) -> list[Layer]:
    """The same layers inside wider ones; the added neurons are zero."""
    sizes = [parts[0][0].shape[1], *widths, parts[-1][0].shape[0]]
    layers = []
    for (weight, bias), n_in, n_out in zip(parts, sizes[:-1], sizes[1:], strict=True):
        wide, long = np.zeros((n_out, n_in)), np.zeros(n_out)
        wide[: weight.shape[0], : weight.shape[1]], long[: len(bias)] = weight, bias
        layers.append((wide, long))
    return layers


def _sawtooth(state: State, n_inputs: int) -> list[Layer]:
    """The tent 2 ReLU(x) - 4 ReLU(x - 1/2) composed with itself: 2^depth pieces on [0, 1]."""
    _needs(state, n_inputs, 1, 2)
    pair, tent = np.ones((2, 1)), np.array([[2.0, -4.0]])
    shift = np.array([0.0, -0.5])
    parts = [(pair, shift), *[(pair @ tent, shift)] * (len(state.widths) - 1), (tent, np.zeros(1))]
    return _padded(parts, state.widths)


def _square(state: State, n_inputs: int) -> list[Layer]:
    """x - sum_s g_s(x) / 4^s with the sawteeth g_s: the interpolant of x^2 on [0, 1] with 2^depth pieces."""
    _needs(state, n_inputs, 1, 3)
    tent = np.array([2.0, -4.0, 0.0])
    parts: list[Layer] = [(np.ones((3, 1)), np.array([0.0, -0.5, 0.0]))]
    for s in range(1, len(state.widths) + 1):
        carry = np.array([0.0, 0.0, 1.0]) - tent / 4.0**s
        last = s == len(state.widths)
        parts.append(
            (carry[None], np.zeros(1)) if last else (np.stack([tent, tent, carry]), np.array([0.0, -0.5, 0.0])),
        )
    return _padded(parts, state.widths)
