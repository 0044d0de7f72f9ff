"""Networks that proofs say exist, built with exact weights and certified."""

from plica._deprecated import renamed
from plica.construct._catalog import build, builders, usage
from plica.construct._construction import Construction
from plica.construct.circuits._circuit import Circuit, Wire
from plica.construct.errors._certificate import Certificate
from plica.construct.errors._enclosure import ErrorEnclosure, approximation_error
from plica.construct.errors._verify import Verification
from plica.construct.interpolants._boxes import box_network, step_function
from plica.construct.interpolants._narrow_hats import narrow
from plica.construct.interpolants._spline import spline
from plica.construct.interpolants._tree import estimate_effective_dimension, tree
from plica.construct.interpolants._triangulation import triangulation
from plica.construct.interpolants._wavelets import wavelets
from plica.construct.perceptrons._barron import barron, estimate_squared_error
from plica.construct.perceptrons._construction import UnitConstruction
from plica.construct.perceptrons._files import load_perceptron, save_perceptron
from plica.construct.perceptrons._fourier import feature_regression, fourier_features, product_network
from plica.construct.perceptrons._integral import integral_network
from plica.construct.perceptrons._kernels import (
    gaussian_kernel,
    kernel_regression,
    polynomial_features,
    polynomial_kernel,
    polynomial_regression,
)
from plica.construct.perceptrons._multiplication import deep_monomial, multiplication, shallow_monomial
from plica.construct.perceptrons._perceptron import Perceptron
from plica.construct.perceptrons._ramps import ramps
from plica.construct.perceptrons._registers import registers
from plica.construct.perceptrons._threshold import threshold
from plica.construct.polynomials._bernstein import bernstein, bernstein_polynomial
from plica.construct.polynomials._chebyshev import chebyshev, chebyshev_polynomials
from plica.construct.polynomials._cosine import cosine_network, sine_network
from plica.construct.polynomials._partition import partition_of_unity
from plica.construct.polynomials._polynomial_network import monomial, polynomial
from plica.construct.polynomials._product import product
from plica.construct.polynomials._sobolev import SobolevSize, sobolev, sobolev_size
from plica.construct.polynomials._squaring import squaring
from plica.construct.polynomials._sum_product import SumProductNetwork, sum_product_f, sum_product_g
from plica.construct.polynomials._texture import texture_network
from plica.construct.representations._activations import with_activation
from plica.construct.representations._bits import stored_bits, stored_surface, stored_walk
from plica.construct.representations._few_maxima import few_layers
from plica.construct.representations._folding import folding, general_position, maxout_rosette, zonotope
from plica.construct.representations._interpolation import interpolant
from plica.construct.representations._maximum import lattice_form, max_min, maximum
from plica.construct.representations._narrow import max_min_string, narrow_convex, narrow_line, serialized
from plica.construct.representations._narrow_plane import narrow_plane
from plica.construct.representations._parity import parity, parity_terms
from plica.construct.representations._sawtooth import sawtooth, teeth
from plica.construct.targets._branch import Branch, balanced_tree
from plica.construct.targets._expressions import Expression, cos, exp, log, sin, sqrt, variables
from plica.construct.targets._polynomial import Polynomial
from plica.construct.targets._spectra import CosineSpectrum, GaussianSpectrum, RadialSpectrum, Spectrum
from plica.construct.targets._targets import PiecewisePolynomial, Smooth

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
    "build",
    "builders",
    "chebyshev",
    "chebyshev_polynomials",
    "cos",
    "cosine_network",
    "deep_monomial",
    "estimate_effective_dimension",
    "estimate_squared_error",
    "exp",
    "feature_regression",
    "few_layers",
    "folding",
    "fourier_features",
    "gaussian_kernel",
    "general_position",
    "integral_network",
    "interpolant",
    "kernel_regression",
    "lattice_form",
    "load_perceptron",
    "log",
    "max_min",
    "max_min_string",
    "maximum",
    "maxout_rosette",
    "monomial",
    "multiplication",
    "narrow",
    "narrow_convex",
    "narrow_line",
    "narrow_plane",
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
    "registers",
    "save_perceptron",
    "sawtooth",
    "serialized",
    "shallow_monomial",
    "sin",
    "sine_network",
    "sobolev",
    "sobolev_size",
    "spline",
    "sqrt",
    "squaring",
    "step_function",
    "stored_bits",
    "stored_surface",
    "stored_walk",
    "sum_product_f",
    "sum_product_g",
    "teeth",
    "texture_network",
    "threshold",
    "tree",
    "triangulation",
    "usage",
    "variables",
    "wavelets",
    "with_activation",
    "zonotope",
]

__getattr__ = renamed("plica.construct", {"cosine": "cosine_network", "sine": "sine_network"})
