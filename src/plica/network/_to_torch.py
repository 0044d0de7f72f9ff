"""A network as a torch module: the same graph, the same numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica.errors import InvalidInput
from plica.network import operations as ops
from plica.network._network import Network, Node

if TYPE_CHECKING:
    import torch


def to_torch(network: Network, *, dtype: torch.dtype | None = None) -> torch.nn.Module:
    """The network as a torch module in eval mode, in float64 unless another floating-point type is given.

    A chain of linear layers and ReLUs becomes an ``nn.Sequential``; any other graph a module that follows it node by node. The
    weights are parameters under the names of their layers; :func:`plica.from_torch` reads the module back.

    Examples
    --------
    >>> import torch
    >>> from plica.network import random_network
    >>> to_torch(random_network([2, 3, 1], seed=0), dtype=torch.float32)
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
      (2): Linear(in_features=3, out_features=1, bias=True)
    )
    """
    import torch
    from torch import nn

    if not isinstance(network, Network):
        raise InvalidInput(f"to_torch takes a Network, got {type(network).__name__}.")
    kind = torch.float64 if dtype is None else dtype
    if not isinstance(kind, torch.dtype) or not kind.is_floating_point:
        raise InvalidInput(f"dtype must be a floating-point type of torch, got {dtype!r}.")
    if _is_chain(network):
        return nn.Sequential(*(_layer(node, kind) for node in network.nodes[1:])).eval()
    return _graph_module(network, kind)


def _is_chain(network: Network) -> bool:
    """Whether the network is linear layers and ReLUs one after the other."""
    return len(network.input_shape) == 1 and all(
        node.inputs == (i,)
        and (isinstance(node.op, ops.Linear) or (isinstance(node.op, ops.Rectifier) and not node.op.slope.any()))
        for i, node in enumerate(network.nodes[1:])
    )


def _layer(node: Node, dtype: torch.dtype) -> torch.nn.Module:
    import torch
    from torch import nn

    if not isinstance(node.op, ops.Linear):
        return nn.ReLU()
    n_out, n_in = node.op.weight.shape
    layer = nn.Linear(n_in, n_out, bias=node.op.bias is not None, dtype=dtype, device="meta").to_empty(device="cpu")
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(np.ascontiguousarray(node.op.weight)))
        if node.op.bias is not None:
            layer.bias.copy_(torch.from_numpy(np.ascontiguousarray(node.op.bias)))
    return layer


def _graph_module(network: Network, dtype: torch.dtype) -> torch.nn.Module:
    import torch
    from torch import nn

    class GraphNetwork(nn.Module):
        """A network node by node."""

        def __init__(self) -> None:
            super().__init__()
            for i, node in enumerate(network.nodes):
                for label, array in node.op.arrays().items():
                    tensor = torch.from_numpy(np.array(array))
                    if array.dtype.kind == "f":
                        self.register_parameter(f"{label}{i}", nn.Parameter(tensor.to(dtype)))
                    elif isinstance(node.op, ops.Max):
                        first = tensor[..., :1]
                        self.register_buffer(f"{label}{i}", torch.where(tensor < 0, first, tensor))
                    else:
                        self.register_buffer(f"{label}{i}", tensor)

        def forward(self, x: Any) -> Any:
            values = [x]
            for i, node in enumerate(network.nodes[1:], start=1):
                arrays = {label: getattr(self, f"{label}{i}") for label in node.op.arrays()}
                values.append(_apply(node, [values[j] for j in node.inputs], arrays))
            return values[-1]

    return GraphNetwork().eval()


def _apply(node: Node, xs: list[Any], arrays: dict[str, Any]) -> Any:
    """One operation on tensors with a batch axis."""
    import torch
    from torch.nn import functional

    op, x = node.op, xs[0]
    if isinstance(op, ops.Linear):
        return functional.linear(x, arrays["weight"], arrays.get("bias"))
    if isinstance(op, ops.Conv):
        pads = [p for pair in reversed(op.padding) for p in pair]
        convolve = functional.conv1d if op.n_spatial == 1 else functional.conv2d
        padded = functional.pad(x, pads) if any(pads) else x
        return convolve(padded, arrays["weight"], arrays.get("bias"), op.stride, 0, op.dilation, op.groups)
    if isinstance(op, ops.Scale):
        scaled = x * arrays["factor"]
        return scaled + arrays["offset"] if "offset" in arrays else scaled
    if isinstance(op, ops.WindowSum):
        axis = op.axis + 1
        windows = zip(op.starts, op.stops, strict=True)
        sums = [x[(slice(None),) * axis + (slice(a, b),)].sum(dim=axis, keepdim=True) for a, b in windows]
        return torch.cat(sums, dim=axis)
    if isinstance(op, ops.Reshape):
        return torch.reshape(x, (-1, *op.shape))
    if isinstance(op, ops.Permute):
        return x.permute(0, *(a + 1 for a in op.axes))
    if isinstance(op, ops.Pad):
        return functional.pad(x, [p for pair in reversed(op.padding) for p in pair])
    if isinstance(op, ops.Gather):
        return torch.reshape(torch.flatten(x, 1).index_select(1, arrays["indices"].reshape(-1)), (-1, *node.shape))
    if isinstance(op, ops.Concat):
        return torch.cat(xs, dim=op.axis + 1)
    if isinstance(op, ops.Add):
        total = x
        for other in xs[1:]:
            total = total + other
        return total
    if isinstance(op, ops.Rectifier):
        return _rectified(op, x, arrays["slope"])
    if isinstance(op, ops.Clip):
        return torch.clamp(x, op.low, op.high)
    assert isinstance(op, ops.Max)
    members = torch.flatten(x, 1).index_select(1, arrays["groups"].reshape(-1))
    return torch.amax(torch.reshape(members, (-1, *op.groups.shape)), dim=-1)


def _rectified(op: ops.Rectifier, x: Any, slope: Any) -> Any:
    import torch
    from torch.nn import functional

    if not op.slope.any():
        return torch.relu(x)
    if (op.slope == -1).all():
        return torch.abs(x)
    if op.slope.size == 1:
        return functional.leaky_relu(x, float(op.slope.reshape(-1)[0]))
    channels = op.slope.shape[0]
    if op.slope.size == channels and op.slope.ndim == x.ndim - 1:
        return functional.prelu(x, slope.reshape(-1))
    return torch.relu(x) - slope * torch.relu(-x)
