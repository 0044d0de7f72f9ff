"""Longer contexts and other orders: Transformer-XL and XLNet's permutation objective.

Linformer, Performer, Big Bird, windows and linear attention are the ``variant`` of
:class:`plica.models.transformer.BERTConfig` and :class:`plica.models.transformer.GPTConfig`; DeepNet is their ``norm="deepnet"``.
"""

from plica.models.efficient._permutation import PermutationLM, PermutationLMConfig
from plica.models.efficient._xl import TransformerXL, TransformerXLConfig, XLMemory

__all__ = ["PermutationLM", "PermutationLMConfig", "TransformerXL", "TransformerXLConfig", "XLMemory"]
