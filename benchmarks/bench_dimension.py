"""Intrinsic dimension of MNIST: processor seconds beside scikit-dimension in the same run, memory, and the table of digits.

    python benchmarks/bench_dimension.py [--rows 60000] [--without-peer]

Needs MNIST in a folder of PLICA_DATA.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from collections.abc import Callable

import numpy as np

from plica.data import load
from plica.dimension import MLE, HeinAudibert, TwoNN


def seconds(call: Callable[[], float]) -> tuple[float, float]:
    started = time.process_time()
    value = call()
    return time.process_time() - started, float(value)


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=60_000)
    parser.add_argument("--without-peer", action="store_true")
    arguments = parser.parse_args()
    data = load("mnist")
    X = data.flat[: arguments.rows].astype(np.float64)
    TwoNN().fit(X[:300])  # compiles
    HeinAudibert().fit(X[:300])
    ours = {"TwoNN": seconds(lambda: TwoNN().fit(X).dimension_), "MLE": seconds(lambda: MLE().fit(X).dimension_)}
    for name, (cost, value) in ours.items():
        print(f"{name:8} {len(X)} x {X.shape[1]}: {value:.6f} in {cost:.1f} processor seconds", flush=True)
    print(f"memory at its peak: {megabytes():.0f} MB", flush=True)
    images, labels = np.concatenate([data.flat, data.flat_test]), np.concatenate([data.y, data.y_test])
    total, found = 0.0, []
    for digit in range(10):
        cost, value = seconds(lambda digit=digit: HeinAudibert(max_dimension=30).fit(images[labels == digit]).dimension_)
        total += cost
        found.append(int(value))
    print(f"Hein and Audibert, digits 0 to 9: {found} in {total:.1f} processor seconds", flush=True)
    if arguments.without_peer:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import skdim

        theirs = {
            "TwoNN": seconds(lambda: skdim.id.TwoNN().fit(X).dimension_),
            "MLE": seconds(lambda: skdim.id.MLE().fit(X).dimension_),
        }
    for name, (cost, value) in theirs.items():
        print(f"scikit-dimension {name:8}: {value:.6f} in {cost:.1f} processor seconds, {cost / ours[name][0]:.1f} times ours")


if __name__ == "__main__":
    main()
