"""The norm of a convolution: never below the truth, and close to it where there are few channels."""

import numpy as np
import pytest

from plica.network import Conv
from plica.network.operations._conv import symbol_norm_bound
from plica.network.operations._linear import norms_by_powers, spectral_norm_bound


@pytest.mark.parametrize("seed", range(24))
def test_no_image_grows_by_more_than_the_gain(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups, taps = int(rng.integers(1, 3)), tuple(int(k) for k in rng.integers(1, 5, 2))
    weight = rng.normal(size=(groups * int(rng.integers(1, 4)), int(rng.integers(1, 4)), *taps))
    low, high = rng.integers(0, 3, (2, 2)).tolist()
    conv = Conv(
        weight, None, tuple(rng.integers(1, 3, 2).tolist()), tuple(zip(low, high, strict=True)),
        tuple(rng.integers(1, 3, 2).tolist()), groups,
    )  # fmt: skip
    matrix = conv.matrix((groups * weight.shape[1], 11, 12)).toarray()
    assert np.linalg.norm(matrix, 2) <= conv.gain()


@pytest.mark.parametrize(("out", "inside", "taps"), [(1, 1, (3,)), (4, 6, (2,)), (8, 3, (3, 3)), (3, 5, (5, 4)), (64, 2, (1, 1))])
def test_the_norm_without_borders_is_nearly_met(out: int, inside: int, taps: tuple[int, ...]) -> None:
    rng = np.random.default_rng(out)
    kernel = rng.normal(size=(out, inside, *taps))
    theta = rng.uniform(0, 2 * np.pi, size=(4000, len(taps)))
    waves = np.exp(1j * np.einsum("ta,fa->ft", np.array(list(np.ndindex(*taps))), theta))
    symbols = np.einsum("oit,ft->foi", kernel.reshape(out, inside, -1), waves)
    found = np.linalg.svd(symbols, compute_uv=False).max()
    assert found <= symbol_norm_bound(kernel) <= 1.12 * found


def test_norms_by_powers_bound_matrices_of_all_sizes_and_zero() -> None:
    rng = np.random.default_rng(0)
    for n in (1, 2, 17, 60):
        a = rng.normal(size=(5, n, n + 3)) * 10.0 ** rng.integers(-60, 60, (5, 1, 1))
        true = np.linalg.norm(a, 2, axis=(1, 2)) ** 2
        bound = norms_by_powers(a @ a.swapaxes(1, 2), 6)
        assert (true <= bound * (1 + 1e-9)).all() and (bound <= 1.1 * true).all()
        assert spectral_norm_bound(a[0]) <= 1.05 * np.linalg.norm(a[0], 2)
    assert norms_by_powers(np.zeros((1, 3, 3)), 6)[0] < 1e-290


def test_the_bound_covers_waves_between_the_points_that_are_looked_at() -> None:
    """A difference over two steps is largest a quarter turn away, which is none of the eighteen points."""
    assert 2.0 <= symbol_norm_bound(np.array([[[1.0, 0.0, -1.0]]])) <= 2.04
    rng = np.random.default_rng(1)
    waves = np.exp(1j * np.linspace(0, 2 * np.pi, 2001))
    for taps in (2, 3, 5):
        for _ in range(20):
            kernel = rng.normal(size=(2, 3, taps))
            symbols = sum(np.multiply.outer(waves**t, kernel[:, :, t]) for t in range(taps))
            assert symbol_norm_bound(kernel) >= np.linalg.norm(symbols, 2, axis=(1, 2)).max()
