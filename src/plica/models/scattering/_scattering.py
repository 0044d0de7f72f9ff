"""The scattering transform: means of moduli of wavelet coefficients, of first and second order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import ceil, floor, log2, prod, sqrt

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from plica._lazy import cached_property
from plica.errors import InvalidInput
from plica.models._config import Config, one_of, positive
from plica.models._model import Model
from plica.models.scattering._banks import Bank, wavelets_1d, wavelets_2d
from plica.models.scattering._littlewood_paley import littlewood_paley
from plica.models.scattering._morlet import Morlet

PADDINGS = ("reflect", "periodic")


@dataclass(frozen=True)
class ScatteringConfig(Config):
    """What is transformed, and how.

    Parameters
    ----------
    shape
        Of a signal: (length,) or (height, width).
    n_scales
        Means are taken over about ``2**n_scales`` samples.
    n_angles, per_octave
        Directions of wavelets in the plane; wavelets in an octave on the line, of first order (one, of second).
    order
        0, 1 or 2.
    padding
        Beyond its ends a signal is reflected, or comes again.
    subsample
        Coefficients at every ``2**n_scales``-th sample, computed on the coarsest grids that the wavelets allow; or at all of
        them, which is slower, and then the theorems hold to rounding.
    normalized
        Divide the filters so that the Littlewood-Paley sum is proved to be at most 1: no two signals move apart.
    """

    shape: tuple[int, ...]
    n_scales: int = 2
    n_angles: int = 8
    per_octave: int = 1
    order: int = 2
    padding: str = "reflect"
    subsample: bool = True
    normalized: bool = False

    def problems(self) -> list[tuple[str, str]]:
        sizes = positive(n_scales=self.n_scales, n_angles=self.n_angles, per_octave=self.per_octave)
        found = [*sizes, *one_of("padding", self.padding, PADDINGS)]
        if len(self.shape) not in (1, 2):
            found.append((f"shape is {self.shape}.", "give (length,) or (height, width)"))
        if not 0 <= self.order <= 2:
            found.append((f"order is {self.order}.", "use 0, 1 or 2"))
        step = 2 ** min(self.n_scales, 30)
        if any(n < step for n in self.shape):
            found.append((f"signals of shape {self.shape} are shorter than {step} samples.", "use fewer scales"))
        elif self.padding == "periodic" and self.subsample and any(n % step for n in self.shape):
            found.append((f"{step} does not divide {self.shape}.", "subsample=False, or padding='reflect'"))
        return found


class Scattering(Model[ScatteringConfig]):
    r"""S x = (x * phi, \|x * psi_a\| * phi, \|\|x * psi_a\| * psi_b\| * phi) with Morlet wavelets [mallat2012]_.

    In second order b has a coarser scale than a: a modulus is smoother than what it is taken of.

    Examples
    --------
    >>> model = Scattering(ScatteringConfig((28, 28), n_scales=2))
    >>> model(torch.zeros(5, 28, 28)).shape
    torch.Size([5, 81, 7, 7])
    >>> model.paths[0], model.paths[1], model.paths[-1]
    ((), (0,), (7, 15))
    """

    Config = ScatteringConfig

    def __init__(self, config: ScatteringConfig) -> None:
        super().__init__(config)
        c = config
        self._axes = tuple(range(-len(c.shape), 0))
        self._layout = [_layout(n, c) for n in c.shape]
        self._filters: dict[tuple[int, int], Tensor] = {}  # of a scale of a bank, by order; on the finest grid

    @cached_property
    def banks(self) -> tuple[Bank, Bank]:
        """The wavelets of first and of second order."""
        c = self.config
        choices = [(2, c.n_angles)] * 2 if len(c.shape) == 2 else [(1, c.per_octave), (1, 1)]
        found = [_bank(c.n_scales, *choice) for choice in choices]
        if c.normalized:
            found = [bank.divided(_root_of_sum(bank.n_scales, *choice)) for bank, choice in zip(found, choices, strict=True)]
            low = min((bank.low_pass for bank in found), key=lambda filter: filter.gain)  # both orders share it
            found = [Bank(low, bank.wavelets, bank.n_scales) for bank in found]
        return found[0], found[1]

    @property
    def paths(self) -> tuple[tuple[int, ...], ...]:
        """The channels: numbers of the wavelets that were passed."""
        first, second = self.banks
        found: list[tuple[int, ...]] = [()]
        if self.config.order >= 1:
            found += [(a,) for a in range(len(first.wavelets))]
        if self.config.order >= 2:
            pairs = ((a, b) for a in range(len(first.wavelets)) for b in range(len(second.wavelets)))
            found += [(a, b) for a, b in pairs if second.wavelets[b].scale > first.wavelets[a].scale]
        return tuple(found)

    def forward(self, x: Tensor) -> Tensor:
        """Coefficients (..., channels, *grid) of signals (..., *shape)."""
        c = self.config
        if tuple(x.shape[-len(c.shape) :]) != c.shape:
            raise InvalidInput(
                f"signals of shape {tuple(x.shape)} do not end with {c.shape}.", hint="ScatteringConfig(shape=...)"
            )
        batch = x.shape[: -len(c.shape)]
        signal = torch.fft.fftn(self._padded(x.reshape(-1, 1, *c.shape)), dim=self._axes)
        orders: list[list[Tensor]] = [[self._mean(signal, 0)], [], []]
        for j, group in self.banks[0].groups if c.order >= 1 else ():
            modulus = self._modulus(signal, 0, group, 0, j)
            orders[1].append(self._mean(modulus, j))
            finer = [self._second(modulus, j, *other) for other in self.banks[1].groups if other[0] > j] if c.order >= 2 else []
            if finer:
                orders[2].append(torch.cat(finer, dim=2).flatten(1, 2))
        found = torch.cat([part for order in orders for part in order], dim=1)
        return found.reshape(*batch, *found.shape[1:])

    def _second(self, modulus: Tensor, j: int, scale: int, group: tuple[int, ...]) -> Tensor:
        """Coefficients (B, wavelets of first order, wavelets of second order, *grid) of one scale."""
        n = modulus.shape[1]
        again = self._modulus(modulus.flatten(0, 1)[:, None], 1, group, j, scale)
        found = self._mean(again, scale)
        return found.reshape(-1, n, *found.shape[1:])

    def _modulus(self, spectrum: Tensor, order: int, group: tuple[int, ...], coarse: int, scale: int) -> Tensor:
        """The spectrum of the moduli after the wavelets of a group: from the grid ``coarse`` to the grid ``scale``."""
        passed = spectrum * self._filter(order, group, coarse, spectrum)
        small = torch.fft.ifftn(self._folded(passed, scale - coarse), dim=self._axes).abs()
        return torch.fft.fftn(small, dim=self._axes)

    def _mean(self, spectrum: Tensor, coarse: int) -> Tensor:
        """Means around the samples of the last grid."""
        last = self._folded(spectrum * self._filter(0, (-1,), coarse, spectrum), self.config.n_scales - coarse)
        found = torch.fft.ifftn(last, dim=self._axes).real
        for axis, (_, _, start, stop) in zip(self._axes, self._layout, strict=True):
            found = found.narrow(axis, start, stop - start)
        return found

    # -- grids ------------------------------------------------------------------------------------------------------------

    def _padded(self, x: Tensor) -> Tensor:
        sides = [side for padded, left, _, _ in reversed(self._layout) for side in (left, padded)]
        widths = [w if i % 2 == 0 else w - n - sides[i - 1] for i, (w, n) in enumerate(zip(sides, self._sizes(), strict=True))]
        return functional.pad(x, widths, mode="reflect") if any(widths) else x

    def _sizes(self) -> list[int]:
        return [n for n in reversed(self.config.shape) for _ in range(2)]

    def _folded(self, spectrum: Tensor, octaves: int) -> Tensor:
        """The spectrum of every ``2**octaves``-th sample: the mean over what falls on one frequency."""
        if not self.config.subsample or not octaves:
            return spectrum
        times = 2**octaves
        for axis in self._axes:
            n = spectrum.shape[axis]
            spectrum = spectrum.unflatten(axis, (times, n // times)).mean(dim=axis - 1)
        return spectrum

    def _filter(self, order: int, group: tuple[int, ...], coarse: int, like: Tensor) -> Tensor:
        """Fourier transforms (filters, *grid) at the low frequencies that a coarse grid has."""
        key = (order, group[0])
        if key not in self._filters:
            bank = self.banks[order]
            chosen = [bank.low_pass] if group[0] < 0 else [bank.wavelets[i] for i in group]
            self._filters[key] = torch.from_numpy(np.stack([self._sampled(one) for one in chosen]))
        found = self._filters[key]
        if self.config.subsample and coarse:
            for axis in self._axes:
                n = found.shape[axis]
                low = n // 2 ** (coarse + 1)
                high = n // 2**coarse - low
                found = torch.cat([found.narrow(axis, 0, low), found.narrow(axis, n - high, high)], dim=axis)
        return found.to(like.device, like.real.dtype)

    def _sampled(self, one: Morlet) -> np.ndarray:
        sizes = [padded for padded, _, _, _ in self._layout]
        grid = np.stack(np.meshgrid(*(2 * np.pi * np.fft.fftfreq(n) for n in sizes), indexing="ij"), axis=-1)
        return one.transform(grid.reshape(prod(sizes), -1)).reshape(sizes)


def _bank(n_scales: int, dimension: int, n: int) -> Bank:
    return wavelets_2d(n_scales, n) if dimension == 2 else wavelets_1d(n_scales, n)


@cache
def _root_of_sum(n_scales: int, dimension: int, n: int) -> float:
    """What the filters are divided by: the root of a bound of their Littlewood-Paley sum, 1 at least."""
    return sqrt(max(1.0, littlewood_paley(_bank(n_scales, dimension, n), tolerance=1e-3).most[1]))


def _layout(n: int, c: ScatteringConfig) -> tuple[int, int, int, int]:
    """Along one axis: the padded size, what is padded before, and the first and last sample of the last grid that count."""
    step = 2**c.n_scales
    if c.padding == "periodic":
        return n, 0, 0, n // step if c.subsample else n
    if len(c.shape) == 2:  # a coarse sample more at each side
        padded = (n // step + 2) * step
        left = (padded - n) // 2
        return (padded, left, 1, padded // step - 1) if c.subsample else (padded, left, left, left + n)
    wanted = ceil(log2(n + 2 * 16 * step))  # the mean's Gaussian ends long before
    padded = max(2 ** min(wanted, floor(log2(3 * n - 2))), step)
    left = (padded - n) // 2
    return (padded, left, ceil(left / step), ceil((left + n) / step)) if c.subsample else (padded, left, left, left + n)
