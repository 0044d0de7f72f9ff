"""Models: modules that know their configuration, are saved as safetensors and JSON, and are counted without memory."""

from __future__ import annotations

import json
import os
from importlib import import_module
from math import prod
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

import torch
from torch import nn

from plica._whole import write_whole
from plica.errors import InvalidInput, InvalidNetwork
from plica.models._config import Config

C = TypeVar("C", bound=Config)
M = TypeVar("M", bound="Model[Any]")
CONFIG_FILE, WEIGHTS_FILE = "config.json", "model.safetensors"
MAX_CONFIG_BYTES = 2**20
MAX_PARAMETERS = 2**31
"""Of a model that is built from a file: a configuration is small, what it asks for need not be."""

#: Where each model that can stand in a file lives.
HOMES: dict[str, str] = {
    "Autoencoder": "plica.models.generative",
    "BERT": "plica.models.transformer",
    "DeepNetwork": "plica.models.deep",
    "DeepSets": "plica.models.sets",
    "GAN": "plica.models.generative",
    "GAT": "plica.models.graphs",
    "GCN": "plica.models.graphs",
    "GIN": "plica.models.graphs",
    "GPT": "plica.models.transformer",
    "P4Classifier": "plica.models.equivariant",
    "PermutationLM": "plica.models.efficient",
    "PointerNetwork": "plica.models.recurrent",
    "ResNet": "plica.models.vision",
    "Scattering": "plica.models.scattering",
    "Seq2Seq": "plica.models.recurrent",
    "SetTransformer": "plica.models.sets",
    "Swin": "plica.models.vision",
    "Transformer": "plica.models.transformer",
    "TransformerXL": "plica.models.efficient",
    "VAE": "plica.models.generative",
    "VisionTransformer": "plica.models.vision",
}


class Model(nn.Module, Generic[C]):
    """A module with a frozen configuration.

    Examples
    --------
    >>> from plica.models.transformer import GPT
    >>> GPT.count_parameters("gpt3-175b")
    174604259328
    """

    Config: ClassVar[Any]

    def __init__(self, config: C) -> None:
        super().__init__()
        self.config = config

    @classmethod
    def from_preset(cls, name: str, *, seed: int | None = None, **changes: Any) -> Self:
        """The model with a published configuration and random weights."""
        return build(cls, cls.Config.preset(name, **changes), seed=seed)

    @classmethod
    def count_parameters(cls, preset: str | C, **changes: Any) -> int:
        """The number of parameters, shared ones once, of the module built without memory."""
        config = cls.Config.preset(preset, **changes) if isinstance(preset, str) else preset
        with torch.device("meta"):
            return count_parameters(cls(config))

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write ``config.json`` and ``model.safetensors`` into a folder; :func:`load_model` reads them."""
        save_model(self, folder)


def build(cls: type[M], config: Config, *, seed: int | None = None) -> M:
    """The model with these settings; with a seed its weights are those of that seed, and the global generator is untouched."""
    if seed is None:
        return cls(config)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return cls(config)


def count_parameters(module: nn.Module) -> int:
    """The number of parameters of any module, shared ones once.

    Examples
    --------
    >>> count_parameters(nn.Linear(784, 10))
    7850
    """
    return sum(prod(parameter.shape) for parameter in module.parameters())


def save_model(model: Model[Any], folder: str | os.PathLike[str]) -> None:
    """Write a model's configuration and weights into a folder, shared weights once."""
    from safetensors.torch import save as to_bytes

    name = type(model).__name__
    if name not in HOMES:
        raise InvalidInput(f"{name} is not a model of plica.models.", hint=f"these can be saved: {', '.join(HOMES)}")
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    document = {"model": name, "config": model.config.to_dict()}
    write_whole(target / CONFIG_FILE, (json.dumps(document, indent=2) + "\n").encode())
    write_whole(target / WEIGHTS_FILE, to_bytes(_unshared(model)))


def load_model(folder: str | os.PathLike[str]) -> Model[Any]:
    """The model that :meth:`Model.save` wrote, or one that others published, in evaluation mode.

    A folder with a ``config.json`` of transformers (it names a ``model_type``) and safetensors is translated where the model is
    one of ours: GPT-2, Llama, BERT, ViT, Swin (see :mod:`plica.models.published`).

    Examples
    --------
    >>> import tempfile
    >>> from plica.models.sets import DeepSets, DeepSetsConfig
    >>> folder = tempfile.mkdtemp()
    >>> DeepSets(DeepSetsConfig(2, 1, d_hidden=8)).save(folder)
    >>> load_model(folder).config.d_hidden
    8
    """
    source = Path(folder)
    document = _read_config(source / CONFIG_FILE)
    tensors: dict[str, torch.Tensor] | None = None
    if "model_type" in document:
        from plica.models.published import translated

        name, config, tensors = translated(document, source)
        cls = getattr(import_module(HOMES[name]), name)
    else:
        cls = getattr(import_module(HOMES[document["model"]]), document["model"])
        config = cls.Config.from_dict(document["config"])
    try:
        n_parameters = cls.count_parameters(config)
    except (TypeError, ValueError, OverflowError, RuntimeError):  # sizes beyond what torch counts in
        n_parameters = MAX_PARAMETERS + 1
    if n_parameters > MAX_PARAMETERS:
        raise InvalidNetwork(f"{source / CONFIG_FILE} describes a model of more than {MAX_PARAMETERS} parameters.")
    model: Model[Any] = cls(config)
    _take_over(model, _own_weights(source / WEIGHTS_FILE) if tensors is None else tensors, source / WEIGHTS_FILE)
    return model.eval()


def _own_weights(path: Path) -> dict[str, torch.Tensor]:
    from safetensors import SafetensorError
    from safetensors.torch import load as from_bytes

    try:
        tensors: dict[str, torch.Tensor] = from_bytes(path.read_bytes())
    except (OSError, SafetensorError) as error:
        raise InvalidNetwork(f"{path} cannot be read: {error}.") from None
    return tensors


def _take_over(model: Model[Any], tensors: dict[str, torch.Tensor], path: Path) -> None:
    """Give a model its weights: all of them, of the right shapes, finite."""
    expected = _unshared(model)
    wrong = sorted(set(tensors) ^ set(expected)) or [n for n, t in expected.items() if tensors[n].shape != t.shape]
    if wrong:
        raise InvalidNetwork(
            f"{path} does not fit its configuration: {', '.join(wrong[:3])}.", hint="the two files belong together"
        )
    bad = [name for name, tensor in tensors.items() if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all())]
    if bad:
        raise InvalidNetwork(f"{path} holds NaN or infinite weights in {bad[0]!r}.")
    model.load_state_dict(tensors, strict=False)


def _read_config(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MAX_CONFIG_BYTES:
            raise InvalidNetwork(f"{path} is larger than {MAX_CONFIG_BYTES} bytes.")
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidNetwork(f"{path} cannot be read: {error}.", hint="give the folder that Model.save wrote") from None
    if isinstance(document, dict) and isinstance(document.get("model_type"), str):
        return document  # of transformers
    if not isinstance(document, dict) or str(document.get("model")) not in HOMES or not isinstance(document.get("config"), dict):
        raise InvalidNetwork(f"{path} is not the configuration of a model.", hint=f"known models: {', '.join(HOMES)}")
    return document


def _unshared(model: nn.Module) -> dict[str, torch.Tensor]:
    """The state by name, a tensor that has several names under the first of them."""
    seen: set[int] = set()
    kept = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        if id(tensor) not in seen:
            seen.add(id(tensor))
            kept[name] = tensor.detach().contiguous()
    return kept
