"""Every value of the four choices, for lengths and widths that tests use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import torch

from plica.models import attention as a
from plica.models.attention._legal import illegal_because

LENGTH, WIDTH, HEADS = 6, 8, 2
D_HEAD = WIDTH // HEADS

SCORES: dict[str, Callable[[], a.Score]] = {
    "dot": a.Dot,
    "scaled": a.Scaled,
    "scaled alpha 1": lambda: a.Scaled(1.0),
    "cosine": a.Cosine,
    "cosine temperature": lambda: a.Cosine(temperature=7.0, learn=True),
    "multiplicative": lambda: a.Multiplicative(D_HEAD, n_heads=HEADS),
    "additive": lambda: a.Additive(D_HEAD, n_heads=HEADS, hidden=3),
    "distance": a.Distance,
}
MASKS: dict[str, Callable[[], a.Mask]] = {
    "full": a.full,
    "causal": a.causal,
    "padding": lambda: a.padding([LENGTH, 2], LENGTH),
    "window": lambda: a.window(1),
    "dilated": lambda: a.dilated(1, step=2),
    "block": lambda: a.block(2),
    "big bird": lambda: a.big_bird(1, n_global=1, n_random=1, radius=0, seed=3),
    "shifted windows": lambda: a.shifted_windows((2, 3), size=2, shift=1),
    "order": lambda: a.order([3, 0, 5, 1, 4, 2]),
    "graph": lambda: a.graph(torch.eye(LENGTH).roll(1, 0), loops=False),
    "causal and padding": lambda: a.causal() & a.padding([LENGTH, 0], LENGTH),
}
NORMALIZERS: dict[str, Callable[[], a.Normalizer]] = {
    "softmax": a.Softmax,
    "relu": a.Pointwise,
    "relu2": lambda: a.Pointwise("relu2"),
    "identity": lambda: a.Pointwise("identity", divide=True),
    "sigmoid": lambda: a.Pointwise("sigmoid"),
    "performer": lambda: a.Performer(D_HEAD, 5),
    "linear": a.Linear,
    "linformer": lambda: a.Linformer(LENGTH, 3),
}
POSITIONS: dict[str, Callable[[], a.Position]] = {
    "none": a.Position,
    "sinusoidal": lambda: a.Sinusoidal(WIDTH),
    "lecture": lambda: a.Sinusoidal(WIDTH, indexing="lecture", into="projections"),
    "concatenated": lambda: a.Sinusoidal(4, combine="concatenate"),
    "learned": lambda: a.Learned(LENGTH, WIDTH, std=1.0),
    "learned, concatenated": lambda: a.Learned(LENGTH, 3, combine="concatenate", std=1.0),
    "rotary": lambda: a.Rotary(D_HEAD),
    "alibi": lambda: a.Alibi(HEADS),
    "buckets": lambda: a.Buckets(HEADS, n_buckets=8, farthest=11),
    "relative": lambda: a.Relative(D_HEAD, HEADS),
}


def attention(score: str, mask: str, normalizer: str, position: str) -> a.Attention:
    """With parameters that a seed determines, in float64."""
    torch.manual_seed(1)
    found = a.Attention(
        WIDTH,
        HEADS,
        score=SCORES[score](),
        mask=MASKS[mask](),
        normalizer=NORMALIZERS[normalizer](),
        position=POSITIONS[position](),
    ).double()
    with torch.no_grad():
        for parameter in found.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    if isinstance(found.attend.score, a.Cosine) and found.attend.score.temperature is not None:
        found.attend.score.temperature.data.fill_(7.0)
    return found


def legal(score: str, mask: str, normalizer: str, position: str) -> bool:
    return illegal_because(SCORES[score](), MASKS[mask](), NORMALIZERS[normalizer](), POSITIONS[position]()) is None


def combinations() -> Iterator[tuple[str, str, str, str]]:
    return product(SCORES, MASKS, NORMALIZERS, POSITIONS)
