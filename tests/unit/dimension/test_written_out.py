"""Every estimator once more, in loops over all pairs and by direct maximization of its likelihood."""

from __future__ import annotations

from itertools import combinations
from math import log, sqrt

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq, minimize_scalar
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.special import i0, i1

from plica.dimension import (
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
    _fisher,
    _neighbors,
    _pairs,
    bootstrap,
    pointwise,
)
from plica.dimension._danco import (
    Summary,
    _angles_apart,
    _distances_apart,
    _spline_minimum,
    concentration,
    point_statistics,
    summarize,
)
from plica.dimension._fisher import ALPHAS
from plica.dimension._gride import maximum_likelihood
from plica.dimension._local_pca import CRITERIA
from plica.dimension._mind import most_likely, most_likely_integer
from plica.dimension._neighbors import _by_blocks, nearest_neighbors
from plica.errors import InvalidInput


@pytest.fixture(scope="module")
def points() -> np.ndarray:
    """A bent surface in four dimensions, 90 points."""
    u, v = np.random.default_rng(11).uniform(size=(2, 90))
    return np.stack([u, v, u * u, np.sin(2 * v)], axis=1)


def distances(x: np.ndarray) -> np.ndarray:
    """(n, n - 1): from every point to the others, nearest first."""
    return np.array([sorted(float(np.sqrt(((p - q) ** 2).sum())) for j, q in enumerate(x) if j != i) for i, p in enumerate(x)])


def pairs(x: np.ndarray) -> np.ndarray:
    return np.array([float(np.sqrt(((p - q) ** 2).sum())) for p, q in combinations(x, 2)])


def maximum(function, low: float, high: float) -> float:
    return float(minimize_scalar(lambda d: -function(d), bounds=(low, high), method="bounded", options={"xatol": 1e-10}).x)


@pytest.mark.parametrize("discard", [0.0, 0.1, 0.37])
def test_two_neighbors(points: np.ndarray, discard: float) -> None:
    r = distances(points)
    logs = sorted(np.log(r[:, 1] / r[:, 0]))
    n = len(logs)
    kept = int(n * (1 - discard))
    used = logs[: kept - (kept == n)]  # the empirical distribution function is one at the last
    heights = [-log(1 - (i + 1) / n) for i in range(len(used))]
    slope = sum(a * b for a, b in zip(used, heights, strict=True)) / sum(a * a for a in used)
    assert TwoNN(discard).fit(points).dimension_ == pytest.approx(slope, rel=1e-12)
    censored = logs[:kept] + [logs[kept - 1]] * (n - kept)
    assert TwoNN(discard, "mle").fit(points).dimension_ == pytest.approx((kept - 1) / sum(censored), rel=1e-12)


@pytest.mark.parametrize("unbiased", [False, True])
def test_levina_and_bickel(points: np.ndarray, unbiased: bool) -> None:
    r = distances(points)

    def inverse(row: np.ndarray, k: int) -> float:
        return sum(log(row[k - 1] / row[j]) for j in range(k - 1)) / (k - 2 if unbiased else k - 1)

    table = np.array([[inverse(row, k) for k in (5, 6, 7)] for row in r])
    expected = {
        "harmonic": np.mean([1 / np.mean(column) for column in table.T]),
        "mean": np.mean([np.mean(1 / column) for column in table.T]),
        "median": np.mean([np.median(1 / column) for column in table.T]),
    }
    for combine, value in expected.items():
        found = MLE((5, 7), combine, unbiased).fit(points)
        assert found.dimension_ == pytest.approx(value, rel=1e-12) and found.n_neighbors_ == 7
    np.testing.assert_allclose(MLE(6, unbiased=unbiased).fit(points).pointwise_dimension_, 1 / table[:, 1], rtol=1e-12)


@pytest.mark.parametrize(("n1", "n2"), [(1, 2), (1, 3), (2, 4), (3, 8)])
def test_ratios_of_farther_neighbors(points: np.ndarray, n1: int, n2: int) -> None:
    """The likelihood itself; with N - 1 in the place of N, and the information with N."""
    r = distances(points)
    mu = r[:, n2 - 1] / r[:, n1 - 1]
    middle, high = np.quantile(mu, [0.5, 0.95])
    mu = mu[mu < middle + 20 * (high - middle)]

    def likelihood(d: float, n: int) -> float:
        return n * log(d) + (n2 - n1 - 1) * np.log(mu**d - 1).sum() - ((n2 - 1) * d + 1) * np.log(mu).sum()

    d = maximum(lambda d: likelihood(d, len(mu) - 1), 0.1, 20.0)
    found = Gride(n1, n2).fit(points)
    assert found.dimension_ == pytest.approx(d, rel=1e-6)
    h = 1e-3 * d
    bend = (likelihood(d + h, len(mu)) - 2 * likelihood(d, len(mu)) + likelihood(d - h, len(mu))) / h**2
    assert found.standard_error_ == pytest.approx((-bend) ** -0.5, rel=1e-4)


def test_a_profile_of_ratios(points: np.ndarray) -> None:
    found, r = Gride(range_max=16).fit(points), distances(points)
    assert found.scales_.tolist() == [1, 2, 4, 8]
    single = [Gride(n, 2 * n).fit(points) for n in (1, 2, 4, 8)]
    assert found.profile_ == pytest.approx([s.dimension_ for s in single])
    assert found.profile_errors_ == pytest.approx([s.standard_error_ for s in single])
    assert found.radii_ == pytest.approx([r[:, 2 * n - 1].mean() for n in (1, 2, 4, 8)])
    assert Gride(3).fit(points).dimension_ == pytest.approx(Gride(3, 6).fit(points).dimension_)
    wide = np.concatenate([points, points[:1] + 1e-9])  # one ratio beyond all others is left out
    assert Gride().fit(wide).dimension_ == pytest.approx(Gride().fit(points).dimension_, rel=0.05)


def test_ratios_far_beyond_the_others_are_left_out() -> None:
    ratios = np.linspace(1.1, 2.0, 64)
    middle, high = np.quantile(np.append(ratios, 99.0), [0.5, 0.95])
    limit = middle + 20 * (high - middle)
    below, above = (maximum_likelihood(np.log(np.append(ratios, r)), 1, 2) for r in (limit - 0.05, limit + 0.05))
    alone = maximum_likelihood(np.log(ratios), 1, 2)
    assert above == pytest.approx(alone) and below[0] < 0.99 * alone[0]


def test_the_nearest_of_some_neighbors(points: np.ndarray) -> None:
    k, r = 7, distances(points)
    rho = r[:, 0] / r[:, k]

    def likelihood(d: float) -> float:
        return float(np.log(k * d * rho ** (d - 1) * (1 - rho**d) ** (k - 1)).sum())

    assert MiND(k).fit(points).dimension_ == pytest.approx(maximum(likelihood, 0.1, 4.0), rel=1e-6)
    assert MiND(k, version="integer").fit(points).dimension_ == max((1, 2, 3, 4), key=likelihood)
    assert MiND(k, max_dimension=1).fit(points).dimension_ == 1.0


def test_correlation_integrals(points: np.ndarray) -> None:
    r, apart = distances(points), pairs(points)
    low, high = np.median(r[:, 3]), np.median(r[:, 11])
    radii = [low * (high / low) ** (i / 4) for i in range(5)]
    shares = [(apart < radius).mean() for radius in radii]
    found = CorrelationDimension((4, 12), 5).fit(points)
    assert found.radii_ == pytest.approx(radii) and found.integrals_ == pytest.approx(shares)
    assert found.dimension_ == pytest.approx(np.polyfit(np.log(radii), np.log(shares), 1)[0])
    assert CorrelationDimension().fit(points).n_neighbors_ == (10, 20)


def test_takens(points: np.ndarray) -> None:
    radius = np.median(distances(points)[:, 5])
    near = [d for d in pairs(points) if d < radius]
    found = Takens(6).fit(points)
    assert found.radius_ == pytest.approx(radius) and found.n_pairs_ == len(near)
    assert found.dimension_ == pytest.approx(-1 / np.mean([log(d / radius) for d in near]), rel=1e-10)
    assert Takens().fit(points).n_neighbors_ == 10


def test_hein_and_audibert(points: np.ndarray) -> None:
    n, apart = len(points), pairs(points)
    h = distances(points)[:, 0].mean()
    slopes = []
    for dimension in range(1, 5):
        x, y, weights = [], [], []
        for size in (n, n // 2, n // 3, n // 4, n // 5):
            width = h * (n * log(size) / (size * log(n))) ** (1 / dimension)
            u = 2 / (n * (n - 1)) * sum(max(0.0, 1 - (d / width) ** 2) for d in apart) / width**dimension
            x, y, weights = [*x, log(width)], [*y, log(u)], [*weights, n / size]
        slopes.append(np.polyfit(x, y, 1, w=[1 / sqrt(round(w)) for w in weights])[0])
    found = HeinAudibert().fit(points)
    assert found.scale_ == pytest.approx(h) and found.slopes_ == pytest.approx(slopes, rel=1e-6)
    assert found.dimension_ == 1 + int(np.argmin(np.abs(slopes)))


@pytest.mark.parametrize(("n", "d"), [(120, 3), (16, 12)])
def test_fisher_separability(n: int, d: int) -> None:
    x = np.random.default_rng(5).normal(size=(n, d)) * np.linspace(1.0, 0.5, d) + 4.0
    x = np.column_stack([x, 0.1 * x[:, 0] ** 2 - x[:, 0]])
    values, vectors = np.linalg.eigh(np.cov(x.T))
    kept = values > values.max() / 10
    white = (x - x.mean(0)) @ vectors[:, kept] / np.sqrt(values[kept])
    white /= np.linalg.norm(white, axis=1, keepdims=True)
    found = FisherS().fit(x)
    assert found.n_components_ == kept.sum()

    def sphere(alpha: float, n: float) -> float:
        return (1 - alpha**2) ** ((n - 1) / 2) / (alpha * sqrt(2 * np.pi * n))

    for alpha, dimension in zip(found.alphas_, found.profile_, strict=True):
        share = np.mean([p @ q >= alpha * (p @ p) for i, p in enumerate(white) for j, q in enumerate(white) if i != j])
        if share == 0:
            assert np.isnan(dimension)
        else:
            expected = brentq(lambda n, share=share, alpha=alpha: sphere(alpha, n) - share, 1e-6, 500)
            assert dimension == pytest.approx(expected, rel=1e-6)
    known = [a for a, d in zip(found.alphas_, found.profile_, strict=True) if np.isfinite(d)]
    assert found.alpha_ == min(known, key=lambda a: abs(a - 0.9 * max(known)))
    assert (max(known) < 0.9) == (n == 16), "few points are separable at high levels"


SPECTRA = [
    [1.0, *np.linspace(0.25, 0.2, 60).tolist()],
    [1.0, *np.linspace(0.2762, 0.2, 90).tolist()],  # a gap of 10.5 above the noise
    [5.0, 3.0, 1.0, 0.2, 0.1],
    [4.0, 3.9, 0.05, 0.04],
    [1.0, 0.9, 0.8, 0.7],
    [2.0, 0.3, 0.02],
]


@pytest.mark.parametrize("given", SPECTRA)
def test_criteria_of_spectra(given: list[float]) -> None:
    n, total, alpha = len(given), sum(given), 0.06
    stick = [sum(1 / j for j in range(i, n + 1)) / n for i in range(1, n + 1)]
    above = [v / total >= piece for v, piece in zip(given, stick, strict=True)]
    cumulative = np.cumsum(given) / total
    noise = np.mean(given[next(i for i, c in enumerate(cumulative) if c > 0.95) :])
    signal = np.array(given) - noise
    gaps = [i + 1 for i in range(n - 1) if signal[i + 1] != 0 and signal[i] / signal[i + 1] > 10]
    enough = next(i + 1 for i in range(n) if signal[: i + 1].sum() / signal.sum() > 0.8)
    expected = {
        "fukunaga-olsen": sum(v > alpha * given[0] for v in given),
        "fan": min([*gaps, enough]),
        "max-gap": 1 + max(range(n - 1), key=lambda i: given[i] / given[i + 1]),
        "ratio": next(i + 1 for i, c in enumerate(cumulative) if c >= 1 - alpha),
        "participation": total**2 / sum(v * v for v in given),
        "kaiser": sum(v > total / n for v in given),
        "broken-stick": above.index(False) if False in above else n,
    }
    found = {name: rule(np.array(given), alpha) for name, rule in CRITERIA.items()}
    assert found == pytest.approx(expected)


def test_one_eigenvalue_is_one_direction() -> None:
    assert {name: rule(np.array([2.0]), 0.06) for name, rule in CRITERIA.items() if name != "kaiser"} == pytest.approx(
        {"fukunaga-olsen": 1, "fan": 1, "max-gap": 1, "ratio": 1, "participation": 1, "broken-stick": 1}
    )
    assert CorrelationDimension((3, 4)).fit(np.random.default_rng(0).normal(size=(20, 2))).n_neighbors_ == (3, 4)
    with pytest.raises(InvalidInput, match="at least 4"):
        CorrelationDimension((3, 3)).fit(np.zeros((20, 2)) + np.arange(20)[:, None])


def test_principal_components_of_neighborhoods(points: np.ndarray) -> None:
    found = LocalPCA(12, "participation").fit(points)
    expected = []
    for p in points:
        near = points[np.argsort(np.linalg.norm(points - p, axis=1))[1:13]]
        values = np.linalg.eigvalsh(np.cov(near.T))
        expected.append(values.sum() ** 2 / (values**2).sum())
    np.testing.assert_allclose(found.pointwise_dimension_, expected, rtol=1e-9)
    assert found.dimension_ == pytest.approx(np.mean(expected))
    assert LocalPCA(12, "participation", combine="median").fit(points).dimension_ == pytest.approx(np.median(expected))


@pytest.mark.parametrize("alpha", [1.0, 0.6])
def test_lengths_of_trees(points: np.ndarray, alpha: float) -> None:
    found = PersistentHomology(alpha, n_sizes=4, n_resamples=3, smallest=0.3, seed=2).fit(points)
    sizes = sorted({int(27 * (90 / 27) ** (i / 3) + 1e-9) for i in range(4)})
    rng, totals = np.random.default_rng(2), []
    for size in np.repeat(sizes, 3):
        chosen = points[np.sort(rng.choice(90, size, replace=False))]
        tree = minimum_spanning_tree(np.linalg.norm(chosen[:, None] - chosen[None], axis=2))
        totals.append((tree.data**alpha).sum())
    assert found.sizes_.tolist() == np.repeat(sizes, 3).tolist()
    assert found.totals_ == pytest.approx(totals)
    slope = np.polyfit(np.log(found.sizes_), np.log(totals), 1)[0]  # total ~ n^((d - alpha) / d)
    assert found.dimension_ == pytest.approx(alpha / (1 - slope))


def test_distances_and_angles_of_neighbors(points: np.ndarray) -> None:
    k, r = 5, distances(points)
    found = point_statistics(points, k)
    assert found[:, 0] == pytest.approx(np.log(r[:, 0] / r[:, k]))
    for p, row in zip(points, found, strict=True):
        order = np.argsort(np.linalg.norm(points - p, axis=1))[1 : k + 1]
        rays = [(points[j] - p) / np.linalg.norm(points[j] - p) for j in order]
        angles = [np.arccos(np.clip(a @ b, -1, 1)) for a, b in combinations(rays, 2)]
        mean = np.mean(np.exp(1j * np.array(angles)))
        assert row[1] == pytest.approx(np.angle(mean))
        assert row[2] == pytest.approx(float(concentration(np.array(min(abs(mean), 0.95)))))


@pytest.mark.parametrize(("a", "b", "turn"), [(2.0, 2.0, 0.0), (3.0, 0.7, 0.4), (0.9, 6.0, -1.1)])
def test_the_divergence_of_angles_is_that_of_von_mises_laws(a: float, b: float, turn: float) -> None:
    def density(t: float, direction: float, kappa: float) -> float:
        return float(np.exp(kappa * np.cos(t - direction)) / (2 * np.pi * i0(kappa)))

    def integrand(t: float) -> float:
        p, q = density(t, 1.3, a), density(t, 1.3 - turn, b)
        return p * log(p / q)

    found = _angles_apart(Summary(1.0, 1.3, a), Summary(1.0, 1.3 - turn, b))
    assert found == pytest.approx(quad(integrand, -np.pi, np.pi)[0], abs=1e-9)


def test_balls_that_danco_compares_with_are_uniform() -> None:
    x = np.random.default_rng(0).uniform(size=(400, 3))
    found = DANCo(10).fit(x)
    rng = np.random.default_rng([0, 3, 400])
    g = rng.standard_normal((400, 3))
    ball = g / np.linalg.norm(g, axis=1, keepdims=True) * rng.uniform(size=(400, 1)) ** (1 / 3)
    inside = np.linalg.norm(ball, axis=1)
    assert (inside < 0.5).mean() == pytest.approx(1 / 8, abs=0.05), "a uniform ball has an eighth in half its radius"
    own = point_statistics(ball, 10)[:, 1:].mean(axis=0)
    assert tuple(found._ball(3, 10)[1:]) == pytest.approx(tuple(own))


def test_the_least_value_of_a_spline_uses_four_dimensions_on_either_side() -> None:
    divergences = {d: (d - 5.3) ** 2 + 0.1 * (d - 5.3) ** 3 for d in range(1, 12)}
    assert _spline_minimum(divergences, 5) == pytest.approx(5.3, abs=1e-3)  # a cubic is its own spline
    assert _spline_minimum({4: 1.0, 5: 0.5}, 5) == 5.0


@pytest.mark.parametrize("method", ["halves", "points"])
def test_an_interval_is_made_of_resamples(points: np.ndarray, method: str) -> None:
    found = bootstrap(MLE(6), points, method=method, n_resamples=30, level=0.8, seed=3)
    rng, again = np.random.default_rng(3), []
    fitted = MLE(6).fit(points)
    for _ in range(30):
        if method == "halves":
            half = np.sort(rng.permutation(90)[:45])
            assert len(set(half.tolist())) == 45
            again.append(MLE(6).fit(points[half]).dimension_)
        else:
            again.append(1 / fitted.statistics_[rng.integers(0, 90, 90)].mean())
    spread = sqrt(sum((v - np.mean(again)) ** 2 for v in again) / 29)
    assert found.standard_error == pytest.approx(spread) and found.dimension == fitted.dimension_
    low, high = np.quantile(np.array(again) - np.mean(again), [0.1, 0.9])
    assert (found.low, found.high) == pytest.approx((found.dimension + low, found.dimension + high))


def test_halves_look_at_as_many_neighbors_as_the_whole_did() -> None:
    x = np.random.default_rng(1).normal(size=(30, 2))  # half of them have fewer than twenty neighbors
    found = bootstrap(Takens(), x, n_resamples=8, seed=0)
    rng = np.random.default_rng(0)
    again = [Takens(10).fit(x[np.sort(rng.permutation(30)[:15])]).dimension_ for _ in range(8)]
    assert found.standard_error == pytest.approx(np.std(again, ddof=1))


def test_neighborhoods_of_repeated_points() -> None:
    x = np.random.default_rng(2).normal(size=(40, 3))
    twice = np.concatenate([x[:7], x])
    once, found = pointwise(MLE(5), x, n_neighbors=12), pointwise(MLE(5), twice, n_neighbors=12)
    assert found == pytest.approx(np.concatenate([once[:7], once]))
    near = x[np.argsort(np.linalg.norm(x - x[3], axis=1))[1:13]]
    assert once[3] == pytest.approx(MLE(5).fit(near).dimension_)
    fitted = MLE(5).fit(twice)
    assert (fitted.n_duplicates_, fitted.n_samples_, len(fitted.statistics_)) == (7, 47, 47)
    assert fitted.dimension_ == pytest.approx(MLE(5).fit(x).dimension_)
    assert MLE(5).fit(np.concatenate([x, -0.0 * x[:1], 0.0 * x[:1]])).n_duplicates_ == 1  # minus zero is zero


@pytest.mark.parametrize(("n", "d"), [(150, 3), (150, 40), (200, 120), (120, 300)])
def test_neighbors_by_blocks_and_trees_are_those_of_all_distances(n: int, d: int) -> None:
    x = np.random.default_rng(d).normal(size=(n, d)) * np.linspace(3, 0.1, d) + 10
    squares = ((x[:, None] - x[None]) ** 2).sum(-1)
    np.fill_diagonal(squares, np.inf)
    order = np.argsort(squares, axis=1)[:, :6]
    for found in (nearest_neighbors(x, 6), _by_blocks(x.copy(), 6)):
        assert (found.indices == order).all()
        np.testing.assert_allclose(found.distances, np.sqrt(np.take_along_axis(squares, order, axis=1)), rtol=1e-12)


def test_equal_distances_are_in_the_order_of_their_points_and_duplicates_are_neighbors() -> None:
    grid = np.stack(np.meshgrid(np.arange(4.0), np.arange(4.0)), -1).reshape(-1, 2)
    found = nearest_neighbors(np.concatenate([grid, grid[:3]]), 3)
    assert (np.diff(found.distances, axis=1) >= 0).all()
    ties = np.diff(found.distances, axis=1) == 0
    assert (np.diff(found.indices, axis=1)[ties] > 0).all()
    assert found.indices[0, 0] == 16 and found.distances[0, 0] == 0 and found.indices[16, 0] == 0
    assert not (found.indices == np.arange(19)[:, None]).any()


def test_usual_parameters_are_the_published_ones() -> None:
    """A tenth of the ratios left out, a condition number of 10 and levels from 0.6 to 0.98, lengths of trees as they are."""
    assert TwoNN().get_params() == {"discard_fraction": 0.1, "method": "linear"}
    assert MLE().get_params() == {"n_neighbors": "auto", "combine": "harmonic", "unbiased": False}
    assert CorrelationDimension().get_params() == {"n_neighbors": "auto", "n_radii": 2, "radii": None}
    assert FisherS().get_params() == {"condition_number": 10.0, "n_levels": 20}
    assert Gride().get_params() == {"n1": 1, "n2": None, "range_max": None}
    assert LocalPCA().get_params() == {"n_neighbors": "auto", "criterion": "fukunaga-olsen", "alpha": 0.05, "combine": "mean"}
    trees = {"alpha": 1.0, "n_sizes": 8, "n_resamples": 4, "smallest": 0.2, "max_samples": 2000, "seed": 0}
    assert PersistentHomology().get_params() == trees
    assert ALPHAS == pytest.approx([0.6 + 0.02 * i for i in range(20)])
    x = np.random.default_rng(0).normal(size=(150, 2))
    usual = {MLE: 20, MiND: 20, Takens: 10, DANCo: 10, LocalPCA: 100}
    assert {kind: kind().fit(x).n_neighbors_ for kind in usual} == usual
    assert pointwise(TwoNN(), x) == pytest.approx(pointwise(TwoNN(), x, n_neighbors=100))
    few = bootstrap(TwoNN(), x[:60])
    assert (few.method, few.n_resamples, few.level, few.seed) == ("halves", 50, 0.95, 0)
    assert len(HeinAudibert().fit(np.random.default_rng(0).normal(size=(40, 120))).slopes_) == 100
    assert Takens(1).fit(x).n_neighbors_ == 1 and CorrelationDimension((1, 2)).fit(x).n_neighbors_ == (1, 2)


def test_large_data_are_taken_block_by_block(points: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    fits = [CorrelationDimension(), Takens(), HeinAudibert(), FisherS()]
    wide = np.concatenate([points, np.random.default_rng(0).normal(size=(90, 30))], axis=1)
    whole, near = [e.fit(points).dimension_ for e in fits], _by_blocks(wide.copy(), 5)
    for module in (_pairs, _fisher, _neighbors):
        monkeypatch.setattr(module, "_BLOCK_BYTES", 8 * 90 * 7)  # seven rows at a time
    assert [e.clone().fit(points).dimension_ for e in fits] == pytest.approx(whole, rel=1e-12)
    again = _by_blocks(wide.copy(), 5)
    assert (again.indices == near.indices).all() and again.distances == pytest.approx(near.distances)


def test_angles_of_many_coordinates_are_those_of_few(points: np.ndarray) -> None:
    """Zeros beside the coordinates change no angle; with 6,000 of them points are taken some twenty at a time."""
    padded = np.zeros((90, 6000))
    padded[:, ::1500] = points
    assert point_statistics(padded, 30) == pytest.approx(point_statistics(points, 30), rel=1e-9)


@pytest.mark.parametrize(("kappa", "rel"), [(0.8, 0.003), (1.0, 0.005), (1.5, 0.0105), (1.8, 0.0105), (4.5, 0.0105)])
def test_pieces_of_the_concentration_are_used_where_they_are_good(kappa: float, rel: float) -> None:
    eta = float(i1(kappa) / i0(kappa))
    assert float(concentration(np.array(eta))) == pytest.approx(kappa, rel=rel)


def test_the_least_value_of_a_spline_lies_next_to_the_best_integer() -> None:
    values = {d: abs(d - 3.2) for d in range(1, 9)}
    assert 2 <= _spline_minimum(values, 3) <= 4
    assert _spline_minimum({d: -float(d) for d in range(1, 6)}, 5) == pytest.approx(5.0, abs=1e-5)  # none beyond the last
    bent = {d: (d - 6.4) ** 2 for d in range(1, 12)} | {2: -50.0, 10: 40.0}
    found = _spline_minimum(bent, 6)
    spline = CubicSpline(range(2, 11), [bent[d] for d in range(2, 11)])
    assert found == pytest.approx(minimize_scalar(spline, bounds=(5, 7), method="bounded", options={"xatol": 1e-9}).x, abs=1e-4)


@pytest.mark.parametrize(("d", "seed"), [(2, 0), (5, 1)])
def test_danco_looks_outward_from_mind_until_three_in_a_row_are_worse(d: int, seed: int) -> None:
    k, top = 8, 14
    x = np.zeros((120, top))
    x[:, :d] = np.random.default_rng(seed).uniform(size=(120, d))
    found = DANCo(k).fit(x)
    mine = summarize(point_statistics(x, k), k, top)

    def apart(dimension: int) -> float:
        ball = found._ball(dimension, k)
        return _distances_apart(mine, ball, k) + _angles_apart(mine, ball)

    start = min(top, max(1, round(mine.dimension)))
    tried = {start: apart(start)}
    for step in (-1, 1):
        worse, dimension = 0, start + step
        while 1 <= dimension <= top and worse < 3:
            best = min(tried.values())
            tried[dimension] = apart(dimension)
            worse = worse + 1 if tried[dimension] > best else 0
            dimension += step
    assert found.divergences_ == pytest.approx(dict(sorted(tried.items())))
    assert found.dimension_ == min(tried, key=tried.__getitem__)


def test_neighbors_at_one_distance_say_nothing() -> None:
    logs = np.log(np.random.default_rng(0).uniform(0.2, 0.9, 50))
    tied = np.append(logs, [0.0, 0.0])
    assert most_likely_integer(tied, 6, 9) == most_likely_integer(logs, 6, 9) > 1
    assert most_likely(tied, 6, 9) == pytest.approx(most_likely(logs, 6, 9))
    assert most_likely(logs, 6, 0.5) == 0.5  # the likelihood still rises at the top
