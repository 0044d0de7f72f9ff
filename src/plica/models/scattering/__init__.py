"""Scattering: wavelets, modulus, wavelets, modulus, mean; nothing is learned, and the frame bounds are proved."""

from plica.models.scattering._banks import Bank, wavelets_1d, wavelets_2d
from plica.models.scattering._littlewood_paley import LittlewoodPaley, littlewood_paley
from plica.models.scattering._morlet import Morlet
from plica.models.scattering._scattering import Scattering, ScatteringConfig

__all__ = [
    "Bank",
    "LittlewoodPaley",
    "Morlet",
    "Scattering",
    "ScatteringConfig",
    "littlewood_paley",
    "wavelets_1d",
    "wavelets_2d",
]
