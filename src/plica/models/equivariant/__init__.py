"""Convolutions that commute with more than translations: quarter turns of an image, choices of directions on a surface.

:class:`LiftingConvolution` takes an image to functions on the group p4 of translations and rotations by 90 degrees,
:class:`GroupConvolution` takes those to such functions, :class:`P4Classifier` ends with an invariant sum. Turning the image turns
each of four planes and moves them one further; for values that floating point adds exactly the equality is bit for bit.

:class:`MeshConvolution` is a convolution on a triangle mesh whose :func:`mesh_frames` are made from lengths along the surface.
"""

from plica.models.equivariant._mesh import MeshConvolution, MeshFrames, mesh_frames, turned
from plica.models.equivariant._p4 import (
    GroupConvolution,
    LiftingConvolution,
    P4Classifier,
    P4Config,
    turn_group_function,
    turn_image,
)

__all__ = [
    "GroupConvolution",
    "LiftingConvolution",
    "MeshConvolution",
    "MeshFrames",
    "P4Classifier",
    "P4Config",
    "mesh_frames",
    "turn_group_function",
    "turn_image",
    "turned",
]
