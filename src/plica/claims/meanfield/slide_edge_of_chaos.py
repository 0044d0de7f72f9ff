r"""The edge of chaos, as attributed: to Pennington et al. 2018.

Claim
    The line chi_1 = 1 between order and chaos of random networks was introduced in 2018, with the spectra of Jacobians.
Source
    Theories of Deep Learning, lecture 15, which names Pennington et al. 2018 [oxford-lecture-15].
Prediction
    2018, the year of the first paper that draws the line
Measurement
    the years of the sources of this catalog that state it: B. Poole et al., Figure 2, and S. S. Schoenholz et al.; that their
    line is chi_1 = 1 is measured: at its points for tanh, networks 4,000 units wide neither contract nor expand a small
    difference (plica.measure.Ensemble)
Remark
    J. Pennington, S. S. Schoenholz and S. Ganguli find the spectra of Jacobians on that line [pennington2017] [pennington2018].
    The line is that of B. Poole et al. [poole2016]; S. S. Schoenholz et al. name what it does to depth [schoenholz2017].
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from plica.claims import Evidence, bibliography, control, counterexample
from plica.claims.meanfield._edge import draw_edge
from plica.claims.meanfield._inputs import pair
from plica.measure import Ensemble
from plica.theory.meanfield import edge_of_chaos

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "estimated"
SEE = ("edge-of-chaos-tanh", "poole-2016-phases", "pennington-2017-isometry")
SEED = 2018


def year(key: str) -> int:
    """Of an entry of the bibliography."""
    found = re.search(r"year\s*=\s*\{(\d+)\}", bibliography()[key])
    assert found is not None
    return int(found[1])


def expansion(bias_std: float, weight_std: float, length: float, n_networks: int) -> tuple[float, float]:
    """The factor of 1 - c from one layer to the next, near c = 1, and its standard error."""
    points = np.stack(pair(64, mean_square=(length - bias_std**2) / weight_std**2, correlation=1 - 1e-6, seed=SEED))
    found = Ensemble(
        (64, 4_000, 4_000), n_networks=n_networks, seed=SEED, weight_std=weight_std, bias_std=bias_std, activation="tanh"
    ).estimate_forward(points)
    differences = found.products[:, :, 0, 0] + found.products[:, :, 1, 1] - 2 * found.products[:, :, 0, 1]
    factors = differences[:, 1] / differences[:, 0]
    return float(factors.mean()), float(factors.std() / np.sqrt(n_networks))


def check(scale: str) -> Evidence:
    first = min(year(key) for key in ("poole2016", "schoenholz2017"))
    rows = [counterexample(first, "=", 2018, truth=2016, what="year of the first paper with the line")]
    for bias_std in (0.1, 0.3):
        edge = edge_of_chaos("tanh", bias_std=bias_std)
        for name, factor in (("on the line", 1.0), ("inside", 0.8)):
            measured, error = expansion(bias_std, factor * edge.weight_std, edge.length, 60)
            about: dict[str, Any] = {"kind": "estimated", "standard_error": error, "sigma_b": bias_std, "what": f"factor, {name}"}
            rows.append(control(measured, "=", 1.0, **about) if factor == 1 else control(measured, "<", 1.0, **about))
    return Evidence(rows, draw=lambda ax: draw_edge("tanh", ax), seed=SEED)
