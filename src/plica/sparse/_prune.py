"""``prune``: masks of a given density by any of the scores, at once or in many small steps."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from math import inf
from typing import TYPE_CHECKING, Any

from plica.errors import InvalidInput
from plica.sparse._choose import keep_largest
from plica.sparse._masks import Masks, apply_masks, full_masks
from plica.sparse._scores import Scores, grasp_scores, magnitude_scores, random_scores, snip_scores, synflow_scores
from plica.theory.sparsity import erdos_renyi_densities, exponential_density

if TYPE_CHECKING:
    from torch import Tensor, nn

METHODS = ("magnitude", "random", "snip", "grasp", "synflow")
"""What :func:`prune` knows: scores of single weights."""

SCOPES = ("global", "layer", "erk")
"""Over what scores are compared: all weights together; each layer with one density; each layer with Erdős-Rényi's densities."""


def prune(
    model: nn.Module,
    method: str,
    density: float,
    *,
    scope: str = "global",
    data: tuple[Any, Any] | None = None,
    steps: int | None = None,
    masks: Mapping[str, Tensor] | None = None,
    seed: int = 0,
) -> Masks:
    r"""Masks that keep a share of the weights; the model is not changed (:func:`apply_masks` does that).

    Parameters
    ----------
    model
        Any torch module.
    method
        ``"magnitude"``, ``"random"``, ``"snip"``, ``"grasp"`` or ``"synflow"``.
    density
        The share of matrices and kernels that stays; biases are not pruned.
    scope
        ``"global"``: the largest scores of all weights stay. ``"layer"``: of each layer the same share. ``"erk"``: of each layer
        the share that :func:`plica.theory.sparsity.erdos_renyi_densities` gives it.
    data
        Inputs and targets: a batch for SNIP and GraSP; SynFlow takes the shape of an input from it.
    steps
        In how many steps, after which scores are computed anew for what is left; densities fall exponentially. 100 for
        SynFlow unless given, 1 for the others.
    masks
        Masks so far: what they took away stays away.
    seed
        Of random scores.

    Examples
    --------
    >>> import torch
    >>> from plica.learn import mlp
    >>> from plica.sparse import densities
    >>> model = mlp([8, 32, 16, 4], seed=0)
    >>> masks = prune(model, "synflow", 0.1, data=(torch.ones(1, 8), torch.zeros(1)))
    >>> {name: round(d, 3) for name, d in densities(masks).items()}
    {'0.weight': 0.113, '2.weight': 0.062, '4.weight': 0.344}
    """
    if method not in METHODS:
        raise InvalidInput(f"method = {method!r}.", hint=f"one of {', '.join(METHODS)}")
    if scope not in SCOPES:
        raise InvalidInput(f"scope = {scope!r}.", hint=f"one of {', '.join(SCOPES)}")
    n_steps = (100 if method == "synflow" else 1) if steps is None else steps
    if n_steps < 1 or not 0 < density <= 1:
        raise InvalidInput(f"density = {density}, steps = {n_steps}.", hint="a share in (0, 1], in at least one step")
    if data is None and method in ("snip", "grasp", "synflow"):
        raise InvalidInput(f"{method} without data.", hint="data=(x, y); synflow only looks at the shape of x")
    trial = deepcopy(model)
    found: Masks = full_masks(model) | {name: mask.clone() for name, mask in (masks or {}).items()}
    for k in range(1, n_steps + 1):
        apply_masks(trial, found)
        scores = _scores(trial, method, data, seed)
        alive = {name: s.masked_fill(~found[name], -inf) for name, s in scores.items()}
        now = exponential_density(density, k, n_steps)
        found = _chosen(alive, found, now if scope != "erk" else _erk(found, now), scope)
    return found


def _scores(model: nn.Module, method: str, data: tuple[Any, Any] | None, seed: int) -> Scores:
    import torch

    if method == "magnitude":
        return magnitude_scores(model)
    if method == "random":
        return random_scores(model, seed=seed)
    assert data is not None
    x, y = torch.as_tensor(data[0]), torch.as_tensor(data[1])
    if method == "synflow":
        return synflow_scores(model, x)
    return snip_scores(model, x, y) if method == "snip" else grasp_scores(model, x, y)


def _erk(masks: Masks, density: float) -> dict[str, float]:
    return dict(zip(masks, erdos_renyi_densities([tuple(m.shape) for m in masks.values()], density), strict=True))


def _chosen(scores: Scores, before: Masks, density: float | dict[str, float], scope: str) -> Masks:
    """The largest scores that are alive; never more than there are."""
    if isinstance(density, float) and scope == "layer":
        density = dict.fromkeys(scores, density)
    chosen = keep_largest(scores, density)
    return {name: mask & before[name] for name, mask in chosen.items()}
