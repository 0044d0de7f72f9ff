"""Estimators of dimension have scikit-learn's manners: its own suite, as they are constructed and with other parameters."""

import warnings

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from plica import dimension as d
from plica.errors import InvalidInput

OTHERS = (
    d.MLE(n_neighbors=(3, 5), combine="mean", unbiased=True),
    d.CorrelationDimension(n_neighbors=(2, 8), n_radii=4),
    d.DANCo(n_neighbors=3, fractional=True),
    d.Gride(n1=2),
    d.LocalPCA(n_neighbors=4, criterion="participation"),
    d.LocalPCA(n_neighbors=None),
    d.MiND(n_neighbors=3, version="integer"),
    d.Takens(n_neighbors=3),
    d.TwoNN(method="mle"),
)
#: What "auto" is, how few points the formula has a meaning for, and how many neighbors it needs past the k-th.
AUTO = {
    d.MLE: (20, 3, 0),
    d.CorrelationDimension: (20, 3, 0),
    d.DANCo: (10, 5, 1),
    d.LocalPCA: (100, 3, 0),
    d.MiND: (20, 4, 1),
    d.Takens: (10, 3, 0),
}


def points(n: int) -> np.ndarray:
    return np.random.default_rng(n).standard_normal((n, 3))


def test_every_estimator_has_a_name() -> None:
    every = {getattr(d, n) for n in d.__all__ if isinstance(getattr(d, n), type) and issubclass(getattr(d, n), d.Estimator)}
    assert every - {d.Estimator, d.PointwiseEstimator} == set(d.ESTIMATORS.values())
    assert {one for one in d.ESTIMATORS.values() if "n_neighbors" in one().get_params()} == set(AUTO)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", [*(one() for one in d.ESTIMATORS.values()), *OTHERS], ids=repr)
def test_scikit_learns_own_checks_pass(estimator: d.Estimator) -> None:
    found = check_estimator(estimator, on_fail=None, on_skip=None)
    assert sum(check["status"] == "passed" for check in found) > 30
    assert {check["check_name"]: str(check["exception"]) for check in found if check["status"] == "failed"} == {}


@pytest.mark.parametrize("kind", AUTO)
def test_few_points_have_all_their_neighbors_looked_at_and_a_warning(kind: type) -> None:
    usual, _, beyond = AUTO[kind]
    n = usual // 2 + 1 + beyond
    with pytest.warns(UserWarning, match=rf"{n} distinct points .* n_neighbors is {usual // 2} instead of {usual}") as caught:
        rough = kind().fit(points(n))
    assert caught[0].filename == __file__
    k = (usual // 4, usual // 2) if kind is d.CorrelationDimension else usual // 2
    assert rough.n_neighbors_ == k
    assert rough.dimension_ == kind(n_neighbors=k).fit(points(n)).dimension_
    assert rough.get_params()["n_neighbors"] == "auto"


@pytest.mark.parametrize("kind", AUTO)
def test_enough_points_are_no_warning_and_one_fewer_is(kind: type) -> None:
    usual, _, beyond = AUTO[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = kind().fit(points(usual + 1 + beyond)).n_neighbors_
    assert found == ((usual // 2, usual) if kind is d.CorrelationDimension else usual)
    with pytest.warns(UserWarning, match=f"n_neighbors is {usual - 1} instead"):
        kind().fit(points(usual + beyond))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", AUTO)
def test_too_few_points_are_refused_with_the_number_that_would_do(kind: type) -> None:
    _, least, _ = AUTO[kind]
    with pytest.raises(ValueError, match="distinct points"):
        kind().fit(points(least - 1))
    assert kind().fit(points(least + 2)).dimension_ > 0


@pytest.mark.parametrize("kind", AUTO)
def test_a_number_of_neighbors_that_was_given_is_never_changed(kind: type) -> None:
    k = (2, 12) if kind is d.CorrelationDimension else 12
    with pytest.raises(ValueError, match=r"1[23] neighbors of 10 distinct points"):
        kind(n_neighbors=k).fit(points(10))
    with pytest.raises(InvalidInput, match="n_neighbors = 'many'"):
        kind(n_neighbors="many").fit(points(50))


def test_halves_are_looked_at_with_the_neighbors_of_the_whole_or_not_at_all() -> None:
    with pytest.raises(ValueError, match="20 neighbors of 15 distinct points"):
        d.bootstrap(d.MLE(), points(30), n_resamples=3)
    assert d.bootstrap(d.MLE(), points(60), n_resamples=3) == d.bootstrap(d.MLE(n_neighbors=20), points(60), n_resamples=3)


def test_an_estimator_ends_a_pipeline() -> None:
    x = np.random.default_rng(0).standard_normal((200, 3)) @ np.array([[1.0, 2.0, 0.0, 5.0], [0, 1, 1, 0], [0, 0, 3, 1]])
    assert 2 < make_pipeline(StandardScaler(), d.TwoNN()).fit(x)[-1].dimension_ < 4


@pytest.mark.parametrize("data", [[[1.0, np.nan]] * 5, np.zeros((0, 3)), np.zeros(7), [["a", "b"]] * 4, np.zeros((4, 2)) + 1j])
def test_bad_data_are_errors_of_plica_and_of_python(data: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        d.TwoNN().fit(data)
    assert isinstance(caught.value, ValueError | TypeError) and caught.value.hint
