"""``fit``: train a torch module and watch its geometry."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plica.learn._history import History, Row
from plica.learn._losses import Loss
from plica.learn._objectives import Objective
from plica.learn._optimizers import Optimizer
from plica.learn._probes import Probe, exact_network
from plica.learn._progress import show
from plica.learn._run import Run
from plica.learn._schedules import Schedule
from plica.learn._settings import After, Metric, Penalty, Settings
from plica.learn._stepper import Rate
from plica.learn._torch_optimizer import Maker

if TYPE_CHECKING:
    from torch import nn

    from plica.network import Network


@dataclass(frozen=True, repr=False)
class Fit:
    """A training that ended.

    Attributes
    ----------
    model
        The module that was given, trained (with ``patience``: in its best state; diverged: in its last good state, of more than
        100,000 parameters in a good one at most eight steps before it).
    history
        The table of everything seen.
    stopped
        Why it ended: ``"finished"``, ``"no progress for ... epochs"`` or ``"diverged in step ..."``.
    costs
        For each probe, how often it looked and how many seconds that took.
    probes
        The probes, with what they kept.
    seconds, processor_seconds
        Of the whole training, probes included: by the clock, and of the processor.
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
    processor_seconds: float
    example: Any

    @property
    def is_diverged(self) -> bool:
        return self.stopped.startswith("diverged")

    @property
    def network(self) -> Network:
        """The trained module as an exact network."""
        mode = self.model.training
        self.model.eval()
        try:
            return exact_network(self.model, self.example)
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
    optimizer: str | Optimizer | Maker = "adam",
    rate: float | Rate = 1e-3,
    schedule: str | Schedule = "constant",
    loss: str | Loss | None = None,
    objective: Objective | None = None,
    penalty: Penalty | None = None,
    after_step: After | None = None,
    clip_norm: float | None = None,
    decay: str = "all",
    accumulate: int = 1,
    autocast: str | None = None,
    metrics: Mapping[str, Metric] | None = None,
    seed: int = 0,
    validation: Any = None,
    patience: int | None = None,
    probes: Sequence[Probe] = (),
    log_every: int | None = None,
    threads: int | None = 1,
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
        A :class:`plica.data.Dataset` or a pair (x, y). A model of several inputs takes a tuple x, or a dictionary by the names
        of its arguments. A published test set is evaluated after every epoch and never used to choose anything. Or a function
        from the number of a step to its batch, which can be anything that ``objective`` understands. Or a ``DataLoader`` of torch
        with batches (x, y), or any that ``objective`` understands; its order is that of the seed.
    epochs, steps
        How long; ``steps`` counts batches and, if given, decides. Data drawn by a function need it: they have no epochs.
    batch
        Points for each step.
    optimizer, rate, schedule
        ``"sgd"``, ``"momentum"``, ``"nesterov"``, ``"adagrad"``, ``"adagrad-norm"``, ``"rmsprop"``, ``"adam"``, ``"adamw"`` or an
        :class:`Optimizer`; the rate, a number or a function of the step such as :func:`warm_up`; and ``"constant"``,
        ``"cosine"``, ``"linear"``, ``"one-cycle"``, ``"stairs"`` or a function of the share of the training that is done. Or a
        function from the model to an optimizer of torch, with rates and groups of its own, which the schedule multiplies.
    loss
        ``"cross-entropy"``, ``"logistic"``, ``"squared"``, ``"absolute"`` or a function of output and target; chosen by the data
        if not given.
    objective
        Instead of a loss: a differentiable function of the model and a batch.
    penalty
        A differentiable function of the model, added to the loss.
    after_step
        Called with the model and the number of steps made after each of them; what it does to the parameters counts.
    clip_norm
        Gradients longer than this are shortened to it.
    decay
        What the optimizer's weight decay acts on: ``"all"``, or ``"matrices"``, all but biases and the scales of norms.
    accumulate
        Batches whose gradients make one step.
    autocast
        ``"bfloat16"`` or ``"float16"``: products in these numbers while training; weights stay as they are.
    metrics
        More columns on held-out data: functions of outputs and targets that give a mean over points.
    seed
        Of the order of the points and of dropout.
    validation
        A share of the data to hold out, a pair (x, y) or a ``DataLoader``, evaluated after every epoch.
    patience
        Stop when the validation loss (or the training loss) has not improved for this many epochs; the best state is kept.
    probes
        Looks at the geometry: :class:`Regions`, :class:`FoldDistance`, :class:`PathLength`, :class:`Patterns`,
        :class:`Jacobians`, :class:`Measure`.
    log_every
        A row after every so many steps, beside those after every epoch; with 1 the history holds the loss of every step.
    threads
        Of torch while it trains: one is fastest for small networks. None leaves torch as it is.
    checkpoint, checkpoint_every, resume
        A ``.safetensors`` file that is written after every so many epochs (steps, where there are no epochs); with ``resume``
        the run goes on from it, bit for bit as if it had not been interrupted. One of another run is refused: other data,
        settings, parameters, loss or penalty.
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
        objective=objective,
        penalty=penalty,
        after_step=after_step,
        clip_norm=clip_norm,
        decay=decay,
        accumulate=accumulate,
        autocast=autocast,
        metrics=metrics,
        seed=seed,
        validation=validation,
        patience=patience,
        probes=probes,
        log_every=log_every,
        threads=threads,
        checkpoint=checkpoint,
        checkpoint_every=checkpoint_every,
        resume=resume,
    )
    run = Run(model, data, settings)
    tell = show() if progress is True else progress or None
    for row in run:
        if tell is not None:
            tell(row)
    return Fit(
        model,
        run.history,
        run.stopped,
        run.costs,
        tuple(settings.probes),
        run.step,
        run.seconds,
        run.processor_seconds,
        run.source.example,
    )
