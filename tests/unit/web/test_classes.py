"""Tables with more than two classes: one score for each, trained by cross-entropy."""

import numpy as np
import pytest
from patience import patient

import plica
from plica.errors import InvalidInput
from plica.web import Limits, State
from plica.web._picture import picture
from plica.web._scene import scene_of

NAMES = ("cat", "dog", "emu")
LINK = f"data=csv&csv={'a' * 64}&widths=8"


def table(digest=""):
    rng = np.random.default_rng(0)
    centers = np.array([[0.0, 2.0], [2.0, -1.0], [-2.0, -1.0]])
    rows = [(*(centers[i % 3] + 0.3 * rng.standard_normal(2)), NAMES[i % 3]) for i in range(60)]
    return "\n".join(f"{x},{y},{name}" for x, y, name in rows).encode()


def test_three_classes_are_learned_and_named():
    scene = scene_of(State.from_query(f"{LINK}&step=200"), table)
    facts, arrays = picture(scene, Limits(max_seconds=patient(30)))
    assert facts["class_names"] == list(NAMES) and facts["n_outputs"] == 3 and arrays["outputs"].shape[1] == 3
    right = scene.network(scene.problem.points).argmax(axis=1) == scene.problem.targets
    assert right.mean() > 0.95 and facts["loss"] < 0.3
    whole = plica.decompose(scene.network, scene.domain())
    assert facts["n_cells"] == whole.n_cells


def test_the_loss_is_the_cross_entropy_of_the_scores():
    scene = scene_of(State.from_query(LINK), table)
    out = scene.network(scene.problem.points)
    log_sum = np.log(np.exp(out).sum(axis=1))
    expected = (log_sum - out[np.arange(60), scene.problem.targets.astype(int)]).mean()
    assert scene.loss == pytest.approx(expected)


def test_what_needs_one_output_is_refused():
    with pytest.raises(InvalidInput, match="3 classes"):
        scene_of(State.from_query(f"{LINK}&init=folding"), table)
    with pytest.raises(InvalidInput, match="outputs 0 to 2"):
        scene_of(State.from_query(f"{LINK}&output=3"), table)
