"""The engines' arithmetic for measurements that stand on it: tensors with error bounds, rounding constants, exact evaluation.

Floats here come with a rigorous bound of their error (:class:`Tensor`), operations with the constants of that bound
(:func:`affine_constants`), and :class:`ExactMap` evaluates the very same network in integers where bounds decide nothing.
"""

from plica.geometry.signs._exact_maps import ExactMap, select_exactly, states_exactly
from plica.geometry.values._rescaling import rescaled
from plica.geometry.values._tensors import EPS, UNDERFLOW, Tensor, affine_constants, apply_affine, apply_fold

__all__ = [
    "EPS",
    "UNDERFLOW",
    "ExactMap",
    "Tensor",
    "affine_constants",
    "apply_affine",
    "apply_fold",
    "rescaled",
    "select_exactly",
    "states_exactly",
]
