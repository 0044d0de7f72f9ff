r"""Choromanski et al.: with short queries and keys, the error of random features falls like m^{-1/2}.

Claim
    One random feature estimates exp(q . k) without bias and with the relative variance exp(|q + k|^2) - 1. So for scaled queries
    and keys of length at most about 1 the output of a Performer with m features is off by O(m^{-1/2}), and orthogonal
    directions are not worse than independent ones.
Source
    K. Choromanski et al., Rethinking Attention with Performers, ICLR 2021 [choromanski2021].
Prediction
    the slope -1/2 of log error against log m, within 0.12; an error below 0.1 at m = 1024 for entries of deviation 0.25;
    orthogonal directions at most 5 percent worse than independent ones. The mean exp(q . k) and the variance of one feature,
    plica.theory.attention.performer_relative_variance
Measurement
    products of the features of plica.models.attention.Performer for a fixed query and key, over independent directions;
    error_against_exact of plica.models.attention.Attend with it, d = 64, means over draws
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from plica.claims import Evidence, Row, row
from plica.claims.attention._curves import curves
from plica.models.attention import Attend, Performer
from plica.theory.attention import performer_relative_variance

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("performer-unit-scale",)
SEED = 2009
D_HEAD = 64


def errors(n_features: int, *, deviation: float, length: int, n_draws: int, orthogonal: bool = True) -> np.ndarray:
    """Relative errors of the output for Gaussian queries, keys and values, one for each draw of the directions."""
    generator = torch.Generator().manual_seed(SEED)
    q, k, v = torch.randn(3, 1, 1, length, D_HEAD, dtype=torch.float64, generator=generator)
    found = []
    for draw in range(n_draws):
        features = Performer(D_HEAD, n_features, orthogonal=orthogonal, seed=SEED + 1 + draw).double()  # not the stream of q
        found.append(Attend(normalizer=features).error_against_exact(deviation * q, deviation * k, v))
    return np.array(found)


def products(q: torch.Tensor, k: torch.Tensor, n: int) -> np.ndarray:
    """n estimates of exp(q . k) by one feature each."""
    map_ = Performer(len(q), n, orthogonal=False, seed=SEED).double()
    both = [map_.features(x[None], of_query=False)[0] for x in (q, k)]
    return np.asarray(n * both[0] * both[1])


def moments(squared_length: float, n: int) -> list[Row]:
    """Mean and variance of one feature for a query and a key with |q + k|^2 as given."""
    q, k = torch.zeros(2, 8, dtype=torch.float64)
    q[0], k[0], q[1], k[1] = squared_length**0.5 / 2, squared_length**0.5 / 2, 0.3, -0.3
    relative = products(q, k, n) / float((q @ k).exp())
    squares = (relative - 1) ** 2
    about: dict[str, Any] = {"kind": "estimated", "squared_length": squared_length}
    mean_error, variance_error = (float(x.std(ddof=1) / np.sqrt(n)) for x in (relative, squares))
    return [
        row(float(relative.mean()), "=", 1.0, standard_error=mean_error, what="mean of one feature / exp(q . k)", **about),
        row(
            float(squares.mean()), "=", performer_relative_variance(squared_length, 1), standard_error=variance_error,
            what="relative variance of one feature", **about,
        ),
    ]  # fmt: skip


def check(scale: str) -> Evidence:
    sizes, length, n_draws = ((64, 256, 1024, 4096), 256, 20) if scale == "full" else ((64, 256, 1024), 96, 12)
    found = {
        kind: [errors(m, deviation=0.25, length=length, n_draws=n_draws, orthogonal=kind == "orthogonal") for m in sizes]
        for kind in ("orthogonal", "independent")
    }
    rows = [r for squared in (0.25, 0.5, 1.0) for r in moments(squared, 400_000)]
    for kind, runs in found.items():
        slopes = np.polyfit(np.log(sizes), np.log(np.array(runs)), 1)[0]
        error = float(slopes.std(ddof=1) / np.sqrt(n_draws))
        rows.append(row(float(slopes.mean()), "<=", -0.38, kind="estimated", standard_error=error, what="slope", directions=kind))
        rows.append(row(float(slopes.mean()), ">=", -0.62, kind="estimated", standard_error=error, what="slope", directions=kind))
    for m, one, other in zip(sizes, found["orthogonal"], found["independent"], strict=True):
        quotient = float(one.mean() / other.mean())
        spread = quotient * float(np.hypot(one.std() / one.mean(), other.std() / other.mean()) / np.sqrt(n_draws))
        rows.append(row(quotient, "<=", 1.05, kind="estimated", standard_error=spread, what="orthogonal/independent", m=m))
    last = found["orthogonal"][2]
    error = float(last.std(ddof=1) / np.sqrt(n_draws))
    rows.append(row(float(last.mean()), "<=", 0.1, kind="estimated", standard_error=error, what="error", m=1024))
    seen = [(sizes, [float(r.mean()) for r in runs], kind) for kind, runs in found.items()]
    law = (sizes, [float(found["orthogonal"][0].mean()) * (m / sizes[0]) ** -0.5 for m in sizes], "slope -1/2")
    return Evidence(rows, draw=curves(seen, [law], x="features m", y="relative error"), seed=SEED)
