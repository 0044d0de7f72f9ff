r"""What layers cost as sequences grow: multiply-adds, steps that wait for each other, paths; and a printed table of costs.

Multiply-adds are those of matrix products and convolutions. The tables are data as printed.
"""

from __future__ import annotations

from dataclasses import dataclass

from plica.errors import InvalidInput

__all__ = [
    "SPEEDS",
    "TRANSLATION_TABLE",
    "Cost",
    "LayerCost",
    "TranslationRow",
    "attention_core_multiply_adds",
    "layer_cost",
    "tiles_multiply_adds",
    "training_cost",
    "window_attention_multiply_adds",
]


def window_attention_multiply_adds(height: int, width: int, d: int, *, window: int | None = None) -> int:
    r"""Multi-head attention over h x w tokens, everywhere or in windows of M x M [liu2021]_, equations (1) and (2).

    .. math:: \Omega(\mathrm{MSA}) = 4hwC^2 + 2(hw)^2 C, \qquad \Omega(\mathrm{W\text{-}MSA}) = 4hwC^2 + 2M^2 hwC

    Examples
    --------
    >>> window_attention_multiply_adds(56, 56, 96), window_attention_multiply_adds(56, 56, 96, window=7)
    (2003828736, 145108992)
    """
    tokens = height * width
    seen = tokens if window is None else window * window
    return 4 * tokens * d * d + 2 * seen * tokens * d


def attention_core_multiply_adds(variant: str, length: int, d: int, *, n_heads: int = 1, size: int = 0) -> int:
    r"""What is left of an attention layer of width d without its four projections, on T tokens.

    ``full``: :math:`2T^2d`, scores and averages [vaswani2017]_. ``linformer``, with k mixtures of keys and of values:
    :math:`4Tkd` [wang2020]_. ``performer``, with m random features for each head: :math:`2Tmd` to make them and
    :math:`2Tm(d + h)` to use them, the sum of each row as one more column [choromanski2021]_. ``linear``, whose features are as
    many as the entries of a head: :math:`2T(d/h)(d + h)`.

    Examples
    --------
    >>> [attention_core_multiply_adds(v, 1024, 64, size=32) for v in ("full", "linformer", "performer", "linear")]
    [134217728, 8388608, 8454144, 8519680]
    """
    T = length
    counts = {
        "full": 2 * T * T * d,
        "linformer": 4 * T * size * d,
        "performer": 2 * T * size * d + 2 * T * size * (d + n_heads),
        "linear": 2 * T * (d // n_heads) * (d + n_heads),
    }
    if variant not in counts:
        raise InvalidInput(f"unknown variant {variant!r}.", hint=f"one of {', '.join(counts)}")
    return counts[variant]


def tiles_multiply_adds(length: int, d: int, *, radius: int, tile: int) -> int:
    """Scores and averages of attention in a window, computed in whole tiles, where tiles divide the length.

    A row of tiles sees as many on each side as the radius reaches into, fewer at the ends.

    Examples
    --------
    >>> tiles_multiply_adds(512, 16, radius=32, tile=64)
    2883584
    """
    n, reach = length // tile, -(-radius // tile)
    seen = n * (2 * reach + 1) - reach * (reach + 1)
    return 2 * seen * tile * tile * d


@dataclass(frozen=True)
class LayerCost:
    """Of one layer on n tokens of width d.

    Attributes
    ----------
    multiply_adds
        Its products of tokens with weights or with each other.
    steps
        How many of them must wait for each other.
    path
        The longest way of a signal between two tokens: layers of this kind, or steps of a recurrence.
    """

    multiply_adds: int
    steps: int
    path: int


def layer_cost(kind: str, length: int, d: int, *, kernel: int = 3, radius: int = 1) -> LayerCost:
    r"""Table 1 of [vaswani2017]_ with its constants.

    ``recurrent``: two products of :math:`d^2` a token. ``convolution`` and ``dilated``: causal, with k places;
    :math:`\lceil (n-1)/(k-1) \rceil` layers, or :math:`\lceil \log_k n \rceil` when the l-th one looks :math:`k^l` apart.
    ``attention``: scores and averages. ``window``: the same for keys at most r places away.

    Examples
    --------
    >>> layer_cost("dilated", 27, 8), layer_cost("attention", 27, 8)
    (LayerCost(multiply_adds=5184, steps=1, path=3), LayerCost(multiply_adds=11664, steps=2, path=1))
    """
    n, k = length, kernel
    layers = 0
    while k**layers < n:
        layers += 1
    inside = min(radius, n - 1)
    pairs = n * (2 * inside + 1) - inside * (inside + 1)
    found = {
        "recurrent": LayerCost(2 * n * d * d, n, n),
        "convolution": LayerCost(k * n * d * d, 1, -(-(n - 1) // (k - 1))),
        "dilated": LayerCost(k * n * d * d, 1, layers),
        "attention": LayerCost(2 * n * n * d, 2, 1),
        "window": LayerCost(2 * pairs * d, 2, -(-(n - 1) // radius)),
    }
    if kind not in found:
        raise InvalidInput(f"unknown layer {kind!r}.", hint=f"one of {', '.join(found)}")
    return found[kind]


#: Operations a second in single precision that [vaswani2017]_ takes for each processor (a footnote to its section 6.1).
SPEEDS: dict[str, float] = {"K80": 2.8e12, "K40": 3.7e12, "M40": 6.0e12, "P100": 9.5e12}


@dataclass(frozen=True)
class Cost:
    """A printed number of operations, and what it was computed from; ``models`` is how many an ensemble has."""

    printed: float
    processors: int
    kind: str
    days: float
    models: int = 1


def training_cost(cost: Cost) -> float:
    """Days times processors times their speed; of an ensemble that of one model, in two digits as printed, for each.

    Examples
    --------
    >>> f"{training_cost(Cost(2.3e19, 8, 'P100', 3.5)):.4g}", training_cost(Cost(8.0e20, 32, "K40", 10, 8))
    ('2.298e+19', 8e+20)
    """
    one = cost.processors * cost.days * 86_400 * SPEEDS[cost.kind]
    return one if cost.models == 1 else cost.models * float(f"{one:.1e}")


@dataclass(frozen=True)
class TranslationRow:
    """One row of Table 2 of [vaswani2017]_: BLEU and operations of training, English to German and to French; None is a blank."""

    name: str
    bleu_german: float | None
    bleu_french: float | None
    cost_german: Cost | None
    cost_french: Cost | None


#: Table 2 of [vaswani2017]_ as printed. Processors and days are those of the papers it cites; an ensemble has eight models.
TRANSLATION_TABLE: tuple[TranslationRow, ...] = (
    TranslationRow("ByteNet", 23.75, None, None, None),
    TranslationRow("Deep-Att + PosUnk", None, 39.2, None, Cost(1.0e20, 32, "K40", 10)),
    TranslationRow("GNMT + RL", 24.6, 39.92, Cost(2.3e19, 96, "K80", 1), Cost(1.4e20, 96, "K80", 6)),
    TranslationRow("ConvS2S", 25.16, 40.46, Cost(9.6e18, 1, "M40", 18.5), Cost(1.5e20, 8, "M40", 37)),
    TranslationRow("MoE", 26.03, 40.56, Cost(2.0e19, 64, "K40", 1), Cost(1.2e20, 64, "K40", 6)),
    TranslationRow("Deep-Att + PosUnk, ensemble", None, 40.4, None, Cost(8.0e20, 32, "K40", 10, 8)),
    TranslationRow("GNMT + RL, ensemble", 26.30, 41.16, Cost(1.8e20, 96, "K80", 1, 8), Cost(1.1e21, 96, "K80", 6, 8)),
    TranslationRow("ConvS2S, ensemble", 26.36, 41.29, Cost(7.7e19, 1, "M40", 18.5, 8), Cost(1.2e21, 8, "M40", 37, 8)),
    TranslationRow("Transformer, base", 27.3, 38.1, Cost(3.3e18, 8, "P100", 0.5), Cost(3.3e18, 8, "P100", 0.5)),
    TranslationRow("Transformer, big", 28.4, 41.8, Cost(2.3e19, 8, "P100", 3.5), Cost(2.3e19, 8, "P100", 3.5)),
)
