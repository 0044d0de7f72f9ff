"""Pictures with matplotlib: ``plot_x(obj, *, ax=None) -> Axes``, never ``show``, never rcParams."""

from plica import _palette as palette
from plica.plot._animation import animate_regions
from plica.plot._attention import plot_attention
from plica.plot._complex import plot_complex, plot_folds, plot_pieces
from plica.plot._curves import plot_curves
from plica.plot._distribution import plot_distribution
from plica.plot._history import plot_gap, plot_history
from plica.plot._landscape import (
    plot_curvature_path,
    plot_loss_line,
    plot_loss_plane,
    plot_loss_surface,
    plot_spectrum,
    plot_weights_view,
)
from plica.plot._paint import map_coloring
from plica.plot._persistence import plot_persistence
from plica.plot._trajectory import (
    plot_ensemble_lengths,
    plot_jacobian_spectrum,
    plot_phase_diagram,
    plot_trajectory_images,
    plot_trajectory_length,
)

__all__ = [
    "animate_regions",
    "map_coloring",
    "palette",
    "plot_attention",
    "plot_complex",
    "plot_curvature_path",
    "plot_curves",
    "plot_distribution",
    "plot_ensemble_lengths",
    "plot_folds",
    "plot_gap",
    "plot_history",
    "plot_jacobian_spectrum",
    "plot_loss_line",
    "plot_loss_plane",
    "plot_loss_surface",
    "plot_persistence",
    "plot_phase_diagram",
    "plot_pieces",
    "plot_spectrum",
    "plot_trajectory_images",
    "plot_trajectory_length",
    "plot_weights_view",
]
