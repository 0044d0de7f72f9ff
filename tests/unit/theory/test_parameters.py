"""Counts of published architectures against numbers obtained by building them elsewhere."""

from __future__ import annotations

import pytest

from plica.errors import InvalidInput
from plica.theory import approximation, attention, lengths, parameters


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("Small", 125_226_240),
        ("Medium", 355_871_744),
        ("Large", 760_300_032),
        ("XL", 1_315_723_264),
        ("2.7B", 2_651_553_280),
        ("6.7B", 6_658_404_352),
        ("13B", 12_952_938_780),
        ("175B", 174_604_259_328),
    ],
)
def test_gpt3_rows_with_an_attention_as_wide_as_the_model(name: str, count: int) -> None:
    row = next(row for row in parameters.GPT3_TABLE if row.name == name)
    assert parameters.gpt_parameters(row.n_layers, row.d_model) == count


@pytest.mark.parametrize(
    ("layers", "width", "count"),
    [(12, 768, 124_439_808), (24, 1024, 354_823_168), (36, 1280, 774_030_080), (48, 1600, 1_557_611_200)],
)
def test_gpt2_sizes_are_those_of_its_released_weights(layers: int, width: int, count: int) -> None:
    assert parameters.gpt_parameters(layers, width, context=1024) == count


@pytest.mark.parametrize(
    ("depth", "count"), [(18, 11_689_512), (34, 21_797_672), (50, 25_557_032), (101, 44_549_160), (152, 60_192_808)]
)
def test_resnets_have_the_sizes_of_their_released_weights(depth: int, count: int) -> None:
    assert parameters.resnet_parameters(depth) == count


def test_resnet_multiply_adds_round_to_the_table_of_the_paper() -> None:
    printed = {18: 1.8, 34: 3.6, 50: 3.8, 101: 7.6, 152: 11.3}
    for depth, billions in printed.items():
        ours = parameters.resnet_multiply_adds(depth, projection=True) / 1e9
        assert abs(ours - billions) < 0.35  # the paper puts the stride into the 1 x 1 convolution of a bottleneck
    with pytest.raises(InvalidInput, match="not one of"):
        parameters.resnet_parameters(20)


def test_transformers_of_the_first_paper() -> None:
    assert parameters.transformer_parameters(6, 512, 2048, vocabulary=37000) == 63_082_496
    assert parameters.transformer_parameters(6, 1024, 4096, vocabulary=37000) == 214_245_376


def test_length_factors_match_the_expansion_at_large_width() -> None:
    for n in (50, 200, 800):
        factor = lengths.relu_length_factor(n, n, weight_std=2**0.5)
        assert abs(factor - (1 - 5 / (8 * n))) < 1 / n**2
        assert lengths.price_tanner_2019_lower_bound(n, n, weight_std=2**0.5) < factor


def test_barron_constant_stays_below_its_simple_bound() -> None:
    for d in (1, 2, 5, 10, 1000):
        assert approximation.barron_constant_gaussian(d, sigma=1.0) <= d**0.5
    known = {1: 0.798, 2: 1.253, 5: 2.128, 10: 3.084}
    assert {d: round(approximation.barron_constant_gaussian(d, sigma=1.0), 3) for d in known} == known


def test_sinusoids_start_at_frequency_one() -> None:
    assert attention.sinusoid_frequencies(512)[0] == 1.0
    with pytest.raises(InvalidInput):
        attention.sinusoid_frequencies(3)


def test_parameters_of_t5_are_those_of_its_matrices_and_gains() -> None:
    """Matrix by matrix: four of an attention, two of each expert, a router where there are several, a gain before each part."""
    layers, d, d_ff, heads, width, words = 3, 10, 28, 4, 5, 77
    for experts in (1, 2, 6):
        attention = [d * heads * width] * 3 + [heads * width * d]
        feed_forward = [d * d_ff, d_ff * d] * experts + ([d * experts] if experts > 1 else [])
        encoder = [*attention, *feed_forward, d, d]
        decoder = [*attention, *attention, *feed_forward, d, d, d]
        sides = [d, d] + [32 * heads] * 2  # a last gain and the buckets of positions, on either side
        expected = words * d + layers * (sum(encoder) + sum(decoder)) + sum(sides)
        found = parameters.t5_parameters(layers, d, d_ff, n_heads=heads, d_head=width, n_experts=experts, vocabulary=words)
        assert found == expected
