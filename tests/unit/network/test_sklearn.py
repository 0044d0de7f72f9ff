"""Reading scikit-learn: the network computes what the estimator computes before its softmax."""

import numpy as np
import pytest

from plica import from_sklearn
from plica.errors import InvalidInput, InvalidNetwork, UnsupportedLayer

pytest.importorskip("sklearn")
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_selection import VarianceThreshold
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, PolynomialFeatures, RobustScaler, StandardScaler
from sklearn.svm import LinearSVC

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4)) * [1.0, 10.0, 0.1, 3.0] + [0.0, 5.0, 0.0, -1.0]
Y = X @ [1.0, -0.2, 3.0, 0.5] + np.abs(X[:, 0])
CLASSES = np.digitize(Y, np.quantile(Y, [0.3, 0.7]))
SMALL = {"hidden_layer_sizes": (8, 5), "max_iter": 20, "random_state": 0}

REGRESSORS = {
    "perceptron": MLPRegressor(**SMALL),
    "perceptron without activation": MLPRegressor(**SMALL, activation="identity"),
    "standardized": make_pipeline(StandardScaler(), MLPRegressor(**SMALL)),
    "only centered": make_pipeline(StandardScaler(with_std=False), MLPRegressor(**SMALL)),
    "only scaled": make_pipeline(StandardScaler(with_mean=False), MLPRegressor(**SMALL)),
    "between 0 and 1": make_pipeline(MinMaxScaler(), MLPRegressor(**SMALL)),
    "clipped": make_pipeline(MinMaxScaler(feature_range=(-1, 2), clip=True), MLPRegressor(**SMALL)),
    "by the largest": make_pipeline(MaxAbsScaler(), MLPRegressor(**SMALL)),
    "only robustly scaled": make_pipeline(RobustScaler(with_centering=False), MLPRegressor(**SMALL)),
    "robust": make_pipeline(RobustScaler(), MLPRegressor(**SMALL)),
    "components": make_pipeline(StandardScaler(), PCA(3, whiten=True), MLPRegressor(**SMALL)),
    "singular vectors": make_pipeline(TruncatedSVD(2, random_state=0), MLPRegressor(**SMALL)),
    "selected": make_pipeline(VarianceThreshold(0.5), "passthrough", make_pipeline(StandardScaler(), MLPRegressor(**SMALL))),
    "least squares": LinearRegression(),
    "ridge": make_pipeline(StandardScaler(), Ridge()),
}


def near(found, expected):
    return np.abs(found - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max())


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors_compute_the_same(name):
    estimator = REGRESSORS[name].fit(X, Y)
    points = np.vstack([X, 3 * X])
    assert near(from_sklearn(estimator)(points)[:, 0], estimator.predict(points))


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_several_targets_are_several_outputs():
    estimator = MLPRegressor(**SMALL).fit(X, np.stack([Y, -Y], 1))
    assert near(from_sklearn(estimator)(X), estimator.predict(X))


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_the_largest_output_of_a_classifier_is_its_class():
    estimator = make_pipeline(StandardScaler(), MLPClassifier(**SMALL)).fit(X, CLASSES)
    outputs = from_sklearn(estimator)(X)
    exponentials = np.exp(outputs - outputs.max(1, keepdims=True))
    assert near(exponentials / exponentials.sum(1, keepdims=True), estimator.predict_proba(X))
    two = MLPClassifier(**SMALL).fit(X, CLASSES > 0)
    assert ((from_sklearn(two)(X)[:, 0] > 0) == two.predict(X)).all()


@pytest.mark.parametrize("estimator", [LogisticRegression(max_iter=500), LinearSVC()], ids=lambda e: type(e).__name__)
def test_linear_classifiers_give_their_decision_function(estimator):
    estimator = make_pipeline(StandardScaler(), estimator).fit(X, CLASSES)
    assert near(from_sklearn(estimator)(X), estimator.decision_function(X))


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_what_is_not_known_is_refused_by_name():
    with pytest.raises(InvalidInput, match="got int"):
        from_sklearn(3)
    with pytest.raises(InvalidNetwork, match="MLPRegressor is not fitted"):
        from_sklearn(MLPRegressor())
    with pytest.raises(UnsupportedLayer, match="activation 'tanh'"):
        from_sklearn(MLPRegressor(**SMALL, activation="tanh").fit(X, Y))
    with pytest.raises(UnsupportedLayer, match=r"step 0 \('polynomialfeatures'\) is PolynomialFeatures"):
        from_sklearn(make_pipeline(PolynomialFeatures(), LinearRegression()).fit(X, Y))
