"""Two networks compared exactly over a domain: their difference is a network too, and its complex knows how large it is."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import BoundedComplex, Budget, Domain, Meter, Path, decompose, measuring
from plica.measure.cells._classes import class_operations, label_volumes
from plica.measure.cells._extremes import Extreme, maximum
from plica.measure.cells._integrals import Enclosed, means
from plica.network import Builder, Concat, Fold, Gather, Network, Op, Rectifier, difference, extended, side_by_side


@dataclass(frozen=True, eq=False)
class Comparison:
    """How far two networks are from each other over a domain.

    Attributes
    ----------
    largest
        The largest deviation of any output, an exact :class:`Extreme` with the point where it is attained.
    output
        The output that deviates most.
    mean
        The mean absolute deviation of each output under the uniform measure, certified.
    disagreement
        The volume, in the parameters, on which the networks answer with different classes; certified.
    volume
        Of the domain.
    is_equal
        Whether the networks are one function on the domain: proved either way.
    n_cells
        Cells of the difference.
    """

    largest: Extreme
    output: int
    mean: tuple[Enclosed, ...]
    disagreement: Enclosed
    volume: Fraction
    is_equal: bool
    n_cells: int
    seconds: float

    @property
    def share(self) -> float:
        """The part of the domain with different answers."""
        return float(self.disagreement) / float(self.volume)

    def to_dict(self) -> dict[str, Any]:
        return {
            "is_equal": self.is_equal,
            "largest_deviation": float(self.largest),
            "at_parameters": self.largest.point.tolist(),
            "output": self.output,
            "mean_deviation": [float(m) for m in self.mean],
            "share_of_other_answers": self.share,
            "n_cells": self.n_cells,
            "seconds": self.seconds,
        }

    def __repr__(self) -> str:
        if self.is_equal:
            return f"<Comparison: one function on the domain, proved on {self.n_cells:,} cells>"
        return f"<Comparison: deviation up to {float(self.largest):.6g} (exact), {self.share:.3%} other answers>"

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        return facts_html(self, self.to_dict())


def compare(f: Network, g: Network, domain: Domain | Path, *, budget: Budget | None = None) -> Comparison:
    """Compare two networks with the same inputs and outputs over a bounded domain.

    Parameters
    ----------
    f, g
        The networks, as stored: float32 against float64, pruned against dense, before and after.
    domain
        A segment, path, plane, box or polytope.
    budget
        Limits of the whole.

    Examples
    --------
    >>> import plica
    >>> from plica.network import Linear
    >>> f = Network.sequential(1, [Linear(np.array([[1.0], [-1.0]])), Rectifier(), Linear(np.array([[1.0, 1.0]]))])  # |x|
    >>> g = Network.sequential(1, [Linear(np.array([[1.0]]))])
    >>> found = compare(f, g, plica.Box([-1], [1]))
    >>> found.largest.value, found.largest.exact_point, round(float(found.mean[0]), 12), found.share
    (Fraction(2, 1), (Fraction(-1, 1),), 0.5, 0.5)
    >>> compare(f, f, plica.Box([-1], [1]))
    <Comparison: one function on the domain, proved on 2 cells>
    """
    if not isinstance(domain, (Domain, Path)):
        raise InvalidInput("networks are compared over a bounded domain.", hint="plica.Box, Polytope, Plane, Segment or Path")
    meter = Meter(budget or Budget(), len(f.layers) + len(g.layers))
    gap = extended(_flat(difference(f, g)), [Rectifier(np.array(-1.0))])  # |f - g|, cut where it is zero
    cx = decompose(gap, domain, budget=meter.rest())
    assert isinstance(cx, BoundedComplex)
    with measuring(meter):
        best, output = max(((maximum(cx, k), k) for k in range(gap.n_outputs)), key=lambda x: (x[0].value, -x[1]))
        mean = means(cx)
    both = _both_classes(f, g)
    answers = decompose(both, domain, budget=meter.rest())
    assert isinstance(answers, BoundedComplex)
    with measuring(meter):
        classes = _top_states(answers)
        other = (classes[:, 0] != classes[:, 1]).astype(np.int64)
        volumes = label_volumes(answers, other, 2, exact=False)
    volume = Fraction(len(domain.segments)) if isinstance(domain, Path) else domain.exact_size()
    seconds = cx.seconds + answers.seconds
    return Comparison(best, output, mean, volumes[1], volume, best.value == 0, cx.n_cells, seconds)


def _flat(network: Network) -> Network:
    from plica.network import Reshape

    n = network.n_outputs
    return network if network.output_shape == (n,) else extended(network, [Reshape((n,))])


def _both_classes(f: Network, g: Network) -> Network:
    """Both networks on one input, with two last layers whose states are the classes."""
    joint, n = side_by_side(f, g), f.n_outputs
    b, place = Builder(joint.input_shape), {0: 0}
    for i, node in enumerate(joint.nodes[1:], start=1):
        place[i] = b.add(node.op, *(place[j] for j in node.inputs))
    end, tops = place[len(joint.nodes) - 1], []
    for k in range(2):
        top = b.add(Gather(np.arange(k * n, (k + 1) * n)), end)
        for op in _class_folds(f):
            top = b.add(op, top)
        tops.append(top)
    return b.build(b.add(Concat(0), *tops))


def _class_folds(f: Network) -> list[Op]:
    """The class operations on a flat output."""
    return class_operations(_flat(f))


def _top_states(cx: BoundedComplex) -> Array:
    """The states of the two folds that feed the last node."""
    network = cx.network
    tops = network.nodes[-1].inputs
    assert all(isinstance(network.nodes[i].op, Fold) for i in tops)
    return np.stack([cx.layer_states(network.layer_numbers[i])[:, 0] for i in tops], axis=1)
