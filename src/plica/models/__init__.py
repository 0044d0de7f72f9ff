"""Architectures that can be trained: torch modules whose choices are spelled out, and what can be read off them.

====================================  ===============================================================================
:mod:`plica.models.attention`         the core: score, mask, normalizer, position; blocks and caches
:mod:`plica.models.transformer`       Transformer, GPT, BERT
:mod:`plica.models.recurrent`         sequence to sequence with and without attention, pointer networks
:mod:`plica.models.efficient`         Transformer-XL, permutation language models
:mod:`plica.models.vision`            residual networks, Vision Transformer, Swin, non-local block
:mod:`plica.models.scattering`        scattering transforms: wavelets that are not learned, with proved frame bounds
:mod:`plica.models.generative`        autoencoders, variational ones, generators and discriminators
:mod:`plica.models.deep`              plain, residual and highway layers, fully connected
:mod:`plica.models.sets`              Deep Sets, Set Transformer
:mod:`plica.models.graphs`            GCN, GIN, GAT, message passing
:mod:`plica.models.equivariant`       convolution on the group p4
:mod:`plica.models.decoding`          greedy, sampled and beam search with caches
:mod:`plica.models.text`              byte pairs
====================================  ===============================================================================

Every model has a frozen configuration with presets, is saved as safetensors and JSON, and is counted without memory:

>>> from plica.models.transformer import GPT
>>> GPT.count_parameters("gpt3-175b")
174604259328
"""

from plica.models._config import Config
from plica.models._model import Model, build, count_parameters, load_model, save_model

__all__ = ["Config", "Model", "build", "count_parameters", "load_model", "save_model"]
