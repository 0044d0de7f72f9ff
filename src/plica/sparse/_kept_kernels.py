"""Layers of which only kept weights exist, times a batch: values are held as (unit, image), so that images go side by side."""

from __future__ import annotations

from plica._compiled import compiled
from plica._types import Array


@compiled
def gather(x: Array, rows: Array, out: Array) -> None:
    """The images with the given numbers as columns."""
    for s in range(len(rows)):
        for j in range(x.shape[1]):
            out[j, s] = x[rows[s], j]


@compiled
def forward(offsets: Array, columns: Array, weights: Array, biases: Array, x: Array, out: Array) -> None:
    """W x + b; row i of W has the entries offsets[i] to offsets[i + 1]."""
    n = x.shape[1]
    for i in range(len(biases)):
        for s in range(n):
            out[i, s] = biases[i]
        for k in range(offsets[i], offsets[i + 1]):
            w, j = weights[k], columns[k]
            for s in range(n):
                out[i, s] += w * x[j, s]


@compiled
def backward_weights(offsets: Array, columns: Array, delta: Array, x: Array, room: Array, out: Array) -> None:
    """The derivatives by kept weights: products of all images, added in halves as long as these are wide."""
    n = x.shape[1]
    for i in range(len(delta)):
        for k in range(offsets[i], offsets[i + 1]):
            j, m = columns[k], n
            for s in range(n):
                room[s] = delta[i, s] * x[j, s]
            while m >= 16 and m % 2 == 0:
                m //= 2
                for s in range(m):
                    room[s] += room[s + m]
            total = room[0]
            for s in range(1, m):
                total += room[s]
            out[k] = total


@compiled
def backward_inputs(offsets: Array, columns: Array, weights: Array, delta: Array, hidden: Array, out: Array) -> None:
    """The derivatives by what went in, 0 where the ReLU before it was."""
    n = delta.shape[1]
    for j in range(len(out)):
        for s in range(n):
            out[j, s] = 0
    for i in range(len(delta)):
        for k in range(offsets[i], offsets[i + 1]):
            w, j = weights[k], columns[k]
            for s in range(n):
                out[j, s] += w * delta[i, s]
    for j in range(len(out)):
        for s in range(n):
            if hidden[j, s] <= 0:
                out[j, s] = 0
