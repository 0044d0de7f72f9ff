"""From a torch module to a Network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from plica.errors import InvalidInput, InvalidNetwork, UnsupportedLayer
from plica.network._lowering import BATCH, Lowering
from plica.network._network import Network
from plica.network.operations import Shape

if TYPE_CHECKING:
    from torch import Tensor, fx, nn
    from torch.export import ExportedProgram

    from plica.network._torch_trace import Traced


def from_torch(
    module: nn.Module | ExportedProgram,
    *,
    example_input: Any = None,
    until: str | None = None,
    fixed: Mapping[str, Any] | None = None,
    output: Any = None,
    quantized: str | None = None,
) -> Network:
    """Convert a torch module or a program of ``torch.export``; the network computes what it computes in eval mode, in float64.

    The module is traced by torch.fx (by torch.export where its code has loops or branches over sizes) and left as it is.
    Weights of lower precision are converted exactly. Batch norms become a factor and a shift computed in float64.

    Parameters
    ----------
    module
        Any module built from linear layers, convolutions, batch norms, pooling, piecewise-linear activations, shape changes,
        sums and concatenations. The batch axis comes first and is kept apart. Or a program that ``torch.export.export`` made of
        such a module in eval mode, with a batch of two or of any size.
    example_input
        A tensor the module accepts, with batch axis; only its shape is used. Not needed if the module starts with a linear layer.
    until
        The name of a layer as ``module.named_modules()`` gives it, or as the error message names it: the network's output is
        then the *input* of that layer.
    fixed
        Values of all arguments of ``forward`` but one, by name, where it takes several.
    output
        Which output is wanted, where the module returns several: an index or key, or a tuple of them.
    quantized
        Layers that torch computes in integers round what goes in and out of them, in steps that no network here has, and are
        refused; with ``"weights"`` their weights are taken as stored, integers times a scale, and nothing else is rounded.

    Raises
    ------
    UnsupportedLayer
        A layer is not piecewise linear, or not known.
    InvalidNetwork
        Train mode with dropout or batch norm, weights that are NaN, infinite, complex or uninitialized, shapes that don't fit.

    Examples
    --------
    >>> import torch
    >>> from torch import nn
    >>> from_torch(nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1)))
    <Network 2 -> 8 -> 1, 8 neurons, ... parameters>
    >>> model = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.LayerNorm(8))
    >>> from_torch(model)
    Traceback (most recent call last):
        ...
    plica.errors.UnsupportedLayer: layer 2 ('2') is LayerNorm, which is not piecewise linear.
      hint: decompose the part before it: plica.from_torch(model, until='2')
    >>> from_torch(model, until="2").output_shape
    (8,)
    """
    from torch.export import ExportedProgram

    from plica.network import _torch_checks as checks
    from plica.network import _torch_trace as trace
    from plica.network._torch_quantized import as_stored, check_choice

    example = _example(example_input)
    if isinstance(module, ExportedProgram):
        traced, shape = trace.program_of(module, fixed or {})
        if output is not None:
            traced.outputs = _chosen(traced.outputs, output)
        return _lowered(traced, shape if example is None else tuple(example.shape[1:]), until)
    module = checks.unwrap(module)
    check_choice(quantized)
    module = as_stored(module) if quantized else module
    checks.check(module)
    try:
        traced = trace.by_fx(module, until, fixed or {})
    except (UnsupportedLayer, InvalidInput):
        raise
    except Exception as fx_error:  # any error of the traced code: let torch.export try
        if example is None or fixed:
            raise trace.refuse_tracing(fx_error, None) from fx_error
        traced = _exported(module, example, fx_error)
    if output is not None:
        traced.outputs = _chosen(traced.outputs, output)
    return _lowered(traced, None if example is None else tuple(example.shape[1:]), until)


def _chosen(outputs: Any, output: Any) -> Any:
    for key in output if isinstance(output, tuple) else (output,):
        try:
            outputs = outputs[key]
        except (TypeError, KeyError, IndexError):
            raise InvalidInput(f"the module returns no tensor {output!r}.", hint=f"it returns {outputs}") from None
    return outputs


def _exported(module: nn.Module, example: Tensor, fx_error: Exception) -> Traced:
    from plica.network import _torch_trace as trace

    try:
        return trace.by_export(module, example)
    except Exception as export_error:  # whatever torch.export raises: tell the user both reasons
        raise trace.refuse_tracing(fx_error, export_error) from export_error


def _example(example_input: Any) -> Tensor | None:
    import torch

    if example_input is None:
        return None
    try:
        example = torch.as_tensor(example_input)
    except (TypeError, ValueError, RuntimeError):
        raise InvalidInput(f"example_input is a {type(example_input).__name__}, expected a tensor or an array.") from None
    if example.ndim < 2 or 0 in example.shape:
        raise InvalidInput(
            f"example_input has shape {tuple(example.shape)}; it needs a batch axis in front and at least one entry.",
            hint="for one image of shape (3, 32, 32) give torch.zeros(1, 3, 32, 32)",
        )
    return example


def _lowered(traced: Traced, shape: Shape | None, until: str | None) -> Network:
    from plica.network._torch_graph import Interpreter
    from plica.network._torch_trace import stop_before

    if traced.outputs is traced.input and until is not None:
        raise InvalidInput(f"layer {until!r} is the first one: nothing comes before it.")
    is_given = shape is not None
    shape = _inferred_shape(traced) if shape is None else shape
    low = Lowering(shape)
    low.batch = traced.batch or BATCH
    reached = until is not None and not any(n.op == "output" for n in traced.graph.nodes)
    stop = stop_before(traced, until) if until is not None and not reached else None
    try:
        with np.errstate(all="ignore"):  # what overflows is infinite, and refused by name when its layer is added
            output = Interpreter(traced, low).run(stop)
    except InvalidNetwork as error:
        source = "from example_input" if is_given else "read off the first linear layer; if it is wrong pass example_input"
        hint = f"{error.hint + '; ' if error.hint else ''}the input shape is {shape}, {source}"
        raise InvalidNetwork(error.message, hint=hint) from None
    if output.index == 0 and until is not None:
        raise InvalidInput(f"layer {until!r} is the first one: nothing comes before it.")
    return low.build(output)


_TRANSPARENT = frozenset("flatten dropout contiguous float double to view reshape identity batchnorm1d relu".split())


def _inferred_shape(traced: Traced) -> Shape:
    """The input shape of a module that starts with a linear layer, possibly after flattening."""
    front, seen = [traced.input], set()
    first: fx.Node | None = None
    while front:
        node = front.pop(0)
        for user in node.users:
            width = _input_width(traced, user, node)
            if width is not None:
                return (width,)
            kind = traced.kinds[user].lower()
            if kind not in ("size", "getattr", "dim", "_assert"):
                first = first or user
            if kind in _TRANSPARENT and user not in seen:
                seen.add(user)
                front.append(user)
    what = (
        "nothing depends on its input" if first is None else f"its first layer {traced.names[first]!r} is {traced.kinds[first]}"
    )
    raise InvalidInput(
        f"the input shape cannot be read off the module: {what}.",
        hint=f"pass example_input, for example torch.zeros({_suggestion(traced, first)})",
    )


def _input_width(traced: Traced, node: fx.Node, source: fx.Node) -> int | None:
    from torch import Tensor, nn

    if node.op == "call_module":
        module = traced.root.get_submodule(str(node.target))
        return module.in_features if isinstance(module, nn.Linear) else None
    if traced.kinds[node] == "linear" and node.args[0] is source:
        weight: Any = node.args[1] if len(node.args) > 1 else node.kwargs.get("weight")
        value = traced.constants.get(weight)
        if isinstance(value, Tensor) and value.ndim == 2:
            return int(value.shape[1])
    return None


def _suggestion(traced: Traced, first: fx.Node | None) -> str:
    from torch import nn

    module = traced.root.get_submodule(str(first.target)) if first is not None and first.op == "call_module" else None
    if isinstance(module, nn.Conv1d):
        return f"1, {module.in_channels}, length"
    if isinstance(module, nn.Conv2d):
        return f"1, {module.in_channels}, height, width"
    return "1, 3, 32, 32"
