"""Convolutions that commute with a quarter turn of the image: the group p4 of translations and rotations by 90 degrees.

:class:`LiftingConvolution` takes an image to functions on the group, :class:`GroupConvolution` takes those to such functions,
:class:`P4Classifier` ends with an invariant sum. Turning the image turns each of four planes and moves them one further; for
values that floating point adds exactly the equality is bit for bit.
"""

from plica.models.equivariant._p4 import (
    GroupConvolution,
    LiftingConvolution,
    P4Classifier,
    P4Config,
    turn_group_function,
    turn_image,
)

__all__ = ["GroupConvolution", "LiftingConvolution", "P4Classifier", "P4Config", "turn_group_function", "turn_image"]
