"""Rows of one's own data as images to choose from."""

import hashlib
import io

import numpy as np
import pytest

import plica
from plica.errors import InvalidInput
from plica.network import to_bytes
from plica.web._images import MOST, images
from plica.web._state import State


def given(net, rows):
    buffer = io.BytesIO()
    np.save(buffer, rows)
    contents = {hashlib.sha256(c).hexdigest(): c for c in (to_bytes(net), buffer.getvalue())}
    model, data = contents
    return State(data="model", model=model, rows=data), contents.__getitem__


def test_images_are_the_rows_scaled_to_bytes_with_the_class_that_the_model_gives():
    net = plica.random_network([64, 5, 3], seed=0)
    rows = np.random.default_rng(0).uniform(-2, 5, (100, 64))
    state, file = given(net, rows)
    facts, arrays = images(state, 45, file)
    assert facts["first"] == MOST and facts["n_rows"] == 100 and facts["image"] == [1, 8, 8]
    wanted = 255 * (rows[MOST : 2 * MOST] - rows.min()) / np.ptp(rows)
    assert np.abs(arrays["images"] - wanted).max() <= 1
    assert facts["classes"] == net(rows[MOST : 2 * MOST]).argmax(axis=1).tolist()
    last, _ = images(state, 10**6, file)
    assert last["first"] == 2 * MOST and len(last["classes"]) == 20


def test_what_is_no_image_is_refused():
    net = plica.random_network([10, 5, 3], seed=0)
    state, file = given(net, np.zeros((4, 10)))
    with pytest.raises(InvalidInput, match="no images"):
        images(state, 0, file)
    with pytest.raises(InvalidInput, match="no rows"):
        images(State(), 0, file)
