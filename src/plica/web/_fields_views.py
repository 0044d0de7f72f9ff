"""Fields of the state for the views beside the plane: what each of them can be asked."""

from __future__ import annotations

from dataclasses import dataclass

from plica.web import _fields as f
from plica.web._described import described
from plica.web._options import BUILDERS, DIRECTIONS, MASKS, MATRICES, NORMS, PERTURBED, PHIS, PLACES, SCORES, TOKENS

_FIELD = ("meanfield",)
_HEADS = ("attention",)


@dataclass(frozen=True)
class ViewFields:
    """Mean field, attention, approximation, robustness, noise, weights and cells in space."""

    # mean field
    phi: str = described("view", "Unit", f.Choice(PHIS), "tanh", "The activation of the random networks.", views=_FIELD)
    sw: float = described(
        "view", "Weights σ_w", f.Number(0, 4), 1.5, "Scale of the weights: their variance is σ_w² over the inputs.",
        "poole-2016-phases", views=_FIELD,
    )  # fmt: skip
    sb: float = described(
        "view", "Biases σ_b", f.Number(0, 2), 0.3, "Standard deviation of the biases.", "edge-of-chaos-tanh", views=_FIELD
    )
    corr: float = described(
        "view", "Start correlation", f.Number(-1, 1), 0.5, "How alike two inputs are before the first layer.",
        "poole-2016-correlation-map", views=_FIELD,
    )  # fmt: skip
    deep: int = described("view", "Layers", f.Integer(1, 40), 12, "Layers, one after the other.", views=(*_FIELD, *_HEADS))
    wide: int = described("view", "Width", f.Integer(8, 2000), 400, "Neurons in each measured layer.", views=_FIELD)
    matrix: str = described(
        "view", "Matrices", f.Choice(MATRICES), "gaussian", "How weights are drawn.", "pennington-2017-isometry", views=_FIELD
    )
    keep: float = described(
        "view", "Dropout keeps", f.Number(0.05, 1), 1.0, "The share of units that dropout keeps.",
        "schoenholz-2017-dropout", views=_FIELD,
    )  # fmt: skip
    density: float = described(
        "view", "Density", f.Number(0.05, 1), 1.0, "The share of weights that are not zero.", "sparse-mean-field", views=_FIELD
    )
    skip: float = described(
        "view", "Skip", f.Number(0, 1), 0.0, "Strength of the sum around each layer.", "yang-2017-residual",
        views=(*_FIELD, *_HEADS),
    )  # fmt: skip
    # attention
    tokens: int = described("view", "Tokens", f.Integer(2, 128), 16, "How many tokens attend to each other.", views=_HEADS)
    dim: int = described(
        "view", "Head dimension", f.Integer(1, 256), 16, "Numbers in a query and in a key.", "score-scale", views=_HEADS
    )
    rows_as: str = described(
        "view", "Rows", f.Choice(TOKENS), "gaussian", "Random rows, rows of length one, or rows after layer norm.",
        "layer-norm-length", views=_HEADS,
    )  # fmt: skip
    score: str = described(
        "view", "Score", f.Choice(SCORES), "scaled", "How a query is compared with a key.", "score-variance-by-exponent",
        views=_HEADS,
    )  # fmt: skip
    alpha: float = described(
        "view", "Exponent α", f.Number(0, 1), 0.5, "Scores are divided by the dimension to this power.", "score-scale",
        views=_HEADS,
    )  # fmt: skip
    warmth: float = described(
        "view", "Temperature", f.Number(0.05, 20), 1.0, "Scores are divided by it too.", "softmax-entropy", views=_HEADS
    )
    mask: str = described("view", "Mask", f.Choice(MASKS), "full", "Which keys a query may see.", "causal-mask", views=_HEADS)
    reach: int = described("view", "Mask radius", f.Integer(0, 16), 3, "How far windows see.", "visible-pairs", views=_HEADS)
    place: str = described(
        "view", "Position", f.Choice(PLACES), "none", "How tokens know where they are.", "rotary-positions", views=_HEADS
    )
    query: int = described("view", "Query", f.Integer(0, 127), 3, "The token whose view is shown.", views=_HEADS)
    # approximation
    build: str = described(
        "view", "Construction", f.Choice(BUILDERS), "squaring", "A network that a proof gives, for its target.",
        views=("approximation",),
    )  # fmt: skip
    size: int = described(
        "view", "Size", f.Integer(1, 24), 3, "Levels, degree, pieces or frequency: what the construction grows with.",
        "yarotsky-2017-square", views=("approximation",),
    )  # fmt: skip
    # robustness
    norm: str = described(
        "view", "Distance in", f.Choice(NORMS), "l2", "The norm in which inputs are near.", "certificates-and-attacks",
        views=("robust",),
    )  # fmt: skip
    # noise
    teeth: int = described(
        "view", "Tents", f.Integer(1, 7), 5, "Compositions of the tent: 2 to this power pieces.", "sawtooth-unit-interval",
        views=("noise",),
    )  # fmt: skip
    shake: float = described(
        "view", "Perturbation", f.Number(0, 0.4), 0.05, "Standard deviation of the relative change of each parameter.",
        "sawtooth-perturbed", views=("noise",),
    )  # fmt: skip
    shaken: str = described("view", "Perturbed", f.Choice(PERTURBED), "all", "Which parameters change.", views=("noise",))
    draws: int = described(
        "view", "Networks", f.Integer(2, 120), 24, "How many perturbed networks are counted.", views=("noise",)
    )
    # weights
    along: str = described(
        "view", "Direction", f.Choice(DIRECTIONS), "start",
        "From the weights of now: to those of the start, or in a random direction with their norms.",
        "he-2020-polynomial-lines", views=("weights",),
    )  # fmt: skip
    span: float = described(
        "view", "How far", f.Number(0.05, 3), 1.0, "How far the line and the surface go, in lengths of the direction.",
        views=("weights",),
    )  # fmt: skip
    # descent
    condition: float = described(
        "view",
        "Condition κ",
        f.Number(1.5, 1000),
        50.0,
        "The largest curvature of the valley over the smallest.",
        "polyak-1964-heavy-ball",
        views=("descent",),
    )
    stride: float = described(
        "view",
        "Step size",
        f.Number(0.01, 1.5),
        0.2,
        "Size of the steps with noisy gradients.",
        "bottou-2018-noise-floor",
        views=("descent",),
    )
    # cells in space
    explode: float = described("page", "Explode", f.Number(0, 2), 0.4, "Moves cells away from the center.", views=("complex",))
    cut: float = described(
        "page", "Slice", f.Number(-1, 1), 1.0, "Cells whose centers are beyond this height are left out.", views=("complex",)
    )
    fade: float = described("page", "Fade", f.Number(0, 1), 0.0, "How transparent cells are.", views=("complex",))
