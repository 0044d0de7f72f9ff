"""Fewer weights: masks by many scores, tickets, sparsity that moves while training, and networks that really get smaller."""

from plica.sparse._architectures import NETWORKS
from plica.sparse._choose import count_kept, keep_largest
from plica.sparse._compress import Compression, compress
from plica.sparse._dynamic import Dynamic
from plica.sparse._geometry import SparseGeometry, sparse_geometry
from plica.sparse._gradual import Gradual
from plica.sparse._kept_chain import KeptChain
from plica.sparse._kept_fit import fit_kept
from plica.sparse._masks import Masks, apply_masks, densities, density, full_masks, is_collapsed, kept, masks_of, n_kept, weights
from plica.sparse._prune import METHODS, SCOPES, prune
from plica.sparse._pruned import Pruned, prune_network
from plica.sparse._scores import grasp_scores, magnitude_scores, random_scores, snip_scores, synflow_scores
from plica.sparse._structured import hidden_layers, prune_units, unit_scores
from plica.sparse._tickets import Ticket, find_tickets, reinitialized
from plica.sparse._training import TRAININGS, Protocol, SparseFit, sparse_fit
from plica.sparse._trial import trial

__all__ = [
    "METHODS",
    "NETWORKS",
    "SCOPES",
    "TRAININGS",
    "Compression",
    "Dynamic",
    "Gradual",
    "KeptChain",
    "Masks",
    "Protocol",
    "Pruned",
    "SparseFit",
    "SparseGeometry",
    "Ticket",
    "apply_masks",
    "compress",
    "count_kept",
    "densities",
    "density",
    "find_tickets",
    "fit_kept",
    "full_masks",
    "grasp_scores",
    "hidden_layers",
    "is_collapsed",
    "keep_largest",
    "kept",
    "magnitude_scores",
    "masks_of",
    "n_kept",
    "prune",
    "prune_network",
    "prune_units",
    "random_scores",
    "reinitialized",
    "snip_scores",
    "sparse_fit",
    "sparse_geometry",
    "synflow_scores",
    "trial",
    "unit_scores",
    "weights",
]
