"""Pictures with matplotlib: ``plot_x(obj, *, ax=None) -> Axes``, never ``show``, never rcParams."""

from plica.plot import palette
from plica.plot._complex import plot_complex, plot_folds, plot_pieces

__all__ = ["palette", "plot_complex", "plot_folds", "plot_pieces"]
