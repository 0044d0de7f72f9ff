"""Greedy, sampled and beam search: caches change nothing, beams find what enumeration finds, limits hold."""

from __future__ import annotations

from collections import Counter
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from plica.errors import InvalidInput
from plica.models import build
from plica.models.decoding import Decodable, beam, greedy, sample
from plica.models.efficient import TransformerXL, TransformerXLConfig
from plica.models.recurrent import Seq2Seq, Seq2SeqConfig
from plica.models.transformer import GPT, GPTConfig, Transformer, TransformerConfig

POSITIONS = ("none", "sinusoidal", "learned", "rotary", "alibi", "buckets", "relative", "lecture")
SOURCE = torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0]])


def translator(**choices: Any) -> Transformer:
    config = TransformerConfig(
        9, 9, d_model=8, n_heads=2, d_ff=8, n_encoder_layers=1, n_decoder_layers=2, max_length=16, dropout=0.0, **choices
    )
    return build(Transformer, config, seed=1).double().eval()


def continuer(**choices: Any) -> GPT:
    return build(GPT, GPTConfig(7, 8, 2, 2, max_length=16, **choices), seed=1).double().eval()


def uncached(forward: Any, start: Tensor, n: int) -> Tensor:
    """Greedy search that reads everything again at every step."""
    tokens = start
    for _ in range(n):
        tokens = torch.cat([tokens, forward(tokens)[:, -1].argmax(-1, keepdim=True)], 1)
    return tokens[:, start.shape[1] :]


def cut(rows: Tensor, end: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(row[: row.index(end)] if end in row else row) for row in rows.tolist())


@pytest.mark.parametrize("position", POSITIONS)
def test_a_transformer_with_caches_writes_what_it_writes_without(position: str) -> None:
    model = translator(position=position)
    expected = uncached(lambda t: model(SOURCE, t), torch.ones(2, 1, dtype=torch.long), 9)
    assert greedy(model, SOURCE, max_length=9).tokens == cut(expected, 2)


@pytest.mark.parametrize(
    "choices",
    [{"position": p} for p in POSITIONS]
    + [{"variant": "window", "reach": 2}, {"variant": "performer", "n_features": 8}, {"variant": "linear"}]
    + [{"score": s} for s in ("cosine", "additive", "distance", "multiplicative")],
    ids=str,
)
def test_a_gpt_with_caches_has_the_logits_that_it_has_without(choices: dict[str, Any]) -> None:
    model = continuer(**choices)
    text = torch.tensor([[1, 2, 3, 4, 5, 6, 0, 2], [6, 5, 4, 3, 2, 1, 1, 1]])
    tokens, state = model.begin(text[:, :3])
    for t in range(2, 8):
        logits, state = model.advance(tokens, state)
        torch.testing.assert_close(logits, model(text[:, : t + 1])[:, -1], rtol=0, atol=1e-11)
        tokens = text[:, t + 1] if t < 7 else tokens


def test_transformer_xl_continues_with_its_memory() -> None:
    model = build(TransformerXL, TransformerXLConfig(7, d_model=8, n_layers=2, n_heads=2, reach=3), seed=0).double().eval()
    prompt = torch.tensor([[1, 2, 3]])
    expected = uncached(lambda t: model(t)[0], prompt, 8)
    assert greedy(model, prompt, max_length=8).tokens == (tuple(expected[0].tolist()),)


def test_a_beam_of_one_is_greedy() -> None:
    for model in (translator(), build(Seq2Seq, Seq2SeqConfig(9, 9, d_embedding=8, d_hidden=8), seed=2).double().eval()):
        one, other = beam(model, SOURCE, max_length=8, width=1), greedy(model, SOURCE, max_length=8)
        assert one.tokens == other.tokens and one.finished == other.finished
        assert one.log_probabilities == pytest.approx(other.log_probabilities)


def log_probability(model: Transformer, source: Tensor, line: tuple[int, ...]) -> float:
    read, write = torch.tensor([[1, *line[:-1]]]), torch.tensor([line])
    return float(torch.log_softmax(model(source, read), -1).gather(2, write[:, :, None]).sum())


@pytest.mark.parametrize("seed", range(6))
def test_a_wide_beam_finds_the_most_likely_sequence_of_all(seed: int) -> None:
    config = TransformerConfig(
        9, 5, d_model=8, n_heads=2, d_ff=8, n_encoder_layers=1, n_decoder_layers=1, tied="none", dropout=0.0, max_length=8
    )
    model = build(Transformer, config, seed=seed).double().eval()
    with torch.no_grad():
        model.output.weight.mul_(40)
        source = SOURCE[:1]
        lines = [
            (*head, 2) for n in range(3) for head in product((0, 1, 3, 4), repeat=n)
        ]  # everything that ends within three tokens
        best = max(lines, key=lambda line: log_probability(model, source, line))
        found = beam(model, source, max_length=3, width=125, length_penalty=0.0)
        expected = log_probability(model, source, best)
    assert found.tokens[0] == best[:-1] and found.finished == (True,)
    assert found.log_probabilities[0] == pytest.approx(expected)


def test_a_source_is_decoded_as_if_it_were_alone() -> None:
    model = translator()
    both = beam(model, SOURCE, max_length=8, width=3)
    for i, row in enumerate((SOURCE[:1], SOURCE[1:, :2])):
        alone = beam(model, row, max_length=8, width=3)
        assert alone.tokens[0] == both.tokens[i] and alone.log_probabilities[0] == pytest.approx(both.log_probabilities[i])


def test_a_longer_penalty_prefers_longer_sequences() -> None:
    model = translator()
    lengths = [len(beam(model, SOURCE[:1], max_length=10, width=8, length_penalty=p).tokens[0]) for p in (-3.0, 0.0, 3.0)]
    assert lengths == sorted(lengths)


class Dice:
    """A model whose next token has fixed probabilities."""

    def __init__(self, probabilities: list[float], end: int | None = None) -> None:
        self.logits = torch.tensor(probabilities).log()
        self.config = SimpleNamespace(end=end, max_length=10_000)

    def begin(self, source: Tensor) -> tuple[Tensor, None]:
        return source[:, 0], None

    def advance(self, tokens: Tensor, state: None) -> tuple[Tensor, None]:
        return self.logits.expand(len(tokens), -1), None


def frequencies(model: Dice, **options: Any) -> Counter[int]:
    return Counter(sample(model, torch.zeros(1, 1, dtype=torch.long), max_length=1000, seed=0, **options).tokens[0])


def test_samples_have_the_frequencies_of_the_model() -> None:
    seen = frequencies(Dice([0.1, 0.2, 0.3, 0.4]))
    for token, p in enumerate((0.1, 0.2, 0.3, 0.4)):
        assert abs(seen[token] / 1000 - p) < 4 * (p * (1 - p) / 1000) ** 0.5


def test_temperature_top_k_and_top_p_sharpen_the_choice() -> None:
    dice = Dice([0.1, 0.2, 0.3, 0.4])
    assert set(frequencies(dice, top_k=2)) == {2, 3} and set(frequencies(dice, top_k=1)) == {3}
    assert set(frequencies(dice, top_p=0.4)) == {3} and set(frequencies(dice, top_p=0.6)) == {2, 3}
    assert set(frequencies(dice, top_p=1.0)) == {0, 1, 2, 3}
    cold = frequencies(dice, temperature=0.5)  # probabilities proportional to squares
    assert abs(cold[3] / 1000 - 16 / 30) < 4 * 0.5 / 1000**0.5


def test_a_seed_decides_the_samples() -> None:
    dice, start = Dice([0.25] * 4), torch.zeros(2, 1, dtype=torch.long)
    one, two, other = (sample(dice, start, max_length=20, seed=s) for s in (1, 1, 2))
    assert one == two != other and one.tokens[0] != one.tokens[1]


def test_decoding_ends_at_the_end_token() -> None:
    found = greedy(Dice([0.2, 0.8], end=1), torch.zeros(3, 1, dtype=torch.long), max_length=5)
    assert found.tokens == ((), (), ()) and found.finished == (True,) * 3
    assert found.log_probabilities == pytest.approx([torch.tensor(0.8).log().item()] * 3)


def test_all_models_are_decodable() -> None:
    assert isinstance(translator(), Decodable) and isinstance(continuer(), Decodable)


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda m: greedy(m, SOURCE, max_length=0), "1 to 16"),
        (lambda m: greedy(m, SOURCE, max_length=17), "1 to 16"),
        (lambda m: beam(m, SOURCE, max_length=5, width=0), "at least 1"),
        (lambda m: sample(m, SOURCE, max_length=5, seed=0, temperature=0.0), "greedy"),
        (lambda m: sample(m, SOURCE, max_length=5, seed=0, top_k=0), "at least one"),
        (lambda m: sample(m, SOURCE, max_length=5, seed=0, top_p=1.5), r"\(0, 1\]"),
    ],
)
def test_limits_are_checked(call: Any, word: str) -> None:
    with pytest.raises(InvalidInput, match=word):
        call(translator())


@pytest.mark.parametrize("position", ["learned", "rotary", "alibi"])
@pytest.mark.parametrize("n_prompt", [1, 6, 8, 13])
def test_beyond_the_context_a_model_reads_the_newest_tokens(position: str, n_prompt: int) -> None:
    torch.manual_seed(3)
    model = GPT(GPTConfig(11, 16, 2, 2, max_length=8, position=position)).eval()
    text = torch.randint(0, 11, (2, n_prompt))
    found = greedy(model, text, max_length=14)
    for _ in range(14):  # the definition: crop, read, take the most likely
        logits = model(text[:, -8:])[:, -1]
        text = torch.cat([text, logits.argmax(-1, keepdim=True)], 1)
    assert found.tokens == tuple(map(tuple, text[:, n_prompt:].tolist()))


def test_a_beam_goes_on_beyond_the_context() -> None:
    model = GPT(GPTConfig(11, 16, 1, 2, max_length=4)).eval()
    assert len(beam(model, torch.ones(1, 3, dtype=torch.long), max_length=9, width=3).tokens[0]) == 9


def test_models_that_do_not_slide_have_a_limit() -> None:
    with pytest.raises(InvalidInput, match="1 to 16"):
        greedy(translator(), SOURCE, max_length=17)


def test_what_is_likely_is_the_smallest_set_that_has_the_probability() -> None:
    from plica.models.decoding._search import _likely

    logits = torch.tensor([[0.125, 0.5, 0.25, 0.125]]).log()

    def kept(**options: Any) -> list[int]:
        return _likely(logits, options.get("top_k"), options.get("top_p"))[0].isfinite().nonzero()[:, 0].tolist()

    assert kept(top_p=0.5) == [1] and kept(top_p=0.51) == kept(top_p=0.75) == [1, 2] and kept(top_p=1.0) == [0, 1, 2, 3]
    assert kept(top_k=1) == [1] and kept(top_k=2) == [1, 2] and kept(top_k=3) == [0, 1, 2, 3]  # equals stay together


def test_a_score_is_divided_by_the_penalty_of_its_length() -> None:
    from plica.models.decoding._search import _normalized

    assert [_normalized(-3.0, n, 1.0) for n in (1, 7, 13)] == [-3.0, -1.5, -1.0]
    assert _normalized(-3.0, 19, 0.5) == -1.5 and _normalized(-3.0, 19, 0.0) == -3.0
