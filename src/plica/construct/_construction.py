"""What a construction is: a network that a proof says exists, with what the proof promises and a certificate of its error."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.construct.errors._certificate import Certificate
from plica.network import Affine, Network

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, eq=False, repr=False)
class Construction:
    """A network that a proof says exists.

    Attributes
    ----------
    name
        The name of the builder.
    network
        The network, with the weights that the proof gives.
    parameters
        The arguments of the builder.
    theorem
        What the theorem promises, by name: ``units``, ``weights``, ``depth``, ``error``, ``regions`` as far as it speaks of them.
    sources
        Keys of the bibliography; :meth:`cite` prints their BibTeX.
    certificate
        A bound of the error and the means to check it; None where the network is not an approximation of anything.

    Examples
    --------
    >>> from plica.construct import squaring
    >>> s = squaring(3)
    >>> s.depth, s.n_units, s.certificate.bound
    (3, 6, Fraction(1, 256))
    >>> s.merit()
    {'units': 0.6666666666666666, 'depth': 1.0, 'tightness': 1.0}
    """

    name: str
    network: Network
    parameters: dict[str, Any] = field(default_factory=dict)
    theorem: dict[str, Any] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    certificate: Certificate | None = None

    @property
    def depth(self) -> int:
        """The number of hidden layers: of folding operations one after the other."""
        return len(self.network.layers)

    @property
    def n_units(self) -> int:
        """The number of folding units."""
        return self.network.n_neurons

    @property
    def n_weights(self) -> int:
        """The number of weights and biases that are not zero."""
        operations = [node.op for node in self.network.nodes if isinstance(node.op, Affine)]
        arrays = [a for op in operations for a in op.arrays().values() if a.dtype.kind == "f"]
        return sum(int(np.count_nonzero(a)) for a in arrays)

    def __call__(self, x: Any) -> Array:
        """The network at one point or a batch of points."""
        return self.network(x)

    def module(self, dtype: torch.dtype | None = None) -> torch.nn.Module:
        """The network as a torch module, float64 unless another dtype is given."""
        from plica.network import to_torch

        return to_torch(self.network, dtype=dtype)

    def cite(self) -> str:
        """The BibTeX of the sources."""
        from plica.claims import bibliography

        return "\n\n".join(bibliography()[key] for key in self.sources)

    def merit(self) -> dict[str, float]:
        """Figures of merit: the certified bound over the true error, and sizes over those that the theorem promises, by name.

        The true error is computed, which can take a while.
        """
        counts = {"units": self.n_units, "weights": self.n_weights, "depth": self.depth}
        ratios = {
            name: count / self.theorem[name]
            for name, count in counts.items()
            if isinstance(self.theorem.get(name), int) and self.theorem[name] > 0
        }
        return ratios | ({} if self.certificate is None else {"tightness": self.certificate.tightness})

    def to_dict(self) -> dict[str, Any]:
        """Sizes, promises and the certificate as plain values."""
        return {
            "name": self.name,
            "parameters": {key: plain(value) for key, value in self.parameters.items()},
            "widths": list(self.network.widths),
            "depth": self.depth,
            "n_units": self.n_units,
            "n_weights": self.n_weights,
            "theorem": {key: plain(value) for key, value in self.theorem.items()},
            "certificate": None if self.certificate is None else self.certificate.to_dict(),
        }

    def __repr__(self) -> str:
        bound = "" if self.certificate is None else f", error <= {float(self.certificate.bound):.3g}"
        given = ", ".join(f"{key}={plain(value)}" for key, value in self.parameters.items())
        return (
            f"<Construction {self.name}({given}): {self.n_units:,} units, {self.n_weights:,} weights, depth {self.depth}{bound}>"
        )

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        facts = self.to_dict()
        certificate = facts.pop("certificate") or {}
        theorem = {f"theorem: {key}": value for key, value in facts.pop("theorem").items()}
        return facts_html(self, facts | theorem | {f"certificate: {k}": v for k, v in certificate.items()})


def plain(value: Any) -> Any:
    """Plain numbers stay, sequences become lists, everything else its text."""
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Fraction):
        return str(value) if value.denominator.bit_length() <= 40 else float(value)
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return str(value)
