r"""One hidden layer of 128 units reads handwritten digits.

Claim
    A 784-128-10 ReLU network classifies 97.8 percent of the test images of MNIST right after 12 epochs.
Source
    Summer@ICERM 2020, final presentation [icerm-2020]; the optimizer and the batch are not stated there.
Prediction
    0.978 after 12 epochs; more than the subspaces of claim mnist-subspaces
Measurement
    training with Adam at 0.001 and batches of 128 (plica.learn.fit), three seeds
Stand-in
    A 64-128-10 ReLU network classifies more than 90 percent of the 8 x 8 digits after 12 epochs, and more than after one.
"""

from __future__ import annotations

from plica.claims import Evidence
from plica.claims.learning._images import accuracies, accuracy_row, curve_figure, feed_forward, images

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("mnist-subspaces", "mnist-two-convolutions")
PRINTED = 0.978
EPOCHS = 12


def check(scale: str) -> Evidence:
    data = images(scale)
    assert data.x_test is not None
    n_test = len(data.x_test)
    is_full = scale == "full"
    found = accuracies(feed_forward, data, epochs=EPOCHS, seeds=range(3) if is_full else (0,), batch=128 if is_full else 16)
    rows = [accuracy_row(found[:, EPOCHS], "=" if is_full else ">=", PRINTED if is_full else 0.9, n_test=n_test, epochs=EPOCHS)]
    rows += [accuracy_row(found[:, e], "<=", float(found[:, EPOCHS].mean()), n_test=n_test, epochs=e) for e in (0, 1)]
    if is_full:
        rows.append(accuracy_row(found[:, EPOCHS], ">", 0.9583, n_test=n_test, epochs=EPOCHS, against="subspaces"))
    printed = [(EPOCHS, PRINTED)] if is_full else []
    return Evidence(rows, draw=curve_figure({"784-128-10" if is_full else "64-128-10": found}, printed), seed=0)
