r"""Stone and Weierstrass: networks of cosines, and of exponentials, are algebras.

Claim
    Products of networks with one hidden layer of cosines are such networks, because 2 cos a cos b = cos(a + b) + cos(a - b),
    and so are products of networks of exponentials, because e^a e^b = e^{a+b}; both hold the constants and separate points, so
    that they are dense in the continuous functions on a compact set.
Source
    M. H. Stone, Mathematics Magazine 21 (1948) [stone1948]; University of Washington lecture [washington-lecture].
Prediction
    the product network is the product, coefficient by coefficient
Measurement
    random networks with integer weights: plica.construct.product_network against the product of polynomials in cos t (Chebyshev
    polynomials) or in e^t, with exact coefficients
Remark
    Networks of ReLUs are no algebra: the square of x is not piecewise linear. They are dense by another way.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.construct import Perceptron, Polynomial, chebyshev_polynomials, product_network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("slide-weierstrass", "leshno-1993-polynomial-activation")
SEED = 1948


def network(activation: str, width: int, seed: int) -> Perceptron:
    """Integer weights, no phases, integer output weights."""
    rng = np.random.default_rng(seed)
    low = 0 if activation == "exp" else -4
    weight, out = rng.integers(low, 5, (width, 1)), rng.integers(-3, 4, width)
    return Perceptron.shallow(weight.astype(float), np.zeros(width), out.astype(float), activation=activation)


def as_polynomial(net: Perceptron) -> Polynomial:
    """sum c_k cos(w_k t) as a polynomial in cos t, sum c_k e^{w_k t} as one in e^t."""
    ((weight, bias),), (out, constant) = net.hidden, net.output
    assert not bias.any() and weight.shape[1] == 1
    total = Polynomial([Fraction(float(constant[0]))])
    for w, c in zip(weight[:, 0], out[0][-len(weight) :], strict=True):
        k = abs(round(float(w)))
        basis = chebyshev_polynomials(max(k, 1))[k] if net.activation == "cos" else Polynomial.monomial((k,))
        total = total + Fraction(float(c)) * basis
    return total


def check(scale: str) -> Evidence:
    rows = []
    for activation in ("cos", "exp"):
        for width in (1, 2, 4) + ((8, 16) if scale == "full" else ()):
            for seed in range(SEED, SEED + 3):
                f, g = network(activation, width, seed), network(activation, width, seed + 100)
                product = product_network(f, g)
                same = as_polynomial(product) == as_polynomial(f) * as_polynomial(g)
                rows.append(row(same, "=", True, activation=activation, width=width, seed=seed, units=product.n_neurons))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Two networks of cosines and their product."""
    f, g = network("cos", 2, SEED), network("cos", 2, SEED + 100)
    t = np.linspace(-np.pi, np.pi, 401)[:, None]
    named = ((f, "f"), (g, "g"), (product_network(f, g), "network of f g"))
    for (net, label), color in zip(named, SERIES, strict=False):
        ax.plot(t[:, 0], net(t)[:, 0], color=color, linewidth=1.2, label=label)
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
