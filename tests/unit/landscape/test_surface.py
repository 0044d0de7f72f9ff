"""Sampled surfaces: rows that are swept, points between them, budgets, stores and files."""

from pathlib import Path

import numpy as np
import pytest
from torch import nn

from plica.errors import BudgetExceeded, InvalidInput
from plica.geometry import Budget
from plica.landscape import loss_surface, moved, random_direction
from plica.learn import mlp
from plica.network import from_torch


def setting(widths=(3, 7, 5, 4), n: int = 40, seed: int = 3):
    model = mlp(list(widths), seed=seed)
    rng = np.random.default_rng(seed)
    for layer in model:
        if isinstance(layer, nn.Linear):
            layer.bias.data.normal_(std=0.3)
    return model, rng.normal(size=(n, widths[0])), rng.integers(0, widths[-1], size=n)


def plainly(model, x, y, loss: str, point: tuple[float, float], directions) -> float:
    """The loss of the network at a point, without anything that the surface uses."""
    f = from_torch(moved(model, *zip(point, directions, strict=True)))(x)
    if loss == "cross-entropy":
        return float(np.mean(np.log(np.exp(f).sum(axis=1)) - f[np.arange(len(f)), y]))
    residual = f - np.eye(f.shape[1])[y]
    return float(np.mean(residual**2) if loss == "squared" else np.mean(np.abs(residual)))


@pytest.mark.parametrize("loss", ["squared", "absolute", "cross-entropy"])
@pytest.mark.parametrize("widths", [(3, 4), (3, 7, 4), (3, 7, 5, 4), (3, 6, 5, 6, 4)])
def test_rows_that_are_swept_agree_with_networks_at_their_points(widths: tuple[int, ...], loss: str) -> None:
    model, x, y = setting(widths)
    d = tuple(random_direction(model, seed=s) for s in (0, 1))
    surface = loss_surface(model, x, y, d, loss=loss, coarse=8, levels=0, reach=1.5)
    for i, j in [(0, 0), (0, 8), (3, 5), (4, 4), (6, 1), (8, 7)]:
        expected = plainly(model, x, y, loss, (surface.u[i], surface.v[j]), d)
        assert surface.values[i, j] == pytest.approx(expected, rel=1e-10)


def test_leaky_units_and_slopes_of_their_own_are_swept_as_well() -> None:
    _, x, y = setting()
    prelu = nn.PReLU(5)
    prelu.weight.data = prelu.weight.data.new_tensor([0.1, -0.4, 0.7, 1.3, 0.0])
    model = nn.Sequential(nn.Linear(3, 7), nn.LeakyReLU(0.2), nn.Linear(7, 5), prelu, nn.Linear(5, 4)).double()
    directions = []
    for seed in (0, 1):
        drawn = random_direction(model, seed=seed)
        directions.append(type(drawn)({k: (0 * p if k.startswith("3") else p) for k, p in drawn.parts.items()}))
    surface = loss_surface(model, x, y, tuple(directions), loss="squared", coarse=7, levels=0)
    for i, j in [(0, 7), (2, 3), (7, 7)]:
        assert surface.values[i, j] == pytest.approx(
            plainly(model, x, y, "squared", (surface.u[i], surface.v[j]), directions), rel=1e-10
        )


class _Residual(nn.Module):
    """The input is read again behind the first layer that moves, and windows are padded on one side only."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.pad = nn.Conv2d(2, 3, 3, padding=1), nn.ZeroPad2d((1, 0, 0, 2))
        self.second, self.last = nn.Conv2d(3, 2, 3, stride=2, bias=False), nn.Linear(18, 4)

    def forward(self, x):
        h = self.second(self.pad(nn.functional.leaky_relu(self.first(x), 0.1)))
        return self.last(nn.functional.relu(h[:, :, :3, :3] + x[:, :, ::2, ::2]).flatten(1))


MAPS = {
    "pooled": lambda: nn.Sequential(
        nn.Conv2d(2, 3, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(3, 5, 2, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(45, 4)
    ),
    "overlapping windows, no rectifier": lambda: nn.Sequential(
        nn.Conv2d(2, 3, 3, dilation=2), nn.MaxPool2d(2, 1), nn.Conv2d(3, 4, 1), nn.MaxPool2d(2, padding=1), nn.Flatten()
    ),
    "residual": _Residual,
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", MAPS)
def test_convolutional_networks_are_evaluated_at_their_points(name: str, dtype: type, monkeypatch) -> None:
    import torch

    monkeypatch.setattr("plica.landscape._plane_points.ROOM", 700)  # a few samples at a time
    with torch.random.fork_rng():
        torch.manual_seed(4)
        model = MAPS[name]().double()
    x = np.random.default_rng(4).normal(size=(20, 2, 6, 6))
    y = np.arange(20) % 4
    d = tuple(random_direction(model, seed=s) for s in (0, 1))
    surface = loss_surface(model, x, y, d, loss="cross-entropy", coarse=4, levels=0, dtype=dtype)
    for i, j in [(0, 0), (1, 3), (2, 2), (4, 1)]:
        f = moved(model, (surface.u[i], d[0]), (surface.v[j], d[1]))(torch.from_numpy(x)).detach().numpy()
        expected = float(np.mean(np.log(np.exp(f).sum(axis=1)) - f[np.arange(20), y]))
        assert surface.values[i, j] == pytest.approx(expected, rel=1e-10 if dtype == np.float64 else 1e-5)


def test_without_torch_convolutions_are_multiplied_by_numpy(monkeypatch) -> None:
    model = MAPS["pooled"]().double()
    x, y = np.random.default_rng(4).normal(size=(20, 2, 6, 6)), np.arange(20) % 4
    d = tuple(random_direction(model, seed=s) for s in (0, 1))
    with_torch = loss_surface(model, x, y, d, loss="squared", coarse=2, levels=0)
    monkeypatch.setattr("plica.landscape._plane_points.torch_convolution", lambda: None)
    without = loss_surface(model, x, y, d, loss="squared", coarse=2, levels=0)
    np.testing.assert_allclose(without.values, with_torch.values, rtol=1e-12)


@pytest.mark.parametrize("is_rectified", [True, False])
def test_the_first_folds_are_those_of_their_definition(is_rectified: bool) -> None:
    from plica.landscape._sweep_kernels import enter

    rng = np.random.default_rng(0)
    base, slope, out = rng.normal(size=(3, 50)), rng.normal(size=(3, 50)), np.empty(50)
    enter(base, slope, 0.7, is_rectified, out)
    expected = (base + 0.7 * slope).max(axis=0)
    np.testing.assert_allclose(out, np.maximum(expected, 0) if is_rectified else expected, rtol=1e-14)


def test_points_of_a_refined_surface_are_those_of_a_fine_one_and_its_error_is_seen() -> None:
    model, x, y = setting()
    d = tuple(random_direction(model, seed=s) for s in (0, 1))
    fine = loss_surface(model, x, y, d, loss="cross-entropy", coarse=16, levels=0)
    found = loss_surface(model, x, y, d, loss="cross-entropy", coarse=4, levels=2, tolerance=0.05)
    np.testing.assert_allclose(found.values[found.sampled], fine.values[found.sampled], rtol=1e-10)
    assert found.n_evaluations == found.sampled.sum() < fine.n_evaluations
    between = np.abs(found.values - fine.values)[~found.sampled]
    assert between.max() <= 2 * found.tolerance
    whole = loss_surface(model, x, y, d, loss="cross-entropy", coarse=4, levels=2, tolerance=0.0)
    assert whole.sampled.all()
    np.testing.assert_allclose(whole.values, fine.values, rtol=1e-10)
    last = np.abs(fine.values[1::2, ::2] - (fine.values[2::2, ::2] + fine.values[:-2:2, ::2]) / 2)
    assert whole.error >= last.max() * (1 - 1e-9)


def test_single_precision_is_near_double_precision() -> None:
    model, x, y = setting()
    d = tuple(random_direction(model, seed=s) for s in (0, 1))
    one, two = (loss_surface(model, x, y, d, loss="cross-entropy", coarse=9, levels=0, dtype=t) for t in (np.float32, np.float64))
    np.testing.assert_allclose(one.values, two.values, rtol=1e-5)
    assert np.abs(one.values - two.values).max() > 0


def test_an_interrupted_surface_continues_where_it_was(tmp_path: Path) -> None:
    model, x, y = setting()
    d = tuple(random_direction(model, seed=s) for s in (0, 1))
    settings = {"loss": "cross-entropy", "coarse": 8, "levels": 1}
    whole = loss_surface(model, x, y, d, **settings)
    seen: list[dict] = []

    def stop(told: dict) -> None:
        seen.append(told)
        if len(seen) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        loss_surface(model, x, y, d, store=tmp_path, progress=stop, **settings)
    before = {p.name: p.stat().st_mtime_ns for p in tmp_path.iterdir()}
    assert len(before) == 5 and seen[-1]["n_evaluations"] == 45 and seen[-1]["n_rows"] == 9
    again = loss_surface(model, x, y, d, store=tmp_path, **settings)
    np.testing.assert_array_equal(again.values, whole.values)
    assert all((tmp_path / name).stat().st_mtime_ns == when for name, when in before.items())
    other = loss_surface(model, x, y, d, store=tmp_path, **(settings | {"loss": "squared"}))
    assert abs(other.values - whole.values).max() > 1e-3
    next(tmp_path.iterdir()).write_bytes(b"broken")
    np.testing.assert_array_equal(loss_surface(model, x, y, d, store=tmp_path, **settings).values, whole.values)
    with pytest.raises(BudgetExceeded):
        loss_surface(model, x, y, d, budget=Budget(max_seconds=1e-9), **settings)
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="not a folder"):
        loss_surface(model, x, y, d, store=tmp_path / "file", **settings)


def test_surfaces_are_written_as_files_that_other_tools_read(tmp_path: Path) -> None:
    meshio = pytest.importorskip("meshio")
    model, x, y = setting()
    d = tuple(random_direction(model, seed=s) for s in (0, 1))
    surface = loss_surface(model, x, y, d, loss="cross-entropy", coarse=4, levels=0)
    points, triangles = surface.triangles()
    flat = points[triangles][:, :, :2]
    sides = flat[:, 1:] - flat[:, :1]
    areas = (sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0]) / 2
    assert areas.min() > 0 and areas.sum() == pytest.approx(4.0)  # they cover the square once
    for name in ("surface.vtk", "surface.ply", "surface.obj"):
        surface.to_meshio().write(tmp_path / name)
        read = meshio.read(tmp_path / name)
        np.testing.assert_allclose(read.points[:, 2].reshape(5, 5), surface.values, rtol=1e-6)
        assert len(read.cells_dict["triangle"]) == 32
