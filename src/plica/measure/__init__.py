"""Numbers read off networks: lengths of curves, Jacobians, distances to folds, what random networks do on average."""

from plica._deprecated import renamed
from plica.measure._attention_leaks import Leaks, leaks
from plica.measure._attention_tokens import equivariance_defect, jacobian_norms, rank_residual, rank_residuals
from plica.measure._attention_weights import SpectralGap, attention_entropy, head_redundancy, hull_distance, spectral_gap
from plica.measure._density import CellSizes, DataCells, Density, cell_sizes, data_cells, region_density
from plica.measure._detection import Detection, average_precision, box_iou, detection_precision, mask_iou, top_k_error
from plica.measure._dissection import Dissection, dissect
from plica.measure._ensemble_forward import Forward
from plica.measure._ensemble_jacobians import Jacobians
from plica.measure._ensemble_kernels import Kernels
from plica.measure._ensemble_lengths import EnsembleLengths
from plica.measure._ensemble_signal import Signal
from plica.measure._ensembles import Ensemble
from plica.measure._equivalence import Equivalence, equivalence
from plica.measure._fold_distance import FoldDistance, fold_distance
from plica.measure._fold_distance_bounds import lipschitz_upper_bounds
from plica.measure._frechet import FrechetDistance, estimate_frechet_distance
from plica.measure._gabor import GaborFit, fit_gabor
from plica.measure._jacobian import Jacobian, jacobian
from plica.measure._mode_coverage import ModeCoverage, mode_coverage
from plica.measure._operations import Operations, operations
from plica.measure._saliency import occlusion, saliency
from plica.measure._trajectory import trajectory_length
from plica.measure._trajectory_images import TrajectoryImages, trajectory_images
from plica.measure._trajectory_paths import Curve, circle, great_circle, path_through
from plica.measure._trajectory_result import TrajectoryLength
from plica.measure._tropical import TropicalForm, TropicalPolynomial, newton_mixed_volume, tropical_form
from plica.measure.cells._attributions import Attributions, integrated_gradients
from plica.measure.cells._classes import ClassVolumes, class_volumes, volume_above
from plica.measure.cells._compare import Comparison, compare
from plica.measure.cells._critical import Critical, CriticalPoints, critical_points
from plica.measure.cells._definitions import RegionDefinitions, region_definitions
from plica.measure.cells._distribution import Distribution, distribution
from plica.measure.cells._dual import DualGraph, dual_graph
from plica.measure.cells._extremes import Extreme, Extremes, extremes
from plica.measure.cells._functional import FunctionalDimension, functional_dimension
from plica.measure.cells._geodesics import Geodesic, geodesic
from plica.measure.cells._gradient import DiscreteGradient, discrete_gradient
from plica.measure.cells._integrals import Enclosed, Moments, moments
from plica.measure.cells._lipschitz import Lipschitz, lipschitz, local_lipschitz
from plica.measure.cells._manifold import GeneratedManifold, generated_manifold
from plica.measure.cells._persistence import Persistence, persistence
from plica.measure.cells._streamed import StreamedValues, stream_values
from plica.measure.cells._symmetries import Symmetries, symmetries
from plica.measure.cells._topology import Topology, class_topology, level_topology, union_topology

__all__ = [
    "Attributions",
    "CellSizes",
    "ClassVolumes",
    "Comparison",
    "Critical",
    "CriticalPoints",
    "Curve",
    "DataCells",
    "Density",
    "Detection",
    "DiscreteGradient",
    "Dissection",
    "Distribution",
    "DualGraph",
    "Enclosed",
    "Ensemble",
    "EnsembleLengths",
    "Equivalence",
    "Extreme",
    "Extremes",
    "FoldDistance",
    "Forward",
    "FrechetDistance",
    "FunctionalDimension",
    "GaborFit",
    "GeneratedManifold",
    "Geodesic",
    "Jacobian",
    "Jacobians",
    "Kernels",
    "Leaks",
    "Lipschitz",
    "ModeCoverage",
    "Moments",
    "Operations",
    "Persistence",
    "RegionDefinitions",
    "Signal",
    "SpectralGap",
    "StreamedValues",
    "Symmetries",
    "Topology",
    "TrajectoryImages",
    "TrajectoryLength",
    "TropicalForm",
    "TropicalPolynomial",
    "attention_entropy",
    "average_precision",
    "box_iou",
    "cell_sizes",
    "circle",
    "class_topology",
    "class_volumes",
    "compare",
    "critical_points",
    "data_cells",
    "detection_precision",
    "discrete_gradient",
    "dissect",
    "distribution",
    "dual_graph",
    "equivalence",
    "equivariance_defect",
    "estimate_frechet_distance",
    "extremes",
    "fit_gabor",
    "fold_distance",
    "functional_dimension",
    "generated_manifold",
    "geodesic",
    "great_circle",
    "head_redundancy",
    "hull_distance",
    "integrated_gradients",
    "jacobian",
    "jacobian_norms",
    "leaks",
    "level_topology",
    "lipschitz",
    "lipschitz_upper_bounds",
    "local_lipschitz",
    "mask_iou",
    "mode_coverage",
    "moments",
    "newton_mixed_volume",
    "occlusion",
    "operations",
    "path_through",
    "persistence",
    "rank_residual",
    "rank_residuals",
    "region_definitions",
    "region_density",
    "saliency",
    "spectral_gap",
    "stream_values",
    "symmetries",
    "top_k_error",
    "trajectory_images",
    "trajectory_length",
    "tropical_form",
    "union_topology",
    "volume_above",
]

__getattr__ = renamed("plica.measure", {"boundary": "fold_distance", "Boundary": "FoldDistance"})
