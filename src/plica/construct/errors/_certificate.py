"""Certificates: a bound of the error of a network, and the two independent ways in which it is checked."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from plica._lazy import cached_property
from plica.construct.errors._enclosure import ErrorEnclosure, approximation_error
from plica.errors import InvalidInput
from plica.geometry import Budget, Domain
from plica.network import Network

if TYPE_CHECKING:
    from plica.construct.errors._verify import Verification

TOLERANCE = 1e-9  # relative, so that a bound which is an enclosure can be found again by another way of computing it


def enclosed(network: Network, target: Any, domain: Domain, norm: str) -> ErrorEnclosure:
    """The error of a network, as narrowly as the number of dimensions lets it be known in seconds."""
    if domain.dimension > 2:
        return approximation_error(network, target, domain, norm=norm, tolerance=0.05, max_parts=100_000)
    return approximation_error(network, target, domain, norm=norm)


@dataclass(frozen=True, eq=False)
class Certificate:
    """The error of ``network`` against ``target`` over ``domain`` is at most ``bound``.

    Attributes
    ----------
    bound
        A number proved by the construction; exact where it is a fraction.
    norm
        ``"sup"`` or ``"L1"``.
    domain
        Where the bound holds.
    method
        What proves it, in a few words.
    target, network
        What is compared; the target may be another network.

    Examples
    --------
    >>> from plica.construct import squaring
    >>> c = squaring(2).certificate
    >>> c.bound, c.true_error.high, c.tightness, bool(c.verify())
    (Fraction(1, 64), Fraction(1, 64), 1.0, True)
    """

    bound: Fraction | float
    norm: str
    domain: Domain
    method: str
    target: Any
    network: Network

    def __post_init__(self) -> None:
        if not self.bound >= 0:
            raise InvalidInput(f"an error bound is a number >= 0, got {self.bound}.")

    @cached_property
    def true_error(self) -> ErrorEnclosure:
        """The error itself, enclosed: exact on the cells where the target allows it."""
        return enclosed(self.network, self.target, self.domain, self.norm)

    @property
    def tightness(self) -> float:
        """The certified bound over the true error: 1 is tight."""
        error = self.true_error.low
        return float("inf") if not error and self.bound else float(Fraction(self.bound) / Fraction(error)) if error else 1.0

    def verify(self, model: Any = None, *, budget: Budget | None = None) -> Verification:
        """Check the bound again, for this network or for another form of it: a network or a torch module.

        The error is enclosed on the exact complex and, by a second path that knows no complex, by branch and bound in affine
        arithmetic on the exported torch module. Where the first is not in rationals it may reach beyond the bound by two
        millionths of it, the second by 2^-24 of it on a line, 1/16 in the plane and 1/4 in more dimensions.

        A model whose weights differ from the certified ones by more than a few units in the last place is rejected, wherever they
        are. ``budget`` limits the decomposition; reaching it raises :class:`plica.BudgetExceeded`.
        """
        from plica.construct.errors._verify import verify

        return verify(self, model, budget=budget)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "bound": float(self.bound),
            "exact_bound": str(self.bound) if isinstance(self.bound, Fraction) else None,
            "norm": self.norm,
            "domain": repr(self.domain),
            "method": self.method,
            "target": repr(self.target),
        }

    def __repr__(self) -> str:
        bound = self.bound if isinstance(self.bound, Fraction) and self.bound.denominator < 2**64 else f"{float(self.bound):.6g}"
        return f"<Certificate: {self.norm} error <= {bound} over {self.domain!r}, by {self.method}>"

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        return facts_html(self, self.to_dict())


def certified(network: Network, target: Any, domain: Domain, *, norm: str = "sup") -> Certificate:
    """A certificate for a network whose error no formula predicts: the error is enclosed, and the upper end is the bound."""
    error = approximation_error(network, target, domain, norm=norm)
    return Certificate(float(error.high) * (1 + TOLERANCE), norm, domain, error.method, target, network)
