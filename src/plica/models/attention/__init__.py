r"""Attention: one core with four independent choices.

>>> import torch
>>> from plica.models.attention import Attention, Cosine, Performer, window
>>> x = torch.randn(2, 7, 32)
>>> Attention(32, 4)(x).shape  # scaled dot product, full, softmax, no positions
torch.Size([2, 7, 32])
>>> Attention(32, 4, score=Cosine(temperature=10.0), mask=window(2), position="alibi")(x).shape
torch.Size([2, 7, 32])
>>> Attention(32, 4, normalizer=Performer(8, 64), mask="causal").error_against_exact(x) < 1
True

===========  ==========================================================================================================
score        ``Dot``, ``Scaled(alpha)``, ``Cosine(alpha | temperature, learn)``, ``Multiplicative``, ``Additive``, ``Distance``
mask         ``full``, ``causal``, ``padding``, ``window``, ``dilated``, ``block``, ``big_bird``, ``shifted_windows``, ``order``,
             ``graph``, ``explicit``; combined with ``&``, ``|``, ``~``. True = attend; ``from_torch_mask`` and ``Mask.hidden``
             convert from and to the polarity of ``nn.MultiheadAttention``
normalizer   ``Softmax``, ``Pointwise("relu" | "relu2" | "identity" | "sigmoid")``, ``Performer``, ``Linear``, ``Linformer``
position     none, ``Sinusoidal(indexing)``, ``Learned`` (both added or concatenated), ``Rotary``, ``Alibi``, ``Buckets`` (T5),
             ``Relative``
===========  ==========================================================================================================

Three layers of the same thing: :class:`Attend` takes queries, keys and values (batch, heads, length, d); :class:`Attention` has
projections and takes tokens (batch, length, d), ``attention(query, key=None, value=None, mask=, bias=, cache=, offset=)``;
:class:`Block` is a transformer layer, with the place of layer norm, the lecture's phi_2 and its residual sums as options.
All call torch's fused kernel wherever the choices allow it. ``explain(...)`` returns an :class:`Explanation` with output, scores,
weights and entropy; ``exact()`` and ``error_against_exact(...)`` say what an approximation costs. A query without a visible key
gets 0 on every path. Choices that contradict each other raise with the reason. :func:`reference` is the dense float64 definition
to which every combination is compared. :class:`Cache` keeps keys and values while generating; ``Cache(fixed=True)`` those of
an encoder; ``cache.select(rows)`` follows a beam.
"""

from plica.models.attention._attend import Attend, Explanation
from plica.models.attention._attention import Attention
from plica.models.attention._big_bird import big_bird
from plica.models.attention._block import NORM_KINDS, Block, FeedForward, token_norm
from plica.models.attention._cache import Cache
from plica.models.attention._frozen import frozen
from plica.models.attention._masks import (
    Mask,
    block,
    causal,
    dilated,
    explicit,
    from_torch_mask,
    full,
    graph,
    order,
    padding,
    shifted_windows,
    window,
)
from plica.models.attention._normalizers import NORMALIZERS, Linear, Linformer, Normalizer, Performer, Pointwise, Softmax
from plica.models.attention._positions import POSITIONS, Alibi, Buckets, Learned, Position, Relative, Rotary, Sinusoidal
from plica.models.attention._record import Record, record
from plica.models.attention._reference import reference
from plica.models.attention._scores import SCORES, Additive, Cosine, Distance, Dot, Multiplicative, Scaled, Score

__all__ = [
    "NORMALIZERS",
    "NORM_KINDS",
    "POSITIONS",
    "SCORES",
    "Additive",
    "Alibi",
    "Attend",
    "Attention",
    "Block",
    "Buckets",
    "Cache",
    "Cosine",
    "Distance",
    "Dot",
    "Explanation",
    "FeedForward",
    "Learned",
    "Linear",
    "Linformer",
    "Mask",
    "Multiplicative",
    "Normalizer",
    "Performer",
    "Pointwise",
    "Position",
    "Record",
    "Relative",
    "Rotary",
    "Scaled",
    "Score",
    "Sinusoidal",
    "Softmax",
    "big_bird",
    "block",
    "causal",
    "dilated",
    "explicit",
    "from_torch_mask",
    "frozen",
    "full",
    "graph",
    "order",
    "padding",
    "record",
    "reference",
    "shifted_windows",
    "token_norm",
    "window",
]
