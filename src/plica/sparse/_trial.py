"""``trial``: one training of the protocol from plain values to plain values, as sweeps run and store them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from plica.data import load
from plica.errors import InvalidInput
from plica.sparse._architectures import NETWORKS
from plica.sparse._training import Protocol, sparse_fit


def trial(
    method: str,
    density: float,
    *,
    data: str = "mnist",
    network: str = "dense",
    hidden: Sequence[int] = (300, 100),
    epochs: int = 10,
    batch: int = 100,
    rate: float = 0.1,
    n_train: int | None = None,
    repetition: int = 0,
) -> dict[str, Any]:
    """Prune and train a network; the repetition is the seed of everything, the same for all methods.

    A sweep of it (:mod:`plica.sweeps`) is a table of methods and densities that survives interruptions. Its first weights, order
    of batches and schedule depend on ``repetition`` alone, so rows that share it differ by the masks and nothing else.

    Parameters
    ----------
    method, density
        As in :func:`sparse_fit`.
    data
        The name of a data set with classes (:func:`plica.data.load`); without a test set a fifth is held out.
    network
        ``"dense"``, ``"lenet-5"`` for gray images, or ``"resnet-8"`` for images with channels.
    hidden
        Widths of the hidden layers of a dense one; LeNet-300-100 unless given.
    epochs, batch, rate
        Of the :class:`Protocol`.
    n_train
        Only so many of the points to train with.
    repetition
        The seed.

    Examples
    --------
    >>> found = trial("snip", 0.2, data="digits", hidden=[20], epochs=2)
    >>> sorted(found)
    ['accuracy', 'curve', 'densities', 'density', 'epochs', 'is_collapsed', 'processor_seconds']
    """
    points = load(data)
    if points.x_test is None:
        points = points.split(0.8, seed=0)
    if n_train is not None:
        if not 1 <= n_train <= len(points.x):
            raise InvalidInput(f"n_train = {n_train}, the data has {len(points.x)} points.")
        points = replace(points, x=points.x[:n_train], y=None if points.y is None else points.y[:n_train])
    if network not in NETWORKS:
        raise InvalidInput(f"network = {network!r}.", hint=f"one of {', '.join(NETWORKS)}")
    model = NETWORKS[network](points, hidden, repetition)
    protocol = Protocol(epochs=epochs, batch=batch, rate=rate)
    return sparse_fit(model, points, method=method, density=density, protocol=protocol, seed=repetition).to_dict()
