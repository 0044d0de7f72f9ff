r"""The mean field of a random network: how lengths and angles travel through wide layers.

.. math::
    h^{l+1} = s\,h^l + W^{l+1} (m \odot \varphi(h^l)) / \rho + b^{l+1}, \qquad
    W_{ij} \sim (0, \sigma_w^2 / n) \text{ kept with probability } \alpha, \quad b_i \sim (0, \sigma_b^2)

with a skip connection of strength s (0: none) and dropout masks m that keep each unit with probability rho (1: none).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, log, sqrt
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidInput
from plica.theory._meanfield_activations import Activation, Number
from plica.theory._meanfield_closed import activation as find_activation

EDGE_TOLERANCE = 1e-9  # |chi_1 - 1| below which a phase is called the edge of chaos
_LARGE, _SMALL = 1e12, 1e-15  # lengths beyond which the iteration is said to diverge, or to vanish
_LIMIT = 1e30  # stands for an infinite length


@dataclass(frozen=True)
class MeanField:
    r"""Maps, fixed points and depth scales of wide random networks [poole2016]_ [schoenholz2017]_.

    Parameters
    ----------
    activation
        ``"relu"``, ``"leaky-relu"``, ``"abs"``, ``"hard-tanh"``, ``"tanh"``, ``"erf"``, ``"sine"``, ``"gelu"``, ``"sigmoid"``,
        ``"identity"``, or an :class:`Activation`.
    weight_std, bias_std
        sigma_w and sigma_b; weights have variance sigma_w^2 / n_in.
    density
        alpha: each weight is kept with this probability and not rescaled, so alpha * sigma_w^2 takes the place of sigma_w^2.
    keep
        rho: dropout keeps each unit with this probability and divides by it.
    skip
        Strength of a residual connection around each layer.
    slope
        Of leaky ReLU.

    Examples
    --------
    >>> field = MeanField("tanh", weight_std=1.5, bias_std=0.3)
    >>> field
    <MeanField tanh, weight_std=1.5, bias_std=0.3: q*=0.9608, chi_1=1.061, c*=0.7668, chaotic>
    >>> MeanField("relu", weight_std=2**0.5).phase
    'edge'
    """

    activation: str | Activation = "tanh"
    weight_std: float = 1.0
    bias_std: float = 0.0
    density: float = 1.0
    keep: float = 1.0
    skip: float = 0.0
    slope: float | None = None

    def __post_init__(self) -> None:
        for name in ("weight_std", "bias_std"):
            value = getattr(self, name)
            if not (isinstance(value, int | float | np.number) and 0 <= value < inf):
                raise InvalidInput(f"{name}={value!r} is not a finite number from zero up.", hint="give a standard deviation")
        for name in ("density", "keep"):
            value = getattr(self, name)
            if not (isinstance(value, int | float | np.number) and 0 < value <= 1):
                raise InvalidInput(f"{name}={value!r} is outside (0, 1].", hint="1.0 keeps everything")
        if not (isinstance(self.skip, int | float | np.number) and isfinite(self.skip)):
            raise InvalidInput(f"skip={self.skip!r} is not a finite number.", hint="0 is no skip connection, 1 the identity")
        find_activation(self.activation, slope=self.slope)

    @cached_property
    def phi(self) -> Activation:
        """The activation with its Gaussian averages."""
        return find_activation(self.activation, slope=self.slope)

    @property
    def gain(self) -> float:
        """alpha * sigma_w^2."""
        return self.density * self.weight_std**2

    # -- the maps --------------------------------------------------------------------------------------------------------

    def first_length(self, mean_square: Number) -> Number:
        """q of the first layer, for an input with the given mean square of its entries."""
        return self.gain * mean_square + self.bias_std**2

    def length_map(self, q: Number) -> Number:
        r""":math:`q \mapsto s^2 q + \alpha\sigma_w^2\,E\varphi(\sqrt q z)^2 / \rho + \sigma_b^2`."""
        _check_lengths(q)
        return self.skip**2 * q + self.gain / self.keep * self.phi.energy(q) + self.bias_std**2

    def covariance_map(self, k1: Number, k2: Number, k: Number) -> Number:
        """The covariance of the next layer's pre-activations at two inputs; dropout masks are independent."""
        return self.skip**2 * k + self.gain * self.phi.covariance(k1, k2, k) + self.bias_std**2

    def correlation_map(self, c: Number, q: float | None = None) -> Number:
        """The next correlation of two inputs with equal lengths q, the fixed one unless given.

        Where lengths grow for ever, q unset means the limit of long inputs.
        """
        if np.any(np.abs(c) > 1 + 1e-12):
            raise InvalidInput(f"a correlation lies between -1 and 1, got {c}.")
        q = self.fixed_length() if q is None else q
        if q == 0 and not self.phi.homogeneous:
            return c if np.ndim(c) == 0 else np.asarray(c, dtype=float)  # near zero a smooth activation is linear
        q = self._finite(q)
        return self.covariance_map(q, q, q * np.asarray(c)) / self.length_map(q)

    def _finite(self, q: float) -> float:
        """A length that stands for zero or infinity where the averages need one."""
        return _LIMIT if q == inf else 1.0 if q == 0 and self.phi.homogeneous else q

    def lengths(self, start: float, *, n_layers: int) -> Array:
        """q_0 = start, q_1, ..., q_n."""
        values = [float(start)]
        for _ in range(_count(n_layers)):
            values.append(float(self.length_map(values[-1])))
        return np.array(values)

    def correlations(self, start: float, *, n_layers: int, length: float | None = None) -> Array:
        """c_0 = start, c_1, ..., c_n, for inputs of the given length (the fixed one unless given), which travels along."""
        q = self.fixed_length() if length is None else float(length)
        values = [float(start)]
        for _ in range(_count(n_layers)):
            values.append(float(self.correlation_map(values[-1], q)))
            q = q if length is None else float(self.length_map(q))
        return np.array(values)

    # -- fixed points ----------------------------------------------------------------------------------------------------

    def fixed_length(self, start: float = 1.0) -> float:
        """q* that the length map reaches from ``start``: 0 and inf are possible, and ``start`` if nothing changes it."""
        _check_lengths(start)
        key = ("q", float(start))
        memo: dict[Any, float] = self.__dict__.setdefault("_memo", {})
        if key not in memo:
            memo[key] = self._find_length(float(start))
        return memo[key]

    def _find_length(self, start: float) -> float:
        def excess(q: float) -> float:
            return float(self.length_map(q)) - q

        if abs(excess(start)) <= 4e-16 * start:
            return start
        # the map increases, so the iteration moves one way until the first zero of the excess
        up = excess(start) > 0
        a, factor = start, 1.1 if up else 1 / 1.1
        while _SMALL < a < _LARGE:
            b = a * factor
            if (excess(b) > 0) != up:
                from scipy.optimize import brentq

                return float(brentq(excess, min(a, b), max(a, b), xtol=1e-300, rtol=1e-15))
            a = b
        return inf if up else 0.0

    @cached_property
    def chi_1(self) -> float:
        r""":math:`s^2 + \alpha\sigma_w^2\,E\varphi'(\sqrt{q^*}z)^2 / \rho`: the factor of squared small distances."""
        return self.skip**2 + self.gain / self.keep * float(self.phi.slope_power(self._finite(self.fixed_length())))

    @cached_property
    def chi_2(self) -> float:
        r""":math:`\alpha\sigma_w^2\,E\varphi''(\sqrt{q^*}z)^2`: how layers make curvature; infinite with kinks."""
        return self.gain / self.keep * float(self.phi.bend_energy(self._finite(self.fixed_length())))

    @property
    def stretch(self) -> float:
        """sqrt(chi_1): the factor by which a wide layer stretches a curve."""
        return sqrt(self.chi_1)

    @property
    def phase(self) -> str:
        """``"ordered"``, ``"chaotic"`` or ``"edge"``: whether chi_1 is below, above or at one."""
        if abs(self.chi_1 - 1) <= EDGE_TOLERANCE:
            return "edge"
        return "chaotic" if self.chi_1 > 1 else "ordered"

    @cached_property
    def fixed_correlation(self) -> float:
        """c* that correlations of inputs of length q* converge to, from any start in [0, 1)."""
        q = self.fixed_length()
        if self.keep == 1 and (self.phi.homogeneous or q == 0 or (q < inf and self.phase != "chaotic")):
            return 1.0
        q = self._finite(q)
        # c = next covariance / next length; a skip connection adds s^2 c q to one and s^2 q to the other, so it drops out
        made = self.gain / self.keep * float(self.phi.energy(q)) + self.bias_std**2

        def excess(c: float) -> float:
            return (self.gain * float(self.phi.covariance(q, q, q * c)) + self.bias_std**2) / made - c

        # the map is convex on [0, 1]: c* is its only crossing below one
        if excess(0.0) <= 0:
            return 0.0
        for gap in 10.0 ** -np.arange(0.25, 12.0, 0.25):
            if excess(1 - gap) < 0:
                from scipy.optimize import brentq

                return float(brentq(excess, 0.0, 1 - gap, xtol=1e-15))
        return 1.0

    # -- depth scales ----------------------------------------------------------------------------------------------------

    @cached_property
    def length_depth_scale(self) -> float:
        r""":math:`\xi_q`: lengths approach q* like :math:`e^{-l/\xi_q}`."""
        q = self._finite(self.fixed_length())
        return _scale(self.skip**2 + self.gain / self.keep * float(self.phi.energy_growth(q)))

    @cached_property
    def correlation_depth_scale(self) -> float:
        r""":math:`\xi_c`: correlations approach c* like :math:`e^{-l/\xi_c}`; infinite at the edge of chaos."""
        q, c = self._finite(self.fixed_length()), self.fixed_correlation
        # the derivative of the correlation map; its denominator is the next length, which need not be q
        growth = float(self.length_map(q)) / q if q > 0 else 1.0
        return _scale((self.skip**2 + self.gain * float(self.phi.slope_covariance(q, q, q * c))) / growth)

    @property
    def gradient_depth_scale(self) -> float:
        r""":math:`\xi_\nabla = 1 / |\log\chi_1|`: gradients vanish (ordered) or explode (chaotic) on this scale."""
        return inf if self.phase == "edge" else 1 / abs(log(self.chi_1)) if self.chi_1 > 0 else 0.0

    def curvatures(self, start: float, *, n_layers: int) -> Array:
        r"""Squared extrinsic curvature of a curve, :math:`\kappa_{l+1}^2 = 3\chi_2/\chi_1^2 + \kappa_l^2/\chi_1` [poole2016]_.

        Lengths are divided by the square root of the width, so a circle of squared length q has squared curvature 1 / q.
        """
        values = [float(start)]
        for _ in range(_count(n_layers)):
            values.append(3 * self.chi_2 / self.chi_1**2 + values[-1] / self.chi_1)
        return np.array(values)

    @property
    def error(self) -> float:
        """Estimated error of the Gaussian averages at q*: zero for closed forms."""
        return self.phi.quadrature_error(self._finite(self.fixed_length()))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "activation": self.phi.name,
            "weight_std": float(self.weight_std),
            "bias_std": float(self.bias_std),
            "density": float(self.density),
            "keep": float(self.keep),
            "skip": float(self.skip),
            "fixed_length": self.fixed_length(),
            "fixed_correlation": self.fixed_correlation,
            "chi_1": self.chi_1,
            "chi_2": self.chi_2,
            "phase": self.phase,
            "length_depth_scale": self.length_depth_scale,
            "correlation_depth_scale": self.correlation_depth_scale,
            "gradient_depth_scale": self.gradient_depth_scale,
            "error": self.error,
        }

    def __repr__(self) -> str:
        options = {"density": 1.0, "keep": 1.0, "skip": 0.0, "slope": None}
        more = "".join(f", {name}={getattr(self, name):g}" for name, usual in options.items() if getattr(self, name) != usual)
        return (
            f"<MeanField {self.phi.name}, weight_std={self.weight_std:g}, bias_std={self.bias_std:g}{more}: "
            f"q*={self.fixed_length():.4g}, chi_1={self.chi_1:.4g}, c*={self.fixed_correlation:.4g}, {self.phase}>"
        )


def _scale(rate: float) -> float:
    """Layers in which a deviation that is multiplied by ``rate`` falls to 1/e."""
    rate = abs(rate)
    return 0.0 if rate == 0 else inf if rate >= 1 - EDGE_TOLERANCE else -1 / log(rate)


def _check_lengths(q: Number) -> None:
    if np.any(np.isnan(q)) or np.any(np.asarray(q) < 0):
        raise InvalidInput(f"a squared length must be zero or larger, got {q}.")


def _count(n_layers: int) -> int:
    if isinstance(n_layers, bool) or not isinstance(n_layers, int | np.integer) or n_layers < 0:
        raise InvalidInput(f"n_layers={n_layers!r} is not a number of layers.")
    return int(n_layers)
