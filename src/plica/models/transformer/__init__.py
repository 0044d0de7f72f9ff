"""Transformers for tokens: encoder-decoder, decoder (GPT), encoder (BERT).

- :class:`Transformer`: translates; presets ``transformer-base`` and ``transformer-big``.
- :class:`GPT`: continues; the eight presets ``gpt3-small`` ... ``gpt3-175b``, GPT-2's four, ``chars`` for small texts, and
  ``lecture``, the block as the lectures print it (see :data:`LECTURE` for what is wrong with it).
- :class:`BERT`: reads; presets ``bert-base``, ``bert-large`` and the efficient ``linformer``, ``performer``, ``big-bird``.

All are built of :mod:`plica.models.attention`; they are written with by :mod:`plica.models.decoding`.
"""

from plica.models.transformer._bert import BERT, BERTConfig, masked_tokens
from plica.models.transformer._deepnet import DeepNetScales, deepnet_scales
from plica.models.transformer._gpt import GPT, LECTURE, GPTConfig, GPTState
from plica.models.transformer._transformer import Transformer, TransformerConfig, TransformerState

__all__ = [
    "BERT",
    "GPT",
    "LECTURE",
    "BERTConfig",
    "DeepNetScales",
    "GPTConfig",
    "GPTState",
    "Transformer",
    "TransformerConfig",
    "TransformerState",
    "deepnet_scales",
    "masked_tokens",
]
