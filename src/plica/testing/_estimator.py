"""The conformance suite of estimators of dimension: manners, and what no change of coordinates may change."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from plica._types import Array
from plica.dimension import Estimator
from plica.errors import InvalidInput, PlicaError

Check = Callable[[Estimator, Array], None]


def sample(n: int = 400, dimension: int = 3, ambient: int = 6, *, seed: int = 0) -> Array:
    """Uniform points of a sphere, turned into more coordinates."""
    rng = np.random.default_rng(seed)
    g = rng.standard_normal((n, dimension + 1))
    frame, _ = np.linalg.qr(rng.standard_normal((ambient, dimension + 1)))
    return g / np.linalg.norm(g, axis=1, keepdims=True) @ frame.T


def check_parameters(estimator: Estimator, X: Array) -> None:
    """Parameters come back as they were given, and fitting does not change them."""
    before = estimator.get_params()
    other = estimator.clone()
    assert type(other) is type(estimator) and other is not estimator
    assert all(other.get_params()[name] is value for name, value in before.items()), "a clone has other parameters"
    assert not hasattr(other, "dimension_"), "a clone is fitted"
    other.fit(X)
    assert other.get_params() == before, "fit changed a parameter"
    assert other.set_params(**before) is other
    _refuses(lambda: other.set_params(no_such_parameter=1), "an unknown parameter")
    assert type(estimator).__name__ in repr(estimator)


def check_fit(estimator: Estimator, X: Array) -> None:
    """fit returns the estimator, leaves the data alone, and gives the same number every time."""
    kept = X.copy()
    one = estimator.clone()
    assert one.fit(X) is one, "fit does not return the estimator"
    assert (X == kept).all(), "fit changed the data"
    assert isinstance(one.dimension_, float) and np.isfinite(one.dimension_) and one.dimension_ > 0
    assert (one.n_samples_, one.n_features_in_, one.n_duplicates_) == (*X.shape, 0)
    assert estimator.clone().fit(X).dimension_ == one.dimension_, "two fits differ"
    assert one.fit(X[::2]).dimension_ == estimator.clone().fit(X[::2]).dimension_, "a second fit remembers the first"
    assert estimator.clone().fit_predict(X, None) == estimator.clone().fit(X, np.zeros(len(X))).dimension_


def check_input(estimator: Estimator, X: Array) -> None:
    """Lists, other orders of memory and single precision are read; what is no data is refused."""
    expected = estimator.clone().fit(X).dimension_
    for same in (X.tolist(), np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
        assert estimator.clone().fit(same).dimension_ == expected, "the same numbers give another dimension"
    single = X.astype(np.float32)
    assert estimator.clone().fit(single).dimension_ == estimator.clone().fit(single.astype(float)).dimension_
    hole, endless = X.copy(), X.copy()
    hole[3, 1], endless[0, 0] = np.nan, np.inf
    for wrong in (hole, endless, X[0], X[:1], X[:, :0], X[:, :, None], np.ones_like(X), [["a", "b"], ["c", "d"]]):
        _refuses(lambda wrong=wrong: estimator.clone().fit(wrong), "wrong data")  # type: ignore[misc]


def check_duplicates(estimator: Estimator, X: Array) -> None:
    """A row that occurs again changes nothing but the count of duplicates."""
    again = estimator.clone().fit(np.concatenate([X, X[:17]]))
    assert again.n_duplicates_ == 17 and again.n_samples_ == len(X) + 17
    assert again.dimension_ == estimator.clone().fit(X).dimension_
    for name in again.pointwise_names():
        values = getattr(again, name)
        assert len(values) == len(X) + 17 and np.array_equal(values[:17], values[len(X) :], equal_nan=True)


def check_motions(estimator: Estimator, X: Array) -> None:
    """Rotations, shifts, changes of scale and more coordinates that are zero do not change the dimension."""
    rng = np.random.default_rng(1)
    turn, _ = np.linalg.qr(rng.standard_normal((X.shape[1], X.shape[1])))
    expected = estimator.clone().fit(X).dimension_
    for moved in (X @ turn, X + 3.0, 1e-6 * X, 1e6 * X, -X):
        found = estimator.clone().fit(moved).dimension_
        assert abs(found - expected) <= 1e-5 * expected, f"{found} after a motion, {expected} before"


def check_order(estimator: Estimator, X: Array) -> None:
    """The order of the points does not matter; for estimators that draw subsamples, not much."""
    expected = estimator.clone().fit(X).dimension_
    found = estimator.clone().fit(X[::-1]).dimension_
    slack = 0.15 if "seed" in estimator.get_params() else 1e-9
    assert abs(found - expected) <= slack * expected, f"{found} in reverse order, {expected} before"


def check_recovery(estimator: Estimator, X: Array) -> None:
    """A circle, a sphere and a three-sphere are told apart, and each is within one of its dimension."""
    found = [estimator.clone().fit(sample(600, d, 6, seed=d)).dimension_ for d in (1, 2, 3)]
    assert found[0] < found[1] < found[2], f"dimensions 1, 2, 3 are estimated as {found}"
    assert all(abs(f - d) <= 1.05 for f, d in zip(found, (1, 2, 3), strict=True)), f"dimensions 1, 2, 3 are estimated as {found}"


CHECKS: MappingProxyType[str, Check] = MappingProxyType(
    {
        "parameters": check_parameters,
        "fit": check_fit,
        "input": check_input,
        "duplicates": check_duplicates,
        "motions": check_motions,
        "order": check_order,
        "recovery": check_recovery,
    }
)


@dataclass(frozen=True)
class EstimatorReport:
    """What a conformance run looked at; that it exists means that nothing failed."""

    estimator: str
    n_checks: int
    seconds: float


def check_estimator(estimator: Estimator, *, checks: Iterable[str] | None = None, n: int = 400) -> EstimatorReport:
    """Hold an estimator of dimension to all checks.

    Parameters
    ----------
    estimator
        With the parameters to use; it is not fitted.
    checks
        Names from ``CHECKS``; all by default.
    n
        Points in the sample.

    Raises
    ------
    AssertionError
        At the first violation; its text names the estimator, the check and what was wrong.

    Examples
    --------
    >>> from plica.dimension import TwoNN
    >>> check_estimator(TwoNN()).n_checks
    7
    """
    started = time.perf_counter()
    chosen = list(CHECKS if checks is None else checks)
    X = sample(n)
    for name in chosen:
        if name not in CHECKS:
            raise InvalidInput(f"there is no check {name!r}.", hint="checks: " + ", ".join(CHECKS))
        try:
            CHECKS[name](estimator, X)
        except Exception as error:
            raise AssertionError(f"{estimator!r}, check {name!r}: {type(error).__name__}: {error}") from error
    return EstimatorReport(repr(estimator), len(chosen), time.perf_counter() - started)


def _refuses(call: Callable[[], Any], what: str) -> None:
    try:
        call()
    except PlicaError as error:
        assert error.hint, f"{what} is refused without a hint"
    else:
        raise AssertionError(f"{what} was accepted")
