"""Estimators of dimension have scikit-learn's manners: its own suite, with so few neighbors that its small samples suffice."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from plica import dimension as d
from plica.errors import InvalidInput

FEW = {
    "MLE": d.MLE(n_neighbors=(2, 3)),
    "CorrelationDimension": d.CorrelationDimension(n_neighbors=(2, 8)),
    "DANCo": d.DANCo(n_neighbors=3),
    "FisherS": d.FisherS(),
    "Gride": d.Gride(),
    "HeinAudibert": d.HeinAudibert(),
    "LocalPCA": d.LocalPCA(n_neighbors=4),
    "MiND": d.MiND(n_neighbors=3),
    "PersistentHomology": d.PersistentHomology(),
    "Takens": d.Takens(n_neighbors=3),
    "TwoNN": d.TwoNN(),
}
TOO_FEW_POINTS = {  # checks that fit 10 or 15 points
    "HeinAudibert": dict.fromkeys(("check_estimators_nan_inf", "check_fit2d_1feature"), "needs 15 points"),
    "PersistentHomology": dict.fromkeys(
        ("check_estimators_nan_inf", "check_fit2d_1feature", "check_n_features_in_after_fitting"), "needs 20 points"
    ),
}


def test_every_estimator_is_tried() -> None:
    every = {n for n in d.__all__ if isinstance(getattr(d, n), type) and issubclass(getattr(d, n), d.Estimator)}
    assert every - {"Estimator", "PointwiseEstimator"} == set(FEW)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FEW)
def test_scikit_learns_own_checks_pass(name: str) -> None:
    found = check_estimator(FEW[name], on_fail=None, on_skip=None, expected_failed_checks=TOO_FEW_POINTS.get(name, {}))
    assert len(found) > 30
    assert {check["check_name"]: str(check["exception"]) for check in found if check["status"] == "failed"} == {}


def test_an_estimator_ends_a_pipeline() -> None:
    x = np.random.default_rng(0).standard_normal((200, 3)) @ np.array([[1.0, 2.0, 0.0, 5.0], [0, 1, 1, 0], [0, 0, 3, 1]])
    assert 2 < make_pipeline(StandardScaler(), d.TwoNN()).fit(x)[-1].dimension_ < 4


@pytest.mark.parametrize("data", [[[1.0, np.nan]] * 5, np.zeros((0, 3)), np.zeros(7), [["a", "b"]] * 4, np.zeros((4, 2)) + 1j])
def test_bad_data_are_errors_of_plica_and_of_python(data: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        d.TwoNN().fit(data)
    assert isinstance(caught.value, ValueError | TypeError) and caught.value.hint
