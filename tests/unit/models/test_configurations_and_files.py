"""Configurations, presets with published sizes, and models in files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from plica.errors import InvalidInput, InvalidNetwork, PlicaError
from plica.models import Model, build, count_parameters, load_model
from plica.models._model import HOMES
from plica.models.deep import DeepConfig, DeepNetwork
from plica.models.efficient import PermutationLM, PermutationLMConfig, TransformerXL, TransformerXLConfig
from plica.models.equivariant import P4Classifier, P4Config
from plica.models.generative import GAN, VAE, Autoencoder, AutoencoderConfig, GANConfig, VAEConfig
from plica.models.graphs import GAT, GCN, GIN, GATConfig, GCNConfig, GINConfig
from plica.models.published._weights import require
from plica.models.recurrent import PointerConfig, PointerNetwork, Seq2Seq, Seq2SeqConfig
from plica.models.scattering import Scattering, ScatteringConfig
from plica.models.sets import DeepSets, DeepSetsConfig, SetTransformer, SetTransformerConfig
from plica.models.transformer import BERT, GPT, BERTConfig, GPTConfig, Transformer, TransformerConfig
from plica.models.vision import ResNet, ResNetConfig, Swin, SwinConfig, VisionTransformer, ViTConfig
from plica.theory.parameters import GPT3_TABLE, gpt_parameters, transformer_parameters

SMALL: list[tuple[type[Model[Any]], Any]] = [
    (Seq2Seq, Seq2SeqConfig(9, 8, cell="lstm", d_embedding=6, d_hidden=4, n_layers=2)),
    (PointerNetwork, PointerConfig(2, d_hidden=4)),
    (Transformer, TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=8, n_encoder_layers=1, n_decoder_layers=1)),
    (GPT, GPTConfig(9, 8, 1, 2, max_length=5)),
    (BERT, BERTConfig(9, 8, 1, 2, max_length=5, variant="linformer", n_features=3)),
    (VisionTransformer, ViTConfig(side=4, patch=2, n_channels=1, n_classes=3, d_model=8, n_layers=1, n_heads=2)),
    (Swin, SwinConfig(side=8, patch=2, n_channels=1, n_classes=3, d_model=4, depths=(2, 1), n_heads=(1, 2), window=2)),
    (DeepNetwork, DeepConfig(2, 1, width=4, n_layers=2)),
    (ResNet, ResNetConfig((1, 1), width=4, n_classes=3, stem="small")),
    (DeepSets, DeepSetsConfig(2, 1, d_hidden=4)),
    (SetTransformer, SetTransformerConfig(2, 1, d_model=8, n_heads=2, n_points=3)),
    (GCN, GCNConfig(4, 3, d_hidden=4)),
    (GAT, GATConfig(4, 3, d_head=2, n_heads=2)),
    (GIN, GINConfig(4, 3, d_hidden=4)),
    (P4Classifier, P4Config(n_channels=2, n_layers=2)),
    (TransformerXL, TransformerXLConfig(9, d_model=8, n_layers=1, n_heads=2)),
    (PermutationLM, PermutationLMConfig(9, d_model=8, n_layers=1, n_heads=2)),
    (Scattering, ScatteringConfig((8, 8), n_angles=2)),
    (Autoencoder, AutoencoderConfig((6,), widths=(4,))),
    (VAE, VAEConfig((1, 8, 8), widths=(2, 3), style="upsampled")),
    (GAN, GANConfig((1, 8, 8), n_latent=3, widths=(2, 3))),
]


def test_every_model_that_has_a_home_is_tested_here() -> None:
    assert {cls.__name__ for cls, _ in SMALL} == set(HOMES)


@pytest.mark.parametrize(("cls", "config"), SMALL, ids=lambda v: v.__name__ if isinstance(v, type) else "")
def test_a_saved_model_comes_back_bit_for_bit(cls: type[Model[Any]], config: Any, tmp_path: Path) -> None:
    model = build(cls, config, seed=3)
    model.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert type(again) is cls and again.config == config and not again.training
    assert count_parameters(again) == count_parameters(model) == cls.count_parameters(config)
    for (name, one), (other_name, other) in zip(model.state_dict().items(), again.state_dict().items(), strict=True):
        assert name == other_name and torch.equal(one, other)


@pytest.mark.parametrize(("cls", "config"), SMALL, ids=lambda v: v.__name__ if isinstance(v, type) else "")
def test_a_seed_decides_the_weights_and_leaves_the_global_generator_alone(cls: type[Model[Any]], config: Any) -> None:
    before = torch.get_rng_state()
    one, two, other = build(cls, config, seed=1), build(cls, config, seed=1), build(cls, config, seed=2)
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    learns = next(one.parameters(), None) is not None  # wavelets do not
    assert learns == any(not torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


def test_shared_weights_are_saved_once_and_stay_shared(tmp_path: Path) -> None:
    from safetensors import safe_open

    model = build(GPT, GPTConfig(9, 8, 1, 2, max_length=5), seed=0)
    model.save(tmp_path)
    with safe_open(tmp_path / "model.safetensors", "pt") as file:
        assert "output.weight" not in file.keys()
    again = load_model(tmp_path)
    assert isinstance(again, GPT) and again.output.weight is again.tokens.embedding.weight


PUBLISHED = {
    (GPT, "gpt2-small"): 124_439_808,
    (GPT, "gpt2-medium"): 354_823_168,
    (GPT, "gpt2-large"): 774_030_080,
    (GPT, "gpt2-xl"): 1_557_611_200,
    (GPT, "chars"): 804_096,
    (Transformer, "transformer-base"): 63_082_496,
    (Transformer, "transformer-big"): 214_245_376,
    (BERT, "bert-base"): 109_482_240 + 622_650,
    (BERT, "bert-large"): 335_141_888 + 1_082_170,
    (VisionTransformer, "vit-b16"): 86_567_656,
    (VisionTransformer, "vit-b32"): 88_224_232,
    (VisionTransformer, "vit-l16"): 304_326_632,
    (VisionTransformer, "vit-l32"): 306_535_400,
    (VisionTransformer, "vit-h14"): 632_045_800,
    (Swin, "swin-t"): 28_288_354,
    (Swin, "swin-s"): 49_606_258,
    (Swin, "swin-b"): 87_768_224,
    (GCN, "cora"): 23_063,
    (GAT, "cora"): 92_373,
}


@pytest.mark.parametrize(("cls", "preset"), PUBLISHED, ids=lambda v: v if isinstance(v, str) else v.__name__)
def test_a_preset_has_the_published_number_of_parameters(cls: type[Model[Any]], preset: str) -> None:
    assert cls.count_parameters(preset) == PUBLISHED[cls, preset]


@pytest.mark.parametrize("entry", GPT3_TABLE, ids=lambda e: e.name)
def test_gpt3_presets_have_the_size_of_the_closed_form_and_of_the_table(entry: Any) -> None:
    name = f"gpt3-{entry.name.lower()}"
    config = GPTConfig.preset(name)
    counted = GPT.count_parameters(name)
    assert counted == gpt_parameters(config.n_layers, config.d_model) == pytest.approx(entry.printed, rel=0.02)
    assert config.n_layers == entry.n_layers and config.n_heads * config.width_of_head == config.d_model


def test_the_first_sequence_to_sequence_model_had_384_million_parameters() -> None:
    assert Seq2Seq.count_parameters("sutskever2014") == pytest.approx(384e6, rel=0.01)


def test_the_printed_heads_of_gpt3_xl_can_be_built_too() -> None:
    literal = GPT.count_parameters("gpt3-xl", n_heads=24, d_head=128)
    assert literal == gpt_parameters(24, 2048, d_attention=3072) == 1_517_123_584


def test_the_closed_form_of_the_transformer_counts_the_module() -> None:
    config = TransformerConfig(50, 50, d_model=16, n_heads=4, d_ff=24, n_encoder_layers=3, n_decoder_layers=3)
    assert Transformer.count_parameters(config) == transformer_parameters(3, 16, 24, vocabulary=50)


@pytest.mark.parametrize("heads", [1, 2, 4, 8])
def test_the_number_of_heads_does_not_change_the_number_of_parameters(heads: int) -> None:
    assert GPT.count_parameters(GPTConfig(10, 16, 2, heads)) == GPT.count_parameters(GPTConfig(10, 16, 2, 1))


def test_a_configuration_is_frozen_and_goes_through_plain_values() -> None:
    config = SwinConfig.preset("swin-t")
    assert SwinConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config
    with pytest.raises(AttributeError):
        config.side = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: GPTConfig.preset("gpt4"), "gpt3-small"),
        (lambda: GPTConfig(10, 16, 2, 3), "divide"),
        (lambda: GPTConfig(10, 16, 2, 4, variant="linformer"), "causal"),
        (lambda: GPTConfig(10, 16, 2, 4, norm="sideways"), "pre"),
        (lambda: GPTConfig(10, 16, 2, 4, position="nowhere"), "rotary"),
        (lambda: GPTConfig(10, -16, 2, 4), "negative"),
        (lambda: GPTConfig(10, 16, 2, 4, dropout=1.0), r"\[0, 1\)"),
        (lambda: GPTConfig.from_dict({"vocabulary": 5}), "without a default"),
        (lambda: GPTConfig.from_dict({"vocabulary": "5"}), "expected int"),
        (lambda: GPTConfig.from_dict({"vocabulary": True}), "expected int"),
        (lambda: GPTConfig.from_dict({"width": 5}), "it has vocabulary"),
        (lambda: Seq2SeqConfig(9, 9, d_hidden=7), "direction"),
        (lambda: Seq2SeqConfig(9, 9, cell="tape"), "lstm"),
        (lambda: Seq2SeqConfig(9, 9, padding=1), "different"),
        (lambda: Seq2SeqConfig(2, 9), "at least 3"),
        (lambda: TransformerConfig(9, 9, end=9), "at least 10"),
        (lambda: TransformerConfig(9, 10), "one vocabulary"),
        (lambda: SwinConfig(side=28), "halved"),
        (lambda: SwinConfig(side=32 * 8), "window"),
        (lambda: SwinConfig(depths=(2, 2)), "every stage"),
        (lambda: ViTConfig(patch=15), "divisor"),
        (lambda: P4Config(size=2), "center"),
    ],
)
def test_a_wrong_configuration_is_refused_with_a_hint(make: Any, word: str) -> None:
    with pytest.raises(InvalidInput, match=word):
        make()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build(GPT, GPTConfig(9, 8, 1, 2, max_length=5), seed=0).save(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        '{"model": "os.system", "config": {}}',
        '{"model": "GPT", "config": []}',
        '{"model": "GPT", "config": {"vocabulary": 9, "d_model": 8, "n_layers": 1, "n_heads": 2, "__class__": 1}}',
        '{"model": "GPT", "config": {"vocabulary": 9, "d_model": 8, "n_layers": 2, "n_heads": 2, "max_length": 5}}',
        '{"model": "GPT", "config": {"vocabulary": 9, "d_model": 8, "n_layers": 1, "n_heads": 2, "max_length": 6}}',
        '{"model": "GPT", "config": {"vocabulary": 999999999, "d_model": 8192, "n_layers": 1, "n_heads": 2}}',
    ],
)
def test_a_broken_configuration_file_is_refused(folder: Path, text: str) -> None:
    (folder / "config.json").write_text(text)
    with pytest.raises(PlicaError):
        load_model(folder)


def test_broken_weights_are_refused(folder: Path) -> None:
    from safetensors.torch import load, save

    path = folder / "model.safetensors"
    whole = path.read_bytes()
    path.write_bytes(whole[:-8])
    with pytest.raises(InvalidNetwork, match="cannot be read"):
        load_model(folder)
    tensors = load(whole)
    tensors["norm.weight"][0] = torch.nan
    path.write_bytes(save(tensors))
    with pytest.raises(InvalidNetwork, match="NaN"):
        load_model(folder)
    del tensors["norm.weight"]
    path.write_bytes(save(tensors))
    with pytest.raises(InvalidNetwork, match=r"norm\.weight"):
        load_model(folder)
    path.unlink()
    with pytest.raises(InvalidNetwork):
        load_model(folder)


def test_a_foreign_module_cannot_be_saved_by_name(tmp_path: Path) -> None:
    class Mine(Model[Any]):
        pass

    with pytest.raises(InvalidInput, match="Mine"):
        Mine(GPTConfig(9, 8, 1, 2)).save(tmp_path)


def test_a_model_of_a_preset_is_the_one_of_its_configuration() -> None:
    model, same = P4Classifier.from_preset("mnist", seed=3), build(P4Classifier, P4Config.preset("mnist"), seed=3)
    assert isinstance(model, P4Classifier) and model.config == same.config
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), same.parameters(), strict=True))


def test_settings_that_are_not_offered_are_refused_and_those_that_are_absent_are_not() -> None:
    require({"scale": 1, "other": 5}, scale=1, absent=2)
    require({"scale": None}, scale=1)
    with pytest.raises(InvalidNetwork, match="scale = 3"):
        require({"scale": 3}, scale=1)
