"""Closed forms: what the theorems say, as functions of numbers. Knows no networks."""

from plica.theory import (
    approximation,
    attention,
    hidden_manifold,
    kernels,
    landscape,
    lengths,
    meanfield,
    optimization,
    parameters,
    regions,
    sparsity,
)

__all__ = [
    "approximation",
    "attention",
    "hidden_manifold",
    "kernels",
    "landscape",
    "lengths",
    "meanfield",
    "optimization",
    "parameters",
    "regions",
    "sparsity",
]
