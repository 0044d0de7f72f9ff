"""``fit``: train a torch module and watch its geometry."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plica.learn._history import History, Row
from plica.learn._losses import Loss
from plica.learn._optimizers import Optimizer
from plica.learn._probes import Probe
from plica.learn._progress import show
from plica.learn._run import Run
from plica.learn._schedules import Schedule
from plica.learn._settings import Penalty, Settings

if TYPE_CHECKING:
    from torch import Tensor, nn

    from plica.network import Network


@dataclass(frozen=True, repr=False)
class Fit:
    """A training that ended.

    Attributes
    ----------
    model
        The module that was given, trained (with ``patience``: in its best state; diverged: in its last good state).
    history
        The table of everything seen.
    stopped
        Why it ended: ``"finished"``, ``"no progress for ... epochs"`` or ``"diverged in step ..."``.
    costs
        For each probe, how often it looked and how many seconds that took.
    probes
        The probes, with what they kept.
    seconds
        Of the whole training, probes included.
    example
        One input, with batch axis.
    """

    model: nn.Module
    history: History
    stopped: str
    costs: dict[str, dict[str, float]]
    probes: tuple[Probe, ...]
    n_steps: int
    seconds: float
    example: Tensor

    @property
    def is_diverged(self) -> bool:
        return self.stopped.startswith("diverged")

    @property
    def network(self) -> Network:
        """The trained module as an exact network."""
        from plica.network import from_torch

        mode = self.model.training
        self.model.eval()
        try:
            return from_torch(self.model, example_input=self.example)
        finally:
            self.model.train(mode)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "stopped": self.stopped,
            "n_steps": self.n_steps,
            "seconds": self.seconds,
            "costs": self.costs,
            "history": self.history.to_dict(),
        }

    def __repr__(self) -> str:
        last = self.history.last
        shown = ", ".join(f"{k} {last[k]:.4g}" for k in ("loss", "accuracy", "validation_accuracy", "test_accuracy") if k in last)
        share = sum(cost["seconds"] for cost in self.costs.values()) / self.seconds if self.seconds else 0.0
        probes = f", {share:.0%} of it for {len(self.costs)} probes" if self.costs else ""
        return f"<Fit {self.stopped} after {self.n_steps:,} steps: {shown}; {self.seconds:.1f} s{probes}>"

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        return facts_html(self, {"stopped": self.stopped, "steps": self.n_steps, "seconds": self.seconds} | self.history.last)


def fit(
    model: nn.Module,
    data: Any,
    *,
    epochs: int = 10,
    steps: int | None = None,
    batch: int = 32,
    optimizer: str | Optimizer = "adam",
    rate: float = 1e-3,
    schedule: str | Schedule = "constant",
    loss: str | Loss | None = None,
    penalty: Penalty | None = None,
    clip_norm: float | None = None,
    seed: int = 0,
    validation: Any = None,
    patience: int | None = None,
    probes: Sequence[Probe] = (),
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: int = 1,
    resume: bool = False,
    progress: bool | Callable[[Row], None] = False,
) -> Fit:
    """Train a torch module in place and look at its geometry on the way.

    Parameters
    ----------
    model
        Any module. Dropout and batch normalization work while training and rest when probes look.
    data
        A :class:`plica.data.Dataset` or a pair (x, y). A published test set is evaluated after every epoch and never used
        to choose anything.
    epochs, steps
        How long; ``steps`` counts batches and, if given, decides.
    batch
        Points for each step.
    optimizer, rate, schedule
        ``"sgd"``, ``"momentum"``, ``"nesterov"``, ``"adagrad"``, ``"adagrad-norm"``, ``"rmsprop"``, ``"adam"``, ``"adamw"`` or an
        :class:`Optimizer`; the rate; and ``"constant"``, ``"cosine"``, ``"linear"``, ``"one-cycle"``, ``"stairs"`` or a function
        of the share of the training that is done.
    loss
        ``"cross-entropy"``, ``"logistic"``, ``"squared"`` or a function of output and target; chosen by the data if not given.
    penalty
        A differentiable function of the model, added to the loss.
    clip_norm
        Gradients longer than this are shortened to it.
    seed
        Of the order of the points and of dropout.
    validation
        A share of the data to hold out, or a pair (x, y), evaluated after every epoch.
    patience
        Stop when the validation loss (or the training loss) has not improved for this many epochs; the best state is kept.
    probes
        Looks at the geometry: :class:`Regions`, :class:`FoldDistance`, :class:`PathLength`, :class:`Patterns`,
        :class:`Jacobians`, :class:`Measure`.
    checkpoint, checkpoint_every, resume
        A ``.safetensors`` file that is written after every so many epochs; with ``resume`` the run goes on from it, bit for
        bit as if it had not been interrupted.
    progress
        True for a line on stderr after every look, or a function that gets each row.

    Examples
    --------
    >>> import plica
    >>> from plica.learn import Regions, fit, mlp
    >>> model = mlp([2, 16, 16, 1], seed=0)
    >>> square = Regions(domain=plica.Box([-1.5, -1.5], [2.5, 2.0]), every=5)
    >>> found = fit(model, plica.data.load("moons"), epochs=10, rate=0.01, probes=[square])
    >>> found
    <Fit finished after 130 steps: loss ..., accuracy ...; ... s, ... of it for 1 probes>
    >>> len([n for n in found.history["regions_n_regions"] if n])
    3
    """
    settings = Settings(
        epochs=epochs,
        steps=steps,
        batch=batch,
        optimizer=optimizer,
        rate=rate,
        schedule=schedule,
        loss=loss,
        penalty=penalty,
        clip_norm=clip_norm,
        seed=seed,
        validation=validation,
        patience=patience,
        probes=probes,
        checkpoint=checkpoint,
        checkpoint_every=checkpoint_every,
        resume=resume,
    )
    run = Run(model, data, settings)
    tell = show() if progress is True else progress or None
    for row in run:
        if tell is not None:
            tell(row)
    return Fit(model, run.history, run.stopped, run.costs, tuple(settings.probes), run.step, run.seconds, run.points.x[:1])
