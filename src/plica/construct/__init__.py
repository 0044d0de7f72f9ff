"""Networks that proofs say exist, built with exact weights and certified."""

from plica.construct._barron import barron, estimate_squared_error
from plica.construct._bernstein import bernstein, bernstein_polynomial
from plica.construct._boxes import box_network, step_function
from plica.construct._branch import Branch, balanced_tree
from plica.construct._certificate import Certificate
from plica.construct._chebyshev import chebyshev, chebyshev_polynomials
from plica.construct._circuit import Circuit, Wire
from plica.construct._construction import Construction
from plica.construct._cosine import cosine, sine
from plica.construct._error import ErrorEnclosure, approximation_error
from plica.construct._expressions import Expression, cos, exp, sin, sqrt, variables
from plica.construct._folding import folding, general_position, maxout_rosette, zonotope
from plica.construct._fourier import feature_regression, fourier_features, product_network
from plica.construct._integral import integral_network
from plica.construct._interpolation import interpolant
from plica.construct._kernels import (
    gaussian_kernel,
    kernel_regression,
    polynomial_features,
    polynomial_kernel,
    polynomial_regression,
)
from plica.construct._maximum import lattice_form, max_min, maximum
from plica.construct._multiplication import deep_monomial, multiplication, shallow_monomial
from plica.construct._narrow import max_min_string, narrow_convex, narrow_line, serialized
from plica.construct._narrow_hats import narrow
from plica.construct._parity import parity, parity_terms
from plica.construct._partition import partition_of_unity
from plica.construct._perceptron import Perceptron
from plica.construct._perceptron_files import load_perceptron, save_perceptron
from plica.construct._polynomial import Polynomial
from plica.construct._polynomial_network import monomial, polynomial
from plica.construct._product import product
from plica.construct._ramps import ramps
from plica.construct._sawtooth import sawtooth, teeth
from plica.construct._sobolev import SobolevSize, sobolev, sobolev_size
from plica.construct._spectra import CosineSpectrum, GaussianSpectrum, RadialSpectrum, Spectrum
from plica.construct._spline import spline
from plica.construct._squaring import squaring
from plica.construct._sum_product import SumProductNetwork, sum_product_f, sum_product_g
from plica.construct._targets import PiecewisePolynomial, Smooth
from plica.construct._threshold import threshold
from plica.construct._tree import estimate_effective_dimension, tree
from plica.construct._triangulation import triangulation
from plica.construct._unit_construction import UnitConstruction
from plica.construct._verify import Verification
from plica.construct._wavelets import wavelets

__all__ = [
    "Branch",
    "Certificate",
    "Circuit",
    "Construction",
    "CosineSpectrum",
    "ErrorEnclosure",
    "Expression",
    "GaussianSpectrum",
    "Perceptron",
    "PiecewisePolynomial",
    "Polynomial",
    "RadialSpectrum",
    "Smooth",
    "SobolevSize",
    "Spectrum",
    "SumProductNetwork",
    "UnitConstruction",
    "Verification",
    "Wire",
    "approximation_error",
    "balanced_tree",
    "barron",
    "bernstein",
    "bernstein_polynomial",
    "box_network",
    "chebyshev",
    "chebyshev_polynomials",
    "cos",
    "cosine",
    "deep_monomial",
    "estimate_effective_dimension",
    "estimate_squared_error",
    "exp",
    "feature_regression",
    "folding",
    "fourier_features",
    "gaussian_kernel",
    "general_position",
    "integral_network",
    "interpolant",
    "kernel_regression",
    "lattice_form",
    "load_perceptron",
    "max_min",
    "max_min_string",
    "maximum",
    "maxout_rosette",
    "monomial",
    "multiplication",
    "narrow",
    "narrow_convex",
    "narrow_line",
    "parity",
    "parity_terms",
    "partition_of_unity",
    "polynomial",
    "polynomial_features",
    "polynomial_kernel",
    "polynomial_regression",
    "product",
    "product_network",
    "ramps",
    "save_perceptron",
    "sawtooth",
    "serialized",
    "shallow_monomial",
    "sin",
    "sine",
    "sobolev",
    "sobolev_size",
    "spline",
    "sqrt",
    "squaring",
    "step_function",
    "sum_product_f",
    "sum_product_g",
    "teeth",
    "threshold",
    "tree",
    "triangulation",
    "variables",
    "wavelets",
    "zonotope",
]
