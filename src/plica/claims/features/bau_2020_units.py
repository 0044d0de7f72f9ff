r"""Units of a classifier find concepts that it was not shown, and it needs them.

Claim
    In a network that learned to tell which objects are in an image, single units mark the places of objects, more than chance
    allows; with the units of an object turned off, the network loses that object and not the others.
Source
    D. Bau et al., Understanding the Role of Individual Units in a Deep Neural Network, PNAS 117 (2020), Figures 1 and 2
    [bau2020], on photographs of scenes.
Prediction
    an overlap above that of every permutation of the images; a larger loss of accuracy for the units' object than for others
Measurement
    scenes of discs, squares and stripes with known places (plica.data.scenes), a convolutional network that is told only what is
    there (plica.learn.fit), plica.measure.dissect on its last layer of units
Stand-in
    The same with a small network and few scenes; the photographs are not ours.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT, REFERENCE
from plica._types import Array
from plica.claims import Evidence, row
from plica.data import scenes
from plica.measure import Dissection, dissect

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEED = 2020


def check(scale: str) -> Evidence:
    import torch
    from torch import nn
    from torch.nn.functional import binary_cross_entropy_with_logits

    from plica.learn import fit

    n_train, n_test, n_units, epochs = (4000, 1000, 16, 20) if scale == "full" else (800, 200, 8, 12)
    train, test = scenes(n_train, seed=SEED), scenes(n_test, seed=SEED + 1)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        features = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, n_units, 5, padding=2), nn.ReLU())
        head = nn.Linear(n_units, 3)

    class Seer(nn.Module):
        """Units on the grid, their largest value anywhere, a logit for each object."""

        def __init__(self) -> None:
            super().__init__()
            self.features, self.head = features, head

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            out: torch.Tensor = self.head(self.features(x).amax(dim=(2, 3)))
            return out

    def told(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return binary_cross_entropy_with_logits(output, target)

    model = Seer()
    fit(model, (train.x[:, None], train.y.astype(np.float32)), epochs=epochs, batch=64, rate=0.01, loss=told, seed=SEED)
    with torch.no_grad():
        maps = features(torch.from_numpy(test.x[:, None]))
        units = maps.double().numpy()
        right = ((head(maps.amax(dim=(2, 3))) > 0).numpy() == test.y).astype(float)
    found = dissect(units, test.masks, share=0.02, n_permutations=2000 if scale == "full" else 300, seed=SEED)
    detectors = found.detectors(least=0.1)
    rows = [row(len({c for _, c in detectors}), ">=", 2, what="objects that have a unit")]
    for unit, concept in detectors[:3] if scale == "quick" else detectors:
        about: dict[str, Any] = {"number": unit, "object": test.concepts[concept]}
        rows.append(row(float(found.overlap[unit, concept]), ">", float(found.chance[unit, concept]), what="overlap", **about))
    for concept in sorted({c for _, c in detectors}):
        off = [u for u, c in detectors if c == concept]
        with torch.no_grad():
            dark = maps.clone()
            dark[:, off] = 0
            after = ((head(dark.amax(dim=(2, 3))) > 0).numpy() == test.y).astype(float)
        lost = right - after
        others = [c for c in range(3) if c != concept]
        difference = lost[:, concept] - lost[:, others].mean(axis=1)
        error = float(difference.std(ddof=1)) / np.sqrt(len(difference))
        about = {"object": test.concepts[concept], "units": len(off), "kind": "estimated", "standard_error": error}
        rows.append(row(float(difference.mean()), ">", 0.0, what="loss of its accuracy minus that of the others", **about))
    note = f"accuracy {right.mean():.1%}; {len(detectors)} of {n_units} units are detectors"
    return Evidence(rows, draw=partial(draw, found, test.concepts), seed=SEED, note=note)


def draw(found: Dissection, concepts: tuple[str, ...], ax: Axes) -> None:
    """The overlap of each unit with its best object, above what chance gives."""
    order = np.argsort(-found.overlap.max(axis=1))
    best: Array = found.best
    places = np.arange(len(order))
    ax.bar(places, found.overlap[order, best[order]], color=MEASUREMENT, width=0.7)
    ax.plot(
        places, found.chance[order, best[order]], "_", color=BOUND, markersize=12, markeredgewidth=2, label="best of permutations"
    )
    ax.set_xticks(places, [f"{u}: {concepts[best[u]]}" for u in order], rotation=45, ha="right", fontsize=7)
    ax.set(ylabel="overlap")
    ax.legend(frameon=False, labelcolor=REFERENCE)
    ax.spines[["top", "right"]].set_visible(False)
