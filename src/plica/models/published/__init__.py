"""Weights as others publish them: a folder with ``config.json`` and safetensors, translated into our models.

The names are those of Hugging Face's transformers: GPT-2, BERT, ViT, Swin and Llama (and Mistral, where it is the same). What a
configuration asks for and our models do not offer is refused, never approximated. Numbers of half precision are taken as stored.
:func:`plica.models.load_model` reads such folders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from plica.errors import InvalidInput, InvalidNetwork
from plica.models._config import Config
from plica.models.published._decoders import gpt2_config, gpt2_state, llama_config, llama_state
from plica.models.published._encoder import bert_config, bert_state
from plica.models.published._vision import swin_config, swin_state, vit_config, vit_state
from plica.models.published._weights import Settings, State, Weights, read_weights

__all__ = ["FAMILIES", "translated"]


@dataclass(frozen=True)
class Family:
    """How a type of published model becomes one of ours."""

    model: str
    config: Callable[[Settings, Weights], Config]
    state: Callable[[Any, Weights], Iterator[tuple[str, Tensor]]]


FAMILIES: dict[str, Family] = {
    "gpt2": Family("GPT", gpt2_config, gpt2_state),
    "llama": Family("GPT", llama_config, llama_state),
    "mistral": Family("GPT", llama_config, llama_state),
    "bert": Family("BERT", bert_config, bert_state),
    "vit": Family("VisionTransformer", vit_config, vit_state),
    "swin": Family("Swin", swin_config, swin_state),
}


def translated(document: Settings, folder: Path) -> tuple[str, Config, State]:
    """The name of our model, its configuration, and its state."""
    kind = str(document["model_type"])
    if kind not in FAMILIES:
        raise InvalidNetwork(f"models of type {kind!r} cannot be loaded.", hint=f"these can: {', '.join(FAMILIES)}")
    family = FAMILIES[kind]
    weights = read_weights(folder)
    try:
        config = family.config(document, weights)
        config = type(config).from_dict(config.to_dict())  # whole numbers are whole, switches are true or false
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidNetwork(f"{folder / 'config.json'} is not complete: {error!r}.") from None
    except InvalidInput as error:
        raise InvalidNetwork(f"{folder / 'config.json'}: {error.message}", hint=error.hint) from None
    state = dict(family.state(config, weights))
    weights.require_empty()
    return family.model, config, state
