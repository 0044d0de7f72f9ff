"""Every estimator: the shipped suite, scikit-learn's clone, closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from plica.data import load
from plica.dimension import (
    ESTIMATORS,
    MLE,
    CorrelationDimension,
    DANCo,
    FisherS,
    Gride,
    HeinAudibert,
    LocalPCA,
    MiND,
    PersistentHomology,
    Takens,
    TwoNN,
    bootstrap,
    pair_sums,
    pointwise,
)
from plica.errors import InvalidInput
from plica.testing import check_estimator

SMALL = {"danco": {}, "persistent-homology": {"n_sizes": 5, "n_resamples": 2}, "local-pca": {"n_neighbors": 30}}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_passes_the_shipped_suite(name):
    report = check_estimator(ESTIMATORS[name](**SMALL.get(name, {})), n=300)
    assert report.n_checks == 7


@pytest.mark.parametrize("name", ESTIMATORS)
def test_scikit_learn_can_clone_every_estimator(name):
    base = pytest.importorskip("sklearn.base")
    estimator = ESTIMATORS[name]()
    assert base.clone(estimator).get_params() == estimator.get_params()


def test_the_suite_names_what_is_wrong():
    class Stubborn(TwoNN):
        def fit(self, X, y=None):
            super().fit(X)
            self.method = "mle"
            return self

    with pytest.raises(AssertionError, match=r"check 'parameters'.*fit changed a parameter"):
        check_estimator(Stubborn())


@pytest.mark.parametrize("estimator", [HeinAudibert(), MLE(), MiND(version="integer")])
@pytest.mark.parametrize("dimension", [2, 5])
def test_spheres_have_their_dimension(estimator, dimension):
    X = load("sphere", n=1500, dimension=dimension, ambient=10, seed=dimension).x
    assert round(estimator.fit(X).dimension_) == dimension


def test_a_line_in_many_coordinates_has_dimension_one():
    X = np.random.default_rng(1).uniform(size=(400, 1)) * np.random.default_rng(0).normal(size=20)
    assert HeinAudibert().fit(X).dimension_ == 1
    assert LocalPCA(n_neighbors=20).fit(X).dimension_ == 1
    assert abs(MLE().fit(X).dimension_ - 1) < 0.1


def test_two_neighbors_with_known_ratios_give_the_formula():
    # pairs at distance 1 whose next neighbor is e^(1/2) away: log mu = 1/2 for all four points of a rectangle
    X = np.array([[0, 0], [1, 0], [0, np.exp(0.5)], [1, np.exp(0.5)]])
    assert np.isclose(TwoNN(discard_fraction=0.0, method="mle").fit(X).dimension_, (4 - 1) / (4 * 0.5))
    # as published: the slope of -log(1 - i/4) against log mu, the last point left out
    heights = -np.log([3 / 4, 1 / 2, 1 / 4])
    assert np.isclose(TwoNN(discard_fraction=0.0).fit(X).dimension_, heights.mean() / 0.5)


def test_gride_at_the_first_scale_is_the_maximum_likelihood_of_two_neighbors():
    X = load("swiss-roll", n=500).x
    logs = TwoNN().fit(X).statistics_[:, 0]
    gride = Gride().fit(X)
    middle, high = np.percentile(np.exp(logs), [50, 95])
    kept = logs[np.exp(logs) < middle + 20 * (high - middle)]
    assert np.isclose(gride.dimension_, (len(kept) - 1) / kept.sum())
    assert np.isclose(gride.standard_error_, gride.dimension_ / np.sqrt(len(kept)))


def test_the_average_of_inverses_is_the_harmonic_mean_of_points():
    found = MLE(n_neighbors=12).fit(load("sphere", n=300).x)
    assert np.isclose(found.dimension_, 1 / np.mean(1 / found.pointwise_dimension_))
    both = [MLE(n_neighbors=k, combine="mean").fit(load("sphere", n=300).x).dimension_ for k in (10, 11)]
    assert np.isclose(MLE(n_neighbors=(10, 11), combine="mean").fit(load("sphere", n=300).x).dimension_, np.mean(both))


def test_noise_shows_at_small_scales_only():
    X = load("swiss-roll", n=3000, ambient=10, noise=0.15, seed=1).x
    profile = Gride(range_max=64).fit(X).profile_
    assert profile[0] > 3 and profile[-1] < profile[0] - 1


def test_takens_and_correlation_agree_with_their_definitions():
    X = np.random.default_rng(0).uniform(size=(60, 3))
    r = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=-1))[np.triu_indices(60, 1)]
    close = r[r < 0.4]
    assert np.isclose(Takens(radius=0.4).fit(X).dimension_, -1 / np.mean(np.log(close / 0.4)))
    slope = np.log((r < 0.5).sum() / (r < 0.3).sum()) / np.log(0.5 / 0.3)
    assert np.isclose(CorrelationDimension(radii=(0.3, 0.5)).fit(X).dimension_, slope)


def test_hein_and_audibert_agree_with_their_definition():
    X = np.random.default_rng(3).normal(size=(80, 3))
    r = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=-1))
    near = np.where(np.eye(80, dtype=bool), np.inf, r).min(axis=1).mean()
    pairs = r[np.triu_indices(80, 1)]
    slopes = []
    for dimension in (1, 2, 3):
        x, y, w = [], [], []
        for part in range(1, 6):
            n = 80 // part
            h = near * (80 / n * np.log(n) / np.log(80)) ** (1 / dimension)
            x.append(np.log(h))
            y.append(np.log(np.mean(np.maximum(1 - (pairs / h) ** 2, 0)) / h**dimension))
            w.append(1 / part)
        slopes.append(np.polyfit(x, y, 1, w=np.sqrt(w))[0])
    assert np.allclose(HeinAudibert().fit(X).slopes_, slopes)


def test_the_mean_over_all_subsamples_is_the_statistic_of_the_whole():
    from itertools import combinations

    X = np.random.default_rng(0).normal(size=(6, 2))
    kernel = lambda rows: pair_sums(X[list(rows)], np.array([2.0])).counts[0] / (len(rows) * (len(rows) - 1) / 2)  # noqa: E731
    assert np.isclose(np.mean([kernel(rows) for rows in combinations(range(6), 3)]), kernel(range(6)))


def test_sphere_dimension_of_fisher_is_near_for_gaussians():
    X = np.random.default_rng(0).normal(size=(1500, 6))
    found = FisherS().fit(X)
    assert found.n_components_ == 6 and abs(found.dimension_ - 6) < 0.6


def test_danco_with_high_dimension_beats_the_likelihood_that_underestimates():
    X = load("sphere", n=600, dimension=9, ambient=12, seed=2).x
    assert abs(DANCo(seed=1).fit(X).dimension_ - 9) <= 1 < 9 - MLE(n_neighbors=20).fit(X).dimension_ + 1


def test_the_spanning_tree_is_that_of_scipy():
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial.distance import pdist, squareform

    from plica.dimension._persistence import tree_lengths

    X = np.random.default_rng(0).normal(size=(50, 3))
    expected = np.sort(minimum_spanning_tree(squareform(pdist(X))).data)
    assert np.allclose(np.sort(tree_lengths(X)), expected)
    assert abs(PersistentHomology().fit(load("swiss-roll", n=1000).x).dimension_ - 2) < 0.3


@pytest.mark.parametrize("criterion", ["fukunaga-olsen", "max-gap", "ratio", "kaiser", "broken-stick", "participation"])
def test_criteria_of_principal_components_count_two_equal_directions(criterion):
    X = np.random.default_rng(0).uniform(-1, 1, size=(3000, 2)) @ np.eye(2, 8)
    assert round(LocalPCA(n_neighbors=None, criterion=criterion).fit(X).dimension_) == 2


def test_half_samples_give_the_spread_of_independent_samples():
    fresh = [MLE().fit(load("sphere", n=400, dimension=2, seed=s).x).dimension_ for s in range(40)]
    found = bootstrap(MLE(), load("sphere", n=400, dimension=2, seed=99).x, n_resamples=60, seed=1)
    assert 0.6 < found.standard_error / np.std(fresh) < 1.6
    assert found.low < found.dimension < found.high and found.low < np.mean(fresh) < found.high
    assert "halves" in repr(found)


def test_points_are_resampled_only_where_the_estimator_has_them():
    with pytest.raises(InvalidInput, match="does not combine numbers of points"):
        bootstrap(HeinAudibert(), load("sphere", n=100).x, method="points")
    one = bootstrap(TwoNN(), load("sphere", n=200).x, method="points", n_resamples=30, seed=4)
    assert one == bootstrap(TwoNN(), load("sphere", n=200).x, method="points", n_resamples=30, seed=4)


def test_any_estimator_can_look_at_neighborhoods():
    rng = np.random.default_rng(0)
    X = np.concatenate(
        [rng.uniform(size=(100, 1)) * np.ones(3), rng.uniform(size=(100, 3)) + np.array([9, 0, 0]), np.ones((1, 3))]
    )
    found = pointwise(TwoNN(method="mle"), np.concatenate([X, X[:5]]), n_neighbors=40)
    assert found.shape == (206,) and np.median(found[:100]) < 1.6 < np.median(found[100:200])
    assert np.array_equal(found[:5], found[-5:])


def test_a_lattice_has_no_ratios_and_is_refused_with_a_hint():
    lattice = np.stack(np.meshgrid(*[np.arange(4.0)] * 2), axis=-1).reshape(-1, 2)
    with pytest.raises(InvalidInput, match="lattice"):
        TwoNN().fit(lattice)


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (MLE(n_neighbors=300), "300 neighbors"),
        (MLE(n_neighbors=1), "n_neighbors = 1"),
        (MLE(combine="sum"), "combine = 'sum'"),
        (TwoNN(discard_fraction=1.0), "discard_fraction"),
        (TwoNN(method="ols"), "method"),
        (Gride(n1=0), "n1"),
        (Gride(n1=2, n2=2), "n2"),
        (MiND(n_neighbors=2.5), "n_neighbors"),
        (LocalPCA(criterion="elbow"), "criterion"),
        (DANCo(n_neighbors=40), "n_neighbors = 40"),
        (FisherS(condition_number=0.5), "condition_number"),
        (CorrelationDimension(n_neighbors=10), "n_neighbors"),
        (CorrelationDimension(radii=(2, 1)), "radii"),
        (Takens(radius=-1), "radius"),
        (Takens(radius=1e-9), "no two points"),
        (PersistentHomology(alpha=0), "alpha"),
        (HeinAudibert(max_dimension=0), "max_dimension"),
    ],
)
def test_parameters_out_of_range_are_named(estimator, words):
    with pytest.raises(InvalidInput, match=words) as caught:
        estimator.fit(load("sphere", n=200).x)
    assert caught.value.hint


@pytest.mark.parametrize("estimator", [MiND(n_neighbors=4), DANCo(n_neighbors=4)], ids=["mind", "danco"])
def test_the_nearest_distance_is_divided_by_that_of_the_neighbor_after_the_last(estimator):
    """r_1 / r_{k+1}: among k uniform neighbors in a ball whose radius is the distance of the next one."""
    X = np.random.default_rng(3).normal(size=(40, 3))
    distances = np.sort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)[:, 1:]  # without the point itself
    assert np.allclose(estimator.fit(X).statistics_[:, 0], np.log(distances[:, 0] / distances[:, 4]), rtol=1e-12)


def test_the_likeliest_integer_may_be_the_largest_allowed():
    X = np.random.default_rng(4).uniform(size=(800, 3))
    assert MiND(version="integer").fit(X).dimension_ == MiND(version="integer", max_dimension=3).fit(X).dimension_ == 3
    assert MiND(version="integer", max_dimension=2).fit(X).dimension_ == 2


def test_the_summary_of_points_has_the_means_of_their_angles_and_of_their_concentrations():
    from plica.dimension._danco import point_statistics, summarize

    statistics = point_statistics(np.random.default_rng(5).normal(size=(60, 4)), 6)
    found = summarize(statistics, 6, 4)
    assert found.direction == statistics[:, 1].mean() and found.concentration == statistics[:, 2].mean()
    assert found.dimension == MiND(n_neighbors=6).fit(np.random.default_rng(5).normal(size=(60, 4))).dimension_


@pytest.mark.parametrize("unbiased", [False, True])
def test_the_likelihood_of_neighbors_is_the_mean_of_logarithms_of_ratios(unbiased):
    """1/d is the mean of log(r_k / r_j) over j < k: k - 1 of them, or k - 2 without bias."""
    X, k = np.random.default_rng(6).normal(size=(50, 3)), 7
    r = np.sort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)[:, 1 : k + 1]
    expected = np.log(r[:, -1:] / r[:, :-1]).sum(1) / (k - 2 if unbiased else k - 1)
    assert np.allclose(MLE(n_neighbors=k, unbiased=unbiased).fit(X).statistics_[:, 0], expected, rtol=1e-12)


def test_the_distance_of_angles_is_the_divergence_of_two_von_mises_laws():
    from scipy.stats import vonmises

    from plica.dimension._danco import Summary, _angles_apart

    t = np.linspace(-np.pi, np.pi, 20001)[:-1]
    mine, ball = Summary(2.0, 1.1, 2.5), Summary(2.0, 1.6, 1.2)
    p, q = (vonmises.pdf(t, one.concentration, loc=one.direction) for one in (mine, ball))
    assert np.isclose(_angles_apart(mine, ball), np.sum(p * np.log(p / q)) * 2 * np.pi / len(t), rtol=1e-9)


def test_of_equal_variances_none_is_above_the_mean():
    assert LocalPCA(n_neighbors=None, criterion="kaiser").fit(np.arange(12.0)[:, None]).dimension_ == 0


def test_points_are_combined_by_the_mean_that_is_asked_for():
    X = load("sphere", n=300, dimension=3, seed=0).x
    fits = {how: MLE(n_neighbors=10, combine=how).fit(X) for how in ("harmonic", "mean", "median")}
    local = fits["mean"].pointwise_dimension_
    expected = {"harmonic": 1 / np.mean(1 / local), "mean": local.mean(), "median": np.median(local)}
    assert {how: fit.dimension_ for how, fit in fits.items()} == pytest.approx(expected)
    assert expected["harmonic"] < expected["mean"]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_ratios_that_are_left_out_still_count_as_large_ones(share):
    X = np.random.default_rng(0).uniform(size=(4000, 2))
    found = TwoNN(method="mle", discard_fraction=share).fit(X)
    logs = np.sort(found.statistics_[:, 0])
    m = len(logs) - int(share * len(logs))
    censored = logs[:m].sum() + (len(logs) - m) * logs[m - 1]  # a large ratio is known to be at least the largest that is kept
    assert found.dimension_ == pytest.approx((m - 1) / censored) and abs(found.dimension_ - 2) < 0.15


@pytest.mark.parametrize(("n1", "n2"), [(1, 2), (1, 4), (2, 4), (3, 8)])
def test_the_error_of_gride_is_the_curvature_of_the_likelihood(n1, n2):
    """Of mu = r_n2 / r_n1, whose density is proportional to d (mu^d - 1)^(n2 - n1 - 1) / mu^(d (n2 - 1) + 1)."""
    from plica.dimension._gride import maximum_likelihood

    rng = np.random.default_rng(7)
    volumes = np.cumsum(rng.exponential(size=(400, n2)), axis=1)  # of balls up to each neighbor, in dimension 3
    logs = np.log(volumes[:, n2 - 1] / volumes[:, n1 - 1]) / 3

    def likelihood(d):
        return float(np.sum(np.log(d) + (n2 - n1 - 1) * np.log(np.expm1(d * logs)) - (d * (n2 - 1) + 1) * logs))

    d, error = maximum_likelihood(logs, n1, n2)
    h = 1e-3 * d
    bend = (likelihood(d + h) - 2 * likelihood(d) + likelihood(d - h)) / h**2
    assert error == pytest.approx((-bend) ** -0.5, rel=1e-4)
    assert abs(d - 3) < 4 * error


def test_the_radii_of_a_profile_are_the_mean_distances_of_the_farther_neighbors():
    X = np.random.default_rng(8).normal(size=(60, 3))
    distances = np.sort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)[:, 1:]
    found = Gride(range_max=16).fit(X)
    assert found.scales_.tolist() == [1, 2, 4, 8]
    assert np.allclose(found.radii_, [distances[:, 2 * n - 1].mean() for n in (1, 2, 4, 8)])


@pytest.mark.parametrize(("d", "k"), [(1, 3), (2.5, 1), (4, 7)])
def test_the_likelihood_of_normalized_minima_is_that_of_a_density(d, k):
    """The nearest of k uniform points in a ball is beyond rho with probability (1 - rho^d)^k."""
    from plica.dimension._mind import log_likelihood

    rho = (np.arange(20_000) + 0.5) / 20_000
    density = np.array([np.exp(log_likelihood(d, np.log(rho[i : i + 1]), k)) for i in range(0, len(rho), 40)])
    beyond = (1 - rho**d) ** k
    slopes = -(np.diff(beyond) * 20_000)  # between the points, whose middles are half a step on
    middles = (slopes[1:] + slopes[:-1]) / 2
    assert np.allclose(density[1:], middles[39 : 40 * len(density) : 40][: len(density) - 1], rtol=1e-3, atol=1e-6)
    together = log_likelihood(d, np.log(rho[[100, 900]]), k)
    assert together == pytest.approx(sum(log_likelihood(d, np.log(rho[[i]]), k) for i in (100, 900)))


@pytest.mark.parametrize("k", [1, 4])
def test_the_likeliest_number_has_the_largest_likelihood(k):
    from plica.dimension._mind import log_likelihood, most_likely

    rng = np.random.default_rng(9)
    logs = np.log(rng.uniform(size=(300, k)).min(axis=1)) / 2.5  # the nearest of k points in dimension 2.5
    found = most_likely(logs, k, 20.0)
    around = np.linspace(0.9, 1.1, 201) * found
    assert np.argmax([log_likelihood(d, logs, k) for d in around]) == 100


def test_the_level_of_fisher_separability_is_next_to_nine_tenths_of_the_last_with_pairs():
    found = FisherS().fit(np.random.default_rng(10).normal(size=(400, 5)))
    known = found.alphas_[np.isfinite(found.profile_)]
    nearest = min(known, key=lambda level: abs(level - 0.9 * max(known)))
    assert found.alpha_ == nearest < max(known) - 0.05
    assert found.dimension_ == found.profile_[found.alphas_ == nearest][0]


@pytest.mark.parametrize("shape", [(40, 3), (4, 9)])
def test_the_spectrum_of_neighbors_is_that_of_their_covariance(shape):
    from plica.dimension._local_pca import spectrum

    X = np.random.default_rng(11).normal(size=shape) + 5
    expected = np.linalg.eigvalsh(np.cov(X.T))[::-1][: min(shape)]
    assert np.allclose(spectrum(X), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("criterion", "values", "expected"),
    [
        ("fukunaga-olsen", [10, 1, 0.6, 0.4], 3),  # above a twentieth of the largest; of the sum only two are
        ("ratio", [10, 5, 4, 0.99, 0.01], 3),  # 19 of 20 are not less than 95 percent
        ("ratio", [10, 5, 3.5, 1.49, 0.01], 4),
        ("participation", [3, 1], 1.6),
        ("kaiser", [4, 3, 1, 0.5], 2),
        ("max-gap", [8, 4, 3, 0.5, 0.4], 3),
        ("broken-stick", [0.7, 0.2, 0.1], 1),  # of three pieces the longest has 11/18, the next 5/18
        ("fan", [50, 45, 4, 0.5, 0.5], 2),  # the noise, from the fourth on, is 0.5: 94 of 98 without it, a gap of 44.5 to 3.5
        ("fan", [40, 30, 20, 4, 3, 3], 3),  # noise 10/3: 83 of 84.. in three; no gap of ten before
        ("fan", [64, 12, 11, 10, *[0.5] * 6], 2),  # noise 13/7: 76 and 89 percent; the gap is 6
        ("fan", [100, 5, 4.6, 4.5, 4.4, 4.3], 1),  # all but one in the noise
    ],
)
def test_criteria_count_what_they_say(criterion, values, expected):
    from plica.dimension._local_pca import CRITERIA

    assert CRITERIA[criterion](np.array(values, dtype=float), 0.05) == pytest.approx(expected)
