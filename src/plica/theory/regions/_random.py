r"""What random weights give: densities of breakpoints and of regions at initialization."""

from __future__ import annotations

from fractions import Fraction
from math import acos, factorial, pi, sqrt

from plica.errors import InvalidInput
from plica.theory.regions._widths import integer


def gaussian_layer_crossings(n: int, start: float, stop: float, *, bias_std: float, weight_std: float = 1.0) -> float:
    r"""Expected breakpoints in [start, stop] of n neurons w x + b with Gaussian w and b: :math:`n\,\theta/\pi`.

    :math:`\theta` is the angle between :math:`(\sigma_w a, \sigma_b)` and :math:`(\sigma_w c, \sigma_b)` for the two ends a, c: a
    Gaussian plane separates two vectors with probability angle / pi. Exact for the first layer of any network.

    Examples
    --------
    >>> gaussian_layer_crossings(8, -1.0, 1.0, bias_std=1.0)
    4.0
    """
    n = integer(n, "n")
    if bias_std <= 0 or weight_std <= 0:
        raise InvalidInput(f"standard deviations must be positive, got {weight_std} and {bias_std}.")
    a, c = weight_std * start, weight_std * stop
    cosine = (a * c + bias_std**2) / sqrt((a * a + bias_std**2) * (c * c + bias_std**2))
    return n * acos(max(-1.0, min(1.0, cosine))) / pi


def hanin_rolnick_2019_breakpoints_upper_bound(n_neurons: int, length: float, *, c_grad: float, c_bias: float) -> float:
    r"""Expected breakpoints of a random ReLU network on a segment: at most :math:`C_{grad} C_{bias} N |I|` [hanin2019a]_.

    :math:`C_{bias}` bounds the density of the biases, :math:`C_{grad}` the expected norm of the gradient of a neuron's
    pre-activation with respect to the input. Linear in the number of neurons N, at any depth.

    Examples
    --------
    >>> hanin_rolnick_2019_breakpoints_upper_bound(64, 2.0, c_grad=1.0, c_bias=0.5)
    64.0
    """
    return c_grad * c_bias * integer(n_neurons, "n_neurons") * length


def hanin_rolnick_2019_regions_upper_bound(n_neurons: int, dimension: int, *, c_grad: float, c_bias: float) -> float:
    r"""Expected cells per unit volume of a large cube: at most :math:`(T N)^d / d!` [hanin2019b]_.

    :math:`T = 2^5 C_{grad} C_{bias}`, for :math:`N \ge d`; for fewer neurons it is :math:`2^N`. :math:`C_{bias}` bounds the
    densities of the biases, :math:`C_{grad}^{2k}` the moments :math:`E|\nabla z|^{2k}`, k <= d.

    Examples
    --------
    >>> hanin_rolnick_2019_regions_upper_bound(10, 2, c_grad=1.0, c_bias=0.125)
    800.0
    """
    n, d = integer(n_neurons, "n_neurons"), integer(dimension, "dimension", least=1)
    return float(2**n) if n < d else (32.0 * c_grad * c_bias * n) ** d / factorial(d)


def hanin_rolnick_2019_regions_estimate(n_neurons: int, dimension: int) -> Fraction:
    r"""The number of cells over the whole input space that random networks show: about :math:`N^d / d!` [hanin2019b]_.

    An empirical law of the paper, for a d-dimensional input; at d = 2 it is the :math:`N^2/2` of its figures.

    Examples
    --------
    >>> hanin_rolnick_2019_regions_estimate(20, 2)
    Fraction(200, 1)
    """
    n, d = integer(n_neurons, "n_neurons"), integer(dimension, "dimension", least=1)
    return Fraction(n**d, factorial(d))
