"""Equal to scikit-dimension where the algorithm is the same, on 24 data sets; where it is not, the better likelihood."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from plica.data import load
from plica.dimension import MLE, CorrelationDimension, FisherS, Gride, LocalPCA, MiND, TwoNN
from plica.dimension._mind import log_likelihood

pytestmark = pytest.mark.peer

SETS = [
    *[("sphere", {"dimension": d, "ambient": a}) for d in (1, 2, 5, 9) for a in (12, 30)],
    *[("cube", {"dimension": d, "ambient": 20}) for d in (2, 4, 8)],
    *[("gaussian", {"dimension": d, "ambient": 20, "noise": e}) for d in (3, 6) for e in (0.0, 0.05)],
    ("swiss-roll", {}),
    ("swiss-roll", {"ambient": 40, "noise": 0.1}),
    ("moebius", {"twists": 1}),
    ("moebius", {"twists": 3, "ambient": 15}),
    ("torus", {"dimension": 3}),
    ("helix", {"noise": 0.01}),
    ("hidden-manifold", {"dimension": 4, "ambient": 60}),
    ("hidden-manifold", {"dimension": 8, "ambient": 60, "activation": "tanh"}),
    ("generator", {"dimension": 3, "ambient": 40, "activation": "tanh"}),
]


@pytest.fixture(scope="module")
def skdim():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("skdim", reason="scikit-dimension is not installed")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "options"), SETS)
def test_the_same_algorithm_gives_the_same_number(skdim, name, options):
    X = np.ascontiguousarray(load(name, n=400, seed=7, **options).x)
    theirs = skdim.id
    pairs = {
        "MLE": (MLE().fit(X), theirs.MLE().fit(X)),
        "MLE, mean": (MLE(combine="mean", unbiased=True).fit(X), theirs.MLE(unbiased=True).fit(X, comb="mean")),
        "TwoNN": (TwoNN().fit(X), theirs.TwoNN().fit(X)),
        "TwoNN, mle": (TwoNN(method="mle").fit(X), theirs.TwoNN(method="mle").fit(X)),
        "Gride 1": (Gride().fit(X), theirs.GRIDE().fit(X)),
        "Gride 8": (Gride(n1=8).fit(X), theirs.GRIDE(n1=8).fit(X)),
        "MiND, integer": (MiND(max_dimension=12, version="integer").fit(X), theirs.MiND_ML(D=12, ver="MLi").fit(X)),
        "FisherS": (FisherS().fit(X), theirs.FisherS().fit(X)),
        "PCA, FO": (LocalPCA(n_neighbors=None).fit(X), theirs.lPCA().fit(X)),
        "PCA, participation": (
            LocalPCA(n_neighbors=None, criterion="participation").fit(X),
            theirs.lPCA(ver="participation_ratio").fit(X),
        ),
    }
    for what, (ours, other) in pairs.items():
        assert abs(ours.dimension_ - float(np.ravel(other.dimension_)[0])) <= 1e-8, what


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "options"), SETS)
def test_correlation_dimensions_differ_at_most_by_pairs_exactly_at_a_radius(skdim, name, options):
    X = np.ascontiguousarray(load(name, n=400, seed=7, **options).x)
    ours = CorrelationDimension().fit(X)
    theirs = float(np.ravel(skdim.id.CorrInt().fit(X).dimension_)[0])
    r = pdist(X)
    slopes = [
        np.log((r < up * ours.radii_[1]).sum() / (r < down * ours.radii_[0]).sum()) / np.log(ours.radii_[1] / ours.radii_[0])
        for up in (1 - 1e-12, 1 + 1e-12)  # the pair that gave the radius its value, without and with
        for down in (1 - 1e-12, 1 + 1e-12)
    ]
    assert min(abs(ours.dimension_ - slope) for slope in slopes) <= 1e-8
    assert min(abs(theirs - slope) for slope in slopes) <= 1e-8


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "options"), SETS[::3])
def test_pointwise_numbers_are_the_same(skdim, name, options):
    X = np.ascontiguousarray(load(name, n=200, seed=7, **options).x)
    assert np.allclose(MLE().fit(X).pointwise_dimension_, skdim.id.MLE().fit(X).dimension_pw_, rtol=1e-9)
    local = skdim.id.lPCA().fit_pw(X, n_neighbors=30).dimension_pw_
    assert np.array_equal(LocalPCA(n_neighbors=30).fit(X).pointwise_dimension_, local)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "options"), SETS)
def test_the_likelihood_of_minimum_distances_is_at_least_theirs(skdim, name, options):
    X = np.ascontiguousarray(load(name, n=400, seed=7, **options).x)
    ours = MiND(max_dimension=12).fit(X)
    theirs = float(skdim.id.MiND_ML(D=12).fit(X).dimension_)
    logs = ours.statistics_[:, 0]
    assert log_likelihood(ours.dimension_, logs, 20) >= log_likelihood(theirs, logs, 20) - 1e-9
