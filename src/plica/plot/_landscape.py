"""Pictures of the loss as a function of the weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica import _palette as palette
from plica.plot._axes import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.landscape import CurvaturePath, LossLine, LossPlane, LossSurface, Spectrum, WeightsView


def plot_loss_line(line: LossLine, *, ax: Axes | None = None, n_points: int = 401, grid: int = 25) -> Axes:
    """Draw the loss along a line of weights, the straight line between its ends, its barrier, and a coarse grid.

    Examples
    --------
    >>> import numpy as np
    >>> import plica
    >>> a, b = (plica.random_network([2, 4, 1], seed=s) for s in (0, 1))
    >>> ax = plica.landscape.loss_line(a, b, np.ones((1, 2)), np.zeros((1, 1))).plot()
    >>> ax.get_ylabel()
    'squared loss'
    """
    ax = axes_or_new(ax, size=(5.5, 3.5))
    t = np.union1d(np.linspace(0, 1, n_points), [line.maximum.t, line.barrier.t])
    values = line(t)
    ax.plot(t, values, color=palette.MEASUREMENT, label="exact")
    ax.plot([0, 1], values[[0, -1]], "--", color=palette.GRAY, linewidth=1, label="between the ends")
    points = np.linspace(0, 1, grid)
    ax.plot(points, line(points), "o", color=palette.CONTROL, markersize=3, label=f"{grid} points")
    at = line.barrier.t
    foot = (1 - at) * values[0] + at * values[-1]
    ax.plot(
        [at, at], [foot, foot + float(line.barrier.value)], color=palette.BOUND, label=f"barrier {float(line.barrier.value):.4g}"
    )
    ax.set(xlabel="t", ylabel=f"{line.loss} loss", xlim=(0, 1))
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize=8)
    return ax


def plot_loss_surface(surface: LossSurface, *, ax: Axes | None = None, n_levels: int = 24, mark: bool = True) -> Axes:
    """Draw levels of the loss on a plane of weights, the points at which it was computed, and its middle.

    Examples
    --------
    >>> import numpy as np
    >>> from plica.landscape import loss_surface, random_direction
    >>> from plica.learn import mlp
    >>> model, x = mlp([2, 4, 1]), np.ones((3, 2))
    >>> d = random_direction(model, seed=0), random_direction(model, seed=1)
    >>> loss_surface(model, x, x[:, :1], d, coarse=4, levels=0).plot().get_xlabel()
    'first direction'
    """
    ax = axes_or_new(ax, size=(5.0, 4.2))
    values = surface.values
    low, high = float(values.min()), float(values.max())
    shifted = np.log(values - low + (high - low) / 100 + 1e-300) if high > low else values
    if high > low:
        ax.contourf(surface.u, surface.v, shifted.T, levels=n_levels, cmap=palette.MAGNITUDES)
        ax.contour(surface.u, surface.v, shifted.T, levels=n_levels, colors=[palette.PAPER], linewidths=0.3)
    i, j = np.nonzero(surface.sampled)
    ax.plot(surface.u[i], surface.v[j], ",", color=palette.INK, alpha=0.4)
    if mark:
        ax.plot([0], [0], "o", color=palette.BOUND, markersize=4)
    ax.set(
        xlabel="first direction", ylabel="second direction", title=f"{surface.loss} loss, {low:.3g} to {high:.3g}", aspect="equal"
    )
    return ax


def plot_loss_plane(plane: LossPlane, *, ax: Axes | None = None) -> Axes:
    """Draw the cells of one layer's weights, colored by the loss at their corners.

    Examples
    --------
    >>> import numpy as np
    >>> from plica.landscape import loss_plane, one_layer, random_direction
    >>> from plica.learn import mlp
    >>> model, x = mlp([2, 4, 1]), np.ones((3, 2))
    >>> d = one_layer(random_direction(model, seed=0), "0"), one_layer(random_direction(model, seed=1), "0")
    >>> loss_plane(model, x, x[:, :1], d).plot().get_ylabel()
    'second direction'
    """
    from matplotlib.collections import LineCollection
    from matplotlib.tri import Triangulation

    ax = axes_or_new(ax, size=(5.0, 4.2))
    points, triangles = plane.triangles()
    mesh = Triangulation(points[:, 0], points[:, 1], triangles)
    ax.tripcolor(mesh, points[:, 2], shading="gouraud", cmap=palette.MAGNITUDES)
    edges = LineCollection(list(points[plane.complex.edges, :2]), colors=palette.PAPER, linewidths=0.4)
    ax.add_collection(edges)
    ax.plot([plane.least[1]], [plane.least[2]], "o", color=palette.BOUND, markersize=4)
    ax.set(xlabel="first direction", ylabel="second direction", title=f"{plane.loss} loss, exact cells", aspect="equal")
    return ax


def plot_spectrum(spectrum: Spectrum, *, ax: Axes | None = None, n_points: int = 400) -> Axes:
    """Draw the density of a spectrum on a logarithmic scale, with two standard errors.

    Examples
    --------
    >>> import numpy as np
    >>> from plica.landscape import spectrum
    >>> spectrum(np.diag(np.arange(20.0)), n_vectors=3, n_steps=10).plot().get_xlabel()
    'eigenvalue'
    """
    ax = axes_or_new(ax, size=(5.5, 3.5))
    low, high = min(float(x.min()) for x in spectrum.nodes), max(float(x.max()) for x in spectrum.nodes)
    margin = 0.05 * (high - low)
    at = np.linspace(low - margin, high + margin, n_points)
    density, error = spectrum.density(at)
    floor = density.max() * 1e-8
    ax.fill_between(
        at, np.maximum(density - 2 * error, floor), density + 2 * error + floor, color=palette.MEASUREMENT, alpha=0.25
    )
    ax.plot(at, density + floor, color=palette.MEASUREMENT)
    ax.set(xlabel="eigenvalue", ylabel="density", yscale="log", ylim=(floor, None))
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def plot_curvature_path(path: CurvaturePath, *, ax: Axes | None = None) -> Axes:
    """Draw the share of negative eigenvalues and their mass against the loss, from the first state to the last.

    Examples
    --------
    >>> import numpy as np
    >>> from plica.landscape import curvature_path
    >>> from plica.learn import mlp
    >>> x = np.random.default_rng(0).normal(size=(20, 2))
    >>> curvature_path([mlp([2, 4, 1], seed=s) for s in range(3)], x, x[:, :1]).plot().get_xlabel()
    'loss'
    """
    ax = axes_or_new(ax, size=(5.5, 3.5))
    for values, error, color, name in (
        (path.index, path.index_error, palette.MEASUREMENT, "share of negative eigenvalues"),
        (path.negative_mass, path.negative_mass_error, palette.BOUND, "their share of all magnitudes"),
    ):
        ax.errorbar(path.losses, values, yerr=2 * error, fmt="o-", color=color, markersize=3, linewidth=1, label=name)
        ax.plot(path.losses[-1:], values[-1:], "o", color=color, markersize=7)
    ax.set(xlabel="loss", ylabel=f"{path.kind}", ylim=(0, None))
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def plot_weights_view(view: WeightsView, *, ax: Axes | None = None, n_levels: int = 24) -> Axes:
    """Draw the path of a training over levels of the loss on the plane that explains most of it.

    Examples
    --------
    >>> import numpy as np
    >>> from plica.landscape import weights_view
    >>> from plica.learn import mlp
    >>> x = np.random.default_rng(0).normal(size=(10, 2))
    >>> weights_view([mlp([2, 4, 1], seed=s) for s in range(4)], x, x[:, :1], levels=0).plot().get_xlabel()[:23]
    'first direction, explai'
    """
    ax = plot_loss_surface(view.surface, ax=ax, n_levels=n_levels, mark=False)
    ax.plot(*view.path.T, "o-", color=palette.BOUND, markersize=3, linewidth=1)
    ax.plot(*view.path[-1], "*", color=palette.BOUND, markersize=10)
    first, second = view.trajectory.explained
    ax.set(xlabel=f"first direction, explains {first:.0%}", ylabel=f"second direction, {second:.0%}")
    return ax
