"""Attention: scores, mask, position and temperature, and what a head sees."""

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.theory import attention as theory
from plica.web._limits import Limits
from plica.web._scene import Scene
from plica.web._state import State
from plica.web.views._attention_readings import mask_readings, position_readings, score_readings, value_readings
from plica.web.views._attention_rows import N_HEADS, deviation, rows
from plica.web.views._sheet import Axis, Sheet

if TYPE_CHECKING:
    import torch

    from plica.models.attention import Attend


def sheet(state: State, scene: Callable[[], Scene], limits: Limits) -> Sheet:
    import torch

    made = Sheet(
        "Each token compares its query with the keys of the others and takes a mean of their values. Drag in the map of weights "
        "to choose the query."
    )
    q, k, v = (torch.from_numpy(part) for part in rows(state))
    attend = _attend(state)
    with torch.no_grad():
        found = attend.explain(q, k, v)
    assert found.scores is not None
    weights, scores = found.weights.numpy(), found.scores.numpy()
    entropy = found.entropy.numpy()
    at = min(state.query, state.tokens - 1)
    made.show(float(entropy[:, at].mean()), "nats of entropy", "estimated", f"query {at}, mean of {N_HEADS} heads")
    _map_panel(made, state, weights[0], at)
    _row_panel(made, state, weights[0, at], _gradient(attend, q[0], k[0], v[0], at))
    _entropy_panel(made, state, entropy, scores)
    _spectrum_panel(made, state, weights)
    score_readings(made, state, scores)
    mask_readings(made, state, weights)
    value_readings(made, state, attend, q, k, v, found.output.numpy())
    position_readings(made, state)
    return made


def _attend(state: State) -> Attend:
    """The attention with the state's choices; queries are divided by the temperature where the score has none."""
    from plica.models import attention as core

    class Cooled(core.Attend):
        def explain(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, **options: Any) -> core.Explanation:
            return super().explain(q if state.score == "cosine" else q / state.warmth, k, v, **options)

    scores: dict[str, Callable[[], core.Score]] = {
        "scaled": lambda: core.Scaled(state.alpha),
        "dot": core.Dot,
        "cosine": lambda: core.Cosine(temperature=1 / state.warmth),
        "distance": lambda: core.Distance(state.alpha),
    }
    is_even = state.dim % 2 == 0
    position = {"rotary": core.Rotary(state.dim) if is_even else None, "alibi": core.Alibi(1)}.get(state.place)
    return Cooled(scores[state.score](), mask=_mask(state), position=position).double()


def _mask(state: State) -> Any:
    import torch

    from plica.models.attention import causal, explicit, full, window

    if state.mask == "printed":  # e_ij hidden for i > j
        i = torch.arange(state.tokens)
        return explicit(i[:, None] <= i[None, :])
    known = {
        "full": full,
        "causal": causal,
        "window": lambda: window(state.reach),
        "causal-window": lambda: window(state.reach) & causal(),
    }
    return known[state.mask]()


def _map_panel(made: Sheet, state: State, weights: Array, at: int) -> None:
    n = state.tokens
    panel = made.panel("Weights of one head", Axis("key", low=0, high=n), Axis("query (0 at the bottom)", low=0, high=n))
    panel.heat(weights, (0, n, 0, n), "weight")
    panel.movable("", "query", at=(n - 0.5, at + 0.0), step=(0, 1))


def _gradient(attend: Attend, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, at: int) -> Array:
    """How much the output of a query changes with each key: norms of the derivative."""
    import torch

    keys = k.clone().requires_grad_(True)
    out = attend.explain(q[None], keys[None], v[None]).output[0, at]
    slopes = torch.stack([torch.autograd.grad(part, keys, retain_graph=True)[0] for part in out[: min(len(out), 8)]])
    return slopes.pow(2).sum((0, 2)).sqrt().numpy()


def _row_panel(made: Sheet, state: State, row: Array, slopes: Array) -> None:
    keys = np.arange(state.tokens) + 0.5
    panel = made.panel("What the query sees", Axis("key"), Axis("weight", low=0))
    panel.bars(keys, row, "weight").dots(keys, slopes * row.max() / max(slopes.max(), 1e-300), "gradient, scaled", "bound")
    panel.line([0, state.tokens], [1 / state.tokens] * 2, "uniform", "reference", is_dashed=True)


def _entropy_panel(made: Sheet, state: State, entropy: Array, scores: Array) -> None:
    n = state.tokens
    mean, error = entropy.mean(0), entropy.std(0, ddof=1) / sqrt(N_HEADS)
    panel = made.panel("Entropy of each query", Axis("query"), Axis("nats", low=0))
    visible = _visible(state).sum(1)
    panel.line(np.arange(n), np.log(np.maximum(visible, 1)), "of uniform weights", "reference", is_dashed=True)
    panel.dots(np.arange(n), mean, f"mean of {N_HEADS} heads", error=error)
    if state.mask != "full" or state.score not in ("scaled", "dot") or state.place == "alibi":
        return
    spread = deviation(state)
    if state.rows_as == "gaussian":
        expected = log(n) - spread**2 / 2
        if expected > 0:  # beyond, no entropy is so small: the formula is for small scores
            panel.line([0, n - 1], [expected] * 2, "log L − b²/2")
        lost = log(n) - float(entropy.mean())
        error = float(entropy.mean(1).std(ddof=1) / sqrt(N_HEADS))
        slack = 0.06
        key = "entropy" if spread <= 1.001 else "entropy-any"
        if n < 64 and key == "entropy":
            return
        made.read(
            key,
            f"log L − entropy, scores of deviation {spread:.3g}",
            "=",
            spread**2 / 2,
            lost,
            error=error,
            slack=slack,
            is_listed=key == "entropy",
        )


def _visible(state: State) -> Array:
    """Which keys a query may see, pair by pair."""
    i, j = np.indices((state.tokens, state.tokens))
    near = np.abs(i - j) <= state.reach
    shown = {"full": i >= 0, "causal": j <= i, "printed": i <= j, "window": near, "causal-window": near & (j <= i)}
    return shown[state.mask]


def _spectrum_panel(made: Sheet, state: State, weights: Array) -> None:
    from plica.measure import spectral_gap

    n = state.tokens
    values = np.linalg.svd(weights[: min(N_HEADS, 12)], compute_uv=False)
    panel = made.panel("Singular values of the weights", Axis("number"), Axis("singular value", low=0))
    panel.dots(np.arange(n), values.mean(0), "mean of heads")
    is_standard = state.mask == "full" and state.rows_as == "gaussian" and state.score in ("scaled", "dot")
    if not is_standard or abs(deviation(state) - 1) > 1e-3 or n < 64 or state.dim < n // 2:
        return
    gaps = [spectral_gap(head) for head in weights]
    second = theory.softmax_second_singular_value(n)
    panel.line([0, n - 1], [second] * 2, "2 √(e−1) / √T")
    ranks = np.array([gap.stable_rank for gap in gaps])
    seconds = np.array([gap.second for gap in gaps])
    error = float(ranks.std(ddof=1) / sqrt(N_HEADS))
    made.read(
        "stable-rank",
        "stable rank of the weights",
        "=",
        theory.softmax_stable_rank(),
        float(ranks.mean()),
        error=error,
        slack=0.25,
    )
    made.read(
        "gap",
        "second singular value",
        ">=",
        second,
        float(seconds.mean()),
        error=float(seconds.std(ddof=1) / sqrt(N_HEADS)),
        slack=0.1,
    )
