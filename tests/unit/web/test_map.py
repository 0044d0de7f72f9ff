"""Maps of answers in parts: colors are samples, the boundary is exact, quarters add up to the whole."""

import io

import numpy as np
import pytest
from patience import patient

import plica
from plica.errors import InvalidInput
from plica.network import to_bytes
from plica.web import Limits, State, _map
from plica.web._frames import pack, unpack
from plica.web._jobs import Jobs
from plica.web._map import SIDE, map_part
from plica.web._scene import scene_of

LIMITS = Limits(max_seconds=patient(60))


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """A part is not given up where kernels are compiled for the first time."""
    monkeypatch.setattr(_map, "PATIENCE_S", patient(60))


@pytest.fixture(scope="module")
def scene():
    """A convolutional network with max pooling on the plane through three random images."""
    torch = pytest.importorskip("torch")
    from torch import nn

    torch.manual_seed(0)
    module = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3))
    rows = np.random.default_rng(0).uniform(-3, 3, size=(3, 64))
    with torch.no_grad():  # no output is the largest everywhere
        module[4].bias -= module(torch.from_numpy(rows.astype(np.float32)).reshape(3, 1, 8, 8)).mean(0)
    network = plica.from_torch(module.eval(), example_input=torch.zeros(1, 1, 8, 8))
    npy = io.BytesIO()
    np.save(npy, rows)
    contents = {"a" * 64: to_bytes(network), "b" * 64: npy.getvalue()}
    return scene_of(State.from_query(f"data=model&model={'a' * 64}&rows={'b' * 64}&through=0,1,2"), contents.__getitem__)


def length(arrays):
    pairs = arrays["boundary"].reshape(-1, 2, 2).astype(float)
    return float(np.linalg.norm(pairs[:, 1] - pairs[:, 0], axis=1).sum())


def test_quarters_add_up_to_the_window_and_to_the_complex(scene):
    facts, whole = map_part(scene, "", LIMITS)
    assert facts["is_exact"] and length(whole) > 0.1
    quarters = [map_part(scene, digit, LIMITS)[1] for digit in "0123"]
    assert sum(map(length, quarters)) == pytest.approx(length(whole), rel=1e-5)
    a, b, c, d = scene.window
    segments = plica.decompose(scene.network, scene.domain()).decision_boundary()
    lengths = np.linalg.norm((segments[:, 1] - segments[:, 0]) / [b - a, d - c], axis=1)
    assert length(whole) == pytest.approx(lengths.sum(), rel=1e-5)


def test_colors_are_the_answers_at_the_middles_of_squares(scene):
    facts, arrays = map_part(scene, "21", LIMITS)
    a, b, c, d = facts["window"]
    assert arrays["answers"].shape == (SIDE, SIDE)
    for row, column in ((0, 0), (5, 40), (63, 63)):
        point = [a + (column + 0.5) / SIDE * (b - a), c + (row + 0.5) / SIDE * (d - c)]
        assert arrays["answers"][row, column] == scene.network(scene.domain().to_input([point])).argmax()


def test_what_takes_too_long_has_colors_and_asks_for_quarters(scene):
    facts, arrays = map_part(scene, "", Limits(max_cells=1))
    assert not facts["is_exact"] and not facts["is_last"] and "max_cells" in facts["message"]
    assert "answers" in arrays and "boundary" not in arrays


@pytest.mark.parametrize("name", ["4", "0x", "0" * 13, "-1"])
def test_a_part_that_is_none_is_refused(scene, name):
    with pytest.raises(InvalidInput, match="there is no part"):
        map_part(scene, name, LIMITS)


def test_a_worker_answers_a_part(tmp_path):
    reply, _ = Jobs(LIMITS, tmp_path).run(pack({"job": "map", "state": "widths=8-8&data=circles", "part": "3"}, {}))
    facts, arrays = unpack(reply)
    assert facts["ok"] and facts["is_exact"] and set(np.unique(arrays["answers"])) <= {0, 1}
