"""Units with a meaning: how well the places where a unit is most active agree with the places of a concept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput


@dataclass(frozen=True, eq=False)
class Dissection:
    """Units against concepts.

    Attributes
    ----------
    overlap
        (units, concepts): places where the unit is above its threshold *and* the concept is, over places where either is.
    thresholds
        Of each unit, the level that a given share of all places exceeds.
    chance
        (units, concepts): the largest overlap with the masks of other images, over all permutations tried.
    p_value
        (units, concepts): the share of permutations of the images that reach the overlap, the identity among them.
    """

    overlap: Array
    thresholds: Array
    chance: Array
    p_value: Array
    n_permutations: int
    kind: str = "estimated"

    @property
    def best(self) -> Array:
        """The concept that each unit agrees with most."""
        return np.asarray(self.overlap.argmax(axis=1))

    def detectors(self, *, least: float = 0.04, level: float = 0.01) -> list[tuple[int, int]]:
        """Pairs (unit, its best concept) with an overlap of at least ``least`` that few permutations reach.

        The level is divided by the number of pairs: many pairs have many chances.
        """
        most = level / self.overlap.size
        units = range(len(self.overlap))
        chosen = ((u, int(c)) for u, c in zip(units, self.best, strict=True))
        resolution = 1 / (self.n_permutations + 1)
        return [(u, c) for u, c in chosen if self.overlap[u, c] >= least and self.p_value[u, c] <= max(most, resolution)]

    def __repr__(self) -> str:
        units, concepts = self.overlap.shape
        return f"<Dissection of {units} units by {concepts} concepts: {len(self.detectors())} detectors>"


def dissect(activations: Any, masks: Any, *, share: float = 0.02, n_permutations: int = 200, seed: int = 0) -> Dissection:
    """The agreement of units with concepts, place by place, and what chance would give [bau2020]_.

    Parameters
    ----------
    activations
        Of units, (images, units, height, width).
    masks
        Where concepts are, (images, concepts, height, width), True or False.
    share
        A unit counts as active on this share of all places, where it is largest.
    n_permutations, seed
        Masks are given to other images at random, so often.

    Examples
    --------
    A unit that is the mask, and one that is noise:

    >>> rng = np.random.default_rng(0)
    >>> masks = rng.random((40, 1, 8, 8)) < 0.1
    >>> units = np.concatenate([masks + 0.1 * rng.random(masks.shape), rng.random(masks.shape)], axis=1)
    >>> found = dissect(units, masks, share=float(masks.mean()))
    >>> found.overlap.round(1).tolist(), found.detectors()
    ([[1.0], [0.1]], [(0, 0)])
    """
    a, m = np.asarray(activations, dtype=float), np.asarray(masks, dtype=bool)
    if a.ndim != 4 or m.ndim != 4 or len(a) != len(m) or a.shape[2:] != m.shape[2:] or not np.isfinite(a).all():
        raise InvalidInput(
            f"activations {a.shape} and masks {m.shape} do not belong together.",
            hint="(images, units, height, width) and (images, concepts, height, width), on one grid",
        )
    if not 0 < share < 1 or n_permutations < 1 or len(a) < 2:
        raise InvalidInput(
            f"share {share}, {n_permutations} permutations, {len(a)} images.", hint="a share in (0, 1), two images"
        )
    thresholds = np.quantile(a, 1 - share, axis=(0, 2, 3))
    active = a > thresholds[:, None, None]
    n = len(a)
    units = active.reshape(n, a.shape[1], -1).astype(np.float32)
    concepts = m.reshape(n, m.shape[1], -1).astype(np.float32)
    # of each pair of images: common places of every unit and concept; permutations are sums over pairs
    common = np.einsum("iup,jcp->ijuc", units, concepts, optimize=True)
    total = units.sum(axis=(0, 2))[:, None] + concepts.sum(axis=(0, 2))[None]

    def overlap(order: Array) -> Array:
        both = common[np.arange(n), order].sum(axis=0).astype(float)
        return np.asarray(both / np.maximum(total - both, 1))

    found = overlap(np.arange(n))
    rng = np.random.default_rng(seed)
    chance, reached = np.zeros_like(found), np.ones_like(found)
    for _ in range(n_permutations):
        other = overlap(rng.permutation(n))
        chance = np.maximum(chance, other)
        reached += other >= found
    return Dissection(found, thresholds, chance, reached / (n_permutations + 1), n_permutations)
