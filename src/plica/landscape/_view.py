"""A training seen in the space of weights, as arrays that can be drawn: its line, its plane, its path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Budget
from plica.landscape._directions import Trajectory, moved, trajectory
from plica.landscape._line import LossLine, loss_line
from plica.landscape._surface import LossSurface, loss_surface

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARGIN = 1.25  # how much wider than the path the plane is shown


@dataclass(frozen=True, eq=False)
class WeightsView:
    """What a picture of a training in the space of weights is drawn from.

    Attributes
    ----------
    line
        The exact loss on the straight line from the first state to the last.
    surface
        The loss on the plane that explains most of the path, estimated between its points.
    path
        The states (states, 2) in the coordinates of the surface.
    losses
        The loss of each state, which does not lie in the plane.
    trajectory
        The principal directions and the share of squared distances that each explains.
    """

    line: LossLine
    surface: LossSurface
    path: Array
    losses: Array
    trajectory: Trajectory

    def arrays(self, *, n_points: int = 201) -> dict[str, Array]:
        """Everything that is drawn, as plain arrays.

        ``t`` and ``loss`` are points of the line; for polynomial losses ``knots`` and ``coefficients`` are its pieces
        (:meth:`LossLine.pieces`); ``u``, ``v`` and ``values`` are the surface; ``path``, ``path_losses`` and ``explained`` are
        the way of training.
        """
        t = np.linspace(0.0, 1.0, n_points)
        knots, coefficients = self.line.pieces() if self.line.is_polynomial else (np.zeros(0), np.zeros((0, 0)))
        return {
            "t": t,
            "loss": self.line(t),
            "knots": knots,
            "coefficients": coefficients,
            "u": self.surface.u,
            "v": self.surface.v,
            "values": self.surface.values,
            "path": self.path,
            "path_losses": self.losses,
            "explained": self.trajectory.explained,
        }

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """The path over levels of the loss."""
        from plica.plot import plot_weights_view

        return plot_weights_view(self, ax=ax)

    def __repr__(self) -> str:
        return f"<WeightsView of {len(self.path)} states: {self.trajectory.explained.sum():.1%} of the path in the plane>"


def weights_view(
    states: Sequence[Any],
    x: Any,
    y: Any,
    *,
    loss: str = "squared",
    coarse: int = 8,
    levels: int = 2,
    budget: Budget | None = None,
) -> WeightsView:
    """The loss around the path of a training: exact on the line between its ends, sampled on the plane of its steps.

    Parameters
    ----------
    states
        The models in order, the last one trained.
    x, y, loss
        As in :func:`plica.landscape.loss_line`.
    coarse, levels
        As in :func:`plica.landscape.loss_surface`.

    Examples
    --------
    >>> from plica.learn import mlp
    >>> x = np.random.default_rng(0).normal(size=(10, 2))
    >>> seen = weights_view([mlp([2, 6, 1], seed=s) for s in range(4)], x, x[:, :1], levels=1)
    >>> arrays = seen.arrays()
    >>> arrays["path"].shape, bool(np.abs(arrays["path"]).max() <= 1), arrays["values"].shape
    ((4, 2), True, (17, 17))
    """
    found = trajectory(states)
    if len(found.directions) < 2:
        raise InvalidInput(f"{len(states)} states span no plane.", hint="give three states of a training at least")
    low, high = found.path.min(axis=0), found.path.max(axis=0)
    middle, reach = (low + high) / 2, MARGIN * np.maximum((high - low) / 2, 1e-9 + 1e-3 * (high - low).max())
    center = moved(states[-1], *((float(m), d) for m, d in zip(middle, found.directions, strict=True)))
    first, second = (float(r) * d for r, d in zip(reach, found.directions, strict=True))
    surface = loss_surface(center, x, y, (first, second), loss=loss, coarse=coarse, levels=levels, budget=budget)
    line = loss_line(moved(states[0]), moved(states[-1]), x, y, loss=loss, budget=budget)
    losses = [_loss(state, x, y, loss) for state in states]
    return WeightsView(line, surface, (found.path - middle) / reach, np.array(losses), found)


def _loss(model: Any, x: Any, y: Any, loss: str) -> float:
    """The mean loss of one model."""
    from plica.landscape._plane_loss import PlaneLoss
    from plica.landscape._targets import as_network, as_samples

    network = as_network(moved(model), x)
    return PlaneLoss(network, (), as_samples(network, x, y, loss))(0.0, 0.0)
