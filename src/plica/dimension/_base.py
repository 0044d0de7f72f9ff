"""What all estimators share: parameters as scikit-learn has them, data that are checked once, equal points counted once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from plica._types import Array
from plica.dimension._errors import InvalidData, InvalidDataType
from plica.errors import InvalidInput


class Estimator(BaseEstimator, ABC):
    """An estimator of intrinsic dimension.

    The arguments of the constructor are the parameters, stored as they were given. ``fit`` looks at the data and fills the
    attributes that end with an underscore. A subclass writes ``_fit``.

    Attributes
    ----------
    dimension_ : float
        The estimate.
    n_features_in_, n_samples_ : int
        Shape of the data.
    n_duplicates_ : int
        Rows that repeat an earlier one. They are left out: a point that occurs twice says nothing about dimension.
    """

    #: The least number of distinct points.
    min_samples = 3

    dimension_: float
    n_features_in_: int
    n_samples_: int
    n_duplicates_: int

    @abstractmethod
    def _fit(self, X: Array) -> None:
        """Set ``dimension_`` from distinct points."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Estimate the dimension of the rows of X; ``y`` is ignored."""
        data = check_data(X, of=self)
        distinct, inverse = distinct_rows(data)
        if len(distinct) < self.min_samples:
            raise InvalidData(
                f"{type(self).__name__} needs {self.min_samples} distinct points, got {len(distinct)} (n_samples = {len(data)}).",
                hint="give more rows",
            )
        self._fit(distinct)
        if not np.isfinite(self.dimension_) or self.dimension_ < 0:
            raise InvalidData(
                f"{type(self).__name__} found no dimension for {len(distinct)} points (the formula gives {self.dimension_}).",
                hint="points on a lattice have equal distances; otherwise try other parameters or another estimator",
            )
        if inverse is not None:
            for name in self.pointwise_names():
                setattr(self, name, getattr(self, name)[inverse])
        self.n_samples_ = len(data)
        self.n_duplicates_ = len(data) - len(distinct)
        return self

    def pointwise_names(self) -> tuple[str, ...]:
        """Attributes with one entry for each point."""
        return ()

    def fit_predict(self, X: Any, y: Any = None) -> float:
        """The estimated dimension of the rows of X."""
        return self.fit(X).dimension_

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters by name."""
        try:
            super().set_params(**parameters)
        except ValueError:
            names = sorted(self.get_params())
            wrong = next(name for name in parameters if name not in names)
            raise InvalidInput(
                f"{type(self).__name__} has no parameter {wrong!r}.", hint=f"it has {', '.join(names) or 'none'}"
            ) from None
        return self

    def clone(self) -> Self:
        """An unfitted estimator with the same parameters."""
        return type(self)(**self.get_params(deep=False))

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        fitted = ("dimension_", "n_samples_", "n_features_in_", "n_duplicates_")
        found = {name.strip("_"): getattr(self, name) for name in fitted if hasattr(self, name)}
        return facts_html(self, found | self.get_params())


class PointwiseEstimator(Estimator):
    """An estimator that combines one number, or a few, of every point.

    A subclass writes ``_statistics``, one row for each point, and ``_combine``, which makes a dimension of such rows; the
    bootstrap over points needs nothing else.

    Attributes
    ----------
    statistics_ : ndarray
        One row for each point.
    """

    statistics_: Array

    @abstractmethod
    def _statistics(self, X: Array) -> Array:
        """One row of numbers for each point."""

    @abstractmethod
    def _combine(self, statistics: Array) -> float:
        """The dimension from the rows of some of the points."""

    def _fit(self, X: Array) -> None:
        self.statistics_ = self._statistics(X)
        self.dimension_ = float(self._combine(self.statistics_))

    def pointwise_names(self) -> tuple[str, ...]:
        return ("statistics_",)


def check_data(X: Any, *, of: Estimator | None = None) -> Array:
    """Rows of finite numbers in double precision; an estimator keeps their number and names."""
    options: dict[str, Any] = {"dtype": np.float64, "ensure_all_finite": False, "ensure_min_samples": 2}
    try:
        data = check_array(X, **options) if of is None else validate_data(of, X, **options)
    except (TypeError, ValueError) as error:
        kind = InvalidDataType if isinstance(error, TypeError) else InvalidData
        message = str(error).split("\n")[0].rstrip(".")
        raise kind(f"the data cannot be used: {message}.", hint="give a dense array of numbers (points, coordinates)") from None
    if not np.isfinite(data).all():
        row = int(np.flatnonzero(~np.isfinite(data).all(axis=1))[0])
        kind_of = "NaN" if np.isnan(data[row]).any() else "inf"
        raise InvalidData(f"row {row} of the data holds {kind_of}, which is not finite.", hint="remove or fill such rows")
    return np.asarray(data)


def distinct_rows(X: Array) -> tuple[Array, Array | None]:
    """The rows without repetitions, in order of their first occurrence, and for every row the position of its representative.

    Examples
    --------
    >>> rows, inverse = distinct_rows(np.array([[1.0], [2.0], [1.0]]))
    >>> rows.tolist(), inverse.tolist()
    ([[1.0], [2.0]], [0, 1, 0])
    """
    seen: dict[int, list[int]] = {}
    kept: list[int] = []
    inverse = np.empty(len(X), np.int64)
    contiguous = np.ascontiguousarray(X)
    for i, row in enumerate(contiguous):
        candidates = seen.setdefault(hash((row + 0.0).tobytes()), [])  # minus zero is zero
        for position in candidates:
            if np.array_equal(contiguous[kept[position]], row):
                inverse[i] = position
                break
        else:
            inverse[i] = len(kept)
            candidates.append(len(kept))
            kept.append(i)
    if len(kept) == len(X):
        return contiguous, None
    return contiguous[kept], inverse


def check_integer(name: str, value: Any, *, least: int) -> int:
    """A parameter that counts something."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < least:
        raise InvalidInput(f"{name} = {value!r}.", hint=f"give an integer of at least {least}")
    return int(value)


def check_fraction(name: str, value: Any) -> float:
    """A parameter between 0 and 1, 1 excluded."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 <= float(value) < 1:
        raise InvalidInput(f"{name} = {value!r}.", hint="give a number from 0 to 1, 1 excluded")
    return float(value)


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """A parameter that is one of a few words."""
    if value not in choices:
        raise InvalidInput(f"{name} = {value!r}.", hint=f"give one of {', '.join(map(repr, choices))}")
    return str(value)
