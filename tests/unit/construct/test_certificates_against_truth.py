"""Every certificate against the truth: not below the error that points show, and not looser than its proof is.

Targets are written here once more, in numpy, and errors are taken at points: nothing is shared with the enclosures, formulas and
sums of the certificates but the network itself. ``looser`` is how much larger than the error the bound may be; where it is 1.01
the theorem is sharp for this target, so that a bound with a wrong constant is found from both sides.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import plica.construct as room
from plica.construct import (
    Construction,
    Polynomial,
    approximation_error,
    balanced_tree,
    bernstein,
    box_network,
    chebyshev,
    cosine_network,
    deep_monomial,
    exp,
    integral_network,
    monomial,
    multiplication,
    narrow,
    narrow_convex,
    narrow_line,
    narrow_plane,
    partition_of_unity,
    polynomial,
    product,
    sawtooth,
    shallow_monomial,
    sin,
    sine_network,
    sobolev,
    spline,
    sqrt,
    squaring,
    teeth,
    texture_network,
    threshold,
    tree,
    triangulation,
    variables,
    wavelets,
)
from plica.construct.circuits._circuit import Circuit
from plica.construct.polynomials._bernstein import casteljau

(X,) = variables(1)
U, V = variables(2)


@dataclass(frozen=True)
class Case:
    """A construction, its target in numpy, the ends of its cube, and how much looser than the truth its bound may be."""

    build: Callable[[], Construction]
    target: Callable[..., Any]
    low: float
    high: float
    looser: float
    norm: str = "sup"


def zigzag(x: Any, n: int) -> Any:
    """Up and down between 0 and 1 in n straight pieces."""
    return np.abs((x * n + 1) % 2 - 1)


def staircase(x: Any) -> Any:
    return 0.5 * np.minimum(1, 200 * x)


CASES = {
    **{f"squaring {m}": Case(lambda m=m: squaring(m), lambda x: x * x, 0, 1, 1.01) for m in (1, 2, 5)},
    **{
        f"product {form} {m} {s}": Case(
            lambda m=m, s=s, form=form: product(m, size=s, form=form), lambda x, y: x * y, -s, s, 1.01
        )
        for form in ("three", "four")
        for m, s in ((1, 1), (3, 2), (2, 0.5))
    },
    "monomial xy": Case(lambda: monomial([1, 1], 0.01), lambda x, y: x * y, -1, 1, 1.01),
    "monomial x^2": Case(lambda: monomial([2], 0.01), lambda x: x**2, -1, 1, 1.01),
    "monomial x^3": Case(lambda: monomial([3], 0.01), lambda x: x**3, -1, 1, 1.3),
    "monomial x^4": Case(lambda: monomial([4], 0.01), lambda x: x**4, -1, 1, 1.2),
    "monomial x^2 y": Case(lambda: monomial([2, 1], 0.01), lambda x, y: x**2 * y, -1, 1, 1.1),
    "polynomial of degree 3": Case(
        lambda: polynomial([Fraction(1, 3), 0, -1, 2], 0.05), lambda x: 1 / 3 - x**2 + 2 * x**3, -1, 1, 1.4
    ),
    "polynomial x^2 + y^2, terms that err together": Case(
        lambda: polynomial({(2, 0): 1, (0, 2): 1}, 0.05), lambda x, y: x * x + y * y, -1, 1, 1.001
    ),
    "polynomial on [-4, 4]": Case(lambda: polynomial([0, 0, 3], 0.5, size=4), lambda x: 3 * x * x, -4, 4, 1.01),
    "chebyshev T_2": Case(lambda: chebyshev(2 * X**2 - 1, 2, 0.01), lambda x: 2 * x * x - 1, -1, 1, 1.01),
    "chebyshev exp, coarse squares": Case(lambda: chebyshev(exp(X), 4, 0.02), np.exp, -1, 1, 1.8),
    "chebyshev exp, fine squares": Case(lambda: chebyshev(exp(X), 3, 1e-5), np.exp, -1, 1, 1.01),
    "bernstein |x - 1/2|": Case(lambda: bernstein(abs(X - 0.5), 3, 0.02), lambda x: np.abs(x - 0.5), 0, 1, 1.1),
    "bernstein x^2": Case(lambda: bernstein(X**2, 2, 1e-3), lambda x: x * x, 0, 1, 1.01),
    "bernstein -8 x^2, both errors on one side": Case(lambda: bernstein(-8 * X**2, 2, 2), lambda x: -8 * x * x, 0, 1, 1.001),
    "bernstein x, coarse squares": Case(lambda: bernstein(X, 3, 0.3), lambda x: x, 0, 1, np.inf),
    "partition_of_unity in the plane": Case(lambda: partition_of_unity(2, dimension=2, m=2), lambda x, y: 1 + 0 * x, 0, 1, 1.01),
    "sobolev 8 x, where products alone err": Case(lambda: sobolev(8 * X, 0.6, smoothness=2), lambda x: 8 * x, 0, 1, 1.001),
    "sobolev 1, four bumps that err": Case(
        lambda: sobolev(Polynomial.constant(1, 2), 0.6, dimension=2, smoothness=1), lambda x, y: 1 + 0 * x, 0, 1, 1.001
    ),
    "sobolev x, one derivative": Case(lambda: sobolev(X, 0.1, smoothness=1), lambda x: x, 0, 1, 2.01),
    "sobolev x^2, two derivatives": Case(lambda: sobolev(X**2, 0.02, smoothness=2), lambda x: x * x, 0, 1, 1.7),
    "sobolev sin, two derivatives": Case(lambda: sobolev(sin(3 * X), 0.05), lambda x: np.sin(3 * x), 0, 1, 2.3),
    "sobolev sin, three derivatives": Case(lambda: sobolev(sin(3 * X), 0.1, smoothness=3), lambda x: np.sin(3 * x), 0, 1, 8),
    "cosine_network 10": Case(lambda: cosine_network(10, 0.1), lambda x: np.cos(10 * x), -1, 1, 1.8),
    "cosine_network 3, fine": Case(lambda: cosine_network(3, 1e-4), lambda x: np.cos(3 * x), -1, 1, 1.5),
    "sine_network 5": Case(lambda: sine_network(5, 0.01), lambda x: np.sin(5 * x), -1, 1, 1.5),
    "texture_network 20": Case(
        lambda: texture_network(Polynomial([0, 0, 1]), Polynomial([0.5, 0, -0.5]), 20, 0.05),
        lambda x: np.cos(20 * x**2) * (1 - x**2) / 2, -1, 1, 3.0,
    ),
    "sawtooth": Case(lambda: sawtooth(4), lambda x: zigzag(x, 16), 0, 1, np.inf),
    "teeth": Case(lambda: teeth([3, 2]), lambda x: zigzag(x, 6), 0, 1, np.inf),
    "spline x^2": Case(lambda: spline(X**2, 5), lambda x: x * x, 0, 1, 1.01),
    "spline sin": Case(lambda: spline(sin(6 * X), 7, interval=(-1, 2)), lambda x: np.sin(6 * x), -1, 2, 1.2),
    "triangulation (x + y)^2": Case(lambda: triangulation((U + V) ** 2, 3), lambda x, y: (x + y) ** 2, 0, 1, 1.01),
    "narrow x^2": Case(lambda: narrow(X**2, 3), lambda x: x * x, 0, 1, 1.01),
    "narrow (x + y)^2": Case(lambda: narrow((U + V) ** 2, 2), lambda x, y: (x + y) ** 2, 0, 1, 1.01),
    "narrow_convex x^2": Case(lambda: narrow_convex(X**2, 4, low=[-1], high=[1]), lambda x: x * x, -1, 1, 1.01),
    "narrow_convex x^2 + y^2": Case(
        lambda: narrow_convex(U**2 + V**2, 3, low=[-1, -1], high=[1, 1]), lambda x, y: x * x + y * y, -1, 1, 1.01
    ),
    "narrow_convex, steep line": Case(
        lambda: narrow_convex(X * Fraction(10**9, 3), 3, low=[-0.7], high=[0.7]), lambda x: x * (1e9 / 3), -0.7, 0.7, np.inf
    ),
    "narrow_line sin": Case(lambda: narrow_line(sin(6 * X), error=0.5), lambda x: np.sin(6 * x), 0, 1, 4),
    "narrow_line, far from zero": Case(lambda: narrow_line(X + 10**9, error=0.25), lambda x: x + 1e9, 0, 1, np.inf),
    "narrow_plane x y": Case(lambda: narrow_plane(U * V, error=0.25), lambda x, y: x * y, 0, 1, 2.5),
    "narrow_plane x^2 + y^2": Case(
        lambda: narrow_plane(U**2 + V**2, error=0.5, low=(-1, -1), high=(1, 1)), lambda x, y: x * x + y * y, -1, 1, 3.1
    ),
    "wavelets": Case(lambda: wavelets(sin(2 * X), 5, levels=6), lambda x: np.sin(2 * x), 0, 1, 1.01),
    "wavelets, root": Case(lambda: wavelets(sqrt(X), 7, levels=8, bits=6), np.sqrt, 0, 1, 1.01),
    "integral_network of ReLUs": Case(lambda: integral_network(exp(X), 8), np.exp, 0, 1, 1.01),
    "integral_network of steps": Case(lambda: integral_network(exp(X), 8, units="step"), np.exp, 0, 1, 1.01),
    "integral_network of random ReLUs": Case(
        lambda: integral_network(sin(5 * X), 20, rule="random"), lambda x: np.sin(5 * x), 0, 1, 1.01
    ),
    "threshold x": Case(lambda: threshold(X, error=0.1), lambda x: x, 0, 1, 1.01),
    "threshold x, in the middle": Case(lambda: threshold(X, error=0.1, midpoint=True), lambda x: x, 0, 1, 1.01),
    "threshold sin": Case(lambda: threshold(sin(3 * X), error=0.1, interval=(-1, 1)), lambda x: np.sin(3 * x), -1, 1, 1.01),
    "box_network, corner": Case(
        lambda: box_network((1 + 200 * X - abs(1 - 200 * X)) / 4, error=0.5, modulus=1, value="corner"),
        staircase, 0, 1, 1.01, "L1",
    ),
    "box_network x": Case(lambda: box_network(X, error=0.25, value="corner", ramp=2**-20), lambda x: x, 0, 1, 2.01, "L1"),
    "box_network x, center": Case(lambda: box_network(X, error=0.25, ramp=2**-20), lambda x: x, 0, 1, 2.01, "L1"),
    "box_network 1": Case(lambda: box_network(X * 0 + 1, error=0.5, ramp=0.25), lambda x: 1 + 0 * x, 0, 1, 2.01, "L1"),
    "box_network in the plane": Case(lambda: box_network(U * V, error=0.5), lambda x, y: x * y, 0, 1, 8, "L1"),
    "tree": Case(
        lambda: tree(balanced_tree((U + V) ** 2 / 4, 4), 2), lambda a, b, c, d: ((a + b) ** 2 + (c + d) ** 2) ** 2 / 64, 0, 1, 1.6
    ),
    **{
        f"multiplication {activation}": Case(
            lambda a=activation: multiplication(error=0.01, size=2, activation=a), lambda x, y: x * y, -2, 2, looser
        )
        for activation, looser in (("softplus", 1.01), ("exp", 1.2), ("sigmoid", 1.3))
    },
    **{
        f"shallow_monomial {r} {activation}": Case(
            lambda a=activation, r=r: shallow_monomial(r, activation=a), lambda x, y, r=r: x ** r[0] * y ** r[1], -1, 1, looser
        )
        for activation, r, looser in (
            ("softplus", (1, 1), 1.4), ("exp", (1, 1), 1.3), ("sigmoid", (1, 1), 1.4),
            ("exp", (2, 1), 1.4), ("softplus", (2, 1), 2.5),
        )
    },
    **{
        f"deep_monomial {r} {activation}": Case(
            lambda a=activation, r=r: deep_monomial(r, activation=a, error=0.05),
            lambda x, y, r=r: x ** r[0] * y ** r[1], -1, 1, looser,
        )
        for activation, r, looser in (
            ("softplus", (1, 1), 1.1), ("exp", (1, 1), 1.8), ("softplus", (2, 0), 1.1), ("softplus", (2, 1), 1.8),
            ("softplus", (3, 2), 3),
        )
    },
}  # fmt: skip

# what these promise is no bound of an error: tested where their numbers are
WITHOUT = {
    "barron", "few_layers", "folding", "interpolant", "max_min", "max_min_string", "maximum", "maxout_rosette", "parity",
    "ramps", "serialized", "stored_bits", "stored_surface", "stored_walk", "zonotope",
}  # fmt: skip


def points(low: float, high: float, d: int) -> np.ndarray:
    """A grid that holds dyadic points, and random points near and between them."""
    n = {1: 12289, 2: 193, 4: 13}[d]
    axis = np.linspace(low, high, n)
    grid = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)
    return np.vstack([grid, np.random.default_rng(3).uniform(low, high, (20_000, d))]) if d > 1 else grid


def error_at_points(case: Case, network: Any) -> float:
    x = points(case.low, case.high, network.n_inputs)
    if case.norm == "L1":  # the mean over the middles of a grid
        d = network.n_inputs
        n = {1: 2**16, 2: 400}[d]
        axis = case.low + (np.arange(n) + 0.5) / n * (case.high - case.low)
        x = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)
    deviation = np.abs(network(x)[:, 0] - case.target(*x.T))
    return float(deviation.mean() * (case.high - case.low) ** network.n_inputs if case.norm == "L1" else deviation.max())


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_bound_is_above_the_error_and_not_looser_than_the_proof(case: Case) -> None:
    certificate = case.build().certificate
    assert certificate is not None and certificate.norm == case.norm
    seen, bound = error_at_points(case, certificate.network), float(certificate.bound)
    size = float(np.abs(case.target(*points(case.low, case.high, certificate.network.n_inputs).T)).max())
    evaluation = 2e-13 * size  # of the network in floating point; the network itself is what its weights say
    assert seen <= bound * (1 + 1e-5 * (case.norm == "L1")) + evaluation
    assert bound <= case.looser * seen or np.isinf(case.looser)


def test_every_construction_is_compared_with_the_truth() -> None:
    returns = {
        name
        for name in room.__all__
        if inspect.isfunction(f := getattr(room, name))
        and name != "build"
        and inspect.signature(f).return_annotation in (Construction, "Construction", "UnitConstruction")
    }
    compared = {name.split()[0].removesuffix(",") for name in CASES}
    assert compared | WITHOUT == returns and not compared & WITHOUT


LINEAR = {
    "spline": lambda p: spline(p, 3, interval=(-0.7, 1.1)),
    "narrow": lambda p: narrow(p, 3),
    "narrow_convex": lambda p: narrow_convex(p, 3, low=[-0.7], high=[1.1]),
    "narrow_line": lambda p: narrow_line(p, error=float(max(abs(p.coefficients.get((1,), 0)), 1)), interval=(-0.7, 1.1)),
    "box_network": lambda p: box_network(p, error=float(max(abs(p.coefficients.get((1,), 0)), 1))),
    "wavelets": lambda p: wavelets(p, 2, levels=2),
    "polynomial": lambda p: polynomial(p, 0.5, size=2),
    "sobolev": lambda p: sobolev(p, float(max(abs(p.coefficients.get((1,), 0)), 1)), smoothness=1),
    "bernstein": lambda p: bernstein(p, 1, 0.5),
}


@pytest.mark.parametrize("name", LINEAR)
def test_rounded_weights_are_part_of_the_bound(name: str) -> None:
    """A linear target leaves hardly more than the rounding of weights to floats, and its error is known in rationals."""
    for slope, constant in (
        (Fraction(1, 3), 0),
        (Fraction(10**9, 3), 0),
        (Fraction(-1, 7), Fraction(10**9, 7)),
        (10**6, Fraction(-1, 3)),
    ):
        p = Polynomial([constant, slope])
        certificate = LINEAR[name](p).certificate
        assert certificate is not None
        error = approximation_error(certificate.network, p, certificate.domain, norm=certificate.norm, exact=True)
        assert error.is_exact and error.high <= Fraction(certificate.bound)


def test_the_error_of_a_spline_is_an_eighth_of_its_curvature_times_the_square_of_the_step() -> None:
    """3 x^2 on [0, 2] in 5 pieces: h = 2/5, |g''| = 6, so h^2 |g''| / 8 = 3/25, which a parabola attains."""
    found = spline(3 * X**2, 5, interval=(0, 2))
    assert found.theorem["error"] == pytest.approx(0.12, rel=1e-12) and float(found.certificate.bound) == pytest.approx(0.12)
    middle = np.array([[0.2], [1.0], [1.8]])
    assert np.abs(found.network(middle) - 3 * middle**2).max() == pytest.approx(0.12, rel=1e-12)


@pytest.mark.parametrize("height", [1, 16])
@pytest.mark.parametrize("m", [1, 2, 4])
def test_the_bound_of_casteljau_s_averages_is_attained_at_any_height(height: int, m: int) -> None:
    values = [Fraction(0), Fraction(0), Fraction(height)]  # height x^2
    circuit = Circuit(1)
    found = casteljau(circuit, values, m)
    x = np.linspace(0.0, 1.0, 2**12 + 1)
    off = np.abs(circuit.network(found.wire)(x[:, None])[:, 0] - height * x**2).max()
    assert off == pytest.approx(float(found.error), rel=1e-12)


def test_what_a_square_bends_between_corners_is_what_is_added() -> None:
    """x^2 is w^2 / 4 below its chord in the middle, (x + y)^2 as much along an edge: neither more nor less may be added."""
    from plica.construct.errors._cells import _bend
    from plica.construct.targets._intervals import Interval
    from plica.construct.targets._targets import as_target, smooth

    hull = Interval(np.array([[1.0]]), np.array([[1.5]]))
    above, below = _bend(smooth(Polynomial([0, 0, 1])), hull)
    assert below[0] == pytest.approx(0.0625, rel=1e-12) and below[0] >= 0.0625 and above[0] == 0.0
    x, y = variables(2)
    plane = Interval(np.array([[1.0, -0.5]]), np.array([[1.5, 0.5]]))
    for target, expected in ((x * x, 0.0625), ((x + y) * (x + y), 1.5**2 / 4), (x * y, 2 * 0.5 / 8)):
        above, below = _bend(smooth(as_target(target, 2)), plane)
        assert above[0] == pytest.approx(expected, rel=1e-9) and min(above[0], below[0]) >= expected


def test_tightness_is_the_bound_over_the_true_error() -> None:
    certificate = spline(Polynomial([0, 0, 0, 1]), error=0.02).certificate
    assert certificate is not None
    expected = Fraction(certificate.bound) / Fraction(certificate.true_error.low)
    assert certificate.tightness == pytest.approx(float(expected)) and certificate.tightness > 1


@pytest.mark.parametrize("n", [1, 3])
def test_the_error_that_a_theorem_promises_for_a_square_is_its_error(n: int) -> None:
    """x^2 is 1 / (4 n^2) below its chords of length 1/n, in one variable and in two."""
    for found in (spline(X * X, n), triangulation(U * U, n), narrow(X * X, n)):
        assert found.theorem["error"] == pytest.approx(1 / (4 * n * n), rel=1e-9)


@pytest.mark.parametrize("d", [1, 2])
def test_a_corner_of_a_box_is_twice_as_far_as_its_center(d: int) -> None:
    """|f(x) - f(corner)| is at most the slope times the side; ramps this narrow cost next to nothing."""
    target = X if d == 1 else U + V
    bounds = [
        float(box_network(target, error=Fraction(1, 4), ramp=Fraction(1, 2**30), value=v).certificate.bound)
        for v in ("center", "corner")
    ]
    assert bounds == pytest.approx([1 / 8, 1 / 4], rel=1e-6)


def test_the_error_of_an_effective_dimension_is_that_of_a_slope() -> None:
    errors, sizes = np.array([0.5, 0.2, 0.12, 0.05, 0.02]), np.array([4, 20, 31, 190, 700])
    found = room.estimate_effective_dimension(sizes, errors)
    (slope, _), covariance = np.polyfit(-np.log(errors), np.log(sizes), 1, cov=True)
    assert found.value == pytest.approx(slope) and found.standard_error == pytest.approx(np.sqrt(covariance[0, 0]))
