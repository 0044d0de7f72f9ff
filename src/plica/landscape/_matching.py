"""Permutations of hidden units that bring one network near another: its function stays, its weights move.

Weight matching (Ainsworth, Hayase and Srinivasa 2023): with the other layers kept, the best permutation of one layer is a linear
assignment; layers take turns until nothing changes. Activations of samples can decide instead of weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from plica._types import Array, Integers
from plica.errors import InvalidInput, UnsupportedLayer
from plica.landscape._targets import as_network, check_alike
from plica.network import Fold, Linear, Network


@dataclass(frozen=True, eq=False)
class Matching:
    """A network with permuted units.

    Attributes
    ----------
    network
        The second network, permuted.
    permutations
        For each hidden layer: unit i of the permuted network is unit ``permutation[i]`` of the given one.
    distance_before, distance_after
        Of all weights to those of the first network, in the 2-norm.
    n_sweeps
        Rounds over all layers; the last one changed nothing.
    """

    network: Network
    permutations: tuple[Integers, ...]
    distance_before: float
    distance_after: float
    n_sweeps: int

    def __repr__(self) -> str:
        return f"<Matching: distance {self.distance_before:.4g} -> {self.distance_after:.4g} in {self.n_sweeps} sweeps>"


def match(
    a: Any, b: Any, *, by: Literal["weights", "activations"] = "weights", x: Any = None, seed: int = 0, max_sweeps: int = 100
) -> Matching:
    """Permute the hidden units of b so that its weights, or activations on x, are near those of a.

    Parameters
    ----------
    a, b
        Dense networks with an activation that is the same for all units of a layer, or torch modules of this kind.
    by
        ``"weights"``, or ``"activations"`` of the samples ``x``, layer by layer.
    seed
        Of the order in which layers take turns.
    max_sweeps
        After so many rounds it ends in any case.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 5, 5, 1], seed=0)
    >>> shuffled = permuted(net, [np.array([4, 2, 0, 1, 3]), np.array([1, 0, 3, 4, 2])])
    >>> found = match(net, shuffled)
    >>> found.distance_before > 1, found.distance_after
    (True, 0.0)
    """
    first, second = as_network(a, x), as_network(b, x)
    check_alike(first, second)
    A, B = _layers(first), _layers(second)
    if by == "activations":
        if x is None:
            raise InvalidInput("activations need samples.", hint="match(a, b, by='activations', x=samples)")
        chosen, n_sweeps = _by_activations(first, second, np.asarray(x, dtype=np.float64)), 1
    elif by == "weights":
        chosen, n_sweeps = _by_weights(A, B, np.random.default_rng(seed), max_sweeps)
    else:
        raise InvalidInput(f"unknown way to match {by!r}.", hint="'weights' or 'activations'")
    network = permuted(second, chosen)
    return Matching(network, tuple(chosen), _distance(A, B), _distance(A, _layers(network)), n_sweeps)


def permuted(network: Network, permutations: list[Integers]) -> Network:
    """The network with hidden units in another order: new unit i is old unit ``permutation[i]``."""
    layers = _layers(network)
    if len(permutations) != len(layers) - 1:
        raise InvalidInput(f"{len(permutations)} permutations for {len(layers) - 1} hidden layers.")
    before: list[Integers | None] = [None, *permutations]
    after: list[Integers | None] = [*permutations, None]
    number, ops = 0, []
    for node in network.nodes[1:]:
        op = node.op
        if isinstance(op, Linear):
            W, b, p, q = op.weight, op.bias, before[number], after[number]
            W = W if p is None else W[:, p]
            W, b = (W, b) if q is None else (W[q], None if b is None else b[q])
            op, number = Linear(np.ascontiguousarray(W), b), number + 1
        ops.append(op)
    return Network.sequential(network.input_shape, ops, name=network.name)


def balanced(network: Any) -> Network:
    """The same function with hidden units scaled so that incoming weights (with the bias) and outgoing ones have equal norms.

    Units of positively homogeneous activations may be scaled by any factor and the next layer by its inverse. All networks that
    differ only by such factors have one balanced form, up to rounding.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 5, 1], seed=0)
    >>> even = balanced(net)
    >>> x = np.array([0.3, -0.2])
    >>> bool(abs(even(x) - net(x)) < 1e-12)
    True
    """
    net = as_network(network)
    layers = [(W.copy(), b.copy()) for W, b in _layers(net)]
    if not all(fold.is_homogeneous for fold in net.folds):
        raise UnsupportedLayer("an activation with thresholds has no scale to balance.", hint="ReLU and its relatives have")
    for _ in range(10_000):
        largest = 0.0
        for i in range(len(layers) - 1):
            (W, b), (V, c) = layers[i], layers[i + 1]
            into, out = np.sqrt((W * W).sum(axis=1) + b * b), np.sqrt((V * V).sum(axis=0))
            alive = (into > 0) & (out > 0)
            factor = np.where(alive, np.sqrt(out / np.where(alive, into, 1.0)), 1.0)
            layers[i], layers[i + 1] = (W * factor[:, None], b * factor), (V / factor, c)
            largest = max(largest, float(np.abs(np.log(factor)).max(initial=0.0)))
        if largest < 1e-15:
            break
    rebuilt = iter(layers)
    ops = [Linear(*next(rebuilt)) if isinstance(node.op, Linear) else node.op for node in net.nodes[1:]]
    return Network.sequential(net.input_shape, ops, name=net.name)


def _layers(network: Network) -> list[tuple[Array, Array]]:
    """Weights and biases of a plain dense network."""
    for i, node in enumerate(network.nodes[1:], start=1):
        fits = isinstance(node.op, Linear) or (isinstance(node.op, Fold) and not node.op.is_contest) or not node.op.arrays()
        flat = node.inputs == (i - 1,) and (not isinstance(node.op, Linear) or len(node.shape) == 1)
        uneven = isinstance(node.op, Fold) and any(a.size > 1 and np.ptp(a) for a in node.op.arrays().values())
        if not fits or not flat or uneven:
            raise UnsupportedLayer(
                f"layer {node.name!r} ({node.op.kind}) is not part of a plain dense network.",
                hint="matching permutes units between dense layers with one activation for all units of a layer",
            )
    return [(op.weight, np.zeros(len(op.weight)) if op.bias is None else op.bias) for op in network.dense_layers]


def _distance(A: list[tuple[Array, Array]], B: list[tuple[Array, Array]]) -> float:
    return float(np.sqrt(sum(((p - q) ** 2).sum() for u, v in zip(A, B, strict=True) for p, q in zip(u, v, strict=True))))


def _by_weights(
    A: list[tuple[Array, Array]], B: list[tuple[Array, Array]], rng: np.random.Generator, max_sweeps: int
) -> tuple[list[Integers], int]:
    from scipy.optimize import linear_sum_assignment

    chosen: list[Integers] = [np.arange(len(W)) for W, _ in A[:-1]]
    for sweep in range(1, max_sweeps + 1):
        changed = False
        for i in rng.permutation(len(chosen)):
            before = B[i][0] if i == 0 else B[i][0][:, chosen[i - 1]]
            after = B[i + 1][0] if i + 1 == len(chosen) else B[i + 1][0][chosen[i + 1]]
            gain = A[i][0] @ before.T + np.outer(A[i][1], B[i][1]) + A[i + 1][0].T @ after
            _, order = linear_sum_assignment(gain, maximize=True)
            rows = np.arange(len(order))
            if gain[rows, order].sum() > gain[rows, chosen[i]].sum() * (1 + 1e-12 * np.sign(gain[rows, chosen[i]].sum())):
                chosen[i], changed = order, True
        if not changed:
            return chosen, sweep
    return chosen, max_sweeps


def _by_activations(a: Network, b: Network, x: Array) -> list[Integers]:
    """Each layer by the correlations of its units."""
    from scipy.optimize import linear_sum_assignment

    chosen = []
    values = [net.tensors(x.reshape(len(x), *net.input_shape)) for net in (a, b)]
    for i in a.layers[: len(a.dense_layers) - 1]:
        u, v = (t[i].reshape(len(x), -1) for t in values)
        u, v = (z - z.mean(axis=0) for z in (u, v))
        u, v = (z / np.maximum(np.sqrt((z * z).sum(axis=0)), 1e-300) for z in (u, v))
        chosen.append(linear_sum_assignment(u.T @ v, maximize=True)[1])
    return chosen
