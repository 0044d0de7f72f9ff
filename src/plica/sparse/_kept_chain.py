"""Training of which masks are no burden: a chain of dense layers where weights that are taken away do not exist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.errors import UnsupportedLayer
from plica.sparse import _kept_kernels as kernels
from plica.sparse._masks import checked

if TYPE_CHECKING:
    from torch import Tensor, nn

SPARSE_BELOW = 0.12
"""Layers with a smaller share of their weights are stored by rows of kept weights; others are multiplied out, zeros included."""


class KeptLayer:
    """Weights and biases as parts of a vector, and what they do to a batch of columns."""

    def __init__(self, weight: Array, mask: Array) -> None:
        self.mask, self.shape = mask, weight.shape
        self.is_sparse = bool(mask.mean() < SPARSE_BELOW)
        self.places = np.flatnonzero(mask) if self.is_sparse else np.arange(mask.size)
        self._keep = None if self.is_sparse or mask.all() else mask.astype(np.float32)
        self._offsets = np.concatenate([[0], np.cumsum(mask.sum(axis=1))]) if self.is_sparse else np.zeros(0, dtype=np.int64)
        self._columns = (self.places % mask.shape[1]).astype(np.int32)

    def bind(self, weights: Array, biases: Array) -> None:
        """The parts of the vector that are this layer's."""
        self.weights, self.biases = weights, biases
        self._matrix = weights if self.is_sparse else weights.reshape(self.shape)

    def forward(self, x: Array) -> Array:
        if not self.is_sparse:
            return self._matrix @ x + self.biases[:, None]
        out = np.empty((self.shape[0], x.shape[1]), dtype=np.float32)
        kernels.forward(self._offsets, self._columns, self.weights, self.biases, x, out)
        return out

    def backward(self, delta: Array, x: Array, out: Array) -> None:
        """The derivatives by kept weights, into a part of the gradient."""
        if self.is_sparse:
            kernels.backward_weights(self._offsets, self._columns, delta, x, np.empty(x.shape[1], dtype=np.float32), out)
            return
        matrix = out.reshape(self.shape)
        np.matmul(delta, x.T, out=matrix)
        if self._keep is not None:
            matrix *= self._keep

    def inputs(self, delta: Array, hidden: Array) -> Array:
        """The derivatives by what went in, behind a ReLU."""
        if not self.is_sparse:
            return (self._matrix.T @ delta) * (hidden > 0)
        out = np.empty((self.shape[1], delta.shape[1]), dtype=np.float32)
        kernels.backward_inputs(self._offsets, self._columns, self.weights, delta, hidden, out)
        return out


class KeptChain:
    """Kept weights and biases of a chain of dense layers with ReLU between them, as one vector for a stepper to move.

    Where few weights are left, products run over those alone, and an optimizer moves and remembers no others. The loss is the
    cross-entropy. The steps are those of :func:`plica.learn.fit` with :func:`plica.sparse.kept` masks, up to rounding.

    Parameters
    ----------
    model
        A ``torch.nn.Sequential`` of ``Linear`` layers of float32 with ``ReLU`` between, perhaps after ``Flatten``.
    masks
        One for each matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from plica.learn import Adam, Stepper, mlp
    >>> from plica.sparse import prune
    >>> model = mlp([64, 100, 10], seed=0)
    >>> chain = KeptChain(model, prune(model, "random", 0.05))
    >>> chain.vector.shape  # 5 percent of 7,400 weights, and 110 biases
    (480,)
    >>> x, y = np.random.default_rng(0).random((64, 5), dtype=np.float32), np.arange(5)  # five inputs, as columns
    >>> stepper = Stepper([chain.vector], lambda step: chain.gradient(x, y), optimizer=Adam(), rate=lambda step: 0.1)
    >>> losses = [stepper.advance() for _ in range(100)]
    >>> losses[-1] < losses[0] / 10
    True
    """

    def __init__(self, model: nn.Module, masks: Mapping[str, Tensor]) -> None:
        self.linears = linear_layers(model)
        by_parameter = {id(p): mask for p, mask in checked(model, masks).values()}
        matrices = [layer.weight.detach().numpy() for layer in self.linears]
        kept = [by_parameter[id(layer.weight)].numpy() if id(layer.weight) in by_parameter else None for layer in self.linears]
        self.layers = [
            KeptLayer(w, np.ones(w.shape, dtype=bool) if m is None else m) for w, m in zip(matrices, kept, strict=True)
        ]
        parts: list[Array] = []
        for layer, linear in zip(self.layers, self.linears, strict=True):
            weight = linear.weight.detach().numpy() * layer.mask
            parts += [weight.reshape(-1)[layer.places], linear.bias.detach().numpy()]
        self.vector = np.concatenate(parts).astype(np.float32)
        self.n_right = 0  # of the last batch
        self._ends = np.cumsum([len(part) for part in parts])
        self._gradient = np.zeros_like(self.vector)
        for layer, (w, b) in zip(self.layers, self._parts(self.vector), strict=True):
            layer.bind(w, b)

    def _parts(self, vector: Array) -> list[tuple[Array, Array]]:
        parts = np.split(vector, self._ends[:-1])
        return list(zip(parts[::2], parts[1::2], strict=True))

    def outputs(self, x: Array) -> Array:
        """What the chain makes of inputs that are columns, as columns."""
        for layer in self.layers[:-1]:
            x = np.maximum(layer.forward(x), 0)
        return self.layers[-1].forward(x)

    def gradient(self, x: Array, y: Array) -> tuple[float, list[Array]]:
        """The mean cross-entropy of columns, and its derivative by the vector; the next call writes over it."""
        stages = [x]
        for layer in self.layers[:-1]:
            value = layer.forward(stages[-1])
            stages.append(np.maximum(value, 0, out=value))
        out = self.layers[-1].forward(stages[-1])
        self.n_right = int((out.argmax(axis=0) == y).sum())
        loss, delta = cross_entropy(out, y)
        parts = self._parts(self._gradient)
        for i in range(len(self.layers) - 1, -1, -1):
            self.layers[i].backward(delta, stages[i], parts[i][0])
            parts[i][1][:] = delta.sum(axis=1)
            if i:
                delta = self.layers[i].inputs(delta, stages[i])
        return loss, [self._gradient]

    def write(self) -> None:
        """Put the vector into the module."""
        import torch

        for layer, linear in zip(self.layers, self.linears, strict=True):
            flat = np.zeros(layer.mask.size, dtype=np.float32)
            flat[layer.places] = layer.weights
            with torch.no_grad():
                linear.weight.copy_(torch.from_numpy(flat.reshape(layer.shape) * layer.mask))
                linear.bias.copy_(torch.from_numpy(layer.biases))


def cross_entropy(out: Array, y: Array) -> tuple[float, Array]:
    """Of columns of outputs, and its derivative."""
    n = out.shape[1]
    out = out - out.max(axis=0)
    weights = np.exp(out)
    total = weights.sum(axis=0)
    loss = float((np.log(total) - out[y, np.arange(n)]).mean())
    weights /= total * n
    weights[y, np.arange(n)] -= np.float32(1 / n)
    return loss, weights


def linear_layers(model: nn.Module) -> Sequence[Any]:
    """The layers of a chain; others are refused."""
    if not is_dense_chain(model):
        raise UnsupportedLayer(
            "not a chain of dense layers of float32 with biases and ReLU between.",
            hint="plica.learn.fit within plica.sparse.kept",
        )
    return _parts(model)[::2]


def is_dense_chain(model: nn.Module) -> bool:
    """Whether a module is what :class:`KeptChain` takes."""
    import torch
    from torch import nn

    parts = _parts(model)
    layers = parts[::2]
    return (
        len(parts) % 2 == 1
        and all(isinstance(m, nn.Linear) and m.bias is not None and m.weight.dtype == torch.float32 for m in layers)
        and all(isinstance(m, nn.ReLU) for m in parts[1::2])
    )


def _parts(model: nn.Module) -> list[Any]:
    from torch import nn

    return [m for m in model.children() if not isinstance(m, nn.Flatten)] if isinstance(model, nn.Sequential) else []
