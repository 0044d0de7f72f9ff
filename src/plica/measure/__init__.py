"""Numbers read off networks: lengths of curves, Jacobians, what random networks do on average."""

from plica.measure._ensemble_jacobians import Jacobians
from plica.measure._ensemble_kernels import Kernels
from plica.measure._ensemble_lengths import EnsembleLengths
from plica.measure._ensemble_signal import Signal
from plica.measure._ensembles import Ensemble
from plica.measure._jacobian import Jacobian, jacobian
from plica.measure._trajectory import trajectory_length
from plica.measure._trajectory_images import TrajectoryImages, trajectory_images
from plica.measure._trajectory_paths import Curve, circle, great_circle, path_through
from plica.measure._trajectory_result import TrajectoryLength

__all__ = [
    "Curve",
    "Ensemble",
    "EnsembleLengths",
    "Jacobian",
    "Jacobians",
    "Kernels",
    "Signal",
    "TrajectoryImages",
    "TrajectoryLength",
    "circle",
    "great_circle",
    "jacobian",
    "path_through",
    "trajectory_images",
    "trajectory_length",
]
