"""Intrinsic dimension: how many numbers it takes to describe the data near a point.

Every estimator has ``fit``, ``dimension_``, ``get_params`` and ``set_params`` as in scikit-learn, and shares the exact nearest
neighbors and sums over pairs of this package. An estimate is an estimate: :func:`bootstrap` says how sure it is.
"""

from plica.dimension._base import Estimator, PointwiseEstimator
from plica.dimension._correlation import CorrelationDimension
from plica.dimension._danco import DANCo
from plica.dimension._fisher import FisherS
from plica.dimension._gride import Gride
from plica.dimension._hein_audibert import HeinAudibert
from plica.dimension._interval import Interval, bootstrap, pointwise
from plica.dimension._local_pca import LocalPCA
from plica.dimension._mind import MiND
from plica.dimension._mle import MLE
from plica.dimension._neighbors import Neighbors, nearest_neighbors
from plica.dimension._pairs import PairSums, pair_sums
from plica.dimension._persistence import PersistentHomology
from plica.dimension._takens import Takens
from plica.dimension._twonn import TwoNN

#: All estimators, by name.
ESTIMATORS: dict[str, type[Estimator]] = {
    "hein-audibert": HeinAudibert,
    "correlation": CorrelationDimension,
    "takens": Takens,
    "mle": MLE,
    "two-nn": TwoNN,
    "gride": Gride,
    "mind": MiND,
    "local-pca": LocalPCA,
    "danco": DANCo,
    "fisher-s": FisherS,
    "persistent-homology": PersistentHomology,
}

__all__ = [
    "ESTIMATORS",
    "MLE",
    "CorrelationDimension",
    "DANCo",
    "Estimator",
    "FisherS",
    "Gride",
    "HeinAudibert",
    "Interval",
    "LocalPCA",
    "MiND",
    "Neighbors",
    "PairSums",
    "PersistentHomology",
    "PointwiseEstimator",
    "Takens",
    "TwoNN",
    "bootstrap",
    "nearest_neighbors",
    "pair_sums",
    "pointwise",
]
