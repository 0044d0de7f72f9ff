"""An open question, measured: does depth help networks of one size to generalize?

There is a table and a picture here, and no verdict. Theory does not settle the question, and what one data set shows is no proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

from plica.data import Dataset
from plica.errors import InvalidInput
from plica.learn._evaluate import evaluate
from plica.learn._fit import fit
from plica.learn._modules import mlp

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class GapRow:
    """One network: losses and accuracies on the points it was trained on and on test points."""

    depth: int
    width: int
    n_parameters: int
    seed: int
    train_loss: float
    test_loss: float
    train_accuracy: float | None
    test_accuracy: float | None

    @property
    def gap(self) -> float:
        """Test loss minus training loss."""
        return self.test_loss - self.train_loss


@dataclass(frozen=True, repr=False)
class GapReport:
    """Rows for every depth and seed; see :func:`generalization_gap`."""

    data: str
    rows: tuple[GapRow, ...]

    def summary(self) -> list[dict[str, Any]]:
        """For each depth the means over seeds, with the standard error of the gap."""
        found = []
        for depth in sorted({row.depth for row in self.rows}):
            chosen = [row for row in self.rows if row.depth == depth]
            n = len(chosen)
            means = {name: sum(getattr(row, name) for row in chosen) / n for name in ("train_loss", "test_loss", "gap")}
            spread = sqrt(sum((row.gap - means["gap"]) ** 2 for row in chosen) / max(1, n - 1) / n) if n > 1 else float("nan")
            right = [row.test_accuracy for row in chosen if row.test_accuracy is not None]
            accuracy = {"test_accuracy": sum(right) / n} if right else {}
            shape = {"depth": depth, "width": chosen[0].width, "n_parameters": chosen[0].n_parameters, "n_seeds": n}
            found.append(shape | means | {"standard_error": spread} | accuracy)
        return found

    def plot(self, ax: Axes | None = None) -> Axes:
        """The gap against depth; see :func:`plica.plot.plot_gap`."""
        from plica.plot import plot_gap

        return plot_gap(self, ax=ax)

    def __repr__(self) -> str:
        gaps = ", ".join(f"{row['depth']}: {row['gap']:.3g} ± {row['standard_error']:.1g}" for row in self.summary())
        return f"<GapReport on {self.data}, test minus training loss by depth: {gaps}; an open question, no verdict>"

    def _repr_html_(self) -> str:
        from plica._show import rows_html

        return rows_html(self, self.summary())


def generalization_gap(
    data: Dataset,
    *,
    depths: Sequence[int] = (1, 2, 3, 4, 6),
    n_parameters: int = 5000,
    seeds: Sequence[int] = (0, 1, 2),
    **settings: Any,
) -> GapReport:
    """Train fully connected networks with about the same number of parameters at several depths, and compare test with training.

    Parameters
    ----------
    data
        With a test set: a published one, or ``data.split(0.8)``.
    depths
        Numbers of hidden layers, all of one width, the largest with at most ``n_parameters`` parameters.
    n_parameters
        Of each network, at most.
    seeds
        Of weights and of training.
    settings
        For :func:`fit`: epochs, batch, rate, ...

    Examples
    --------
    >>> import plica.data
    >>> generalization_gap(plica.data.load("moons").split(0.2), depths=(1, 2), n_parameters=100, seeds=(0, 1), epochs=2)
    <GapReport on moons, test minus training loss by depth: 1: ... ± ..., 2: ... ± ...; an open question, no verdict>
    """
    if data.x_test is None or data.y is None:
        raise InvalidInput(f"data set {data.name!r} has no test set.", hint="divide it: data.split(0.8)")
    n_in, n_out = data.flat.shape[1], data.n_classes if data.n_classes > 2 else 1
    rows = []
    for depth in depths:
        width = _width(n_in, n_out, depth, n_parameters)
        for seed in seeds:
            model = mlp([n_in, *[width] * depth, n_out], seed=seed, flatten=data.x.ndim > 2)
            fit(model, (data.x, data.y), seed=seed, **settings)
            train, test = evaluate(model, (data.x, data.y)), evaluate(model, (data.x_test, data.y_test))
            rows.append(
                GapRow(
                    depth=depth,
                    width=width,
                    n_parameters=_count(n_in, n_out, depth, width),
                    seed=seed,
                    train_loss=train.loss,
                    test_loss=test.loss,
                    train_accuracy=train.accuracy,
                    test_accuracy=test.accuracy,
                )
            )
    return GapReport(data.name, tuple(rows))


def _count(n_in: int, n_out: int, depth: int, width: int) -> int:
    return (n_in + 1) * width + (depth - 1) * (width + 1) * width + (width + 1) * n_out


def _width(n_in: int, n_out: int, depth: int, n_parameters: int) -> int:
    """The largest width whose network has at most so many parameters.

    >>> _width(2, 1, 1, 100), _count(2, 1, 1, 24)
    (24, 97)
    """
    if depth < 1 or _count(n_in, n_out, depth, 1) > n_parameters:
        raise InvalidInput(f"{n_parameters} parameters do not make {depth} layers.", hint="fewer layers, or more parameters")
    width = 1
    while _count(n_in, n_out, depth, width + 1) <= n_parameters:
        width += 1
    return width
