"""The scattering transform: against its definition in space, against kymatio, and its theorems."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
import torch

from plica.errors import InvalidInput
from plica.models import load_model
from plica.models.scattering import Morlet, Scattering, ScatteringConfig, littlewood_paley, wavelets_1d, wavelets_2d
from plica.theory.scattering import n_paths


def ramp(*shape: int) -> torch.Tensor:
    """A signal without symmetry that any language can write down: sin(0.1 i^2 + 0.7 i), i over all entries."""
    i = np.arange(np.prod(shape), dtype=float)
    return torch.from_numpy(np.sin(0.1 * i**2 + 0.7 * i).reshape(shape))


def in_space(one: Morlet, n: int) -> np.ndarray:
    """A wavelet of the plane on an n x n torus, from its formula in space: g(u) (exp(i xi u) - kappa), summed over periods."""
    inverse, root = np.linalg.inv(one.covariance), np.sqrt(np.linalg.det(one.covariance))
    gabor, envelope = np.zeros((n, n), complex), np.zeros((n, n))
    for a in range(-4, 5):
        for b in range(-4, 5):
            u = np.stack(np.meshgrid(np.arange(n) + a * n, np.arange(n) + b * n, indexing="ij"), axis=-1)
            g = np.exp(-0.5 * np.einsum("xyi,ij,xyj->xy", u, inverse, u)) / (2 * pi * root)
            envelope += g
            gabor += g * np.exp(1j * (u @ one.frequency))
    return gabor if one.is_low_pass else gabor - gabor.sum() / envelope.sum() * envelope


@pytest.mark.parametrize("number", [-1, 0, 3, 9, 15])
def test_filters_are_those_of_their_formula_in_space(number: int) -> None:
    bank, n = wavelets_2d(2), 24
    one = bank.low_pass if number < 0 else bank.wavelets[number]
    grid = 2 * pi * np.fft.fftfreq(n)
    w = np.stack(np.meshgrid(grid, grid, indexing="ij"), axis=-1).reshape(-1, 2)
    assert np.allclose(np.fft.fft2(in_space(one, n)), one.transform(w).reshape(n, n), atol=1e-12)


def test_coefficients_are_those_of_the_definition() -> None:
    n = 16
    model = Scattering(ScatteringConfig((n, n), n_scales=2, n_angles=4, padding="periodic", subsample=False))
    x = ramp(n, n).numpy()
    bank = model.banks[0]
    filters = {i: np.fft.fft2(in_space(w, n)) for i, w in enumerate(bank.wavelets)} | {
        -1: np.fft.fft2(in_space(bank.low_pass, n))
    }
    found = model(torch.from_numpy(x)).numpy()
    for channel, path in enumerate(model.paths):
        u = x
        for i in path:
            u = np.abs(np.fft.ifft2(np.fft.fft2(u) * filters[i]))
        assert np.allclose(found[channel], np.fft.ifft2(np.fft.fft2(u) * filters[-1]).real, atol=1e-12)


# Printed by kymatio 0.3.0 (numpy 1.26, scipy 1.11) for the signals of ``ramp``: channel and place, coefficient.
# It takes 3.1415 for pi in the plane, so that each filter is larger by pi / 3.1415.
KYMATIO_2D = {
    (0, 2, 3): -0.069695431,
    (0, 0, 6): -0.1513672,
    (1, 0, 0): 0.058723341,
    (4, 3, 3): 0.12893749,
    (8, 6, 1): 0.18903125,
    (9, 2, 2): 0.060968249,
    (16, 5, 4): 0.061644914,
    (17, 3, 3): 0.026000051,
    (40, 1, 6): 0.016232365,
    (80, 0, 2): 0.021484383,
}
# On the line it takes the mean where a coarser filter is the sum, so that a filter on a grid 2^j is smaller by 2^j.
KYMATIO_1D = {
    (0, 3): -0.027232153,
    (1, 0): 0.20805838,
    (3, 31): 0.14895486,
    (6, 12): 0.053269044,
    (9, 7): 0.0090754198,
    (11, 20): 0.0042897824,
    (13, 16): 0.011480399,
    (20, 3): 0.0012226872,
    (29, 9): 0.00034740228,
}


@pytest.mark.parametrize("place", KYMATIO_2D)
def test_the_plane_agrees_with_kymatio(place: tuple[int, int, int]) -> None:
    model = Scattering(ScatteringConfig((28, 28), n_scales=2))
    factor = (pi / 3.1415) ** (1 + len(model.paths[place[0]]))
    assert float(model(ramp(28, 28))[place]) * factor == pytest.approx(KYMATIO_2D[place], rel=2e-6, abs=1e-7)


@pytest.mark.parametrize("place", KYMATIO_1D)
def test_the_line_agrees_with_kymatio(place: tuple[int, int]) -> None:
    model = Scattering(ScatteringConfig((1024,), n_scales=5, per_octave=2))
    first, second = model.banks
    scales = [bank.wavelets[i].scale for bank, i in zip((first, second), model.paths[place[0]], strict=False)]
    factor = 2.0 ** -sum(scales)  # each of the filters after the first meets the grid of the one before
    assert float(model(ramp(1024))[place]) * factor == pytest.approx(KYMATIO_1D[place], rel=1e-5, abs=1e-7)


def test_coarse_grids_change_little() -> None:
    x = ramp(2, 1024).cumsum(1)
    coarse, fine = (Scattering(ScatteringConfig((1024,), 5, subsample=s))(x) for s in (True, False))
    assert torch.allclose(coarse, fine[..., ::32], rtol=1e-3, atol=1e-5 * float(x.abs().max()))


@pytest.mark.parametrize(("n_scales", "n_angles", "order"), [(1, 8, 2), (2, 8, 2), (3, 4, 2), (2, 6, 1), (2, 6, 0)])
def test_channels_are_as_many_as_the_formula_says(n_scales: int, n_angles: int, order: int) -> None:
    model = Scattering(ScatteringConfig((32, 32), n_scales=n_scales, n_angles=n_angles, order=order))
    assert len(model.paths) == n_paths(n_scales, n_angles, order) == model(torch.zeros(32, 32)).shape[0]


@pytest.mark.parametrize("bank", [wavelets_2d(1, 4), wavelets_2d(2, 3), wavelets_1d(4), wavelets_1d(3, 4)], ids=repr)
def test_the_littlewood_paley_sum_is_enclosed(bank: object) -> None:
    found = littlewood_paley(bank, tolerance=1e-4)  # type: ignore[arg-type]
    rng = np.random.default_rng(0)
    sums = bank.sum_of_squares(rng.uniform(-pi, pi, size=(4000, bank.dimension)))  # type: ignore[attr-defined]
    assert found.least[0] <= sums.min() and sums.max() <= found.most[1]
    assert found.most[1] - found.most[0] <= 2e-4 and found.least[1] - found.least[0] <= 2e-4
    assert found.most[0] >= sums.max() - 1e-3 and found.least[1] <= sums.min() + 1e-2


class Peaked:
    """A sum of squares with one known peak of height 2, at plus and minus a corner of the boxes that are looked at first."""

    dimension, wavelets = 2, ()

    def __init__(self, bend: float, side: int = 0, noise: float = 0.0) -> None:
        half = pi / 48
        self.peak, self.bend, self.side, self.noise = np.array([10 * half, 16 * half]), bend, side, noise
        if side:
            self.wavelets = (self,)  # type: ignore[assignment]
        self.low_pass = self

    def _off(self, w: np.ndarray, sign: int) -> np.ndarray:
        return np.linalg.norm(w - sign * self.peak, axis=1)

    def sum_of_squares(self, w: np.ndarray) -> np.ndarray:
        off = np.minimum(self._off(w, 1), self._off(w, -1))
        return np.maximum(2 - self.bend / 2 * off**2, 1.0) + self.noise

    def curvature_upper_bounds(self, w: np.ndarray, radius: float) -> np.ndarray:
        """Of one filter around minus the peak alone, or of the whole around both."""
        if self.side:  # the low pass has none of it
            self.calls = getattr(self, "calls", 0) + 1
            return np.where(self._off(w, -1) <= radius * (1 + 1e-9), 2 * self.bend, 0.0) * (self.calls % 3 != 1)
        near = np.minimum(self._off(w, 1), self._off(w, -1)) <= radius * (1 + 1e-9)
        return np.where(near, self.bend, 0.0)


@pytest.mark.parametrize("side", [0, 1])
def test_a_peak_at_the_corner_of_a_box_is_not_missed(side: int) -> None:
    for bend in (1.0, 30.0):
        found = littlewood_paley(Peaked(bend, side), tolerance=0.5)  # type: ignore[arg-type]
        assert found.most[0] <= 2 <= found.most[1] < 2 + bend * (pi / 48) ** 2


@pytest.mark.parametrize("noise", [2.0**-41, -(2.0**-41)])
def test_rounding_of_the_sum_is_part_of_its_enclosure(noise: float) -> None:
    found = littlewood_paley(Peaked(1.0, noise=noise), tolerance=1e-9)  # type: ignore[arg-type]
    assert found.most[0] <= 2 <= found.most[1] and found.least[0] <= 1 <= found.least[1]


def test_curvature_bounds_hold() -> None:
    rng = np.random.default_rng(1)
    for one in (wavelets_2d(2).wavelets[0], wavelets_2d(2).wavelets[12], wavelets_1d(4).wavelets[3], wavelets_1d(4).low_pass):
        d, h = len(one.frequency), 1e-3
        w = rng.uniform(-pi, pi, size=(500, d))
        v = rng.normal(size=(500, d))
        v /= np.linalg.norm(v, axis=1, keepdims=True)
        second = (one.transform(w + h * v) ** 2 - 2 * one.transform(w) ** 2 + one.transform(w - h * v) ** 2) / h**2
        assert (np.abs(second) <= one.curvature_upper_bounds(w, 2 * h) + 1e-6).all()


def test_a_normalized_transform_keeps_the_theorem_and_others_need_not() -> None:
    model = Scattering(ScatteringConfig((16, 16), n_angles=4, padding="periodic", subsample=False, normalized=True))
    assert littlewood_paley(model.banks[0], tolerance=1e-4).is_non_expansive
    assert not littlewood_paley(wavelets_2d(3, 4), tolerance=1e-3).is_non_expansive


def test_gradients_flow_and_types_stay() -> None:
    model = Scattering(ScatteringConfig((16, 16), n_scales=2, n_angles=2))
    x = ramp(3, 16, 16).float().requires_grad_()
    out = model(x)
    assert out.dtype == torch.float32
    out.sum().backward()
    assert x.grad is not None and bool(torch.isfinite(x.grad).all()) and float(x.grad.norm()) > 0


def test_it_is_saved_and_read_again(tmp_path: object) -> None:
    model = Scattering(ScatteringConfig((16, 16), n_angles=2))
    model.save(tmp_path)  # type: ignore[arg-type]
    again = load_model(tmp_path)  # type: ignore[arg-type]
    assert torch.equal(again(ramp(16, 16)), model(ramp(16, 16)))


@pytest.mark.parametrize(
    "settings",
    [
        {"shape": (8, 8, 8)},
        {"shape": (3, 28)},
        {"shape": (28, 28), "order": 3},
        {"shape": (30, 30), "padding": "periodic"},
        {"shape": (28, 28), "padding": "zeros"},
        {"shape": (28, 28), "n_scales": 0},
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        ScatteringConfig(**settings)  # type: ignore[arg-type]


def test_signals_of_another_shape_are_refused() -> None:
    with pytest.raises(InvalidInput, match="do not end with"):
        Scattering(ScatteringConfig((28, 28)))(torch.zeros(28, 27))


@pytest.mark.parametrize(("n_scales", "per_octave"), [(3, 1), (4, 4), (5, 12)])
def test_a_grid_is_the_coarsest_that_holds_five_widths_of_a_wavelet(n_scales: int, per_octave: int) -> None:
    for wavelet in wavelets_1d(n_scales, per_octave).wavelets:
        end = float(wavelet.frequency[0]) + 5 / float(wavelet.covariance[0, 0]) ** 0.5  # radians per sample
        finest = pi / 2**wavelet.scale  # the highest frequency on its grid
        assert finest / 2 < min(end, pi) * (1 + 1e-12) and min(end, pi) <= finest * (1 + 1e-12)
