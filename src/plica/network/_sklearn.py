"""From scikit-learn's multilayer perceptrons and linear models, with the scalers and projections before them, to a Network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput, InvalidNetwork, UnsupportedLayer
from plica.network._interpolants import add_interpolant, is_replacing
from plica.network._network import Builder, Network
from plica.network.operations import Clip, Linear, Rectifier, Scale


def from_sklearn(estimator: Any) -> Network:
    """Convert a fitted ``MLPClassifier`` or ``MLPRegressor`` with ReLUs, a linear model, or a pipeline that ends in one.

    Classifiers give the values before the softmax or logistic function (one value for two classes, positive for the second):
    the largest one is the predicted class. Scalers become a factor and a shift, each rounded once to float64.

    Parameters
    ----------
    estimator
        The fitted estimator. Before it a pipeline may scale (``StandardScaler``, ``MinMaxScaler``, ``MaxAbsScaler``,
        ``RobustScaler``), project (``PCA``, ``TruncatedSVD``) or select features.

    Raises
    ------
    UnsupportedLayer
        A step is not piecewise linear, or not known.
    InvalidNetwork
        The estimator is not fitted.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from_sklearn(LinearRegression().fit([[0.0], [1.0]], [1.0, 3.0]))([2.0])
    array([5.])
    """
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    if not isinstance(estimator, BaseEstimator):
        raise InvalidInput(
            f"from_sklearn takes an estimator of scikit-learn, got {type(estimator).__name__}.",
            hint="convert a torch module with plica.from_torch",
        )
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        raise InvalidNetwork(f"the {type(estimator).__name__} is not fitted.", hint="call estimator.fit(X, y) first") from None
    steps = _steps(estimator)
    width = getattr(estimator, "n_features_in_", None) or getattr(steps[0][1], "n_features_in_", None)
    if width is None:
        raise InvalidNetwork(f"the {type(estimator).__name__} does not tell how many features it takes.")
    builder = Builder(int(width), name=type(steps[-1][1]).__name__)
    for i, (name, step) in enumerate(steps):
        add = next((STEPS[kind.__name__] for kind in type(step).__mro__ if _is_known(kind)), None)
        if add is None:
            raise UnsupportedLayer(
                f"step {i} ({name!r}) is {type(step).__name__}, which is not a step Plica knows.",
                hint=f"known steps: {', '.join(sorted(STEPS))}",
            )
        add(builder, name, step)
    return builder.build()


def _is_known(kind: type) -> bool:
    return kind.__module__.startswith("sklearn.") and kind.__name__ in STEPS


def _steps(estimator: Any) -> list[tuple[str, Any]]:
    """The steps of a pipeline, pipelines inside it unfolded; an estimator alone is one step."""
    if not (hasattr(estimator, "steps") and type(estimator).__name__ == "Pipeline"):
        return [(type(estimator).__name__.lower(), estimator)]
    inner = [(name, step) for name, step in estimator.steps if step is not None and step != "passthrough"]
    unfolded = []
    for name, step in inner:
        parts = _steps(step)
        unfolded += [(name if len(parts) == 1 else f"{name}.{part}", leaf) for part, leaf in parts]
    if not unfolded:
        raise InvalidNetwork("the pipeline has no steps.")
    return unfolded


def _array(value: Any) -> Array:
    return np.array(value, dtype=np.float64)


def _perceptron(builder: Builder, name: str, step: Any) -> None:
    smooth = {"tanh": "tanh", "logistic": "sigmoid"}.get(step.activation)
    if step.activation not in ("relu", "identity") and not (smooth and is_replacing()):
        raise UnsupportedLayer(
            f"{name!r} has the activation {step.activation!r}, which is not piecewise linear.",
            hint="fit it with activation='relu', or take a network below and one above it: plica.sandwich(estimator)",
        )
    last = len(step.coefs_) - 1
    for i, (weight, bias) in enumerate(zip(step.coefs_, step.intercepts_, strict=True)):
        builder.add(Linear(np.ascontiguousarray(_array(weight).T), _array(bias)), name=f"{name}.{i}")
        if i < last and step.activation == "relu":
            builder.add(Rectifier(), name=f"{name}.{i}.relu")
        elif i < last and smooth:
            add_interpolant(builder, len(builder) - 1, smooth, name=f"{name}.{i}.{smooth}")


def _linear(builder: Builder, name: str, step: Any) -> None:
    weight = np.atleast_2d(_array(step.coef_))
    builder.add(Linear(weight, np.array(np.broadcast_to(_array(step.intercept_).reshape(-1), len(weight)))), name=name)


def _standard(builder: Builder, name: str, step: Any) -> None:
    factor = np.ones(builder.shape(-1)) if step.scale_ is None else 1.0 / _array(step.scale_)
    builder.add(Scale(factor, -_array(step.mean_) * factor if step.with_mean else None), name=name)


def _robust(builder: Builder, name: str, step: Any) -> None:
    factor = np.ones(builder.shape(-1)) if step.scale_ is None else 1.0 / _array(step.scale_)
    builder.add(Scale(factor, None if step.center_ is None else -_array(step.center_) * factor), name=name)


def _min_max(builder: Builder, name: str, step: Any) -> None:
    builder.add(Scale(_array(step.scale_), _array(step.min_)), name=name)
    if step.clip:
        low, high = step.feature_range
        builder.add(Clip(float(low), float(high)), name=f"{name}.clip")


def _max_abs(builder: Builder, name: str, step: Any) -> None:
    builder.add(Scale(1.0 / _array(step.scale_), None), name=name)
    if getattr(step, "clip", False):
        builder.add(Clip(-1.0, 1.0), name=f"{name}.clip")


def _projection(builder: Builder, name: str, step: Any) -> None:
    weight = _array(step.components_)
    if getattr(step, "whiten", False):
        weight = weight / np.sqrt(_array(step.explained_variance_))[:, None]
    mean = getattr(step, "mean_", None)
    builder.add(Linear(weight, None if mean is None else -weight @ _array(mean)), name=name)


def _selection(builder: Builder, name: str, step: Any) -> None:
    builder.add(Linear(np.eye(builder.shape(-1)[0])[step.get_support()]), name=name)


STEPS: dict[str, Callable[[Builder, str, Any], None]] = {
    "MLPClassifier": _perceptron,
    "MLPRegressor": _perceptron,
    "LinearModel": _linear,
    "LinearClassifierMixin": _linear,
    "StandardScaler": _standard,
    "RobustScaler": _robust,
    "MinMaxScaler": _min_max,
    "MaxAbsScaler": _max_abs,
    "PCA": _projection,
    "TruncatedSVD": _projection,
    "SelectorMixin": _selection,
}
"""What is known, by the names of scikit-learn's classes and of those they inherit from."""
