"""One term at a time of estimators: divergences, approximations of Bessel quotients, exponents, quantiles."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import i0e, i1e

from plica.data import load
from plica.dimension import MLE, PersistentHomology, bootstrap
from plica.dimension._danco import Summary, _distances_apart, concentration
from plica.dimension._pairs import pair_sums
from plica.errors import InvalidInput


def density(r: float, k: int, d: float) -> float:
    """Of the distance of the nearest of k points in a ball of dimension d, over the radius."""
    return k * d * r ** (d - 1) * (1 - r**d) ** (k - 1)


@pytest.mark.parametrize(("k", "mine", "ball"), [(5, 3.0, 3.0), (5, 3.0, 4.0), (10, 6.5, 5.0)])
def test_the_divergence_of_distances_is_that_of_their_densities(k, mine, ball):
    found = _distances_apart(Summary(mine, 0.0, 1.0), Summary(ball, 0.0, 1.0), k)

    def divergence(p: float, q: float) -> float:
        return quad(lambda r: density(r, k, p) * np.log(density(r, k, p) / density(r, k, q)), 0, 1, limit=200)[0]

    assert found == pytest.approx(divergence(mine, ball), abs=1e-7)


@pytest.mark.parametrize("kappa", [0.2, 0.6, 1.0, 1.15, 2.0, 3.0, 5.0, 9.0])
def test_the_concentration_inverts_the_quotient_of_bessel_functions(kappa):
    eta = float(i1e(kappa) / i0e(kappa))
    assert float(concentration(np.array(eta))) == pytest.approx(kappa, rel=0.025)


def test_the_dimension_of_trees_does_not_depend_on_the_power_of_their_edges():
    x = load("cube", n=900, dimension=2, seed=0).x
    found = [PersistentHomology(alpha=alpha, seed=0).fit(x).dimension_ for alpha in (0.5, 1.0)]
    assert found == pytest.approx([2.0, 2.0], rel=0.1)


@pytest.mark.parametrize("level", [0.5, 0.9])
def test_an_interval_leaves_as_many_resamples_below_as_above(level):
    x = load("gaussian", n=300, dimension=3, seed=1).x
    fitted = MLE().fit(x)
    found = bootstrap(MLE(), x, method="points", n_resamples=400, level=level, seed=5)
    rng = np.random.default_rng(5)
    again = np.array([fitted._combine(fitted.statistics_[rng.integers(0, 300, 300)]) for _ in range(400)])
    moved = again - again.mean() + found.dimension
    assert (moved < found.low).mean() == pytest.approx((1 - level) / 2, abs=0.006)
    assert (moved > found.high).mean() == pytest.approx((1 - level) / 2, abs=0.006)


def test_without_bias_two_neighbors_are_too_few():
    x = load("cube", n=60, dimension=2, seed=0).x
    assert MLE(n_neighbors=3, unbiased=True).fit(x).dimension_ > 0.5
    with pytest.raises(InvalidInput, match="at least 3"):
        MLE(n_neighbors=2, unbiased=True).fit(x)


def test_the_dimension_at_a_point_is_the_mean_over_numbers_of_neighbors():
    x = load("cube", n=80, dimension=2, seed=0).x
    each = [MLE(n_neighbors=k).fit(x).pointwise_dimension_ for k in (4, 5, 6)]
    assert MLE(n_neighbors=(4, 6)).fit(x).pointwise_dimension_ == pytest.approx(np.mean(each, axis=0))


def test_distances_far_below_the_norms_keep_their_digits():
    near = 1e-5 * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    x = np.vstack([near + 3, near - 3])
    found = pair_sums(x, np.array([1e-4]))
    squares = [
        ((p - q) ** 2).sum() for part in (x[:3], x[3:]) for p, q in ((part[0], part[1]), (part[0], part[2]), (part[1], part[2]))
    ]
    assert found.counts.tolist() == [6] and found.squares[0] == pytest.approx(sum(squares), rel=1e-12)
    assert found.logarithms[0] == pytest.approx(np.log(squares).sum() / 2, rel=1e-13)
