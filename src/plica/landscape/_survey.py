"""One question about the landscape: a model, a loss, data and directions; the answer is as exact as the question allows."""

from __future__ import annotations

from typing import Any

from plica.errors import InvalidInput
from plica.geometry import Budget
from plica.landscape._directions import Direction, moved
from plica.landscape._line import LossLine, loss_line
from plica.landscape._plane import LossPlane, loss_plane, moving_layers
from plica.landscape._surface import LossSurface, loss_surface
from plica.landscape._targets import as_network


def survey(
    model: Any,
    x: Any,
    y: Any,
    directions: Any,
    *,
    loss: str = "squared",
    reach: float = 1.0,
    budget: Budget | None = None,
    **options: Any,
) -> LossLine | LossPlane | LossSurface:
    """The loss around a model, along one direction or on the plane of two.

    Parameters
    ----------
    model, x, y, loss
        As in :func:`loss_line`.
    directions
        Another model: the exact loss on the line to it. One :class:`Direction`: the exact loss from -reach to reach along it.
        Two: the exact complex of a polynomial loss where they move one dense layer, otherwise a sampled surface, which is
        labelled estimated.
    reach
        How far along directions, in multiples of them.
    options
        Of :func:`loss_line` (``store``, ``n_cells``, ``progress``) or :func:`loss_surface` (``store``, ``progress``, ``coarse``,
        ``levels``, ``tolerance``, ``dtype``); with one of the last four a plane of one layer is sampled, too.

    Examples
    --------
    >>> import numpy as np
    >>> from plica.landscape import one_layer, random_direction
    >>> from plica.learn import mlp
    >>> model, x = mlp([2, 6, 1]), np.random.default_rng(0).normal(size=(5, 2))
    >>> d = [random_direction(model, seed=s) for s in (0, 1)]
    >>> [survey(model, x, x[:, :1], e).kind for e in (d[0], d, [one_layer(e, "0") for e in d], mlp([2, 6, 1], seed=1))]
    ['certified', 'estimated', 'exact', 'certified']
    """
    if isinstance(directions, Direction):
        directions = (directions,)
    if not isinstance(directions, list | tuple):
        return loss_line(model, directions, x, y, loss=loss, budget=budget, **options)
    if not all(isinstance(d, Direction) for d in directions) or len(directions) not in (1, 2):
        raise InvalidInput("a survey takes another model, one direction or two.", hint="random_direction(model, seed=0) is one")
    if len(directions) == 1:
        start, end = (moved(model, (s * reach, directions[0])) for s in (-1.0, 1.0))
        return loss_line(start, end, x, y, loss=loss, budget=budget, **options)
    pair = (directions[0], directions[1])
    center, *others = (as_network(m, x) for m in (moved(model), *(moved(model, (1.0, d)) for d in pair)))
    is_sampled = bool(options.keys() & {"coarse", "levels", "tolerance", "dtype"})
    if loss != "cross-entropy" and len(moving_layers(center, others)) == 1 and not is_sampled:
        if options:
            raise InvalidInput(
                f"an exact plane takes no {', '.join(options)}.", hint="lines and sampled surfaces are kept in parts"
            )
        return loss_plane(model, x, y, pair, loss=loss, reach=reach, budget=budget)
    return loss_surface(model, x, y, pair, loss=loss, reach=reach, budget=budget, **options)
