"""A line through a deep network of ReLUs in short parts, each walked alone, and put together again.

Between two images thousands of neurons switch, on a short part of the way a few dozen. Parts end where no neuron switches, so
that the last piece of one is the first piece of the next.
"""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.geometry._budget import Meter, tick
from plica.geometry.domains import Domain
from plica.geometry.line._chunks import LineChunk, LineLayer, join_states
from plica.geometry.line._part_walk import PartWalker, TooManyNeurons, UndecidedEnd
from plica.geometry.signs._exact_maps import ExactMap, LayerStates
from plica.geometry.signs._pair_maps import PairMaps
from plica.geometry.signs._precision import HAS_EXTENDED, Precision
from plica.geometry.values._tensors import Tensor, error_growth
from plica.network import Network, once_per_network

WANTED = 96  # neurons that switch on a part
MOST = 384
_LEAST = 16
_BYTES = 128  # of the budget for each entry of a column: columns come in several
WIDE = 2048  # entries of a layer from which on parts are worth while
GROWTH = 20.0  # of error bounds on the way through the network, in bits
_SAMPLES = 65  # points at which states are looked at beforehand
_GRID = 2.0**-40  # ends of parts are multiples of this
_SHIFTS = (0.0, -0.013, 0.0071, -0.031, 0.0173, -0.057, 0.0411)  # where another end is tried, in parts of a part


@once_per_network
def goes_in_parts(network: Network) -> bool:
    """Whether lines are walked in parts: wide networks of ReLUs, so deep that bounds of errors in doubles are lost."""
    if not HAS_EXTENDED or not network.layers or not all(op.is_relu for op in network.folds):
        return False
    if max(network.nodes[i].size for i in network.layers) < WIDE:
        return False
    return error_growth(network) > GROWTH


def walk_in_parts(network: Network, domain: Domain, meter: Meter) -> tuple[LineChunk, ExactMap]:
    """The exact pieces of a network along a segment."""
    exact, n_cells = ExactMap(network, domain), 0
    chunks: list[LineChunk] = []
    start, pending = 0.0, _ends(network, domain)[::-1]
    most = min(MOST, max(_LEAST, meter.budget.max_bytes // (_BYTES * max(node.size for node in network.nodes))))
    while pending:
        found = _walked(network, domain, start, pending, exact, most)
        if found is None:
            continue
        chunk, start = found
        chunks.append(chunk)
        n_cells += len(chunk.hyperplanes) - (2 if len(chunks) > 1 else 1)
        meter.chunk_finished(n_cells, start)
    whole = joined(chunks)
    exact.float_maps[Precision.EXTENDED] = PairMaps(exact)
    exact.layers = [LayerStates(x.parent, x.states) for x in whole.layers]
    return whole, exact


def _walked(
    network: Network, domain: Domain, start: float, pending: list[float], exact: ExactMap, most: int
) -> tuple[LineChunk, float] | None:
    """The part up to the next end, and where it ends; None where it was too long: then the next end is nearer."""
    stop = pending.pop()
    is_last = not pending
    for shift in _SHIFTS:
        end = stop if is_last else min(_on_grid(stop + shift * (stop - start)), stop / 2 + pending[-1] / 2)
        if end <= start:
            continue
        part = Domain(domain.chart, np.array([[start], [end]]))
        is_divisible = end - start > 2**8 * _GRID
        walker = PartWalker(network, part, most=most if is_divisible else 2**62, may_touch=is_last)
        walker.exact.tally = exact.tally
        try:
            return walker.run(), end
        except TooManyNeurons:
            pending.extend([stop, _on_grid(start / 2 + end / 2)])
            return None
        except UndecidedEnd:
            continue
    return None  # nowhere here can the line be divided: this end is left out


def _on_grid(t: float) -> float:
    return round(t / _GRID) * _GRID


def _ends(network: Network, domain: Domain) -> list[float]:
    """Where parts should end so that about as many neurons switch on each, from states at a few points."""
    points = np.linspace(0.0, 1.0, _SAMPLES)
    before: tuple[Array, ...] | None = None
    changes = []
    for t in points:
        tick()
        states = network.pattern(domain.to_input([[t]]))
        if before is not None:
            changes.append(sum(int((a != b).sum()) for a, b in zip(before, states, strict=True)))
        before = states
    total = np.concatenate([[0], np.cumsum(changes)]) + np.linspace(0.0, 1.0, _SAMPLES)
    n_parts = max(1, int(total[-1] // WANTED))
    inner = np.interp(np.linspace(0.0, total[-1], n_parts + 1)[1:-1], total, points)
    return [*(_on_grid(float(t)) for t in inner), 1.0]


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
