"""``fit_kept``: train a chain of dense layers of which only kept weights exist."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isfinite
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.learn import BatchSampler, Fit, History, Settings, Stepper
from plica.sparse import _kept_kernels as kernels
from plica.sparse._kept_chain import KeptChain, cross_entropy

if TYPE_CHECKING:
    from torch import Tensor, nn

_CHUNK = 2000  # images looked at together


def fit_kept(
    model: nn.Module,
    masks: Mapping[str, Tensor],
    data: Any,
    *,
    validation: tuple[Any, Any] | None = None,
    look_every: int | None = None,
    keep_best: bool = False,
    **settings: Any,
) -> Fit:
    """Train kept weights of a chain of dense layers in place, by cross-entropy: the steps of ``fit`` within ``kept``, faster.

    Weights that masks take away are neither multiplied nor moved nor remembered where few are left, which is several times
    faster (``benchmarks/bench_sparse.py``).

    Parameters
    ----------
    model, masks
        As :class:`KeptChain` takes them.
    data
        A :class:`plica.data.Dataset` with classes, or a pair (x, y). A test set is looked at and never used to choose anything.
    validation
        Points to look at beside it.
    look_every
        Steps between two looks; an epoch if not given.
    keep_best
        Whether the module gets the weights of the look with the smallest loss on ``validation`` instead of the last ones.
    settings
        ``epochs`` or ``steps``, ``batch``, ``optimizer``, ``rate``, ``schedule``, ``seed`` as in :func:`plica.learn.fit`.

    Examples
    --------
    >>> import plica
    >>> from plica.learn import mlp
    >>> from plica.sparse import prune
    >>> digits = plica.data.load("digits").split(0.8, seed=0)
    >>> model = mlp([64, 100, 30, 10], seed=0, flatten=True)
    >>> masks = prune(model, "magnitude", 0.1, scope="erk")
    >>> fit_kept(model, masks, digits, epochs=5, rate=0.01)
    <Fit finished after 225 steps: loss ..., accuracy ..., test_accuracy 0.8...; ... s>
    """
    import torch

    unknown = set(settings) - {"epochs", "steps", "batch", "optimizer", "rate", "schedule", "seed"}
    if unknown:
        raise InvalidInput(f"fit_kept has no setting {sorted(unknown)[0]!r}.", hint="plica.learn.fit within plica.sparse.kept")
    if keep_best and validation is None:
        raise InvalidInput("keep_best without validation.", hint="validation=(x, y): points that are not trained with")
    how, chain = Settings(**settings), KeptChain(model, masks)
    x, y = _points(data.x, data.y) if hasattr(data, "x") else _points(*data)
    held = {} if validation is None else {"validation": _points(*validation)}
    if getattr(data, "x_test", None) is not None:
        held["test"] = _points(data.x_test, data.y_test)
    sampler = BatchSampler(len(x), how.batch, seed=how.seed)
    n_steps = how.steps or how.epochs * sampler.per_epoch
    every = look_every or sampler.per_epoch
    started, history, best = (perf_counter(), process_time()), History(), (inf, chain.vector.copy())
    total, right, n = 0.0, 0, 0

    def gradient(step: int) -> tuple[float, list[Array]]:
        nonlocal total, right, n
        rows = sampler.rows(step)
        columns = np.empty((x.shape[1], len(rows)), dtype=np.float32)
        kernels.gather(x, rows, columns)
        with np.errstate(over="ignore", invalid="ignore"):  # the stepper stops at what is not finite
            loss, found = chain.gradient(columns, y[rows])
        total, right, n = total + loss * len(rows), right + chain.n_right, n + len(rows)
        return loss, found

    def look() -> None:
        nonlocal total, right, n, best
        row: dict[str, Any] = {"step": stepper.step, "epoch": stepper.step // sampler.per_epoch}
        row |= {"loss": total / n, "accuracy": right / n} if n else {}
        for name, points in held.items():
            row |= _score(name, chain, *points)
        history.rows.append(row)
        total, right, n = 0.0, 0, 0
        if keep_best and row["validation_loss"] < best[0]:
            best = (row["validation_loss"], chain.vector.copy())

    stepper = Stepper([chain.vector], gradient, optimizer=how.chosen, rate=lambda step: how.rate_at(step, n_steps))
    look()
    stopped = "finished"
    while stepper.step < n_steps:
        if not isfinite(stepper.advance()):
            stopped = f"diverged in step {stepper.step + 1}"
            break
        if stepper.step % every == 0 or stepper.step == n_steps:
            look()
    if keep_best:
        chain.vector[:] = best[1]
    chain.write()
    seconds, processor = perf_counter() - started[0], process_time() - started[1]
    shape = np.shape(data.x if hasattr(data, "x") else data[0])[1:]
    return Fit(model, history, stopped, {}, (), stepper.step, seconds, processor, torch.zeros(1, *shape))


def _points(x: Any, y: Any) -> tuple[Array, Array]:
    """Rows of float32, and classes."""
    values, classes = np.asarray(x, dtype=np.float32), np.asarray(y)
    if classes.dtype.kind not in "iu" or len(values) != len(classes) or not len(classes):
        raise InvalidInput(f"{len(values)} points, {classes.shape} targets of {classes.dtype}.", hint="a class for each point")
    return np.ascontiguousarray(values.reshape(len(values), -1)), classes.astype(np.int64)


def _score(name: str, chain: KeptChain, x: Array, y: Array) -> dict[str, float]:
    total, right = 0.0, 0
    for start in range(0, len(x), _CHUNK):
        part, classes = x[start : start + _CHUNK], y[start : start + _CHUNK]
        out = chain.outputs(np.ascontiguousarray(part.T))
        total += cross_entropy(out, classes)[0] * len(classes)
        right += int((out.argmax(axis=0) == classes).sum())
    return {f"{name}_loss": total / len(x), f"{name}_accuracy": right / len(x)}
