"""One protocol for all methods: the same model, data, order of batches, schedule and length of training; only masks differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plica.errors import InvalidInput
from plica.learn import SGD, Fit, fit
from plica.sparse._dynamic import Dynamic
from plica.sparse._gradual import Gradual
from plica.sparse._kept_chain import is_dense_chain
from plica.sparse._kept_fit import fit_kept
from plica.sparse._masks import Masks, densities, density, full_masks, is_collapsed, kept, masks_of, weights
from plica.sparse._prune import METHODS, prune
from plica.sparse._structured import prune_units
from plica.sparse._tickets import find_tickets, layer_rates
from plica.theory.sparsity import ticket_density

if TYPE_CHECKING:
    from torch import nn

TRAININGS = (
    "dense",
    *METHODS,
    "layer-magnitude",
    "layer-random",
    "trained-magnitude",
    "trained-units",
    "gradual",
    "set",
    "rigl",
    "tickets",
)
"""What :func:`sparse_fit` knows, beside scores at the initialization: see there."""


@dataclass(frozen=True)
class Protocol:
    """How long and how all methods train: SGD with momentum and decay, rates that fall as a cosine."""

    epochs: int = 10
    batch: int = 100
    rate: float = 0.1
    momentum: float = 0.9
    weight_decay: float = 5e-4
    batch_of_scores: int = 1000

    def fit(self, model: nn.Module, data: Any, *, seed: int, epochs: int | None = None, **more: Any) -> Fit:
        """One training."""
        return fit(model, data, **self._settings(seed, epochs), **more)

    def fit_masked(self, model: nn.Module, masks: Masks, data: Any, *, seed: int, epochs: int | None = None) -> Fit:
        """One training with masks that stay: of kept weights alone, where the model is a chain of dense layers."""
        if is_dense_chain(model) and _has_classes(data):
            return fit_kept(model, masks, data, **self._settings(seed, epochs))
        with kept(model, masks):
            return self.fit(model, data, seed=seed, epochs=epochs)

    def _settings(self, seed: int, epochs: int | None) -> dict[str, Any]:
        return {
            "epochs": self.epochs if epochs is None else epochs,
            "batch": self.batch,
            "optimizer": SGD(momentum=self.momentum, weight_decay=self.weight_decay),
            "rate": self.rate,
            "schedule": "cosine",
            "seed": seed,
        }


@dataclass(frozen=True, eq=False)
class SparseFit:
    """A sparse training that ended.

    Attributes
    ----------
    model
        The module, with zeros where masks took weights away.
    masks
        Which weights it has.
    accuracy
        On the test set that the data came with; None where there is none.
    epochs
        Of training that were needed in all: more than the protocol's for tickets.
    curve
        For tickets: the density and accuracy of every round.
    """

    model: nn.Module
    method: str
    masks: Masks
    accuracy: float | None
    epochs: int
    last: Fit
    curve: list[tuple[float, float | None]] = field(default_factory=list)

    @property
    def density(self) -> float:
        return density(self.masks)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as sweeps store them."""
        return {
            "accuracy": self.accuracy,
            "density": self.density,
            "densities": densities(self.masks),
            "is_collapsed": is_collapsed(self.masks),
            "epochs": self.epochs,
            "processor_seconds": self.last.processor_seconds,
            "curve": [[d, a] for d, a in self.curve],
        }

    def __repr__(self) -> str:
        right = "" if self.accuracy is None else f", accuracy {self.accuracy:.4f}"
        return f"<SparseFit {self.method}: {self.density:.2%} of the weights{right}, {self.epochs} epochs>"


def sparse_fit(
    model: nn.Module,
    data: Any,
    *,
    method: str,
    density: float = 1.0,
    protocol: Protocol | None = None,
    seed: int = 0,
) -> SparseFit:
    """Train a module in place so that a share of its weights is left, by any method and one protocol.

    Parameters
    ----------
    model
        At its initialization.
    data
        A :class:`plica.data.Dataset`, or what :func:`plica.learn.fit` takes.
    method
        ``"dense"``; scores at the initialization: ``"magnitude"``, ``"random"``, ``"snip"``, ``"grasp"``, ``"synflow"``, and
        ``"layer-magnitude"`` and ``"layer-random"`` with Erdős-Rényi's densities; ``"trained-magnitude"`` and
        ``"trained-units"``, for which half of the epochs go before and half after pruning; ``"gradual"``, ``"set"``, ``"rigl"``
        while training; ``"tickets"``, which train anew after each round.
    density
        The share of the weights in the end; tickets take the first round that has no more.
    protocol
        The length and the rates of training, the same for all.
    seed
        Of the order of batches, of random scores and of the batch on which scores are taken.

    Examples
    --------
    >>> import plica
    >>> from plica.learn import mlp
    >>> digits = plica.data.load("digits").split(0.8, seed=0)
    >>> found = sparse_fit(mlp([64, 100, 30, 10], flatten=True), digits, method="rigl", density=0.1, protocol=Protocol(epochs=3))
    >>> found
    <SparseFit rigl: 10.00% of the weights, accuracy ..., 3 epochs>
    """
    if method not in TRAININGS:
        raise InvalidInput(f"method = {method!r}.", hint=f"one of {', '.join(TRAININGS)}")
    if not 0 < density <= 1:
        raise InvalidInput(f"density = {density}.", hint="a share of the weights, in (0, 1]")
    how = Protocol() if protocol is None else protocol
    if method == "tickets":
        return _tickets(model, data, density, how, seed)
    if method in ("set", "rigl", "gradual"):
        return _while_training(model, data, method, density, how, seed)
    if method.startswith("trained-"):
        if how.epochs < 2:
            raise InvalidInput(f"{method} with {how.epochs} epoch.", hint="at least two: before and after pruning")
        how.fit(model, data, seed=seed, epochs=how.epochs - how.epochs // 2)
        masks = prune_units(model, density) if method == "trained-units" else prune(model, "magnitude", density)
        last = how.fit_masked(model, masks, data, seed=seed + 1, epochs=how.epochs // 2)
        return SparseFit(model, method, masks, _accuracy(last), how.epochs, last)
    masks = _at_start(model, data, method, density, how, seed)
    last = how.fit_masked(model, masks, data, seed=seed)
    return SparseFit(model, method, masks, _accuracy(last), how.epochs, last)


def _has_classes(data: Any) -> bool:
    import numpy as np

    y = data.y if hasattr(data, "x") else data[1]
    return np.asarray(y).dtype.kind in "iu" and int(np.max(y)) > 1


def _accuracy(found: Fit) -> float | None:
    value = found.history.last.get("test_accuracy")
    return None if value is None else float(value)


def _at_start(model: nn.Module, data: Any, method: str, density: float, how: Protocol, seed: int) -> Masks:
    if method == "dense":
        return full_masks(model)
    scope = "erk" if method.startswith("layer-") else "global"
    return prune(
        model, method.removeprefix("layer-"), density, scope=scope, data=_batch(data, how.batch_of_scores, seed), seed=seed
    )


def _batch(data: Any, n: int, seed: int) -> tuple[Any, Any]:
    """Some points of the data, drawn without repetition."""
    import numpy as np
    import torch

    x, y = (data.x, data.y) if hasattr(data, "x") else data
    rows = np.random.default_rng(seed).permutation(len(x))[:n]
    inputs, targets = torch.as_tensor(x)[rows], torch.as_tensor(y)[rows]
    return inputs.to(torch.get_default_dtype()), targets


def _while_training(model: nn.Module, data: Any, method: str, density: float, how: Protocol, seed: int) -> SparseFit:
    x = data.x if hasattr(data, "x") else data[0]
    per_epoch = -(-len(x) // how.batch)
    n_steps = how.epochs * per_epoch
    end = max(1, 3 * n_steps // 4)
    if method == "gradual":
        masks = full_masks(model)
        with kept(model, masks):
            last = how.fit(model, data, seed=seed, after_step=Gradual(masks, density, every=min(100, per_epoch), end=end))
        return SparseFit(model, method, masks, _accuracy(last), how.epochs, last)
    masks = prune(model, "random", density, scope="erk", seed=seed)
    moving = Dynamic(masks, method, every=per_epoch if method == "set" else min(100, per_epoch), end=end, seed=seed)
    with moving.kept(model):
        last = how.fit(model, data, seed=seed, after_step=moving)
    return SparseFit(model, method, masks, _accuracy(last), how.epochs, last)


def _tickets(model: nn.Module, data: Any, density: float, how: Protocol, seed: int) -> SparseFit:
    rates = layer_rates(model, 0.2)
    sizes = [w.numel() for w in weights(model).values()]
    rounds = next(k for k in range(10_000) if ticket_density(sizes, list(rates.values()), k) <= density)
    found = find_tickets(model, lambda m: how.fit_masked(m, masks_of(m), data, seed=seed), rounds=rounds, rate=rates)
    last = found[-1]
    curve = [(t.density, _accuracy(t.result)) for t in found]
    return SparseFit(model, "tickets", last.masks, _accuracy(last.result), how.epochs * len(found), last.result, curve)
