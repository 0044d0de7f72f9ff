"""Constructions that approximate: each meets its certificate, keeps its weights exact, and refuses what cannot be built."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from plica.construct import (
    Construction,
    Polynomial,
    Smooth,
    approximation_error,
    bernstein,
    bernstein_polynomial,
    chebyshev,
    chebyshev_polynomials,
    cos,
    cosine_network,
    exp,
    monomial,
    partition_of_unity,
    polynomial,
    product,
    sin,
    sine_network,
    sobolev,
    sqrt,
    squaring,
    teeth,
    variables,
)
from plica.errors import BudgetExceeded, InvalidInput, PlicaError
from plica.geometry import Segment
from plica.network import to_onnx

(X,) = variables(1)
U, V = variables(2)

SMALL = {
    "squaring": lambda: squaring(3),
    "product by three": lambda: product(2),
    "product by four": lambda: product(2, form="four", size=3),
    "monomial": lambda: monomial([1, 1], 0.1),
    "cube": lambda: monomial([3], 0.02),
    "polynomial": lambda: polynomial([Fraction(1, 3), 0, -1, 2], 0.05),
    "chebyshev": lambda: chebyshev(exp(X), 4, 0.02),
    "bernstein": lambda: bernstein(abs(X - 0.5), 3, 0.02),
    "partition": lambda: partition_of_unity(3),
    "partition in the plane": lambda: partition_of_unity(1, dimension=2, m=2),
    "sobolev, one derivative": lambda: sobolev(sin(3 * X), 0.2, smoothness=1),
    "sobolev, two derivatives": lambda: sobolev(sin(3 * X), 0.2, smoothness=2),
    "cosine": lambda: cosine_network(10, 0.1),
    "sine": lambda: sine_network(5, 0.1),
    "teeth": lambda: teeth([3, 2]),
}


@pytest.mark.parametrize("make", SMALL.values(), ids=SMALL.keys())
def test_the_certificate_is_verified_on_both_paths(make: object) -> None:
    built: Construction = make()  # type: ignore[operator]
    assert built.certificate is not None
    outcome = built.certificate.verify()
    assert outcome, outcome.reason
    assert outcome.error is not None and outcome.second is not None
    assert outcome.error.low <= built.certificate.bound
    promised = built.theorem["error"]
    assert built.certificate.bound <= promised + Fraction(1, 2**40)


@pytest.mark.parametrize("make", [SMALL["product by three"], SMALL["sobolev, two derivatives"], SMALL["cosine"]])
def test_onnx_runs_in_onnxruntime_and_agrees(make: object, tmp_path: Path) -> None:
    runtime = pytest.importorskip("onnxruntime")
    built: Construction = make()  # type: ignore[operator]
    to_onnx(built.network, tmp_path / "net.onnx")
    x = np.random.default_rng(0).uniform(0, 1, (100, built.network.n_inputs))
    session = runtime.InferenceSession(str(tmp_path / "net.onnx"), providers=["CPUExecutionProvider"])
    (y,) = session.run(None, {"input": x})
    assert np.allclose(y, built(x), atol=1e-12)


def test_the_square_interpolates_on_the_dyadic_grid() -> None:
    for m in (1, 3, 5):
        grid = np.arange(2**m + 1) / 2**m
        assert np.array_equal(squaring(m)(grid[:, None])[:, 0], grid**2)
        assert squaring(m).n_units <= squaring(m).theorem["units"]


def test_a_product_with_zero_is_exactly_zero() -> None:
    points = np.random.default_rng(0).uniform(-1, 1, 50)
    net = product(5)
    for axis in (0, 1):
        rows = np.zeros((50, 2))
        rows[:, axis] = points
        assert not net(rows).any()


def test_the_error_of_a_product_is_attained() -> None:
    for m in (1, 2, 3):
        three, four = product(m, size=2).certificate, product(m, size=2, form="four").certificate
        assert three is not None and four is not None
        assert three.true_error.high == three.bound == Fraction(4, 4**m)
        assert four.true_error.high == four.bound == Fraction(4, 4 ** (m + 1))


def test_weights_of_squares_are_dyadic_and_few() -> None:
    sizes = [squaring(m).n_weights for m in (10, 20, 40)]
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])
    net = polynomial({(2, 1): 1, (1, 1): -3}, 0.01, size=4).network
    for node in net.nodes:
        for array in node.op.arrays().values():
            if array.dtype.kind == "f":
                assert all(Fraction(float(w)).numerator.bit_length() <= 8 for w in array.reshape(-1))


def test_bumps_add_to_one_and_vanish_far_from_their_point() -> None:
    p = partition_of_unity(5)
    x = np.linspace(0, 1, 301)[:, None]
    y = p(x)
    assert np.allclose(y.sum(1), 1, atol=1e-14) and (y >= -1e-14).all()
    for k in range(6):
        assert not y[np.abs(x[:, 0] - k / 5) > 2 / 15 + 1e-9, k].any()


def test_smoothness_pays() -> None:
    """With more derivatives the same error needs a coarser grid; with a smaller error every grid grows as the theorem says."""
    grids = [sobolev(sin(2 * X), 0.005, smoothness=r).parameters["grid"] for r in (1, 2, 3)]
    assert grids[0] > grids[1] > grids[2]
    coarse, fine = (sobolev(sin(2 * X), e, smoothness=2).parameters["grid"] for e in (0.01, 0.01 / 16))
    assert 3.5 <= fine / coarse <= 4.5


def test_a_function_of_two_variables_is_met_at_points() -> None:
    built = sobolev(sin(U + V), 0.2, dimension=2, smoothness=2)
    assert built.certificate is not None and built.certificate.bound <= Fraction(1, 5)
    points = np.random.default_rng(1).uniform(size=(500, 2))
    assert np.abs(built(points)[:, 0] - np.sin(points.sum(1))).max() <= float(built.certificate.bound)


def test_high_frequencies_cost_layers_not_width() -> None:
    slow, fast = cosine_network(10, 0.05), cosine_network(10_000, 0.05)
    assert fast.depth - slow.depth == fast.parameters["folds"] - slow.parameters["folds"] == 10
    assert max(fast.network.widths[1:-1]) == max(slow.network.widths[1:-1])
    x = np.random.default_rng(2).uniform(-1, 1, 4000)
    assert np.abs(fast(x[:, None])[:, 0] - np.cos(10_000 * x)).max() <= float(fast.certificate.bound)  # type: ignore[union-attr]
    wave = sine_network(1000, 0.05)
    assert np.abs(wave(x[:, None])[:, 0] - np.sin(1000 * x)).max() <= float(wave.certificate.bound)  # type: ignore[union-attr]


def test_polynomials_of_bernstein_and_chebyshev_are_exact() -> None:
    values = [Fraction(k, 5) ** 2 for k in range(6)]
    x = Fraction(2, 7)
    assert bernstein_polynomial(values).exact([x]) == x * x + x * (1 - x) / 5
    t = chebyshev_polynomials(6)
    assert t[6].exact([Fraction(3, 5)]) == 2 * t[3].exact([Fraction(3, 5)]) ** 2 - 1


def test_a_construction_says_what_it_is() -> None:
    built = sobolev(exp(X) * sqrt(X + 1), 0.3, smoothness=1)
    assert "@article{yarotsky2017" in built.cite()
    facts = built.to_dict()
    assert facts["n_weights"] == built.n_weights > built.n_units > 0 and facts["certificate"]["norm"] == "sup"
    assert "Construction" in built._repr_html_() and "sobolev" in repr(built)
    assert squaring(3).to_dict()["theorem"]["error"] == "1/256"  # short fractions stay as they are, long ones become floats
    assert squaring(30).to_dict()["theorem"]["error"] == 4.0**-31


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: squaring(0), "m must be an integer >= 1, got 0"),
        (lambda: squaring(2.5), "2.5"),
        (lambda: squaring(10_000), "10,000"),
        (lambda: product(2, form="five"), "five"),
        (lambda: product(2, size=0), "size"),
        (lambda: monomial([], 0.1), "positive exponent"),
        (lambda: monomial([2, -1], 0.1), "-1"),
        (lambda: polynomial([0, 1, 1], 0), "error must be positive, got 0"),
        (lambda: polynomial([0, 1, 1], -1e-3), "-0.001"),
        (lambda: polynomial([0, 1, 1], float("nan")), "nan"),
        (lambda: chebyshev(X, 1000, 0.1), "1000"),
        (lambda: chebyshev(U * V, 3, 0.1), "2 variables"),
        (lambda: bernstein(1 / X, 3, 0.1), "finite|bounded"),
        (lambda: bernstein("x", 3, 0.1), "target"),
        (lambda: partition_of_unity(100, dimension=3), "1,030,301"),
        (lambda: sobolev(sin(50 * X), 1e-6, smoothness=1), "grid points"),
        (lambda: sobolev(sqrt(X), 0.1, smoothness=2), "not bounded"),
        (lambda: sobolev(sin(X), 0), "error must be positive"),
        (lambda: sobolev(sin(U + V), 0.1), "2 variables"),
        (lambda: sobolev(Smooth(sin(3 * X), bounds={1: 2}), 0.1), "stated to be at most 2; it is 3 at \\(0\\)"),
        (lambda: approximation_error(squaring(1).network, Smooth(X**2, bounds={1: 1}), Segment([0], [1])), "it is 2 at"),
        (lambda: Smooth(X, bounds={1: -1}), "by order"),
        (lambda: cosine_network(-1, 0.1), "frequency"),
        (lambda: cosine_network(1000, 1e-14), "float64"),
        (lambda: teeth([]), "layer"),
        (lambda: Polynomial({(1,): 1, (1, 2): 3}), "lengths"),
        (lambda: sin(X) ** 0.5, "integers"),
        (lambda: cos(X) * float("inf"), "finite"),
    ],
)
def test_what_cannot_be_built_is_refused_with_the_numbers(build: object, words: str) -> None:
    with pytest.raises((InvalidInput, BudgetExceeded), match=words) as caught:
        build()  # type: ignore[operator]
    assert isinstance(caught.value, PlicaError)


def test_figures_of_merit_compare_with_the_theorem() -> None:
    assert product(3).merit() == {"units": 24 / 33, "depth": 1.0, "tightness": 1.0}
    assert "tightness" not in teeth([2]).__class__("bare", teeth([2]).network).merit()


def test_a_construction_can_be_cited() -> None:
    import plica

    assert plica.cite(squaring(2)) == squaring(2).cite()


def test_true_bounds_of_derivatives_are_accepted() -> None:
    built = sobolev(Smooth(sin(3 * X), bounds={1: 3, 2: 9}), 0.3)
    assert built.certificate is not None and built.certificate.bound <= Fraction(3, 10)


@pytest.mark.parametrize("error", [0.3, 0.01])
def test_the_depth_of_a_product_is_the_one_that_is_stated(error: float) -> None:
    built = polynomial({(1, 1): 1}, error)  # one product: magnitudes, m teeth, and a cut at one
    assert built.depth == built.theorem["depth"] == built.theorem["teeth"] + 2
