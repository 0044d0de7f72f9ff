"""What the readers of torch and ONNX share: tensor operations as they are written there, put onto a Builder.

Both count axes with the batch axis in front, broadcast, and know operations the network does not need as its own
(subtraction, slices, means, minima). Here each of them becomes a few nodes. The size of the batch is never known: it is
the number :data:`BATCH`, and an operation that mixes the batch with anything else is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from plica._types import Array
from plica.errors import InvalidNetwork
from plica.network._interpolants import add_interpolant, is_replacing, n_copies
from plica.network._network import Builder, Network
from plica.network.operations import Concat, Gather, Max, Op, Pad, Permute, Reshape, Scale, Shape

BATCH = 2**31 - 1
"""Stands for the size of the batch axis. A prime: sizes computed from it cannot be mistaken for others."""


CURVED = frozenset(
    """
    layernorm groupnorm instancenorm1d instancenorm2d rmsnorm localresponsenorm norm normalize var std
    gelu silu mish elu celu selu glu softplus softsign sigmoid logsigmoid tanh tanhshrink hardswish
    softmax softmax2d softmin logsoftmax logsumexp exp log sqrt rsqrt pow square sin cos erf reciprocal
    scaleddotproductattention multiheadattention transformer transformerencoderlayer transformerdecoderlayer
    rnn lstm gru rnncell lstmcell grucell bilinear cosinesimilarity lppool1d lppool2d
    """.split()
)
"""Layers that are known not to be piecewise linear, in lower case without underscores."""


SMOOTH = frozenset("gelu silu sigmoid tanh".split())
"""Those that :func:`plica.sandwich` puts between two piecewise-linear networks."""


class CannotLower(Exception):
    """An operation that has no piecewise-linear form; the reader adds which layer it was."""


class Unavailable:
    """An output that nothing piecewise linear can use: positions of maxima, dropout masks."""

    def __init__(self, what: str) -> None:
        self.what = what


@dataclass(frozen=True)
class Wire:
    """The output of one node: its index, its shape without the batch axis, and whether there is a batch axis."""

    index: int
    shape: Shape
    batched: bool = True

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def full_shape(self) -> Shape:
        return (BATCH, *self.shape) if self.batched else self.shape

    @property
    def rank(self) -> int:
        """The number of axes as torch and ONNX count them, the batch included."""
        return len(self.shape) + self.batched


Operand = Wire | Array


class Lowering:
    """Adds operations to a network in the making; ``name`` is given to the nodes of the current layer.

    Parameters
    ----------
    input_shape
        Shape of one input, without the batch axis.
    max_entries
        Limit on the size of any tensor; None for a trusted source.
    max_stored
        Limit on the entries of all weights and index tables together: one weight of a file may be used many times.

    ``batch`` is the batch size the model was traced with, if that was a number; ``batched`` is false while the operations
    are written for tensors without a batch axis.
    """

    def __init__(self, input_shape: Shape, *, name: str = "", max_entries: int | None = None, max_stored: int = 0) -> None:
        self.builder = Builder(input_shape, name=name)
        self.batched = True
        self.name = ""
        self._names: dict[str, int] = {}
        self.batch = BATCH
        self._max_entries, self._max_stored, self._stored = max_entries, max_stored, 0
        self.check_size(self.input.shape)

    @property
    def input(self) -> Wire:
        return Wire(0, self.builder.shape(0), self.batched)

    @property
    def lead(self) -> int:
        """How many axes the batch takes in front of the others."""
        return int(self.batched)

    def apart(self) -> Lowering:
        """Another network in the making, within the same limits and without a batch: what becomes of constants."""
        inner = Lowering((1,), max_entries=self._max_entries, max_stored=self._max_stored - self._stored)
        inner.batched = False
        return inner

    def add_op(self, op: Op, *wires: Wire, part: str = "") -> Wire:
        """One node; ``part`` marks a helper of the current layer, as in ``pool:rows``."""
        name = f"{self.name}:{part}" if part else self.name
        count = self._names[name] = self._names.get(name, 0) + 1
        index = self.builder.add(op, *(w.index for w in wires), name=f"{name}#{count}" if count > 1 and name else name)
        wire = Wire(index, self.builder.shape(index), self.batched)
        self.check_size(wire.shape)
        if not isinstance(op, Gather | Max):  # their tables were counted before they were made
            self.reserve((sum(array.size for array in op.arrays().values()),))
        return wire

    def build(self, output: Operand) -> Network:
        """The network whose output is the given tensor."""
        output = output if isinstance(output, Wire) else self.constant(output)
        return self.builder.build(output.index)

    def check_size(self, shape: Shape) -> None:
        """Refuse an activation beyond the limit."""
        if self._max_entries is not None:
            self._check(prod(shape), self._max_entries)

    def reserve(self, shape: Shape, *, keep: bool = True) -> None:
        """Refuse an array beyond the limits before it is made; kept arrays count against the later ones."""
        if self._max_entries is not None:
            self._check(self._stored + prod(shape), self._max_stored)
            self._stored += prod(shape) if keep else 0

    def _check(self, size: int, limit: int) -> None:
        if size > limit:
            raise InvalidNetwork(
                f"layer {self.name!r} makes tensors of {size} entries, the limit is {limit}.",
                hint="files are not trusted with more memory; plica.from_torch has no such limit",
            )

    # Axes and constants

    def axis(self, x: Wire, dim: int) -> int:
        """The axis without the batch of a dimension counted with it."""
        if not -x.rank <= dim < x.rank:
            raise CannotLower(f"axis {dim} does not exist in a tensor of shape {self.show(x)}")
        if x.batched and dim % x.rank == 0:
            raise CannotLower("it acts across the batch axis")
        return dim % x.rank - x.batched

    def axes(self, x: Wire, dims: int | Sequence[int] | None) -> list[int]:
        dims = [dims] if isinstance(dims, int) else list(range(x.rank)) if dims is None else list(dims)
        return sorted({self.axis(x, d) for d in dims})

    def align(self, constant: Array, x: Wire) -> Array:
        """A constant without its batch axis, so that it broadcasts with x."""
        constant = np.asarray(constant, dtype=np.float64)
        if not x.batched:
            return constant
        if constant.ndim == x.rank and constant.shape[0] == 1:
            constant = constant[0]
        if constant.ndim >= x.rank:
            raise CannotLower(f"a constant of shape {constant.shape} is combined with a tensor of shape {self.show(x)}")
        return constant

    def constant(self, value: Array) -> Wire:
        """A node that does not depend on the input; ``value`` has no batch axis."""
        value = np.asarray(value, dtype=np.float64)
        start = self.gather(self.input, np.zeros(value.shape, np.int64), part="zeros")
        return self.add_op(Scale(np.zeros(()), value), start, part="constant")

    def broadcast(self, x: Wire, shape: Shape) -> Wire:
        if x.shape == shape:
            return x
        self.reserve(shape, keep=False)
        return self.index(x, lambda i: np.broadcast_to(i, (1, *shape)), part="expand")

    def together(self, a: Operand, b: Operand) -> tuple[Operand, Operand]:
        """Both operands broadcast against each other, constants without batch axis; at least one is a Wire."""
        if isinstance(a, Wire) and isinstance(b, Wire):
            if a.batched and a.rank != b.rank:
                raise CannotLower(f"it combines tensors of shapes {self.show(a)} and {self.show(b)}")
            shape = self._common(a.shape, b.shape)
            return self.broadcast(a, shape), self.broadcast(b, shape)
        if isinstance(a, Wire):
            assert not isinstance(b, Wire)
            b = self.align(b, a)
            return self.broadcast(a, self._common(a.shape, b.shape)), b
        b, a = self.together(b, a)
        return a, b

    def _common(self, a: Shape, b: Shape) -> Shape:
        try:
            return np.broadcast_shapes(a, b)
        except ValueError:
            raise CannotLower(f"tensors of shapes {a} and {b} do not broadcast") from None

    # Shapes

    def reshape(self, x: Wire, sizes: Sequence[int]) -> Wire:
        """``sizes`` with the batch in front; it may be written as BATCH, -1, 1 or the batch size of the trace."""
        sizes = [int(n) for n in sizes]
        first, rest = (sizes[0], sizes[1:]) if x.batched and sizes else (BATCH if not x.batched else 0, sizes)
        shown = "(" + ", ".join("batch" if n == BATCH else str(n) for n in sizes) + ")"
        mixed = CannotLower(f"reshaping {self.show(x)} to {shown} {'mixes the batch with other axes' if x.batched else 'fails'}")
        if first not in (BATCH, -1, 1, self.batch) or BATCH in rest or sizes.count(-1) > 1:
            raise mixed
        if -1 in rest:
            known = prod(n for n in rest if n != -1)
            if known < 1 or x.size % known:
                raise mixed
            rest[rest.index(-1)] = x.size // known
        if prod(rest) != x.size or min(rest, default=1) < 1:
            raise mixed
        return x if tuple(rest) == x.shape else self.add_op(Reshape(tuple(rest)), x)

    @staticmethod
    def show(x: Wire) -> str:
        """The shape of a tensor, the batch by its name."""
        return str(("batch", *x.shape) if x.batched else x.shape)

    def permute(self, x: Wire, dims: Sequence[int]) -> Wire:
        rank = x.rank
        if sorted(d % rank for d in dims) != list(range(rank)):
            raise CannotLower(f"axes {tuple(dims)} do not permute a tensor of shape {self.show(x)}")
        if x.batched and dims[0] % rank:
            raise CannotLower("it moves the batch axis")
        axes = tuple(d % rank - x.batched for d in dims[x.batched :])
        return x if axes == tuple(range(len(axes))) else self.add_op(Permute(axes), x)

    def flatten(self, x: Wire, start: int = 1, end: int = -1) -> Wire:
        rank = x.rank
        if rank == 1 or start % rank == 0:
            return self.reshape(x, [-1] if end % rank == rank - 1 else [0])
        a, b = start % rank - 1, end % rank
        return self.reshape(x, [BATCH, *x.shape[:a], prod(x.shape[a:b]), *x.shape[b:]])

    def unsqueeze(self, x: Wire, dims: Sequence[int]) -> Wire:
        rank = x.rank + len(dims)
        places = sorted(d % rank for d in dims)
        if x.batched and 0 in places:
            raise CannotLower("it puts an axis before the batch")
        sizes = list(x.full_shape)
        for place in places:
            sizes.insert(place, 1)
        return self.reshape(x, sizes)

    def squeeze(self, x: Wire, dims: Sequence[int] | None = None) -> Wire:
        axes = range(len(x.shape)) if dims is None else [self.axis(x, d) for d in dims]
        gone = {a for a in axes if x.shape[a] == 1}
        return self.reshape(x, [BATCH] * x.batched + [n for a, n in enumerate(x.shape) if a not in gone])

    def index(self, x: Wire, choose: Callable[[Array], Array], *, part: str = "") -> Wire:
        """Entries of x picked by a numpy function, applied to their numbers with a batch axis of one in front."""
        picked = choose(np.arange(x.size).reshape(1, *x.shape))
        if picked.ndim < 1 or picked.shape[0] != 1:
            raise CannotLower("it acts across the batch axis")
        return self.gather(x, picked[0], part=part)

    def gather(self, x: Wire, indices: Array, *, part: str = "") -> Wire:
        if indices.size == 0:
            raise CannotLower("it makes a tensor without entries")
        self.reserve(indices.shape)
        if indices.size == x.size and np.array_equal(indices.reshape(-1), np.arange(x.size)):
            return x if indices.shape == x.shape else self.add_op(Reshape(indices.shape), x, part=part)
        return self.add_op(Gather(np.array(indices, dtype=np.int64, order="C")), x, part=part)

    def smooth(self, x: Wire, activation: str) -> Wire:
        """A smooth activation: refused, unless somebody asked for its interpolant."""
        if not is_replacing():
            raise CannotLower
        self.check_size((*x.shape, n_copies(activation)))
        index = add_interpolant(self.builder, x.index, activation, name=self.name)
        return Wire(index, self.builder.shape(index), self.batched)

    def slice(self, x: Wire, dim: int, start: int | None, stop: int | None, step: int | None = 1) -> Wire:
        if dim % x.rank == 0 and start in (None, 0) and (stop is None or stop >= BATCH) and step in (None, 1):
            return x
        places = range(x.shape[self.axis(x, dim)])[start:stop:step]
        return self.take(x, dim, np.arange(places.start, places.stop, places.step))

    def take(self, x: Wire, dim: int, indices: Array) -> Wire:
        """Entries along one axis; ``indices`` may have any number of axes, none included."""
        axis = self.axis(x, dim)
        n = x.shape[axis]
        indices = np.asarray(indices)
        if indices.dtype.kind not in "iu" or (indices.size and (indices.min() < -n or indices.max() >= n)):
            raise CannotLower(f"it picks entries outside an axis of length {n}")
        shape = (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])
        self.reserve(shape, keep=False)
        before, after = prod(x.shape[:axis]), prod(x.shape[axis + 1 :])
        places = np.arange(before)[:, None, None] * n + indices.reshape(-1, 1) % n
        return self.gather(x, (places * after + np.arange(after)).reshape(shape))

    def split(self, x: Wire, dim: int, sizes: Sequence[int]) -> list[Wire]:
        if sum(sizes) != x.shape[self.axis(x, dim)] or min(sizes, default=0) < 1:
            raise CannotLower(f"parts of sizes {tuple(sizes)} do not make an axis of length {x.shape[self.axis(x, dim)]}")
        ends = np.cumsum(sizes)
        return [self.slice(x, dim, int(e - n), int(e)) for e, n in zip(ends, sizes, strict=True)]

    def pad(self, x: Wire, padding: Sequence[tuple[int, int]], *, mode: str = "constant", value: float = 0.0) -> Wire:
        """``padding`` has one (before, after) pair for each axis but the batch; negative amounts cut."""
        pairs = [(int(a), int(b)) for a, b in padding]
        if any(p < 0 for pair in pairs for p in pair):
            for axis, (n, (a, b)) in enumerate(zip(x.shape, pairs, strict=True)):
                if min(a, b) < 0:
                    x = self.slice(x, axis + x.batched, max(-a, 0), max(n + min(b, 0), 0))
            pairs = [(max(a, 0), max(b, 0)) for a, b in pairs]
        if not any(map(any, pairs)):
            return x
        shape = tuple(n + a + b for n, (a, b) in zip(x.shape, pairs, strict=True))
        self.check_size(shape)
        if mode != "constant" or value:
            self.reserve(shape, keep=False)
        if mode != "constant":
            modes = {"reflect": "reflect", "replicate": "edge", "edge": "edge", "circular": "wrap", "wrap": "wrap"}
            if mode not in modes:
                raise CannotLower(f"padding mode {mode!r} is not known")
            return self.index(x, lambda i: np.pad(i, [(0, 0), *pairs], mode=modes[mode]), part="pad")  # type: ignore[call-overload]
        y = self.add_op(Pad(tuple(pairs)), x, part="pad" if value else "")
        if not value:
            return y
        shift = np.pad(np.zeros(x.shape), pairs, constant_values=float(value))
        return self.add_op(Scale(np.ones(()), shift), y)

    def concat(self, parts: Sequence[Operand], dim: int) -> Wire:
        like = next(p for p in parts if isinstance(p, Wire))
        wires = [p if isinstance(p, Wire) else self.constant(self._single(p, like)) for p in parts]
        axis = self.axis(wires[0], dim)
        return wires[0] if len(wires) == 1 else self.add_op(Concat(axis), *wires)

    def stack(self, parts: Sequence[Operand], dim: int) -> Wire:
        place = dim % (next(p.rank for p in parts if isinstance(p, Wire)) + 1)
        opened = [self.unsqueeze(p, [place]) if isinstance(p, Wire) else np.expand_dims(p, place) for p in parts]
        return self.concat(opened, place)

    @staticmethod
    def _single(constant: Array, like: Wire) -> Array:
        if constant.ndim != like.rank or (like.batched and constant.shape[0] != 1):
            raise CannotLower(f"a constant of shape {constant.shape} is joined to a batch of tensors")
        return np.asarray(constant[0] if like.batched else constant)
