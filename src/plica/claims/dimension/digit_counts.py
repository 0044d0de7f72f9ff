r"""MNIST has 6313 fives.

Claim
    The digits 0, ..., 9 of MNIST have 6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958 images.
Source
    The labels of MNIST: 5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949 to train and 980, 1135, 1032, 1010, 982,
    892, 958, 1028, 974, 1009 to test; corrects a table of Theories of Deep Learning, lecture 4 [oxford-lecture-4].
Prediction
    the counts of the claim, and 70000 in all
Measurement
    the sums of training and test labels by digit, as published with the data set
"""

from __future__ import annotations

from plica.claims import Evidence, row

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("slide-digit-counts",)
TRAINING = (5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949)
TEST = (980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009)
COUNTS = (6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958)


def check(scale: str) -> Evidence:
    rows = [row(TRAINING[k] + TEST[k], "=", COUNTS[k], digit=k) for k in range(10)]
    rows.append(row(sum(TRAINING), "=", 60_000, digit="all, training"))
    rows.append(row(sum(TEST), "=", 10_000, digit="all, test"))
    return Evidence(rows)
