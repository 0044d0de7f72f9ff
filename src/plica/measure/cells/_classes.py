"""Volumes of classes: how much of a domain gets which answer, cut exactly along the decision boundary."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import BoundedComplex, Budget, Domain, Meter, Path, decompose, parts, reading, watched
from plica.measure.cells._integrals import Enclosed, added, enclosed, enclosed_exactly
from plica.measure.cells._sharp import sharp, simplex_volumes, summed
from plica.network import Gather, Max, Network, Op, Rectifier, Reshape, Scale, extended


@dataclass(frozen=True, eq=False)
class ClassVolumes:
    """The volume of each class, in the parameters of the domain.

    A class is the output that is largest (the lowest-numbered among equals); of a single output, class 1 is where it is positive.

    Attributes
    ----------
    volumes
        One enclosure for each class.
    volume
        Of the domain.
    """

    volumes: tuple[Enclosed, ...]
    volume: Fraction
    _complex: BoundedComplex | None

    @property
    def kind(self) -> str:
        """``"exact"`` or ``"certified"``."""
        return self.volumes[0].kind

    @property
    def complex(self) -> BoundedComplex:
        """The complex cut along the decision boundary; the states of its last layer are the classes. Not kept of parts."""
        if self._complex is None:
            raise InvalidInput("no complex was kept.", hint="leave out in_parts=True")
        return self._complex

    @property
    def shares(self) -> Array:
        """The parts of the domain, as floats."""
        return np.array([float(v) for v in self.volumes]) / float(self.volume)

    @property
    def classes(self) -> Array:
        """The class of each cell of :attr:`complex`."""
        return self.complex.layer_states(len(self.complex.network.layers) - 1)[:, 0]

    def __repr__(self) -> str:
        return f"<ClassVolumes {', '.join(f'{s:.4g}' for s in self.shares)} of the domain, {self.kind}>"

    def _repr_html_(self) -> str:
        from plica._show import rows_html

        shares = zip(self.volumes, self.shares.tolist(), strict=True)
        return rows_html(
            self, [{"class": k, "volume": float(v), "part": part, "kind": v.kind} for k, (v, part) in enumerate(shares)]
        )


def class_operations(network: Network) -> list[Op]:
    """What on top of a network has the class as its state."""
    n = network.n_outputs
    flat: list[Op] = [Reshape((n,))] if network.output_shape != (n,) else []
    if n == 1:
        return [*flat, Gather(np.array([0])), Scale(np.ones(1), np.zeros(1)), Rectifier()]
    return [*flat, Gather(np.arange(n)), Scale(np.ones(1), np.zeros(1)), Max(np.arange(n)[None])]


def class_volumes(
    network: Network, domain: Domain | Path, *, exact: bool = False, in_parts: bool = False, budget: Budget | None = None
) -> ClassVolumes:
    """The volume of every class over a domain.

    With ``in_parts`` a plane or a box is looked at part by part (:func:`plica.geometry.parts`), in memory that does not depend on
    the number of cells; parts of a plane that one class provably has are not decomposed at all.

    Examples
    --------
    >>> import numpy as np, plica
    >>> from plica.network import Linear, Network
    >>> net = Network.sequential(2, [Linear(np.array([[1.0, 0.0], [0.0, 1.0]]))])  # which coordinate is larger
    >>> [v.exact for v in class_volumes(net, plica.Box([0, 0], [2, 1]), exact=True).volumes]
    [Fraction(3, 2), Fraction(1, 2)]
    """
    asked, n_classes = extended(network, class_operations(network)), max(2, network.n_outputs)
    if in_parts:
        if isinstance(domain, Path):
            raise InvalidInput("a path has no parts to be looked at.", hint="leave out in_parts=True")
        return ClassVolumes(_volumes_in_parts(asked, domain, n_classes, exact, budget), domain.exact_size(), None)
    meter = Meter(budget or Budget(), len(asked.layers))
    cx = decompose(asked, domain, budget=budget)
    if not isinstance(cx, BoundedComplex):
        raise InvalidInput("classes have infinite volumes in R^n.", hint="give a bounded domain: plica.Box")
    classes = cx.layer_states(len(cx.network.layers) - 1)[:, 0]
    volume = Fraction(len(domain.segments)) if isinstance(domain, Path) else domain.exact_size()
    with watched(meter):
        return ClassVolumes(label_volumes(cx, classes, n_classes, exact=exact), volume, cx)


def _volumes_in_parts(asked: Network, domain: Domain, n_classes: int, exact: bool, budget: Budget | None) -> tuple[Enclosed, ...]:
    found: list[list[Enclosed]] = [[] for _ in range(n_classes)]
    meter = Meter(budget or Budget(), len(asked.layers))
    for part in parts(asked, domain, settle=True, budget=budget):
        if part.settled is not None:
            found[part.settled].append(enclosed_exactly(part.size))
        else:
            assert part.complex is not None
            classes = part.complex.layer_states(len(asked.layers) - 1)[:, 0]
            with watched(meter):
                volumes = label_volumes(part.complex, classes, n_classes, exact=exact)
            for total, volume in zip(found, volumes, strict=True):
                total.append(volume)
    return tuple(added(total, exact=exact) for total in found)


def label_volumes(cx: BoundedComplex, labels: Array, n_labels: int, *, exact: bool) -> tuple[Enclosed, ...]:
    """The volume of the cells with each label."""
    if exact:
        sizes = [cx.exact_size(i) for i in range(cx.n_cells)]
        totals = [Fraction(0)] * n_labels
        for size, label in zip(sizes, labels.tolist(), strict=True):
            totals[label] += size
        return tuple(enclosed_exactly(t) for t in totals)
    s = sharp(cx, np.zeros(cx.network.n_outputs))
    simplices = cx.triangulation()
    sizes_, error = simplex_volumes(s.positions[simplices.vertices], s.position_error[simplices.vertices])
    own = labels[simplices.cells]
    return tuple(_nonnegative(enclosed(*summed(sizes_[own == k], error[own == k]))) for k in range(n_labels))


def _nonnegative(x: Enclosed) -> Enclosed:
    return Enclosed(max(x.low, 0.0), max(x.high, 0.0))


@reading
def volume_above(cx: BoundedComplex, t: float, *, output: int | None = None, weights: Any = None) -> Enclosed:
    """The volume of {output > t} over the domain of a complex, in its parameters.

    Examples
    --------
    >>> import numpy as np, plica
    >>> from plica.network import Linear, Network
    >>> net = Network.sequential(2, [Linear(np.array([[1.0, 1.0]]))])
    >>> 0.5 in volume_above(plica.decompose(net, plica.Box([0, 0], [1, 1])), 1.0)
    True
    """
    from plica.measure.cells._distribution import distribution

    return distribution(cx, output=output, weights=weights).above(t)
