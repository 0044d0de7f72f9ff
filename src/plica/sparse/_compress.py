r"""``compress``: the same function on a box with fewer units, and a proof of how little rounding changed.

On a box a unit whose pre-activation is proved to be at most 0 is dead; one that reads nothing is constant; one that nobody reads
does not matter; one whose weights and bias are a positive multiple of another's is that multiple of it. Units that are proved to
be at least 0 are affine: no more of them are needed than the next layer has units, or this one inputs (`_folded.py`). After
T. Serra, A. Kumar, S. Ramalingam, Lossless Compression of Deep Neural Networks, CPAIOR 2020 [serra2020]_. A channel of a
convolution is one unit: dead if it is at most 0 at all positions; constant ones stay where the next convolution pads with zeros.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidDomain, InvalidInput
from plica.geometry import Box
from plica.network import Network
from plica.robust.bounds import Boxes, Ranges, mixed_bounds, steps_of
from plica.sparse._chain import Chain, chain_of
from plica.sparse._folded import as_inputs, as_readers
from plica.sparse._rounded import EPS, up
from plica.sparse._units import multiples, unread, without_inputs


@dataclass(frozen=True, eq=False)
class Compression:
    """A smaller network that is the same function on a box, up to a proved bound.

    Attributes
    ----------
    network
        The smaller one, as it is stored.
    original
        The one that was given.
    error
        For each output a bound of the deviation anywhere on the box, in real arithmetic of the stored weights; certified.
    dead, constant, unread, merged, folded
        How many units were removed because they are 0 on the box, read nothing, are read by nobody, are multiples of others, or
        are affine on the box; a channel is one.
    n_inputs_dropped
        Inputs that nothing reads or that the box fixes, if these were to be dropped.
    """

    network: Network
    original: Network
    error: Array
    dead: int
    constant: int
    unread: int
    merged: int
    folded: int
    n_inputs_dropped: int

    @property
    def largest_error(self) -> float:
        """The bound for all outputs."""
        return float(self.error.max(initial=0.0))

    @property
    def ratio(self) -> float:
        """How many times fewer numbers are stored."""
        return self.original.n_parameters / self.network.n_parameters

    def to_dict(self) -> dict[str, Any]:
        return {
            "neurons": [self.original.n_neurons, self.network.n_neurons],
            "parameters": [self.original.n_parameters, self.network.n_parameters],
            "dead": self.dead,
            "constant": self.constant,
            "unread": self.unread,
            "merged": self.merged,
            "folded": self.folded,
            "inputs_dropped": self.n_inputs_dropped,
            "largest_error": self.largest_error,
        }

    def __repr__(self) -> str:
        a, b = self.original, self.network
        return (
            f"<Compression: {a.n_neurons:,} -> {b.n_neurons:,} neurons, {a.n_parameters:,} -> {b.n_parameters:,} numbers, "
            f"deviation at most {self.largest_error:.2g} (certified)>"
        )

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        return facts_html(self, self.to_dict())


def compress(
    network: Network, domain: Box | tuple[Any, Any], *, dtype: str | None = None, drop_inputs: bool = False
) -> Compression:
    """Remove and merge units and channels of the chain of layers at the end of a network, as a box allows.

    Parameters
    ----------
    network
        One that ends in two or more layers, dense ones behind convolutions, with ReLU and max-pooling between; what comes
        before such a chain (branches, other operations) stays as it is.
    domain
        Where the function must stay the same: a box, or its lowest and its highest corner. In the latter sides may have length
        zero: such inputs are constants.
    dtype
        In which numbers the new weights are stored, ``"float32"`` or ``"float64"``; unless given, float32 if that holds all
        weights of the network. What rounding changes is part of the bound.
    drop_inputs
        Let the first layer, if it is dense, read only inputs that matter, by a Gather before it: fewer numbers, but runtimes
        take longer for a Gather of large batches than for the zeros it avoids.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 40, 40, 1], seed=0)
    >>> compress(net, plica.Box([0.4, 0.4], [0.6, 0.6]))
    <Compression: 80 -> 11 neurons, 1,801 -> 59 numbers, deviation at most ... (certified)>
    """
    if not isinstance(network, Network):
        raise InvalidInput(f"compress takes a Network, got {type(network).__name__}.", hint="plica.from_torch(model)")
    low, high = _ends(domain, network.n_inputs)
    if dtype not in (None, "float32", "float64"):
        raise InvalidInput(f"dtype = {dtype!r}.", hint="'float32' or 'float64'")
    chain = chain_of(network)
    tail = chain.tail
    box = Boxes.of(low, high)
    if chain.head:
        entering = mixed_bounds(steps_of(chain.before()), box)[-1]
        box = Boxes.of(entering.low, entering.high)
    steps = steps_of(tail)
    ranges = [Ranges(r.low[0], r.high[0]) for r in mixed_bounds(steps, box)]
    rectifiers = [steps.rectifiers[k] for k in chain.rectifiers()]
    folded = [
        _of_units(ranges[steps.steps[t - 1].parents[0]], len(layer.op.weight))
        for t, layer in zip(rectifiers, chain.layers, strict=False)
    ]
    kind = dtype or ("float32" if _fits(tail) else "float64")
    entering = ranges[0] if chain.layers[0].is_dense else _of_units(ranges[0], chain.layers[0].shape[0])
    return _Compressor(chain, entering, folded, kind, drop_inputs).run()


def _of_units(r: Ranges, n: int) -> Ranges:
    """The ranges of whole channels."""
    return Ranges(r.low.reshape(n, -1).min(axis=1), r.high.reshape(n, -1).max(axis=1))


def _ends(domain: Box | tuple[Any, Any], n: int) -> tuple[Array, Array]:
    ends = domain if isinstance(domain, tuple) and len(domain) == 2 else None
    ends = (domain.low, domain.high) if isinstance(domain, Box) else ends
    if ends is None:
        raise InvalidDomain(f"networks are compressed on a box, got {type(domain).__name__}.", hint="plica.Box(low, high)")
    low, high = (np.asarray(v, dtype=np.float64).reshape(-1) for v in ends)
    if len(low) != n or len(high) != n:
        raise InvalidDomain(f"a box of dimension {len(low)}, the network has {n} inputs.")
    return low, high


def _fits(network: Network) -> bool:
    """Whether float32 holds all weights."""
    with np.errstate(over="ignore"):
        return all(
            bool((a.astype(np.float32).astype(np.float64) == a).all())
            for node in network.nodes
            for a in node.op.arrays().values()
            if a.dtype.kind == "f"
        )


class _Compressor:
    """Layers are made smaller from the first to the last; ``before`` are ranges of pre-activations of units still there."""

    def __init__(self, chain: Chain, entering: Ranges, before: list[Ranges], dtype: str, drop_inputs: bool) -> None:
        self.chain, self.dtype, self.drop_inputs = chain, dtype, drop_inputs
        self.layers = [layer.rounded() for layer in chain.layers]
        self.blocks = [layer.block for layer in chain.layers]
        self.entering, self.before = entering, before
        self.counts = dict.fromkeys(("dead", "constant", "unread", "merged", "folded"), 0)

    def run(self) -> Compression:
        for k in range(len(self.layers) - 1):
            if k == 0 and self.chain.layers[0].is_dense:
                self._pinned()
            self._constant(k)
            self._merge(k)
            if self.chain.layers[k].is_dense:
                self._fold(k)
        for k in range(len(self.layers) - 2, -1, -1):  # what the end does not read
            self._unread(k)
        inputs = self._inputs() if self.chain.layers[0].is_dense else np.arange(self.chain.network.nodes[self.chain.head].size)
        if self.dtype == "float32":
            for layer in self.layers:
                layer.in_float32()
        small = self.chain.rebuilt(self.layers, inputs)
        dropped = self.chain.network.nodes[self.chain.head].size - len(inputs)
        return Compression(small, self.chain.network, self._error(), **self.counts, n_inputs_dropped=dropped)

    def _pinned(self) -> None:
        """Inputs that the box fixes move into the first biases."""
        for j in np.flatnonzero(self.entering.low == self.entering.high):
            self.layers[0].absorb(int(j), Fraction(float(self.entering.low[j])))
            self.layers[0].weight[:, j] = 0.0

    def _keep(self, k: int, keep: Array, why: str) -> None:
        self.counts[why] += int((~keep).sum())
        self.layers[k].rows(keep)
        self.layers[k + 1].columns(np.repeat(keep, self.blocks[k + 1]))
        self.before[k] = self.before[k][keep]

    def _columns(self, k: int, unit: int) -> range:
        """The columns of a layer that read a unit of the one before it."""
        return range(unit * self.blocks[k], (unit + 1) * self.blocks[k])

    def _by_unit(self, k: int, columns: Array) -> Array:
        """What all columns of a unit have in common."""
        return np.asarray(columns.reshape(-1, self.blocks[k]).all(axis=1))

    def _constant(self, k: int) -> None:
        """Dead units go; those that read nothing become a part of the next biases."""
        dead = self.before[k].high <= 0
        self._keep(k, _some(~dead), "dead")
        if not self.chain.layers[k + 1].pads:
            self._absorbed(k, without_inputs(self.layers[k]))
        self._unread(k)

    def _absorbed(self, k: int, alone: Array) -> None:
        """Units that are their biases become a part of the next biases."""
        layer, after = self.layers[k], self.layers[k + 1]
        for i in np.flatnonzero(alone):
            value = Fraction(float(layer.bias[i]))
            for j in self._columns(k + 1, int(i)):
                size = np.abs(after.weight[:, j]) + after.weight_error[:, j]
                lost = size * layer.bias_error[i] * (1 + 4 * EPS)
                after.absorb(j, max(value, Fraction(0)))
                after.bias_error = up(after.bias_error + lost)
                after.weight[:, j] = 0.0
                after.weight_error[:, j] = 0.0
        self._keep(k, _some(~alone), "constant")

    def _unread(self, k: int) -> None:
        self._keep(k, _some(~self._by_unit(k + 1, unread(self.layers[k + 1]))), "unread")

    def _merge(self, k: int) -> None:
        layer = self.layers[k]
        keep = np.ones(len(layer.weight), np.bool_)
        for unit, earlier, factor in multiples(layer, np.arange(len(keep))):
            for to, source in zip(self._columns(k + 1, earlier), self._columns(k + 1, unit), strict=True):
                self.layers[k + 1].add_column(to, source, factor)
            keep[unit] = False
        self._keep(k, keep, "merged")

    def _fold(self, k: int) -> None:
        """Units that are affine on the box: no more of them than the next layer has units, or this one inputs."""
        layer, after, r = self.layers[k], self.layers[k + 1], self.before[k]
        on = np.flatnonzero(r.low >= 0)
        n_in, n_next = layer.weight.shape[1], len(after.weight)
        if len(on) <= min(n_in, n_next):
            return
        if n_next <= n_in:
            folded = as_readers(layer, after, on, r)
        else:
            entering = self.entering if k == 0 else _rectified(_repeated(self.before[k - 1], self.blocks[k]))
            folded = as_inputs(layer, after, on, entering)
        off = np.ones(len(layer.weight), np.bool_)
        off[on] = False
        self.counts["folded"] += len(on) - len(folded.made.weight)
        self.layers[k] = layer.stacked(off, folded.made)
        self.layers[k + 1] = after.beside(off, folded.read)
        self.before[k] = Ranges(
            np.concatenate([r.low[off], folded.ranges.low]), np.concatenate([r.high[off], folded.ranges.high])
        )

    def _inputs(self) -> Array:
        """Which inputs the first layer still reads; at least one."""
        keep = _some(~unread(self.layers[0])) if self.drop_inputs else np.ones(self.layers[0].weight.shape[1], np.bool_)
        self.layers[0].columns(keep)
        self.entering = self.entering[keep]
        return np.flatnonzero(keep)

    def _error(self) -> Array:
        magnitude = self.entering.magnitude
        error = np.zeros(len(magnitude))
        for k, layer in enumerate(self.layers):
            error, magnitude = (np.repeat(part, self.blocks[k]) for part in (error, magnitude))
            error = layer.error_after(error, magnitude)
            if k < len(self.before):
                magnitude = np.maximum(self.before[k].high, 0.0)
        return error


def _some(keep: Array) -> Array:
    """The same, but never nothing: a layer keeps one unit."""
    if keep.any():
        return keep
    keep = keep.copy()
    keep[0] = True
    return keep


def _repeated(r: Ranges, times: int) -> Ranges:
    return Ranges(np.repeat(r.low, times), np.repeat(r.high, times))


def _rectified(r: Ranges) -> Ranges:
    return Ranges(np.maximum(r.low, 0.0), np.maximum(r.high, 0.0))
