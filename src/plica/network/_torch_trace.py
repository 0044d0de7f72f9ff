"""A torch module as a graph of calls: by torch.fx, or by torch.export where fx cannot follow the code."""

from __future__ import annotations

import inspect
import operator
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch
from torch import fx, nn

from plica.errors import InvalidInput, UnsupportedLayer

IN_PLACE = {operator.iadd: "add", operator.isub: "sub", operator.imul: "mul", operator.itruediv: "div"}


@dataclass
class Traced:
    """A graph, where its constants are, and what to call its nodes."""

    graph: fx.Graph
    root: nn.Module
    constants: dict[fx.Node, Any]
    """Values of the nodes that are not computed: weights, and arguments with defaults."""
    outputs: Any
    """What the graph returns: nodes, possibly in a structure."""
    batch: int | None = None
    names: dict[fx.Node, str] = field(default_factory=dict)
    kinds: dict[fx.Node, str] = field(default_factory=dict)

    @property
    def input(self) -> fx.Node:
        free: list[fx.Node] = [n for n in self.graph.nodes if n.op == "placeholder" and n not in self.constants]
        if len(free) != 1:
            raise InvalidInput(
                f"the module takes {len(free)} inputs, expected one.",
                hint="give the values of the others: plica.from_torch(model, fixed={name: tensor})",
            )
        return free[0]


class _Reached(Exception):
    """Tracing arrived at the layer the caller wants to stop before."""


class _Proxy(fx.Proxy):
    """fx records ``y += x`` as ``y = y + x``; in torch it also changes every other name of y."""

    def __iadd__(self, other: Any) -> Any:
        return self.tracer.create_proxy("call_function", operator.iadd, (self, other), {})

    def __isub__(self, other: Any) -> Any:
        return self.tracer.create_proxy("call_function", operator.isub, (self, other), {})

    def __imul__(self, other: Any) -> Any:
        return self.tracer.create_proxy("call_function", operator.imul, (self, other), {})

    def __itruediv__(self, other: Any) -> Any:
        return self.tracer.create_proxy("call_function", operator.itruediv, (self, other), {})


class _Tracer(fx.Tracer):
    def __init__(self, until: str | None) -> None:
        super().__init__()
        self.until = until
        self.reached: fx.Node | None = None

    def proxy(self, node: fx.Node) -> fx.Proxy:
        return _Proxy(node, self)

    def call_module(self, m: nn.Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.until is not None and self.path_of_module(m) == self.until:
            first = [*args, *kwargs.values()]
            if len(first) != 1 or not isinstance(first[0], fx.Proxy):
                raise InvalidInput(f"layer {self.until!r} takes {len(first)} inputs, so no single tensor comes before it.")
            self.reached = first[0].node
            raise _Reached
        return super().call_module(m, forward, args, kwargs)


def by_fx(module: nn.Module, until: str | None = None, fixed: Mapping[str, Any] | None = None) -> Traced:
    """Trace by torch.fx; leaf modules stay whole. Stops at the module named ``until``; ``fixed`` inputs are constant."""
    fixed = fixed or {}
    parameters = list(inspect.signature(module.forward).parameters.values())
    unknown = set(fixed) - {p.name for p in parameters}
    if unknown:
        raise InvalidInput(f"the module has no input {min(unknown)!r}.", hint=f"it takes {', '.join(p.name for p in parameters)}")
    defaults = {p.name: p.default for p in parameters[1:] if p.default is not inspect.Parameter.empty and p.name not in fixed}
    tracer = _Tracer(until if until in dict(module.named_modules()) else None)
    attributes = set(vars(module))
    state = torch.get_rng_state()
    try:
        graph = tracer.trace(module, concrete_args=defaults or None)
        outputs: Any = next(n for n in graph.nodes if n.op == "output").args[0]
    except _Reached:
        graph, outputs = tracer.graph, tracer.reached
    if not torch.equal(state, torch.get_rng_state()):
        torch.set_rng_state(state)
        raise UnsupportedLayer("the module draws random numbers.", hint="a random function has no geometry: fix the numbers")
    constants = {n: operator.attrgetter(str(n.target))(module) for n in graph.nodes if n.op == "get_attr"}
    for name in set(vars(module)) - attributes:  # fx leaves tensors that the code makes on the way in the module
        delattr(module, name)
    constants |= {
        n: torch.as_tensor(fixed[str(n.target)]) for n in graph.nodes if n.op == "placeholder" and str(n.target) in fixed
    }
    for n in [n for n in graph.nodes if n.op == "placeholder" and n not in constants][1:]:
        if str(n.target).startswith("*"):
            constants[n] = {} if str(n.target).startswith("**") else ()
        elif n.args:
            constants[n] = n.args[0]
    traced = Traced(graph, module, constants, outputs)
    for node in graph.nodes:
        if node.op == "call_module":
            name = kind = str(node.target)
            kind = type(module.get_submodule(name)).__name__
        else:
            stack = list(node.meta.get("nn_module_stack", {}) or {})
            kind = function_name(node)
            name = ".".join([*stack[-1:], kind])
        traced.names[node], traced.kinds[node] = name, kind
    _unique(traced.names)
    return traced


def by_export(module: nn.Module, example: torch.Tensor) -> Traced:
    """Trace by torch.export, running the module on a batch of two."""
    dtype = next((p.dtype for p in module.parameters() if p.is_floating_point()), torch.get_default_dtype())
    device = next((p.device for p in module.parameters()), torch.device("cpu"))
    batch = torch.zeros((2, *example.shape[1:]), dtype=dtype, device=device)
    batch += example[:1].to(batch)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        program = torch.export.export(
            module,
            (batch,),
            dynamic_shapes=({0: getattr(torch.export.Dim, "AUTO", None) or torch.export.Dim("batch")},),
            strict=False,
        )
    return of_program(program, batch=2)


def of_program(program: torch.export.ExportedProgram, *, batch: int) -> Traced:
    """The graph of a program that torch.export made from a batch of this size."""
    weights: dict[str, Any] = {**program.constants, **program.state_dict}
    kinds = {spec.arg.name: spec for spec in program.graph_signature.input_specs}
    constants = {}
    for node in program.graph.nodes:
        if node.op == "placeholder" and kinds[node.name].kind.name != "USER_INPUT":
            constants[node] = weights[str(kinds[node.name].target)]
    output = next(n for n in program.graph.nodes if n.op == "output").args[0]
    specs = program.graph_signature.output_specs
    results = [o for o, spec in zip(output, specs, strict=True) if spec.kind.name == "USER_OUTPUT"]
    traced = Traced(program.graph, program.graph_module, constants, results, batch=batch)
    for node in program.graph.nodes:
        stack = list((node.meta.get("nn_module_stack") or {}).values())
        path, kind = (str(stack[-1][0]).split("@")[0], str(stack[-1][1])) if stack else ("", "")
        leaf = kind.startswith("torch.nn.modules") and "container" not in kind
        function = function_name(node)
        traced.kinds[node] = kind.rsplit(".", 1)[-1] if leaf else function
        traced.names[node] = path if leaf else ".".join(filter(None, [path, function]))
    _unique(traced.names)
    return traced


def program_of(program: torch.export.ExportedProgram, fixed: Mapping[str, Any]) -> tuple[Traced, tuple[int, ...]]:
    """A program somebody else exported, and the shape of its one input that varies."""
    for name, tensor in {**program.constants, **program.state_dict}.items():
        if isinstance(tensor, torch.Tensor) and tensor.is_floating_point() and not torch.isfinite(tensor).all():
            raise InvalidInput(
                f"{name!r} of the program is not finite.", hint="a network with NaN or infinite weights has no geometry"
            )
    traced = of_program(program, batch=2)
    free = [n for n in traced.graph.nodes if n.op == "placeholder" and n not in traced.constants]
    unknown = set(fixed) - {n.name for n in free}
    if unknown:
        raise InvalidInput(f"the program has no input {min(unknown)!r}.", hint=f"it takes {', '.join(n.name for n in free)}")
    traced.constants |= {n: torch.as_tensor(fixed[n.name]) for n in free if n.name in fixed}
    sizes = list(traced.input.meta["val"].shape)
    if not sizes or (isinstance(sizes[0], int) and sizes[0] != 2):
        raise InvalidInput(
            f"the program was exported for a batch of {sizes[0] if sizes else 'no'} inputs.",
            hint="export it with two, or with any number: dynamic_shapes=({0: torch.export.Dim('batch')},)",
        )
    if not all(isinstance(n, int) for n in sizes[1:]):
        raise InvalidInput("sizes of the program's input are open.", hint="export it for inputs of one shape")
    return traced, tuple(sizes[1:])


def _unique(names: dict[fx.Node, str]) -> None:
    seen: dict[str, int] = {}
    for node, name in names.items():
        seen[name] = count = seen.get(name, 0) + 1
        if count > 1:
            names[node] = f"{name}#{count}"


def stop_before(traced: Traced, until: str) -> fx.Node:
    """The first node of the layer named ``until``, a module or an operation as the messages name it."""
    for node in traced.graph.nodes:
        stack = [str(entry[0]).split("@")[0] for entry in (node.meta.get("nn_module_stack") or {}).values()]
        if node.op not in ("placeholder", "get_attr", "output") and (traced.names[node] == until or until in stack):
            return node
    known = [traced.names[n] for n in traced.graph.nodes if n.op == "call_module" or n.op == "call_function"]
    raise InvalidInput(f"the module has no layer {until!r}.", hint=f"its layers are {', '.join(map(repr, known[:12]))}")


_NAMESPACES = (torch, nn.functional, torch._C._nn, operator)


@cache
def _names_of_functions() -> dict[Any, str]:
    table: dict[Any, str] = {}
    for space in _NAMESPACES:
        for name in sorted(dir(space), key=lambda n: n.startswith("_"), reverse=True):  # public names win
            value = getattr(space, name, None)
            if callable(value) and not isinstance(value, type) and getattr(value, "__hash__", None):
                table[value] = name
    return table


def function_name(node: fx.Node) -> str:
    """The name of what a node calls, without a trailing underscore; a function that is not torch's has a dot in its name."""
    if node.op == "call_method":
        return str(node.target).rstrip("_") or str(node.target)
    if node.op != "call_function":
        return str(node.op)
    target: Any = node.target
    if isinstance(target, torch._ops.OpOverload):
        space, _, name = target._schema.name.partition("::")
        return name.rstrip("_") if space == "aten" else target._schema.name
    if target in IN_PLACE:
        return IN_PLACE[target]
    if target is getattr:
        return "getattr"
    name = _names_of_functions().get(target, "")
    return name.rstrip("_") or f"{getattr(target, '__module__', '')}.{getattr(target, '__name__', target)}"


def changes_in_place(node: fx.Node, root: nn.Module) -> bool:
    """Whether a node writes into its first argument."""
    if node.op == "call_module":
        return bool(getattr(root.get_submodule(str(node.target)), "inplace", False))
    if node.kwargs.get("inplace") or node.target in IN_PLACE or node.target is operator.setitem:
        return True
    target: Any = node.target
    if node.op == "call_function" and isinstance(target, torch._ops.OpOverload):
        return target._schema.is_mutable
    name = target if isinstance(target, str) else getattr(target, "__name__", "")
    return node.op in ("call_method", "call_function") and name.endswith("_") and not name.endswith("__")


def refuse_tracing(fx_error: Exception, export_error: Exception | None) -> UnsupportedLayer:
    """Why neither way of tracing worked, in the words of torch."""

    def first_line(error: Exception) -> str:
        return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]

    reasons = f"torch.fx says: {first_line(fx_error)!r}"
    if export_error is None:
        message = f"torch.fx cannot follow the module's code; {reasons}."
        return UnsupportedLayer(message, hint="pass example_input, so that torch.export can try")
    return UnsupportedLayer(
        f"the module's code cannot be turned into a graph; {reasons}; torch.export says: {first_line(export_error)!r}.",
        hint="remove branches and loops that depend on the values of tensors",
    )
