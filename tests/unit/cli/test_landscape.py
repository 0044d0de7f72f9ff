"""``plica landscape`` on networks whose losses are known."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import plica
from plica.cli import app
from plica.landscape import permuted


@pytest.fixture
def files(tmp_path):
    net = plica.random_network([3, 6, 2], seed=0)
    other = permuted(net, [np.array([3, 5, 1, 0, 2, 4])])
    x = np.random.default_rng(0).normal(size=(20, 3))
    plica.save(net, tmp_path / "a.safetensors")
    plica.save(other, tmp_path / "b.safetensors")
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", np.argmax(net(x), axis=1))
    return tmp_path


def run(folder, *args):
    given = ["landscape", folder / "a.safetensors", "--data", folder / "x.npy", "--targets", folder / "y.npy", *args]
    return CliRunner().invoke(app, [str(a) for a in given])


def test_a_permuted_network_has_a_barrier_until_it_is_matched(files):
    plain, matched = (run(files, "--to", files / "b.safetensors", "--json", "-q", *more) for more in ((), ("--match",)))
    assert plain.exit_code == 0 == matched.exit_code, plain.output + matched.output
    before, after = (json.loads(r.stdout)["barrier"] for r in (plain, matched))
    assert before["low"] > 1e-3 and after["high"] < 1e-9


def test_a_line_and_a_plane_of_random_directions(files):
    line = run(files, "--plot", files / "line.svg", "--store", files / "parts")
    assert line.exit_code == 0 and "barrier" in line.stdout and (files / "line.svg").stat().st_size > 1000
    assert list((files / "parts").glob("*.npz"))
    plane = run(files, "--plane", "--json", "-q")
    assert plane.exit_code == 0 and json.loads(plane.stdout)["kind"] == "estimated"


def test_a_plane_is_kept_in_parts_and_written_as_a_mesh(files):
    meshio = pytest.importorskip("meshio")
    args = ("--plane", "--store", files / "rows", "--json", "-q")
    first = run(files, *args, "--mesh", files / "surface.ply")
    assert first.exit_code == 0, first.output
    kept = {p: p.stat().st_mtime_ns for p in (files / "rows").glob("*.npz")}
    again = run(files, *args, "--mesh", files / "surface.vtk")
    assert again.exit_code == 0 and kept and all(p.stat().st_mtime_ns == when for p, when in kept.items())
    a, b = (meshio.read(files / f"surface.{kind}").points for kind in ("ply", "vtk"))
    np.testing.assert_allclose(a, b)
    told = json.loads(again.stdout)
    assert (a[:, 2].min(), a[:, 2].max()) == pytest.approx((told["low"], told["high"]))
    line = run(files, "--mesh", files / "line.vtk", "--json", "-q")
    heights = meshio.read(files / "line.vtk").points[:, 1]
    assert line.exit_code == 0 and heights.max() <= json.loads(line.stdout)["maximum"]["high"] + 1e-12


@pytest.mark.parametrize(
    "args",
    [
        ["--mesh", "x.txt"],
        ["--mesh", "x.ply"],
        ["--match"],
        ["--plane", "--to", "a.safetensors"],
        ["--plot", "x.txt"],
        ["--loss", "hinge"],
    ],
)
def test_wrong_options_get_answers(files, args):
    result = run(files, *args)
    assert result.exit_code == 2
