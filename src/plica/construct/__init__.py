"""Networks that proofs say exist, built with exact weights and certified."""

from plica.construct._certificate import Certificate
from plica.construct._circuit import Circuit, Wire
from plica.construct._construction import Construction
from plica.construct._error import ErrorEnclosure, approximation_error
from plica.construct._expressions import Expression, cos, exp, sin, sqrt, variables
from plica.construct._folding import folding, general_position, maxout_rosette, zonotope
from plica.construct._interpolation import interpolant
from plica.construct._polynomial import Polynomial
from plica.construct._sawtooth import sawtooth, teeth
from plica.construct._squaring import squaring
from plica.construct._targets import PiecewisePolynomial, Smooth

__all__ = [
    "Certificate",
    "Circuit",
    "Construction",
    "ErrorEnclosure",
    "Expression",
    "PiecewisePolynomial",
    "Polynomial",
    "Smooth",
    "Wire",
    "approximation_error",
    "cos",
    "exp",
    "folding",
    "general_position",
    "interpolant",
    "maxout_rosette",
    "sawtooth",
    "sin",
    "sqrt",
    "squaring",
    "teeth",
    "variables",
    "zonotope",
]
