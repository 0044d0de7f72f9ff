"""Walking a traced graph: every node becomes nodes of a Network, a constant or a size."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import fx, nn

from plica.errors import InvalidNetwork, UnsupportedLayer
from plica.network._lowering import BATCH, CURVED, SMOOTH, CannotLower, Lowering, Unavailable, Wire
from plica.network._torch_functions import FUNCTIONS, Extrema
from plica.network._torch_modules import call_of
from plica.network._torch_shapes import QUERIES, VIEWS
from plica.network._torch_trace import Traced, changes_in_place, function_name

_RANDOM = frozenset("rand randn randint randperm bernoulli normal multinomial poisson rand_like randn_like randint_like".split())
_SHARING = frozenset(VIEWS) | {"dropout", "dropout1d", "dropout2d", "alpha_dropout", "feature_dropout", "feature_alpha_dropout"}


class Memory:
    """What several tensors share when one is a view of another; counts the changes made in place."""

    def __init__(self) -> None:
        self.version = 0


class Tensor:
    """A tensor of the traced code. In-place operations change which node it stands for, under all its names."""

    def __init__(self, wire: Wire, memory: Memory) -> None:
        self.wire, self.memory, self.version = wire, memory, memory.version

    def read(self) -> Wire:
        if self.version != self.memory.version:
            raise CannotLower("it reads a tensor that was changed in place through another view of it")
        return self.wire

    def write(self, wire: Wire) -> None:
        self.read()
        if wire.shape != self.wire.shape:
            raise CannotLower("it changes the shape of a tensor in place")
        self.memory.version += 1
        self.wire, self.version = wire, self.memory.version


def constant_tensor(value: torch.Tensor) -> torch.Tensor:
    """Weights as float64 on the CPU, exactly; integers stay integers."""
    value = value.detach()
    value = value if value.layout == torch.strided else value.to_dense()
    return value.to("cpu", torch.float64) if value.is_floating_point() else value.to("cpu")


def _each(value: Any, convert: Callable[[Any], Any]) -> Any:
    """``convert`` applied to the leaves of tuples, lists, dicts and slices."""
    if isinstance(value, Extrema):
        return Extrema(*(_each(v, convert) for v in value))
    if isinstance(value, tuple | list):
        return (list if type(value) is list else tuple)(_each(v, convert) for v in value)
    if isinstance(value, dict):
        return {k: _each(v, convert) for k, v in value.items()}
    if isinstance(value, slice):
        return slice(*(_each(v, convert) for v in (value.start, value.stop, value.step)))
    return convert(value)


def _leaves(value: Any) -> list[Any]:
    found: list[Any] = []
    _each(value, found.append)
    return found


class Interpreter:
    """Lowers the nodes of one traced module in the order of execution."""

    def __init__(self, traced: Traced, low: Lowering) -> None:
        self.traced, self.low = traced, low
        self.values: dict[fx.Node, Any] = {}
        self.layer = 0

    def run(self, stop: fx.Node | None = None) -> Wire:
        """The output of the graph; or, with ``stop``, the first argument of that node just before it acts."""
        needed = self._needed(stop)
        for node in self.traced.graph.nodes:
            if stop is not None and node is stop:
                return self._single(stop.args[0] if stop.args else None)
            if node in needed and node.op != "output":
                self.values[node] = self._value(node)
        return self._single(self.traced.outputs)

    def _needed(self, stop: fx.Node | None) -> set[fx.Node]:
        """Everything the result depends on, changes in place included; asserts and dead code are left out."""
        nodes = list(self.traced.graph.nodes)
        nodes = nodes[: nodes.index(stop) + 1] if stop else nodes
        needed: set[fx.Node] = {n for n in _leaves(self.traced.outputs) if isinstance(n, fx.Node)} if not stop else {stop}
        needed |= {n for n in nodes if n.op not in ("placeholder", "output") and changes_in_place(n, self.traced.root)}
        for node in reversed(nodes):
            if node in needed and node.op != "output":
                needed.update(node.all_input_nodes)
        return needed - ({stop} if stop else set())

    def _single(self, outputs: Any) -> Wire:
        values = [self.values[n] if isinstance(n, fx.Node) else n for n in _leaves(outputs)]
        values = [v for value in values for v in _leaves(value) if isinstance(v, Tensor | torch.Tensor)]
        if len(values) != 1:
            raise InvalidNetwork(
                f"the module returns {len(values)} tensors, expected one.", hint="choose one: plica.from_torch(model, output=...)"
            )
        if isinstance(values[0], Tensor):
            try:
                return values[0].read()
            except CannotLower as reason:
                raise UnsupportedLayer(
                    f"the output cannot be read: {reason}.", hint="use the form that is not in place"
                ) from None
        self.low.name = "output"
        return self.low.constant(values[0].numpy())

    def _value(self, node: fx.Node) -> Any:
        if node in self.traced.constants:
            value = self.traced.constants[node]
            return constant_tensor(value) if isinstance(value, torch.Tensor) else value
        if node.op == "placeholder":
            return Tensor(self.low.input, Memory())
        if node.op == "get_attr":
            raise UnsupportedLayer(
                f"{str(node.target)!r} is a graph inside the graph.", hint="remove branches that depend on values"
            )
        self.low.name = self.traced.names[node]
        args, kwargs = fx.node.map_arg((node.args, node.kwargs), lambda n: self.values[n])
        try:
            return self._call(node, list(args), dict(kwargs))
        except CannotLower as reason:
            raise self._refuse(node, str(reason)) from None

    def _call(self, node: fx.Node, args: list[Any], kwargs: dict[str, Any]) -> Any:
        in_place = changes_in_place(node, self.traced.root)
        if node.op == "call_module":
            module = self.traced.root.get_submodule(str(node.target))
            name, extra, options = self._call_of_module(module, node)
            if len(args) + len(kwargs) != 1:
                raise CannotLower("it is called with several inputs")
            return self._lower(name, [*args, *kwargs.values(), *extra], options, in_place)
        name = function_name(node)
        for value in _leaves([args, kwargs]) if name not in ("getattr", "getitem") else ():
            if isinstance(value, Unavailable):
                raise CannotLower(value.what)
        if name == "getattr":
            return self._attribute(*args)
        if name == "getitem" and not isinstance(args[0], Tensor):
            return args[0][args[1]]
        if not any(isinstance(v, Tensor) for v in _leaves([args, kwargs])):
            return self._fold(node, name, args, kwargs, in_place)
        if isinstance(node.target, torch._ops.OpOverload) or node.target is torch.batch_norm:
            name = f"aten_{name}" if f"aten_{name}" in FUNCTIONS else name
        return self._lower(name, args, kwargs, in_place)

    def _call_of_module(self, module: nn.Module, node: fx.Node) -> Any:
        call = call_of(module)
        if call is None:
            raise self._refuse(node)
        if module._forward_hooks or module._forward_pre_hooks:
            raise CannotLower("it has forward hooks, which may change what it computes; remove them first")
        return call

    def _attribute(self, value: Any, name: str) -> Any:
        if not isinstance(value, Tensor):
            return getattr(value, name)
        wire = value.read()
        simple = {
            "shape": torch.Size(wire.full_shape),
            "ndim": len(wire.full_shape),
            "dtype": torch.float64,
            "device": torch.device("cpu"),
        }
        if name in simple:
            return simple[name]
        if name in ("T", "mT", "H", "mH"):
            return self._lower(name, [value], {}, False)
        raise CannotLower(f"its attribute {name!r} is not known")

    def _fold(self, node: fx.Node, name: str, args: list[Any], kwargs: dict[str, Any], in_place: bool) -> Any:
        """A call that does not depend on the input is made as it stands, in float64."""
        if name in _RANDOM:
            raise CannotLower("it draws random numbers")
        if in_place:
            raise CannotLower("it changes a stored tensor in place")
        if node.op == "call_function" and getattr(node.target, "__module__", "") not in ("_operator", "builtins", "math"):
            if name in ("zeros", "ones", "full"):
                args, kwargs = _each([args, kwargs], lambda v: 1 if type(v) is int and v == BATCH else v)
            if any(type(v) is int and v >= BATCH and v != 2**63 - 1 for v in _leaves([args, kwargs])):
                raise CannotLower("it makes a tensor as large as the batch")
        target: Any = getattr(args.pop(0), str(node.target)) if node.op == "call_method" else node.target
        try:
            with torch.no_grad():
                result = target(*args, **kwargs)
        except Exception as error:  # an error of the traced code
            raise CannotLower(f"it fails: {error}") from error
        return _each(result, lambda v: constant_tensor(v) if isinstance(v, torch.Tensor) else v)

    def _lower(self, name: str, args: list[Any], kwargs: dict[str, Any], in_place: bool) -> Any:
        function = FUNCTIONS.get(name)
        if function is None:
            raise CannotLower("")
        tensors = [v for v in _leaves([args, kwargs]) if isinstance(v, Tensor)]
        args, kwargs = _each([args, kwargs], self._plain)
        try:
            inspect.signature(function).bind(self.low, *args, **kwargs)
        except TypeError:
            raise CannotLower("it is called with arguments that are not known") from None
        try:
            result = function(self.low, *args, **kwargs)
        except (ValueError, TypeError, IndexError, AttributeError, ZeroDivisionError) as error:
            raise CannotLower(f"its arguments make no sense: {error}") from error
        if name in QUERIES:
            return torch.Size(result) if isinstance(result, tuple) else result
        self.layer += 1
        if in_place:
            if not isinstance(args[0], Wire) or not isinstance(result, Wire):
                raise CannotLower("it changes a stored tensor in place")
            tensors[0].write(result)
            return tensors[0]
        shared = tensors[0].memory if name in _SHARING else None
        return _each(result, lambda v: self._wrap(v, shared))

    @staticmethod
    def _plain(value: Any) -> Any:
        """Values as the lowering functions take them."""
        if isinstance(value, torch.Tensor):
            return np.array(constant_tensor(value).numpy())
        return value.read() if isinstance(value, Tensor) else value

    @staticmethod
    def _wrap(value: Any, shared: Memory | None) -> Any:
        if isinstance(value, Wire):
            return Tensor(value, shared or Memory())
        return torch.from_numpy(value) if isinstance(value, np.ndarray) else value

    def _refuse(self, node: fx.Node, reason: str = "") -> UnsupportedLayer:
        name, kind = self.traced.names[node], self.traced.kinds[node]
        if not reason:
            curved = kind.lower().replace("_", "") in CURVED
            reason = "which is not piecewise linear" if curved else "which is not a layer Plica knows"
            reason = f", {reason}"
        else:
            reason = f": {reason}"
        hint = f"decompose the part before it: plica.from_torch(model, until={name!r})"
        if kind.lower() in SMOOTH:
            hint += "; or take a network below and one above it: plica.sandwich(model)"
        return UnsupportedLayer(f"layer {self.layer} ({name!r}) is {kind}{reason}.", hint=hint)
