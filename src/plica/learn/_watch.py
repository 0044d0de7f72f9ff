"""Probes in loops of others: a plain loop, Lightning, Hugging Face's Trainer; and what writes their rows elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from plica.errors import InvalidInput, MissingExtra
from plica.learn._history import History, Row
from plica.learn._probes import Probe

if TYPE_CHECKING:
    from torch import nn

Writer = Callable[[Row], None]
"""Gets each row; also what ``fit(progress=...)`` takes."""


class Watch:
    """Lets probes look at a model, each when it is due, and keeps what they saw.

    Parameters
    ----------
    probes
        What to look at. Their cadence counts calls (``unit="step"``) or the epochs that the calls name.
    writers
        Functions that get each row, such as :func:`to_tensorboard`.

    Examples
    --------
    >>> import torch, plica
    >>> from plica.learn import Regions, Watch, mlp
    >>> model, x = mlp([2, 8, 1], seed=0), torch.randn(16, 2)
    >>> watch = Watch([Regions(domain=plica.Box([-1, -1], [1, 1]), every=10, unit="step")])
    >>> for step in range(21):  # the loop that trains, whatever it does
    ...     _ = watch(model, x, loss=0.5)
    >>> watch.history["step"], watch.cost["regions"]["looks"]
    ([0, 10, 20], 3)
    """

    def __init__(self, probes: Sequence[Probe], *, writers: Sequence[Writer] = ()) -> None:
        self.probes, self.writers = list(probes), list(writers)
        names = [probe.name for probe in self.probes]
        if not names or len(set(names)) < len(names):
            raise InvalidInput(
                f"probes with the names {', '.join(names) or 'none'}.", hint="at least one, each with its own name"
            )
        self.history = History()
        self._n_calls, self._epoch = 0, -1
        for probe in self.probes:
            probe.begin()

    def __call__(self, model: nn.Module, x: Any, *, step: int | None = None, epoch: int = 0, **numbers: Any) -> Row | None:
        """Look if a probe is due; the row, or None.

        Parameters
        ----------
        x
            A batch of inputs, as the model takes them.
        step, epoch
            Where the training is; without a step, calls are counted.
        numbers
            More columns of the row, such as the loss.
        """
        now = self._n_calls if step is None else step
        is_new_epoch = epoch != self._epoch
        self._n_calls, self._epoch = self._n_calls + 1, epoch
        due = [p for p in self.probes if (p.unit == "step" or is_new_epoch) and p.is_due(now if p.unit == "step" else epoch)]
        if not due:
            return None
        row: Row = {"step": now, "epoch": epoch, **numbers}
        for probe in due:
            row |= probe.look(model, x, step=now, epoch=epoch)
        self.history.rows.append(row)
        for write in self.writers:
            write(row)
        return row

    @property
    def cost(self) -> dict[str, dict[str, float]]:
        """For each probe how often it looked and how many seconds that took."""
        return {probe.name: {"looks": probe.n_looks, "seconds": probe.seconds} for probe in self.probes}


def _numbers(row: Row) -> dict[str, float]:
    """The columns that are numbers and no places."""
    return {k: float(v) for k, v in row.items() if k not in ("step", "epoch") and isinstance(v, (int, float))}


def to_tensorboard(writer: Any, *, prefix: str = "plica") -> Writer:
    """Rows into TensorBoard: ``writer`` is a ``torch.utils.tensorboard.SummaryWriter``."""

    def write(row: Row) -> None:
        for name, value in _numbers(row).items():
            writer.add_scalar(f"{prefix}/{name}", value, row["step"])

    return write


def to_wandb(run: Any, *, prefix: str = "plica") -> Writer:
    """Rows into Weights & Biases: ``run`` is what ``wandb.init`` returned."""

    def write(row: Row) -> None:
        run.log({f"{prefix}/{name}": value for name, value in _numbers(row).items()}, step=row["step"])

    return write


def _inputs(batch: Any) -> Any:
    """What a model takes, of a batch (x, y), [x, y] or x."""
    return batch[0] if isinstance(batch, (tuple, list)) else batch


def lightning_callback(
    watch: Watch, *, module: Callable[[Any], nn.Module] | None = None, inputs: Callable[[Any], Any] = _inputs
) -> Any:
    """A callback for Lightning's ``Trainer``: the watch is asked after every batch; its rows are logged with the module's.

    Parameters
    ----------
    module
        From the LightningModule to what is looked at, ``lambda m: m.net``; itself if not given.
    inputs
        From a batch to the model's input; the first entry of a tuple if not given.
    """
    try:
        from lightning.pytorch import Callback
    except ImportError:
        raise MissingExtra("Lightning is not installed.", hint="pip install lightning") from None

    class Probes(Callback):  # type: ignore[misc]
        """Asks the watch."""

        def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
            model = pl_module if module is None else module(pl_module)
            row = watch(model, inputs(batch), step=trainer.global_step, epoch=trainer.current_epoch)
            if row is not None:
                pl_module.log_dict(_numbers(row), on_step=True, on_epoch=False)

    return Probes()


def trainer_callback(watch: Watch, x: Any, *, module: Callable[[Any], nn.Module] | None = None) -> Any:
    """A callback for Hugging Face's ``Trainer``: the watch is asked after every step; its rows join ``state.log_history``.

    Parameters
    ----------
    x
        An input with its batch axis, as the module takes it.
    module
        From the model to what is looked at, a head or a feed-forward layer; itself if not given.
    """
    try:
        from transformers import TrainerCallback
    except ImportError:
        raise MissingExtra("transformers is not installed.", hint="pip install transformers") from None

    class Probes(TrainerCallback):  # type: ignore[misc]
        """Asks the watch."""

        def on_step_end(self, args: Any, state: Any, control: Any, model: Any = None, **rest: Any) -> None:
            looked_at = model if module is None else module(model)
            row = watch(looked_at, x, step=state.global_step, epoch=int(state.epoch or 0))
            if row is not None:
                state.log_history.append(dict(row))

    return Probes()
