r"""Compositional functions: binary trees of functions of two variables, approximated node by node [poggio2017]_."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from plica.construct._arguments import error_argument
from plica.construct._construction import Construction
from plica.construct.interpolants._tree_certificate import TreeCertificate, composed_bound, node_slopes
from plica.construct.interpolants._triangulation import triangulation
from plica.construct.targets._branch import Branch
from plica.construct.targets._expressions import Expression
from plica.construct.targets._slopes import small_boxes
from plica.construct.targets._targets import Smooth
from plica.errors import BudgetExceeded, InvalidInput
from plica.geometry import Box
from plica.network import Builder, Clip, Concat, Gather, Network

Constituent = Callable[[Smooth, int], Construction]


def tree(
    root: Branch, n: int | None = None, *, error: float | None = None, constituent: Constituent = triangulation, most: int = 64
) -> Construction:
    r"""The network of a compositional function on the unit cube: a network for each node, joined as the tree says.

    With :math:`\varepsilon_v` the error of the network of node v and :math:`L_{v,1}, L_{v,2}` the slopes of its function, the
    error of the composition is at most

    .. math:: E_v = \varepsilon_v + L_{v,1} E_{left} + L_{v,2} E_{right}, \quad E_{leaf} = 0.

    Values that leave the unit interval by the errors so far are clipped. The certificate is checked node by node: beyond three
    variables no bisection of the cube would end.

    Parameters
    ----------
    root
        The tree, with its constituents.
    n, error
        The resolution of the networks of all nodes, or the error from which it follows.
    constituent
        ``constituent(function, n)`` builds the network of a node on the unit square, with a certificate; by default
        :func:`triangulation`, whose error falls like :math:`n^{-2}` with about :math:`3 n^2` units.
    most
        The largest resolution to try for an error.

    Examples
    --------
    >>> from plica.construct import balanced_tree, variables
    >>> u, v = variables(2)
    >>> f = tree(balanced_tree((u + v * v) / 2, 4), 4)
    >>> f.network.n_inputs, f.depth, round(float(f.certificate.bound), 4)
    (4, 10, 0.0195)
    """
    if (n is None) == (error is None):
        raise InvalidInput("give either the resolution or the error.")
    for node in root.nodes():
        _check_range(node)
    slopes = node_slopes(root)
    if n is None:
        wanted, n = error_argument(error), 1
        while composed_bound(root, slopes, _constituents(root, n, constituent)) > wanted:
            if n >= most:
                raise BudgetExceeded(
                    f"an error of {float(wanted):g} is not reached with {most} cells along each axis.",
                    hint="a larger error",
                    partial={"n": n},
                )
            n = min(most, 2 * n)
    built = _constituents(root, n, constituent)
    bound = composed_bound(root, slopes, built)
    network = _joined(root, built)
    domain = Box([0.0] * root.n_inputs, [1.0] * root.n_inputs)
    target = Smooth(root.formula(), n_variables=root.n_inputs)
    method = "errors of the nodes times slopes on the way to the root"
    certificate = TreeCertificate(bound, "sup", domain, method, target, network, root, built)
    theorem = {"units": sum(c.n_units for c in built.values()), "depth": root.depth, "nodes": root.n_nodes}
    return Construction("tree", network, {"n": n, "n_inputs": root.n_inputs}, theorem, ("poggio2017",), certificate)


def _check_range(node: Branch) -> None:
    if node.function.n_variables > 2:
        raise InvalidInput(f"a node of a binary tree is a function of two variables, not of {node.function.n_variables}.")
    if any(isinstance(side, int) and side < 0 for side in (node.left, node.right)):
        raise InvalidInput("variables are numbered from 0.")
    values = Smooth(node.function, n_variables=2).enclose(small_boxes([0.0, 0.0], [1.0, 1.0], 64))
    low, high = float(values.low.min()), float(values.high.max())
    if not (low >= -0.01 and high <= 1.01):
        raise InvalidInput(
            f"{node.function!r} takes values in [{low:.4g}, {high:.4g}]; the nodes of a tree map the unit square to [0, 1].",
            hint="scale and shift it",
        )


def _constituents(root: Branch, n: int, constituent: Constituent) -> dict[int, Construction]:
    made: dict[Expression, Construction] = {}
    found = {}
    for node in root.nodes():
        if node.function not in made:
            made[node.function] = constituent(Smooth(node.function, n_variables=2), n)
        found[id(node)] = made[node.function]
    return found


def _joined(root: Branch, built: dict[int, Construction]) -> Network:
    builder = Builder(root.n_inputs, name="tree")

    def place(side: Branch | int) -> int:
        if isinstance(side, int):
            return builder.add(Gather(np.array([side])), 0)
        both = builder.add(Concat(0), place(side.left), place(side.right))
        if isinstance(side.left, Branch) or isinstance(side.right, Branch):
            both = builder.add(Clip(0.0, 1.0), both)
        spots = {0: both}
        network = built[id(side)].network
        for i, node in enumerate(network.nodes[1:], start=1):
            spots[i] = builder.add(node.op, *(spots[j] for j in node.inputs))
        return spots[len(network.nodes) - 1]

    return builder.build(place(root))


@dataclass(frozen=True)
class EffectiveDimension:
    """The exponent d of error^(-d) parameters, from a line through logarithms, with its standard error."""

    value: float
    standard_error: float

    @property
    def slope(self) -> float:
        """The slope of log error against log parameters: -1/d."""
        return -1 / self.value


def estimate_effective_dimension(n_parameters: Sequence[float], errors: Sequence[float]) -> EffectiveDimension:
    """The effective dimension of a family of approximations: -d log(parameters) / d log(error) by least squares.

    Examples
    --------
    >>> round(estimate_effective_dimension([10, 100, 1000], [1.0, 0.1, 0.01]).value, 6)
    1.0
    """
    x, y = -np.log(np.asarray(errors, dtype=np.float64)), np.log(np.asarray(n_parameters, dtype=np.float64))
    if len(x) != len(y) or len(x) < 3 or not (np.isfinite(x).all() and np.isfinite(y).all()) or np.ptp(x) == 0:
        raise InvalidInput("an effective dimension needs three or more positive errors that differ, and as many sizes.")
    design = np.stack([x - x.mean(), np.ones(len(x))], axis=1)
    (slope, middle), *_ = np.linalg.lstsq(design, y, rcond=None)
    residual = y - design @ [slope, middle]
    spread = float(residual @ residual) / (len(x) - 2) / float(design[:, 0] @ design[:, 0])
    return EffectiveDimension(float(slope), float(np.sqrt(spread)))
