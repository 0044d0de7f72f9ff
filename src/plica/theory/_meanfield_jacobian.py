r"""Singular values of the input-output Jacobian of a wide random network, by free probability.

:math:`J = D_L W_L \cdots D_1 W_1` with D diagonal of slopes :math:`\varphi'(h)`, h ~ N(0, q). As the width grows, :math:`JJ^T`
has the S-transform :math:`S = (S_{D^2} S_{WW^T})^L`, so with the generating function
:math:`u = E[\chi d^2 / (1 - \chi d^2)]` of the squared slopes d^2 as unknown,

.. math::
    z(\chi) = \frac{1+u}{u} \left(\frac{u}{(1+u)\chi}\,\sigma_w^2 (1 + u)^{g}\right)^L

where g = 1 for Gaussian weights and 0 for orthogonal ones, and the density is :math:`-\tfrac1\pi\,\mathrm{Im}\,(1 + u)/z` at
real z [pennington2017]_ [pennington2018]_.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, pi
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidInput
from plica.theory._meanfield_activations import Activation
from plica.theory._meanfield_closed import HardTanh, LeakyReLU
from plica.theory._meanfield_closed import activation as find_activation
from plica.theory._meanfield_quadrature import hermite

ENSEMBLES = {"gaussian": 1, "orthogonal": 0}


@dataclass(frozen=True)
class JacobianSpectrum:
    r"""The squared singular values of the Jacobian of ``depth`` wide layers.

    Parameters
    ----------
    activation
        By name, as in :class:`MeanField`.
    depth
        Number of layers L.
    weight_std
        sigma_w.
    length
        q of the pre-activations; it does not matter for ReLU.
    weights
        ``"gaussian"`` or ``"orthogonal"``.

    Examples
    --------
    >>> spectrum = JacobianSpectrum("relu", depth=4, weight_std=2**0.5, weights="gaussian")
    >>> round(spectrum.mean, 6), round(spectrum.variance, 6), spectrum.mass_at_zero
    (1.0, 8.0, 0.5)
    >>> round(JacobianSpectrum("identity", depth=2).largest, 6)
    6.75
    """

    activation: str | Activation = "relu"
    depth: int = 1
    weight_std: float = 1.0
    length: float = 1.0
    weights: str = "gaussian"
    slope: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.depth, bool) or not isinstance(self.depth, int | np.integer) or self.depth < 1:
            raise InvalidInput(f"depth={self.depth!r} is not a positive integer.")
        if not 0 < self.weight_std < inf:
            raise InvalidInput(f"weight_std={self.weight_std!r} is not a positive finite number.")
        if not 0 <= self.length < inf:
            raise InvalidInput(f"length={self.length!r} is not a finite number from zero up.")
        if self.weights not in ENSEMBLES:
            raise InvalidInput(f"weights={self.weights!r} is not known.", hint=f"one of {', '.join(ENSEMBLES)}")
        find_activation(self.activation, slope=self.slope)

    @cached_property
    def phi(self) -> Activation:
        return find_activation(self.activation, slope=self.slope)

    def slope_moment(self, k: int) -> float:
        r""":math:`\mu_k = E\,\varphi'(\sqrt q z)^{2k}`."""
        return float(self.phi.slope_power(self.length, 2 * k))

    @property
    def mean(self) -> float:
        r"""The mean squared singular value, :math:`(\sigma_w^2\mu_1)^L`."""
        return float((self.weight_std**2 * self.slope_moment(1)) ** self.depth)

    @property
    def variance(self) -> float:
        r"""Their variance, :math:`m_1^2\,L\,(\mu_2/\mu_1^2 - 1 + g)`: relative variances add under free multiplication."""
        relative = self.slope_moment(2) / self.slope_moment(1) ** 2 - 1 + ENSEMBLES[self.weights]
        return self.mean**2 * self.depth * relative

    @cached_property
    def _slopes(self) -> tuple[Array, Array]:
        """Values of the squared slope and their probabilities (quadrature nodes for a smooth activation)."""
        if isinstance(self.phi, LeakyReLU):
            return np.array([1.0, self.phi.slope**2]), np.array([0.5, 0.5])
        if isinstance(self.phi, HardTanh):
            inside = float(self.phi.slope_power(self.length))
            return np.array([1.0, 0.0]), np.array([inside, 1 - inside])
        nodes, probabilities = hermite(128)
        return np.asarray(self.phi.derivative(np.sqrt(self.length) * nodes)) ** 2, probabilities

    @property
    def mass_at_zero(self) -> float:
        """The part of the singular values that vanish: that of the slopes."""
        values, probabilities = self._slopes
        return float(probabilities[values == 0].sum())

    def _u(self, chi: Any) -> tuple[Any, Any]:
        """u and du/dchi."""
        values, probabilities = self._slopes
        rest = 1 - chi[..., None] * values
        return (chi[..., None] * values / rest) @ probabilities, (values / rest**2) @ probabilities

    def _log_z(self, chi: Any) -> tuple[Any, Any, Any]:
        """log z(chi), its derivative, and u."""
        u, du = self._u(chi)
        L, g = self.depth, ENSEMBLES[self.weights]
        log_z = np.log(1 + u) - np.log(u) + L * (np.log(u) - np.log(chi) + 2 * np.log(self.weight_std) + (g - 1) * np.log(1 + u))
        slope = du / (1 + u) - du / u + L * (du / u - 1 / chi + (g - 1) * du / (1 + u))
        return log_z, slope, u

    @cached_property
    def largest(self) -> float:
        r"""The largest squared singular value; :math:`(L+1)^{L+1}/L^L` for a linear Gaussian network."""
        from scipy.optimize import minimize_scalar

        pole = 1 / self._slopes[0].max()
        # the smallest value of z on the real branch that comes down from infinity
        best = minimize_scalar(
            lambda s: float(self._log_z(np.array(pole / (1 + np.exp(-s))))[0]), bounds=(-60.0, 36.0), method="bounded"
        )
        best = minimize_scalar(
            lambda s: float(self._log_z(np.array(pole / (1 + np.exp(-s))))[0]),
            bounds=(best.x - 3, best.x + 3),
            method="bounded",
            options={"xatol": 1e-10},
        )
        return float(np.exp(best.fun))

    @property
    def mass_at_top(self) -> float:
        """The part of the singular values that are as large as can be, all slopes being one: only for orthogonal weights."""
        values, probabilities = self._slopes
        if self.weights == "gaussian" or len(values) > 2:
            return 0.0
        return max(0.0, 1 - self.depth * (1 - float(probabilities[values == values.max()].sum())))

    @property
    def _top(self) -> float:
        return float((self.weight_std**2 * self._slopes[0].max()) ** self.depth)

    def density(self, values: Any) -> Array:
        """The density of squared singular values at positive numbers, without the masses at zero and at the top.

        Found by following the root from far above the real axis, where it is known, down to it.
        """
        x = np.atleast_1d(np.asarray(values, dtype=float))
        if not (np.isfinite(x).all() and (x > 0).all()):
            raise InvalidInput("squared singular values are positive and finite.", hint="the mass at zero is mass_at_zero")
        if self.weights == "orthogonal" and self.depth == 1:
            raise InvalidInput("one orthogonal layer has the slopes themselves as singular values.", hint="choose depth >= 2")
        start = 1e3 * max(self.largest, self.mean)
        n_steps = 8 + int(np.ceil(np.log(1e9 * start / x.min()) / np.log(1.6)))
        chi = self.mean / (1j * start) / self.slope_moment(1) * np.ones_like(x)
        for step in range(n_steps + 1):
            z = x + 1j * start * (1e-9 * x / start) ** (step / n_steps)
            for _ in range(3 if step < n_steps else 8):
                log_z, slope, _ = self._log_z(chi)
                residual = log_z - np.log(z)
                residual -= 2j * pi * np.round(residual.imag / (2 * pi))  # powers wind around zero
                chi = chi - residual / slope
        u = self._log_z(chi)[2]
        masses = self.mass_at_zero / z + self.mass_at_top / (z - self._top)
        return np.maximum(-((1 + u) / z - masses).imag / pi, 0.0)

    def singular_value_density(self, values: Any) -> Array:
        """The density of singular values themselves."""
        s = np.atleast_1d(np.asarray(values, dtype=float))
        return 2 * s * self.density(s * s)
