"""The Jacobian of one network at a point, and its singular values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.network import Network


@dataclass(frozen=True, eq=False)
class Jacobian:
    """The derivative of a network at a point.

    Attributes
    ----------
    matrix
        (outputs, inputs); for a piecewise-linear network the linear part of the cell that holds the point.
    singular_values
        In decreasing order.
    """

    matrix: Array
    singular_values: Array

    @property
    def norm(self) -> float:
        """The largest singular value: the Lipschitz constant around the point."""
        return float(self.singular_values[0])

    @property
    def moments(self) -> tuple[float, float]:
        """Mean and variance of the squared singular values, counting zeros up to the number of outputs."""
        squared = np.zeros(len(self.matrix))
        squared[: len(self.singular_values)] = self.singular_values[: len(squared)] ** 2
        return float(squared.mean()), float(squared.var())

    def __repr__(self) -> str:
        rows, columns = self.matrix.shape
        top, bottom = self.singular_values[0], self.singular_values[-1]
        return f"<Jacobian {rows} x {columns}: singular values from {top:.4g} to {bottom:.4g}>"

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        mean, variance = self.moments
        squares = {"mean of squares": mean, "variance of squares": variance}
        return facts_html(
            self, {"shape": self.matrix.shape, "norm": self.norm, "singular_values": self.singular_values} | squares
        )


def jacobian(network: Any, x: Any, *, layer: int | None = None, input_shape: Sequence[int] | None = None) -> Jacobian:
    """The Jacobian of a network at a point, with its singular values.

    Parameters
    ----------
    network
        A :class:`plica.Network` or a torch module.
    x
        The point.
    layer
        Stop after this layer of a Network (its activations are the outputs), counted from 0.
    input_shape
        Of one input of a torch module, if it is not a plain vector.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([3, 3, 3], seed=0, weights="orthogonal", activation="abs")
    >>> jacobian(net, [0.1, 0.2, 0.3])
    <Jacobian 3 x 3: singular values from 1 to 1>
    """
    point = np.asarray(x, dtype=float).reshape(-1)
    if not point.size or not np.isfinite(point).all():
        raise InvalidInput("the point must be finite numbers, at least one.")
    if isinstance(network, Network):
        matrix = _of_network(network, point, layer)
    else:
        if layer is not None:
            raise InvalidInput("layer= is for a plica Network.", hint="give the part of the module that you mean")
        matrix = _of_module(network, point, input_shape)
    if not np.isfinite(matrix).all():
        raise InvalidInput("the Jacobian holds NaN or infinity.")
    return Jacobian(matrix, np.linalg.svd(matrix, compute_uv=False))


def _of_network(network: Network, point: Array, layer: int | None) -> Array:
    if point.size != network.n_inputs:
        raise InvalidInput(f"the network takes {network.n_inputs} inputs, the point has {point.size}.")
    if layer is not None:
        if isinstance(layer, bool) or not isinstance(layer, int | np.integer) or not 0 <= layer < len(network.layers):
            raise InvalidInput(f"there is no layer {layer!r}; the network has {len(network.layers)}, counted from 0.")
        network = Network(network.nodes[: network.layers[layer] + 1])
    return network.linearize(network.pattern(point))[0]


def _of_module(module: Any, point: Array, input_shape: Sequence[int] | None) -> Array:
    import copy
    import sys

    torch = sys.modules.get("torch")  # a module can only exist where torch was imported
    if torch is None or not isinstance(module, torch.nn.Module):
        raise InvalidInput(f"expected a Network or a torch module, got {type(module).__name__}.")
    shape = (point.size,) if input_shape is None else tuple(input_shape)
    if int(np.prod(shape)) != point.size:
        raise InvalidInput(f"an input of shape {shape} does not have {point.size} entries.")
    twin = copy.deepcopy(module).double()

    def function(row: Any) -> Any:
        return twin(row.reshape(1, *shape)).reshape(-1)

    matrix = torch.autograd.functional.jacobian(function, torch.as_tensor(point, dtype=torch.float64))
    return np.asarray(matrix.detach().numpy())
