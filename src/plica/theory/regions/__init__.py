"""How many cells and regions: counts of arrangements, bounds for networks, densities at random initialization.

``widths`` is always ``(n_inputs, width of each hidden layer ..., n_outputs)``, as :attr:`plica.network.Network.widths`.
Every count is an exact integer.
"""

from plica.theory.regions._arrangements import (
    CharacteristicPolynomial,
    characteristic_polynomial,
    thinned_regions,
    zaslavsky,
    zaslavsky_bounded,
    zaslavsky_central,
)
from plica.theory.regions._histograms import (
    antipodal_histogram,
    binomial_histogram,
    hinz_van_de_geer_2019_upper_bound,
)
from plica.theory.regions._lower import (
    arora_2018_lower_bound,
    montufar_2014_lower_bound,
    montufar_2014_maxout_lower_bound,
    pascanu_2014_lower_bound,
    serra_2018_lower_bound,
)
from plica.theory.regions._random import (
    gaussian_layer_crossings,
    hanin_rolnick_2019_breakpoints_upper_bound,
    hanin_rolnick_2019_regions_estimate,
    hanin_rolnick_2019_regions_upper_bound,
)
from plica.theory.regions._table import Bound, Bounds, bounds
from plica.theory.regions._upper import (
    arora_2018_size_lower_bound,
    montufar_2017_upper_bound,
    patterns_upper_bound,
    raghu_2017_upper_bound,
    serra_2018_upper_bound,
    telgarsky_2015_upper_bound,
    telgarsky_2015_upper_bound_by_size,
)
from plica.theory.regions._wide import wide_relu_breakpoints, wide_relu_fold_distance

__all__ = [
    "Bound",
    "Bounds",
    "CharacteristicPolynomial",
    "antipodal_histogram",
    "arora_2018_lower_bound",
    "arora_2018_size_lower_bound",
    "binomial_histogram",
    "bounds",
    "characteristic_polynomial",
    "gaussian_layer_crossings",
    "hanin_rolnick_2019_breakpoints_upper_bound",
    "hanin_rolnick_2019_regions_estimate",
    "hanin_rolnick_2019_regions_upper_bound",
    "hinz_van_de_geer_2019_upper_bound",
    "montufar_2014_lower_bound",
    "montufar_2014_maxout_lower_bound",
    "montufar_2017_upper_bound",
    "pascanu_2014_lower_bound",
    "patterns_upper_bound",
    "raghu_2017_upper_bound",
    "serra_2018_lower_bound",
    "serra_2018_upper_bound",
    "telgarsky_2015_upper_bound",
    "telgarsky_2015_upper_bound_by_size",
    "thinned_regions",
    "wide_relu_breakpoints",
    "wide_relu_fold_distance",
    "zaslavsky",
    "zaslavsky_bounded",
    "zaslavsky_central",
]
