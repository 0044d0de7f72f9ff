"""Lecture 15: scales, steps, networks made smaller, attacks."""

from __future__ import annotations

from math import hypot, sqrt

import numpy as np

from plica._types import Array
from plica.exercises._exercise import Grade, need, one_number, some_numbers, task
from plica.geometry import Box
from plica.measure import compare
from plica.network import Linear, Network, Rectifier, random_network
from plica.robust import class_distance

_SQUARE = Box([-1.0, -1.0], [1.0, 1.0])


def redundant() -> Network:
    """Twelve neurons of which five do nothing that the others do not."""
    base = random_network([2, 7, 1], seed=15)
    first, last = base.dense_layers
    W, b, a = np.asarray(first.weight), np.asarray(first.bias), np.asarray(last.weight)
    dead = np.array([[0.25, 0.5], [-0.5, 0.25]])  # below zero on the whole square with a bias of -1
    weight = np.concatenate([W, 2 * W[:3], dead])
    bias = np.concatenate([b, 2 * b[:3], [-1.0, -1.0]])
    outer = np.concatenate([a[0], [0.5, -0.25, 0.125], [1.0, 1.0]])[None]
    return Network.sequential(2, [Linear(weight, bias), Rectifier(), Linear(outer, last.bias)], name="redundant")


def classifier() -> Network:
    """Two inputs, three classes."""
    return random_network([2, 10, 10, 3], seed=3, weights="he-normal")


@task("15", "numbers")
def he_scale(numbers: Array) -> Grade:
    """Keep the variance.

    Which standard deviation do the Gaussian weights of a ReLU layer with 128 inputs need, so that the mean square of the
    activations stays what it was? One number, to four digits.
    """
    found, true = one_number(numbers), sqrt(2 / 128)
    if found <= 0:
        return Grade(False, "a standard deviation is a positive number")
    return Grade(abs(found - true) <= 5e-5, f"{found:g} would multiply the mean square by {64 * found * found:.4g}")


@task("15", "numbers")
def largest_step(numbers: Array) -> Grade:
    """The largest step.

    Gradient descent with a constant step on f(x, y) = (x^2 + 25 y^2)/2 converges from every start if the step is below a number.
    Which? One number.
    """
    found = one_number(numbers)
    if found <= 0:
        return Grade(False, "a step is a positive number")
    factor = max(abs(1 - found), abs(1 - 25 * found))
    is_right = abs(factor - 1) < 1e-9
    return Grade(is_right, f"with this step an error is multiplied by {factor:.6g} at worst", {"factor": factor})


@task("15", "network", network=redundant)
def fewer_neurons(network: Network) -> Grade:
    """The same with less.

    The given network has 12 neurons. Build one with at most 7 that is the same function on [-1, 1] x [-1, 1], to 1e-9 everywhere.
    """
    refused = need(network, inputs=2, neurons=7)
    if refused is not None:
        return refused
    found = compare(redundant(), network, _SQUARE)
    largest = abs(float(found.largest.value))
    return Grade(largest <= 1e-9, f"the two differ by up to {largest:.3g}", {"deviation": largest})


@task("15", "numbers", network=classifier)
def nearest_other_class(numbers: Array) -> Grade:
    """Fool the classifier.

    The given network gives the point (0.3, -0.2) a class. Find a point with another class that is at most 5 percent farther away
    than the nearest one, in the Euclidean norm: two numbers.
    """
    point, answer = np.array([0.3, -0.2]), some_numbers(numbers, 2)
    network = classifier()
    before, after = (int(np.argmax(network(p[None])[0])) for p in (point, answer))
    if before == after:
        return Grade(False, f"that point has class {after} too")
    nearest = class_distance(network, point, tolerance=1e-4)
    away = hypot(*(answer - point))
    ratio = away / nearest.upper
    return Grade(ratio <= 1.05, f"{away:.5g} away, which is {ratio:.4g} times the distance of the nearest", {"ratio": ratio})


@task("15", "numbers")
def dropout_is_ridge(numbers: Array) -> Grade:
    """Dropout is ridge regression.

    On least squares, dropping inputs with probability 0.2 and dividing the others by 0.8 adds a penalty of lambda times
    sum_i a_i^2 x_i^2 to each point's squared error. Which lambda? One number.
    """
    found = one_number(numbers)  # variance of a kept input over its square: p (1 - p) / (1 - p)^2
    is_right = abs(found - 0.25) < 1e-9
    return Grade(is_right, f"the variance of the mask over its squared mean is {'' if is_right else 'not '}{found:g}")
