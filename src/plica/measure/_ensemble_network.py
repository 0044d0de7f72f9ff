"""One network of an ensemble, as a Network."""

from __future__ import annotations

import numpy as np

from plica.errors import InvalidInput
from plica.measure._ensembles import Ensemble
from plica.network import Add, Builder, Clip, Fold, Linear, Network, Rectifier, Scale


def build(ensemble: Ensemble, i: int) -> Network:
    """Network i: the same numbers that the ensemble uses for it."""
    if isinstance(i, bool) or not isinstance(i, int | np.integer) or not 0 <= i < ensemble.n_networks:
        raise InvalidInput(f"there is no network {i!r}; the ensemble has {ensemble.n_networks}, counted from 0.")
    if ensemble.keep < 1:
        raise InvalidInput("dropout is random: it has no network.", hint="leave keep at 1")
    rngs = [ensemble.generator(int(i))]
    builder = Builder(ensemble.widths[0])
    before = -1
    for layer in range(ensemble.depth):
        W, b = ensemble.draw(rngs, layer)
        h = builder.add(Linear(W[0].copy(), None if b is None else b[0].copy()))
        if ensemble.skip and before >= 0:
            h = builder.add(Add(), h, builder.add(Scale(np.array(ensemble.skip)), before))
        before = h
        fold = _fold(ensemble)
        if fold is not None:
            builder.add(fold, h)
    return builder.build()


def _fold(ensemble: Ensemble) -> Fold | None:
    table = {
        "relu": Rectifier(),
        "leaky-relu": Rectifier(np.array(ensemble.slope)),
        "abs": Rectifier(np.array(-1.0)),
        "hard-tanh": Clip(-1.0, 1.0),
        "identity": None,
    }
    if ensemble.activation not in table:
        raise InvalidInput(f"{ensemble.activation} is not piecewise linear.", hint=f"one of {', '.join(table)}")
    return table[ensemble.activation]
