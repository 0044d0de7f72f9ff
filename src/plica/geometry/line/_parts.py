"""A line through a deep network of ReLUs and maxima in short parts, each walked alone, and put together again.

Between two images thousands of neurons switch, on a short part of the way a few dozen. Parts end where no neuron switches, so
that the last piece of one is the first piece of the next.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from contextvars import copy_context
from itertools import pairwise
from math import prod
from threading import Lock

import numpy as np

from plica._parallel import parallel_ranges
from plica._types import Array
from plica.geometry._budget import Meter, tick
from plica.geometry.domains import Domain
from plica.geometry.line._chunks import LineChunk, LineLayer, join_states
from plica.geometry.line._part_walk import PartWalker, TooManyNeurons, UndecidedEnd
from plica.geometry.signs._decisions import Tally
from plica.geometry.signs._exact_maps import ExactMap, LayerStates
from plica.geometry.signs._pair_maps import PairMaps
from plica.geometry.signs._precision import HAS_EXTENDED, Precision
from plica.geometry.values._tensors import Tensor, error_growth
from plica.network import Network, once_per_network

WANTED = 300  # neurons that switch on a part
MOST = 960
Part = tuple[float, float]
_AT_ONCE = 32  # parts between two looks at the ends
_LEAST = 16
_BYTES = 128  # of the budget for each entry of a column: columns come in several
WIDE = 2048  # entries of a layer from which on parts are worth while
GROWTH = 20.0  # of error bounds on the way through the network, in bits
LOCAL = 12_000  # neurons of convolutional layers, each of which reaches few others, from which on parts are faster in any case
_SAMPLES = 65  # points at which states are looked at beforehand, at most
_FEW_SAMPLES = 9
_LEAST_CHANGES = 10**9  # before anything is known
_GRID = 2.0**-40  # ends of parts are multiples of this
_SHIFTS = (-0.013, 0.0071, -0.031, 0.0173, -0.057, 0.0411)  # where another end is tried, in parts of a part


@once_per_network
def goes_in_parts(network: Network) -> bool:
    """Whether lines are walked in parts: wide networks of ReLUs and maxima, so deep that bounds of errors in doubles are lost,
    or with so many neurons in convolutional layers that tensors at all breakpoints cost more than columns that reach little."""
    if not HAS_EXTENDED or not network.layers or not all(op.is_relu or op.is_contest for op in network.folds):
        return False
    if max(network.nodes[i].size for i in network.layers) < WIDE:
        return False
    local = sum(network.nodes[i].size for i in network.layers if prod(network.nodes[i].shape[1:]) > 1)
    return local >= LOCAL or error_growth(network) > GROWTH


def walk_in_parts(network: Network, domain: Domain, meter: Meter) -> tuple[LineChunk, ExactMap]:
    """The exact pieces of a network along a segment."""
    exact, ends = ExactMap(network, domain), _ends(network, domain)
    most = min(MOST, max(_LEAST, meter.budget.max_bytes // (_BYTES * max(node.size for node in network.nodes))))
    chunks: dict[Part, LineChunk] = {}
    tries: dict[float, int] = {}  # how often an end was moved, by where it is now
    lock = Lock()
    meter.part_finished(1, 0.0)

    def finished(part: Part, chunk: LineChunk) -> None:
        with lock:
            chunks[part] = chunk
            tell()

    def tell() -> None:
        n_pieces = sum(len(c.hyperplanes) - 2 for c in chunks.values()) + 1
        meter.part_finished(n_pieces, sum(stop - start for start, stop in chunks))

    while missing := [part for part in pairwise(ends) if part not in chunks]:
        at_once = max(1, min(_AT_ONCE, (meter.budget.max_cells - meter.n_cells) // WANTED))
        found = _walked(network, domain, missing[:at_once], most, lambda n: meter.check(n_cells=meter.n_cells + n - 1), finished)
        for (start, stop), (reason, tally) in zip(missing, found, strict=False):
            exact.tally.join(tally)
            if isinstance(reason, TooManyNeurons):
                insort(ends, _on_grid(start / 2 + stop / 2))
            elif isinstance(reason, UndecidedEnd):
                _move(ends, tries, start, stop)
        for part in set(chunks).difference(pairwise(ends)):  # whose end was moved by the part before
            del chunks[part]
        tell()
        meter.chunk_finished(meter.n_cells, next((part[0] for part in pairwise(ends) if part not in chunks), 1.0))
    whole = joined([chunks[part] for part in pairwise(ends)])
    exact.float_maps[Precision.EXTENDED] = PairMaps(exact)
    exact.layers = [LayerStates(x.parent, x.states) for x in whole.layers]
    return whole, exact


def _walked(
    network: Network,
    domain: Domain,
    parts: list[Part],
    most: int,
    watch: Callable[[int], None],
    finished: Callable[[Part, LineChunk], None],
) -> list[tuple[Exception | None, Tally]]:
    """Walk the parts, on all cores; why each must be another part, if that is so."""

    def walk(part: Part) -> tuple[Exception | None, Tally]:
        start, stop = part
        is_divisible = stop - start > 2**8 * _GRID
        own = Domain(domain.chart, np.array([[start], [stop]]))
        walker = PartWalker(network, own, most=most if is_divisible else 2**62, may_touch=stop == 1.0, watch=watch)
        try:
            finished(part, walker.run())
        except (TooManyNeurons, UndecidedEnd) as reason:
            return reason, walker.exact.tally
        return None, walker.exact.tally

    contexts = [copy_context() for _ in parts]  # the budget, in whatever thread
    return parallel_ranges(lambda i, _: contexts[i].run(walk, parts[i]), len(parts), least=1, most=1)


def _move(ends: list[float], tries: dict[float, int], start: float, stop: float) -> None:
    """Put another end in the place of one that is too close to a breakpoint, or leave it out after a few tries."""
    n = tries.pop(stop, 0)
    place = ends.index(stop)
    after = ends[place + 1]
    del ends[place]
    if n < len(_SHIFTS):
        shift = _SHIFTS[n]
        moved = _on_grid(stop + shift * ((stop - start) if shift < 0 else (after - stop)))
        if start < moved < after:
            ends.insert(place, moved)
            tries[moved] = n + 1


def _on_grid(t: float) -> float:
    return round(t / _GRID) * _GRID


def _ends(network: Network, domain: Domain) -> list[float]:
    """Where parts should end so that about as many neurons switch on each, from states at a few points."""
    points, changes = [0.0, 1.0], [_LEAST_CHANGES]
    patterns = _patterns(network, domain, points)
    while len(points) < _SAMPLES and max(changes) > WANTED:
        wide = [i for i, n in enumerate(changes) if n > WANTED]
        middles = [points[i] / 2 + points[i + 1] / 2 for i in wide]
        for i, t, states in reversed(list(zip(wide, middles, _patterns(network, domain, middles), strict=True))):
            points.insert(i + 1, t)
            patterns.insert(i + 1, states)
        changes = [sum(int((a != b).sum()) for a, b in zip(*two, strict=True)) for two in pairwise(patterns)]
    total = np.concatenate([[0], np.cumsum(changes)]) + np.linspace(0.0, 1.0, len(points))
    n_parts = max(1, int(total[-1] // WANTED))
    inner = np.interp(np.linspace(0.0, total[-1], n_parts + 1)[1:-1], total, points)
    return sorted({0.0, 1.0, *(_on_grid(float(t)) for t in inner)})


def least_changes(network: Network, domain: Domain) -> int:
    """At least about how often neurons change along a segment, from their states at a few points."""
    patterns = _patterns(
        network, domain, np.linspace(float(domain.window[0, 0]), float(domain.window[1, 0]), _FEW_SAMPLES).tolist()
    )
    return sum(int((a != b).sum()) for two in pairwise(patterns) for a, b in zip(*two, strict=True))


def _patterns(network: Network, domain: Domain, points: list[float]) -> list[tuple[Array, ...]]:
    """The states at points of the line, in floating point."""
    contexts = [copy_context() for _ in points]

    def look(i: int, _: int) -> tuple[Array, ...]:
        contexts[i].run(tick)
        return network.pattern(domain.to_input([[points[i]]]))

    return parallel_ranges(look, len(points), least=1, most=1)


def joined(chunks: list[LineChunk]) -> LineChunk:
    """Parts that overlap in one piece each as one."""
    n_layers = len(chunks[0].layers)
    counts = np.array([[len(x.parent) for x in c.layers] for c in chunks])
    bases = np.concatenate([np.zeros((1, n_layers), np.int64), np.cumsum(counts - 1, axis=0)])
    lines, rows, layers = [], [], []
    for i, c in enumerate(chunks):
        line = c.hyperplanes.copy()
        for j in range(1, n_layers):  # a breakpoint of layer j names a piece after j - 1
            line[line[:, 0] == j, 1] += bases[i, j - 1]
        rows.append(slice(0 if i == 0 else 1, None if i == len(chunks) - 1 else -1))
        lines.append(line[rows[-1]])
    for j in range(n_layers):
        parts = [c.layers[j] for c in chunks]
        parents = [p.parent[min(i, 1) :] + (bases[i, j - 1] if j else 0) for i, p in enumerate(parts)]
        layers.append(LineLayer(np.concatenate(parents), join_states([p.states for p in parts], bases[:-1, j])))

    def stack(tensors: list[Tensor]) -> Tensor:
        values = np.concatenate([t.values[r] for t, r in zip(tensors, rows, strict=True)])
        return Tensor(values, np.concatenate([t.error[r] for t, r in zip(tensors, rows, strict=True)]))

    parameters, outputs = stack([c.parameters for c in chunks]), stack([c.outputs for c in chunks])
    return LineChunk(np.concatenate(lines), parameters, outputs, layers)
