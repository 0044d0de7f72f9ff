"""The certificate of a tree: the certificates of its nodes, and slopes on the way to the root."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.construct._construction import Construction
from plica.construct.errors._certificate import Certificate
from plica.construct.errors._enclosure import ErrorEnclosure
from plica.construct.errors._verify import Verification, read_model, tampered
from plica.construct.targets._branch import Branch
from plica.construct.targets._slopes import slope_bounds
from plica.construct.targets._targets import Smooth
from plica.geometry import Budget
from plica.network import Network, to_torch

N_POINTS = 2048
SEED = 2
ROUNDING = 2.0**-30


def node_slopes(root: Branch) -> dict[int, list[float]]:
    """For each node, bounds of the slopes of its function by its two variables."""
    return {id(node): slope_bounds(Smooth(node.function, n_variables=2), [0.0, 0.0], [1.0, 1.0]) for node in root.nodes()}


def composed_bound(root: Branch, slopes: dict[int, list[float]], built: dict[int, Construction]) -> float:
    """The error of a composition from those of its nodes."""
    certificate = built[id(root)].certificate
    assert certificate is not None
    total = float(certificate.bound)
    for slope, side in zip(slopes[id(root)], (root.left, root.right), strict=True):
        if isinstance(side, Branch):
            total += slope * composed_bound(side, slopes, built)
    return total * (1 + 2.0**-50)


@dataclass(frozen=True, eq=False)
class TreeCertificate(Certificate):
    """A certificate that is checked node by node.

    Attributes
    ----------
    root, built
        The tree, and the construction of each node by its identity.
    """

    root: Branch
    built: dict[int, Construction]

    @cached_property
    def true_error(self) -> ErrorEnclosure:
        """From the largest error at random points to the bound."""
        x = self._points()
        deviation = np.abs(self.network(x)[:, 0] - self.root(x))
        worst = int(deviation.argmax())
        where = tuple(float(v) for v in x[worst])
        return ErrorEnclosure(
            float(deviation[worst]), float(self.bound), "sup", "points, and the bound", n_parts=len(x), where=where
        )

    def verify(self, model: Any = None, *, budget: Budget | None = None) -> Verification:
        """Check the certificates of all nodes, the slopes, and that the network is the composition of its nodes."""
        given = self.network if model is None else read_model(model, self)
        if model is not None:
            reason = tampered(self.network, given, self.domain)
            if reason:
                return Verification(False, reason)
        for part in {id(c): c for c in self.built.values()}.values():
            assert part.certificate is not None
            found = part.certificate.verify(budget=budget)
            if not found:
                return Verification(False, f"a node: {found.reason}", found.error, found.second)
        bound = composed_bound(self.root, node_slopes(self.root), self.built)
        if bound > float(self.bound) * (1 + 2.0**-40):
            return Verification(False, f"the errors of the nodes add up to {bound:.10g}, above {float(self.bound):.10g}.")
        reason = self._joined_wrongly(given if model is None or isinstance(model, Network) else model)
        return Verification(not reason, reason, self.true_error)

    def _points(self) -> Array:
        return np.random.default_rng(SEED).random((N_POINTS, self.network.n_inputs))

    def _joined_wrongly(self, model: Any) -> str:
        """The second path: the torch module at random points, against the networks of the nodes, one after the other."""
        import torch

        module = to_torch(model) if isinstance(model, Network) else model
        x = self._points()
        with torch.no_grad():
            there = module(torch.from_numpy(x).to(next(module.parameters()).dtype)).numpy().astype(np.float64)[:, 0]

        def values(side: Branch | int) -> Array:
            if isinstance(side, int):
                return x[:, side]
            pair = np.stack([values(side.left), values(side.right)], axis=1)
            return self.built[id(side)](np.clip(pair, 0.0, 1.0))[:, 0]

        off = float(np.abs(there - values(self.root)).max())
        return f"the module is {off:.3g} away from the composition of its nodes." if off > ROUNDING else ""
