"""Lecture 5: arrangements of lines and what lengths do."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np

from plica._types import Array
from plica.exercises._exercise import Grade, is_plain, need, one_number, task
from plica.geometry import Space, count_regions
from plica.measure import circle, trajectory_length
from plica.network import Network


@task("5", "numbers")
def five_lines(numbers: Array) -> Grade:
    """Five lines.

    Into how many regions do 5 lines in general position cut the plane? One number.
    """
    found = one_number(numbers)
    is_right = found == sum(comb(5, k) for k in range(3))
    return Grade(is_right, f"{found:g} is {'' if is_right else 'not '}the number of regions of 5 lines in general position")


@task("5", "numbers")
def what_a_line_adds(numbers: Array) -> Grade:
    """The sweep.

    How many regions does the 9th line in general position add to the 8 that are there? One number.
    """
    found = one_number(numbers)
    true = sum(comb(9, k) for k in range(3)) - sum(comb(8, k) for k in range(3))
    why = (
        f"{found:g} is right: the line is cut by 8 others"
        if found == true
        else f"{found:g} is too {'many' if found > true else 'few'}"
    )
    return Grade(found == true, why)


@task("5", "network")
def seven_regions(network: Network) -> Grade:
    """As few as possible.

    Build a network with 2 inputs, 1 output and one hidden layer of exactly 6 neurons whose folds are six different lines, and
    which has exactly 7 cells in the whole plane.
    """
    refused = need(network, inputs=2)
    if refused is not None:
        return refused
    if network.n_neurons != 6 or len(network.widths) != 3:
        return Grade(False, f"one hidden layer of 6 neurons is asked for, not {network.widths[1:-1]}")
    if not is_plain(network):
        return Grade(False, "two dense layers with ReLU between them are asked for")
    layer = network.dense_layers[0]
    biases = np.zeros(6) if layer.bias is None else layer.bias
    lines = [[Fraction(v) for v in (*weight, bias)] for weight, bias in zip(layer.weight, biases, strict=True)]
    if any(not any(line[:2]) for line in lines):
        return Grade(False, "a neuron whose weights are zero folds along no line")
    if any(_is_one_line(a, b) for a, b in combinations(lines, 2)):
        return Grade(False, "two of the neurons fold along the same line")
    found = count_regions(network, Space(2)).n_cells
    return Grade(found == 7, f"the plane has {found} cells", {"cells": found})


def _is_one_line(first: list[Fraction], second: list[Fraction]) -> bool:
    """Whether two rows of weights and bias are multiples of each other."""
    return all(first[i] * second[j] == first[j] * second[i] for i, j in combinations(range(3), 2))


@task("5", "network")
def through_one_point(network: Network) -> Grade:
    """Without biases.

    Build a network with 2 inputs, 1 output and one hidden layer of 7 neurons, all biases of the hidden layer zero, with as many
    cells in the plane as such a network can have.
    """
    refused = need(network, inputs=2, neurons=7)
    if refused is not None:
        return refused
    if len(network.widths) != 3 or not is_plain(network) or np.any(network.dense_layers[0].bias):
        return Grade(False, "one hidden layer without biases is asked for")
    found = count_regions(network, Space(2)).n_cells
    return Grade(found == 14, f"{found} cells: 7 lines through one point {'cannot make more' if found == 14 else 'make more'}")


@task("5", "network")
def ten_times_longer(network: Network) -> Grade:
    """Stretch a circle.

    Build a network with 2 inputs, 2 outputs and at most 16 neurons, no weight beyond 1 in absolute value and no biases, that
    makes the unit circle at least ten times as long.
    """
    refused = need(network, inputs=2, outputs=2, neurons=16)
    if refused is not None:
        return refused
    if any(np.abs(layer.weight).max() > 1 or np.any(layer.bias) for layer in network.dense_layers):
        return Grade(False, "a weight is beyond 1, or a bias is not zero")
    lengths = trajectory_length(network, circle([1.0, 0.0], [0.0, 1.0], n_points=512))
    ratio = float(lengths.output / lengths.input)
    return Grade(ratio >= 10, f"the circle becomes {ratio:.4g} times as long", {"ratio": ratio})
