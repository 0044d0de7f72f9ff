"""Published weights: folders of transformers become our models, with the same logits; what is not offered is refused."""

import json
from copy import deepcopy

import pytest
import torch

from plica.errors import InvalidNetwork, PlicaError
from plica.models import load_model
from plica.models.attention import frozen
from plica.models.decoding import greedy

transformers = pytest.importorskip("transformers", reason="transformers is not installed: published weights have no peer")
pytestmark = pytest.mark.peer

TEXT = {"vocab_size": 61, "num_hidden_layers": 2, "hidden_size": 32, "num_attention_heads": 4, "intermediate_size": 48}
IMAGE = {"image_size": 32, "num_channels": 3, "num_labels": 7}
MODELS = {
    "gpt2": lambda t: t.GPT2LMHeadModel(t.GPT2Config(vocab_size=61, n_positions=24, n_embd=32, n_layer=3, n_head=4)),
    "gpt2 alone": lambda t: t.GPT2Model(t.GPT2Config(vocab_size=61, n_positions=24, n_embd=32, n_layer=3, n_head=4)),
    "llama": lambda t: t.LlamaForCausalLM(t.LlamaConfig(**TEXT, num_key_value_heads=2, max_position_embeddings=24)),
    "llama tied": lambda t: t.LlamaForCausalLM(
        t.LlamaConfig(**TEXT, num_key_value_heads=1, max_position_embeddings=24, tie_word_embeddings=True, rope_theta=5e5)
    ),
    "mistral": lambda t: t.MistralForCausalLM(
        t.MistralConfig(**TEXT, num_key_value_heads=4, max_position_embeddings=24, sliding_window=None)
    ),
    "bert": lambda t: t.BertForMaskedLM(t.BertConfig(**TEXT, max_position_embeddings=24)),
    "bert alone": lambda t: t.BertModel(t.BertConfig(**TEXT, max_position_embeddings=24)),
    "vit": lambda t: t.ViTForImageClassification(t.ViTConfig(**{**TEXT, "vocab_size": None}, **IMAGE, patch_size=8)),
    "swin": lambda t: t.SwinForImageClassification(
        t.SwinConfig(**IMAGE, patch_size=2, embed_dim=24, depths=[2, 2], num_heads=[2, 4], window_size=4)
    ),
}


LAYERS = [("gpt2", "n_layer"), ("llama", "num_hidden_layers"), ("bert", "num_hidden_layers"), ("vit", "num_hidden_layers")]


def stir(model):
    """Random weights everywhere, norms and biases included, so that no mistake hides behind ones and zeros."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for p in model.parameters():
            p.add_(0.1 * torch.randn(p.shape, generator=generator))
    return model.eval()


def saved(name, folder, **changes):
    model = stir(MODELS[name](transformers))
    model.save_pretrained(folder, safe_serialization=True)
    if changes:
        path = folder / "config.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    return model


@pytest.mark.parametrize("name", MODELS)
def test_logits_are_those_of_transformers(name, tmp_path):
    theirs = saved(name, tmp_path)
    ours = load_model(tmp_path)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        if "vit" in name or "swin" in name:
            x = torch.randn(2, 3, 32, 32, generator=generator)
            expected, found = theirs(x).logits, ours(x)
        else:
            x = torch.randint(1, 61, (2, 20), generator=generator)
            answer = theirs(x)
            if "alone" not in name:
                expected, found = answer.logits, ours(x)
            elif "bert" in name:
                expected, found = answer.last_hidden_state, ours.encode(x)
                torch.testing.assert_close(ours.pooled(x), answer.pooler_output, atol=1e-5, rtol=1e-5)
            else:
                expected, found = answer.last_hidden_state @ theirs.wte.weight.T, ours(x)
    assert expected.std() > 0.1
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_greedy_continuations_are_those_of_transformers(name, tmp_path):
    theirs = saved(name, tmp_path)
    prompt = torch.randint(1, 61, (3, 5), generator=torch.Generator().manual_seed(2))
    expected = theirs.generate(prompt, max_new_tokens=12, do_sample=False, eos_token_id=None, pad_token_id=0)
    found = greedy(load_model(tmp_path), prompt, max_length=12)
    assert [list(row) for row in found.tokens] == expected[:, 5:].tolist()


def test_parts_and_half_precision_are_read(tmp_path):
    theirs = stir(MODELS["llama"](transformers))
    for p in theirs.parameters():
        p.data = p.data.bfloat16().float()
    deepcopy(theirs).bfloat16().save_pretrained(tmp_path, safe_serialization=True, max_shard_size="20KB")
    assert (tmp_path / "model.safetensors.index.json").exists()
    x = torch.randint(1, 61, (1, 9), generator=torch.Generator().manual_seed(3))
    with torch.no_grad():
        torch.testing.assert_close(load_model(tmp_path)(x), theirs(x).logits, atol=1e-5, rtol=1e-5)


def test_frozen_attention_of_a_published_block_is_an_exact_network(tmp_path):
    saved("gpt2", tmp_path)
    model = load_model(tmp_path)
    tokens = torch.randint(1, 61, (1, 6), generator=torch.Generator().manual_seed(4))
    x = model.tokens(tokens)
    block = model.blocks[0]
    net = frozen(block, x, attention_only=True)
    with torch.no_grad():
        expected = x + block.attention(block.attention_norm(x))
    assert net.widths == (6 * 32, 6 * 32)
    torch.testing.assert_close(torch.as_tensor(net(x[0].detach().double().numpy())), expected[0].double(), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    "name, changes, words",
    [
        ("llama", {"rope_scaling": {"rope_type": "yarn", "factor": 2.0}, "rope_parameters": {"rope_type": "yarn"}}, "yarn"),
        ("llama", {"attention_bias": True}, "attention_bias"),
        ("llama", {"num_hidden_layers": 1}, "does not have"),
        ("llama", {"num_hidden_layers": 3}, "lacks the tensor"),
        ("mistral", {"sliding_window": 8}, "sliding window"),
        ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, "scale_attn"),
        ("gpt2", {"activation_function": "quick_gelu"}, "quick_gelu"),
        ("gpt2", {"n_embd": "wide"}, "config.json|wide"),
        ("gpt2", {"model_type": "rwkv"}, "rwkv"),
        ("bert", {"position_embedding_type": "relative_key"}, "relative_key"),
        ("bert", {"tie_word_embeddings": False}, "tie_word_embeddings"),
        *((name, {key: value}, "config.json") for name, key in LAYERS for value in (1.5, float("nan"), True, "2", None)),
        ("gpt2", {"layer_norm_epsilon": float("nan")}, "epsilon"),
        ("llama", {"max_position_embeddings": 24.5}, "max_length"),
        ("gpt2", {"tie_word_embeddings": "no"}, "tied"),
        ("swin", {"window_size": 0}, "window"),
        ("swin", {"mlp_ratio": 2.0}, "mlp_ratio"),
    ],
)
def test_what_is_not_offered_is_refused(name, changes, words, tmp_path):
    saved(name, tmp_path, **changes)
    with pytest.raises(InvalidNetwork, match=words):
        load_model(tmp_path)


@pytest.mark.parametrize("name", ["gpt2", "llama", "bert", "vit", "swin"])
def test_folders_that_were_cut_or_have_odd_settings_are_refused_or_read_by_plica_alone(name, tmp_path):
    """No error of torch, json or safetensors reaches the reader of a damaged folder."""
    saved(name, tmp_path)
    config, weights = tmp_path / "config.json", tmp_path / "model.safetensors"
    text, contents = config.read_text(), weights.read_bytes()
    settings = json.loads(text)
    for n in range(0, len(text.rstrip()), 61):
        config.write_text(text[:n])
        with pytest.raises(InvalidNetwork):
            load_model(tmp_path)
    for key in settings:
        for value in (None, "x", -1, 0, 1.5, [], {}, 10**9):
            config.write_text(json.dumps({**settings, key: value}))
            try:
                load_model(tmp_path)
            except PlicaError:
                continue
    config.write_text(text)
    for n in (0, 7, 8, 300, len(contents) // 2, len(contents) - 1):
        weights.write_bytes(contents[:n])
        with pytest.raises(InvalidNetwork):
            load_model(tmp_path)


def test_an_index_cannot_lead_out_of_its_folder(tmp_path):
    saved("gpt2", tmp_path)
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"wte.weight": "../other.safetensors"}}))
    with pytest.raises(InvalidNetwork, match="outside"):
        load_model(tmp_path)


@pytest.mark.parametrize("causal", [False, True])
def test_buckets_are_those_of_t5(causal):
    from transformers.models.t5.modeling_t5 import T5Attention

    from plica.models.attention import Buckets

    difference = torch.arange(-300, 301)
    expected = T5Attention._relative_position_bucket(difference, bidirectional=not causal, num_buckets=32, max_distance=128)
    assert torch.equal(Buckets(2, causal=causal).bucket(difference), expected)
