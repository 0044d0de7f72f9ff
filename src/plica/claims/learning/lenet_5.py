r"""LeNet-5.

Claim
    LeNet-5, with every map of its second convolution connected to all maps of the first, has 61,706 parameters; trained on
    MNIST it errs on 0.95 percent of the test images.
Source
    Y. LeCun, L. Bottou, Y. Bengio, P. Haffner, Gradient-Based Learning Applied to Document Recognition, Proc. IEEE 1998
    [lecun1998b], where the error is that after 20 epochs without distortions.
Prediction
    156 + 2,416 + 48,120 + 10,164 + 850 = 61,706 parameters; accuracy 0.9905, within the standard errors of test set and seeds
Measurement
    the parameters of the module; training with Adam at 0.001 and batches of 64 for 12 epochs (plica.learn.fit), with ReLU and
    average pooling; quick: the 8 x 8 digits, doubled in size, where more than 95 percent are expected
"""

from __future__ import annotations

import numpy as np

from plica.claims import Evidence, row
from plica.claims.learning._images import accuracies, accuracy_row, curve_figure, images, lenet_5
from plica.data import Dataset

EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("mnist-two-convolutions",)
N_PARAMETERS = 61_706
PRINTED = 0.9905


def check(scale: str) -> Evidence:
    like_mnist = Dataset("one image", np.zeros((1, 1, 28, 28), dtype=np.float32))
    n_parameters = sum(p.numel() for p in lenet_5(like_mnist, 0).parameters())
    rows = [row(n_parameters, "=", N_PARAMETERS, what="parameters")]
    data = images(scale, channel=True)
    assert data.x_test is not None
    n_test, is_full = len(data.x_test), scale == "full"
    epochs = 12 if is_full else 10
    seeds, batch, rate = (range(2), 64, 1e-3) if is_full else (range(1), 32, 5e-3)
    found = accuracies(lenet_5, data, epochs=epochs, seeds=seeds, batch=batch, rate=rate)
    last = found[:, epochs]
    rows.append(accuracy_row(last, "=" if is_full else ">=", PRINTED if is_full else 0.95, n_test=n_test, epochs=epochs))
    return Evidence(
        rows, draw=curve_figure({"LeNet-5": found}, [(epochs, PRINTED)] if is_full else ()), seed=0, reproduction=True
    )
