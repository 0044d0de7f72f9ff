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


def dense(n_in: int, n_out: int, *, bias: bool = True) -> int:
    return n_in * n_out + bias * n_out


def norm(width: int) -> int:
    return width + width  # a scale and a shift


@pytest.mark.parametrize(("d", "a"), [(10, None), (10, 10), (10, 16)])
def test_a_gpt_is_the_sum_of_its_matrices(d: int, a: int | None) -> None:
    layers, words, places, inner = 3, 50, 20, a or d
    block = norm(d) + 3 * dense(d, inner) + dense(inner, d) + norm(d) + dense(d, 4 * d) + dense(4 * d, d)
    expected = words * d + places * d + layers * block + norm(d)
    assert parameters.gpt_parameters(layers, d, d_attention=a, vocabulary=words, context=places) == expected


def test_an_encoder_and_decoder_are_the_sum_of_their_matrices() -> None:
    layers, d, d_ff, words = 2, 12, 20, 33
    attended, forward = 4 * dense(d, d), dense(d, d_ff) + dense(d_ff, d)
    encoder = attended + norm(d) + forward + norm(d)
    decoder = attended + norm(d) + attended + norm(d) + forward + norm(d)
    assert parameters.transformer_parameters(layers, d, d_ff, vocabulary=words) == words * d + layers * (encoder + decoder)


def test_a_vision_transformer_is_the_sum_of_its_matrices() -> None:
    layers, d, d_ff, patch, image, classes, colors = 2, 12, 20, 4, 16, 7, 1
    tokens = (image // patch) ** 2 + 1
    block = norm(d) + 4 * dense(d, d) + norm(d) + dense(d, d_ff) + dense(d_ff, d)
    expected = dense(colors * patch * patch, d) + d + tokens * d + layers * block + norm(d) + dense(d, classes)
    found = parameters.vit_parameters(layers, d, d_ff, patch=patch, image=image, n_classes=classes, channels=colors)
    assert found == expected


def test_a_swin_transformer_is_the_sum_of_its_matrices() -> None:
    c, depths, heads, window, patch, classes = 8, (1, 3, 2), (2, 4, 4), 3, 2, 5
    total = dense(3 * patch * patch, c) + norm(c)
    for stage, (depth, n_heads) in enumerate(zip(depths, heads, strict=True)):
        if stage:
            total += norm(4 * c) + dense(4 * c, 2 * c, bias=False)
            c = 2 * c
        places = (2 * window - 1) * (2 * window - 1) * n_heads
        total += depth * (norm(c) + 4 * dense(c, c) + places + norm(c) + dense(c, 4 * c) + dense(4 * c, c))
    expected = total + norm(c) + dense(c, classes)
    found = parameters.swin_parameters(8, depths, heads, window=window, patch=patch, n_classes=classes)
    assert found == expected


@pytest.mark.parametrize("depth", [18, 34, 50, 101, 152])
@pytest.mark.parametrize("projection", [False, True])
def test_multiply_adds_of_a_resnet_are_those_of_images_that_shrink(depth: int, projection: bool) -> None:
    """Convolution by convolution with its stride, as an image of 224 pixels passes."""
    blocks, is_deep = {
        18: ([2, 2, 2, 2], False),
        34: ([3, 4, 6, 3], False),
        50: ([3, 4, 6, 3], True),
        101: ([3, 4, 23, 3], True),
        152: ([3, 8, 36, 3], True),
    }[depth]
    total = 0

    def convolve(side: int, n_in: int, n_out: int, kernel: int, stride: int = 1) -> int:
        nonlocal total
        side //= stride
        total += side * side * n_out * n_in * kernel * kernel
        return side

    side, channels = convolve(224, 3, 64, 7, stride=2) // 2, 64
    for stage, n in enumerate(blocks):
        width = 64 << stage
        for block in range(n):
            stride, before = (2 if stage and not block else 1), side
            if is_deep:
                side = convolve(side, channels, width, 1)
                side = convolve(side, width, width, 3, stride=stride)
                side = convolve(side, width, 4 * width, 1)
            else:
                side = convolve(side, channels, width, 3, stride=stride)
                side = convolve(side, width, width, 3)
            out = 4 * width if is_deep else width
            if projection and out != channels:
                convolve(before, channels, out, 1, stride=stride)
            channels = out
    assert side == 7
    found = parameters.resnet_multiply_adds(depth, projection=projection, n_classes=11)
    assert found == total + channels * 11
    assert parameters.resnet_parameters(depth, n_classes=11) - parameters.resnet_parameters(depth, n_classes=10) == channels + 1


def test_lenet_is_the_sum_of_its_maps() -> None:
    """Table I of the paper: which of the six maps each of the sixteen sees."""
    seen = [3] * 6 + [4] * 9 + [6]
    c1, c5, f6 = 6 * (25 + 1), 120 * (16 * 25 + 1), 84 * (120 + 1)
    c3, pooled = sum(25 * n + 1 for n in seen), 2 * (6 + 16)
    assert parameters.lenet5_parameters() == c1 + pooled + c3 + c5 + f6 == 60_000
    assert parameters.lenet5_parameters(original=False) == c1 + 16 * (25 * 6 + 1) + c5 + f6 + 10 * (84 + 1)
    assert parameters.mlp_parameters([5, 7, 3]) == 5 * 7 + 7 + 7 * 3 + 3


def test_one_layer_multiplies_tokens_with_its_matrices_and_with_each_other() -> None:
    T, d, d_ff = 5, 6, 11
    linear = sum(T * n * m for n, m in ((d, d), (d, d), (d, d), (d, d), (d, d_ff), (d_ff, d)))
    assert parameters.transformer_layer_multiply_adds(T, d, d_ff=d_ff) == (linear, T * T * d + T * d * T)
    assert parameters.transformer_layer_multiply_adds(T, d) == parameters.transformer_layer_multiply_adds(T, d, d_ff=4 * d)


def test_the_table_of_gpt3_is_the_printed_one_with_its_two_slips() -> None:
    """Heads times their width is the model's, but in two rows; printed sizes are those of the formula to two percent."""
    slips = {"XL": 24 * 128, "13B": 40 * 128}
    for row in parameters.GPT3_TABLE:
        assert row.n_heads * row.d_head == slips.get(row.name, row.d_model)
        assert parameters.gpt_parameters(row.n_layers, row.d_model) == pytest.approx(row.printed, rel=0.02)
    assert [row.n_heads for row in parameters.GPT3_TABLE] == [12, 16, 16, 24, 32, 32, 40, 96]
