"""Bounds on dense ReLU networks in the words of the papers, with plain matrices: what certificates are compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import block_array, csr_array, eye_array

Layers = Sequence[tuple[np.ndarray, np.ndarray]]
Intervals = list[tuple[np.ndarray, np.ndarray]]
Slopes = Literal["parallel", "adaptive"]


def interval_margin(layers: Layers, x: np.ndarray, radius: float, label: int) -> float:
    """The least margin that interval arithmetic leaves: the lowest own score against the highest other one."""
    low, high = x - radius, x + radius
    for k, (w, b) in enumerate(layers):
        if k:
            low, high = np.maximum(low, 0), np.maximum(high, 0)
        plus, minus = np.maximum(w, 0), np.minimum(w, 0)
        low, high = plus @ low + minus @ high + b, plus @ high + minus @ low + b
    return float(low[label] - np.delete(high, label).max())


def _pulled(layers: Layers, forms: np.ndarray, known: Intervals, x: np.ndarray, radius: float, slopes: Slopes) -> np.ndarray:
    """Lower bounds of forms of the last layer: each ReLU between its chord and a line through zero, last to first."""
    a, constant = forms, np.zeros(len(forms))
    for (w, b), (low, high) in zip(reversed(layers[1:]), reversed(known), strict=True):
        constant, a = constant + a @ b, a @ w
        chord = np.where(low >= 0, 1.0, np.where(high <= 0, 0.0, high / np.where(high > low, high - low, 1.0)))
        unsure = (low < 0) & (high > 0)
        tangent = np.where(unsure & (slopes == "adaptive"), (high > -low) * 1.0, chord)
        constant = constant + np.minimum(a, 0) @ np.where(unsure, -chord * low, 0.0)
        a = np.maximum(a, 0) * tangent + np.minimum(a, 0) * chord
    w, b = layers[0]
    constant, a = constant + a @ b, a @ w
    found: np.ndarray = a @ x + constant - radius * np.abs(a).sum(1)
    return found


def ranges(layers: Layers, x: np.ndarray, radius: float, slopes: Slopes) -> Intervals:
    """What the same bounds say about the inputs of each layer of ReLUs; intervals too, where they say more."""
    found: Intervals = []
    low, high = x - radius, x + radius
    for k, (w, b) in enumerate(layers[:-1]):
        if k:
            low, high = np.maximum(found[-1][0], 0), np.maximum(found[-1][1], 0)
        plus, minus = np.maximum(w, 0), np.minimum(w, 0)
        eye = np.eye(len(b))
        best = [_pulled(layers[: k + 1], sign * eye, found, x, radius, slopes) for sign in (1.0, -1.0)]
        found.append((np.maximum(best[0], plus @ low + minus @ high + b), np.minimum(-best[1], plus @ high + minus @ low + b)))
    return found


def margins(n: int, label: int) -> np.ndarray:
    """The own score minus each other one."""
    forms = -np.eye(n)
    forms[:, label] += 1.0
    return np.delete(forms, label, axis=0)


def backward_margin(layers: Layers, x: np.ndarray, radius: float, label: int, slopes: Slopes) -> float:
    forms = margins(len(layers[-1][1]), label)
    return float(_pulled(layers, forms, ranges(layers, x, radius, slopes), x, radius, slopes).min())


def program_margin(layers: Layers, x: np.ndarray, radius: float, label: int) -> float:
    """The least margin over the triangles around all ReLUs, with the ranges of adaptive slopes: a linear program for each class.

    Variables are the input, then for each layer z = W h + b and h, with h >= 0, h >= z and h below the chord.
    """
    known = ranges(layers, x, radius, "adaptive")
    sizes = [len(x)] + [n for low, _ in known for n in (len(low), len(low))]
    limits: list[tuple[float | None, float | None]] = [(v - radius, v + radius) for v in x]
    equal, sides, below, tops = [], [], [], []
    for k, ((w, b), (low, high)) in enumerate(zip(layers[:-1], known, strict=True)):
        n, before, here = len(b), 2 * k, 2 * k + 1
        limits += [(lo, hi) for lo, hi in zip(low, high, strict=True)]
        limits += [(max(lo, 0.0), max(hi, 0.0)) for lo, hi in zip(low, high, strict=True)]
        equal.append(_blocks(sizes, n, {before: csr_array(-w), here: eye_array(n)}))
        sides.append(b)
        chord = np.where(low >= 0, 1.0, np.where(high <= 0, 0.0, high / np.where(high > low, high - low, 1.0)))
        offset = np.where((low < 0) & (high > 0), -chord * low, 0.0)
        below += [
            _blocks(sizes, n, {here: csr_array(np.diag(-chord)), here + 1: eye_array(n)}),
            _blocks(sizes, n, {here: csr_array(np.diag((high > 0) * 1.0)), here + 1: -eye_array(n)}),
        ]
        tops += [offset, np.zeros(n)]
    matrices = {"A_eq": block_array([[m] for m in equal]), "b_eq": np.concatenate(sides)}
    matrices |= {"A_ub": block_array([[m] for m in below]), "b_ub": np.concatenate(tops)}
    (w, b), least = layers[-1], np.inf
    for form in margins(len(b), label):
        cost = np.concatenate([np.zeros(sum(sizes[:-1])), form @ w])
        least = min(least, linprog(cost, bounds=limits, method="highs", **matrices).fun + form @ b)
    return float(least)


def _blocks(sizes: Sequence[int], n: int, filled: dict[int, csr_array]) -> csr_array:
    return block_array([[filled.get(i, csr_array((n, size))) for i, size in enumerate(sizes)]], format="csr")


def largest(margin: Callable[[float], float], high: float, *, accuracy: float) -> float:
    """The radius at which a margin becomes zero, by halving."""
    low = 0.0
    while high - low > accuracy * high:
        middle = (low + high) / 2
        low, high = (middle, high) if margin(middle) > 0 else (low, middle)
    return (low + high) / 2
