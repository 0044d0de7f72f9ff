"""What theorems say about attention, beside what the heads of the view do."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.theory import attention as theory
from plica.web._state import State
from plica.web.views._attention_rows import N_HEADS, deviation, rows
from plica.web.views._sheet import Axis, Sheet

if TYPE_CHECKING:
    from plica.models.attention import Attend

ROUNDING = 1e-11
COLLAPSE_LAYERS = 6
KIM = 6.0
"""How far the tokens are from 0 where the derivative of dot-product attention is looked at."""


def score_readings(made: Sheet, state: State, scores: Array) -> None:
    if state.rows_as == "gaussian" and state.score in ("scaled", "dot") and state.place in ("none", "rotary"):
        by_head = scores.reshape(N_HEADS, -1).var(1)
        what = "variance of the scores"
        made.read(
            "score",
            what,
            "=",
            deviation(state) ** 2,
            float(by_head.mean()),
            error=float(by_head.std(ddof=1) / sqrt(N_HEADS)),
            slack=0.01,
        )
        if state.warmth == 1:
            by_embedding = scores * state.dim ** (state.alpha if state.score == "scaled" else 0.0) / sqrt(4 * state.dim)
            made.read(
                "printed-scale",
                "variance with the root of an embedding of 4 heads",
                "=",
                1.0,
                float(by_embedding.var()),
                slack=0.05,
                is_listed=False,
            )
    if state.rows_as == "unit" and state.score == "scaled" and state.warmth == 1:
        bound = theory.unit_row_weight_ratio_upper_bound(state.dim, exponent=state.alpha)
        ratio = float(np.exp(scores.max(-1) - scores.min(-1)).max())
        made.read("unit-rows", "largest ratio of two weights", "<=", bound, ratio)
    if state.rows_as == "layer-norm" and state.dim > 1:
        lengths = np.linalg.norm(rows(state)[0], axis=-1)
        made.read("layer-norm", "length of a normalized row", "=", sqrt(state.dim), float(lengths.mean()), slack=1e-6)
        made.read(
            "unit-length", "length of a normalized row, as printed", "=", 1.0, float(lengths.mean()), slack=1e-6, is_listed=False
        )


def mask_readings(made: Sheet, state: State, weights: Array) -> None:
    seen = int((weights[0] > 0).sum())
    name = {"causal-window": "causal window"}.get(state.mask, state.mask)
    if state.mask != "printed":
        pairs = theory.visible_pairs(name, state.tokens, state.reach)
        made.read("pairs", "pairs of a query and a key that are seen", "=", pairs, seen)
    ahead = float(np.triu(weights[0], 1).sum())
    if state.mask in ("causal", "printed", "causal-window"):
        made.read(
            "causal", "weight on keys after the query", "=", 0.0, ahead, rounding=ROUNDING, is_listed=state.mask != "printed"
        )


def value_readings(made: Sheet, state: State, attend: Attend, q: Any, k: Any, v: Any, output: Array) -> None:
    import torch

    from plica.measure import hull_distance, rank_residuals
    from plica.models.attention import Attend as Plain
    from plica.models.attention import Dot

    if state.tokens <= 24:
        apart = hull_distance(output[0][:4, :8], v[0].numpy()[:, :8])
        made.read("hull", "distance of the output from the hull of the values", "=", 0.0, float(apart.max()), rounding=1e-8)
    order = np.random.default_rng(state.seed).permutation(state.tokens)
    with torch.no_grad():
        moved = attend.explain(q[:1, order], k[:1, order], v[:1, order]).output.numpy()
        scaled = attend.explain(2 * q[:1], 2 * k[:1], 2 * v[:1]).output.numpy()
    size = float(np.abs(output[0]).max())
    made.read(
        "equivariance",
        "change when tokens change places together",
        "=",
        0.0,
        float(np.abs(moved[0] - output[0][order]).max()) / size,
        rounding=ROUNDING,
        is_listed=state.mask == "full" and state.place == "none",
    )
    made.read(
        "invariance",
        "change of the outputs under another order",
        "=",
        0.0,
        float(np.abs(moved[0] - output[0]).max()) / size,
        rounding=ROUNDING,
        is_listed=False,
    )
    made.read(
        "scale",
        "change of the output over 2 when tokens are doubled",
        "=",
        0.0,
        float(np.abs(scaled[0] / 2 - output[0]).max()) / size,
        rounding=ROUNDING,
        is_listed=False,
    )
    rng = np.random.default_rng([state.seed, 7])
    n_layers = min(state.deep, COLLAPSE_LAYERS)
    maps = [torch.from_numpy(rng.standard_normal((3, state.dim, state.dim)) / sqrt(state.dim)) for _ in range(n_layers)]
    plain = Plain().double()

    def layer(w: Any) -> Callable[[Any], Any]:
        def run(x: Any) -> Any:
            return plain(x @ w[0], x @ w[1], x @ w[2]) + state.skip * x

        return run

    with torch.no_grad():
        left = rank_residuals([layer(w) for w in maps], torch.from_numpy(rng.standard_normal((1, state.tokens, state.dim))))
    first = "the first " if n_layers < state.deep else ""
    panel = made.panel(
        f"Rank through {first}{n_layers} layers of attention alone", Axis("layer"), Axis("residual", is_log=True), is_wide=True
    )
    panel.dots(np.arange(len(left)), np.maximum(left, 1e-18), "distance from equal tokens")
    if n_layers >= 3:
        what = f"residual after {n_layers} layers"
        if state.skip:
            made.read("skip", what, ">=", 0.1, float(left[-1]))
        else:
            made.read("collapse", what, "<=", float(left[1]) ** (2.5 ** (n_layers - 2)), float(left[-1]))
    dot = Plain(Dot()).double()
    steep = torch.autograd.functional.jacobian(
        lambda x: dot(x, x, x), torch.tensor([[[0.0], [KIM], [-KIM]]], dtype=torch.float64)
    )
    norm = np.linalg.norm(steep.reshape(3, 3).numpy(), 2)
    made.read("lipschitz", f"steepness at tokens 0, {KIM:g}, −{KIM:g}", ">=", 2 * KIM**2 / 3, float(norm), rounding=1e-6)


def position_readings(made: Sheet, state: State) -> None:
    """Equal tokens everywhere: what a position does to scores depends on the difference of places only."""
    if state.dim % 2 or state.tokens < 3:
        return
    import torch

    rng = np.random.default_rng([state.seed, 5])
    q, k = (np.tile(rng.standard_normal(state.dim), (state.tokens, 1)) for _ in range(2))
    if state.place == "rotary":
        from plica.models.attention import Attend, Dot, Rotary

        scores = Attend(Dot(), position=Rotary(state.dim)).double().scores(torch.from_numpy(q)[None], torch.from_numpy(k)[None])
        s = scores[0].detach().numpy()
        made.read(
            "rotary",
            "change of a score when both tokens move by one",
            "=",
            0.0,
            float(np.abs(s[1:, 1:] - s[:-1, :-1]).max()),
            rounding=1e-9,
        )
    if state.place == "sinusoidal":
        from plica.models.attention import Sinusoidal

        table = Sinusoidal(state.dim).table(state.tokens, like=torch.zeros(1, dtype=torch.float64)).numpy()
        products = table @ table.T
        made.read(
            "sinusoid",
            "change of a product of positions when both move by one",
            "=",
            0.0,
            float(np.abs(products[1:, 1:] - products[:-1, :-1]).max()),
            rounding=1e-9,
        )
        expected = np.cos(np.asarray(theory.sinusoid_frequencies(state.dim))).sum()
        made.read("sinusoid-product", "product of neighboring positions", "=", float(expected), float(products[0, 1]), slack=1e-9)
