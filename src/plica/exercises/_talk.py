"""The ICERM talk: cells, patterns, folds, one function in two networks."""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.exercises._exercise import Grade, is_plain, need, one_number, some_numbers, task
from plica.geometry import Box, decompose
from plica.measure import compare, fold_distance
from plica.network import Linear, Network, Rectifier, random_network

_POINT = np.array([0.25, 0.5])
_HIDDEN = np.array([-0.6171875, 0.390625])


def small() -> Network:
    """Two inputs and two layers of five."""
    return random_network([2, 5, 5, 1], seed=20, weights="he-normal", bias_std=0.5)


@task("icerm", "numbers", network=small)
def affine_on_its_cell(numbers: Array) -> Grade:
    """The affine map of a cell.

    On the cell that holds (0.25, 0.5) the given network is a x + b y + c. Give a, b and c to 1e-6: three numbers.
    """
    a, b, c = some_numbers(numbers, 3)
    network = small()
    slope, offset = network.linearize(network.pattern(_POINT))
    off = float(np.abs([a - slope[0, 0], b - slope[0, 1], c - offset[0]]).max())
    return Grade(off <= 1e-6, f"the largest of the three differences is {off:.3g}", {"deviation": off})


@task("icerm", "numbers", network=small)
def nearest_fold(numbers: Array) -> Grade:
    """The nearest fold.

    How far is (0.25, 0.5) from the nearest fold of the given network? One number, to 1e-6.
    """
    found = one_number(numbers)
    true = float(np.ravel(fold_distance(small(), _POINT[None]).distance)[0])
    return Grade(abs(found - true) <= 1e-6, f"{found:g} is {'' if abs(found - true) <= 1e-6 else 'not '}the distance")


@task("icerm", "numbers", network=small)
def count_the_regions(numbers: Array) -> Grade:
    """Count.

    How many linear regions has the given network on [-1, 1] x [-1, 1]? One number.
    """
    found = one_number(numbers)
    true = decompose(small(), Box([-1.0, -1.0], [1.0, 1.0])).n_regions
    return Grade(found == true, f"{found:g} is {'right' if found == true else 'too many' if found > true else 'too few'}")


@task("icerm", "numbers", network=small)
def most_active(numbers: Array) -> Grade:
    """An active input.

    Find a point of [-1, 1] x [-1, 1] at which at least seven of the ten neurons of the given network are active: two numbers.
    """
    point = some_numbers(numbers, 2)
    if np.abs(point).max() > 1:
        return Grade(False, "the point is outside of the square")
    active = int(sum(int((states > 0).sum()) for states in small().pattern(point)))
    return Grade(active >= 7, f"{active} neurons are active there", {"active": active})


def nearly_small() -> Network:
    """The network of :func:`small` with a little pyramid added somewhere: five units in a layer and one in the next."""
    (W, b), (V, c), (U, d) = ((np.array(layer.weight), np.array(layer.bias)) for layer in small().dense_layers)
    sides = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    second = np.zeros((6, 9))
    second[:5, :5], second[5, 5:] = V, -1.0
    return Network.sequential(
        2,
        [
            Linear(np.concatenate([W, sides]), np.concatenate([b, -sides @ _HIDDEN])),
            Rectifier(),
            Linear(second, np.append(c, 1 / 32)),
            Rectifier(),
            Linear(np.append(U, [[1.0]], axis=1), d),
        ],
    )


@task("icerm", "numbers", first=small, second=nearly_small)
def where_they_differ(numbers: Array) -> Grade:
    """Where two networks differ.

    The two given networks agree on almost all of [-1, 1] x [-1, 1]. Find a point there at which their outputs differ by at least
    1/100: two numbers.
    """
    point = some_numbers(numbers, 2)
    if np.abs(point).max() > 1:
        return Grade(False, "the point is outside of the square")
    apart = abs(float((nearly_small()(point[None]) - small()(point[None]))[0, 0]))
    return Grade(apart >= 0.01, f"they differ by {apart:.4g} there", {"difference": apart})


@task("icerm", "network", network=small)
def another_network(network: Network) -> Grade:
    """One function, two networks.

    Build a network that is the same function as the given one on [-2, 2] x [-2, 2], to 1e-9, has as many neurons in each layer
    and no layer with the same weights.
    """
    given = small()
    refused = need(network, inputs=2)
    if refused is not None:
        return refused
    if network.widths != given.widths:
        return Grade(False, f"layers of {network.widths[1:-1]} neurons, not {given.widths[1:-1]}")
    if not is_plain(network):
        return Grade(False, "three dense layers with ReLU between them are asked for")
    pairs = zip(network.dense_layers, given.dense_layers, strict=True)
    if any(np.allclose(ours.weight, theirs.weight, atol=1e-6) for ours, theirs in pairs):
        return Grade(False, "a layer has the weights of the given network")
    largest = abs(float(compare(network, given, Box([-2.0, -2.0], [2.0, 2.0])).largest.value))
    return Grade(largest <= 1e-9, f"the two differ by up to {largest:.3g}", {"deviation": largest})
