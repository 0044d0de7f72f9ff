"""Pictures of curves in networks: their lengths against depth, their images, phases, Jacobian spectra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from plica import _palette as palette
from plica._palette import MAGNITUDES
from plica.plot._axes import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.measure import EnsembleLengths, Jacobians, TrajectoryImages, TrajectoryLength
    from plica.theory.meanfield import JacobianSpectrum, PhaseDiagram


def plot_trajectory_length(length: TrajectoryLength, *, ax: Axes | None = None) -> Axes:
    """Draw the length of a curve before and after each layer, on a logarithmic scale.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 16, 16, 1], seed=0)
    >>> ax = plot_trajectory_length(plica.trajectory_length(net, plica.Segment([-1, -1], [1, 1])))
    >>> ax.get_ylabel()
    'length'
    """
    ax = axes_or_new(ax, size=(5.5, 3.5))
    x = np.array(length.layers) + 1
    ax.plot([0, *x], [length.input, *length.post], "o-", color=palette.MEASUREMENT, markersize=4, label="after the activation")
    ax.plot(x, length.pre, "s--", color=palette.CONTROL, markersize=4, label="before")
    return _depth_axes(ax, "length")


def plot_ensemble_lengths(lengths: EnsembleLengths, *, ax: Axes | None = None, expected: Any = None) -> Axes:
    """Draw the mean length of an ensemble against depth, with the middle 90 % of its networks.

    ``expected`` is a prediction for each layer, drawn as a dashed line.
    """
    ax = axes_or_new(ax, size=(5.5, 3.5))
    x = np.arange(lengths.post.shape[1] + 1)
    low, high = np.quantile(lengths.post, [0.05, 0.95], axis=0)
    ax.fill_between(
        x,
        [lengths.input, *low],
        [lengths.input, *high],
        color=palette.MEASUREMENT,
        alpha=0.2,
        linewidth=0,
        label="90 % of networks",
    )
    ax.plot(x, [lengths.input, *lengths.mean], "o-", color=palette.MEASUREMENT, markersize=4, label="mean")
    if expected is not None:
        ax.plot(x, [lengths.input, *np.asarray(expected)], "--", color=palette.PREDICTION, linewidth=1.2, label="expected")
    return _depth_axes(ax, "length")


def _depth_axes(ax: Axes, label: str) -> Axes:
    from matplotlib.ticker import MaxNLocator

    ax.set_yscale("log")
    ax.set_xlabel("layers passed")
    ax.set_ylabel(label)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    return ax


def plot_trajectory_images(images: TrajectoryImages, *, axes: Sequence[Axes] | None = None) -> Sequence[Axes]:
    """Draw the images of a curve at each depth, side by side, colored along the curve."""
    n = len(images.layers)
    if axes is None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(2.4 * n, 2.6), layout="constrained")
        FigureCanvasAgg(figure)
        axes = list(np.atleast_1d(figure.subplots(1, n)))
    for ax, layer, line, part in zip(axes, images.layers, images.polylines, images.explained, strict=True):
        draw_polyline(ax, line)
        ax.set_title("input" if layer < 0 else f"layer {layer}, {100 * part:.0f} %", fontsize=9)
    return axes


def draw_polyline(ax: Axes, points: Any) -> None:
    """A closed or open polyline in the plane, its color running along it."""
    from matplotlib.collections import LineCollection

    points = np.asarray(points)
    segments = np.stack([points[:-1], points[1:]], axis=1)
    ax.add_collection(LineCollection(list(segments), array=np.arange(len(segments)), cmap=MAGNITUDES, linewidths=0.9))
    ax.autoscale_view()
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xticks([])
    ax.set_yticks([])


def plot_phase_diagram(diagram: PhaseDiagram, *, ax: Axes | None = None) -> Axes:
    """Draw chi_1 over the two scales: ordered in blue, chaotic in vermilion, the edge of chaos as a line."""
    ax = axes_or_new(ax, size=(5.0, 4.0))
    values = np.log2(np.clip(diagram.chi_1, 1e-6, 1e6))
    reach = min(float(np.abs(values).max()), 3.0) or 1.0
    mesh = ax.pcolormesh(
        diagram.weight_stds,
        diagram.bias_stds,
        values,
        cmap=palette.diverging_colormap(),
        vmin=-reach,
        vmax=reach,
        shading="nearest",
    )
    if min(diagram.chi_1.shape) > 1 and (values.min() < 0 < values.max()):
        ax.contour(diagram.weight_stds, diagram.bias_stds, values, levels=[0.0], colors=palette.INK, linewidths=1.5)
    ax.figure.colorbar(mesh, ax=ax, label=r"$\log_2 \chi_1$")
    ax.set_xlabel(r"$\sigma_w$")
    ax.set_ylabel(r"$\sigma_b$")
    ax.set_title(diagram.activation)
    return ax


def plot_jacobian_spectrum(jacobians: Jacobians, spectrum: JacobianSpectrum | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the histogram of singular values, with the prediction of free probability over it."""
    ax = axes_or_new(ax, size=(5.5, 3.5))
    values = jacobians.singular_values.reshape(-1)
    present = values > 1e-9 * values.max()
    weights = np.full(int(present.sum()), 80 / (len(values) * values.max()))  # the zeros count, but are not shown
    heights, _, _ = ax.hist(values[present], bins=80, range=(0.0, float(values.max())), weights=weights, color=palette.BARS)
    if spectrum is not None:
        s = np.linspace(1e-3, 1.02, 400) * np.sqrt(spectrum.largest)
        ax.plot(s, spectrum.singular_value_density(s), color=palette.PREDICTION, linewidth=1.5, label="free probability")
        ax.legend(frameon=False)
    ax.set_xlabel("singular value")
    ax.set_ylabel("density")
    ax.set_ylim(0, 1.3 * float(np.max(heights)))
    ax.spines[["top", "right"]].set_visible(False)
    return ax
